// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * tests: cmd/stat/stat_account.c: shows the account only, without what is meant for programs.
 */
#include <check.h>

#include "base/strbuf.h"
#include "cmd/stat/stat_run.h"

static int put(void *ctx, const char *data, size_t size)
{
	strbuf_add(ctx, data, size);
	return 0;
}

static void render(const struct report *r, struct strbuf *text)
{
	const struct render_options opts = { .width = 0 };
	const struct render_out out = { put, text };

	ck_assert(!stat_account_render(r, &opts, &out));
}

START_TEST(hidden_tables_are_not_shown)
{
	struct report *r = report_new();
	struct table *missing = table_new("missing", "Events left in the ring buffers");
	struct strbuf before = { 0 }, after = { 0 };

	report_add_table(r, table_new("account", "Account"));
	render(r, &before);
	missing->hidden = true;
	report_add_table(r, missing);
	ck_assert(report_ok(r));
	render(r, &after);
	ck_assert_uint_gt(before.size, 0);
	ck_assert_str_eq(strbuf_text(&after), strbuf_text(&before));
	strbuf_free(&before);
	strbuf_free(&after);
	report_free(r);
}
END_TEST

Suite *test_stat_account_suite(void)
{
	Suite *s = suite_create("cmd/stat_account");
	TCase *tc = tcase_create("all");

	tcase_add_test(tc, hidden_tables_are_not_shown);
	suite_add_tcase(s, tc);
	return s;
}

// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * tests: query/ahead.h: files read by several threads give the same rows, in order.
 */
#include <check.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "query/ahead.h"

Suite *test_ahead_suite(void);

#define FILES 40
#define ROWS  30

static char directory[32];

static void make_directory(void)
{
	snprintf(directory, sizeof(directory), "/tmp/kmemx-ahead.XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(directory));
}
static char names[FILES][64];

/* Makes file @i with @nr rows of recording @i, followed by @end. */
static void make_file(unsigned int i, unsigned int nr, const char *end)
{
	FILE *f;

	snprintf(names[i], sizeof(names[i]), "%s/%u", directory, i);
	f = fopen(names[i], "w");
	ck_assert_ptr_nonnull(f);
	for (unsigned int row = 0; row < nr; row++)
		fprintf(f,
			"{\"recording_id\":\"%u\",\"allocator\":\"slab\",\"callsite\":\"f%u\",\"stack\":\"a\\u0062;%u\",\"hit\":%u}\n",
			i, row, row, row);
	fputs(end, f);
	ck_assert_int_eq(fclose(f), 0);
}

static void remove_files(void)
{
	for (unsigned int i = 0; i < FILES; i++)
		unlink(names[i]);
	ck_assert_int_eq(rmdir(directory), 0);
}

static bool is_text(const struct export_value *v, const char *text)
{
	return v->known && v->size == strlen(text) && !memcmp(v->text, text, v->size);
}

static void check_rows(const struct ahead_rows *rows, unsigned int i)
{
	char text[32];

	ck_assert_int_eq(rows->ret, 0);
	ck_assert_uint_eq(rows->nr, ROWS);
	ck_assert(rows->content != 0);
	for (unsigned int row = 0; row < ROWS; row++) {
		snprintf(text, sizeof(text), "%u", i);
		ck_assert(is_text(&rows->of[row].of[FIELD_RECORDING_ID], text));
		snprintf(text, sizeof(text), "ab;%u", row);
		ck_assert(is_text(&rows->of[row].of[FIELD_STACK], text));
		ck_assert_uint_eq(rows->of[row].of[FIELD_FIRST_METRIC].number, row);
		ck_assert(!rows->of[row].of[FIELD_HOST].known);
	}
}

/* Of 40 files, every fifth is not wanted, one is truncated, one is missing, and one is too large.
 */
START_TEST(test_in_order)
{
	const char *paths[FILES];
	struct ahead *a;

	make_directory();
	for (unsigned int i = 0; i < FILES; i++) {
		make_file(i, i == 13 ? AHEAD_FILE_MAX / sizeof(struct query_row) : ROWS,
			  i == 11 ? "{\"recording" : "");
		paths[i] = i % 5 ? names[i] : NULL;
	}
	unlink(names[12]);
	a = ahead_start(paths, FILES, 3 * (unsigned int)_i + 1);
	ck_assert_ptr_nonnull(a);
	for (unsigned int i = 0; i < FILES; i++) {
		const struct ahead_rows *rows = ahead_get(a, i);

		if (i == 11) {
			ck_assert_ptr_nonnull(rows);
			ck_assert_int_eq(rows->ret, -EINVAL);
			ck_assert_uint_eq(rows->file.number, ROWS + 1);
			ck_assert_ptr_nonnull(rows->file.line.wrong);
		} else if (i == 12) {
			ck_assert_ptr_nonnull(rows);
			ck_assert_int_eq(rows->ret, -ENOENT);
		} else if (i == 13 || !(i % 5)) {
			ck_assert_ptr_null(rows);
		} else {
			ck_assert_ptr_nonnull(rows);
			check_rows(rows, i);
		}
	}
	ahead_stop(a);
	remove_files();
}
END_TEST

/* Some files are never asked for, and reading ends before the last file. */
START_TEST(test_skipped)
{
	const char *paths[FILES];
	struct ahead *a;

	make_directory();
	for (unsigned int i = 0; i < FILES; i++) {
		make_file(i, ROWS, "");
		paths[i] = names[i];
	}
	a = ahead_start(paths, FILES, 2);
	ck_assert_ptr_nonnull(a);
	check_rows(ahead_get(a, 1), 1);
	check_rows(ahead_get(a, 17), 17);
	check_rows(ahead_get(a, 18), 18);
	ahead_stop(a);
	ahead_stop(NULL);
	remove_files();
}
END_TEST

Suite *test_ahead_suite(void)
{
	Suite *s = suite_create("query/ahead");
	TCase *tc = tcase_create("files");

	tcase_add_loop_test(tc, test_in_order, 0, 3);
	tcase_add_test(tc, test_skipped);
	suite_add_tcase(s, tc);
	return s;
}

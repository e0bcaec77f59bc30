// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * tests: analysis/columns.h: cells that show a member of the row.
 */
#include <check.h>

#include "analysis/columns.h"
#include "cells.h"

struct part {
	uint64_t bytes;
	int32_t node;
	struct strbuf words;
};

struct row {
	uint32_t before;
	const struct part *part;
	const struct part *missing;
	const char *name;
	int64_t change;
	uint64_t counts[3];
};

static struct cell sum_of(const void *part, struct table *t)
{
	const struct part *p = part;

	return cell_int((int64_t)p->bytes + p->node);
}

#define NAMED(word, ...)                                \
	{                                               \
		.column = { .name = word }, __VA_ARGS__ \
	}

static const struct column_type columns[] = {
	NAMED("before", MEMBER(struct row, before)),
	NAMED("name", MEMBER(struct row, name)),
	NAMED("change", MEMBER(struct row, change)),
	NAMED("third", MEMBER(struct row, counts[2])),
	NAMED("none", .none_if_0 = true, MEMBER(struct row, counts[1])),
	NAMED("some", .none_if_0 = true, MEMBER(struct row, counts[2])),
	NAMED("bytes", MEMBER_OF(struct row, part, bytes)),
	NAMED("node", MEMBER_OF(struct row, part, node)),
	NAMED("words", MEMBER_OF(struct row, part, words)),
	NAMED("sum", POINTEE(struct row, part, struct part, sum_of)),
	NAMED("no_bytes", MEMBER_OF(struct row, missing, bytes)),
	NAMED("no_sum", POINTEE(struct row, missing, struct part, sum_of)),
	COLUMNS_END,
};

static const struct table_type type = { .name = "test", .columns = columns };

static void check_uint(struct table *t, size_t row, const char *name, uint64_t value)
{
	ck_assert_int_eq(cell(t, row, name)->type, CELL_UINT);
	ck_assert_uint_eq(cell(t, row, name)->u, value);
}

static void check_int(struct table *t, size_t row, const char *name, int64_t value)
{
	ck_assert_int_eq(cell(t, row, name)->type, CELL_INT);
	ck_assert_int_eq(cell(t, row, name)->i, value);
}

static void check_text(struct table *t, size_t row, const char *name, const char *text)
{
	ck_assert_int_eq(cell(t, row, name)->type, CELL_TEXT);
	ck_assert_str_eq(cell(t, row, name)->s, text);
}

static void check_none(struct table *t, size_t row, const char *name)
{
	ck_assert_int_eq(cell(t, row, name)->type, CELL_NONE);
}

START_TEST(test_members)
{
	struct table *t = table_type_new(&type, "Test", SUBJECT_NONE, false);
	struct part part = { UINT64_MAX - 1, -1, { 0 } };
	struct row row = { UINT32_MAX, &part, NULL, NULL, INT64_MIN, { 1, 0, 3 } };

	ck_assert(table_put_row(t, &row));
	strbuf_puts(&part.words, "two words");
	part.bytes = 5;
	row.name = "a name";
	ck_assert(table_put_row(t, &row));
	check_uint(t, 0, "before", UINT32_MAX);
	check_none(t, 0, "name");
	check_text(t, 1, "name", "a name");
	check_int(t, 0, "change", INT64_MIN);
	check_uint(t, 0, "third", 3);
	check_none(t, 0, "none");
	check_uint(t, 0, "some", 3);
	check_uint(t, 0, "bytes", UINT64_MAX - 1);
	check_int(t, 0, "node", -1);
	check_none(t, 0, "words");
	check_text(t, 1, "words", "two words");
	check_int(t, 1, "sum", 4);
	check_none(t, 1, "no_bytes");
	check_none(t, 1, "no_sum");
	ck_assert(table_ok(t));
	/* Texts are the table's own. */
	strbuf_free(&part.words);
	check_text(t, 1, "words", "two words");
	table_free(t);
}
END_TEST

/* A buffer that failed for lack of memory makes the table fail. */
START_TEST(test_failed_buffer)
{
	struct table *t = table_type_new(&type, "Test", SUBJECT_NONE, false);
	const struct part part = { .words = { .failed = true } };
	const struct row row = { .part = &part };

	ck_assert(table_put_row(t, &row));
	check_none(t, 0, "words");
	ck_assert(!table_ok(t));
	table_free(t);
}
END_TEST

START_TEST(test_other_cells)
{
	struct table *t = table_new("test", "Test");
	const uint64_t numbers[] = { 0, 12, UINT64_MAX };
	struct strbuf sb = { 0 };

	strbuf_puts(&sb, "text");
	ck_assert_str_eq(cell_strbuf(t, &sb).s, "text");
	ck_assert_uint_eq(sb.size, 0);
	ck_assert_str_eq(cell_numbers(t, numbers, 3).s, "0|12|18446744073709551615");
	ck_assert_str_eq(cell_numbers(t, numbers, 0).s, "");
	ck_assert(table_ok(t));
	sb.failed = true;
	cell_strbuf(t, &sb);
	ck_assert(!table_ok(t));
	table_free(t);
}
END_TEST

Suite *test_columns_suite(void);

Suite *test_columns_suite(void)
{
	Suite *s = suite_create("analysis/columns");
	TCase *tc = tcase_create("columns");

	tcase_add_test(tc, test_members);
	tcase_add_test(tc, test_failed_buffer);
	tcase_add_test(tc, test_other_cells);
	suite_add_tcase(s, tc);
	return s;
}

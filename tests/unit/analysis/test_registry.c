// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * tests: analysis/pass/registry.c: what every analysis must declare.
 */
#include <check.h>
#include <string.h>

#include "analysis/compare/comparison_columns.h"
#include "analysis/pass/analyze.h"
#include "analysis/row/subject.h"

START_TEST(test_analyses)
{
	const struct analysis *analysis;
	size_t i;

	for (i = 0; (analysis = analysis_at(i)); i++) {
		ck_assert_ptr_eq(analysis_find(analysis->name), analysis);
		ck_assert_uint_gt(strlen(analysis->help), 0);
		ck_assert_uint_ne(analysis->needs | analysis->must, 0);
		ck_assert(analysis->size && analysis->view);
		ck_assert_ptr_nonnull(analysis->tables[0]);
	}
	ck_assert_uint_gt(i, 5);
	ck_assert_ptr_null(analysis_find("nothing of that name"));
}
END_TEST

/* Counts the columns @name in tables by @kind. */
static unsigned int nr_columns(const struct table_type *type, const char *name,
			       enum subject_kind kind)
{
	const struct column_type *col;
	unsigned int nr = 0;

	for (col = type->columns; col->column.name; col++)
		nr += column_type_in(col, kind) && !strcmp(col->column.name, name);
	return nr;
}

static bool has_column(const struct table_type *type, const char *name)
{
	unsigned int kind, nr = 0;

	for (kind = 0; kind < SUBJECT_NR; kind++)
		nr += nr_columns(type, name, kind);
	return nr;
}

static void check_column(const struct table_type *type, const struct column_type *col)
{
	const struct column *c = &col->column;
	unsigned int kind;

	ck_assert_msg(c->help && c->help[strlen(c->help) - 1] == '.',
		      "%s.%s: its help is not a sentence", type->name, c->name);
	ck_assert_msg(col->many != (col->fill != NULL), "%s.%s: no cell", type->name,
		      c->name);
	ck_assert_msg(!c->per || has_column(type, c->per), "%s.%s: no column %s",
		      type->name, c->name, c->per);
	ck_assert_msg(!c->range_of || has_column(type, c->range_of),
		      "%s.%s: no column %s", type->name, c->name, c->range_of);
	/* If frees are missing, net and the ends of its range are all unknown. */
	ck_assert_msg(c->live || (!c->range_of && strncmp(c->name, "net", 3)),
		      "%s.%s: is not marked as live", type->name, c->name);
	for (kind = 0; kind < SUBJECT_NR; kind++)
		ck_assert_msg(nr_columns(type, c->name, kind) <= 1, "%s.%s: twice",
			      type->name, c->name);
}

static void check_table(const struct table_type *type)
{
	const struct column_type *col;
	struct sort_keys keys;
	size_t i;

	ck_assert_uint_gt(strlen(type->help), 0);
	for (col = type->columns; col->column.name; col++)
		check_column(type, col);
	if (!type->sort)
		return;
	ck_assert(!sort_keys_parse(&keys, type->sort));
	for (i = 0; i < keys.nr; i++)
		ck_assert_msg(has_column(type, keys.keys[i].name), "%s: sorted by %s",
			      type->name, keys.keys[i].name);
	sort_keys_free(&keys);
}

START_TEST(test_columns)
{
	const struct table_type *const *type;
	const struct analysis *analysis;
	size_t i;

	for (i = 0; (analysis = analysis_at(i)); i++) {
		for (type = analysis->tables; *type; type++)
			check_table(*type);
	}
}
END_TEST

/* All tables that diff compares have the columns that the metrics name, and a column for each word.
 */
START_TEST(test_metrics)
{
	const struct analysis *analysis;
	struct comparison_metrics m;
	unsigned int kind;
	size_t i, k;

	comparison_metrics(&m);
	ck_assert_uint_gt(m.nr, 1);
	ck_assert(m.usual[0]);
	ck_assert_int_eq(m.items[m.count].unit, UNIT_COUNT);
	ck_assert_ptr_nonnull(m.largest);
	for (i = 0; (analysis = analysis_at(i)); i++) {
		const struct table_type *type = analysis->tables[0];

		if (analysis->use != ANALYSIS_DIFF && analysis->use != ANALYSIS_RULES)
			continue;
		ck_assert(has_column(type, m.largest));
		for (k = 0; k < m.nr; k++) {
			ck_assert(has_column(type, m.items[k].name));
			ck_assert(!m.items[k].least ||
				  has_column(type, m.items[k].least));
		}
		for (kind = SUBJECT_NONE + 1; kind < SUBJECT_NR; kind++) {
			if (analysis->rows >> kind & 1)
				ck_assert_uint_eq(
					nr_columns(type, subjects_word(kind), kind), 1);
		}
	}
}
END_TEST

Suite *test_registry_suite(void);

Suite *test_registry_suite(void)
{
	Suite *s = suite_create("analysis/registry");
	TCase *tc = tcase_create("registry");

	tcase_add_test(tc, test_analyses);
	tcase_add_test(tc, test_columns);
	tcase_add_test(tc, test_metrics);
	suite_add_tcase(s, tc);
	return s;
}

// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * tests: query/store.h and query/ask.h: rows, and what SQL may and may not do. Without SQLite: the
 * message that says so.
 */
#include <check.h>
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "query/ask.h"
#include "query/schema.h"
#include "query/store.h"

Suite *test_query_store_suite(void);

START_TEST(versions)
{
	uint64_t v;

	ck_assert(query_kernel_version("6.12.9-amd64", 12, &v));
	ck_assert_uint_eq(v, UINT64_C(60001200009));
	ck_assert(query_kernel_version("6.1", 3, &v));
	ck_assert_uint_eq(v, UINT64_C(60000100000));
	ck_assert(query_kernel_version("5+", 2, &v));
	ck_assert_uint_eq(v, UINT64_C(50000000000));
	/* Uses only the given number of bytes. */
	ck_assert(query_kernel_version("6.12", 3, &v));
	ck_assert_uint_eq(v, UINT64_C(60000100000));
	ck_assert(query_kernel_version("6.99999999999999999999.1", 24, &v));
	ck_assert_uint_eq(v, UINT64_C(69999900001));
	ck_assert(!query_kernel_version("", 0, &v));
	ck_assert(!query_kernel_version("v6", 2, &v));
	ck_assert(!query_kernel_version(".1", 2, &v));
}
END_TEST

START_TEST(names)
{
	const struct query_named *q;
	size_t i;

	for (i = 0; (q = query_named_at(i)); i++) {
		ck_assert_ptr_eq(query_named_find(q->name), q);
		ck_assert_int_eq(q->name[strcspn(q->name, " \t\n(;")], '\0');
	}
	ck_assert_uint_ge(i, 5);
	ck_assert_ptr_null(query_named_find("no such"));
}
END_TEST

START_TEST(units)
{
	ck_assert_int_eq(query_unit("bytes"), UNIT_BYTES);
	ck_assert_int_eq(query_unit("bytes_per_hit"), UNIT_BYTES);
	ck_assert_int_eq(query_unit("duration_ns"), UNIT_NS);
	ck_assert_int_eq(query_unit("max_ns"), UNIT_NS);
	ck_assert_int_eq(query_unit("_ns"), UNIT_NONE);
	ck_assert_int_eq(query_unit("lost"), UNIT_COUNT);
	ck_assert_int_eq(query_unit("nr_rows"), UNIT_COUNT);
	ck_assert_int_eq(query_unit("count(*)"), UNIT_NONE);
}
END_TEST

#ifdef HAVE_SQLITE
static void set_text(struct query_row *row, unsigned int field, const char *text)
{
	row->of[field] = (struct export_value){ .text = text,
						.size = strlen(text),
						.known = true };
}

static struct query_row row_of(const char *id, const char *allocator,
			       const char *callsite, uint64_t bytes)
{
	struct query_row row = { 0 };

	set_text(&row, FIELD_RECORDING_ID, id);
	set_text(&row, FIELD_HOST, "web");
	set_text(&row, FIELD_LABELS, "{}");
	set_text(&row, FIELD_ALLOCATOR, allocator);
	set_text(&row, FIELD_CALLSITE, callsite);
	set_text(&row, FIELD_STACK, callsite);
	set_text(&row, FIELD_STACK_ID, "0");
	row.of[FIELD_FIRST_METRIC + EXPORT_BYTES] =
		(struct export_value){ .number = bytes, .known = true };
	return row;
}

static void add(struct query_store *s, const char *id, const char *allocator,
		uint64_t bytes)
{
	struct query_row row = row_of(id, allocator, "f", bytes);

	ck_assert_int_eq(query_store_add(s, &row), 0);
}

static struct query_store *opened(void)
{
	struct query_store *s;

	ck_assert_int_eq(query_store_open(&s, NULL, 0), 0);
	ck_assert_int_eq(query_store_file(s, "one", NULL), 0);
	return s;
}

static struct query_store *filled(void)
{
	struct query_store *s = opened();

	add(s, "1", "slab", 10);
	add(s, "1", "page", 20);
	add(s, "2", "slab", INT64_MAX);
	ck_assert_int_eq(query_store_seal(s), 0);
	return s;
}

static struct table *ask(struct query_store *s, const char *sql,
			 struct query_failure *why)
{
	const struct query_ask q = { .sql = sql, .title = "Result" };

	return query_ask(s, &q, why);
}

static void expect_problem(const char *sql, enum query_problem problem, int offset)
{
	struct query_store *s = filled();
	struct query_failure why = { 0 };

	ck_assert_msg(!ask(s, sql, &why), "%s", sql);
	ck_assert_msg(why.problem == problem, "%s: %d %s", sql, why.problem,
		      strbuf_text(&why.text));
	ck_assert_int_eq(why.offset, offset);
	strbuf_free(&why.text);
	query_store_free(s);
}

START_TEST(totals)
{
	struct query_store *s = opened();
	const struct query_totals *t = query_store_totals(s);
	struct query_row lossy = row_of("3", "slab", "g", UINT64_MAX);
	struct query_row sampled = row_of("4", "slab", "g", 1);

	add(s, "1", "slab", 10);
	add(s, "1", "slab", 11);
	ck_assert_int_eq(query_store_file(s, "two", NULL), 0);
	add(s, "1", "slab", 10);
	add(s, "1", "page", 10); /* another file may have the other half */
	lossy.of[12] = (struct export_value){ .number = 1, .known = true };
	ck_assert_str_eq(export_fields[12].name, "gaps");
	ck_assert_int_eq(query_store_add(s, &lossy), 0);
	set_text(&sampled, 21, "1/4 phase=0");
	ck_assert_str_eq(export_fields[21].name, "sample");
	ck_assert_int_eq(query_store_add(s, &sampled), 0);
	ck_assert_int_eq(query_store_seal(s), 0);
	ck_assert_uint_eq(t->rows, 5);
	ck_assert_uint_eq(t->repeated, 1);
	ck_assert_uint_eq(t->recordings, 3);
	ck_assert_uint_eq(t->hosts, 1);
	ck_assert_uint_eq(t->untrusted, 1);
	ck_assert_uint_eq(t->partial, 1);
	ck_assert_uint_eq(t->large, 1);
	query_store_free(s);
}
END_TEST

START_TEST(cells)
{
	struct query_store *s = filled();
	struct query_failure why = { 0 };
	struct table *t = ask(
		s,
		"SELECT max(bytes), -max(bytes) - 1, NULL, 0.5, 'a', x'00', char(0), 1 AS b, 2 AS b, 3 AS \"\""
		" FROM allocations",
		&why);

	ck_assert_ptr_nonnull(t);
	ck_assert_uint_eq(t->nr_rows, 1);
	ck_assert_uint_eq(t->nr_columns, 10);
	ck_assert_int_eq(t->cells[0].type, CELL_UINT);
	ck_assert_uint_eq(t->cells[0].u, INT64_MAX);
	ck_assert_int_eq(t->cells[1].type, CELL_INT);
	ck_assert_int_eq(t->cells[1].i, INT64_MIN);
	ck_assert_int_eq(t->cells[2].type, CELL_NONE);
	ck_assert_int_eq(t->cells[3].type, CELL_REAL);
	ck_assert_str_eq(t->cells[4].s, "a");
	ck_assert_str_eq(t->cells[5].s, "X'00'");
	ck_assert_str_eq(t->cells[6].s, "\\x00");
	ck_assert_str_eq(t->columns[7].name, "b");
	ck_assert_str_eq(t->columns[8].name, "b_2");
	ck_assert_str_eq(t->columns[9].name, "column_10");
	table_free(t);
	query_store_free(s);
}
END_TEST

/* A recording has its balance once, whichever of its rows contains it. */
START_TEST(balances)
{
	struct query_store *s = opened();
	struct query_row rows[] = { row_of("1", "slab", "a", 1),
				    row_of("1", "slab", "b", 2),
				    row_of("2", "slab", "a", 3),
				    row_of("1", "page", "a", 4) };
	struct query_failure why = { 0 };
	struct table *t;

	set_text(&rows[1], FIELD_BALANCE, "{}");
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		ck_assert_int_eq(query_store_add(s, &rows[i]), 0);
	ck_assert_int_eq(query_store_seal(s), 0);
	t = ask(s, "SELECT balance, nr_rows FROM recordings ORDER BY recording_id", &why);
	ck_assert_ptr_nonnull(t);
	ck_assert_uint_eq(t->nr_rows, 2);
	ck_assert_str_eq(t->cells[0].s, "{}");
	ck_assert_uint_eq(t->cells[1].u, 3);
	ck_assert_int_eq(t->cells[2].type, CELL_NONE);
	table_free(t);
	query_store_free(s);
}
END_TEST

/* Every column of the schema is a column of a table, and vice versa. */
START_TEST(columns)
{
	struct query_store *s = filled();
	struct query_failure why = { 0 };
	struct table *rows = ask(s, "SELECT * FROM allocations", &why);
	struct table *recordings = ask(s, "SELECT * FROM recordings", &why);
	struct table *sums[] = { ask(s, "SELECT * FROM sites", &why),
				 ask(s, "SELECT * FROM chains", &why),
				 ask(s, "SELECT * FROM tasks", &why) };
	static const char *const sums_names[] = { "sites", "chains", "tasks" };
	struct table *schema = query_schema_table();
	const char *name;
	size_t i;

	ck_assert_ptr_nonnull(rows);
	ck_assert_ptr_nonnull(recordings);
	ck_assert_ptr_nonnull(schema);
	ck_assert_uint_eq(rows->nr_rows, 3);
	ck_assert_uint_eq(recordings->nr_rows, 2);
	ck_assert_uint_eq(rows->nr_columns, EXPORT_FIELDS - 1); /* no balance */
	for (i = 0; (name = query_column(i)); i++) {
		const char *tables = schema->cells[i * schema->nr_columns + 3].s;

		ck_assert_int_eq(table_column(rows, name) >= 0,
				 strstr(tables, "allocations") != NULL);
		ck_assert_int_eq(table_column(recordings, name) >= 0,
				 strstr(tables, "recordings") != NULL);
		for (size_t k = 0; k < ARRAY_SIZE(sums) && i < EXPORT_FIELDS; k++)
			ck_assert_int_eq(table_column(sums[k], name) >= 0,
					 strstr(tables, sums_names[k]) != NULL);
	}
	for (size_t k = 0; k < ARRAY_SIZE(sums); k++) {
		ck_assert_uint_eq(sums[k]->nr_rows, 3);
		ck_assert_int_ge(table_column(sums[k], "run_id"), 0);
		table_free(sums[k]);
	}
	ck_assert_uint_eq(schema->nr_rows, i);
	ck_assert_uint_eq(recordings->nr_columns, EXPORT_FIELDS_SAME + 6);
	table_free(rows);
	table_free(recordings);
	table_free(schema);
	query_store_free(s);
}
END_TEST

START_TEST(problems)
{
	expect_problem("", QUERY_EMPTY, -1);
	expect_problem(" -- x", QUERY_EMPTY, -1);
	expect_problem("SELECT 1; SELECT 2", QUERY_SEVERAL, 10);
	expect_problem("SELECT 1; x", QUERY_SEVERAL, 10);
	expect_problem("DELETE FROM _row", QUERY_WRITES, -1);
	expect_problem("PRAGMA user_version", QUERY_WRITES, -1);
	expect_problem("ATTACH ':memory:' AS x", QUERY_WRITES, -1);
	expect_problem("SELECT :a", QUERY_UNSET, -1);
	expect_problem("SELECT ?", QUERY_UNSET, -1);
	expect_problem("SELECT x", QUERY_SQL, 7);
	expect_problem("SELECT sum(bytes) FROM allocations", QUERY_SQL, -1);
}
END_TEST

static bool at_once(void *ctx)
{
	++*(int *)ctx;
	return true;
}

START_TEST(bounds)
{
	static const char endless[] =
		"WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT x FROM c";
	struct query_store *s = filled();
	struct query_failure why = { 0 };
	int asked = 0;
	struct query_ask q = { .sql = endless, .title = "R", .memory = 1 << 20 };

	ck_assert_ptr_null(query_ask(s, &q, &why));
	ck_assert_int_eq(why.problem, QUERY_LARGE);
	q.memory = 0;
	q.stop = at_once;
	q.ctx = &asked;
	ck_assert_ptr_null(query_ask(s, &q, &why));
	ck_assert_int_eq(why.problem, QUERY_STOPPED);
	ck_assert_int_eq(asked, 1);
	strbuf_free(&why.text);
	query_store_free(s);
}
END_TEST

START_TEST(parameters)
{
	const struct query_setting set[] = { { "a", "12" }, { "b", "'); --" } };
	struct query_store *s = filled();
	struct query_failure why = { 0 };
	struct query_ask q = { .sql = "SELECT :a + 1, $b",
			       .title = "R",
			       .settings = set,
			       .nr_settings = 2 };
	struct table *t = query_ask(s, &q, &why);

	ck_assert_ptr_nonnull(t);
	ck_assert_uint_eq(t->cells[0].u, 13);
	ck_assert_str_eq(t->cells[1].s, "'); --");
	table_free(t);
	q.sql = "SELECT :a";
	ck_assert_ptr_null(query_ask(s, &q, &why));
	ck_assert_int_eq(why.problem, QUERY_UNUSED);
	ck_assert_str_eq(strbuf_text(&why.text), "b");
	strbuf_free(&why.text);
	query_store_free(s);
}
END_TEST

/* Every named query runs on any rows, and without rows. */
START_TEST(named)
{
	const struct query_named *q;
	size_t i;

	for (i = 0; (q = query_named_at(i)); i++) {
		const struct query_setting set = { q->needs ? q->needs : "", "6.1" };
		const struct query_ask question = { .sql = q->sql,
						    .title = q->title,
						    .settings = &set,
						    .nr_settings = q->needs ? 1 : 0 };
		struct query_store *s = opened();
		struct query_failure why = { 0 };
		struct table *t;

		if (i % 2) {
			add(s, "1", "slab", 10);
			add(s, "2", "slab", 20);
		}
		ck_assert_int_eq(query_store_seal(s), 0);
		t = query_ask(s, &question, &why);
		ck_assert_msg(t != NULL, "%s: %s", q->name, strbuf_text(&why.text));
		table_free(t);
		query_store_free(s);
	}
}
END_TEST

START_TEST(memory)
{
	struct query_store *s;
	struct query_row row = row_of("1", "slab", "f", 1);
	char text[100000];
	int i, ret = 0;

	memset(text, 'x', sizeof(text));
	row.of[FIELD_STACK] = (struct export_value){ .text = text,
						     .size = sizeof(text),
						     .known = true };
	ck_assert_int_eq(query_store_open(&s, NULL, 4 << 20), 0);
	ck_assert_int_eq(query_store_file(s, "one", NULL), 0);
	for (i = 0; i < 1000 && !ret; i++) {
		text[i] = 'y';
		ret = query_store_add(s, &row);
	}
	ck_assert_int_eq(ret, -ENOMEM);
	ck_assert_int_gt(i, 10);
	query_store_free(s);
	/* Removes the limit, which applies to the whole process. */
	ck_assert_int_eq(query_store_open(&s, NULL, 0), 0);
	query_store_free(s);
}
END_TEST

/* A file that could not be read is stored with an unknown content, which equals no other. */
START_TEST(changed_files)
{
	struct query_file_id id = { .path = "/a", .size = 5, .mtime_ns = 1, .how = 2 };
	char path[] = "/tmp/kmemx-store.XXXXXX";
	struct query_store *s;

	ck_assert_int_eq(close(mkstemp(path)), 0);
	ck_assert_int_eq(query_store_open(&s, path, 0), 0);
	ck_assert_int_eq(query_store_file(s, "a", &id), 0);
	ck_assert_int_eq(query_store_unreadable(s, "Input/output error"), 0);
	ck_assert_int_eq(query_store_known(s, &id), 1);
	id.mtime_ns = 2;
	ck_assert_int_eq(query_store_known(s, &id), 0);
	id.content = 7;
	ck_assert_int_eq(query_store_known(s, &id), 0);
	ck_assert_int_eq(query_store_file(s, "a", &id), 0);
	ck_assert_int_eq(query_store_file(s, "b", NULL), 0);
	id.mtime_ns = 3;
	ck_assert_int_eq(query_store_known(s, &id), 1);
	query_store_free(s);
	ck_assert_int_eq(unlink(path), 0);
}
END_TEST

static void add_sqlite(TCase *tc)
{
	tcase_add_test(tc, changed_files);
	tcase_add_test(tc, totals);
	tcase_add_test(tc, cells);
	tcase_add_test(tc, balances);
	tcase_add_test(tc, columns);
	tcase_add_test(tc, problems);
	tcase_add_test(tc, bounds);
	tcase_add_test(tc, parameters);
	tcase_add_test(tc, named);
	tcase_add_test(tc, memory);
}
#else
static void add_sqlite(TCase *tc)
{
}
#endif

Suite *test_query_store_suite(void)
{
	Suite *s = suite_create("query/store");
	TCase *tc = tcase_create("core");

	tcase_add_test(tc, versions);
	tcase_add_test(tc, names);
	tcase_add_test(tc, units);
	add_sqlite(tc);
	suite_add_tcase(s, tc);
	return s;
}

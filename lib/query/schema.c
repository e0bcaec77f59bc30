// SPDX-License-Identifier: GPL-2.0-or-later
#include "query/schema.h"

#include "export/fields.h"

/* The built-in queries, which make turns into texts. */
#include "architectures.sql.inc"
#include "balance.sql.inc"
#include "coverage.sql.inc"
#include "culprits.sql.inc"
#include "growing.sql.inc"
#include "leaks.sql.inc"
#include "new-stacks.sql.inc"
#include "outliers.sql.inc"
#include "regressions.sql.inc"
#include "top-callsites.sql.inc"
#include "untrusted.sql.inc"
#include "who-grew.sql.inc"

/* Additional columns of "recordings". */
static const struct export_field more[] = {
	{ "nr_rows", "its rows in allocations", UNIT_COUNT, true },
	{ "file", "the file with these rows" },
	{ "is_trusted", "1: nothing is missing, so its rows are in the view trusted",
	  UNIT_COUNT, true },
	{ "factor", "one in how many objects it has; NULL: it is not trusted", UNIT_COUNT,
	  true },
	{ "run_id", "its number in this database, also in sites, chains and tasks",
	  UNIT_COUNT, true },
};

static const struct export_field *column_at(size_t i)
{
	if (i < EXPORT_FIELDS)
		return &export_fields[i];
	return i < EXPORT_FIELDS + ARRAY_SIZE(more) ? &more[i - EXPORT_FIELDS] : NULL;
}

const char *query_column(size_t i)
{
	return column_at(i) ? column_at(i)->name : NULL;
}

enum column_unit query_unit(const char *name)
{
	/* Columns of results, for example of the built-in queries. */
	static const char *const counts[] = { "hosts", "recordings" };
	const struct export_field *column;

	if (!strncmp(name, "bytes", strlen("bytes")))
		return UNIT_BYTES;
	if (strlen(name) > strlen("_ns") && text_ends(name, "_ns"))
		return UNIT_NS;
	for (size_t i = 0; (column = column_at(i)); i++) {
		if (!strcmp(column->name, name))
			return column->unit;
	}
	return ANY(i, ARRAY_SIZE(counts), !strcmp(counts[i], name)) ? UNIT_COUNT
								    : UNIT_NONE;
}

/* The unit as a word; NULL for texts, counts and plain numbers. */
static const char *unit_word(enum column_unit unit)
{
	return unit == UNIT_BYTES ? "bytes" : unit == UNIT_NS ? "ns" : NULL;
}

/* The tables with column @i. */
static const char *tables_of(size_t i)
{
	if (i >= EXPORT_FIELDS)
		return "recordings";
	if (i < EXPORT_FIELDS_SAME)
		return "allocations, sites, chains, tasks, recordings";
	if (i == FIELD_BALANCE)
		return "recordings";
	if (i == FIELD_ALLOCATOR || i >= FIELD_FIRST_METRIC)
		return "allocations, sites, chains, tasks";
	if (i == FIELD_CALLSITE)
		return "allocations, sites, chains";
	if (i < FIELD_COMM)
		return "allocations, chains";
	return i < FIELD_CACHE ? "allocations, tasks" : "allocations";
}

struct table *query_schema_table(void)
{
	struct table *t = table_new("schema", "Columns of the tables");
	const struct export_field *c;

	if (!t)
		return NULL;
	TABLE_COLUMNS(t, { .name = "column" }, { .name = "type" }, { .name = "unit" },
		      { .name = "tables", .drop = 1 },
		      { .name = "meaning", .last = true, .words = true });
	table_set_by(t, "column");
	for (size_t i = 0; (c = column_at(i)); i++)
		TABLE_ROW(t, cell_text(t, c->name),
			  cell_text(t, c->number ? "INTEGER" : "TEXT"),
			  cell_text(t, unit_word(c->unit)), cell_text(t, tables_of(i)),
			  cell_text(t, c->help));
	table_add_note(
		t,
		"The table files has a row for each file: file, size, mtime_unix, repeated (rows left out), and problem if it cannot be read.");
	table_add_note(
		t,
		"kernel_version(TEXT) turns a kernel release into a number that can be compared: kernel_version(kernel) >= kernel_version('6.1').");
	if (table_ok(t))
		return t;
	table_free(t);
	return NULL;
}

/* --- built-in queries ---------------------------------------------------------------- */

static const struct query_named all[] = {
	{ "top-callsites", "Callsites of all hosts", NULL, top_callsites_sql },
	{ "new-stacks", "Callchains that are in no older kernel", "kernel",
	  new_stacks_sql },
	{ "growing", "Callsites that hold more and more memory on a host", NULL,
	  growing_sql },
	{ "architectures", "Callsites found on several architectures", NULL,
	  architectures_sql },
	{ "regressions", "Callsites that changed, beyond chance", "since",
	  regressions_sql, true },
	{ "outliers", "Hosts that use a callsite far more than others", NULL,
	  outliers_sql, true },
	{ "leaks", "Callsites that grow on several hosts, beyond chance", NULL, leaks_sql,
	  true },
	{ "who-grew", "Containers and programs that hold more and more pages", NULL,
	  who_grew_sql, true },
	{ "balance", "What all memory of the hosts is used for, and how it changed", NULL,
	  balance_sql },
	{ "culprits", "Callsites that are in no older kernel", "kernel", culprits_sql,
	  true },
	{ "coverage", "Hosts and days that are missing, files that cannot be read", NULL,
	  coverage_sql },
	{ "untrusted", "Recordings that lost events or were cut short", NULL,
	  untrusted_sql },
};

const struct query_named *query_named_at(size_t i)
{
	return i < ARRAY_SIZE(all) ? &all[i] : NULL;
}

const struct query_named *query_named_find(const char *name)
{
	return FIND(one, all, ARRAY_SIZE(all), !strcmp(one->name, name));
}

// SPDX-License-Identifier: GPL-2.0-or-later
#include "query/schema.h"

#include "export/fields.h"

#define RECORDINGS_MORE 5

/* Descriptions of the columns, in the order of export_fields. */
static const struct {
	const char *help;
	enum column_unit unit;
} about[EXPORT_FIELDS] = {
	{ "16 hex digits; copies of a recording have the same", UNIT_NONE },
	{ "the machine's name", UNIT_NONE },
	{ "its architecture: x86_64", UNIT_NONE },
	{ "the kernel's release", UNIT_NONE },
	{ "the kernel's build ID", UNIT_NONE },
	{ "the day (UTC) when recording began: 2026-11-22", UNIT_NONE },
	{ "when recording began, in seconds since 1970", UNIT_NONE },
	{ "how long it recorded", UNIT_NS },
	{ "size of a page", UNIT_BYTES },
	{ "the machine's CPUs", UNIT_COUNT },
	{ "events", UNIT_COUNT },
	{ "events lost, as far as they were counted", UNIT_COUNT },
	{ "gaps where events were lost", UNIT_COUNT },
	{ "gaps with an unknown number of lost events", UNIT_COUNT },
	{ "further lost events in the ring buffer's statistics", UNIT_COUNT },
	{ "events left in the ring buffers when recording was cut short", UNIT_COUNT },
	{ "unreadable sub-buffers", UNIT_COUNT },
	{ "why the recording was cut short; NULL: it was not", UNIT_NONE },
	{ "part: only some tasks or events were recorded; NULL: all", UNIT_NONE },
	{ "if only some tasks were recorded: whether all frees were", UNIT_NONE },
	{ "what it was made from; NULL: it was recorded", UNIT_NONE },
	{ "one in how many objects it has, as 1/16 ...; NULL: all", UNIT_NONE },
	{ "filters that were set when the rows were written", UNIT_NONE },
	{ "a JSON object of record --label", UNIT_NONE },
	{ "a JSON object of kmemx balance's lines: \"free\":[before,after], in bytes",
	  UNIT_NONE },
	{ "slab, page, vmalloc or percpu; all lie in pages, so do not add them up",
	  UNIT_NONE },
	{ "the function that allocated, with [module]", UNIT_NONE },
	{ "its module; NULL: the kernel's own", UNIT_NONE },
	{ "the callsite and its callers, innermost first, separated by semicolons",
	  UNIT_NONE },
	{ "16 hex digits: a hash of stack, the same on all machines", UNIT_NONE },
	{ "how the kernel was entered: a system call, a page fault, an interrupt",
	  UNIT_NONE },
	{ "the task's name", UNIT_NONE },
	{ "the name of its process; NULL: not recorded", UNIT_NONE },
	{ "the process's control group; NULL: not recorded", UNIT_NONE },
	{ "for slab objects: the cache", UNIT_NONE },
	{ "for pages: the order of the block; must be quoted in SQL", UNIT_NONE },
	{ "for pages: the migratetype", UNIT_NONE },
	{ "for pages: the GFP flags", UNIT_NONE },
	{ "allocations", UNIT_COUNT },
	{ "bytes allocated", UNIT_BYTES },
	{ "allocations not (or only partly) seen freed", UNIT_COUNT },
	{ "bytes not seen freed at the end", UNIT_BYTES },
	{ "bytes live at the recording's peak", UNIT_BYTES },
	{ "for slab objects: bytes requested", UNIT_BYTES },
	{ "bytes that must be live at the end; of a sample: the least, 95 % sure",
	  UNIT_BYTES },
	{ "bytes that can be live at the end; of a sample: the most, 95 % sure",
	  UNIT_BYTES },
	{ "the best estimate of the bytes live at the end", UNIT_BYTES },
	{ "of the bytes, those charged to the control group; NULL: not known",
	  UNIT_BYTES },
};

/* Additional columns of "recordings". */
static const struct {
	const char *name, *help;
	enum column_unit unit;
} more[RECORDINGS_MORE] = {
	{ "nr_rows", "its rows in allocations", UNIT_COUNT },
	{ "file", "the file with these rows", UNIT_NONE },
	{ "is_trusted", "1: nothing is missing, so its rows are in the view trusted",
	  UNIT_COUNT },
	{ "factor", "one in how many objects it has; NULL: it is not trusted",
	  UNIT_COUNT },
	{ "run_id", "its number in this database, also in sites, chains and tasks",
	  UNIT_COUNT },
};

const char *query_column(size_t i)
{
	if (i < EXPORT_FIELDS)
		return export_fields[i].name;
	return i < EXPORT_FIELDS + RECORDINGS_MORE ? more[i - EXPORT_FIELDS].name : NULL;
}

enum column_unit query_unit(const char *name)
{
	/* Columns of results, for example of the built-in queries. */
	static const char *const counts[] = { "hosts", "recordings" };
	size_t size = strlen(name), i;

	if (!strncmp(name, "bytes", strlen("bytes")))
		return UNIT_BYTES;
	if (size > strlen("_ns") && !strcmp(name + size - strlen("_ns"), "_ns"))
		return UNIT_NS;
	i = export_field_find(name, size, 0);
	if (i < EXPORT_FIELDS)
		return about[i].unit;
	for (i = 0; i < RECORDINGS_MORE; i++) {
		if (!strcmp(more[i].name, name))
			return more[i].unit;
	}
	for (i = 0; i < ARRAY_SIZE(counts); i++) {
		if (!strcmp(counts[i], name))
			return UNIT_COUNT;
	}
	return UNIT_NONE;
}

/* The unit for readers: none for texts and plain numbers. */
static const char *unit_word(enum column_unit unit)
{
	return unit == UNIT_BYTES ? "bytes" : unit == UNIT_NS ? "ns" : NULL;
}

static void add_row(struct table *t, const char *name, const char *tables, size_t field)
{
	bool is_more = field >= EXPORT_FIELDS;
	bool number = is_more ? more[field - EXPORT_FIELDS].unit == UNIT_COUNT
			      : export_fields[field].number;
	struct cell *cells = table_add_row(t);

	if (!cells)
		return;
	cells[0] = cell_text(t, name);
	cells[1] = cell_text(t, number ? "INTEGER" : "TEXT");
	cells[2] = cell_text(t, unit_word(is_more ? more[field - EXPORT_FIELDS].unit
						  : about[field].unit));
	cells[3] = cell_text(t, tables);
	cells[4] = cell_text(t, is_more ? more[field - EXPORT_FIELDS].help
					: about[field].help);
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
	static const struct column columns[] = {
		{ .name = "column" },
		{ .name = "type" },
		{ .name = "unit" },
		{ .name = "tables", .leaves = 1 },
		{ .name = "meaning", .last = true, .words = true },
	};
	struct table *t = table_new("schema", "Columns of the tables");
	const char *name;

	if (!t)
		return NULL;
	table_add_columns(t, columns, ARRAY_SIZE(columns));
	table_set_by(t, "column");
	for (size_t i = 0; (name = query_column(i)); i++)
		add_row(t, name, tables_of(i), i);
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

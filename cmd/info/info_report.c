// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * cmd (info): a recording as a report.
 * In: struct info. Out: properties, facts and tables.
 */

#include "cmd/info/info.h"
#include "recording/probe_list.h"
#include "report/json_layout.h"

/* Gaps listed without -v. */
#define SHORT_LIST 10

/* Documentation/json.md describes it. */
static const struct json_item layout[] = {
	{ JSON_FACT, "file" },
	{ JSON_FACT, "kernel" },
	{ JSON_FACT, "machine" },
	{ JSON_FACT, "host" },
	{ JSON_FACT, "started" },
	{ JSON_FACT, "command" },
	{ JSON_FACT, "endian" },
	{ JSON_FACT, "long_size" },
	{ JSON_FACT, "page_size" },
	{ JSON_FACT, "kernel_page_size" },
	{ JSON_FACT, "nr_cpus" },
	{ JSON_FACT, "clock" },
	{ JSON_FACT, "duration_ns" },
	{ JSON_FACT, "span" },
	{ JSON_FACT, "scope" },
	{ JSON_FACT, "frees" },
	{ JSON_FACT, "first_ts" },
	{ JSON_FACT, "last_ts" },
	{ JSON_FACT, "nr_events" },
	{ JSON_FACT, "events_without_format" },
	{ JSON_FACT, "lost" },
	{ JSON_FACT, "gaps" },
	{ JSON_FACT, "unknown_gaps" },
	{ JSON_FACT, "dropped" },
	{ JSON_FACT, "truncated" },
	{ JSON_FACT, "missing" },
	{ JSON_FACT, "undecodable" },
	{ JSON_FACT, "damaged_parts" },
	{ JSON_FACT, "bad_pages" },
	{ JSON_FACT, "stacks_unclaimed" },
	{ JSON_FACT, "clock_backwards" },
	{ JSON_FACT, "impossible_times" },
	{ JSON_FACT, "file_version" },
	{ JSON_FACT, "compression" },
	{ JSON_FACT, "writer" },
	{ JSON_FACT, "bytes" },
	{ JSON_FACT, "curve_moments" },
	{ JSON_FACT, "curve_counters" },
	{ JSON_FACT, "curve_first_ts" },
	{ JSON_FACT, "curve_last_ts" },
	{ JSON_FACT, "imported" },
	{ JSON_FACT, "flight" },
	{ JSON_FACT, "sample" },
	{ JSON_FACT, "stack_sample" },
	{ JSON_FACT, "stacks_known" },
	{ JSON_FACT, "stacks_attributed" },
	{ JSON_FACT, "stacks_unknown" },
	{ JSON_FACT, "scale" },
	{ JSON_TEXTS, "import_notes" },
	{ JSON_MAP, "events" },
	{ JSON_ROWS, "gap_list" },
	{ JSON_ROWS, "cpus" },
	{ JSON_ROWS, "buffers" },
	{ JSON_ROWS, "probes" },
	{ JSON_TEXTS_LINE, "meta" },
	{ JSON_FACT, NULL },
};

struct table *info_add_table(struct report *r, const char *name, const char *title,
			     const struct column *columns, size_t nr)
{
	struct table *t = table_new(name, title);

	if (!report_add_table(r, t))
		return NULL;
	t->hidden = !title;
	table_add_columns(t, columns, nr);
	return t;
}

static struct cell *add_row(struct table *t)
{
	return t ? table_add_row(t) : NULL;
}

static void add_events(struct report *r, const struct info *info)
{
	const struct column columns[] = {
		{ .name = "event", .title = "Event", .last = true },
		{ .name = "count", .title = "Count", .unit = UNIT_COUNT },
	};
	struct table *t = info_add_table(r, "events", "Events by type", columns,
					 ARRAY_SIZE(columns));
	struct cell *row;

	if (t)
		table_set_by(t, "event");
	for (size_t i = 0; i < info->nr_events && (row = add_row(t)); i++) {
		row[0] = cell_text(t, info->events[i].name);
		row[1] = cell_uint(info->events[i].count);
	}
}

/* The unit of the gaps' times; none if the clock of one of them does not count ns. */
static enum column_unit gap_unit(const struct info *info)
{
	for (size_t i = 0; i < info->nr_gaps; i++) {
		if (!recording_clock_is_ns(
			    recording_clock(info->rec, info->gaps[i].buffer)))
			return UNIT_NONE;
	}
	return UNIT_MOMENT;
}

static bool gaps_have_buffer(const struct info *info)
{
	for (size_t i = 0; i < info->nr_gaps; i++) {
		if (*info->rec->buffers[info->gaps[i].buffer].name)
			return true;
	}
	return false;
}

/* Adds the notes below the list of gaps. */
static void add_gap_notes(struct table *t, const struct info *info)
{
	bool at_start = false, unknown = false;
	uint64_t more = info->facts.nr_gaps - info->nr_gaps;

	t->text_rows = info->verbose ? 0 : SHORT_LIST;
	for (size_t i = 0; i < info->nr_gaps && (!t->text_rows || i < t->text_rows);
	     i++) {
		at_start |= !info->gaps[i].since_ts;
		unknown |= info->gaps[i].lost == KMEM_LOSS_UNKNOWN;
	}
	if (unknown)
		table_add_note(t, "Lost -: an unknown number of events");
	if (at_start)
		table_add_note(t, "From 0: lost before the first event of the CPU");
	if (t->text_rows && info->nr_gaps > t->text_rows)
		table_add_note(t, "-v lists all gaps.");
	else if (more)
		table_add_note(t, "%" PRIu64 " more gap%s counted, but not listed.", more,
			       more == 1 ? " is" : "s are");
}

static void add_gaps(struct report *r, const struct info *info)
{
	const enum column_unit unit = gap_unit(info);
	const struct column columns[] = {
		{ .name = "cpu", .title = "CPU" },
		{ .name = "buffer",
		  .title = "Buffer",
		  .hidden = !gaps_have_buffer(info) },
		{ .name = "since_ts", .title = "From", .unit = unit },
		{ .name = "ts", .title = "To", .unit = unit },
		{ .name = "lost", .title = "Lost", .unit = UNIT_COUNT },
	};
	struct table *t = info_add_table(r, "gap_list", info->nr_gaps ? "Gaps" : NULL,
					 columns, ARRAY_SIZE(columns));
	struct cell *row;

	for (size_t i = 0; i < info->nr_gaps && (row = add_row(t)); i++) {
		const struct info_gap *gap = &info->gaps[i];

		row[0] = cell_uint(gap->cpu);
		row[1] = cell_text(t, info->rec->buffers[gap->buffer].name);
		row[2] = cell_uint(gap->since_ts);
		row[3] = cell_uint(gap->ts);
		if (gap->lost != KMEM_LOSS_UNKNOWN)
			row[4] = cell_uint(gap->lost);
	}
	if (t)
		add_gap_notes(t, info);
}

static bool has_statistics(const struct info *info)
{
	for (size_t i = 0; i < info->nr_cpus; i++) {
		if (info->cpus[i].overrun || info->cpus[i].dropped)
			return true;
	}
	return false;
}

/* Overrun and dropped events are those the kernel counted while the buffer was full. Missing events
 * have no column in text, which says them in words.
 */
static void add_cpus(struct report *r, const struct info *info)
{
	const bool stats = has_statistics(info);
	const struct column columns[] = {
		{ .name = "cpu", .title = "CPU" },
		{ .name = "events", .title = "Events", .unit = UNIT_COUNT },
		{ .name = "bytes", .title = "Bytes", .unit = UNIT_BYTES, .leaves = 30 },
		{ .name = "lost", .title = "Lost", .unit = UNIT_COUNT },
		{ .name = "gaps", .title = "Gaps", .unit = UNIT_COUNT },
		{ .name = "unknown_gaps",
		  .title = "Unknown gaps",
		  .unit = UNIT_COUNT,
		  .hidden = !info->facts.nr_unknown_gaps,
		  .leaves = 20 },
		{ .name = "overrun",
		  .title = "Overrun",
		  .unit = UNIT_COUNT,
		  .hidden = !stats,
		  .leaves = 10 },
		{ .name = "dropped",
		  .title = "Dropped",
		  .unit = UNIT_COUNT,
		  .hidden = !stats,
		  .leaves = 10 },
		{ .name = "missing", .unit = UNIT_COUNT, .hidden = true },
	};
	struct table *t = info_add_table(r, "cpus", "CPUs", columns, ARRAY_SIZE(columns));
	struct cell *row;

	if (t)
		table_set_by(t, "cpu");
	for (size_t i = 0; i < info->nr_cpus && (row = add_row(t)); i++) {
		const struct info_cpu *c = &info->cpus[i];

		row[0] = cell_uint(c->cpu);
		row[1] = cell_uint(c->nr_events);
		row[2] = cell_uint(c->bytes);
		row[3] = cell_uint(c->nr_lost);
		row[4] = cell_uint(c->nr_gaps);
		row[5] = cell_uint(c->nr_unknown);
		row[6] = cell_uint(c->overrun);
		row[7] = cell_uint(c->dropped);
		row[8] = cell_uint(c->missing);
	}
}

static void add_buffers(struct report *r, const struct recording *rec)
{
	const struct column columns[] = {
		{ .name = "name" },
		{ .name = "clock" },
		{ .name = "page_size", .unit = UNIT_BYTES },
		{ .name = "nr_cpus", .unit = UNIT_COUNT },
		{ .name = "bytes", .unit = UNIT_BYTES },
	};
	struct table *t =
		info_add_table(r, "buffers", NULL, columns, ARRAY_SIZE(columns));
	struct cell *row;

	if (t)
		table_set_by(t, "name");
	for (uint32_t i = 0; i < rec->nr_buffers && (row = add_row(t)); i++) {
		row[0] = cell_text(t, rec->buffers[i].name);
		row[1] = cell_text(t, recording_clock(rec, i));
		row[2] = cell_uint(rec->buffers[i].page_size);
		row[3] = cell_uint(rec->buffers[i].nr_cpus);
		row[4] = cell_uint(info_buffer_bytes(&rec->buffers[i]));
	}
}

static void add_meta(struct report *r, const struct recording *rec)
{
	const struct column column = { .name = "item" };
	struct table *t = info_add_table(r, "meta", NULL, &column, 1);
	struct cell *row;

	for (size_t i = 0; i < rec->nr_meta && (row = add_row(t)); i++)
		row[0] = cell_text(t, rec->meta[i].name);
}

/* Adds the notes of an import; no rows if the recording was not imported. */
static struct table *add_import(struct report *r, const struct recording *rec)
{
	const struct recording_text *item = recording_meta(rec, RECORDING_META_IMPORT);
	const struct column column = { .name = "note" };
	struct table *t = info_add_table(r, "import_notes", NULL, &column, 1);
	const char *p = item ? item->text : "";
	struct cell *row;

	while (*p && (row = add_row(t))) {
		size_t len = strcspn(p, "\n");
		char note[512];

		snprintf(note, sizeof(note), "%.*s", (int)len, p);
		row[0] = cell_text(t, note);
		p += len + (p[len] == '\n');
	}
	return t;
}

/* The kernel's own counts while events were recorded; nothing if there are none. */
static void add_curve(struct report *r, const struct kernel_curve *c)
{
	if (!c->nr)
		return;
	report_add_fact(r, "curve_moments", cell_uint(c->nr));
	report_add_fact(r, "curve_counters", cell_uint(c->nr_series));
	report_add_fact(r, "curve_first_ts", cell_uint(c->times[0]));
	report_add_fact(r, "curve_last_ts", cell_uint(c->times[c->nr - 1]));
}

/* The dynamic probes that the recorder set or wanted to; nothing if it knows none. */
static void add_probes(struct report *r, const struct recording *rec)
{
	const struct recording_text *item = recording_meta(rec, RECORDING_META_PROBES);
	const struct column columns[] = {
		{ .name = "name" },
		{ .name = "function" },
		{ .name = "why" },
	};
	struct table *t =
		item ? info_add_table(r, "probes", NULL, columns, ARRAY_SIZE(columns))
		     : NULL;
	const char *text = item ? item->text : "";
	struct probe_line probe;
	struct cell *row;

	while (probe_list_next(&text, &probe) && (row = add_row(t))) {
		row[0] = cell_text(t, probe.name);
		row[1] = cell_text(t, probe.function);
		if (!probe.set)
			row[2] = cell_text(t, probe.why);
	}
}

struct report *info_report(const struct info *info)
{
	const struct recording *rec = info->rec;
	const char *writer = rec->writer_version;
	struct report *r = report_new();

	if (!r)
		return NULL;
	r->layout = layout;
	study_facts_add(&info->facts, r);
	report_add_fact(r, "events_without_format", cell_uint(info->nr_unnamed));
	report_add_fact(r, "file_version", cell_uint(rec->file_version));
	report_add_text_fact(r, "compression", info_compression(rec));
	report_add_text_fact(r, "writer", writer && *writer ? writer : NULL);
	report_add_fact(r, "bytes", cell_uint(rec->file_bytes));
	add_curve(r, &info->curve);
	add_events(r, info);
	add_gaps(r, info);
	add_cpus(r, info);
	add_buffers(r, rec);
	add_probes(r, rec);
	add_meta(r, rec);
	info_add_properties(r, info, add_import(r, rec));
	return r;
}

// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * cmd (info): a recording as a report.
 * In: struct info. Out: properties, facts and tables.
 */

#include "cmd/info/info.h"
#include "recording/recording.h"

/* Gaps listed without -v. */
#define SHORT_LIST 10

/* Documentation/json.md describes it. */
static const char *const facts[] = {
	/* the machine */
	"file", "kernel", "machine", "host", "started", "command", "endian", "long_size",
	"page_size", "kernel_page_size", "nr_cpus", "clock",
	/* which time, and which of its events */
	"duration_ns", "span", "scope", "frees", "first_ts", "last_ts", "nr_events",
	"events_without_format",
	/* what is missing or wrong */
	"lost", "gaps", "unknown_gaps", "dropped", "truncated", "missing", "undecodable",
	"damaged_parts", "bad_pages", "stacks_unclaimed", "clock_backwards",
	"impossible_times",
	/* the file */
	"file_version", "compression", "writer", "bytes", "curve_moments",
	"curve_counters", "curve_first_ts", "curve_last_ts", "imported", "flight",
	/* samples */
	"sample", "stack_sample", "stacks_known", "stacks_attributed", "stacks_unknown",
	"scale", NULL
};

static const struct json_layout layout = {
	facts,
	(const struct json_table[]){ { JSON_TEXTS, "import_notes" },
				     { JSON_MAP, "events" },
				     { JSON_ROWS, "gap_list" },
				     { JSON_ROWS, "cpus" },
				     { JSON_ROWS, "buffers" },
				     { JSON_ROWS, "probes" },
				     { JSON_TEXTS_LINE, "meta" },
				     { .name = NULL } },
};

struct table *info_add_table(struct report *r, const char *name, const char *title)
{
	struct table *t = table_new(name, title);

	if (!report_add_table(r, t))
		return &r->spare;
	t->hidden = !title;
	return t;
}

static void add_events(struct report *r, const struct info *info)
{
	struct table *t = info_add_table(r, "events", "Events by type");

	TABLE_COLUMNS(t, { .name = "event", .title = "Event", .last = true },
		      { .name = "count", .title = "Count", .unit = UNIT_COUNT });
	table_set_by(t, "event");
	for (size_t i = 0; i < info->events.nr; i++)
		TABLE_ROW(t, cell_text(t, info->events.of[i].name),
			  cell_uint(info->events.of[i].count));
}

/* The unit of the gaps' times; none if the clock of any gap does not count in ns. */
static enum column_unit gap_unit(const struct info *info)
{
	for (size_t i = 0; i < info->nr_gaps; i++) {
		if (!recording_clock_is_ns(
			    recording_clock(info->rec, info->gaps[i].buffer)))
			return UNIT_NONE;
	}
	return UNIT_MOMENT;
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
	table_note_if(t, unknown, "Lost -: an unknown number of events");
	table_note_if(t, at_start, "From 0: lost before the first event of the CPU");
	if (t->text_rows && info->nr_gaps > t->text_rows)
		table_add_note(t, "-v lists all gaps.");
	else if (more)
		table_add_note(t, "%" PRIu64 " more gap%s counted, but not listed.", more,
			       more == 1 ? " is" : "s are");
}

static void add_gaps(struct report *r, const struct info *info)
{
	const enum column_unit unit = gap_unit(info);
	const bool named =
		ANY(i, info->nr_gaps, *info->rec->buffers[info->gaps[i].buffer].name);
	struct table *t = info_add_table(r, "gap_list", info->nr_gaps ? "Gaps" : NULL);

	TABLE_COLUMNS(t, { .name = "cpu", .title = "CPU" },
		      { .name = "buffer", .title = "Buffer", .hidden = !named },
		      { .name = "since_ts", .title = "From", .unit = unit },
		      { .name = "ts", .title = "To", .unit = unit },
		      { .name = "lost", .title = "Lost", .unit = UNIT_COUNT });
	for_each(gap, info->gaps, info->nr_gaps) {
		TABLE_ROW(t, cell_uint(gap->cpu),
			  cell_text(t, info->rec->buffers[gap->buffer].name),
			  cell_uint(gap->since_ts), cell_uint(gap->ts),
			  gap->lost != KMEM_LOSS_UNKNOWN ? cell_uint(gap->lost)
							 : (struct cell){ 0 });
	}
	add_gap_notes(t, info);
}

/* Overrun and dropped events are those the kernel counted while the buffer was full. In text,
 * missing events have no column: a property states them.
 */
static void add_cpus(struct report *r, const struct info *info)
{
	const bool stats = ANY(i, info->cpus.nr,
			       info->cpus.of[i].overrun || info->cpus.of[i].dropped);
	struct table *t = info_add_table(r, "cpus", "CPUs");

	TABLE_COLUMNS(
		t, { .name = "cpu", .title = "CPU" },
		{ .name = "events", .title = "Events", .unit = UNIT_COUNT },
		{ .name = "bytes", .title = "Bytes", .unit = UNIT_BYTES, .drop = 30 },
		{ .name = "lost", .title = "Lost", .unit = UNIT_COUNT },
		{ .name = "gaps", .title = "Gaps", .unit = UNIT_COUNT },
		{ .name = "unknown_gaps",
		  .title = "Unknown gaps",
		  .unit = UNIT_COUNT,
		  .hidden = !info->facts.nr_unknown_gaps,
		  .drop = 20 },
		{ .name = "overrun",
		  .title = "Overrun",
		  .unit = UNIT_COUNT,
		  .hidden = !stats,
		  .drop = 10 },
		{ .name = "dropped",
		  .title = "Dropped",
		  .unit = UNIT_COUNT,
		  .hidden = !stats,
		  .drop = 10 },
		{ .name = "missing", .unit = UNIT_COUNT, .hidden = true });
	table_set_by(t, "cpu");
	for_each(c, info->cpus.of, info->cpus.nr) {
		TABLE_ROW(t, cell_uint(c->cpu), cell_uint(c->nr_events),
			  cell_uint(c->bytes), cell_uint(c->nr_lost),
			  cell_uint(c->nr_gaps), cell_uint(c->nr_unknown),
			  cell_uint(c->overrun), cell_uint(c->dropped),
			  cell_uint(c->missing));
	}
}

static void add_buffers(struct report *r, const struct recording *rec)
{
	struct table *t = info_add_table(r, "buffers", NULL);

	TABLE_COLUMNS(t, { .name = "name" }, { .name = "clock" },
		      { .name = "page_size", .unit = UNIT_BYTES },
		      { .name = "nr_cpus", .unit = UNIT_COUNT },
		      { .name = "bytes", .unit = UNIT_BYTES });
	table_set_by(t, "name");
	for (uint32_t i = 0; i < rec->nr_buffers; i++) {
		const struct recording_buffer *buf = &rec->buffers[i];

		TABLE_ROW(t, cell_text(t, buf->name),
			  cell_text(t, recording_clock(rec, i)),
			  cell_uint(buf->page_size), cell_uint(buf->nr_cpus),
			  cell_uint(info_buffer_bytes(buf)));
	}
}

static void add_meta(struct report *r, const struct recording *rec)
{
	struct table *t = info_add_table(r, "meta", NULL);

	TABLE_COLUMNS(t, { .name = "item" });
	for (size_t i = 0; i < rec->nr_meta; i++)
		TABLE_ROW(t, cell_text(t, rec->meta[i].name));
}

/* Adds the notes of an import; no rows if the recording was not imported. */
static struct table *add_import(struct report *r, const struct recording *rec)
{
	struct table *t = info_add_table(r, "import_notes", NULL);
	const char *p = recording_meta_text(rec, RECORDING_META_IMPORT);

	TABLE_COLUMNS(t, { .name = "note" });
	for (; *p; p = text_next_line(p)) {
		char note[512];

		snprintf(note, sizeof(note), "%.*s", (int)strcspn(p, "\n"), p);
		TABLE_ROW(t, cell_text(t, note));
	}
	return t;
}

/* Adds the kernel's own counts while events were recorded, if there are any. */
static void add_curve(struct report *r, const struct kernel_curve *c)
{
	if (!c->nr)
		return;
	report_add_fact(r, "curve_moments", cell_uint(c->nr));
	report_add_fact(r, "curve_counters", cell_uint(c->series.nr));
	report_add_fact(r, "curve_first_ts", cell_uint(c->times[0]));
	report_add_fact(r, "curve_last_ts", cell_uint(c->times[c->nr - 1]));
}

/* Adds the dynamic probes that the recorder set or tried to set, if there are any. */
static void add_probes(struct report *r, const struct recording *rec)
{
	const struct recording_text *item = recording_meta(rec, RECORDING_META_PROBES);
	const char *text = item ? item->text : "";
	struct probe_line probe;
	struct table *t;

	if (!item)
		return;
	t = info_add_table(r, "probes", NULL);
	TABLE_COLUMNS(t, { .name = "name" }, { .name = "function" }, { .name = "why" });
	while (probe_list_next(&text, &probe))
		TABLE_ROW(t, cell_text(t, probe.name), cell_text(t, probe.function),
			  cell_text(t, probe.set ? NULL : probe.why));
}

struct report *info_report(const struct info *info)
{
	const struct recording *rec = info->rec;
	const char *writer = rec->writer_version;
	struct report *r = report_new();

	if (!r)
		return NULL;
	r->layout = &layout;
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

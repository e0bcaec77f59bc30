// SPDX-License-Identifier: GPL-2.0-or-later
#include "export/export.h"

#include <stdarg.h>

#include "analysis/analysis.h"
#include "base/array.h"
#include "base/safe_text.h"
#include "export/fields.h"
#include "report/json.h"

_Static_assert(FIELD_FIRST_METRIC + EXPORT_METRICS == EXPORT_FIELDS, "all have a place");

const struct export_field export_fields[EXPORT_FIELDS] = {
	/* Facts of the recording. */
	{ "recording_id", "16 hex digits; copies of a recording have the same",
	  .always = true },
	{ "host", "the machine's name" },
	{ "machine", "its architecture: x86_64" },
	{ "kernel", "the kernel's release" },
	{ "build_id", "the kernel's build ID" },
	{ "day", "the day (UTC) when recording began: 2026-11-22" },
	{ "start_unix", "when recording began, in seconds since 1970", UNIT_NONE, true },
	{ "duration_ns", "how long it recorded", UNIT_NS, true },
	{ "kernel_page_size", "size of a page", UNIT_BYTES, true },
	{ "nr_cpus", "the machine's CPUs", UNIT_COUNT, true },
	{ "nr_events", "events", UNIT_COUNT, true },
	{ "lost", "events lost, as far as they were counted", UNIT_COUNT, true },
	{ "gaps", "gaps where events were lost", UNIT_COUNT, true },
	{ "unknown_gaps", "gaps with an unknown number of lost events", UNIT_COUNT,
	  true },
	{ "dropped", "further lost events in the ring buffer's statistics", UNIT_COUNT,
	  true },
	{ "missing", "events left in the ring buffers when recording was cut short",
	  UNIT_COUNT, true },
	{ "bad_pages", "unreadable sub-buffers", UNIT_COUNT, true },
	{ "truncated", "why the recording was cut short; NULL: it was not" },
	{ "scope", "part: only some tasks or events were recorded; NULL: all" },
	{ "frees", "if only some tasks were recorded: whether all frees were" },
	{ "imported", "what it was made from; NULL: it was recorded" },
	{ "sample", "one in how many objects it has, as 1/16 ...; NULL: all" },
	{ "filter", "filters that were set when the rows were written" },
	{ "labels", "a JSON object of record --label", .always = true },
	{ "balance",
	  "a JSON object of kmemx balance's lines: \"free\":[before,after], in bytes" },
	/* Properties of the row. */
	{ "allocator",
	  "slab, page, vmalloc or percpu; all lie in pages, so do not add them up",
	  .always = true },
	{ "callsite", "the function that allocated, with [module]", .always = true },
	{ "module", "its module; NULL: the kernel's own" },
	{ "stack",
	  "the callsite and its callers, innermost first, separated by semicolons",
	  .always = true },
	{ "stack_id", "16 hex digits: a hash of stack, the same on all machines",
	  .always = true },
	{ "entry",
	  "how the kernel was entered: a system call, a page fault, an interrupt" },
	{ "comm", "the task's name" },
	{ "process", "the name of its process; NULL: not recorded" },
	{ "cgroup", "the process's control group; NULL: not recorded" },
	{ "cache", "for slab objects: the cache" },
	{ "order", "for pages: the order of the block; must be quoted in SQL", UNIT_NONE,
	  true },
	{ "migratetype", "for pages: the migratetype" },
	{ "gfp", "for pages: the GFP flags" },
	/* Figures, by enum export_metric. */
	{ "hit", "allocations", UNIT_COUNT, true },
	{ "bytes", "bytes allocated", UNIT_BYTES, true },
	{ "live", "allocations not (or only partly) seen freed", UNIT_COUNT, true },
	{ "bytes_live", "bytes not seen freed at the end", UNIT_BYTES, true },
	{ "bytes_peak", "the best estimate of the bytes live at the recording's peak",
	  UNIT_BYTES, true },
	{ "bytes_req", "for slab objects: bytes requested", UNIT_BYTES, true },
	{ "net_min",
	  "bytes that must be live at the end; of a sample: the least, 95 % sure",
	  UNIT_BYTES, true },
	{ "net_max",
	  "bytes that can be live at the end; of a sample: the most, 95 % sure",
	  UNIT_BYTES, true },
	{ "net_estimate", "the best estimate of the bytes live at the end", UNIT_BYTES,
	  true },
	{ "bytes_charged",
	  "of the bytes, those charged to the control group; NULL: not known", UNIT_BYTES,
	  true },
};

const struct export_weight export_weights[] = {
	{ "bytes", EXPORT_BYTES, 1 },	  { "kib", EXPORT_BYTES, 1024 },
	{ "hits", EXPORT_HIT, 1 },	  { "live", EXPORT_BYTES_LIVE, 1 },
	{ "peak", EXPORT_BYTES_PEAK, 1 }, { NULL, EXPORT_BYTES, 1 },
};

/**
 * struct reading - one table being read
 * @columns: of the fields from FIELD_FIRST_LABEL on; -1: missing
 * @names: the column of the callchain, or of the callsite
 * @frames: frames of the current row
 * @texts: maps a frame's text in the table to the number of its safe text
 */
struct reading {
	struct export_job *job;
	const struct exporter *exporter;
	const struct table *t;
	int columns[EXPORT_LABELS_MAX + EXPORT_METRICS];
	int names, id;
	uint32_t *frames;
	size_t nr_frames, capacity;
	KEYED(uint32_t) texts;
	struct strbuf safe[EXPORT_LABELS_MAX];
};

/* The number of the frame @text of the table; 0: no memory. Each text is made safe once. */
static uint32_t frame_number(struct reading *r, const char *text, size_t size)
{
	uint32_t id = KEYED_ID_OF(&r->texts, text, size);
	struct strbuf __auto_free safe = { 0 };

	if (!id || r->texts.of[id - 1])
		return id ? r->texts.of[id - 1] : 0;
	safe_text_add(&safe, text, size);
	if (!safe.failed)
		r->texts.of[id - 1] =
			intern_id(&r->job->frames, strbuf_text(&safe), safe.size);
	return r->texts.of[id - 1];
}

static int add_frame(struct reading *r, const char *text, size_t size)
{
	uint32_t number = frame_number(r, text, size);

	if (!number || array_reserve(&r->frames, &r->capacity, r->nr_frames + 1))
		return -ENOMEM;
	r->frames[r->nr_frames++] = number;
	return 0;
}

/* Passes the row to the exporter; @frames: "callsite;its caller;..." */
static void pass_row(struct reading *r, struct export_row *row, const char *frames)
{
	size_t size;
	int err;

	r->nr_frames = 0;
	do {
		size = strcspn(frames, ";");
		err = add_frame(r, frames, size);
		frames += size;
	} while (!err && *frames++);
	row->frames = r->frames;
	row->nr_frames = r->nr_frames;
	export_fail(r->job, err);
	if (!r->job->out.err)
		r->exporter->row(r->job, row);
}

/* Replaces what was not seen freed by the best estimate of what is live. Sums of bytes fit a
 * double's 53 bits.
 */
static void estimate(uint64_t *values)
{
	uint64_t likely = values[EXPORT_NET_ESTIMATE], seen = values[EXPORT_BYTES_LIVE];

	if (likely == seen || !seen)
		return;
	values[EXPORT_LIVE] =
		(uint64_t)((double)values[EXPORT_LIVE] * (double)likely / (double)seen +
			   0.5);
	values[EXPORT_BYTES_LIVE] = likely;
}

static void read_values(const struct reading *r, const struct cell *cells,
			struct export_row *row)
{
	for (unsigned int i = 0; i < EXPORT_METRICS; i++) {
		const int at = r->columns[EXPORT_LABELS_MAX + i];
		const struct cell *c = at < 0 ? NULL : &cells[at];

		row->known[i] = c && c->type == CELL_UINT;
		row->values[i] = row->known[i] ? c->u : 0;
	}
	if (r->exporter->estimates && row->known[EXPORT_NET_ESTIMATE])
		estimate(row->values);
}

static void read_labels(struct reading *r, const struct cell *cells,
			struct export_row *row)
{
	for (unsigned int i = 0; i < EXPORT_LABELS_MAX; i++) {
		const struct cell *c = r->columns[i] < 0 ? NULL : &cells[r->columns[i]];
		struct export_label *label = &row->labels[row->nr_labels];

		if (!c || c->type == CELL_NONE)
			continue;
		*label = (struct export_label){ .field = FIELD_FIRST_LABEL + i };
		label->name = export_fields[label->field].name;
		if (c->type == CELL_TEXT) {
			strbuf_reset(&r->safe[i]);
			safe_text_puts(&r->safe[i], c->s);
			label->text = strbuf_text(&r->safe[i]);
			export_fail(r->job, r->safe[i].failed ? -ENOMEM : 0);
		} else {
			label->number = c->type == CELL_INT ? c->i : (int64_t)c->u;
		}
		row->nr_labels++;
	}
}

/* The tables of rows, by enum memory. */
static const char *const tables[MEMORY_KINDS] = {
	[MEMORY_SLAB] = "export",
	[MEMORY_PAGE] = "export_page",
	[MEMORY_VMALLOC] = "export_vmalloc",
	[MEMORY_PERCPU] = "export_percpu_memory",
};

/* The kind of memory of the rows in @t; MEMORY_KINDS: it has no rows. */
static enum memory memory_of(const struct table *t)
{
	int i;

	for (i = 0; i < MEMORY_KINDS && strcmp(t->name, tables[i]) != 0; i++)
		;
	return (enum memory)i;
}

static struct export_row new_row(const struct reading *r)
{
	enum memory memory = memory_of(r->t);

	return (struct export_row){ .allocator = memory_words(memory)->word,
				    .memory = memory,
				    .id = EXPORT_OTHERS };
}

static void put_row(struct reading *r, const struct cell *cells)
{
	const struct cell *name = &cells[r->names];
	struct export_row row = new_row(r);

	if (r->id >= 0 && cells[r->id].type == CELL_UINT)
		row.id = (uint32_t)cells[r->id].u;
	read_values(r, cells, &row);
	read_labels(r, cells, &row);
	pass_row(r, &row, name->type == CELL_TEXT ? name->s : "[unknown]");
}

/* Writes one row for all rows from @first on, so that the sums stay correct. */
static void put_others(struct reading *r, size_t first)
{
	struct export_row row = new_row(r), one;

	for (size_t i = first; i < r->t->nr_rows; i++) {
		read_values(r, &r->t->cells[i * r->t->nr_columns], &one);
		for (unsigned int m = 0; m < EXPORT_METRICS; m++) {
			row.values[m] += one.values[m];
			row.known[m] |= one.known[m];
		}
	}
	pass_row(r, &row, "[other]");
}

static void put_rows(struct reading *r)
{
	uint64_t limit = r->job->opts->rows ? r->job->opts->rows : r->exporter->rows;
	const struct table *t = r->t;
	size_t nr = limit && limit < t->nr_rows ? (size_t)limit : t->nr_rows, i;

	for (i = 0; i < nr && !r->job->out.err; i++)
		put_row(r, &t->cells[i * t->nr_columns]);
	if (nr < t->nr_rows && !r->job->out.err)
		put_others(r, nr);
}

static void put_table(struct export_job *job, const struct exporter *exporter,
		      const struct table *t)
{
	struct reading r = { .job = job, .exporter = exporter, .t = t };

	for (unsigned int i = 0; i < ARRAY_SIZE(r.columns); i++)
		r.columns[i] = table_column(t, export_fields[FIELD_FIRST_LABEL + i].name);
	r.id = table_column(t, "id");
	r.names = table_column(t, "stack");
	if (r.names < 0)
		r.names = table_column(t, "callsite");
	if (r.names >= 0)
		put_rows(&r);
	for (unsigned int i = 0; i < EXPORT_LABELS_MAX; i++)
		strbuf_free(&r.safe[i]);
	KEYED_FREE(&r.texts);
	free(r.frames);
}

static void put_tables(struct export_job *job, const struct exporter *exporter)
{
	const struct report *report = job->report;

	if (exporter->begin)
		exporter->begin(job);
	for (size_t i = 0; i < report->nr_tables && !job->out.err; i++) {
		if (memory_of(report->tables[i]) != MEMORY_KINDS)
			put_table(job, exporter, report->tables[i]);
	}
	if (exporter->end && !job->out.err)
		exporter->end(job);
}

int export_report(const struct exporter *exporter, const struct export_options *opts,
		  const struct report *report, const struct render_out *to)
{
	struct export_job job = { .report = report, .opts = opts, .to = to };
	struct render_out out = *to;
	struct compressed *packed = NULL;
	int ret = 0;

	if (exporter->compression)
		ret = compressed_new(&packed, exporter->compression, to);
	if (packed)
		out = (struct render_out){ compressed_write, packed };
	ret = ret ?: outbuf_init(&job.out, out.write, out.ctx);
	job.state = ret ? NULL : calloc(1, exporter->state_size + 1);
	if (job.state)
		put_tables(&job, exporter);
	ret = ret ?: job.state ? outbuf_flush(&job.out) : -ENOMEM;
	if (!ret && packed)
		ret = compressed_finish(packed);
	if (job.state && exporter->free)
		exporter->free(job.state);
	free(job.state);
	intern_free(&job.frames);
	strbuf_free(&job.text);
	outbuf_free(&job.out);
	compressed_free(packed);
	return ret;
}

const struct cell *export_fact(const struct export_job *job, const char *name)
{
	const struct cell *fact = report_fact(job->report, name);

	return fact->type == CELL_NONE ? NULL : fact;
}

const char *export_frame(const struct export_job *job, uint32_t frame)
{
	return intern_get(&job->frames, frame, NULL);
}

size_t export_frame_function(const char *frame)
{
	const char *module = strstr(frame, " [");

	return module && module > frame ? (size_t)(module - frame) : strlen(frame);
}

bool export_knows_time(const struct report *report, const struct export_options *opts)
{
	return opts->clock_ns || report_fact(report, "duration_ns")->type == CELL_UINT;
}

void export_banner(const struct export_job *job, const char *lead, struct strbuf *out)
{
	const struct report *r = job->report;

	for (size_t i = 0; i < r->nr_banner; i++) {
		const char *text = r->banner[i];

		strbuf_puts(out, lead);
		safe_text_puts(out, text + (*text == '!'));
		strbuf_puts(out, "\n");
	}
	if (job->opts->history && !export_knows_time(r, job->opts))
		strbuf_printf(out, "%sTimes are ticks of the clock, not nanoseconds\n",
			      lead);
}

void export_put(struct export_job *job, const char *fmt, ...)
{
	char *text = NULL;
	va_list ap;
	int size;

	va_start(ap, fmt);
	size = vasprintf(&text, fmt, ap);
	va_end(ap);
	if (size < 0)
		export_fail(job, -ENOMEM);
	else
		outbuf_add(&job->out, text, (size_t)size);
	free(text);
}

void export_json_text(struct export_job *job, const char *text)
{
	strbuf_reset(&job->text);
	json_quote(&job->text, text);
	export_fail(job, job->text.failed ? -ENOMEM : 0);
	outbuf_add(&job->out, strbuf_text(&job->text), job->text.size);
}

void export_json_frames(struct export_job *job, const char *first, const char *next,
			const char *end)
{
	for (uint32_t i = 1; i <= job->frames.count; i++) {
		outbuf_puts(&job->out, i > 1 ? next : first);
		export_json_text(job, export_frame(job, i));
		outbuf_puts(&job->out, end);
	}
}

void export_json_banner(struct export_job *job, char between)
{
	struct strbuf __auto_free banner = { 0 };

	export_banner(job, "", &banner);
	for (size_t i = 0; i < banner.size; i++) {
		if (banner.data[i] == '\n')
			banner.data[i] = i + 1 < banner.size ? between : '\0';
	}
	export_fail(job, banner.failed ? -ENOMEM : 0);
	export_json_text(job, strbuf_text(&banner));
}

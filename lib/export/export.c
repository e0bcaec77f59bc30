// SPDX-License-Identifier: GPL-2.0-or-later
#include "export/export.h"

#include <stdarg.h>

#include "analysis/analysis.h"
#include "base/array.h"
#include "base/safe_text.h"
#include "report/json.h"

const char *const export_metrics[EXPORT_METRICS] = {
	[EXPORT_HIT] = "hit",
	[EXPORT_BYTES] = "bytes",
	[EXPORT_LIVE] = "live",
	[EXPORT_BYTES_LIVE] = "bytes_live",
	[EXPORT_BYTES_PEAK] = "bytes_peak",
	[EXPORT_BYTES_REQ] = "bytes_req",
	[EXPORT_NET_MIN] = "net_min",
	[EXPORT_NET_MAX] = "net_max",
	[EXPORT_NET_ESTIMATE] = "net_estimate",
	[EXPORT_BYTES_CHARGED] = "bytes_charged",
};

const struct export_weight export_weights[] = {
	{ "bytes", EXPORT_BYTES, 1 },	  { "kib", EXPORT_BYTES, 1024 },
	{ "hits", EXPORT_HIT, 1 },	  { "live", EXPORT_BYTES_LIVE, 1 },
	{ "peak", EXPORT_BYTES_PEAK, 1 }, { NULL, EXPORT_BYTES, 1 },
};

/* Columns with further properties of a row, if its table has them. */
static const char *const label_names[EXPORT_LABELS_MAX] = {
	"entry", "comm", "process", "cgroup", "cache", "order", "migratetype", "gfp",
};

/**
 * struct reading - one table being read
 * @metrics, @labels: the columns; -1: missing
 * @names: the column of the callchain, or of the callsite
 * @frames: frames of the current row
 * @by_text: maps a frame's text in the table to its safe text
 */
struct reading {
	struct export_job *job;
	const struct exporter *exporter;
	const struct table *t;
	int metrics[EXPORT_METRICS], labels[EXPORT_LABELS_MAX];
	int names, id;
	uint32_t *frames;
	size_t nr_frames, capacity;
	struct intern texts;
	struct u64_map by_text;
	struct strbuf safe[EXPORT_LABELS_MAX];
};

/* The number of the frame @text of the table; 0: no memory. Each text is made safe once. */
static uint32_t frame_number(struct reading *r, const char *text, size_t size)
{
	uint32_t id = intern_id(&r->texts, text, size), *known, number = 0;
	struct strbuf __auto_free safe = { 0 };

	known = id ? u64_map_find(&r->by_text, id) : NULL;
	if (known)
		return *known;
	safe_text_add(&safe, text, size);
	if (id && !safe.failed)
		number = intern_id(&r->job->frames, strbuf_text(&safe), safe.size);
	return number && u64_map_insert(&r->by_text, id, number) ? number : 0;
}

static int add_frame(struct reading *r, const char *text, size_t size)
{
	uint32_t number = frame_number(r, text, size);

	if (!number ||
	    array_reserve(&r->frames, &r->capacity, r->nr_frames + 1, sizeof(*r->frames)))
		return -ENOMEM;
	r->frames[r->nr_frames++] = number;
	return 0;
}

/* "callsite;its caller;..." */
static int read_frames(struct reading *r, const char *text)
{
	size_t size;

	r->nr_frames = 0;
	for (;; text += size + 1) {
		size = strcspn(text, ";");
		if (add_frame(r, text, size))
			return -ENOMEM;
		if (!text[size])
			return 0;
	}
}

/* Makes what seems to live what probably does. Sums of bytes fit a double's 53 bits. */
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
		const struct cell *c = r->metrics[i] < 0 ? NULL : &cells[r->metrics[i]];

		row->known[i] = c && c->type == CELL_UINT;
		row->values[i] = row->known[i] ? c->u : 0;
	}
	if (r->exporter->estimates && row->known[EXPORT_NET_ESTIMATE])
		estimate(row->values);
}

static int read_labels(struct reading *r, const struct cell *cells,
		       struct export_row *row)
{
	for (unsigned int i = 0; i < EXPORT_LABELS_MAX; i++) {
		const struct cell *c = r->labels[i] < 0 ? NULL : &cells[r->labels[i]];
		struct export_label *label = &row->labels[row->nr_labels];

		if (!c || c->type == CELL_NONE)
			continue;
		*label = (struct export_label){ .name = label_names[i] };
		if (c->type == CELL_TEXT) {
			strbuf_reset(&r->safe[i]);
			safe_text_puts(&r->safe[i], c->s);
			label->text = strbuf_text(&r->safe[i]);
			if (r->safe[i].failed)
				return -ENOMEM;
		} else {
			label->number = c->type == CELL_INT ? c->i : (int64_t)c->u;
		}
		row->nr_labels++;
	}
	return 0;
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

static int put_row(struct reading *r, const struct cell *cells)
{
	const struct cell *name = &cells[r->names];
	struct export_row row = new_row(r);
	int ret;

	if (r->id >= 0 && cells[r->id].type == CELL_UINT)
		row.id = (uint32_t)cells[r->id].u;
	read_values(r, cells, &row);
	ret = read_labels(r, cells, &row);
	ret = ret ?: read_frames(r, name->type == CELL_TEXT ? name->s : "[unknown]");
	row.frames = r->frames;
	row.nr_frames = r->nr_frames;
	return ret ?: r->exporter->row(r->job, &row);
}

/* Writes one row for all rows from @first on, so that the sums stay correct. */
static int put_others(struct reading *r, size_t first)
{
	struct export_row row = new_row(r), one;
	int ret;

	for (size_t i = first; i < r->t->nr_rows; i++) {
		read_values(r, &r->t->cells[i * r->t->nr_columns], &one);
		for (unsigned int m = 0; m < EXPORT_METRICS; m++) {
			row.values[m] += one.values[m];
			row.known[m] |= one.known[m];
		}
	}
	ret = read_frames(r, "[other]");
	row.frames = r->frames;
	row.nr_frames = r->nr_frames;
	return ret ?: r->exporter->row(r->job, &row);
}

static int put_rows(struct reading *r)
{
	uint64_t limit = r->job->opts->rows ? r->job->opts->rows : r->exporter->rows;
	const struct table *t = r->t;
	size_t nr = limit && limit < t->nr_rows ? (size_t)limit : t->nr_rows, i;
	int ret = 0;

	for (i = 0; i < nr && !ret; i++)
		ret = put_row(r, &t->cells[i * t->nr_columns]);
	return ret || nr == t->nr_rows ? ret : put_others(r, nr);
}

static int put_table(struct export_job *job, const struct exporter *exporter,
		     const struct table *t)
{
	struct reading r = { .job = job, .exporter = exporter, .t = t };
	int ret = 0;

	for (unsigned int i = 0; i < EXPORT_METRICS; i++)
		r.metrics[i] = table_column(t, export_metrics[i]);
	for (unsigned int i = 0; i < EXPORT_LABELS_MAX; i++)
		r.labels[i] = table_column(t, label_names[i]);
	r.id = table_column(t, "id");
	r.names = table_column(t, "stack");
	if (r.names < 0)
		r.names = table_column(t, "callsite");
	if (r.names >= 0)
		ret = put_rows(&r);
	for (unsigned int i = 0; i < EXPORT_LABELS_MAX; i++)
		strbuf_free(&r.safe[i]);
	intern_free(&r.texts);
	u64_map_free(&r.by_text);
	free(r.frames);
	return ret;
}

static int put_tables(struct export_job *job, const struct exporter *exporter)
{
	const struct report *report = job->report;
	int ret = exporter->begin ? exporter->begin(job) : 0;

	for (size_t i = 0; i < report->nr_tables && !ret; i++) {
		if (memory_of(report->tables[i]) != MEMORY_KINDS)
			ret = put_table(job, exporter, report->tables[i]);
	}
	return ret || !exporter->end ? ret : exporter->end(job);
}

int export_report(const struct exporter *exporter, const struct export_options *opts,
		  const struct report *report, const struct render_out *to)
{
	struct export_job job = { .report = report, .opts = opts, .to = to };
	int ret = outbuf_init(&job.out, to->write, to->ctx);

	if (ret)
		return ret;
	job.state = calloc(1, exporter->state_size + 1);
	ret = job.state ? put_tables(&job, exporter) : -ENOMEM;
	ret = ret ?: outbuf_flush(&job.out);
	if (job.state && exporter->free)
		exporter->free(job.state);
	free(job.state);
	intern_free(&job.frames);
	strbuf_free(&job.text);
	outbuf_free(&job.out);
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

uint64_t export_weight_of(const struct export_job *job, const struct export_row *row)
{
	const struct export_weight *weight =
		job->opts->weight ? job->opts->weight : &export_weights[0];

	return row->values[weight->metric];
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
		job->out.err = -ENOMEM;
	else
		outbuf_add(&job->out, text, (size_t)size);
	free(text);
}

int export_json_text(struct export_job *job, const char *text)
{
	strbuf_reset(&job->text);
	json_quote(&job->text, text);
	if (job->text.failed)
		return -ENOMEM;
	outbuf_add(&job->out, strbuf_text(&job->text), job->text.size);
	return job->out.err;
}

int export_json_banner(struct export_job *job, char between)
{
	struct strbuf __auto_free banner = { 0 };

	export_banner(job, "", &banner);
	for (size_t i = 0; i < banner.size; i++) {
		if (banner.data[i] == '\n')
			banner.data[i] = i + 1 < banner.size ? between : '\0';
	}
	return banner.failed ? -ENOMEM : export_json_text(job, strbuf_text(&banner));
}

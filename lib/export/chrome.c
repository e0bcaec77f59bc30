// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * export: Chrome's trace format: counters over time.
 * In: rows with their labels, and their history. Out: JSON: live memory, by cache and by
 * migratetype, at 1000 points in time and at the peak; free memory before and after; losses and
 * failed requests as instants.
 */

#include "analysis/analysis.h"
#include "export/replay.h"

#define MOMENTS	     1000
/* Number of caches with their own line. */
#define CACHES_SHOWN 9

/**
 * struct series - live memory of a cache or a migratetype
 * @name: number of its name among the frames; @shown: it has its own line
 */
struct series {
	uint32_t name;
	enum memory memory;
	bool shown;
	uint64_t live, most;
};

/**
 * struct chrome - a file being written
 * @series: by name and kind of memory; @ids: the index in @series of each row
 * @known: it is known what is live; else allocations are shown
 */
struct chrome {
	KEYED(struct series) series;
	struct replay_ids ids;
	bool known, rows;
	const char *comma;
};

static const char *label_of(const struct export_row *row)
{
	for_each(label, row->labels, row->nr_labels) {
		if (label->text &&
		    !strcmp(label->name,
			    row->memory == MEMORY_PAGE ? "migratetype" : "cache"))
			return label->text;
	}
	return "[other]";
}

static void chrome_row(struct export_job *job, const struct export_row *row)
{
	struct chrome *c = job->state;
	const char *name = label_of(row);
	uint32_t key[2] = { intern_id(&job->frames, name, strlen(name)), row->memory };
	uint32_t number = key[0] ? KEYED_ID(&c->series, &key) : 0;

	export_fail(job, number ? 0 : -ENOMEM);
	if (!number)
		return;
	c->series.of[number - 1].name = key[0];
	c->series.of[number - 1].memory = row->memory;
	c->known |= row->known[EXPORT_BYTES_LIVE];
	c->rows = true;
	export_fail(job, replay_ids_add(&c->ids, row, number - 1));
}

/* NULL: the change belongs to no row, or does not count. */
static struct series *series_of(struct export_job *job,
				const struct history_change *change)
{
	struct chrome *c = job->state;
	uint32_t at = replay_ids_find(&c->ids, job, change);

	if (at == UINT32_MAX || (!change->more && !c->known))
		return NULL;
	return &c->series.of[at];
}

static void apply(struct series *s, const struct history_change *change)
{
	if (change->more)
		s->live += change->bytes;
	else
		s->live -= change->bytes;
	s->most = LARGER(s->most, s->live);
}

/* Chooses the largest caches, and all migratetypes, which are few. Returns the change
 * at the peak.
 */
static size_t choose(struct export_job *job)
{
	const struct export_history *h = job->opts->history;
	uint64_t live = 0, most = 0;
	struct chrome *c = job->state;
	size_t peak = SIZE_MAX;

	for (size_t i = 0; i < h->nr; i++) {
		struct series *s = series_of(job, &h->changes[i]);

		if (!s)
			continue;
		live -= s->live;
		apply(s, &h->changes[i]);
		live += s->live;
		if (live > most) {
			most = live;
			peak = i;
		}
	}
	for (size_t i = 0; i < CACHES_SHOWN; i++) {
		struct series *largest = NULL;

		for_each(s, c->series.of, c->series.nr) {
			if (s->memory == MEMORY_SLAB && !s->shown &&
			    (!largest || s->most > largest->most))
				largest = s;
		}
		if (largest)
			largest->shown = true;
	}
	for (size_t i = 0; i < c->series.nr; i++) {
		c->series.of[i].shown |= c->series.of[i].memory != MEMORY_SLAB;
		c->series.of[i].live = 0;
	}
	return peak;
}

static void put_event(struct export_job *job, const char *phase, uint64_t ns)
{
	struct chrome *c = job->state;

	export_put(job,
		   "%s\n{\"pid\":1,\"tid\":1,\"ph\":\"%s\",\"ts\":%" PRIu64
		   ".%03u,\"name\":",
		   c->comma, phase, ns / 1000, (unsigned int)(ns % 1000));
	c->comma = ",";
}

/* Writes a counter: the shown series of slab objects or of pages, and the rest. */
static void put_counter(struct export_job *job, enum memory memory, uint64_t ns)
{
	const struct chrome *c = job->state;
	uint64_t others = 0, sum = 0;
	const char *comma = "";

	put_event(job, "C", ns);
	outbuf_puts(&job->out, memory == MEMORY_PAGE
				       ? "\"pages by migratetype\",\"args\":{"
				       : "\"slab objects by cache\",\"args\":{");
	for_each(s, c->series.of, c->series.nr) {
		if (s->memory != memory)
			continue;
		sum++;
		if (!s->shown) {
			others += s->live;
			continue;
		}
		outbuf_puts(&job->out, comma);
		export_json_text(job, export_frame(job, s->name));
		outbuf_char(&job->out, ':');
		outbuf_dec(&job->out, s->live);
		comma = ",";
	}
	if (memory == MEMORY_SLAB && sum > CACHES_SHOWN)
		export_put(job, ",\"[all others]\":%" PRIu64, others);
	outbuf_puts(&job->out, "}}");
}

/* Writes the free memory before the recording, or @after it. */
static void put_free(struct export_job *job, bool after, uint64_t ns)
{
	const struct export_history *h = job->opts->history;

	if (!h->nr_orders[after])
		return;
	put_event(job, "C", ns);
	outbuf_puts(&job->out, "\"free bytes by order\",\"args\":{");
	for (unsigned int order = 0; order < h->nr_orders[after]; order++)
		export_put(job, "%s\"%u\":%" PRIu64, order ? "," : "", order,
			   h->free_bytes[after][order]);
	outbuf_puts(&job->out, "}}");
}

static void put_moment(struct export_job *job, uint64_t ns)
{
	const struct chrome *c = job->state;
	uint64_t live[MEMORY_KINDS] = { 0 };
	bool has[MEMORY_KINDS] = { [MEMORY_SLAB] = true, [MEMORY_PAGE] = true };
	const char *comma = ",\"args\":{\"";

	for (size_t i = 0; i < c->series.nr; i++) {
		live[c->series.of[i].memory] += c->series.of[i].live;
		has[c->series.of[i].memory] = true;
	}
	put_event(job, "C", ns);
	outbuf_puts(&job->out, c->known ? "\"live bytes\"" : "\"allocated bytes\"");
	for (int memory = 0; memory < MEMORY_KINDS; memory++) {
		if (!has[memory])
			continue;
		export_put(job, "%s%s\":%" PRIu64, comma,
			   memory_words((enum memory)memory)->word, live[memory]);
		comma = ",\"";
	}
	outbuf_puts(&job->out, "}}");
	put_counter(job, MEMORY_SLAB, ns);
	put_counter(job, MEMORY_PAGE, ns);
}

static void put_counters(struct export_job *job)
{
	const struct export_history *h = job->opts->history;
	struct replay_clock clock = replay_clock(job);
	size_t peak = choose(job), i;
	uint64_t end = h->nr ? replay_ns(&clock, h->changes[h->nr - 1].ts) : 0;
	uint64_t width = end / MOMENTS + 1, next = width, last = 0;

	put_moment(job, 0);
	put_free(job, false, 0);
	for (i = 0; i < h->nr && !job->out.err; i++) {
		uint64_t ns = replay_ns(&clock, h->changes[i].ts);
		struct series *s = series_of(job, &h->changes[i]);

		if (ns >= next) {
			put_moment(job, last);
			next = ns - ns % width + width;
		}
		if (s)
			apply(s, &h->changes[i]);
		last = LARGER(ns, last);
		if (i == peak)
			put_moment(job, last);
	}
	put_moment(job, last);
	put_free(job, true, last);
}

static void put_instant(struct export_job *job, const struct strbuf *name, uint64_t ns,
			uint32_t cpu)
{
	put_event(job, "i", ns);
	export_fail(job, name->failed ? -ENOMEM : 0);
	export_json_text(job, strbuf_text(name));
	export_put(job, ",\"s\":\"g\",\"args\":{\"cpu\":%" PRIu32 "}}", cpu);
}

static void put_instants(struct export_job *job)
{
	const struct export_history *h = job->opts->history;
	struct replay_clock clock = replay_clock(job);
	struct strbuf __auto_free name = { 0 };

	for_each(m, h->moments, h->nr_moments) {
		strbuf_reset(&name);
		if (m->what == HISTORY_FAILED)
			strbuf_printf(&name,
				      "page allocation of order %" PRIu64 " failed",
				      m->nr);
		else if (m->nr)
			strbuf_printf(&name, "LOST %" PRIu64 " event%s", m->nr,
				      plural(m->nr));
		else
			strbuf_puts(&name, "LOST events");
		put_instant(job, &name, replay_ns(&clock, m->ts), m->cpu);
	}
	if (!h->moments_left_out)
		return;
	strbuf_reset(&name);
	strbuf_printf(&name,
		      "LOST events or failed allocations %" PRIu64
		      " more time%s, not shown",
		      h->moments_left_out, plural(h->moments_left_out));
	put_instant(job, &name, replay_ns(&clock, h->moments[h->nr_moments - 1].ts),
		    h->moments[h->nr_moments - 1].cpu);
}

static void chrome_end(struct export_job *job)
{
	struct chrome *c = job->state;

	c->comma = "";
	outbuf_puts(&job->out, "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[");
	/* The only process is named after the banner, which the reader must know. */
	put_event(job, "M", 0);
	outbuf_puts(&job->out, "\"process_name\",\"args\":{\"name\":");
	export_json_banner(job, '\n');
	outbuf_puts(&job->out, "}}");
	if (job->opts->history && c->rows)
		put_counters(job);
	if (job->opts->history)
		put_instants(job);
	outbuf_puts(&job->out, "\n]}\n");
}

static void chrome_free(void *state)
{
	struct chrome *c = state;

	KEYED_FREE(&c->series);
	u64_map_free(&c->ids.by_id);
}

const struct exporter exporter_chrome = {
	.name = "chrome",
	.help = "JSON with counters over time: live bytes by cache and migratetype",
	.opened_by = "Perfetto, chrome://tracing",
	.by = EXPORT_BY_ALL,
	.timed = true,
	.state_size = sizeof(struct chrome),
	.row = chrome_row,
	.end = chrome_end,
	.free = chrome_free,
};

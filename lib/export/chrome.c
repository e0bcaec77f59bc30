// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * export: Chrome's trace format: counters over time.
 * In: rows with their labels, and their history. Out: JSON: live memory, by cache and by
 * migratetype, at 1000 points in time and at the peak; free memory before and after; losses and
 * failed requests as instants.
 */

#include "analysis/analysis.h"
#include "base/array.h"
#include "export/replay.h"

#define MOMENTS	     1000
/* Number of caches with a line of their own. */
#define CACHES_SHOWN 9

/**
 * struct series - live memory of a cache or a migratetype
 * @name: number of the frame, which stores the name; @shown: it has its own line
 */
struct series {
	uint32_t name;
	enum memory memory;
	bool shown;
	uint64_t live, most;
};

/**
 * struct chrome - a file being written
 * @keys: maps names of series to index + 1; @by_id: maps export_row.id to an index of @series
 * @others: the same + 1 for what is in no row, by enum memory; 0: none
 * @known: it is known what is live; else allocations are shown
 */
struct chrome {
	struct intern keys;
	struct series *series;
	size_t nr, capacity;
	struct u64_map by_id;
	uint32_t others[MEMORY_KINDS];
	bool known, rows;
	const char *comma;
};

static const char *label_of(const struct export_row *row)
{
	for (size_t i = 0; i < row->nr_labels; i++) {
		const struct export_label *label = &row->labels[i];

		if (label->text &&
		    !strcmp(label->name,
			    row->memory == MEMORY_PAGE ? "migratetype" : "cache"))
			return label->text;
	}
	return "[other]";
}

static int chrome_row(struct export_job *job, const struct export_row *row)
{
	struct chrome *c = job->state;
	const char *name = label_of(row);
	uint32_t key[2] = { intern_id(&job->frames, name, strlen(name)), row->memory };
	uint32_t number = key[0] ? intern_id(&c->keys, key, sizeof(key)) : 0;

	if (!number ||
	    array_reserve(&c->series, &c->capacity, number, sizeof(*c->series)))
		return -ENOMEM;
	if (number > c->nr) {
		c->series[c->nr++] =
			(struct series){ .name = key[0], .memory = row->memory };
	}
	c->known |= row->known[EXPORT_BYTES_LIVE];
	c->rows = true;
	if (row->id == EXPORT_OTHERS) {
		c->others[row->memory] = number;
		return 0;
	}
	return u64_map_insert(&c->by_id, row->id, number - 1) ? 0 : -ENOMEM;
}

/* NULL: the change belongs to no row, or does not count. */
static struct series *series_of(struct export_job *job,
				const struct history_change *change)
{
	struct chrome *c = job->state;
	uint32_t id = history_row(job->opts->history, change);
	const uint32_t *at = id == UINT32_MAX ? NULL : u64_map_find(&c->by_id, id);

	if (!change->more && !c->known)
		return NULL;
	if (at)
		return &c->series[*at];
	return c->others[change->memory] ? &c->series[c->others[change->memory] - 1]
					 : NULL;
}

static void apply(struct series *s, const struct history_change *change)
{
	if (change->more)
		s->live += change->bytes;
	else
		s->live -= change->bytes;
	if (s->live > s->most)
		s->most = s->live;
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

		for (size_t j = 0; j < c->nr; j++) {
			struct series *s = &c->series[j];

			if (s->memory == MEMORY_SLAB && !s->shown &&
			    (!largest || s->most > largest->most))
				largest = s;
		}
		if (largest)
			largest->shown = true;
	}
	for (size_t i = 0; i < c->nr; i++) {
		c->series[i].shown |= c->series[i].memory != MEMORY_SLAB;
		c->series[i].live = 0;
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
static int put_counter(struct export_job *job, enum memory memory, uint64_t ns)
{
	const struct chrome *c = job->state;
	uint64_t others = 0, sum = 0;
	const char *comma = "";
	int err = 0;

	put_event(job, "C", ns);
	outbuf_puts(&job->out, memory == MEMORY_PAGE
				       ? "\"pages by migratetype\",\"args\":{"
				       : "\"slab objects by cache\",\"args\":{");
	for (size_t i = 0; i < c->nr && !err; i++) {
		const struct series *s = &c->series[i];

		if (s->memory != memory)
			continue;
		sum++;
		if (!s->shown) {
			others += s->live;
			continue;
		}
		outbuf_puts(&job->out, comma);
		err = export_json_text(job, export_frame(job, s->name));
		outbuf_char(&job->out, ':');
		outbuf_dec(&job->out, s->live);
		comma = ",";
	}
	if (memory == MEMORY_SLAB && sum > CACHES_SHOWN)
		export_put(job, ",\"[all others]\":%" PRIu64, others);
	outbuf_puts(&job->out, "}}");
	return err;
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

static int put_moment(struct export_job *job, uint64_t ns)
{
	const struct chrome *c = job->state;
	uint64_t live[MEMORY_KINDS] = { 0 };
	bool has[MEMORY_KINDS] = { [MEMORY_SLAB] = true, [MEMORY_PAGE] = true };
	const char *comma = ",\"args\":{\"";
	int err;

	for (size_t i = 0; i < c->nr; i++) {
		live[c->series[i].memory] += c->series[i].live;
		has[c->series[i].memory] = true;
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
	err = put_counter(job, MEMORY_SLAB, ns);
	return err ?: put_counter(job, MEMORY_PAGE, ns);
}

static int put_counters(struct export_job *job)
{
	const struct export_history *h = job->opts->history;
	struct replay_clock clock = replay_clock(job);
	size_t peak = choose(job), i;
	uint64_t end = h->nr ? replay_ns(&clock, h->changes[h->nr - 1].ts) : 0;
	uint64_t width = end / MOMENTS + 1, next = width, last = 0;
	int err = put_moment(job, 0);

	put_free(job, false, 0);
	for (i = 0; i < h->nr && !err; i++) {
		uint64_t ns = replay_ns(&clock, h->changes[i].ts);
		struct series *s = series_of(job, &h->changes[i]);

		if (ns >= next) {
			err = put_moment(job, last);
			next = ns - ns % width + width;
		}
		if (s)
			apply(s, &h->changes[i]);
		last = ns > last ? ns : last;
		if (i == peak && !err)
			err = put_moment(job, last);
	}
	err = err ?: put_moment(job, last);
	put_free(job, true, last);
	return err;
}

static int put_instant(struct export_job *job, const struct strbuf *name, uint64_t ns,
		       uint32_t cpu)
{
	int err;

	put_event(job, "i", ns);
	err = name->failed ? -ENOMEM : export_json_text(job, strbuf_text(name));
	export_put(job, ",\"s\":\"g\",\"args\":{\"cpu\":%" PRIu32 "}}", cpu);
	return err;
}

static int put_instants(struct export_job *job)
{
	const struct export_history *h = job->opts->history;
	struct replay_clock clock = replay_clock(job);
	struct strbuf __auto_free name = { 0 };
	int err = 0;

	for (size_t i = 0; i < h->nr_moments && !err; i++) {
		const struct history_moment *m = &h->moments[i];

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
		err = put_instant(job, &name, replay_ns(&clock, m->ts), m->cpu);
	}
	if (err || !h->moments_left_out)
		return err;
	strbuf_reset(&name);
	strbuf_printf(&name,
		      "LOST events or failed allocations %" PRIu64
		      " more time%s, not shown",
		      h->moments_left_out, plural(h->moments_left_out));
	return put_instant(job, &name,
			   replay_ns(&clock, h->moments[h->nr_moments - 1].ts),
			   h->moments[h->nr_moments - 1].cpu);
}

/* Writes what the reader must know about the recording, also as the name of the only process. */
static int put_notes(struct export_job *job)
{
	int err;

	put_event(job, "M", 0);
	outbuf_puts(&job->out, "\"process_name\",\"args\":{\"name\":");
	err = export_json_banner(job, '\n');
	outbuf_puts(&job->out, "}}");
	return err;
}

static int chrome_end(struct export_job *job)
{
	struct chrome *c = job->state;
	int err;

	c->comma = "";
	outbuf_puts(&job->out, "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[");
	err = put_notes(job);
	if (!err && job->opts->history && c->rows)
		err = put_counters(job);
	if (!err && job->opts->history)
		err = put_instants(job);
	outbuf_puts(&job->out, "\n]}\n");
	return err ?: job->out.err;
}

static void chrome_free(void *state)
{
	struct chrome *c = state;

	intern_free(&c->keys);
	free(c->series);
	u64_map_free(&c->by_id);
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

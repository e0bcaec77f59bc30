// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * export: DHAT's file format, version 2.
 * In: rows by callchain, and their history. Out: JSON, as valgrind's dhat/dh_main.c describes it.
 *
 * Each sequence of frames occurs once, the callsite first. If it is unknown what is live, there are
 * only totals ("bklt": false).
 */

#include "export/replay.h"

/* The viewer calls lifetimes of up to this length short. */
#define SHORT_NS 10000

/**
 * struct lived - a row's figures from the history
 * @born, @died: sums of the times of allocations and of frees
 * @most, @nr_most: the row's own maximum
 * @bytes_peak, @nr_peak: live at the peak of all rows together
 */
struct lived {
	uint64_t bytes, nr;
	uint64_t born, died;
	uint64_t most, nr_most;
	uint64_t bytes_peak, nr_peak;
};

struct dhat {
	struct replay rows;
	struct lived *lived;
	uint64_t peak_ns, end_ns;
};

/* Finds the first change at which the rows together had the most live. */
static size_t find_peak(struct export_job *job, const struct export_history *h)
{
	struct dhat *d = job->state;
	uint64_t live = 0, most = 0;
	size_t at = 0;

	for (size_t i = 0; i < h->nr; i++) {
		if (replay_ids_find(&d->rows.ids, job, &h->changes[i]) == UINT32_MAX)
			continue;
		if (!h->changes[i].more) {
			live -= h->changes[i].bytes;
			continue;
		}
		live += h->changes[i].bytes;
		if (live > most) {
			most = live;
			at = i;
		}
	}
	return at;
}

static void change_row(struct lived *l, const struct history_change *c, uint64_t ns)
{
	if (c->more) {
		l->bytes += c->bytes;
		l->nr++;
		l->born += ns;
		if (l->bytes > l->most) {
			l->most = l->bytes;
			l->nr_most = l->nr;
		}
		return;
	}
	l->bytes -= c->bytes;
	if (c->last) {
		l->nr--;
		l->died += ns;
	}
}

static void replay_all(struct export_job *job)
{
	const struct export_history *h = job->opts->history;
	const struct cell *last = export_fact(job, "last_ts");
	struct replay_clock clock = replay_clock(job);
	struct dhat *d = job->state;
	size_t peak;

	d->lived = calloc(d->rows.rows.nr + 1, sizeof(*d->lived));
	if (!d->lived) {
		export_fail(job, -ENOMEM);
		return;
	}
	peak = h ? find_peak(job, h) : 0;
	d->end_ns = last ? replay_ns(&clock, last->u) : 0;
	for (size_t i = 0; h && i < h->nr; i++) {
		uint32_t row = replay_ids_find(&d->rows.ids, job, &h->changes[i]);
		uint64_t ns = replay_ns(&clock, h->changes[i].ts);

		d->end_ns = LARGER(ns, d->end_ns);
		if (row != UINT32_MAX)
			change_row(&d->lived[row], &h->changes[i], ns);
		if (i != peak)
			continue;
		d->peak_ns = ns;
		for (size_t j = 0; j < d->rows.rows.nr; j++) {
			d->lived[j].bytes_peak = d->lived[j].bytes;
			d->lived[j].nr_peak = d->lived[j].nr;
		}
	}
}

static void put_number(struct export_job *job, const char *name, uint64_t number)
{
	export_put(job, ",\"%s\":%" PRIu64, name, number);
}

static void put_row(struct export_job *job, size_t i, bool lives)
{
	const struct dhat *d = job->state;
	const struct replay_row *row = &d->rows.rows.of[i];
	const struct lived *l = &d->lived[i];
	uint64_t lifetimes = l->died + l->nr * d->end_ns;

	export_put(job, "%s\n{\"tb\":%" PRIu64, i ? "," : "", row->values[EXPORT_BYTES]);
	put_number(job, "tbk", row->values[EXPORT_HIT]);
	if (lives) {
		/* The CPUs' clocks differ, so a free may precede its allocation. */
		put_number(job, "tl", less(lifetimes, l->born));
		put_number(job, "mb", l->most);
		put_number(job, "mbk", l->nr_most);
		put_number(job, "gb", l->bytes_peak);
		put_number(job, "gbk", l->nr_peak);
		put_number(job, "eb", row->values[EXPORT_BYTES_LIVE]);
		put_number(job, "ebk", row->values[EXPORT_LIVE]);
	}
	outbuf_puts(&job->out, ",\"fs\":[");
	for (size_t j = 0; j < row->nr; j++) {
		if (j)
			outbuf_char(&job->out, ',');
		outbuf_dec(&job->out, row->frames[j]);
	}
	outbuf_puts(&job->out, "]}");
}

static void dhat_end(struct export_job *job)
{
	struct dhat *d = job->state;
	bool lives = d->rows.known[EXPORT_BYTES_LIVE] || !d->rows.rows.nr;
	bool timed = export_knows_time(job->report, job->opts);

	replay_all(job);
	outbuf_puts(
		&job->out,
		"{\"dhatFileVersion\":2,\"mode\":\"kernel\",\"verb\":\"Allocated\",\n"
		"\"bu\":\"byte\",\"bsu\":\"bytes\",\"bksu\":\"blocks\",\"bkacc\":false,");
	outbuf_puts(&job->out, timed ? "\"tu\":\"ns\",\"Mtu\":\"ms\",\n"
				     : "\"tu\":\"ticks\",\"Mtu\":\"Mticks\",\n");
	outbuf_puts(&job->out, lives ? "\"bklt\":true" : "\"bklt\":false");
	if (lives) {
		put_number(job, "tuth", timed ? SHORT_NS : 0);
		put_number(job, "tg", d->peak_ns);
	}
	put_number(job, "pid", 0);
	put_number(job, "te", d->end_ns);
	/* The viewer shows the report's first lines as the command. */
	outbuf_puts(&job->out, ",\n\"cmd\":");
	export_json_banner(job, '\n');
	outbuf_puts(&job->out, ",\n\"pps\":[");
	for (size_t i = 0; i < d->rows.rows.nr && !job->out.err; i++)
		put_row(job, i, lives);
	/* Frame 0 is the root, so the frames' numbers are those in the rows. */
	outbuf_puts(&job->out, "\n],\n\"ftbl\":[\"[root]\"");
	export_json_frames(job, ",\n", ",\n", "");
	outbuf_puts(&job->out, "]}\n");
}

static void dhat_free(void *state)
{
	struct dhat *d = state;

	replay_free(&d->rows);
	free(d->lived);
}

const struct exporter exporter_dhat = {
	.name = "dhat",
	.help = "JSON with totals, own maxima, the peak, the end and lifetimes",
	.opened_by = "valgrind's dh_view.html, Firefox Profiler",
	.by = EXPORT_BY_STACK,
	.estimates = true,
	.timed = true,
	.state_size = sizeof(struct dhat),
	.row = replay_add,
	.end = dhat_end,
	.free = dhat_free,
};

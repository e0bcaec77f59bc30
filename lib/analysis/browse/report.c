// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * analysis: the data of a page about a recording.
 * In: lives of every kind of memory. Out: the table "summary", as in kmemx summary, and, if
 * the options ask for it, sums over time by callchain.
 */

#include "analysis/browse/report_rows.h"
#include "analysis/overview/summary_rows.h"
#include "base/thread.h"

extern const struct analysis analysis_peak, analysis_summary;

/* Where to keep all changes; NULL: nowhere. */
static struct report_log *log_of(const struct analysis_options *opts)
{
	const struct report_options *own = opts->own;

	return own ? own->log : NULL;
}

static void web_destroy(void *self)
{
	struct report_data *w = self;

	analysis_free(&analysis_peak, w->peak);
	analysis_free(&analysis_summary, w->summary);
	for (int i = 0; i < MEMORY_KINDS; i++) {
		over_time_free(&w->time[i]);
		stays_free(&w->stays[i]);
	}
	frame_map_free(&w->frames);
	moments_free(&w->moments);
}

static int web_create(void *self, const struct analysis_env *env,
		      const struct analysis_options *opts)
{
	struct report_data *w = self;
	void *peak;
	int ret;

	w->opts =
		(struct analysis_options){ .by = SUBJECT_STACK |
						 (unsigned int)report_rows_task(env->rec)
							 << SUBJECT_PART_BITS |
						 SUBJECT_CGROUP << 2 * SUBJECT_PART_BITS,
					   .by_cache = true };
	frame_map_init(&w->frames, env);
	ret = moments_init(&w->moments, env);
	if (ret)
		return ret;
	ret = analysis_new(&analysis_peak, env, &w->opts, &peak);
	w->peak = peak;
	ret = ret ?: analysis_new(&analysis_summary, env, &w->summary_opts, &w->summary);
	for (int i = 0; i < MEMORY_KINDS && !ret; i++) {
		over_time_init(&w->time[i], env->first_ts, env->last_ts, OVER_TIME_BINS,
			       OVER_TIME_CELLS);
		stays_init(&w->stays[i], &w->time[i], STAYS_MAX);
		ret = over_time_observe(&w->time[i], w->peak->of[i]);
		ret = ret ?: stays_observe(&w->stays[i], w->peak->of[i]);
	}
	if (!ret && log_of(opts))
		ret = report_log_observe(log_of(opts), w->peak->of, env->first_ts,
					 env->last_ts);
	return ret ?: frame_map_observe(&w->frames, w->peak->of[MEMORY_PAGE]);
}

static void web_observe(void *self, const struct kmem_event *evs, size_t nr)
{
	struct report_data *w = self;

	analysis_summary.observe(w->summary, evs, nr);
	over_time_events(w->time, evs, nr);
	if (log_of(w->asked))
		report_log_events(log_of(w->asked), evs, nr);
}

static void web_read(void *self, const struct kmem_event *evs, size_t nr)
{
	struct report_data *w = self;

	moments_events(&w->moments, evs, nr);
}

/* What was observed of one kind of memory, and the widths that all kinds get. */
struct kind_end {
	struct over_time *time;
	struct stays *stays;
	uint64_t width, stays_width;
};

static void *end_kind(void *arg)
{
	const struct kind_end *k = arg;

	while (k->time->width < k->width)
		over_time_halve(k->time);
	over_time_end(k->time);
	while (k->stays->width < k->stays_width && !k->stays->failed)
		stays_halve(k->stays);
	return NULL;
}

/* Gives all kinds of memory the bins of the one with the fewest; pages on a thread of their own. */
static void agree_on_bins(struct report_data *w)
{
	struct kind_end kinds[MEMORY_KINDS];
	uint64_t width = 0, stays_width = 0;
	pthread_t pages;
	bool started;
	int i;

	for (i = 0; i < MEMORY_KINDS; i++) {
		width = LARGER(width, w->time[i].width);
		stays_width = LARGER(stays_width, w->stays[i].width);
	}
	for (i = 0; i < MEMORY_KINDS; i++)
		kinds[i] = (struct kind_end){ &w->time[i], &w->stays[i], width,
					      stays_width };
	started =
		w->env->jobs > 1 && !thread_start(&pages, end_kind, &kinds[MEMORY_PAGE]);
	for (i = 0; i < MEMORY_KINDS; i++)
		if (!started || i != MEMORY_PAGE)
			end_kind(&kinds[i]);
	if (started)
		pthread_join(pages, NULL);
}

static bool failed(const struct report_data *w)
{
	for (int i = 0; i < MEMORY_KINDS; i++) {
		if (w->time[i].failed || w->stays[i].failed)
			return true;
	}
	return w->moments.failed;
}

static void web_end(void *self)
{
	struct report_data *w = self;

	analysis_peak.end(w->peak);
	analysis_summary.end(w->summary);
	agree_on_bins(w);
	frame_map_end(&w->frames);
}

static int web_view(const void *self, struct report *report)
{
	const struct report_data *w = self;
	const struct report_options *own = w->asked->own;
	int ret = failed(w) ? -ENOMEM : analysis_summary.view(w->summary, report);

	return ret ?: own && own->web ? report_rows_fill(own->web, w, own->log) : 0;
}

const struct analysis analysis_report = {
	.name = "report",
	.help = "a page for a browser",
	.use = ANALYSIS_COMMAND,
	.needs = NEEDS_MEMORY,
	.rows = ROWS(CALLSITE),
	.tables = TABLES(&summary_type),
	ANALYSIS_SELF(struct report_data),
	.opts_at = offsetof(struct report_data, asked),
	.create = web_create,
	.observe = web_observe,
	.read = web_read,
	.by_entry = true,
	.joins = NEEDS_SLAB,
	.end = web_end,
	.view = web_view,
	.destroy = web_destroy,
};

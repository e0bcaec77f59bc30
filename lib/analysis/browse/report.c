// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * analysis: the data of a page about a recording.
 * In: lives of slab objects and of pages. Out: the table "summary", as in kmemx summary, and, if
 * the options ask for it, sums over time by callchain.
 */

#include "analysis/analysis.h"
#include "analysis/browse/report_rows.h"
#include "analysis/overview/summary_rows.h"
#include "analysis/time/frame_map.h"
#include "analysis/time/moments.h"
#include "analysis/time/over_time.h"
#include "analysis/time/peak.h"
#include "analysis/time/stays.h"

extern const struct analysis analysis_peak, analysis_summary;

/**
 * struct web - the analysis
 * @opts: options of @peak and @summary
 * @peak: also requests the accounts, by callchain
 */
struct web {
	const struct analysis_env *env;
	const struct analysis_options *asked;
	struct analysis_options opts, summary_opts;
	struct peak *peak;
	void *summary;
	struct over_time time;
	struct stays stays;
	struct frame_map frames;
	struct moments moments;
};

/* Where to keep all changes; NULL: nowhere. */
static struct report_log *log_of(const struct analysis_options *opts)
{
	const struct report_options *own = opts->own;

	return own ? own->log : NULL;
}

static void web_destroy(void *self)
{
	struct web *w = self;

	analysis_free(&analysis_peak, w->peak);
	analysis_free(&analysis_summary, w->summary);
	over_time_free(&w->time);
	stays_free(&w->stays);
	frame_map_free(&w->frames);
	moments_free(&w->moments);
}

static int web_create(void *self, const struct analysis_env *env,
		      const struct analysis_options *opts)
{
	struct web *w = self;
	void *peak;
	int ret;

	w->opts =
		(struct analysis_options){ .by = SUBJECT_STACK |
						 (unsigned int)report_rows_task(env->rec)
							 << SUBJECT_PART_BITS |
						 SUBJECT_CGROUP << 2 * SUBJECT_PART_BITS,
					   .by_cache = true };
	over_time_init(&w->time, env->first_ts, env->last_ts, OVER_TIME_BINS,
		       OVER_TIME_CELLS);
	stays_init(&w->stays, &w->time, STAYS_MAX);
	frame_map_init(&w->frames, env);
	ret = moments_init(&w->moments, env);
	if (ret)
		return ret;
	ret = analysis_new(&analysis_peak, env, &w->opts, &peak);
	w->peak = peak;
	ret = ret ?: analysis_new(&analysis_summary, env, &w->summary_opts, &w->summary);
	ret = ret ?: over_time_observe(&w->time, w->peak->of);
	ret = ret ?: stays_observe(&w->stays, w->peak->of);
	if (!ret && log_of(opts))
		ret = report_log_observe(log_of(opts), w->peak->of, env->first_ts,
					 env->last_ts);
	return ret ?: frame_map_observe(&w->frames, w->peak->of[MEMORY_PAGE]);
}

static void web_observe(void *self, const struct kmem_event *evs, size_t nr)
{
	struct web *w = self;

	analysis_peak.observe(w->peak, evs, nr);
	analysis_summary.observe(w->summary, evs, nr);
	over_time_events(&w->time, evs, nr);
	if (log_of(w->asked))
		report_log_events(log_of(w->asked), evs, nr);
}

static void web_read(void *self, const struct kmem_event *evs, size_t nr)
{
	struct web *w = self;

	moments_events(&w->moments, evs, nr);
}

static void web_end(void *self)
{
	struct web *w = self;

	analysis_peak.end(w->peak);
	if (analysis_summary.end)
		analysis_summary.end(w->summary);
}

static int web_view(const void *self, struct report *report)
{
	const struct web *w = self;
	const struct report_options *own = w->asked->own;
	int ret = w->time.failed || w->stays.failed || w->moments.failed
			  ? -ENOMEM
			  : analysis_summary.view(w->summary, report);

	if (!ret && own && own->web) {
		const struct report_parts parts = { w->peak,	&w->time,    &w->stays,
						    &w->frames, &w->moments, own->log };

		ret = report_rows_fill(own->web, w->env, &parts);
	}
	return ret;
}

const struct analysis analysis_report = {
	.name = "report",
	.help = "a page for a browser",
	.use = ANALYSIS_COMMAND,
	.needs = NEEDS_MEMORY,
	.rows = ROWS(CALLSITE),
	.tables = TABLES(&summary_type),
	ANALYSIS_SELF(struct web),
	.opts_at = offsetof(struct web, asked),
	.create = web_create,
	.observe = web_observe,
	.read = web_read,
	.by_entry = true,
	.joins = NEEDS_SLAB | NEEDS_PAGE,
	.end = web_end,
	.view = web_view,
	.destroy = web_destroy,
};

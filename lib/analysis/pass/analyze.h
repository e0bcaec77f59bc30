/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * analysis: one pass over a stream, for many analyses.
 * In: a stream. Out: the tables of every analysis that took part.
 */
#ifndef KMEMX_ANALYSIS_ANALYZE_H
#define KMEMX_ANALYSIS_ANALYZE_H

#include "analysis/analysis.h"

/**
 * struct analyze_progress - called regularly with the progress of the pass
 * @fn: called about every @interval events with their number so far, which may go back to the
 *	start once; a return value other than 0 ends the pass with -ECANCELED. NULL: never called.
 */
struct analyze_progress {
	int (*fn)(void *ctx, uint64_t nr_events);
	void *ctx;
	uint64_t interval;
};

#define ANALYSES_MAX 48

/**
 * struct analysis_set - which analyses take part
 * @analyses, @nr: at most ANALYSES_MAX
 * @opts: their options; outlives them
 * @own: for each, its own options, instead of those in @opts; NULL: all use the latter
 * @unseen: analyses that saw none of their events show empty tables, too
 */
struct analysis_set {
	const struct analysis *const *analyses;
	size_t nr;
	const struct analysis_options *opts;
	const void *const *own;
	bool unseen;
};

struct analyses;

/* Creates several analyses of one stream, and the accounts that they ask for (not env->accounts).
 * All that @set points at must outlive them. 0; -ENOMEM; -EOVERFLOW: too many analyses, or too many
 * dimensions at once. Call analyses_free() in any case.
 */
int analyses_new(struct analyses **out, const struct analysis_env *env,
		 const struct analysis_set *set) __must_check;
/* Passes on @nr events and losses, in the stream's order. */
void analyses_observe(struct analyses *all, const struct kmem_event *evs, size_t nr);
/* After the last event: adds the tables, in the order of the set. Call it once. 0; -ENOMEM; an
 * error of an analysis, and the report is void.
 */
int analyses_view(struct analyses *all, struct report *report) __must_check;
void analyses_free(struct analyses *all);

/**
 * analyze_run() - read the stream once, and show what every analysis found
 * @env: what the analyses may consult
 * @stream: at its start
 * @report: receives the tables, in the order of @set
 * @progress: may be NULL
 *
 * Return: 0; -ECANCELED; -ENOMEM; -EOVERFLOW as in analyses_new(); the stream's error. On an error
 * the report is void.
 */
int analyze_run(const struct analysis_env *env, const struct analysis_set *set,
		struct event_stream *stream, struct report *report,
		const struct analyze_progress *progress) __must_check;

/* Analysis number @i, in the order of reports and -h; NULL after the last. There are fewer than
 * ANALYSES_MAX.
 */
const struct analysis *analysis_at(size_t i);
/* The analysis with that name, or NULL. */
const struct analysis *analysis_find(const char *name);

#endif

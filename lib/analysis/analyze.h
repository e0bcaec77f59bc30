/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * analysis: one pass over a stream, for many analyses.
 * In: a stream. Out: the tables of every analysis that took part.
 */
#ifndef KMEMX_ANALYSIS_ANALYZE_H
#define KMEMX_ANALYSIS_ANALYZE_H

#include "analysis/analysis.h"

/**
 * struct analyze_progress - told now and then how far the pass is
 * @fn: called about every @interval events with their number so far; a return value other
 *	than 0 ends the pass with -ECANCELED. NULL: never called.
 */
struct analyze_progress {
	int (*fn)(void *ctx, uint64_t nr_events);
	void *ctx;
	uint64_t interval;
};

/**
 * analyze_run() - read the stream once and finish every analysis
 * @common: what the analyses may consult; @accounts is not read
 * @ops, @nr: the analyses
 * @stream: at its start
 * @report: receives the tables, in the order of @ops
 * @progress: may be NULL
 *
 * Return: 0; -ECANCELED; -ENOMEM; the stream's error. On failure the report holds no table
 * of this run.
 */
int analyze_run(const struct analysis_env *common, const struct analysis_ops *const *ops,
		size_t nr, struct event_stream *stream, struct report *report,
		const struct analyze_progress *progress) __must_check;

#endif

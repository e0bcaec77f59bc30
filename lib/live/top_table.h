/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * live: a monitor's data as tables.
 * In: a monitor, the recorder's cost. Out: a report of the last interval.
 */
#ifndef KMEMX_LIVE_TOP_TABLE_H
#define KMEMX_LIVE_TOP_TABLE_H

#include "live/monitor.h"
#include "report/table.h"

/* Number of intervals in a row's series. */
#define TOP_TREND 20U

/**
 * struct top_view - what is shown, and further facts
 * @side_hidden: rows of slab objects or pages are not shown
 * @filter: only rows whose names contain this; NULL: all
 * @sort, @nr_sort: sort keys; none: the usual ones
 * @lines: number of rows, in every output format; 0: all
 * @fades: rows with nothing live leave after this many intervals without an allocation; 0: when the
 *	monitor forgets them
 * @run_ns: time since tracing was switched on; @step_ns: the interval; @cpu_ns: CPU time of this
 *	process in it
 * @since_ns: when the totals were last reset, on the clock of @run_ns
 * @paused_ns: how long tracing was off since then
 */
struct top_view {
	bool side_hidden[MEMORY_KINDS];
	const char *filter;
	const struct sort_key *sort;
	size_t nr_sort;
	uint64_t lines;
	unsigned int fades;
	uint64_t run_ns, step_ns, cpu_ns, since_ns, paused_ns;
};

/* Is it one of the columns that say what a row stands for? */
static inline bool top_is_name(const struct column *c)
{
	return c->unit == UNIT_NONE && strcmp(c->name, "memory") != 0;
}

/* The columns by which rows can be sorted; NULL after the last one. */
const char *top_sort_key(unsigned int i);
/* Does any name in the row contain @filter, in any case? NULL: yes. */
bool top_passes(const struct table *t, const struct cell *cells, const char *filter);
/* Finds the side and the group of row @row of @t, a table of top_report(). False: they are gone. */
bool top_find(const struct monitor *m, const struct table *t, size_t row,
	      unsigned int *side, uint32_t *group);
/* Makes a report of the last interval; with an opened callchain, of its lifetimes. The caller frees
 * it; NULL: no memory.
 */
struct report *top_report(const struct monitor *m,
			  const struct top_view *view) __must_check;

/* Appends the metrics in Prometheus text (format 0.0.4), with the @view->lines rows that come first
 * by @view->sort, by default those with the most bytes live. 0 or -ENOMEM.
 */
int top_metrics(const struct monitor *m, const struct top_view *view,
		struct strbuf *out) __must_check;

#endif

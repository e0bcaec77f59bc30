/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * analysis (internal): who held memory at the peak, for the analyses that show it.
 * In: lives, in the order of their events. Out: live memory of each account row at that moment.
 */
#ifndef KMEMX_ANALYSIS_PEAK_H
#define KMEMX_ANALYSIS_PEAK_H

#include "analysis/bounds/bounds.h"
#include "analysis/time/over_time.h"

/* The live memory of a row now, and at the moment of the peak; and how much of the latter was seen
 * freed since, valid if @turn is that of the kind of memory. Sums count it @times times, more than
 * once only if figures are estimated from a sample.
 */
struct peak_row {
	uint64_t nr, bytes;
	uint64_t nr_then, bytes_then;
	uint64_t nr_freed, bytes_freed;
	uint64_t turn;
	uint32_t times;
};

/* For a kind of memory. @live: bytes of all rows. @most, @when: the peak so far, and its time.
 * @turn: number of peaks so far, if rows are saved at the peak. @time: live memory over time, if
 * asked for. @failed: memory ran out; the numbers are void.
 *
 * Kinds share nothing: another thread may take the lives of pages.
 */
struct peak_side {
	struct peak_row *rows;
	size_t nr, capacity;
	uint64_t live, most, when;
	uint64_t turn;
	struct over_time time;
	bool failed;
};

/* Memory that became live or ended. @event: its address in the batch; 0: no event, at the end, and
 * @ts is UINT64_MAX.
 */
struct peak_change {
	uintptr_t event;
	uint64_t ts;
	uint64_t at, begin; /* a pointer or a frame, and when it was allocated */
	uint64_t nr, bytes;
	uint32_t row;
	uint8_t memory; /* enum memory */
	bool more, freed;
};

/**
 * struct peak - the analysis
 * @of: lives of each kind of memory
 * @at_end: the moment is the end instead; @unweighted: in a sample, the peak is that of the sample
 * @sides: live memory by row
 * @changed: takes every change, in the order of all kinds' events; NULL: not wanted
 * @changes: for @changed, those of a batch
 * @show: adds the tables of a kind of memory, after the last event
 *
 * A row saves its value at the moment only when it first changes afterwards, so a new moment costs
 * nothing, however many rows there are.
 */
struct peak {
	const struct analysis_env *env;
	const struct analysis_options *opts;
	struct lives *of[MEMORY_KINDS];
	bool at_end, unweighted;
	struct peak_side sides[MEMORY_KINDS];
	void (*changed)(const struct peak *p, const struct peak_change *c);
	struct peak_change *changes;
	size_t nr_changes;
	int (*show)(const struct peak *p, enum memory memory, struct report *report);
};

/* @at_end: the moment is the end, not that of the peak */
struct peak_options {
	bool at_end;
};

/* What lived of row @row at the moment, in .nr and .bytes, and the part freed by an event since. */
static inline struct peak_row peak_row_then(const struct peak_side *side, size_t row)
{
	const struct peak_row *r;

	if (row >= side->nr)
		return (struct peak_row){ 0 };
	r = &side->rows[row];
	if (r->turn == side->turn)
		return (struct peak_row){ .nr = r->nr_then,
					  .bytes = r->bytes_then,
					  .nr_freed = r->nr_freed,
					  .bytes_freed = r->bytes_freed,
					  .times = r->times };
	return (struct peak_row){ .nr = r->nr, .bytes = r->bytes, .times = r->times };
}

/* The best estimate of what lived at the moment: @then seemed to live, @freed of it were seen freed
 * since. What was freed since was live then. Of the rest, the share that is probably live at the
 * end, by @net, was probably live at the moment, too.
 */
static inline uint64_t peak_likely(const struct net_range *net, uint64_t then,
				   uint64_t freed)
{
	return freed + net_range_scale(net, then - freed);
}

/* Callbacks of struct analysis, for an analysis that sets @show to show other tables. */
int peak_create(struct peak *p, const struct analysis_env *env,
		const struct analysis_options *opts) __must_check;
void peak_observe(void *self, const struct kmem_event *evs, size_t nr);
void peak_end(void *self);
int peak_view(const void *self, struct report *report);
void peak_destroy(void *self);

#endif

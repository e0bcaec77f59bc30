/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * analysis (internal): who held memory at the peak: shared by peak.c, which collects, and
 * peak_view.c, which shows.
 * In: lives, in the order of their events. Out: live memory of each account row at that moment.
 */
#ifndef KMEMX_ANALYSIS_PEAK_H
#define KMEMX_ANALYSIS_PEAK_H

#include "analysis/row/owners.h"

/* Live memory over time. */

/* Live bytes of a row; @nr bins have been written. Further ones up to now have @live. */
struct timeline_row {
	uint64_t live;
	uint32_t nr;
};

/**
 * struct timeline - zero-initialise it, then timeline_init()
 * @first: start of the first bin; @width: of each bin; @bins: their number; 0: nothing is kept
 * @at: @bins numbers for each row
 * @failed: memory ran out; the numbers are void
 */
struct timeline {
	uint64_t first, width;
	unsigned int bins;
	struct timeline_row *rows;
	uint64_t *at;
	size_t nr, capacity, at_capacity;
	bool failed;
};

/* Divides the time from @first to @last, both included, into @bins bins. */
void timeline_init(struct timeline *t, uint64_t first, uint64_t last, unsigned int bins);
/* At @ts, @row gains @more live bytes and loses @less. Keeps failures. */
void timeline_change(struct timeline *t, uint32_t row, uint64_t ts, uint64_t more,
		     uint64_t less);
/* Subtracts @less from @row's live bytes at the end. */
void timeline_settle(struct timeline *t, uint32_t row, uint64_t less);
/* @row's live bytes at the end of @bin; for the last bin, at the very end. */
uint64_t timeline_at(const struct timeline *t, uint32_t row, unsigned int bin);
void timeline_free(struct timeline *t);

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

/* For a kind of memory. @live: bytes of all rows. @most, @when: their maximum so far, the peak.
 * @turn: how many there were, if rows are saved at the peak. @timeline: by row too, if asked for.
 */
struct peak_side {
	struct peak_row *rows;
	size_t nr, capacity;
	uint64_t live, most, when;
	uint64_t turn;
	struct timeline timeline;
};

/* Something began or ended. @event: its address in the batch; 0: no event, at the end. */
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
 * @at_end: the moment is the end instead; @unweighted: in a sample, it is the peak of what that has
 * @sides: live memory by row
 * @changes: changes of a batch, in any order
 * @changed: takes every change, in order; NULL: not wanted
 * @show: adds the tables of a kind of memory, after the last event
 * @failed: memory ran out; the numbers are void
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
	struct peak_change *changes;
	size_t nr_changes, capacity;
	void (*changed)(const struct peak *p, const struct peak_change *c);
	int (*show)(const struct peak *p, enum memory memory, struct report *report);
	bool failed;
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

/* Callbacks of struct analysis, for an analysis that sets @show to show other tables. */
int peak_create(struct peak *p, const struct analysis_env *env,
		const struct analysis_options *opts) __must_check;
void peak_observe(void *self, const struct kmem_event *evs, size_t nr);
void peak_end(void *self);
int peak_view(const void *self, struct report *report);
void peak_destroy(void *self);

extern const struct table_type *const peak_tables[];

/* Adds the table of @memory by @kind, after the last event; @self: struct peak. 0 or -ENOMEM. */
int peak_show(const void *self, enum memory memory, enum subject_kind kind,
	      struct report *report) __must_check;

#endif

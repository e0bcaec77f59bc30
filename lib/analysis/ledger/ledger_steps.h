/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * analysis: the ledger between two moments of the kernel's curve.
 * In: changes by events, the kernel's counts at moments. Out: both, step by step.
 *
 * Step i is the time after moment i up to moment i + 1.
 */
#ifndef KMEMX_ANALYSIS_LEDGER_STEPS_H
#define KMEMX_ANALYSIS_LEDGER_STEPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/compiler.h"
#include "base/hash.h"
#include "recording/kernel_curve.h"

#define LEDGER_STEPS (KERNEL_CURVE_MOMENTS - 1)

/* What changed a count: a group of the ledger, or an unknown page of it. */
enum ledger_step_of { LEDGER_STEP_GROUP, LEDGER_STEP_UNKNOWN };

/* Objects that events added less those they removed, in one step. */
struct ledger_step_net {
	uint32_t id, step;
	enum ledger_step_of of;
	int64_t net;
};

/* Page frames of events in one step. */
struct ledger_step_pages {
	uint64_t allocated, freed;
};

/**
 * struct ledger_steps - ledger_steps_init() it
 * @curve: without moments if the recording has none
 * @index: of @nets, by id, kind and step
 * @slab_at, @page_at: the steps of the last events, which come on different threads
 */
struct ledger_steps {
	struct kernel_curve curve;
	struct u64_map index;
	struct ledger_step_net *nets;
	size_t nr, capacity;
	struct ledger_step_pages pages[LEDGER_STEPS];
	unsigned int slab_at, page_at;
};

/* Reads the curve of @rec; there are no steps without one. 0 or -ENOMEM. */
int ledger_steps_init(struct ledger_steps *s, const struct recording *rec) __must_check;
/* The number of steps; 0: no curve. */
static inline unsigned int ledger_steps_nr(const struct ledger_steps *s)
{
	return s->curve.nr ? s->curve.nr - 1 : 0;
}

/* At @ts, an event changed the objects of a group, or of an unknown page, by @net. False: no
 * memory.
 */
bool ledger_steps_slab(struct ledger_steps *s, uint64_t ts, enum ledger_step_of of,
		       uint32_t id, int net) __must_check;
/* At @ts, @pages were allocated or freed. */
void ledger_steps_page(struct ledger_steps *s, uint64_t ts, uint64_t allocated,
		       uint64_t freed);
void ledger_steps_free(struct ledger_steps *s);

/**
 * struct ledger_row_steps - a row's steps
 * @kernel: objects at each moment, by slabinfo; @trace: net objects of events in each step
 */
struct ledger_row_steps {
	struct kernel_series kernel;
	int64_t trace[LEDGER_STEPS];
};

/* The change in step @i that the kernel counted and no event explains. */
static inline int64_t ledger_row_step(const struct ledger_row_steps *r, unsigned int i)
{
	return (int64_t)r->kernel.at[i + 1] - (int64_t)r->kernel.at[i] - r->trace[i];
}

/* Consecutive steps, from moment @first to moment @last, in which @net was not explained. */
struct ledger_burst {
	unsigned int first, last;
	int64_t net;
};

/**
 * ledger_row_burst() - the time in which the unexplained part of a row came
 * @nr: number of steps; @missing: what is unexplained from the first moment to the last
 *
 * Return: does a quarter of the time or less have four fifths of @missing or more? Then @burst is
 * the shortest such time.
 */
bool ledger_row_burst(const struct ledger_row_steps *r, const uint64_t *times,
		      unsigned int nr, int64_t missing, struct ledger_burst *burst);

#endif

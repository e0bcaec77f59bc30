/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * analysis: which task allocated what lives.
 * In: allocations, by CPU and in time order. Out: the task that ran on a CPU at a time.
 *
 * A live object keeps its CPU and its time, but not its task: that would take more memory for
 * each. So the times are kept at which another task begins to allocate on a CPU.
 */
#ifndef KMEMX_ANALYSIS_BIRTHS_H
#define KMEMX_ANALYSIS_BIRTHS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/compiler.h"

/* Of one CPU: from @starts[i] on until the next, @pid allocates. */
struct births_start {
	uint64_t ts;
	int32_t pid;
	bool tied;   /* another task allocated at the same time, before */
	bool needed; /* between births_keep() and births_drop() */
};

struct births_cpu {
	struct births_start *starts;
	size_t nr, capacity;
	uint64_t last_ts; /* of all */
};

/**
 * struct births - zero-initialise it
 * @count: starts of all CPUs; @limit: with so many it is time to drop some
 * @disordered: time ran backwards on a CPU: all tasks are guesses
 * @failed: memory ran out; the answers are void
 */
struct births {
	struct births_cpu *cpus;
	size_t nr_cpus, capacity;
	size_t count, limit;
	bool disordered, failed;
};

/* A slow part of births_add(). */
void births_start(struct births *b, uint16_t cpu, uint64_t ts, int32_t pid);

/* @pid allocates on @cpu at @ts, not before the last that was added of that CPU. */
static inline void births_add(struct births *b, uint16_t cpu, uint64_t ts, int32_t pid)
{
	struct births_cpu *c = cpu < b->nr_cpus ? &b->cpus[cpu] : NULL;

	if (likely(c && c->nr && c->starts[c->nr - 1].pid == pid && ts >= c->last_ts))
		c->last_ts = ts;
	else
		births_start(b, cpu, ts, pid);
}

/**
 * births_find() - which task allocated on @cpu at @ts
 * @guess: set where it may have been another: two tasks allocated there at that time, as a coarse
 *	clock has it, or the time ran backwards
 *
 * Return: its pid; INT32_MIN: no allocation of that CPU was added.
 */
int32_t births_find(const struct births *b, uint16_t cpu, uint64_t ts, bool *guess);

/* Has so much come that what nobody needs should be dropped? Then births_keep() for the CPU and the
 * time of all that lives, and births_drop(). Memory follows what lives so.
 */
static inline bool births_full(const struct births *b)
{
	return b->count > b->limit;
}

void births_keep(struct births *b, uint16_t cpu, uint64_t ts);
void births_drop(struct births *b);
/* Makes @to what @from is. 0; -ENOMEM: births_free() then, too. */
int births_copy(struct births *to, const struct births *from) __must_check;
void births_free(struct births *b);

#endif

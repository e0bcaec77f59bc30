/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * analysis: which task allocated a live object.
 * In: allocations, by CPU and in time order. Out: the task that ran on a CPU at a time.
 *
 * A live object keeps its CPU and its time, but not its task, to save memory. Instead this keeps
 * the times at which another task starts to allocate on a CPU.
 */
#ifndef KMEMX_ANALYSIS_BIRTHS_H
#define KMEMX_ANALYSIS_BIRTHS_H

#include "base/compiler.h"

/* On one CPU, @pid allocates from @ts until the next start. */
struct births_start {
	uint64_t ts;
	int32_t pid;
	bool tied;   /* another task allocated before, at the same time */
	bool needed; /* between births_keep() and births_drop() */
};

struct births_cpu {
	struct births_start *starts;
	size_t nr, capacity;
	uint64_t last_ts; /* of its latest allocation */
};

/**
 * struct births - zero-initialise it
 * @count: starts of all CPUs; @limit: above this, it is time to drop some
 * @disordered: time ran backwards on a CPU: all tasks are guesses
 * @failed: memory ran out; the answers are void
 */
struct births {
	struct births_cpu *cpus;
	size_t nr_cpus, capacity;
	size_t count, limit;
	bool disordered, failed;
};

/* Slow path of births_add(). */
void births_start(struct births *b, uint16_t cpu, uint64_t ts, int32_t pid);

/* @pid allocates on @cpu at @ts; the times of a CPU must not run backwards. */
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
 * @guess: set if it may have been another task: two tasks allocated there at the same time of a
 *	coarse clock, or the time ran backwards
 *
 * Return: its pid; INT32_MIN: no allocation of that CPU was added.
 */
int32_t births_find(const struct births *b, uint16_t cpu, uint64_t ts, bool *guess);

/* Is it time to drop starts that no live object needs? Then call births_keep() for the CPU and time
 * of every live object, and births_drop(). This bounds memory by them.
 */
static inline bool births_full(const struct births *b)
{
	return b->count > b->limit;
}

void births_keep(struct births *b, uint16_t cpu, uint64_t ts);
void births_drop(struct births *b);
void births_free(struct births *b);

#endif

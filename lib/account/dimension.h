/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * account: what distinguishes the rows of an account, apart from the callsite.
 * In: an event. Out: its value in each dimension, 32 bits.
 */
#ifndef KMEMX_ACCOUNT_DIMENSION_H
#define KMEMX_ACCOUNT_DIMENSION_H

#include "event/event.h"
#include "event/processes.h"
#include "event/tasks.h"
#include "recording/sample.h"
#include "recording/snapshot.h"

enum dimension {
	DIMENSION_NONE,
	DIMENSION_STACK,
	DIMENSION_PID,
	DIMENSION_CPU,
	DIMENSION_NODE,	   /* the one a slab allocation asked for, or a page is in */
	DIMENSION_KMALLOC, /* bytes of the object; 0 if it is not from kmalloc */
	DIMENSION_GFP,	   /* of slab allocations */
	DIMENSION_COMM,	   /* tasks_number() of the task's name */
	DIMENSION_PROCESS, /* processes_find() of the task */
	DIMENSION_PROGRAM, /* the name of that process, in processes.names; 0: unknown */
	DIMENSION_CGROUP,  /* processes_group() */
	DIMENSION_CHARGED, /* 1: a slab allocation that is charged to a control group */
	DIMENSION_UNIT	   /* unit of the sample; 0: always recorded */
};

/* The most dimensions that a row can have, and that callers can ask for. DIMENSION_UNIT and
 * DIMENSION_GFP do not count towards the latter; a row has at most one of these two, because
 * analyses that need all GFP flags do not work on samples.
 */
#define DIMENSIONS_MAX	 6 /* even: keys have no padding */
#define DIMENSIONS_ASKED 5

/* Zero: rows differ by callsite only. DIMENSION_NONE ends the list. @sample: for DIMENSION_UNIT.
 * @tasks, @processes: the accounts', for DIMENSION_COMM, _PROCESS, _PROGRAM, _CGROUP. @nodes: of
 * pages, for DIMENSION_NODE; NULL: unknown. @task_sums: callers add up all rows of a task, or rows
 * of all tasks, but never only some callsites of a task (struct spent). @coarse: DIMENSION_UNIT is
 * just 0 (always recorded) or 1.
 */
struct dimensions {
	enum dimension of[DIMENSIONS_MAX];
	struct sample sample;
	const struct tasks *tasks;
	const struct processes *processes;
	const struct node_map *nodes;
	bool task_sums, coarse;
};

/* An event's value in each dimension; 0 where there is no dimension. */
struct dimension_values {
	uint32_t of[DIMENSIONS_MAX];
};

/* The index of @d in @all; -1: absent. */
static inline int dimensions_find(const struct dimensions *all, enum dimension d)
{
	for (int i = 0; i < DIMENSIONS_MAX; i++) {
		if (all->of[i] == d)
			return i;
	}
	return -1;
}

/* Adds @d to @all, if there is room among the first @most. */
static inline void dimensions_add(struct dimensions *all, enum dimension d, int most)
{
	int i = 0;

	while (i < most && all->of[i] && all->of[i] != d)
		i++;
	if (i < most)
		all->of[i] = d;
}

/* The node of a page, or that a slab allocation asked for; -1: unknown, or none. */
static inline uint32_t dimension_node(const struct dimensions *all,
				      const struct kmem_event *ev)
{
	if (ev->type != KMEM_PAGE_ALLOC)
		return (uint32_t)ev->slab_alloc.node;
	return all->nodes ? node_map_find(all->nodes, ev->page_alloc.pfn) : UINT32_MAX;
}

/* The number of the sampled unit; 0: always recorded. Distant units can share a number: counting
 * them as one can only widen a confidence interval.
 */
static inline uint32_t dimension_unit(const struct sample *s, const struct kmem_event *ev)
{
	bool page = ev->type == KMEM_PAGE_ALLOC;
	uint64_t unit;

	if (page ? sample_block_certain(s, ev->page_alloc.pfn, ev->page_alloc.order)
		 : sample_object_certain(s, ev->slab_alloc.ptr))
		return 0;
	unit = page ? ev->page_alloc.pfn >> s->block_shift
		    : ev->slab_alloc.ptr >> s->object_shift;
	return (uint32_t)unit ? (uint32_t)unit : 1;
}

/* The value of allocation @ev in dimension @i of @all. */
static inline uint32_t dimension_of(const struct dimensions *all, int i,
				    const struct kmem_event *ev)
{
	bool page = ev->type == KMEM_PAGE_ALLOC;

	switch (all->of[i]) {
	case DIMENSION_STACK:
		return ev->stack;
	case DIMENSION_PID:
		return (uint32_t)ev->pid;
	case DIMENSION_CPU:
		return ev->cpu;
	case DIMENSION_NODE:
		return dimension_node(all, ev);
	case DIMENSION_KMALLOC:
		return kmem_is_kmalloc(ev->type) ? (uint32_t)ev->slab_alloc.bytes_alloc
						 : 0;
	case DIMENSION_GFP:
		return page ? 0 : (uint32_t)ev->slab_alloc.gfp_flags;
	case DIMENSION_COMM:
		return tasks_number(all->tasks, ev->pid);
	case DIMENSION_PROCESS:
		return processes_find(all->processes, ev->pid, ev->ts);
	case DIMENSION_PROGRAM:
		return processes_program(all->processes, ev);
	case DIMENSION_CGROUP:
		return processes_group(all->processes, ev);
	case DIMENSION_CHARGED:
		return ev->accounted;
	case DIMENSION_UNIT:
		return all->coarse ? dimension_unit(&all->sample, ev) > 0
				   : dimension_unit(&all->sample, ev);
	default:
		return 0;
	}
}

static inline struct dimension_values dimension_values_of(const struct dimensions *all,
							  const struct kmem_event *ev)
{
	struct dimension_values v = { 0 };

	for (int i = 0; i < DIMENSIONS_MAX && all->of[i]; i++)
		v.of[i] = dimension_of(all, i, ev);
	return v;
}

/* Replaces task names by task IDs, for callers that must know the task. */
static inline void dimensions_by_task(struct dimensions *all)
{
	int comm = dimensions_find(all, DIMENSION_COMM);

	if (comm >= 0)
		all->of[comm] = DIMENSION_PID;
}

/* The value of @d in @v; 0 if @d is not one of @all. */
static inline uint32_t dimension_value(const struct dimensions *all,
				       const struct dimension_values *v, enum dimension d)
{
	int i = dimensions_find(all, d);

	return i < 0 ? 0 : v->of[i];
}

/* How many allocations each one of the row stands for; 1 if they are always recorded. */
static inline uint32_t dimension_weight(const struct dimensions *all,
					const struct dimension_values *v)
{
	return all->sample.one_in && dimension_value(all, v, DIMENSION_UNIT)
		       ? all->sample.one_in
		       : 1;
}

static inline bool dimension_values_equal(const struct dimension_values *a,
					  const struct dimension_values *b)
{
	return !memcmp(a, b, sizeof(*a));
}

/* Mixes all values into a number for a multiplicative hash. */
static inline uint64_t dimension_values_mix(const struct dimension_values *v)
{
	uint64_t of[DIMENSIONS_MAX / 2], mix = 0;

	memcpy(of, v, sizeof(of));
	for (int i = 0; i < DIMENSIONS_MAX / 2; i++)
		mix = mix * HASH_GOLDEN ^ of[i] ^ of[i] >> 28;
	return mix;
}

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * analysis: compares the events with the change of the kernel's own counters.
 * In: lives of slab objects, page events. Out: net objects of each cache, gross and net pages.
 *
 * Documentation/ledger.md says what is compared and why it may differ.
 */
#ifndef KMEMX_ANALYSIS_LEDGER_H
#define KMEMX_ANALYSIS_LEDGER_H

#include "analysis/analysis.h"
#include "analysis/bounds/census.h"
#include "base/keyed.h"
#include "base/strbuf.h"
#include "event/stack_claims.h"
#include "recording/kernel_curve.h"

/* A change by the trace and by the kernel, and how much of it the events explain. */

/* The absolute value. */
static inline uint64_t ledger_magnitude(int64_t v)
{
	return v < 0 ? -(uint64_t)v : (uint64_t)v;
}

/* How much of a change two sources agree on: 100 - 100 * |kernel - trace| / the larger of both, at
 * least 0; no value if neither changed.
 */
struct cell ledger_explained(int64_t trace, int64_t kernel);

/* A part of a row. @known: the kernel counts it. */
struct ledger_change {
	int64_t trace, kernel;
	bool known;
};

/* The cells of a struct ledger_change; none unless it is known. */
cell_fn ledger_kernel_cell, ledger_unexplained_cell, ledger_explained_cell;

/* The larger of the two, without its sign. */
static inline uint64_t ledger_largest(const struct ledger_change *c)
{
	return LARGER(ledger_magnitude(c->trace), ledger_magnitude(c->kernel));
}

/* The columns of the difference, in @units. The next arguments say where the change is. */
#define LEDGER_CHANGE_COLUMNS(units, ...)                                            \
	{ COLUMN("unexplained", "Difference", units, "The second minus the first."), \
	  .fill = ledger_unexplained_cell, __VA_ARGS__ },                            \
	{                                                                            \
		COLUMN("explained", "Explained", UNIT_PERCENT,                       \
		       "100 % minus the difference's share of the larger of both.",  \
		       .drop = 90),                                                  \
			.fill = ledger_explained_cell, __VA_ARGS__                   \
	}

/**
 * struct ledger_names - the names of caches in frees of objects whose allocation names none
 * @read: slabinfo was read into @census, of which the names and sizes of caches are used
 * @sizes: name's number in the stream -> bytes of an object; 0: slabinfo does not say
 * @named: group << 32 | name's number in the stream -> how many frees named this cache
 */
struct ledger_names {
	bool read;
	struct census census;
	struct u64_map sizes, named;
};

#define LEDGER_STEPS (KERNEL_CURVE_MOMENTS - 1)

/* Objects of a group that events added less those they removed, in one step. */
struct ledger_step_net {
	uint32_t group, step;
	int64_t net;
};

/* Page frames of events in one step. */
struct ledger_step_pages {
	uint64_t allocated, freed;
};

/**
 * struct ledger_steps - ledger_steps_init() it
 * @curve: without moments if the recording has none
 * @nets: by group and step
 * @slab_at, @page_at: the steps of the last events, which come on different threads
 */
struct ledger_steps {
	struct kernel_curve curve;
	INDEXED(struct ledger_step_net) nets;
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

/* At @ts, an event changed the objects of @group by @net. False: no memory. */
bool ledger_steps_slab(struct ledger_steps *s, uint64_t ts, uint32_t group,
		       int64_t net) __must_check;
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
 * Return: true if a quarter of the time or less has four fifths of @missing or more; @burst is then
 * the shortest such time.
 */
bool ledger_row_burst(const struct ledger_row_steps *r, const uint64_t *times,
		      unsigned int nr, int64_t missing, struct ledger_burst *burst);

enum ledger_kind {
	LEDGER_NAMED,	/* @id: the cache name's number in the stream */
	LEDGER_KMALLOC, /* @id: bytes_alloc, @type */
	/* @id: callsite of a kmem_cache_alloc that names no cache, @type: bytes_alloc */
	LEDGER_UNNAMED,
	LEDGER_UNKNOWN, /* frees of objects of an unknown cache; @id: number in .unknown */
};

struct ledger_key {
	uint64_t id;
	uint32_t kind; /* enum ledger_kind */
	uint32_t type; /* enum kmalloc_type, or bytes */
};

/**
 * struct ledger_group - what the events say of one cache, or of a callsite without one
 * @allocs: objects allocated; @freed: frees of these or of older objects
 * @implicit: objects gone without an event: their address was allocated again
 * @again: frees of an object that no event had allocated since its last free
 */
struct ledger_group {
	uint64_t allocs, freed, implicit, again;
};

/* By how much the number of its objects grew; may be negative. */
static inline int64_t ledger_group_net(const struct ledger_group *g)
{
	return (int64_t)(g->allocs - g->freed - g->implicit);
}

/* Key of frees of objects of an unknown cache, which neither the event nor, so far, the page names.
 * @page: address >> SLAB_PAGE_SHIFT; @callsite: of the free.
 */
struct ledger_unknown_key {
	uint64_t page, callsite;
};

/* Who freed an object of a group, without naming the cache. */
struct ledger_freer {
	uint64_t callsite, group;
};

/* A task that ran. A kernel may withhold the events of some tasks, and only its counts have what
 * these allocate. Events in an interrupt do not belong to the task that it interrupts.
 */
struct ledger_task {
	uint64_t ran_ns;
	uint32_t pid;
	bool seen; /* it has an event */
};

/* Tasks without events: how many, and how long they ran together. */
struct ledger_task_sum {
	uint64_t nr, ran_ns;
};

/**
 * struct ledger_tasks - ledger_tasks_init() it
 * @tasks: by pid
 * @last: the task of the last event
 */
struct ledger_tasks {
	INDEXED(struct ledger_task) tasks;
	int32_t last;
};

/* Reads which tasks ran; none, if only some tasks were recorded. 0 or -ENOMEM. */
int ledger_tasks_init(struct ledger_tasks *t, const struct recording *rec) __must_check;
/* Slow path of ledger_tasks_event(). */
void ledger_tasks_see(struct ledger_tasks *t, int32_t pid);

/* Takes an event of slab objects or pages. */
static inline void ledger_tasks_event(struct ledger_tasks *t, const struct kmem_event *ev)
{
	if (t->tasks.nr && ev->pid != t->last && !(ev->flags & FLAGS_CONTEXT))
		ledger_tasks_see(t, ev->pid);
}

/**
 * ledger_tasks_note() - name the tasks without events
 * @cmdlines: the recording's names of tasks; may be NULL
 * @sum: receives their sums
 * @out: receives "3 tasks ran, 45.1 ms together, and have no slab or page event: a (1), b (7),
 *	c (9)", with the 5 tasks that ran longest; nothing if every task has an event
 *
 * Return: 0 or -ENOMEM.
 */
int ledger_tasks_note(const struct ledger_tasks *t, const char *cmdlines,
		      struct ledger_task_sum *sum, struct strbuf *out) __must_check;
void ledger_tasks_free(struct ledger_tasks *t);

/* How an event changed a group's numbers. */
enum ledger_edge_what {
	LEDGER_EDGE_ALLOC,
	LEDGER_EDGE_FREE,
	LEDGER_EDGE_IMPLICIT,
	LEDGER_EDGE_FOUND, /* a free of an object that was counted as implicit before */
	LEDGER_EDGE_AGAIN,
};

/* What it adds to these numbers. */
static inline const struct ledger_group *ledger_effect(enum ledger_edge_what what)
{
	static const struct ledger_group effects[] = {
		[LEDGER_EDGE_ALLOC] = { .allocs = 1 },
		[LEDGER_EDGE_FREE] = { .freed = 1 },
		[LEDGER_EDGE_IMPLICIT] = { .implicit = 1 },
		[LEDGER_EDGE_FOUND] = { .freed = 1, .implicit = UINT64_MAX },
		[LEDGER_EDGE_AGAIN] = { .again = 1 },
	};

	return &effects[what];
}

/* Adds @times times @more to @g. */
static inline void ledger_group_add(struct ledger_group *g,
				    const struct ledger_group *more, int64_t times)
{
	g->allocs += more->allocs * (uint64_t)times;
	g->freed += more->freed * (uint64_t)times;
	g->implicit += more->implicit * (uint64_t)times;
	g->again += more->again * (uint64_t)times;
}

/* An event close to a count, which is taken out of the numbers that are compared with the count. */
struct ledger_edge {
	uint64_t ts;
	uint32_t group;
	enum ledger_edge_what what;
};

/* @counted: when caches were counted; NULL: they were not, or not all events there were kept. */
struct ledger {
	const struct analysis_env *env;
	struct slab_lives *slab;
	uint64_t
		type_masks[KMALLOC_NR_TYPES]; /* GFP bits that choose the type; 0: none */
	KEYED(struct ledger_group) groups;    /* by struct ledger_key */
	struct ledger_names names;
	struct u64_map pages;  /* page of an object -> the group of its latest one */
	struct intern freers;  /* struct ledger_freer */
	struct intern unknown; /* struct ledger_unknown_key */
	const struct slab_edges *counted;
	struct ledger_edge *edges;
	size_t nr_edges;
	struct ledger_tasks tasks;
	struct ledger_steps steps;
	uint64_t nr_slab, nr_page, losses;
	uint64_t pages_allocated, pages_freed;
	bool failed;
};

/* The key of @groups[@group]. */
static inline const struct ledger_key *ledger_key(const struct ledger *ledger,
						  size_t group)
{
	return KEYED_KEY(&ledger->groups, group);
}

/* Does the recording have both snapshots that a ledger needs? */
bool ledger_possible(const struct recording *rec);

extern const struct analysis analysis_ledger;

/* The tables, of slab caches, of steps and of page frames. */
extern const struct table_type ledger_slab_type, ledger_step_type, ledger_page_type;
/* Add those for which there are events and snapshots, or only that of pages. 0 or -ENOMEM. */
int ledger_report(const struct ledger *ledger, struct report *report) __must_check;
void ledger_page_report(const struct ledger *ledger, struct report *report);

#endif

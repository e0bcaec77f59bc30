/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * analysis (internal): what was allocated and is still live: shared by leaks.c, which collects,
 * leaks_rows.c, which adds up, and leaks_view.c, which shows.
 * In: lives. Out: times and growth by row of the accounts; rows of tables.
 */
#ifndef KMEMX_ANALYSIS_LEAKS_H
#define KMEMX_ANALYSIS_LEAKS_H

#include "account/lives.h"
#include "analysis/bounds/bounds.h"
#include "analysis/bounds/reclaimable.h"
#include "analysis/life/births.h"
#include "analysis/life/growth.h"
#include "analysis/life/lifetimes.h"
#include "analysis/life/suppressions.h"
#include "analysis/row/owners.h"
#include "base/keyed.h"

/* What tasks freed as they ended. A program's leaks end with it: what it held is freed by its own
 * exit, and is not live at the end of a recording that lasts longer.
 */

/* Frees of one task, in a row: it allocated hardly anything in between. In bytes. */
struct free_run {
	uint64_t begin, end; /* times of the first and the last free */
	uint64_t freed, allocated;
};

/**
 * struct free_runs - each task's last run; zero-initialise it
 * @runs: by pid; @last: index of @last_pid's run, plus 1
 * @failed: memory ran out; the numbers are void
 */
struct free_runs {
	INDEXED(struct free_run) runs;
	int32_t last_pid;
	uint32_t last;
	bool failed;
};

/* Tasks that ended, in the order of time; zero-initialise it. */
struct task_ends {
	struct task_end {
		uint64_t ts;
		int32_t pid;
	} * items;
	size_t nr;
	bool failed;
};

/**
 * struct freed_at_end - what ended tasks freed, in bytes
 * @nr: tasks that freed something; @pid freed the most, @most bytes, from @begin on
 */
struct freed_at_end {
	uint64_t nr, bytes, most, begin;
	int32_t pid;
};

/* Takes lives of one kind of memory. @bytes: of @life, with those that it stands for. */
void free_runs_take(struct free_runs *r, const struct life *life, uint64_t bytes);
void free_runs_free(struct free_runs *r);
/* Takes events in the order of time; ignores all but ends of tasks. */
void task_ends_take(struct task_ends *e, const struct kmem_event *evs, size_t nr);
void task_ends_free(struct task_ends *e);
/* Adds up the runs that reach up to their task's end, or begin with it. Valid if the clock counts
 * nanoseconds.
 */
struct freed_at_end task_ends_freed(const struct task_ends *e, const struct free_runs *r);

/* Without --older: objects younger than this part of the time may be in flight. */
#define LEAKS_YOUNG_PART 10

/* An account row's series, and how many objects each of the row's stands for. */
struct leaks_account_row {
	uint32_t series, times;
};

/**
 * struct leaks_side - for a kind of memory: lifetimes of freed objects, and live bytes
 * @times, @growth: by series
 * @births: which task allocated
 * @frees: each task's last run of frees
 * @keys: key n belongs to series n - 1
 * @rows: account rows with lives so far: @nr of them
 *
 * Account rows that every table shows in the same row share a series. If figures are estimated from
 * a sample, a live object counts as often as its row stands for.
 */
struct leaks_side {
	struct lifetimes times;
	struct growth growth;
	struct births births;
	struct free_runs frees;
	struct intern keys;
	struct leaks_account_row *rows;
	size_t nr, capacity;
};

/**
 * struct leaks_options - the analysis's own options
 * @older_ns: younger objects may be in flight; 0: the analysis chooses
 * @suppress: known leaks; NULL: none
 */
struct leaks_options {
	uint64_t older_ns;
	const struct suppressions *suppress;
};

/**
 * struct leaks - the analysis
 * @by_task: rows of a table are by task
 * @ns: the clock counts nanoseconds
 */
struct leaks {
	const struct analysis_env *env;
	const struct analysis_options *opts;
	struct leaks_options own;
	struct lives *of[MEMORY_KINDS];
	struct leaks_side sides[MEMORY_KINDS];
	struct reclaimable reclaimable;
	struct task_ends ends;
	bool by_task, ns;
};

/**
 * struct leak - a row of the table
 * @young_to: objects younger than this may be in flight
 * @flight: how many may be, at the rate at which objects came and went before
 * @old, @young: objects or pages that seem to live, and their bytes
 * @likely, @likely_bytes: the best estimate of how many of the old ones live
 * @cache, @cache_bytes: bytes of the old ones that the kernel can reclaim, and the best estimate of
 *	them; @kept_bytes: the estimate of the others; @grows_bytes: the same if they grow
 * @late: bytes of the old ones that are freed in batches
 * @least: age of the youngest of the old ones
 * @longest: the longest lifetime of a freed object; @outlived: bytes of the old ones that have
 *	lived longer
 * @bytes: in a sample: the interval of @old_bytes
 * @pid, @tasks: the task that allocated most of the old ones; the number of tasks that allocated
 *	any
 */
struct leak {
	uint64_t young_to;
	double flight;
	uint64_t old, old_bytes, young, young_bytes;
	uint64_t likely, likely_bytes;
	uint64_t cache, cache_bytes, kept_bytes, grows_bytes, late;
	uint64_t least;
	uint64_t longest, outlived;
	int32_t pid;
	uint32_t tasks;
	uint64_t pid_bytes;
	struct estimate bytes;
	struct net_range net;
	struct growth_fit fit;
};

/* Is a row of the account reclaimable, or freed in batches? */
struct leaks_row_kind {
	bool cache, late;
};

/**
 * struct leaks_view - one table under construction
 * @lives: its account's; @memory: their kind
 * @first, @last: times of the first and the last event
 * @task_bytes: old bytes by table row << 32 | task
 * @guessed: bytes of these whose task is a guess; @failed: no memory for them
 * @series_of: series -> row of the table; UINT32_MAX: left out
 * @cache_series: series -> can the kernel reclaim it?
 * @row_kinds: by row of the account
 * @ages: ages of the old ones, by row of the table; @age_groups: the same, sorted
 * @old_of: in a sample: old bytes by row of the account, not weighted; else NULL
 * @all: in a sample: the interval of all old bytes
 * @suppressed: bytes by line of --suppress; @nr_suppressed: objects or pages
 */
struct leaks_view {
	const struct leaks *l;
	const struct leaks_side *side;
	const struct lives *lives;
	enum memory memory;
	uint64_t first, last;
	struct owners owners;
	struct tasks tasks;
	struct leak *leaks;
	INDEXED(uint64_t) task_bytes;
	uint64_t guessed;
	bool failed, lacks_frees;
	uint32_t *series_of;
	bool *cache_series;
	struct leaks_row_kind *row_kinds;
	struct reclaimable reclaimable;
	struct lifetimes ages;
	struct lifetime_groups age_groups;
	uint64_t *old_of;
	struct estimate all;
	uint64_t *suppressed, nr_suppressed, bytes_suppressed;
	int *row_suppressed; /* by row of the account: a line of --suppress; -1: none */
};

/* Makes the rows of @v by @kind; the members up to @memory must be set. 0 or -ENOMEM;
 * call leaks_view_free() in any case.
 */
int leaks_view_make(struct leaks_view *v, enum subject_kind kind) __must_check;
void leaks_view_free(struct leaks_view *v);

extern const struct table_type *const leaks_tables[];

/* Adds the table of @memory by @kind; @self: struct leaks. 0 or -ENOMEM. */
int leaks_show(const void *self, enum memory memory, enum subject_kind kind,
	       struct report *report) __must_check;

#endif

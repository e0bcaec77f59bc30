/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * analysis: what tasks freed as they ended.
 * In: lives, ends of tasks. Out: who freed most, how much, and since when.
 *
 * A program's leaks end with it: what it held is freed by its own exit, and is not live at the end
 * of a recording that lasts longer.
 */
#ifndef KMEMX_ANALYSIS_TASK_ENDS_H
#define KMEMX_ANALYSIS_TASK_ENDS_H

#include "account/lives.h"

/* Frees of one task, in a row: it allocated hardly anything in between. In bytes. */
struct free_run {
	uint64_t begin, end; /* times of the first and the last free */
	uint64_t freed, allocated;
};

/**
 * struct free_runs - each task's last run; zero-initialise it
 * @by_pid: place in @runs; @last_pid: whose place is @last, plus 1
 * @failed: memory ran out; the numbers are void
 */
struct free_runs {
	struct u64_map by_pid;
	struct free_run *runs;
	size_t nr, capacity;
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
	size_t nr, capacity;
	bool failed;
};

/**
 * struct freed_at_end - what ended tasks freed, in bytes
 * @nr: of tasks that freed something; @pid freed most of them, @most, from @begin on
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
/* Adds up the runs that reach up to their task's end, or begin with it. The clock counts
 * nanoseconds.
 */
struct freed_at_end task_ends_freed(const struct task_ends *e, const struct free_runs *r);

#endif

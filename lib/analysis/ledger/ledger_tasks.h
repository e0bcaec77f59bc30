/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * analysis: tasks that ran during a recording and have no event.
 * In: how long tasks ran (RECORDING_META_TASKS_RAN), events. Out: a note.
 *
 * A kernel may withhold the events of some tasks: only its counts have what these allocate. Events
 * in an interrupt are not those of the task that it interrupts.
 */
#ifndef KMEMX_ANALYSIS_LEDGER_TASKS_H
#define KMEMX_ANALYSIS_LEDGER_TASKS_H

#include "base/hash.h"
#include "base/strbuf.h"
#include "event/event.h"
#include "event/stack_claims.h"
#include "recording/recording.h"

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
 * @by_pid: places in @tasks
 * @last: the task of the last event
 */
struct ledger_tasks {
	struct u64_map by_pid;
	struct ledger_task *tasks;
	size_t nr, capacity;
	int32_t last;
};

/* Reads which tasks ran; none, if only some tasks were recorded. 0 or -ENOMEM. */
int ledger_tasks_init(struct ledger_tasks *t, const struct recording *rec) __must_check;
/* Slow path of ledger_tasks_event(). */
void ledger_tasks_see(struct ledger_tasks *t, int32_t pid);

/* Takes an event of slab objects or pages. */
static inline void ledger_tasks_event(struct ledger_tasks *t, const struct kmem_event *ev)
{
	if (t->nr && ev->pid != t->last && !(ev->flags & FLAGS_CONTEXT))
		ledger_tasks_see(t, ev->pid);
}

/**
 * ledger_tasks_note() - name the tasks without events
 * @cmdlines: the recording's names of tasks; may be NULL
 * @sum: receives them in sum
 * @out: receives "3 tasks ran, 45.1 ms together, and have no slab or page event: a (1), b (7),
 *	c (9)", with the 5 tasks that ran longest; nothing if every task has an event
 *
 * Return: 0 or -ENOMEM.
 */
int ledger_tasks_note(const struct ledger_tasks *t, const char *cmdlines,
		      struct ledger_task_sum *sum, struct strbuf *out) __must_check;
void ledger_tasks_free(struct ledger_tasks *t);

#endif

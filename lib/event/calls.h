/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * event: which system call a task is in.
 * In: events in time order, with raw_syscalls:sys_enter and sys_exit. Out: the call of each event.
 *
 * Calls that were not recorded as a whole are told apart: they began before the first event, ended
 * after the last one, or an event was lost.
 */
#ifndef KMEMX_EVENT_CALLS_H
#define KMEMX_EVENT_CALLS_H

#include "base/hash.h"
#include "base/strbuf.h"
#include "event/event.h"

/* The number of a system call, as in raw_syscalls, or one of these. */
#define CALL_NUMBERS   0x80000000U /* numbers of calls are below this */
#define CALL_SOFTIRQ   0xfffffffbU /* in a softirq, which is not a task's */
#define CALL_INTERRUPT 0xfffffffcU /* in an interrupt */
#define CALL_ODD       0xfffffffdU /* in a call whose number no machine has */
#define CALL_NONE      0xfffffffeU /* the task is in no call */
#define CALL_UNKNOWN   0xffffffffU

/* Is it a call of a task? */
static inline bool call_is_one(uint32_t call)
{
	return call < CALL_NUMBERS || call == CALL_ODD;
}

/* A task. @call: the call it is in; @losses: gaps before its last call event; @born: it has not
 * returned from a call yet; @ended: it no longer runs.
 */
struct call_task {
	int32_t pid;
	uint32_t call, losses;
	bool born, ended;
};

/**
 * struct calls - zero-initialise it
 * @of_pid: pid -> index in @tasks
 * @losses: gaps in the events so far, each of which may hide the begin and end of any call
 */
struct calls {
	struct u64_map of_pid;
	struct call_task *tasks;
	size_t nr, capacity;
	uint32_t losses;
};

/**
 * struct call_change - what an event changes
 * @task: index of the task; UINT32_MAX: none
 * @over: the call that has ended; CALL_NONE: none
 * @whole: all of that call was recorded
 */
struct call_change {
	uint32_t task, over;
	bool whole;
};

/* Learns from the next event. 0 or -ENOMEM. */
int calls_learn(struct calls *c, const struct kmem_event *ev,
		struct call_change *change) __must_check;
/* How the last call of task @task < c->nr ended, if no event follows. */
struct call_change calls_last(const struct calls *c, uint32_t task);
/* Index of the task of an event; UINT32_MAX: no call of that task is known. */
uint32_t calls_task(const struct calls *c, const struct kmem_event *ev);
/* The call in which an event occurred. */
uint32_t calls_find(const struct calls *c, const struct kmem_event *ev);
void calls_free(struct calls *c);

/* Appends the name of call @number on @machine (as in uname): "openat". False: it is not known. */
bool call_name(const char *machine, uint32_t number, struct strbuf *out);

#endif

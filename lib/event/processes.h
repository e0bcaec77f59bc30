/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * event: which process a task belongs to, and which control group a process is in, at any moment.
 * In: a recording's lists of live threads; events of tasks and control groups. Out: the process
 * and the control group of a task at a time.
 *
 * The kernel reuses the IDs of tasks and processes that have ended. Here, each process has a number
 * of its own.
 */
#ifndef KMEMX_EVENT_PROCESSES_H
#define KMEMX_EVENT_PROCESSES_H

#include "base/hash.h"
#include "base/strbuf.h"
#include "event/event.h"
#include "event/formats.h"
#include "recording/recording.h"

/* From @ts on, @key has @value. @rank: how many spans of this key are before it. */
struct timed_value {
	uint64_t ts;
	uint32_t key, value, rank;
};

/**
 * struct spans - zero-initialise it
 * @last: key -> its last span
 * @of: the spans of a key are adjacent once spans_sort() was called
 * @latest: only the last value of each key is kept, for all times; spans_sort() is not needed
 */
struct spans {
	struct u64_map last;
	struct timed_value *of;
	size_t nr;
	bool latest;
};

/* For spans_find(): the value at @ts, which is before @last, the last span of a key; 0: none. */
uint32_t spans_before(const struct timed_value *last, uint64_t ts);

/* The value of @key at @ts; 0: none. */
static inline uint32_t spans_find(const struct spans *s, uint32_t key, uint64_t ts)
{
	const uint32_t *last = u64_map_find(&s->last, key);
	const struct timed_value *span;

	if (!last)
		return 0;
	span = &s->of[*last];
	return likely(span->ts <= ts) ? span->value : spans_before(span, ts);
}

/* The last value of @key, also before spans_sort(); 0: none. */
static inline uint32_t spans_last(const struct spans *s, uint32_t key)
{
	return spans_find(s, key, UINT64_MAX);
}

/**
 * struct process - a process
 * @tgid: its number, that of its first thread
 * @name: its last known name, in processes.names
 * @parent: the process that started it; 0: not known
 * @kernel: it is a thread of the kernel
 * @late: only a list that was made while tracing was on has it
 */
struct process {
	int32_t tgid;
	uint32_t name, parent;
	bool kernel, late;
};

/**
 * struct processes - zero-initialise it
 * @paths: paths of control groups; their numbers are those of the groups
 * @hierarchy: the groups' hierarchy, as in /proc/PID/cgroup
 * @of_task: ID of a task -> process; @group_of: process -> its control group
 * @removed: control groups that were removed
 * @ended: ID of a task that processes_forget() has found ended -> its process
 * @look: appends the control group of a process that still runs, as in the lists: "HIERARCHY:PATH";
 *	NULL: that cannot be known
 * @all: by number; @all[0] is the unknown one
 */
struct processes {
	struct intern names, paths;
	int32_t hierarchy;
	struct spans of_task, group_of;
	struct u64_map removed, ended;
	void (*look)(int32_t pid, struct strbuf *out);
	struct process *all;
	size_t nr;
};

/* Numbers of processes. */
#define PROCESS_UNKNOWN 0U
#define PROCESS_IDLE	1U /* the idle tasks of all CPUs */

/* Numbers in place of a control group. */
#define GROUP_UNKNOWN	0U
#define GROUP_INTERRUPT UINT32_MAX /* an interrupt is not the interrupted task's work */
#define GROUP_KERNEL	(UINT32_MAX - 1) /* threads of the kernel */

/* Is it a group, to which the kernel can charge allocations? */
static inline bool group_is_charged(uint32_t group)
{
	return group < GROUP_KERNEL;
}

/* Does the recording say which process a task belongs to? */
bool processes_known(const struct recording *rec);
/* Does it say which control group a process is in? */
bool processes_groups_known(const struct recording *rec);
/* Reads the lists of a recording, before any event. They are hostile: other lines are skipped. 0 or
 * -ENOMEM.
 */
int processes_read(struct processes *p, const struct recording *rec) __must_check;
/* The same for one list; the ID of a task in it stands for another process than before. */
int processes_read_list(struct processes *p, const char *text, bool late) __must_check;
/* Call it first if events are learned while they are accounted: the answers below are then as of
 * the last event learned, and older values are not kept.
 */
void processes_go_live(struct processes *p,
		       void (*look)(int32_t pid, struct strbuf *out));
/**
 * processes_forget() - drop processes that have ended, and their control groups
 * @runs: does a task still run?
 * @of: by process: 1 keeps it in any case; receives its new number, or 0. p->nr entries
 * @groups: the same by control group, with one entry more than p->paths has
 *
 * Only if live. Keeps processes that ended since the last call, as their last events may still
 * come. 0 or -ENOMEM: the processes can only be freed.
 */
int processes_forget(struct processes *p, bool (*runs)(int32_t pid), uint32_t *of,
		     uint32_t *groups) __must_check;
/* Learns from @nr events in time order; ignores all but those of kmem_is_task(). 0 or -ENOMEM. */
int processes_learn(struct processes *p, const struct kmem_event *evs,
		    size_t nr) __must_check;
/* Reads the lists and learns from all events, even those outside of a report's time window. With
 * @read_ahead, also reads on another thread. Call only the functions below afterwards. 0; -ENOMEM;
 * as event_stream_next().
 */
int processes_of_recording(struct processes *p, const struct recording *rec,
			   const struct event_formats *fmts,
			   bool read_ahead) __must_check;
/* Call it after the last event, before the functions below. 0 or -ENOMEM. */
int processes_learned(struct processes *p) __must_check;

/* The process of task @pid at @ts. */
static inline uint32_t processes_find(const struct processes *p, int32_t pid, uint64_t ts)
{
	return pid ? spans_find(&p->of_task, (uint32_t)pid, ts) : PROCESS_IDLE;
}

/* The control group of the process of allocation @ev. */
uint32_t processes_group(const struct processes *p, const struct kmem_event *ev);
/* The number of the name of the process of @ev; 0: unknown. */
uint32_t processes_program(const struct processes *p, const struct kmem_event *ev);
/* Process @number; the unknown one for numbers that are not used. */
const struct process *processes_get(const struct processes *p, uint32_t number);
/* Its name: "[unknown]", "<idle>", "<...>" where it has none. */
const char *processes_name(const struct processes *p, uint32_t number);
/* Appends its name and those of the processes that started it: "cc;sh;make". */
void processes_path(const struct processes *p, uint32_t number, struct strbuf *out);
/* Appends the path of a control group, or "[unknown]", "[interrupt]", "[kernel threads]". A
 * container's ID, 64 hexadecimal digits, is cut to 12, as docker and podman do in their lists,
 * unless @whole.
 */
void processes_group_path(const struct processes *p, uint32_t group, bool whole,
			  struct strbuf *out);
/* The same, with " (removed)" if the group was removed. */
void processes_group_name(const struct processes *p, uint32_t group, bool whole,
			  struct strbuf *out);
void processes_free(struct processes *p);

#endif

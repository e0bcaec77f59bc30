/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * event: which process a task belongs to, and which control group a process is in, at any moment.
 * In: a recording's lists of live threads; events of tasks and control groups. Out: the process
 * and the control group of a task at a time.
 *
 * The number of a task is used again after its end, and so is that of a process. Each process has a
 * number of its own here.
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
 * @of: those of a key follow each other once spans_sort() was called
 * @latest: only the last value of each key is kept, for all times; spans_sort() is not needed
 */
struct spans {
	struct u64_map last;
	struct timed_value *of;
	size_t nr;
	bool latest;
};

/* For spans_find(): the value of the key of @last before it; 0: none. */
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
 * @late: only a list that was made with tracing on has it
 */
struct process {
	int32_t tgid;
	uint32_t name, parent;
	bool kernel, late;
};

/**
 * struct processes - zero-initialise it
 * @paths: of control groups, which have these numbers
 * @hierarchy: the number of theirs, as in /proc/PID/cgroup
 * @of_task: number of a task -> process; @group_of: process -> its control group
 * @removed: control groups that were removed
 * @ended: processes_forget() has found the end of this task, of that process
 * @look: appends the control group of a process as in the lists, "HIERARCHY:PATH", if it still runs;
 *	NULL: that cannot be known
 * @all: numbered from 1; @all[0] stands for what is not known
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
#define GROUP_INTERRUPT UINT32_MAX /* an interrupt is no work of the task that it hits */
#define GROUP_KERNEL	(UINT32_MAX - 1) /* threads of the kernel */

/* Is it a group, to which the kernel can charge what is allocated? */
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
/* The same for one list; the number of a task in it stands for another process than before. */
int processes_read_list(struct processes *p, const char *text, bool late) __must_check;
/* Call it first if the events are learned as they are accounted for: each answer below is then as
 * of the last event learned, and only that is kept.
 */
void processes_go_live(struct processes *p,
		       void (*look)(int32_t pid, struct strbuf *out));
/**
 * processes_forget() - drop processes that have ended, and their control groups
 * @runs: does a task still run?
 * @of: by process: 1 keeps it in any case; receives its new number, or 0. p->nr entries
 * @groups: the same by control group, with one entry more than p->paths has
 *
 * Only if live. What ended since the last call is kept, as its last events may still come. 0 or
 * -ENOMEM: the processes can only be freed.
 */
int processes_forget(struct processes *p, bool (*runs)(int32_t pid), uint32_t *of,
		     uint32_t *groups) __must_check;
/* Learns from those of @nr events that kmem_is_task(), in time order. 0 or -ENOMEM. */
int processes_learn(struct processes *p, const struct kmem_event *evs,
		    size_t nr) __must_check;
/* Reads the lists and learns from all events, whatever the time that a report covers, on another
 * thread too if @read_ahead. Call only the functions below afterwards. 0; -ENOMEM; as
 * event_stream_next().
 */
int processes_of_recording(struct processes *p, const struct recording *rec,
			   const struct event_formats *fmts,
			   bool read_ahead) __must_check;
/* No event follows: call it before the functions below. 0 or -ENOMEM. */
int processes_learned(struct processes *p) __must_check;

/* The process of task @pid at @ts. */
static inline uint32_t processes_find(const struct processes *p, int32_t pid, uint64_t ts)
{
	return pid ? spans_find(&p->of_task, (uint32_t)pid, ts) : PROCESS_IDLE;
}

/* The control group for which allocation @ev counts: that of its process. */
uint32_t processes_group(const struct processes *p, const struct kmem_event *ev);
/* The number of the name of the process for which @ev counts; 0: unknown. */
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
/* The same, with " (removed)" if it was. */
void processes_group_name(const struct processes *p, uint32_t group, bool whole,
			  struct strbuf *out);
void processes_free(struct processes *p);

#endif

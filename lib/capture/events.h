/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * capture: which events the instance records, of whom, and with which stacks.
 * In: the user's choice. Out: the instance's event files, set.
 */
#ifndef KMEMX_CAPTURE_EVENTS_H
#define KMEMX_CAPTURE_EVENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/compiler.h"
#include "base/log.h"
#include "capture/instance.h"

/* On which events the kernel's callchain is recorded. */
enum capture_stack {
	CAPTURE_STACK_PAGE, /* mm_page_alloc, which does not say who called */
	CAPTURE_STACK_ALL,
	CAPTURE_STACK_NONE,
};

/**
 * struct event_criteria - which allocations are recorded; what is 0 chooses nothing
 * @min_bytes: of the object; pages: of a block that has at least so many
 * @page_bytes: of a page
 * @min_order: of a block of pages; slab objects are chosen by no order
 * @gfp: all of these bits of gfp_flags are set
 * @caches, @nr_caches: names of slab caches, may be shell patterns: one of these
 * @comms, @nr_comms: names of tasks, the same
 */
struct event_criteria {
	uint64_t min_bytes, page_bytes;
	unsigned int min_order;
	uint64_t gfp;
	const char *const *caches;
	size_t nr_caches;
	const char *const *comms;
	size_t nr_comms;
};

/**
 * struct event_choice - what the user wants recorded
 * @slab, @page: the events of the slab and of the page allocator
 * @frag: the page allocator's fallbacks to another migratetype
 * @percpu: how pages come to the lists of the CPUs and leave them
 * @extra: further events, "SYSTEM:EVENT" or "EVENT" (kmem first, then any system), may hold
 *	shell patterns
 * @filter: applied to the events that have its fields; may be NULL
 * @criteria: the same for allocations, where fields are not named; see event_criteria.h
 * @one_in: record one in so many objects and pages, sample_possible(); 0: all
 * @stacks_one_in: record the callchains of one in so many slab objects as well; 0: of none
 * @filter_frees: to frees as well; else those of all objects and pages are recorded, whoever
 *	frees: what was allocated by the chosen tasks is freed by RCU, softirqs and others
 */
struct event_choice {
	bool slab, page, frag, percpu;
	const char *const *extra;
	size_t nr_extra;
	const char *filter;
	struct event_criteria criteria;
	bool filter_frees;
	enum capture_stack stack;
	uint32_t one_in, stacks_one_in;
};

/* How the recorder's own allocations are left out of the recording. */
enum events_self {
	EVENTS_SELF_CONTEXT, /* but for those in interrupts and softirqs that interrupt it */
	EVENTS_SELF_PID,     /* with all that happens in its context, frees too */
	EVENTS_SELF_RECORDED,
};

struct event_name {
	char *system;
	char *name;
	char *filter; /* that the kernel holds for it; NULL: none */
};

struct event_list {
	struct event_name *items;
	size_t count;
};

#define EVENT_PATH_MAX 320
/* The event's file of that name, in an instance. */
void event_path(char path[EVENT_PATH_MAX], const struct event_name *event,
		const char *file);
/* Sets the event's filter and reads it back: 0; -EINVAL if the kernel has another; -errno. */
int event_set_filter(struct event_name *event, const struct instance *in,
		     const char *filter) __must_check;
/* Do triggers record callchains in instances? They do from Linux 5.17 on. */
bool events_have_triggers(void);
/* Has the kernel record a callchain on the event where @filter holds; NULL: always. 0 or -errno. */
int event_set_trigger(const struct event_name *event, const struct instance *in,
		      const char *filter) __must_check;

/**
 * events_select() - the events of @choice that this kernel has
 *
 * A kmem event that the kernel lacks is normal (logged as LOG_INFO); one of @extra that
 * matches nothing is an error.
 *
 * Return: 0, -ENOENT after an LOG_ERROR message, -ENOMEM.
 */
int events_select(struct event_list *list, const struct instance *in,
		  const struct event_choice *choice, const struct log *log) __must_check;
/* The slab or page events of all kernels; how many. */
size_t events_of_kmem(bool page, const char *const **names);
/* The events that the instance records now; 0 or -errno. */
int events_enabled(struct event_list *list, const struct instance *in) __must_check;
void events_free(struct event_list *list);

/**
 * events_leave_out() - leave the recorder's own allocations out of the selected events
 * @self: the process that is left out
 *
 * What interrupts @self, such as the softirq in which RCU frees the objects of all tasks, works
 * for others and is recorded, if the kernel's filters can distinguish it; else the whole process is
 * excluded (Linux 5.7), or recorded; either is logged as LOG_INFO.
 *
 * Return: how it is left out.
 */
enum events_self events_leave_out(struct event_list *list, const struct instance *in,
				  const struct event_choice *choice, pid_t self,
				  const struct log *log) __must_check;
/**
 * events_filter() - set the user's filter of the selected events, beside that of the above
 *
 * Frees have no filter but with @choice->filter_frees.
 *
 * Return: 0; -EINVAL after an LOG_ERROR message that shows the kernel's own diagnosis if no
 * event takes the user's filter; -ENOMEM.
 */
int events_filter(struct event_list *list, const struct instance *in,
		  const struct event_choice *choice, const struct log *log) __must_check;

/**
 * events_only_pids() - restrict the instance to processes, with all their threads
 * @nr: 0: nothing is restricted
 *
 * Their descendants are recorded too: those that run already, and what is forked from now on. A
 * process whose parent has ended descends from nobody that /proc knows, and is not found.
 *
 * Return: 0; -ESRCH after an LOG_ERROR message if one does not exist; -errno after another.
 */
int events_only_pids(const struct instance *in, const pid_t *pids, size_t nr,
		     const struct log *log) __must_check;
/* How many tasks (threads) that run it is restricted to now; 0: to none, or it is unknown. */
size_t events_nr_tasks(const struct instance *in);
/* The same for one task, without looking it up in /proc: the kernel's number of it. */
int events_follow(const struct instance *in, pid_t pid,
		  const struct log *log) __must_check;

/**
 * events_only_group() - restrict the instance to the processes of a control group
 * @dir: of cgroup_find()
 * @log: for errors; NULL: called again, for those that have come
 *
 * What they fork is recorded too, and what leaves the group stays. Return: 0; -ESRCH if there
 * is none so far; -errno; after an LOG_ERROR message.
 */
int events_only_group(const struct instance *in, const char *dir,
		      const struct log *log) __must_check;

/* Sets up callchains. @how receives what was done, for the recording's metadata. */
int events_stacks(const struct event_list *list, const struct instance *in,
		  const struct event_choice *choice, const char **how,
		  const struct log *log) __must_check;

/* Those of the selected events that have a ring buffer of their own, or not. */
enum events_part { EVENTS_ALL, EVENTS_FREES, EVENTS_NO_FREES };

bool event_in_part(const struct event_name *event, enum events_part part);
/* Is there an event among them that ends a life? */
bool events_have_frees(const struct event_list *list);
/* Switches the selected events on in the instance (tracing_on still decides). */
int events_enable(const struct event_list *list, const struct instance *in,
		  enum events_part part, const struct log *log) __must_check;

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * capture: which events the instance records, of which tasks, and with which stacks.
 * In: the user's choice. Out: the instance's event files are set.
 */
#ifndef KMEMX_CAPTURE_EVENTS_H
#define KMEMX_CAPTURE_EVENTS_H

#include <sys/types.h>

#include "base/log.h"
#include "capture/events/instance.h"
#include "recording/sample.h"

/* The events on which the kernel records a callchain. */
enum capture_stack {
	CAPTURE_STACK_PAGE, /* allocations of pages and areas, which have no caller field */
	CAPTURE_STACK_ALL,
	CAPTURE_STACK_NONE,
};

/**
 * struct event_criteria - which allocations are recorded; a criterion that is 0 is not applied
 * @min_bytes: least size of an object; for pages, of the whole block
 * @page_bytes: bytes of a page
 * @min_order: least order of a block of pages; slab objects ignore it
 * @gfp: all these bits are set in gfp_flags
 * @caches, @nr_caches: names of slab caches or shell patterns; one must match
 * @comms, @nr_comms: the same for task names
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
 * @vmalloc, @percpu_memory: areas of vmalloc (Linux 6.3); per-CPU memory (4.14)
 * @calls: entries and exits of system calls
 * @frag: the page allocator's fallbacks to another migratetype
 * @percpu: how pages enter and leave the per-CPU lists
 * @extra: further events, "SYSTEM:EVENT" or "EVENT" (kmem first, then any system), may be shell
 *	patterns
 * @filter: applied to the events that have its fields; may be NULL
 * @criteria: a filter of allocations that names no fields; see event_criteria_filter()
 * @one_in: record one in this many objects and pages, sample_possible(); 0: all
 * @stacks_one_in: also record the callchain of one in this many slab objects; 0: of none
 * @user_stack: also record user-space frames with the callchains of @stack
 * @filter_frees: filter frees too; else all frees are recorded, as RCU, softirqs and other tasks
 *	also free what the chosen tasks allocated
 */
struct event_choice {
	bool slab, page, vmalloc, percpu_memory, calls, frag, percpu;
	const char *const *extra;
	size_t nr_extra;
	const char *filter;
	struct event_criteria criteria;
	bool filter_frees, user_stack;
	enum capture_stack stack;
	uint32_t one_in, stacks_one_in;
};

/* How the recorder's own allocations are left out of the recording. */
enum events_self {
	EVENTS_SELF_CONTEXT, /* but not those of interrupts and softirqs that interrupt it */
	EVENTS_SELF_PID,     /* with all that happens while it runs, even frees */
	EVENTS_SELF_RECORDED,
};

struct event_name {
	char *system;
	char *name;
	char *filter; /* the one that is set in the kernel; NULL: none */
};

struct event_list {
	struct event_name *items;
	size_t count;
};

/* What is known about an event: the fields that can select it, its subject, and whether it is a
 * free. EVENT_STACK: it allocates, but names no caller, or one that may be a wrapper.
 */
enum event_trait {
	EVENT_BYTES = 1 << 0,
	EVENT_ORDER = 1 << 1,
	EVENT_GFP = 1 << 2,
	EVENT_CACHE = 1 << 3,
	EVENT_COMM = 1 << 4,
	EVENT_OBJECT = 1 << 5, /* a slab object */
	EVENT_PAGES = 1 << 6,  /* a block of pages */
	EVENT_FREE = 1 << 7,
	EVENT_STACK = 1 << 8,
	EVENT_AREA = 1 << 9,	  /* an area of vmalloc */
	EVENT_PERCPU = 1 << 10,	  /* per-CPU memory */
	EVENT_CPU_LIST = 1 << 11, /* pages on per-CPU lists */
	EVENT_FALLBACK = 1 << 12, /* to another migratetype */
	EVENT_TAG = 1 << 13,	  /* adds up to the kernel's counts */
	EVENT_TASK = 1 << 14,	  /* a task's process, name or control group */
	EVENT_TASK_END = 1 << 15,
};

/* The events of all kernel versions, each allocation before its free. The last one has no name. */
struct known_event {
	const char *system, *name;
	unsigned int traits;
};

extern const struct known_event known_events[];

/* The allocations of pages and of areas. */
#define EVENT_NAME_PAGE "mm_page_alloc"
#define EVENT_NAME_AREA "alloc_vmap_area"

/* The event's traits; 0: it is not known. @system NULL: any. */
unsigned int event_traits(const char *system, const char *name);

/* Sets the event's filter and reads it back: 0; -EINVAL if the kernel has another; -errno. */
int event_set_filter(struct event_name *event, const struct instance *in,
		     const char *filter) __must_check;
/* Appends @filter, combined with the event's own filter if it has one. */
void event_whole_filter(const struct event_name *event, const char *filter,
			struct strbuf *out);
/* Sets that filter. Errors as event_set_filter(), or -ENOMEM. */
int event_add_filter(struct event_name *event, const struct instance *in,
		     const char *filter) __must_check;
/* A field's size in bytes, from the event's format; 0: there is no such field; -errno. */
int event_field_size(const struct event_name *event, const struct instance *in,
		     const char *field);
/* The kernel's message about the last filter or probe that it rejected; free() it. NULL: none. */
char *events_diagnosis(const struct instance *in);
/* Do triggers act on the instance that they are set in? Linux 5.17 or later (ce33c845b030,
 * b94bc80df648); earlier ones acted on the top-level instance, which we must not touch.
 */
bool events_have_triggers(void);
/* Make the kernel record a callchain on the event where @filter holds; NULL: always. 0 or -errno.
 */
int event_set_trigger(const struct event_name *event, const struct instance *in,
		      const char *filter) __must_check;

/**
 * events_select() - list the events of @choice that this kernel has
 *
 * A kmem event that the kernel lacks is normal (logged as LOG_INFO); one of @extra that
 * matches nothing is an error.
 *
 * Return: 0, -ENOENT after a LOG_ERROR message, -ENOMEM.
 */
int events_select(struct event_list *list, const struct instance *in,
		  const struct event_choice *choice, const struct log *log) __must_check;
/* Adds an event that the list lacks. 0 or -ENOMEM. */
int event_list_add(struct event_list *list, const char *system,
		   const char *name) __must_check;
/* The events that the instance records now; 0 or -errno. */
int events_enabled(struct event_list *list, const struct instance *in) __must_check;
void events_free(struct event_list *list);

/**
 * events_leave_out() - leave the recorder's own allocations out of the selected events
 * @self: the process that is left out
 *
 * Code that interrupts @self works for other tasks, such as the softirq in which RCU frees their
 * objects. It is recorded if the kernel's filters can distinguish it. Otherwise the whole process
 * is excluded (Linux 5.7) or recorded; either is logged as LOG_INFO.
 *
 * Return: how the process is left out.
 */
enum events_self events_leave_out(struct event_list *list, const struct instance *in,
				  const struct event_choice *choice, pid_t self,
				  const struct log *log) __must_check;
/**
 * events_filter() - add the user's filter to that of events_leave_out()
 *
 * Frees are filtered only with @choice->filter_frees.
 *
 * Return: 0; -EINVAL after a LOG_ERROR message with the kernel's own diagnosis if no event accepts
 * the user's filter; -ENOMEM.
 */
int events_filter(struct event_list *list, const struct instance *in,
		  const struct event_choice *choice, const struct log *log) __must_check;

/**
 * events_only_pids() - restrict the instance to processes, with all their threads
 * @nr: 0: no restriction
 *
 * Their descendants are recorded too: those that already run, and what is forked from now on. A
 * process whose parent has ended is not found, as /proc no longer shows whose descendant it is.
 *
 * Return: 0; -ESRCH after a LOG_ERROR message if one does not exist; -errno after another.
 */
int events_only_pids(const struct instance *in, const pid_t *pids, size_t nr,
		     const struct log *log) __must_check;
/* How many running tasks (threads) the instance is restricted to; 0: no restriction, or unknown. */
size_t events_nr_tasks(const struct instance *in);
/* Is any of them still running? True if unknown. */
bool events_has_tasks(const struct instance *in);
/* As events_only_pids(), for one task by the kernel's number, without looking it up in /proc. */
int events_follow(const struct instance *in, pid_t pid,
		  const struct log *log) __must_check;

/**
 * events_only_group() - restrict the instance to the processes of a control group
 * @dir: from cgroup_find()
 * @log: for errors; NULL: a later call, for processes that have joined
 *
 * What they fork is recorded too; a process that leaves the group is still recorded. Return: 0;
 * -ESRCH if the group is still empty; -errno; both after a LOG_ERROR message.
 */
int events_only_group(const struct instance *in, const char *dir,
		      const struct log *log) __must_check;

/* Sets up callchains. @how receives what was done, for the recording's metadata. */
int events_stacks(const struct event_list *list, const struct instance *in,
		  const struct event_choice *choice, const char **how,
		  const struct log *log) __must_check;

/* Returns @in or its instance of frees, whichever records the event. */
const struct instance *event_instance(const struct event_name *event,
				      const struct instance *in);
/* Enables each selected event in the instance that records it (tracing_on still decides). */
int events_enable(const struct event_list *list, const struct instance *in,
		  const struct log *log) __must_check;

/* Is any criterion set? */
bool event_criteria_any(const struct event_criteria *c);

/**
 * event_criteria_filter() - the filter of one event
 * @name: name of a kmem event
 * @filter_frees: frees must meet all criteria; else only the one that also holds at the free, the
 *	object's cache
 * @out: receives the filter; empty: every such event is recorded
 *
 * Return: the name of the most important field that the filter needs, which not all kernels' events
 * have; NULL: there is no filter.
 */
const char *event_criteria_filter(const struct event_criteria *c, const char *name,
				  bool filter_frees, struct strbuf *out);

/**
 * events_criteria() - set the filters of the selected events, and read them back
 *
 * An event's existing filter stays, combined with that of the criteria.
 *
 * Return: 0; -errno after a LOG_ERROR message: -ENOTSUP if an event lacks a field.
 */
int events_criteria(struct event_list *list, const struct instance *in,
		    const struct event_choice *choice,
		    const struct log *log) __must_check;

/**
 * events_sample() - make the kernel drop what is not in the sample
 *
 * Adds to the filter of each slab and page allocator event, and reads it back; other events do not
 * change. Call it after all other filters are set: events_leave_out() and events_filter() replace
 * filters.
 *
 * Return: 0; -errno after a LOG_ERROR message: -ENOTSUP if an event has neither "ptr" nor "pfn",
 * -EINVAL if the kernel rejects the filter.
 */
int events_sample(struct event_list *list, const struct instance *in,
		  const struct sample *s, const struct log *log) __must_check;
/**
 * events_sample_stacks() - record a callchain on the slab allocations of the sample
 *
 * All allocations stay recorded. Return: 0; -errno without a message: this kernel cannot.
 */
int events_sample_stacks(const struct event_list *list, const struct instance *in,
			 const struct sample *s) __must_check;

/* Appends a filter that passes what sample_object() keeps. With @is_free it drops kfree(NULL),
 * which is frequent. The event must have the field "ptr".
 */
void sample_filter_object(const struct sample *s, bool is_free, struct strbuf *out);
/* Appends a filter that passes what sample_block() keeps. The event must have the field "pfn", and
 * with @has_order "order". @long_size: bytes of pfn, 4 or 8.
 */
void sample_filter_block(const struct sample *s, bool has_order, unsigned int long_size,
			 struct strbuf *out);

#endif

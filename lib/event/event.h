/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * event: the kmem events as plain data.
 * In: nothing. Out: the union that decode.c fills and every analysis reads.
 */
#ifndef KMEMX_EVENT_EVENT_H
#define KMEMX_EVENT_EVENT_H

#include "base/bytes.h"

enum kmem_event_type {
	KMEM_LOSS,  /* not an event: a gap in one CPU's events */
	KMEM_OTHER, /* an event that kmemx does not interpret */
	KMEM_KMALLOC,
	KMEM_KMALLOC_NODE,
	KMEM_CACHE_ALLOC,
	KMEM_CACHE_ALLOC_NODE,
	KMEM_KFREE,
	KMEM_CACHE_FREE,
	KMEM_PAGE_ALLOC,
	KMEM_PAGE_FREE,
	KMEM_PAGE_FREE_BATCHED,
	KMEM_PAGE_ALLOC_ZONE_LOCKED,
	KMEM_PAGE_PCPU_DRAIN,
	KMEM_PAGE_ALLOC_EXTFRAG,
	KMEM_KERNEL_STACK, /* only if no event claimed it */
	/* Probes of the recorder; each names any number of slab objects. */
	KMEM_FREE_RCU,	 /* an object is handed to RCU, which frees it later */
	KMEM_FREE_BULK,	 /* kmem_cache_free_bulk() */
	KMEM_ALLOC_BULK, /* kmem_cache_alloc_bulk() */
	/* Areas of vmalloc, and per-CPU memory. */
	KMEM_VMALLOC_ALLOC,
	KMEM_VMALLOC_FREE,
	KMEM_PERCPU_ALLOC,
	KMEM_PERCPU_FREE,
	KMEM_TASK_EXIT,	  /* of the event's own task */
	KMEM_TASK_NEW,	  /* by the event's own task */
	KMEM_TASK_RENAME, /* of any task */
	/* Events of control groups. */
	KMEM_GROUP_MOVE, /* a process moves to a group */
	KMEM_GROUP_REMOVE,
	KMEM_CALL_ENTER, /* the event's own task begins a system call */
	KMEM_CALL_EXIT,
	KMEM_NR_TYPES,
};

/* Related types are adjacent in the enum, so each of these is a range. */
static inline bool kmem_is_slab(unsigned int type)
{
	return type >= KMEM_KMALLOC && type <= KMEM_CACHE_FREE;
}

/* Such events use @slab_alloc of kmem_event; the others of kmem_is_slab() use @slab_free. */
static inline bool kmem_is_slab_alloc(unsigned int type)
{
	return type >= KMEM_KMALLOC && type <= KMEM_CACHE_ALLOC_NODE;
}

static inline bool kmem_is_slab_free(unsigned int type)
{
	return type == KMEM_KFREE || type == KMEM_CACHE_FREE;
}

/* Such events use @objects of kmem_event. */
static inline bool kmem_is_probe(unsigned int type)
{
	return type >= KMEM_FREE_RCU && type <= KMEM_ALLOC_BULK;
}

/* Is an area of vmalloc, or per-CPU memory, allocated or freed? Such events use @slab_alloc and
 * @slab_free of kmem_event.
 */
static inline bool kmem_is_area(unsigned int type)
{
	return type >= KMEM_VMALLOC_ALLOC && type <= KMEM_PERCPU_FREE;
}

static inline bool kmem_is_area_alloc(unsigned int type)
{
	return type == KMEM_VMALLOC_ALLOC || type == KMEM_PERCPU_ALLOC;
}

/* Does it say which process a task belongs to, its name, or a process's control group? */
static inline bool kmem_is_task(unsigned int type)
{
	return type >= KMEM_TASK_NEW && type <= KMEM_GROUP_REMOVE;
}

static inline bool kmem_is_call(unsigned int type)
{
	return type == KMEM_CALL_ENTER || type == KMEM_CALL_EXIT;
}

/* Does it end the lives of slab objects or areas? */
static inline bool kmem_ends_objects(unsigned int type)
{
	return kmem_is_slab_free(type) || type == KMEM_FREE_RCU ||
	       type == KMEM_FREE_BULK || type == KMEM_VMALLOC_FREE ||
	       type == KMEM_PERCPU_FREE;
}

static inline bool kmem_is_kmalloc(unsigned int type)
{
	return type == KMEM_KMALLOC || type == KMEM_KMALLOC_NODE;
}

/* Are pages allocated or freed? Excludes the page allocator's internal events: zones, lists of
 * CPUs, fallbacks.
 */
static inline bool kmem_is_page(unsigned int type)
{
	return type >= KMEM_PAGE_ALLOC && type <= KMEM_PAGE_FREE_BATCHED;
}

#define KMEM_LOSS_UNKNOWN UINT64_MAX
#define KMEM_NO_PFN	  UINT64_MAX /* a failed page allocation, whatever the word size */
#define KMEM_OBJECTS_MAX \
	64U /* objects in a probe's record: the kernel's limit for arrays */

/**
 * struct kmem_event - one event, or a loss, in time order
 * @ts: in the buffer's clock units (nanoseconds for most)
 * @data, @size: the raw record; valid until the next event is taken
 * @stack: its callchain's number in the stream's stack table; 0 if it has none
 * @id: the format's ID in this recording
 * @flags: common_flags (irq context bits); @pid: common_pid, the interrupted task's
 * @hidden: an allocation that the user's filter hides; set only where there is a filter
 * @guessed: @stack is that of another allocation; set only by analysis/filter/stack_guess.h
 * @accounted: the kernel is asked to charge this slab allocation to a control group
 *
 * @id, @flags and @pid are laid out as in a record of nearly every kernel, with @type in place of
 * the preemption count, so that decode.c can copy them at once.
 */
struct kmem_event {
	uint64_t ts;
	const uint8_t *data;
	uint32_t size;
	uint32_t stack;
	uint16_t id;
	uint8_t flags;
	uint8_t type; /* enum kmem_event_type */
	int32_t pid;
	uint32_t cpu;
	uint16_t buffer; /* index into recording.buffers */
	bool hidden;
	bool guessed : 1, accounted : 1;
	union {
		struct {
			uint64_t callsite, ptr, bytes_req, bytes_alloc, gfp_flags;
			int32_t node;	/* -1: none given */
			uint32_t cache; /* name's number, 0 if the event has none */
		} slab_alloc; /* KMALLOC, CACHE_ALLOC and their _NODE; of areas too: no node,
					   no cache, callsite 0 if the event has none */
		struct {
			uint64_t callsite, ptr; /* ptr 0: kfree(NULL) */
			uint32_t cache;
		} slab_free; /* KFREE, CACHE_FREE; of areas too, with callsite 0 */
		struct {
			uint64_t
				callsite; /* or the probed function; 0: the event has none */
			uint64_t ptr;	  /* the first object; 0: the event names none */
			uint32_t cache;	 /* 0 */
			uint32_t nr;	 /* objects that the event names: kmem_object() */
			uint64_t unseen; /* other objects of the call */
			const uint8_t *at; /* in @data; NULL: @ptr is the only one */
			uint8_t size;	   /* bytes of each object at @at */
			bool big_endian;
		} objects; /* FREE_RCU, FREE_BULK, ALLOC_BULK */
		struct {
			uint64_t pfn; /* KMEM_NO_PFN: the allocation failed */
			union {
				uint64_t gfp_flags;
				uint64_t refill; /* ZONE_LOCKED: 1: for a CPU's list */
			};
			uint32_t order;
			int32_t migratetype; /* the requested one */
		} page_alloc; /* PAGE_ALLOC, ZONE_LOCKED, PCPU_DRAIN (without the union) */
		struct {
			uint64_t pfn;
			uint32_t order; /* 0 for PAGE_FREE_BATCHED */
		} page_free;
		struct {
			uint64_t pfn;
			int32_t alloc_order, fallback_order;
			int32_t alloc_migratetype, fallback_migratetype;
			int32_t change_ownership;
		} extfrag;
		struct {
			const char *name; /* in @data; not NUL terminated */
			uint32_t name_size;
			int32_t pid;	      /* the new task, or the renamed one */
			uint64_t clone_flags; /* of TASK_NEW */
		} task;			      /* TASK_NEW, TASK_RENAME */
		struct {
			const char *path; /* in @data; not NUL terminated */
			uint32_t path_size;
			int32_t pid; /* the process that moves */
			int32_t hierarchy;
		} group;       /* GROUP_MOVE, GROUP_REMOVE */
		uint32_t call; /* CALL_ENTER, CALL_EXIT: its number, or CALL_ODD */
		struct {
			uint64_t count;	   /* or KMEM_LOSS_UNKNOWN */
			uint64_t since_ts; /* last event before the gap; 0 at the start */
		} loss;
	};
};

/* Object @i < nr of an event of kmem_is_probe(). */
static inline uint64_t kmem_object(const struct kmem_event *ev, uint32_t i)
{
	if (!ev->objects.at)
		return ev->objects.ptr;
	return get_uint(ev->objects.at + (size_t)i * ev->objects.size, ev->objects.size,
			ev->objects.big_endian);
}

/* Is it an allocation of a slab object or of pages that failed? */
static inline bool kmem_alloc_failed(const struct kmem_event *ev)
{
	return (kmem_is_slab_alloc(ev->type) && !ev->slab_alloc.ptr) ||
	       (ev->type == KMEM_PAGE_ALLOC && ev->page_alloc.pfn == KMEM_NO_PFN);
}

/* common_flags in a hard interrupt, in a softirq: TRACE_FLAG_HARDIRQ, TRACE_FLAG_SOFTIRQ of
 * include/linux/trace_events.h.
 */
#define KMEM_FLAG_HARDIRQ 0x08
#define KMEM_FLAGS_IRQ	  (KMEM_FLAG_HARDIRQ | 0x10)

/* Did it occur in a hard or soft interrupt, or with interrupts disabled? */
static inline bool kmem_in_interrupt(const struct kmem_event *ev)
{
	/* TRACE_FLAG_IRQS_OFF, _HARDIRQ and _SOFTIRQ of the kernel's trace_flag_type. */
	return ev->flags & (0x01 | KMEM_FLAGS_IRQ);
}

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * event: the events of one CPU in their own order, each with its stack.
 * In: one CPU's sub-buffers. Out: small items, a sub-buffer's worth at a time.
 */
#ifndef KMEMX_EVENT_CPU_EVENTS_H
#define KMEMX_EVENT_CPU_EVENTS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/hash.h"
#include "base/log.h"
#include "event/decode.h"
#include "event/stream.h"
#include "recording/cpu_cursor.h"

/**
 * struct cpu_batch - the items of one sub-buffer
 * @items: the loss before the sub-buffer, if any, is the first one, with no data
 * @missed: what its loss item says: a number or KMEM_LOSS_UNKNOWN
 * @since_ts: the last event before that loss
 */
struct cpu_batch {
	struct raw_item *items;
	uint32_t nr, capacity;
	uint64_t missed;
	uint64_t since_ts;
};

#define CPU_RECENT_STACKS 1024U

/* What the CPUs of a stream have in common; owned by the stream. */
struct cpu_shared {
	struct decoder *dec;
	const struct event_format **formats; /* by id, CPU_SHARED_IDS of them */
	uint64_t *by_id;		     /* as many */
	struct intern stacks;
	uint32_t recent_stacks[CPU_RECENT_STACKS]; /* by some of their frames; 0: none */
	uint64_t *frames;			   /* room for one stack */
	uint32_t nr_frames;
	uint64_t start_ts, stop_ts;
	bool keep_stacks;
	struct read_ahead *ahead; /* may be NULL */
	struct event_stream_stats *stats;
	const struct log *log;
};

#define CPU_SHARED_IDS 65536U

/* The event that a stack in one context (task, softirq, hardirq, NMI and their mixtures)
 * would belong to.
 */
struct cpu_claim {
	struct cpu_batch *batch; /* NULL: none, or it has a stack already */
	uint32_t index; /* CPU_CLAIM_SILENT: not an item (outside of the window) */
	int32_t pid;
};

#define CPU_CLAIM_SILENT UINT32_MAX
#define CPU_NR_CONTEXTS	 8

/* Bits of common_flags that name the context (the kernel's enum trace_flag_type). */
#define FLAG_HARDIRQ 0x08
#define FLAG_SOFTIRQ 0x10
#define FLAG_NMI     0x40

/* The context that common_flags tell, below CPU_NR_CONTEXTS. */
static inline unsigned int cpu_context_of(uint8_t flags)
{
	return (flags & (FLAG_HARDIRQ | FLAG_SOFTIRQ)) >> 3 | (flags & FLAG_NMI) >> 4;
}

/**
 * struct cpu_events - the walk along one CPU
 * @now: the batch being given out, from @pos on; @ahead: the next one, already read,
 *	 because the stack of @now's last event may lie there
 */
struct cpu_events {
	struct cpu_shared *shared;
	struct event_stream_cpu *stats;
	struct cpu_cursor *cursor;
	struct cpu_batch batches[2];
	struct cpu_batch *now, *ahead;
	uint32_t pos;
	struct cpu_claim claims[CPU_NR_CONTEXTS];
	uint64_t last_ts;
	bool damaged;	/* something unreadable lies before the next sub-buffer */
	bool ended;	/* nothing more to be read */
	bool past_stop; /* the time window is over */
};

/* @stats tells buffer and CPU, and is counted up; it and @shared outlive the CPU. */
int cpu_events_open(struct cpu_events *ce, struct cpu_shared *shared,
		    struct event_stream_cpu *stats, const struct recording *rec,
		    uint32_t cpu_index) __must_check;
/**
 * cpu_events_refill() - go on to the next batch that has items
 *
 * To be called at the start and when cpu_events_head() is NULL. The data of the items of
 * the batch before stays valid until the next call.
 *
 * Return: 1; 0 at the end; -EIO, -ENOMEM.
 */
int cpu_events_refill(struct cpu_events *ce) __must_check;
void cpu_events_close(struct cpu_events *ce);

/* The next item; NULL: call cpu_events_refill(). */
static inline const struct raw_item *cpu_events_head(const struct cpu_events *ce)
{
	return ce->pos < ce->now->nr ? &ce->now->items[ce->pos] : NULL;
}

#endif

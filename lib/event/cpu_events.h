/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * event: the events of one CPU in order, each with its stack.
 * In: one CPU's sub-buffers. Out: small items, a sub-buffer's worth at a time.
 */
#ifndef KMEMX_EVENT_CPU_EVENTS_H
#define KMEMX_EVENT_CPU_EVENTS_H

#include "base/hash.h"
#include "base/log.h"
#include "event/decode.h"
#include "event/stack_claims.h"
#include "event/stream.h"
#include "event/user_stacks.h"
#include "recording/cpu_cursor.h"

#define RECENT_STACKS 2048U

/* The slot of a stack with these frames. Stacks with the same first frames differ in the middle. */
static inline uint32_t recent_stack_slot(const uint8_t *frames, uint32_t nr)
{
	size_t step = nr / 4 * 8UL;
	uint64_t some[4];

	memcpy(&some[0], frames + step, 8);
	memcpy(&some[1], frames + 2 * step, 8);
	memcpy(&some[2], frames + 3 * step, 8);
	memcpy(&some[3], frames + 4 * step - 8, 8);
	some[0] = (some[0] + nr) * HASH_GOLDEN + some[1];
	some[2] = (some[0] ^ some[0] >> 32) * HASH_GOLDEN + some[2];
	some[3] = (some[2] ^ some[2] >> 32 ^ some[3]) * HASH_GOLDEN;
	return (uint32_t)(some[3] >> 32) % RECENT_STACKS;
}

/**
 * struct cpu_batch - the items of one sub-buffer
 * @items: the loss before the sub-buffer, if any, is the first one, with no data
 * @missed: how many events its loss item lost, or KMEM_LOSS_UNKNOWN
 * @since_ts: time of the last event before that loss
 * @data, @size: the sub-buffer, which holds the items' data; @copy: the batch's own copy of it
 * @ahead_bytes: its share of the stream's ahead_bytes
 * @next: the batch of the next sub-buffer, if that has been read
 */
struct cpu_batch {
	struct raw_item *items;
	uint32_t nr;
	size_t capacity;
	uint64_t missed;
	uint64_t since_ts;
	const uint8_t *data;
	uint32_t size;
	uint8_t *copy;
	uint64_t ahead_bytes;
	struct cpu_batch *next;
};

/* How much all CPUs together read ahead for callchains: some 1000 sub-buffers of 4 KiB. */
#define CPU_AHEAD_BYTES (16U << 20)

/**
 * struct cpu_shared - what the CPUs of a stream have in common; owned by the stream
 * @ahead_bytes: bytes read ahead, at most @ahead_max
 * @stopped: a search for a callchain gave up at @ahead_max
 */
struct cpu_shared {
	struct decoder *dec;
	const struct event_format **formats; /* by id, CPU_SHARED_IDS of them */
	uint64_t *by_id;		     /* as many */
	struct intern stacks;
	/* The last two stacks with the same first frames; 0: none. */
	uint32_t recent_stacks[RECENT_STACKS][2];
	uint32_t stack;	  /* the number of the last one */
	uint64_t *frames; /* room for one stack */
	size_t nr_frames;
	uint64_t start_ts, stop_ts;
	bool keep_stacks;
	struct user_stacks *users; /* NULL: the recording has no user frames */
	uint64_t ahead_bytes, ahead_max;
	bool stopped;
	struct read_ahead *ahead; /* may be NULL */
	struct event_stream_stats *stats;
	const struct log *log;
};

#define CPU_SHARED_IDS 65536U
#define CPU_SILENT     ((uintptr_t)1)
/* Bits of a claim, with @users: which parts of its callchain the item has. */
#define CPU_HAS_KERNEL ((uintptr_t)2)
#define CPU_HAS_USER   ((uintptr_t)4)
#define CPU_CLAIM_BITS (CPU_HAS_KERNEL | CPU_HAS_USER)

/**
 * struct cpu_events - the walk along one CPU
 * @now: the batch being handed out, followed by batches that have been read: always one, because it
 *	may hold the stack of @now's last event, and more if interrupts filled that one
 * @last: the last of them
 * @spare: memory for the next batch
 * @claims: an owner is an item, or CPU_SILENT for an event outside of the time window
 * @user: number of the user frames that came before the kernel's, by context
 */
struct cpu_events {
	struct cpu_shared *shared;
	struct event_stream_cpu *stats;
	struct cpu_cursor *cursor;
	struct cpu_batch *now, *last, *spare;
	struct stack_claims claims;
	uint32_t user[STACK_CONTEXTS];
	uint64_t last_ts;
	bool damaged;	/* something unreadable lies before the next sub-buffer */
	bool cut;	/* something is missing after the last sub-buffer */
	bool ended;	/* nothing more to be read */
	bool past_stop; /* the time window is over */
};

/* @stats must have buffer and CPU; its counters are increased. It and @shared must outlive @ce. */
int cpu_events_open(struct cpu_events *ce, struct cpu_shared *shared,
		    struct event_stream_cpu *stats, const struct recording *rec,
		    uint32_t cpu_index) __must_check;
/**
 * cpu_events_refill() - go on to the next batch that has items
 *
 * Call it at the start and when all items of @now have been taken. The data of the previous batch's
 * items stays valid until the next call.
 *
 * Return: 1; 0 at the end; -EIO, -ENOMEM.
 */
int cpu_events_refill(struct cpu_events *ce) __must_check;
/* Copies the data of items that were not taken yet, so that the fed memory may be freed. 0 or
 * -ENOMEM.
 */
int cpu_events_keep(struct cpu_events *ce) __must_check;
/**
 * cpu_events_feed() - go on with new sub-buffers
 *
 * Call it after everything was read, as for cpu_cursor_feed(). Items that were not taken yet stay,
 * and their callchains may be in the new sub-buffers. Return: 0, -ENOMEM.
 */
int cpu_events_feed(struct cpu_events *ce, const void *pages, size_t size) __must_check;
void cpu_events_close(struct cpu_events *ce);

#endif

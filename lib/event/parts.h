/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * event: all events of a recording, parted by the addresses that they speak of.
 * In: a stream that nobody has read from. Out: to each part its events in time order, many
 * parts at a time.
 *
 * A life needs order only among the events of its own address. So the CPUs are scanned and
 * decoded on many threads, be it one CPU on all of them, each event goes to the part of its
 * address, and each part merges what concerns it. What belongs to which part does not depend on the
 * number of threads, nor does anything else that is counted: so the results are the same for any
 * number.
 */
#ifndef KMEMX_EVENT_PARTS_H
#define KMEMX_EVENT_PARTS_H

#include <stddef.h>
#include <stdint.h>

#include "base/compiler.h"
#include "event/stream.h"

#define EVENT_PARTS 16U

/* Objects of one slab are in one part: of up to 32 KiB, SLUB's largest. */
#define EVENT_PARTS_SLAB_SHIFT 15

/* The part of all addresses that have the same @high bits: what is left of an address or a page
 * frame number when the low ones are shifted out.
 */
static inline unsigned int event_part(uint64_t high)
{
	return (unsigned int)(high * 0x9e3779b97f4a7c15ULL >> 60);
}

/**
 * struct event_part - who takes the events of a part
 * @take: they are valid during the call. Their data, size and ID are not there; their place tells
 *	 which of two events of the same time stamp came first, also across parts
 * @end: no event follows; may be NULL
 */
struct event_part {
	void (*take)(void *ctx, const struct kmem_event *evs, size_t nr);
	void (*end)(void *ctx);
	void *ctx;
};

/**
 * struct event_parts - how to read in parts
 * @jobs: threads, the caller's included
 * @page_shift: low bits of a page frame number that do not decide on its part
 * @parts: one for each value of event_part()
 * @pause: called on the caller's thread now and then, while no part takes anything, with the
 *	  number of events so far; may be NULL. It returns 0; or a negative number, which ends the
 *	  reading: -EAGAIN as where parts are not possible; another one also ends the stream
 */
struct event_parts {
	unsigned int jobs, page_shift;
	struct event_part parts[EVENT_PARTS];
	int (*pause)(void *ctx, uint64_t nr_events);
	void *ctx;
};

/**
 * event_parts_run() - read the whole stream
 *
 * Stretches of the CPUs' sub-buffers are scanned side by side, while the parts take what was
 * scanned before. Slab and page events go to the part of their address, losses to every part,
 * others to none.
 * When it returns 0 the stream is at its end, with its stats, stacks and names.
 *
 * Return: 0; -EAGAIN where parts would not give what reading in one order does: a block of pages
 * that belongs to two parts, damage, times that run backwards. The stream is at its start
 * then, and has reported nothing; what the parts have taken is void. -ENOMEM, and what .pause
 * returns: the stream is void, too, and gives the same for each event that is asked for.
 */
int event_parts_run(struct event_stream *st, const struct event_parts *how) __must_check;

#endif

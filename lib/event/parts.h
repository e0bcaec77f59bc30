/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * event: all events of a recording, divided into parts by their addresses.
 * In: a stream that was not read yet. Out: each part's events in time order, several parts at a
 * time.
 *
 * A life needs order only among the events of its own address. So many threads scan and decode the
 * CPUs (even one CPU on all threads), each event goes to the part of its address, and each part
 * merges its own events. Neither the parts nor any count depends on the number of threads, so the
 * results are the same for any number.
 */
#ifndef KMEMX_EVENT_PARTS_H
#define KMEMX_EVENT_PARTS_H

#include <stddef.h>
#include <stdint.h>

#include "base/compiler.h"
#include "event/stream.h"

#define EVENT_PARTS 16U

/* All objects of one slab are in one part: slabs have up to 32 KiB, SLUB's largest. */
#define EVENT_PARTS_SLAB_SHIFT 15

/* The part of all addresses with the same @high bits: an address or page frame number shifted
 * right.
 */
static inline unsigned int event_part(uint64_t high)
{
	return (unsigned int)(high * 0x9e3779b97f4a7c15ULL >> 60);
}

/**
 * struct event_part - takes the events of a part
 * @take: events are valid during the call. They have no data, size and ID; their place tells which
 *	of two events with the same time stamp came first, also across parts
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
 * @page_shift: low bits of a page frame number that do not select its part
 * @parts: one for each value of event_part()
 * @pause: called on the caller's thread now and then, while no part takes anything, with the
 *	  number of events so far; may be NULL. It returns 0; or a negative number, which ends the
 *	  reading: -EAGAIN has the effect of parts not being possible; others also end the stream
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
 * Stretches of the CPUs' sub-buffers are scanned in parallel, while the parts take the events
 * scanned before. Slab and page events go to the part of their address, losses to every part,
 * others to none. When it returns 0 the stream is at its end, with its stats, stacks and names.
 *
 * Return: 0; -EAGAIN if parts would give other results than reading in one order: a block of pages
 * belongs to two parts, damage, times run backwards. Then the stream is at its start and has
 * reported nothing, but what the parts have taken is void. -ENOMEM, and what .pause returns: the
 * stream is void, too, and returns the same for each further event.
 */
int event_parts_run(struct event_stream *st, const struct event_parts *how) __must_check;

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * account: which of two events came first.
 * In: events that were taken in parts (event/parts.h). Out: an order of all of them.
 */
#ifndef KMEMX_ACCOUNT_EVENT_PLACE_H
#define KMEMX_ACCOUNT_EVENT_PLACE_H

#include <stdint.h>

#include "event/event.h"

struct event_place {
	uint64_t ts, place;
};

static inline struct event_place event_place(const struct kmem_event *ev)
{
	return (struct event_place){ ev->ts, ev->place };
}

/* Negative, 0 or positive, as @a is before, the same as or after @b. */
static inline int event_place_compare(const struct event_place *a,
				      const struct event_place *b)
{
	if (a->ts != b->ts)
		return a->ts < b->ts ? -1 : 1;
	return (a->place > b->place) - (a->place < b->place);
}

#endif

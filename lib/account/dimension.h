/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * account: what tells the rows of an account apart besides the callsite.
 * In: an event. Out: a number of 32 bits.
 */
#ifndef KMEMX_ACCOUNT_DIMENSION_H
#define KMEMX_ACCOUNT_DIMENSION_H

#include <stdint.h>

#include "event/event.h"

enum dimension {
	DIMENSION_NONE,
	DIMENSION_STACK,
	DIMENSION_PID,
	DIMENSION_CPU,
	DIMENSION_NODE
};

/* Where @ev, an allocation, lies in @d. A node, being signed, comes back as its bits: -1
 * means that none was asked for. Page events name no node.
 */
static inline uint32_t dimension_of(enum dimension d, const struct kmem_event *ev)
{
	switch (d) {
	case DIMENSION_STACK:
		return ev->stack;
	case DIMENSION_PID:
		return (uint32_t)ev->pid;
	case DIMENSION_CPU:
		return ev->cpu;
	case DIMENSION_NODE:
		return ev->type == KMEM_PAGE_ALLOC ? UINT32_MAX
						   : (uint32_t)ev->slab_alloc.node;
	default:
		return 0;
	}
}

#endif

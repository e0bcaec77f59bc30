/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * account: which frees an account cannot match, because their allocations were not recorded.
 * In: whose allocations were left out, a free. Out: is it of an unrecorded allocation?
 */
#ifndef KMEMX_ACCOUNT_SCOPE_H
#define KMEMX_ACCOUNT_SCOPE_H

#include <stdbool.h>
#include <stdint.h>

#include "event/event.h"

/**
 * struct scope - zero: the whole system, and no task left out
 * @part: only allocations of some tasks, or those that passed a filter, were recorded
 * @self: the recorder, whose own allocations were left out; 0: unknown
 */
struct scope {
	bool part;
	int32_t self;
};

/* Is a free of no live object by a task whose allocations were left out? */
static inline bool scope_by_self(const struct scope *s, const struct kmem_event *ev)
{
	return s->self && ev->pid == s->self && !(ev->flags & KMEM_FLAGS_IRQ);
}

#endif

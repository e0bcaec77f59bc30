/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * event: some of a CPU's sub-buffers, scanned without those before.
 * In: sub-buffers. Out: what may belong to events before them.
 */
#ifndef KMEMX_EVENT_CPU_STRETCH_H
#define KMEMX_EVENT_CPU_STRETCH_H

#include <stdbool.h>
#include <stdint.h>

#include "event/decode.h"
#include "event/stack_claims.h"
#include "recording/subbuf.h"

/* The owner of a claim that was made in context @i before the stretch. */
#define CPU_INHERITED(i)   ((uintptr_t)(i) + 2)
#define CPU_INHERITED_LAST CPU_INHERITED(STACK_CONTEXTS - 1)

/**
 * struct cpu_stretch - what scanning some of a CPU's sub-buffers finds out about those before
 * @blind: the events before are unknown, and none has been seen since
 * @losses: while blind: the first has no .since_ts, that of the others is wrong
 * @nr_pages: so far
 * @first_ts, @first_place: time, task and context of the first event, if it was blind before
 * @late: by context, the callchain of an event before the stretch that waited for it, and its page,
 *	from 1 on; 0: none
 */
struct cpu_stretch {
	bool blind;
	uint32_t losses, nr_pages;
	uint64_t first_ts, first_place;
	struct cpu_late_stack {
		uint32_t stack, page;
	} late[STACK_CONTEXTS];
};

/* Goes on to sub-buffer @sb, which was not scanned yet. While the events before are unknown, its
 * first event may interrupt them or be their callchain: @claims are set as if its task were theirs.
 */
void cpu_stretch_page(struct cpu_stretch *s, struct stack_claims *claims,
		      const struct decoder *dec, const struct subbuf *sb);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * analysis: passes events to threads, in order, a batch at a time.
 * In: batches of one stream. Out: every batch to every reader, each on its own thread.
 */
#ifndef KMEMX_ANALYSIS_RELAY_H
#define KMEMX_ANALYSIS_RELAY_H

#include <stddef.h>

#include "base/compiler.h"
#include "event/event.h"

#define RELAY_BATCH	  1024
#define RELAY_MAX_READERS 16

/* Takes @nr events; runs on its own thread. */
struct relay_reader {
	void (*fn)(void *ctx, const struct kmem_event *evs, size_t nr);
	void *ctx;
};

struct relay;

/* Starts the threads of 1 to RELAY_MAX_READERS readers. 0; -ENOMEM, -EAGAIN: no threads. */
int relay_start(struct relay **out, const struct relay_reader *readers,
		unsigned int nr) __must_check;
/* Returns room for RELAY_BATCH events; waits until the slowest reader has finished with that slot.
 */
struct kmem_event *relay_room(struct relay *r);
/* Passes the @nr events in relay_room()'s place to all readers. */
void relay_push(struct relay *r, size_t nr);
/* Waits until every reader has taken everything, and ends the threads. NULL is fine. */
void relay_finish(struct relay *r);

#endif

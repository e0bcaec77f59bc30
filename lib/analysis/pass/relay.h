/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * analysis: passes events to tasks on several threads, in order, a batch at a time.
 * In: batches of one stream. Out: every batch to every task, each on one thread at a time.
 */
#ifndef KMEMX_ANALYSIS_RELAY_H
#define KMEMX_ANALYSIS_RELAY_H

#include "event/event.h"

#define RELAY_BATCH 1024
#define RELAY_TASKS 64U

/* Takes @nr events. It may change them if there is no other task. */
struct relay_task {
	void (*fn)(void *ctx, struct kmem_event *evs, size_t nr);
	void *ctx;
};

struct relay;

/**
 * relay_start() - start threads
 * @tasks: 1 to RELAY_TASKS of them. A thread takes the one that is farthest behind; the caller's
 *	thread takes them, too, while there is no room for more events
 * @nr_threads: besides the caller's, at least 1; no more are started than tasks
 *
 * Return: 0; -ENOMEM; -EAGAIN: no threads.
 */
int relay_start(struct relay **out, const struct relay_task *tasks, unsigned int nr,
		unsigned int nr_threads) __must_check;
/* Returns room for RELAY_BATCH events, once every task is done with what was there. */
struct kmem_event *relay_room(struct relay *r);
/* Copies the objects in the raw data of the @nr events at @evs, which are in relay_room()'s place,
 * so that the data need not last. 0 or -ENOMEM.
 */
int relay_keep(struct relay *r, struct kmem_event *evs, size_t nr) __must_check;
/* Passes the @nr events in relay_room()'s place to all tasks. */
void relay_push(struct relay *r, size_t nr);
/* Waits until every task has taken everything, and ends the threads. NULL is fine. */
void relay_finish(struct relay *r);

#endif

// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * analysis: passes events to threads, in order, a batch at a time.
 * In: batches of one stream. Out: every batch to every reader, each on its own thread.
 */
#include "analysis/pass/relay.h"

#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

#include "base/thread.h"

/* The ring is small enough to stay in the cache that the threads share. A sleeping thread is only
 * woken for at least half of it: waking costs as much as some hundred events.
 */
#define NR_SLOTS 16
#define HALF	 (NR_SLOTS / 2)

struct relay_slot {
	size_t nr;
	struct kmem_event evs[RELAY_BATCH];
};

struct relay_thread {
	struct relay *relay;
	struct relay_reader reader;
	pthread_t thread;
	uint64_t taken; /* batches that it has processed */
};

/**
 * struct relay - the ring
 * @pushed: batches so far; modulo NR_SLOTS, it is the next slot
 * @lock: for @pushed, @ended and the threads' @taken; both conditions signal a change
 */
struct relay {
	struct relay_slot slots[NR_SLOTS];
	struct relay_thread threads[RELAY_MAX_READERS];
	unsigned int nr_threads;
	uint64_t pushed;
	bool ended;
	pthread_mutex_t lock;
	pthread_cond_t more, room;
};

static void *read_batches(void *arg)
{
	struct relay_thread *t = arg;
	struct relay *r = t->relay;

	pthread_mutex_lock(&r->lock);
	for (;;) {
		const struct relay_slot *slot = &r->slots[t->taken % NR_SLOTS];

		if (t->taken == r->pushed) {
			while (r->pushed - t->taken < HALF && !r->ended)
				pthread_cond_wait(&r->more, &r->lock);
		}
		if (t->taken == r->pushed)
			break;
		pthread_mutex_unlock(&r->lock);
		t->reader.fn(t->reader.ctx, slot->evs, slot->nr);
		pthread_mutex_lock(&r->lock);
		t->taken++;
		if (r->pushed - t->taken == HALF)
			pthread_cond_signal(&r->room);
	}
	pthread_mutex_unlock(&r->lock);
	return NULL;
}

int relay_start(struct relay **out, const struct relay_reader *readers, unsigned int nr)
{
	struct relay *r = calloc(1, sizeof(*r));

	if (!r)
		return -ENOMEM;
	pthread_mutex_init(&r->lock, NULL);
	pthread_cond_init(&r->more, NULL);
	pthread_cond_init(&r->room, NULL);
	for (; r->nr_threads < nr; r->nr_threads++) {
		struct relay_thread *t = &r->threads[r->nr_threads];

		t->relay = r;
		t->reader = readers[r->nr_threads];
		if (thread_start(&t->thread, read_batches, t)) {
			relay_finish(r);
			return -EAGAIN;
		}
	}
	*out = r;
	return 0;
}

static uint64_t slowest(const struct relay *r)
{
	uint64_t taken = r->pushed;
	unsigned int i;

	for (i = 0; i < r->nr_threads; i++) {
		if (r->threads[i].taken < taken)
			taken = r->threads[i].taken;
	}
	return taken;
}

struct kmem_event *relay_room(struct relay *r)
{
	pthread_mutex_lock(&r->lock);
	if (r->pushed - slowest(r) >= NR_SLOTS) {
		while (r->pushed - slowest(r) > HALF)
			pthread_cond_wait(&r->room, &r->lock);
	}
	pthread_mutex_unlock(&r->lock);
	return r->slots[r->pushed % NR_SLOTS].evs; /* only this thread pushes */
}

void relay_push(struct relay *r, size_t nr)
{
	bool wake = false;
	unsigned int i;

	pthread_mutex_lock(&r->lock);
	r->slots[r->pushed % NR_SLOTS].nr = nr;
	r->pushed++;
	for (i = 0; i < r->nr_threads && !wake; i++)
		wake = r->pushed - r->threads[i].taken == HALF;
	if (wake)
		pthread_cond_broadcast(&r->more);
	pthread_mutex_unlock(&r->lock);
}

void relay_finish(struct relay *r)
{
	unsigned int i;

	if (!r)
		return;
	pthread_mutex_lock(&r->lock);
	r->ended = true;
	pthread_cond_broadcast(&r->more);
	pthread_mutex_unlock(&r->lock);
	for (i = 0; i < r->nr_threads; i++)
		pthread_join(r->threads[i].thread, NULL);
	pthread_cond_destroy(&r->room);
	pthread_cond_destroy(&r->more);
	pthread_mutex_destroy(&r->lock);
	free(r);
}

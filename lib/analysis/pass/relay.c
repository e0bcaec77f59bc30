// SPDX-License-Identifier: GPL-2.0-or-later
#include "analysis/pass/relay.h"

#include <pthread.h>

#include "base/thread.h"

/* The ring is small enough to stay in the cache that the threads share. A sleeping thread is only
 * woken for at least half of it: waking costs as much as some hundred events.
 */
#define NR_SLOTS 16
#define HALF	 (NR_SLOTS / 2)

struct relay_slot {
	size_t nr;
	uint8_t (*objects)[KMEM_OBJECTS_MAX *
			   sizeof(uint64_t)]; /* by event; may be NULL */
	struct kmem_event evs[RELAY_BATCH];
};

/* @taken: batches so far; @busy: a thread runs the task */
struct relay_state {
	struct relay_task task;
	uint64_t taken;
	bool busy;
};

/**
 * struct relay - the ring
 * @pushed: batches so far; modulo NR_SLOTS, it is the next slot
 * @lock: for @pushed, @ended and the states of the tasks
 * @more: a task is half a ring behind, or the end has come; @room: the caller may continue
 */
struct relay {
	struct relay_slot slots[NR_SLOTS];
	struct relay_state tasks[RELAY_TASKS];
	unsigned int nr_tasks;
	pthread_t threads[RELAY_TASKS];
	unsigned int nr_threads;
	uint64_t pushed;
	bool ended;
	pthread_mutex_t lock;
	pthread_cond_t more, room;
};

static uint64_t behind(const struct relay *r, const struct relay_state *t)
{
	return r->pushed - t->taken;
}

/* The task farthest behind, by at least @least batches, that no thread runs; or NULL. */
static struct relay_state *farthest(struct relay *r, uint64_t least)
{
	struct relay_state *t, *found = NULL;

	for (t = r->tasks; t < r->tasks + r->nr_tasks; t++) {
		if (!t->busy && behind(r, t) >= least) {
			found = t;
			least = behind(r, t) + 1;
		}
	}
	return found;
}

/* Takes up to @most batches of a task. The lock is held before and after. */
static void take(struct relay *r, struct relay_state *t, unsigned int most)
{
	t->busy = true;
	for (; most && behind(r, t); most--) {
		struct relay_slot *slot = &r->slots[t->taken % NR_SLOTS];

		pthread_mutex_unlock(&r->lock);
		t->task.fn(t->task.ctx, slot->evs, slot->nr);
		pthread_mutex_lock(&r->lock);
		t->taken++;
		if (behind(r, t) == HALF)
			pthread_cond_signal(&r->room);
	}
	t->busy = false;
}

static void *take_tasks(void *arg)
{
	struct relay *r = arg;
	struct relay_state *t;

	pthread_mutex_lock(&r->lock);
	for (;;) {
		t = farthest(r, r->ended ? 1 : HALF);
		if (t) {
			take(r, t, HALF);
			/* The caller may help with it, or wait for what it did. */
			pthread_cond_signal(&r->room);
		} else if (r->ended) {
			break;
		} else {
			pthread_cond_wait(&r->more, &r->lock);
		}
	}
	pthread_mutex_unlock(&r->lock);
	return NULL;
}

int relay_start(struct relay **out, const struct relay_task *tasks, unsigned int nr,
		unsigned int nr_threads)
{
	struct relay *r = calloc(1, sizeof(*r));

	if (!r)
		return -ENOMEM;
	pthread_mutex_init(&r->lock, NULL);
	pthread_cond_init(&r->more, NULL);
	pthread_cond_init(&r->room, NULL);
	for (; r->nr_tasks < nr; r->nr_tasks++)
		r->tasks[r->nr_tasks].task = tasks[r->nr_tasks];
	for (; r->nr_threads < nr && r->nr_threads < nr_threads; r->nr_threads++) {
		if (thread_start(&r->threads[r->nr_threads], take_tasks, r))
			break;
	}
	if (!r->nr_threads) {
		relay_finish(r);
		return -EAGAIN;
	}
	*out = r;
	return 0;
}

/* How far the task farthest behind is, busy or not. */
static uint64_t most_behind(const struct relay *r)
{
	uint64_t most = 0;

	for (unsigned int i = 0; i < r->nr_tasks; i++)
		most = LARGER(most, behind(r, &r->tasks[i]));
	return most;
}

struct kmem_event *relay_room(struct relay *r)
{
	struct relay_state *t;

	pthread_mutex_lock(&r->lock);
	if (most_behind(r) >= NR_SLOTS) {
		while (most_behind(r) > HALF) {
			t = farthest(r, HALF);
			if (t)
				take(r, t, HALF);
			else
				pthread_cond_wait(&r->room, &r->lock);
		}
	}
	pthread_mutex_unlock(&r->lock);
	return r->slots[r->pushed % NR_SLOTS].evs; /* only this thread pushes */
}

int relay_keep(struct relay *r, struct kmem_event *evs, size_t nr)
{
	struct relay_slot *slot = &r->slots[r->pushed % NR_SLOTS];

	for (struct kmem_event *ev = evs; ev < evs + nr; ev++) {
		uint8_t *copy;

		if (!kmem_is_probe(ev->type) || !ev->objects.at)
			continue;
		if (!slot->objects)
			slot->objects = malloc(RELAY_BATCH * sizeof(*slot->objects));
		if (!slot->objects)
			return -ENOMEM;
		copy = slot->objects[ev - slot->evs];
		memcpy(copy, ev->objects.at, (size_t)ev->objects.nr * ev->objects.size);
		ev->objects.at = copy;
	}
	return 0;
}

void relay_push(struct relay *r, size_t nr)
{
	bool wake = false;

	pthread_mutex_lock(&r->lock);
	r->slots[r->pushed % NR_SLOTS].nr = nr;
	r->pushed++;
	for (unsigned int i = 0; i < r->nr_tasks && !wake; i++)
		wake = !r->tasks[i].busy && behind(r, &r->tasks[i]) >= HALF;
	if (wake)
		pthread_cond_signal(&r->more);
	pthread_mutex_unlock(&r->lock);
}

void relay_finish(struct relay *r)
{
	struct relay_state *t;

	if (!r)
		return;
	pthread_mutex_lock(&r->lock);
	r->ended = true;
	pthread_cond_broadcast(&r->more);
	while ((t = farthest(r, 1)))
		take(r, t, NR_SLOTS);
	pthread_mutex_unlock(&r->lock);
	for (unsigned int i = 0; i < r->nr_threads; i++)
		pthread_join(r->threads[i], NULL);
	for (unsigned int i = 0; i < NR_SLOTS; i++)
		free(r->slots[i].objects);
	pthread_cond_destroy(&r->room);
	pthread_cond_destroy(&r->more);
	pthread_mutex_destroy(&r->lock);
	free(r);
}

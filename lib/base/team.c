// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * base: threads that share the tasks of one round after the other.
 * In: a number of tasks. Out: each done once, on any thread.
 */
#include "base/team.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

/**
 * struct team - the threads and the round at hand
 * @lock: for all that follows
 * @more: a round has begun, or it is over; @done: no task is left undone
 * @round: so far
 * @next: the task to be taken next, of @nr_tasks; @undone: of those, not finished yet
 */
struct team {
	pthread_t threads[TEAM_MAX];
	unsigned int nr_threads;
	pthread_mutex_t lock;
	pthread_cond_t more, done;
	uint64_t round;
	void (*fn)(void *ctx, unsigned int task);
	void *ctx;
	unsigned int next, nr_tasks, undone;
	bool ended;
};

/* Takes tasks until none is left. With the lock held, which is let go meanwhile. */
static void take_tasks(struct team *t)
{
	while (t->next < t->nr_tasks) {
		unsigned int task = t->next++;

		pthread_mutex_unlock(&t->lock);
		t->fn(t->ctx, task);
		pthread_mutex_lock(&t->lock);
		if (!--t->undone)
			pthread_cond_signal(&t->done);
	}
}

static void *run_tasks(void *arg)
{
	struct team *t = arg;
	uint64_t round = 0;

	pthread_mutex_lock(&t->lock);
	for (;;) {
		while (t->round == round && !t->ended)
			pthread_cond_wait(&t->more, &t->lock);
		if (t->ended)
			break;
		round = t->round;
		take_tasks(t);
	}
	pthread_mutex_unlock(&t->lock);
	return NULL;
}

struct team *team_start(unsigned int nr)
{
	struct team *t = calloc(1, sizeof(*t));

	if (!t)
		return NULL;
	pthread_mutex_init(&t->lock, NULL);
	pthread_cond_init(&t->more, NULL);
	pthread_cond_init(&t->done, NULL);
	if (nr > TEAM_MAX)
		nr = TEAM_MAX;
	while (t->nr_threads + 1 < nr &&
	       !pthread_create(&t->threads[t->nr_threads], NULL, run_tasks, t))
		t->nr_threads++;
	if (t->nr_threads)
		return t;
	team_stop(t);
	return NULL;
}

void team_run(struct team *t, void (*fn)(void *ctx, unsigned int task), void *ctx,
	      unsigned int nr_tasks)
{
	pthread_mutex_lock(&t->lock);
	t->fn = fn;
	t->ctx = ctx;
	t->next = 0;
	t->nr_tasks = t->undone = nr_tasks;
	t->round++;
	pthread_cond_broadcast(&t->more);
	take_tasks(t);
	while (t->undone)
		pthread_cond_wait(&t->done, &t->lock);
	pthread_mutex_unlock(&t->lock);
}

void team_stop(struct team *t)
{
	unsigned int i;

	if (!t)
		return;
	pthread_mutex_lock(&t->lock);
	t->ended = true;
	pthread_cond_broadcast(&t->more);
	pthread_mutex_unlock(&t->lock);
	for (i = 0; i < t->nr_threads; i++)
		pthread_join(t->threads[i], NULL);
	pthread_cond_destroy(&t->done);
	pthread_cond_destroy(&t->more);
	pthread_mutex_destroy(&t->lock);
	free(t);
}

// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * base: threads that run a round of tasks together, one round after the other.
 * In: a number of tasks. Out: each run once, on any thread.
 */
#include "base/team.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

#include "base/thread.h"

/* A thread's tasks in a round; those from @next to @nr are left. */
struct team_share {
	unsigned char tasks[TEAM_TASKS];
	unsigned int next, nr;
	uint64_t cost;
	bool begun;
};

struct team_thread {
	struct team *team;
	unsigned int index;
	pthread_t thread;
};

/**
 * struct team - the threads and the current round
 * @threads, @shares: the first is the caller's
 * @lock: protects all fields below
 * @more: a round has begun, or the team ends; @done: all tasks are finished
 * @count: rounds so far
 * @undone: unfinished tasks
 */
struct team {
	struct team_thread threads[TEAM_MAX];
	unsigned int nr;
	pthread_mutex_t lock;
	pthread_cond_t more, done;
	uint64_t count;
	const struct team_round *round;
	struct team_share shares[TEAM_MAX];
	unsigned int undone;
	bool ended;
};

/* The share with the next task for thread @index: its own, or that of a thread that has begun; or
 * NULL.
 */
static struct team_share *next_share(struct team *t, unsigned int index)
{
	unsigned int i;

	for (i = 0; i < t->nr; i++) {
		struct team_share *share = &t->shares[(index + i) % t->nr];

		if (share->next < share->nr && share->begun)
			return share;
	}
	return NULL;
}

/* Runs tasks until none is left. Called with the lock held; releases it during each task. */
static void take_tasks(struct team *t, unsigned int index)
{
	const struct team_round *round = t->round;
	struct team_share *share;

	t->shares[index].begun = true;
	while ((share = next_share(t, index))) {
		unsigned int task = share->tasks[share->next++];

		pthread_mutex_unlock(&t->lock);
		round->fn(round->ctx, task);
		pthread_mutex_lock(&t->lock);
		if (!--t->undone)
			pthread_cond_signal(&t->done);
	}
}

static void *run_tasks(void *arg)
{
	struct team_thread *thread = arg;
	struct team *t = thread->team;
	uint64_t count = 0;

	pthread_mutex_lock(&t->lock);
	for (;;) {
		while (t->count == count && !t->ended)
			pthread_cond_wait(&t->more, &t->lock);
		if (t->ended)
			break;
		count = t->count;
		take_tasks(t, thread->index);
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
	for (t->nr = 1; t->nr < nr; t->nr++) {
		struct team_thread *thread = &t->threads[t->nr];

		thread->team = t;
		thread->index = t->nr;
		if (thread_start(&thread->thread, run_tasks, thread))
			break;
	}
	if (t->nr > 1)
		return t;
	team_stop(t);
	return NULL;
}

/* Assigns the costliest task first, each to the thread with the lowest cost so far. */
static void share_out(struct team *t, const struct team_round *round)
{
	bool given[TEAM_TASKS] = { false };
	unsigned int left, i;

	for (i = 0; i < t->nr; i++)
		t->shares[i] = (struct team_share){ .nr = 0 };
	for (left = round->nr; left; left--) {
		struct team_share *share = &t->shares[0];
		unsigned int task = TEAM_TASKS;

		for (i = 0; i < round->nr; i++) {
			if (!given[i] &&
			    (task == TEAM_TASKS || round->cost[i] > round->cost[task]))
				task = i;
		}
		for (i = 1; i < t->nr; i++) {
			if (t->shares[i].cost < share->cost)
				share = &t->shares[i];
		}
		given[task] = true;
		share->tasks[share->nr++] = (unsigned char)task;
		share->cost += round->cost[task];
	}
}

void team_run(struct team *t, const struct team_round *round)
{
	pthread_mutex_lock(&t->lock);
	share_out(t, round);
	t->round = round;
	t->undone = round->nr;
	t->count++;
	pthread_cond_broadcast(&t->more);
	take_tasks(t, 0);
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
	for (i = 1; i < t->nr; i++)
		pthread_join(t->threads[i].thread, NULL);
	pthread_cond_destroy(&t->done);
	pthread_cond_destroy(&t->more);
	pthread_mutex_destroy(&t->lock);
	free(t);
}

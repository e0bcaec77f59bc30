// SPDX-License-Identifier: GPL-2.0-or-later
#include "recording/read_ahead.h"

#include <pthread.h>

#include "base/thread.h"

/**
 * struct read_ahead - the queue
 * @lock: for everything here, and for the jobs' states
 * @more: there is a job, or the thread must end; @done: a job is done
 */
struct read_ahead {
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t more, done;
	struct read_ahead_job *first, **last;
	bool ended;
};

static void *run_jobs(void *arg)
{
	struct read_ahead *ra = arg;

	pthread_mutex_lock(&ra->lock);
	for (;;) {
		struct read_ahead_job *job;

		while (!ra->first && !ra->ended)
			pthread_cond_wait(&ra->more, &ra->lock);
		job = ra->first;
		if (!job)
			break;
		ra->first = job->next;
		if (!ra->first)
			ra->last = &ra->first;
		job->state = READ_AHEAD_RUNNING;
		pthread_mutex_unlock(&ra->lock);
		job->fn(job->ctx);
		pthread_mutex_lock(&ra->lock);
		job->state = READ_AHEAD_IDLE;
		pthread_cond_broadcast(&ra->done);
	}
	pthread_mutex_unlock(&ra->lock);
	return NULL;
}

struct read_ahead *read_ahead_start(void)
{
	struct read_ahead *ra = calloc(1, sizeof(*ra));

	if (!ra)
		return NULL;
	ra->last = &ra->first;
	pthread_mutex_init(&ra->lock, NULL);
	pthread_cond_init(&ra->more, NULL);
	pthread_cond_init(&ra->done, NULL);
	if (!thread_start(&ra->thread, run_jobs, ra))
		return ra;
	free(ra);
	return NULL;
}

void read_ahead_submit(struct read_ahead *ra, struct read_ahead_job *job)
{
	pthread_mutex_lock(&ra->lock);
	job->next = NULL;
	job->state = READ_AHEAD_QUEUED;
	*ra->last = job;
	ra->last = &job->next;
	pthread_mutex_unlock(&ra->lock);
	/* Signal after unlocking: the thread may run at once, and it locks first. */
	pthread_cond_signal(&ra->more);
}

/* Takes a job out of the queue, which has at most one job for each CPU. */
static void take_back(struct read_ahead *ra, struct read_ahead_job *job)
{
	struct read_ahead_job **at = &ra->first;

	while (*at != job)
		at = &(*at)->next;
	*at = job->next;
	if (ra->last == &job->next)
		ra->last = at;
}

void read_ahead_wait(struct read_ahead *ra, struct read_ahead_job *job)
{
	bool mine;

	pthread_mutex_lock(&ra->lock);
	mine = job->state == READ_AHEAD_QUEUED;
	if (mine)
		take_back(ra, job);
	while (!mine && job->state == READ_AHEAD_RUNNING)
		pthread_cond_wait(&ra->done, &ra->lock);
	job->state = READ_AHEAD_IDLE;
	pthread_mutex_unlock(&ra->lock);
	if (mine)
		job->fn(job->ctx);
}

void read_ahead_stop(struct read_ahead *ra)
{
	if (!ra)
		return;
	pthread_mutex_lock(&ra->lock);
	ra->ended = true;
	pthread_cond_signal(&ra->more);
	pthread_mutex_unlock(&ra->lock);
	pthread_join(ra->thread, NULL);
	pthread_cond_destroy(&ra->more);
	pthread_cond_destroy(&ra->done);
	pthread_mutex_destroy(&ra->lock);
	free(ra);
}

// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * cmd: loads the recordings of kmemx diff in parallel.
 * In: paths and a number of threads. Out: the result of diff_load for each, as if they had been
 * read one after the other.
 */
#include "cmd/diff/diff.h"

#include <pthread.h>

#include "base/thread.h"
#include "cmd/input/input.h"
#include "cmd/options/command.h"

/**
 * struct diff_jobs - the work that the threads share
 * @ahead: each recording has one more thread, which reads ahead
 * @turn: protects @next and @stop, and keeps the recordings in order while they are opened
 * @next: the first recording not opened yet; @stop: open no more
 */
struct diff_jobs {
	struct diff_recording *recordings;
	const struct diff_args *args;
	bool ahead;
	pthread_mutex_t turn;
	size_t next;
	bool stop;
	struct diff_progress progress;
};

/* Opens the next recording; NULL if it failed or none is left. */
static struct diff_recording *open_next(struct diff_jobs *jobs)
{
	const struct diff_paths *paths = &jobs->args->paths;
	struct diff_recording *r = NULL;

	pthread_mutex_lock(&jobs->turn);
	if (!jobs->stop && jobs->next < paths->nr) {
		size_t i = jobs->next++;

		r = &jobs->recordings[i];
		if (!diff_load_open(r, paths->items[i], &jobs->args->choice,
				    &jobs->args->sides[i >= paths->nr_old])) {
			jobs->stop = true;
			r = NULL;
		}
	}
	pthread_mutex_unlock(&jobs->turn);
	return r;
}

/* Opens and reads the next recording; false if it failed or none is left. */
static bool load_next(struct diff_jobs *jobs)
{
	struct diff_recording *r = open_next(jobs);

	if (!r)
		return false;
	if (diff_load_read(r, jobs->ahead, &jobs->progress))
		return true;
	pthread_mutex_lock(&jobs->turn);
	jobs->stop = true;
	pthread_mutex_unlock(&jobs->turn);
	return false;
}

static void *load_many(void *jobs)
{
	while (load_next(jobs))
		;
	return NULL;
}

/* Prints the messages of the recordings that were opened, in order, from @first on. */
static int tell(struct diff_jobs *jobs, size_t first)
{
	int ret = GO_ON;

	progress_end(&jobs->progress.line);
	for (size_t i = first; i < jobs->next && ret == GO_ON; i++)
		ret = diff_load_tell(&jobs->recordings[i]);
	return ret;
}

static int load_in_turn(struct diff_jobs *jobs)
{
	bool more = true;
	int ret = GO_ON;

	while (more && ret == GO_ON) {
		size_t first = jobs->next;

		more = load_next(jobs);
		ret = tell(jobs, first);
	}
	return ret;
}

/* Loads @nr at a time: on this thread, and on as many others as can be started. */
static int load_with(struct diff_jobs *jobs, unsigned int nr)
{
	pthread_t threads[DIFF_AT_ONCE];
	unsigned int started = 0;

	while (started + 1 < nr && !thread_start(&threads[started], load_many, jobs))
		started++;
	if (!started)
		return load_in_turn(jobs);
	load_many(jobs);
	while (started)
		pthread_join(threads[--started], NULL);
	return tell(jobs, 0);
}

/* How many recordings are read at a time: one if directories or inlined functions are looked up,
 * as a lookup changes the sources, which all recordings share.
 */
static unsigned int at_once(const struct diff_args *args)
{
	unsigned int nr = input_jobs(args->jobs);

	if (diff_args_dirs(args) || args->sides[0].sources || args->sides[1].sources)
		return 1;
	if (nr > DIFF_AT_ONCE)
		nr = DIFF_AT_ONCE;
	return nr < args->paths.nr ? nr : (unsigned int)args->paths.nr;
}

int diff_load_all(struct diff_recording *recordings, const struct diff_args *args)
{
	unsigned int nr = at_once(args);
	struct diff_jobs jobs = {
		.recordings = recordings,
		.args = args,
		.ahead = input_jobs(args->jobs) / nr > 1,
		.progress.nr_recordings = args->paths.nr,
	};
	int ret;

	pthread_mutex_init(&jobs.turn, NULL);
	pthread_mutex_init(&jobs.progress.lock, NULL);
	progress_start(&jobs.progress.line, "decoding");
	ret = load_with(&jobs, nr);
	pthread_mutex_destroy(&jobs.progress.lock);
	pthread_mutex_destroy(&jobs.turn);
	return ret;
}

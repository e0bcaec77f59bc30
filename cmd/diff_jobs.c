// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * cmd: the recordings of kmemx diff, side by side.
 * In: paths and a number of threads. Out: what diff_load gives of each, as if they had been read
 * one after the other.
 */
#include "diff_jobs.h"

#include <pthread.h>

#include "base/team.h"
#include "command.h"
#include "input.h"

_Static_assert(DIFF_AT_ONCE <= TEAM_MAX && DIFF_AT_ONCE <= TEAM_TASKS, "a task a thread");

/**
 * struct diff_jobs - the threads' common work
 * @ahead: each recording has one more thread, which reads ahead
 * @turn: held by whoever opens the next recording: they are opened in order
 * @next: the first that was not opened; @stop: there is no use in opening more
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

/* Opens the next one; NULL: that is over. */
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

/* The next one, from its beginning to its end; false: that was the last. */
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

static void load_many(void *ctx, unsigned int task)
{
	(void)task;
	while (load_next(ctx))
		;
}

/* Says what there is to say of those that were opened, in order, from @first on. */
static int tell(struct diff_jobs *jobs, size_t first)
{
	int ret = GO_ON;
	size_t i;

	progress_end(&jobs->progress.line);
	for (i = first; i < jobs->next && ret == GO_ON; i++)
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

static int load_with(struct diff_jobs *jobs, struct team *team, unsigned int nr)
{
	struct team_round round = { .fn = load_many, .ctx = jobs, .nr = nr };
	unsigned int i;

	for (i = 0; i < nr; i++)
		round.cost[i] = 1;
	team_run(team, &round);
	return tell(jobs, 0);
}

/* How many are read at a time. Lookups of directories and inlined functions change their sources,
 * which all share.
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
	struct team *team = nr > 1 ? team_start(nr) : NULL;
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
	/* Without threads it only takes longer. */
	ret = team ? load_with(&jobs, team, nr) : load_in_turn(&jobs);
	team_stop(team);
	pthread_mutex_destroy(&jobs.progress.lock);
	pthread_mutex_destroy(&jobs.turn);
	return ret;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * recording (internal): a thread that fills blocks before they are needed.
 * In: jobs. Out: finished jobs.
 */
#ifndef KMEMX_RECORDING_READ_AHEAD_H
#define KMEMX_RECORDING_READ_AHEAD_H

#include "base/compiler.h"

struct read_ahead;

/**
 * struct read_ahead_job - a piece of work; owned by the submitter, who must wait for it
 * @state: the queue's own
 */
struct read_ahead_job {
	void (*fn)(void *ctx);
	void *ctx;
	struct read_ahead_job *next;
	enum { READ_AHEAD_IDLE, READ_AHEAD_QUEUED, READ_AHEAD_RUNNING } state;
};

/* NULL if the thread cannot be started: then blocks are filled when they are needed. */
struct read_ahead *read_ahead_start(void);
/* Any thread may submit jobs, each at most once at a time, and must wait for its own. */
void read_ahead_submit(struct read_ahead *ra, struct read_ahead_job *job);
/* Returns once @job is done. A job that was not begun is done here. */
void read_ahead_wait(struct read_ahead *ra, struct read_ahead_job *job);
/* Only after all jobs have been waited for. @ra may be NULL. */
void read_ahead_stop(struct read_ahead *ra);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * recording (internal): a thread that fills blocks before they are needed.
 * In: jobs. Out: done, in the order in which they came.
 */
#ifndef KMEMX_RECORDING_READ_AHEAD_H
#define KMEMX_RECORDING_READ_AHEAD_H

#include <stdbool.h>

struct read_ahead;

/**
 * struct read_ahead_job - a piece of work; the submitter's, until it has waited for it
 * @state: the queue's own
 */
struct read_ahead_job {
	void (*fn)(void *ctx);
	void *ctx;
	struct read_ahead_job *next;
	enum { READ_AHEAD_IDLE, READ_AHEAD_QUEUED, READ_AHEAD_RUNNING } state;
};

/* NULL if there cannot be a thread: then all is done when it is waited for. */
struct read_ahead *read_ahead_start(void);
/* Jobs of any threads; each at most once at a time, and waited for by its own. */
void read_ahead_submit(struct read_ahead *ra, struct read_ahead_job *job);
/* Returns once @job is done. One that nobody has begun is done here. */
void read_ahead_wait(struct read_ahead *ra, struct read_ahead_job *job);
/* All jobs have been waited for. @ra may be NULL. */
void read_ahead_stop(struct read_ahead *ra);

#endif

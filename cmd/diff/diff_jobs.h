/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cmd: loads the recordings of kmemx diff in parallel.
 * In: paths and a number of threads. Out: the result of diff_load for each, as if they had been
 * read one after the other.
 */
#ifndef KMEMX_CMD_DIFF_JOBS_H
#define KMEMX_CMD_DIFF_JOBS_H

#include "cmd/diff/diff_options.h"

/* Recordings open at a time, at most: each holds its symbols, blocks and live objects. */
#define DIFF_AT_ONCE 16U

/**
 * diff_load_all() - load all recordings
 * @recordings: one for each of @args->paths, zero-initialised
 * @args: the directories of its sides are open
 *
 * Return: GO_ON, or the exit code of the first that failed, after its messages and those of the
 * recordings before it. Call diff_recording_free() for each in any case.
 */
int diff_load_all(struct diff_recording *recordings,
		  const struct diff_args *args) __must_check;

#endif

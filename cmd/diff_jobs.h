/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cmd: the recordings of kmemx diff, side by side.
 * In: paths and a number of threads. Out: what diff_load gives of each, as if they had been read
 * one after the other.
 */
#ifndef KMEMX_CMD_DIFF_JOBS_H
#define KMEMX_CMD_DIFF_JOBS_H

#include "diff_options.h"

/* So many are open at a time, at most: each holds its symbols, blocks and live objects. */
#define DIFF_AT_ONCE 16U

/**
 * diff_load_all() - load all recordings
 * @recordings: one for each of @args->paths, zero-initialised; with the directories of
 *	@args->sides open
 *
 * Return: GO_ON; or the exit code of the first that failed, after what was to say of it and of
 * those before it. diff_recording_free() for each in any case.
 */
int diff_load_all(struct diff_recording *recordings,
		  const struct diff_args *args) __must_check;

#endif

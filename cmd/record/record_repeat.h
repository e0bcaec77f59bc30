/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cmd: kmemx record --repeat.
 * In: how often, a directory, a callback that records. Out: 001.dat, 002.dat, ... in the directory.
 */
#ifndef KMEMX_CMD_RECORD_REPEAT_H
#define KMEMX_CMD_RECORD_REPEAT_H

#include "base/compiler.h"

#define RECORD_REPEAT_MAX 999

/**
 * struct record_repeat - a series of runs
 * @once: records into @output and returns an exit code. Sets @stopped if a signal ended the run,
 *	  which also ends the series
 */
struct record_repeat {
	uint64_t times;
	const char *directory;
	bool quiet;
	int (*once)(void *ctx, const char *output, bool *stopped);
	void *ctx;
};

/* Runs the series. Creates the directory if needed; one that has recordings is an error. Stops
 * after a run that failed or was stopped and returns its exit code; else 0.
 */
int record_repeat(const struct record_repeat *r);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cmd: kmemx record --repeat.
 * In: how often, a directory, what records once. Out: 001.dat, 002.dat, ... in the directory.
 */
#ifndef KMEMX_CMD_RECORD_REPEAT_H
#define KMEMX_CMD_RECORD_REPEAT_H

#include <stdbool.h>
#include <stdint.h>

#define RECORD_REPEAT_MAX 999

/**
 * struct record_repeat - what is to be done
 * @once: records into @output; returns an exit code, and in @stopped whether a signal ended
 *	  it, which ends the series too
 */
struct record_repeat {
	uint64_t times;
	const char *directory;
	bool quiet;
	int (*once)(void *ctx, const char *output, bool *stopped);
	void *ctx;
};

/* Makes the directory if there is none; one that holds recordings is left alone. The exit code
 * of the first run that failed, which is the last one made; else 0.
 */
int record_repeat(const struct record_repeat *r);

#endif

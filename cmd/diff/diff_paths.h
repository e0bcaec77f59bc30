/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cmd: which recordings kmemx diff compares.
 * In: its operands. Out: the paths of either side; a directory stands for its recordings.
 */
#ifndef KMEMX_CMD_DIFF_PATHS_H
#define KMEMX_CMD_DIFF_PATHS_H

#include <stddef.h>

/* The old recordings, then the new ones. Zero-initialise it. */
struct diff_paths {
	char **items;
	size_t nr_old, nr;
};

/* @nr_old: the number of operands before "--"; -1 if there was no "--". GO_ON, or the exit code
 * after a message.
 */
int diff_paths_init(struct diff_paths *paths, char **operands, int nr, int nr_old);
void diff_paths_free(struct diff_paths *paths);

#endif

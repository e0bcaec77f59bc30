/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cmd: the files that the recordings of kmemx diff are read with.
 * In: options, and the recordings. Out: the sides' files, checked; what was found for them.
 */
#ifndef KMEMX_CMD_DIFF_FILES_H
#define KMEMX_CMD_DIFF_FILES_H

#include "cmd/diff/diff_options.h"

/* All return GO_ON, or the exit code after a message. */

/* Fills in the sides from the options. */
int diff_files_parse(struct diff_args *a);
/* Does some option use the files that are given? */
int diff_files_check_early(const struct diff_args *a);
/* Looks for debug information of sides whose symbols the user did not name: one file for all
 * recordings of a side. Opens the recordings, except pipes.
 */
int diff_files_search(struct diff_args *a);
/* Were sources of directories and lines found, if an option needs them? */
int diff_files_check(const struct diff_args *a);

void diff_files_free(struct diff_args *a);

#endif

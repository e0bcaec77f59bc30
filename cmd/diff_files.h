/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cmd: the files that the recordings of kmemx diff are read with.
 * In: options, and the recordings. Out: the sides' files, checked; what was found for them.
 */
#ifndef KMEMX_CMD_DIFF_FILES_H
#define KMEMX_CMD_DIFF_FILES_H

#include "diff_options.h"

/* All return GO_ON, or the exit code after a message. */

/* Fills in the sides from the options. */
int diff_files_parse(struct diff_args *a);
/* Is there anything that asks for the files that are given? */
int diff_files_check_early(const struct diff_args *a);
/* Looks for debug information of sides for which no symbols are named: one file for all of their
 * recordings, which are opened for it, but for those that can be read only once.
 */
int diff_files_search(struct diff_args *a);
/* Are there directories and lines, where they are asked for? */
int diff_files_check(const struct diff_args *a);

void diff_found_free(struct diff_side *side);
void diff_files_free(struct diff_args *a);

#endif

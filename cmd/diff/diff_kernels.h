/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cmd: kmemx diff of two kernels.
 * In: two ELF files. Out: their tables, as if they were recordings.
 */
#ifndef KMEMX_CMD_DIFF_KERNELS_H
#define KMEMX_CMD_DIFF_KERNELS_H

#include "cmd/diff/diff.h"

/* Sets @a->kernels if all operands are ELF files. GO_ON, or EXIT_USAGE after a message if only
 * some are, or if they are not exactly two.
 */
int diff_kernels_detect(struct diff_args *a, char *const *operands, int nr);
/* Fills in the metrics and the tables that rules can name. Returns how many tables. */
size_t diff_kernels_learn(struct diff_args *a);
/* The words for rows that -s takes. Returns how many. */
size_t diff_kernels_row_words(const struct diff_args *a,
			      const char *words[FOOTPRINT_BYS]);
/* Do the options apply to kernels? Sets @a->kernels_by. GO_ON, or EXIT_USAGE after a message. */
int diff_kernels_check(struct diff_args *a);
/* Can the rules be used with the other options? GO_ON, or EXIT_USAGE after a message. */
int diff_kernels_rules(const struct diff_args *a);
/* Reads the kernels into @d->recordings; tables that only rules need are hidden. GO_ON, or the exit
 * code after a message.
 */
int diff_kernels_load(struct diff *d);

#endif

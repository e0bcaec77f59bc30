/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cmd: kmemx diff of two kernels.
 * In: two ELF files. Out: their tables, as if they were recordings.
 */
#ifndef KMEMX_CMD_DIFF_KERNELS_H
#define KMEMX_CMD_DIFF_KERNELS_H

#include "diff.h"

/* Are the operands ELF files? Fills in @a->kernels. GO_ON, or EXIT_USAGE after a message if some
 * are, and others are not.
 */
int diff_kernels_detect(struct diff_args *a, char *const *operands, int nr);
/* Of kernels: fills in the metrics, and the tables that rules can name. Returns how many. */
size_t diff_kernels_learn(struct diff_args *a);
/* Of kernels: the words for rows, of -s. Returns how many. */
size_t diff_kernels_row_words(const struct diff_args *a,
			      const char *words[FOOTPRINT_BYS]);
/* Of kernels: can the options be used? Fills in what rows stand for. GO_ON, or EXIT_USAGE. */
int diff_kernels_check(struct diff_args *a);
/* Of kernels: do the rules go with the other options? GO_ON, or EXIT_USAGE. */
int diff_kernels_rules(const struct diff_args *a);
/* Of kernels: reads them into @d->recordings. GO_ON, or the exit code after a message. Tables that
 * are for rules alone are hidden.
 */
int diff_kernels_load(struct diff *d);

#endif

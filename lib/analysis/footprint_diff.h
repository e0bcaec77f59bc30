/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * analysis: the footprint of a kernel, to be compared with that of another.
 * In: the parts of a kernel's files. Out: tables "footprint", "footprint_file", "footprint_dir".
 */
#ifndef KMEMX_ANALYSIS_FOOTPRINT_DIFF_H
#define KMEMX_ANALYSIS_FOOTPRINT_DIFF_H

#include "analysis/comparison_columns.h"
#include "symbol/footprint.h"

/* What a row stands for. */
enum footprint_by {
	FOOTPRINT_BY_SYMBOL,
	FOOTPRINT_BY_FILE,
	FOOTPRINT_BY_DIR,
	FOOTPRINT_BYS
};

/* "symbol", "file", "dir", ended by NULL. */
extern const char *const footprint_bys[];

/**
 * footprint_compared() - a table for diff_tables()
 * @depth: of directories only so many components; 0: all
 *
 * By symbol it counts as the kernel's bloat-o-meter: symbols have the sizes that they say they
 * have, so that the names of one function count each; numbers that a compiler adds are left out of
 * names, and so are some symbols that the build makes. By file and by directory each byte counts
 * once.
 *
 * Return: the table; NULL: no memory.
 */
struct table *footprint_compared(const struct footprint *fp, enum footprint_by by,
				 unsigned int depth);
/* What there is to compare: bytes, and those of each kind. */
void footprint_metrics(struct comparison_metrics *m);

/* The name of a symbol as those of two kernels are compared; false: it is left out. */
bool footprint_symbol_name(const char *name, struct strbuf *out);

#endif

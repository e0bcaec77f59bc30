/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * analysis: the footprint of a kernel, for a comparison with another kernel's.
 * In: the parts of a kernel's files. Out: tables "footprint", "footprint_file", "footprint_dir".
 */
#ifndef KMEMX_ANALYSIS_FOOTPRINT_DIFF_H
#define KMEMX_ANALYSIS_FOOTPRINT_DIFF_H

#include "analysis/compare/comparison_columns.h"
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
 * @depth: number of path components of a directory; 0: all
 *
 * By symbol it counts like the kernel's bloat-o-meter: by symbol sizes, so aliases of a function
 * each count. Numbers that the compiler appends to names are dropped, and so are some generated
 * symbols. By file and by directory each byte counts once.
 *
 * Return: the table; NULL: no memory.
 */
struct table *footprint_compared(const struct footprint *fp, enum footprint_by by,
				 unsigned int depth);
/* What can be compared: bytes, and bytes of each kind. */
void footprint_metrics(struct comparison_metrics *m);

/* A symbol's name for comparing two kernels; false: it is left out. */
bool footprint_symbol_name(const char *name, struct strbuf *out);

#endif

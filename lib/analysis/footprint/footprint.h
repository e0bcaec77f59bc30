/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * analysis: a kernel's static footprint, alone or together with a recording's allocations.
 * In: the parts of a kernel's files, slab events. Out: tables "footprint" and "footprint_section".
 */
#ifndef KMEMX_ANALYSIS_FOOTPRINT_H
#define KMEMX_ANALYSIS_FOOTPRINT_H

#include "analysis/compare/comparison_columns.h"
#include "analysis/footprint/footprint_tree.h"
#include "symbol/footprint.h"

/**
 * struct footprint_options - options of the analysis; borrowed by it
 * @fp: the kernel's files. Its indexes may be made while an analysis looks for functions
 * @within: only these directories; NULL: all, and then there is a table of sections
 * @sections: text shows the table of sections, too
 */
struct footprint_options {
	struct footprint *fp;
	enum footprint_attr attr;
	const struct alloc_filter *within;
	bool sections;
};

/* The tables without a recording. 0 or -ENOMEM. */
int footprint_report(const struct footprint_options *opts,
		     struct report *report) __must_check;

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

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * analysis: a kernel's static footprint, alone or together with a recording's allocations.
 * In: the parts of a kernel's files, slab events. Out: tables "footprint" and "footprint_section".
 */
#ifndef KMEMX_ANALYSIS_FOOTPRINT_H
#define KMEMX_ANALYSIS_FOOTPRINT_H

#include "analysis/footprint/footprint_tree.h"

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

#endif

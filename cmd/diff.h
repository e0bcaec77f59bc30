/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cmd: what the parts of kmemx diff share.
 * In: its arguments and recordings. Out: a report.
 */
#ifndef KMEMX_CMD_DIFF_H
#define KMEMX_CMD_DIFF_H

#include "diff_load.h"
#include "diff_options.h"
#include "report/diff.h"
#include "report/gate.h"

/* What run_diff() gathers. */
struct diff {
	struct diff_args args;
	struct diff_recording *recordings;
	struct diff_run *tables;	     /* of the table being compared */
	struct directory_sources sources[2]; /* the new side's is empty where it shares */
	struct report *report;
	struct gate_result gate;
};

/* Adds what the comparison stands on: for people as a banner, for machines as facts. */
void diff_stand(struct diff *d);
/* The recordings as a table for machines; NULL: no memory. */
struct table *diff_recordings_table(const struct diff *d);

#endif

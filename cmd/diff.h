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
	struct strbuf command; /* the command line, for a shell, but for --html */
};

/* All runs' tables of that name; false if one has none. @sides is valid until the next call. */
bool diff_gather(struct diff *d, const char *name, struct diff_sides *sides);
/* Notes the command line, before it is read. */
void diff_page_command(struct diff *d, int argc, char **argv);
/* Writes the page, if one is wanted: GO_ON, or the exit code after a message. */
int diff_page(struct diff *d);

/* Adds what the comparison stands on: for people as a banner, for machines as facts. */
void diff_stand(struct diff *d);
/* The recordings as a table for machines; NULL: no memory. */
struct table *diff_recordings_table(const struct diff *d);

#endif

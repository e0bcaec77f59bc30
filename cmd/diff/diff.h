/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cmd: what the parts of kmemx diff share.
 * In: its arguments and recordings. Out: a report.
 */
#ifndef KMEMX_CMD_DIFF_H
#define KMEMX_CMD_DIFF_H

#include "cmd/diff/diff_load.h"
#include "cmd/diff/diff_options.h"
#include "report/diff.h"
#include "report/gate.h"

/* The state of run_diff(). */
struct diff {
	struct diff_args args;
	struct diff_recording *recordings;
	struct diff_run *tables;	     /* of the table being compared */
	struct directory_sources sources[2]; /* the new side's is empty if shared */
	struct report *report;
	struct gate_result gate;
	struct strbuf command; /* the command line without --html, quoted for a shell */
};

/* diff_load.c: collects the table @name of all runs; false if a run lacks it. @sides is valid until
 * the next call.
 */
bool diff_gather(struct diff *d, const char *name, struct diff_sides *sides);
/* Stores the command line. Call it before the options are parsed. */
void diff_page_command(struct diff *d, int argc, char **argv);
/* Writes the page if --html was given. GO_ON, or the exit code after a message. */
int diff_page(struct diff *d);

/* Adds what was compared and how: as a banner for people, as facts for programs. */
void diff_stand(struct diff *d);
/* The recordings as a table for programs; NULL if out of memory. */
struct table *diff_recordings_table(const struct diff *d);

#endif

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
	struct diff_run *tables;	     /* the table being compared, per run */
	struct diff_sides sides;	     /* the same, as two sides */
	struct directory_sources sources[2]; /* the new side's is empty if shared */
	struct report *report;
	struct gate_result gate;
	struct strbuf command; /* the command line without --html, quoted for a shell */
};

/* diff_load.c: fills in @d->sides for the table @name; false if a run lacks it. */
bool diff_gather(struct diff *d, const char *name);
/* Compares the tables @names that all runs have, with all rows. The caller frees the @nr tables in
 * @tables, even after an error. 0 or -errno.
 */
int diff_whole_tables(struct diff *d, const char *const *names, size_t nr_names,
		      struct table **tables, size_t *nr);
/* Writes the page if --html was given. GO_ON, or the exit code after a message. */
int diff_page(struct diff *d);

/* Adds what was compared and how: as a banner for people, as facts for programs. */
void diff_stand(struct diff *d);
/* Adds a note to @t, a table of differences: its sums, and whether a test compared the runs. */
void diff_verdict(const struct diff *d, struct table *t);
/* The recordings as a table for programs; NULL if out of memory. */
struct table *diff_recordings_table(const struct diff *d);

/* The most recordings open at a time: each holds its symbols, blocks and live objects. */
#define DIFF_AT_ONCE 16U

/**
 * diff_load_all() - load all recordings
 * @recordings: one for each of @args->paths, zero-initialised
 * @args: the directories of its sides are open
 *
 * Return: GO_ON, or the exit code of the first that failed, after its messages and those of the
 * recordings before it. Call diff_recording_free() for each in any case.
 */
int diff_load_all(struct diff_recording *recordings,
		  const struct diff_args *args) __must_check;

/* Sets @a->kernels if all operands are ELF files. GO_ON, or EXIT_USAGE after a message if only
 * some are, or if they are not exactly two.
 */
int diff_kernels_detect(struct diff_args *a, char *const *operands, int nr);
/* Fills in the metrics and the tables that rules can name. Returns how many tables. */
size_t diff_kernels_learn(struct diff_args *a);
/* The words for rows that -s takes. */
void diff_kernels_row_words(const struct diff_args *a, const char *words[FOOTPRINT_BYS]);
/* Do the options apply to kernels? Sets @a->kernels_by. GO_ON, or EXIT_USAGE after a message. */
int diff_kernels_check(struct diff_args *a);
/* Can the rules be used with the other options? GO_ON, or EXIT_USAGE after a message. */
int diff_kernels_rules(const struct diff_args *a);
/* Reads the kernels into @d->recordings; tables that only rules need are hidden. GO_ON, or the exit
 * code after a message.
 */
int diff_kernels_load(struct diff *d);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cmd: the options of kmemx diff.
 * In: argv. Out: struct diff_args, checked.
 */
#ifndef KMEMX_CMD_DIFF_OPTIONS_H
#define KMEMX_CMD_DIFF_OPTIONS_H

#include "analysis/footprint/footprint.h"
#include "cmd/diff/diff_load.h"
#include "cmd/options/lost_limit.h"
#include "cmd/output/output.h"
#include "report/diff.h"
#include "report/gate.h"

/* The old recordings, then the new ones. Zero-initialise it. */
struct diff_paths {
	char **items;
	size_t nr_old, nr;
};

/**
 * struct diff_args - all options; zero-initialise it
 * @per, @columns, @sort, ...: as given; other fields have the parsed forms
 * @files: as given: once for both sides, or twice: for the old and the new side
 * @sides: the files of each side, from @files
 * @caller, @cache, @matrix: which tables are shown
 * @page_file: of --html, or NULL
 * @kernels: the operands are the ELF files of two kernels, not recordings
 * @kernels_by: what the rows of the shown tables of kernels stand for
 */
struct diff_args {
	struct diff_paths paths;
	struct diff_choice choice;
	struct diff_files {
		struct option_strings kallsyms, system_map, vmlinux, modules, source;
		struct option_strings kernel, symfs;
		bool debuginfod;
	} files;
	struct diff_side sides[2];
	uint64_t dir_depth, jobs;
	bool of[MEMORY_KINDS]; /* kinds of memory to compare */
	bool caller, cache, matrix, all, strict;
	bool kernels, kernels_by[FOOTPRINT_BYS];
	struct option_strings by;
	const char *per, *cgroup_names, *columns, *sort, *budget, *page_file;
	struct option_strings fail_on;
	const char *tables[ANALYSES_MAX]; /* that rules can name */
	struct gate_words words;
	struct gate_rules rules;
	struct sort_keys keys, asked;	   /* columns, and the user's words for them */
	struct comparison_metrics metrics; /* to which @diff points */
	struct diff_options diff;
	struct lost_limit max_lost;
	uint64_t lines;
	struct output_options output;
};

/* Are directories looked up? */
bool diff_args_dirs(const struct diff_args *a);
/* Are inlined functions looked up, if both sides have debug information? */
bool diff_args_lines(const struct diff_args *a);
/* Are the events that @analysis needs compared? */
bool diff_args_compares(const struct diff_args *a, const struct analysis *analysis);
/* Is the analysis' table shown or checked against rules? False for tables only the page has. */
bool diff_args_shows(const struct diff_args *a, const struct analysis *analysis);
/* Do rows stand for files or lines of the source, which need debug information? */
static inline bool diff_args_by_source(const struct diff_args *a)
{
	return a->choice.by == SUBJECT_FILE || a->choice.by == SUBJECT_LINE;
}

/* The name of the metric that is shown in full. */
static inline const char *diff_args_main(const struct diff_args *a)
{
	return a->diff.metrics[a->diff.shown[0]].name;
}

/* GO_ON, or the exit code. Call diff_args_free() in any case. */
int diff_args_parse(struct diff_args *a, const struct command *command, int argc,
		    char **argv);
void diff_args_free(struct diff_args *a);

/* @nr_old: the number of operands before "--"; -1 if there was no "--". GO_ON, or the exit code
 * after a message.
 */
int diff_paths_init(struct diff_paths *paths, char **operands, int nr, int nr_old);
void diff_paths_free(struct diff_paths *paths);

/* The files of the sides. All return GO_ON, or the exit code after a message. */

/* Fills in the sides from the options. */
int diff_files_parse(struct diff_args *a);
/* Does some option use the files that are given? */
int diff_files_check_early(const struct diff_args *a);
/* Looks for debug information of sides whose symbols the user did not name: one file for all
 * recordings of a side. Opens the recordings, except pipes.
 */
int diff_files_search(struct diff_args *a);
/* Were sources of directories and lines found, if an option needs them? */
int diff_files_check(const struct diff_args *a);
void diff_files_free(struct diff_args *a);

#endif

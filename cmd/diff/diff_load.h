/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cmd: the recordings of kmemx diff.
 * In: paths. Out: each one's tables and facts; the recording itself is closed again.
 */
#ifndef KMEMX_CMD_DIFF_LOAD_H
#define KMEMX_CMD_DIFF_LOAD_H

#include <pthread.h>

#include "analysis/pass/analyze.h"
#include "cmd/input/input_dirs.h"
#include "cmd/options/filter_words.h"
#include "cmd/options/options.h"
#include "cmd/output/output.h"
#include "report/table.h"
#include "study/study.h"
#include "study/study_facts.h"
#include "symbol/debug_search.h"
#include "symbol/symbol_files.h"

enum diff_per { DIFF_PER_NONE, DIFF_PER_SECOND, DIFF_PER_EVENT, DIFF_PER_NUMBER };

/* Debug information that kmemx found for all recordings of a side. @ids: the modules' build IDs, as
 * recorded; NULL if not known.
 */
struct diff_found {
	struct debug_found files;
	char *ids;
};

/**
 * struct diff_side - the files that the recordings of one side are read with
 * @places: where to look for debug information if no @symbols are named
 * @found: what was found there; NULL if nothing
 * @sources: @dirs, opened; NULL if neither directories nor inlined functions are needed
 */
struct diff_side {
	struct symbol_files symbols;
	struct dir_files dirs;
	struct debug_places places;
	struct diff_found *found;
	const struct directory_sources *sources;
};

/**
 * struct diff_choice - what to load, the same for all recordings
 * @analyses: @nr of them
 * @by: SUBJECT_NONE for the callsite
 * @dir_depth: for SUBJECT_DIR
 * @words: the filter on allocations
 * @only_lines: sources are for inlined functions, not for directories
 * @window: the options, resolved for each recording when it is opened
 * @event: for DIFF_PER_EVENT
 * @number: for DIFF_PER_NUMBER
 */
struct diff_choice {
	const struct analysis *analyses[ANALYSES_MAX];
	size_t nr;
	enum subject_kind by;
	unsigned int dir_depth;
	struct filter_words words;
	bool raw_names, whole_groups, no_inline, only_lines, unscaled;
	struct window window;
	struct option_strings skip;
	enum diff_per per;
	const char *event;
	double number;
	unsigned int verbose;
};

/* The progress of all recordings together. @done counts thousandths of a recording. */
struct diff_progress {
	pthread_mutex_t lock; /* protects the fields below */
	struct progress line;
	size_t nr_recordings;
	uint64_t done, nr_events;
};

struct diff_load;

/**
 * struct diff_recording - one run
 * @load: NULL once its messages have been printed
 * @facts: facts.path is @path, facts.clock is NULL
 * @report: the tables, and the banner of study_facts_banner()
 * @divisor: what --per divides by
 * @ns: its clock counts in ns
 * @has: whether it has events of each kind of memory
 * @nr_kept: allocations that passed the filter, if there is one
 * @unnamed: the result of alloc_filter_unnamed()
 */
struct diff_recording {
	const char *path;
	struct diff_load *load;
	struct study_facts facts;
	struct report *report;
	double divisor;
	bool ns, has[MEMORY_KINDS];
	uint64_t nr_kept;
	bool unnamed;
};

void diff_recording_free(struct diff_recording *r);

#endif

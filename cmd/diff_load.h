/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cmd: the recordings of kmemx diff.
 * In: paths. Out: each one's tables and facts; the recording itself is closed again.
 */
#ifndef KMEMX_CMD_DIFF_LOAD_H
#define KMEMX_CMD_DIFF_LOAD_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "analysis/analyze.h"
#include "study/study_facts.h"
#include "filter_words.h"
#include "input_dirs.h"
#include "options.h"
#include "output.h"
#include "report/table.h"
#include "study/window.h"
#include "symbol/debug_search.h"
#include "symbol/symbol_files.h"

enum diff_per { DIFF_PER_NONE, DIFF_PER_SECOND, DIFF_PER_EVENT, DIFF_PER_NUMBER };

/**
 * struct diff_found - debug information that nobody named, of all recordings of a side
 * @modules: a directory; @ids: the modules' build IDs, as recorded; NULL: not known
 */
struct diff_found {
	char *vmlinux, *modules, *ids;
};

/**
 * struct diff_side - what the recordings of one side are read with
 * @places: where debug information is looked for, if no @symbols are named; @found: NULL: none
 * @sources: of @dirs; NULL where neither directories nor inlined functions are wanted
 */
struct diff_side {
	struct symbol_files symbols;
	struct dir_files dirs;
	struct debug_places places;
	struct diff_found *found;
	const struct directory_sources *sources;
};

/**
 * struct diff_choice - what is to be loaded, for all recordings alike
 * @analyses: @nr of them
 * @by: SUBJECT_NONE for the callsite
 * @dir_depth: of SUBJECT_DIR
 * @words: whose allocations
 * @only_lines: sources are for inlined functions, not for directories
 * @window: its options, not resolved: that is done for each recording
 * @event: of DIFF_PER_EVENT; @number: of DIFF_PER_NUMBER
 */
struct diff_choice {
	const struct analysis *analyses[ANALYSES_MAX];
	size_t nr;
	enum subject_kind by;
	unsigned int dir_depth;
	struct filter_words words;
	bool raw_names, no_inline, only_lines, unscaled;
	struct window window;
	struct option_strings skip;
	enum diff_per per;
	const char *event;
	double number;
	unsigned int verbose;
};

/* The progress of all recordings together; @done is in thousandths of a recording. */
struct diff_progress {
	pthread_mutex_t lock; /* for what follows */
	struct progress line;
	size_t nr_recordings;
	uint64_t done, nr_events;
};

struct diff_load;

/**
 * struct diff_recording - one run
 * @load: from diff_load_open() to diff_load_tell()
 * @facts: its path is @path, its clock NULL
 * @report: the tables; its banner is what study_facts_banner() says
 * @divisor: by which --per divides
 * @ns: its clock counts ns
 * @has_slab, @has_page: events of that kind were recorded
 * @nr_kept: allocations that the filter left, if there is one
 * @unnamed: what alloc_filter_unnamed() says of it
 */
struct diff_recording {
	const char *path;
	struct diff_load *load;
	struct study_facts facts;
	struct report *report;
	double divisor;
	bool ns, has_slab, has_page;
	uint64_t nr_kept;
	bool unnamed;
};

/**
 * diff_load_open() - open a recording
 * @path: borrowed, like @choice and @side
 *
 * One after the other, in the order of the paths: formats are parsed by libtraceevent, which can
 * do one at a time, and pipes may be written by one process. Nothing is printed.
 *
 * Return: true if it can be read; else diff_load_tell() says why. diff_recording_free() in any
 * case.
 */
bool diff_load_open(struct diff_recording *r, const char *path,
		    const struct diff_choice *choice,
		    const struct diff_side *side) __must_check;
/**
 * diff_load_read() - read what diff_load_open() opened, and close it
 * @ahead: blocks are read and decompressed by one more thread
 *
 * On any thread, beside those of other recordings, unless they look up directories, whose sources
 * they share. Nothing but the progress is printed.
 *
 * Return: true if all is known; else diff_load_tell() says why.
 */
bool diff_load_read(struct diff_recording *r, bool ahead,
		    struct diff_progress *progress) __must_check;
/* Prints what there is to say of a recording: GO_ON, or the exit code. Once for each that was
 * opened, while no line of progress is shown.
 */
int diff_load_tell(struct diff_recording *r) __must_check;
void diff_recording_free(struct diff_recording *r);
/* Events that may be missing from a row; INFINITY where nobody knows. */
double diff_recording_lost(const struct diff_recording *r);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * study: what a command works on, opened as a whole.
 * In: paths and choices. Out: a recording with its formats, symbols, rule for callsites and
 * directories, and the stream of its events; or what of it could not be had.
 */
#ifndef KMEMX_STUDY_STUDY_H
#define KMEMX_STUDY_STUDY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analysis/analysis.h"
#include "analysis/stack_guess.h"
#include "base/compiler.h"
#include "base/log.h"
#include "base/strbuf.h"
#include "event/formats.h"
#include "event/migratetype.h"
#include "event/stream.h"
#include "recording/recording.h"
#include "study/window.h"
#include "symbol/callsite.h"
#include "symbol/debug_search.h"
#include "symbol/directory_files.h"
#include "symbol/source_lines.h"
#include "symbol/symbol_files.h"
#include "symbol/symbols.h"

/**
 * struct study_options - what to open; strings and pointers are borrowed as long as the study
 * @path: the recording; "-" is standard input
 * @tmpdir: where a pipe's content goes, into a file without a name; NULL: /tmp
 * @want_symbols: symbols are needed at all; @symbols: to use instead of the recording's
 * @want_rule: callsites are needed; @skip, @nr_skip: regular expressions of functions that
 *	       are none, beside those that the rule knows
 * @want_dirs: directories are needed, of what @dirs names or the search finds; or of @sources, open
 *	       already
 * @lines: what may know inlined functions and lines, and is passed over where it does not: not
 *	   used where directories are needed, as what gives them knows lines, too
 * @dirs_of_lines: they give directories, too, where they know them
 * @only_lines: that is all that @sources are for
 * @no_inline: callsites are of functions that hold their code
 * @search: if no symbols are named, the kernel's debug information is looked for, as debug_search.h
 *	    says, where @places are; with @only_search nothing is opened that is found;
 *	    @fetching: is told how far a server is
 * @window: the part that is meant
 * @log: where messages go, such as of damage
 */
struct study_options {
	const char *path;
	const char *tmpdir;
	bool want_symbols, want_rule;
	struct symbol_files symbols;
	const char *const *skip;
	size_t nr_skip;
	struct dir_files dirs, lines;
	const struct directory_sources *sources;
	bool want_dirs, dirs_of_lines, only_lines, no_inline, search, only_search;
	struct debug_places places;
	struct debug_fetching fetching;
	struct window window;
	struct log log;
};

/* What could not be had. */
enum study_part {
	STUDY_FILE,	   /* the file, as a file */
	STUDY_RECORDING,   /* a recording in it */
	STUDY_FORMATS,	   /* the formats of its events */
	STUDY_SYMBOLS,	   /* its own symbols */
	STUDY_SYMBOL_FILE, /* symbols of a file: @symbols */
	STUDY_SEARCH, /* debug information where it was said to be: struct study.found */
	STUDY_RULE,   /* the rule for callsites: @text */
	STUDY_DIR_FILE, /* what knows directories: @dirs */
	STUDY_DIRS,	/* memory for directories, or for lines */
	STUDY_WINDOW,	/* time stamps for the window */
	STUDY_INSTANCE, /* the ring buffer that was named */
	STUDY_EVENTS,	/* the events */
};

/**
 * struct study_failure - why a call failed
 * @err: negative errno
 * @symbols: of STUDY_SYMBOL_FILE; @dirs: of STUDY_DIR_FILE
 * @text: of STUDY_RULE with -EINVAL: which expression, and what is wrong with it
 */
struct study_failure {
	enum study_part part;
	int err;
	struct symbol_failure symbols;
	struct dir_failure dirs;
	struct strbuf text;
};

/**
 * struct study - an open recording, and all that is needed to read its events
 * @path: as given
 * @syms, @rule, @dirs: NULL if not asked for
 * @lines: NULL if no debug information is given or found, or it has none
 * @found: where the search looked; @found_offset: what is to be added to its vmlinux's addresses;
 *	   @server: NULL if none is to be asked
 * @guess: the recording has the callchains of a sample of its slab objects; NULL: it is no such one
 * @stream: NULL before study_read()
 * @window: its time stamps are those of the last study_read() or study_place_window()
 * @failure: after a call that returned an error
 */
struct study {
	const char *path;
	struct log log;
	struct recording *rec;
	struct event_formats *fmts;
	struct migratetypes migratetypes;
	struct symbols *syms;
	struct symbol_origin origin;
	struct callsite_rule *rule;
	struct directory_sources sources;
	struct directories *dirs;
	struct source_lines *lines;
	struct debug_found found;
	struct debug_server *server;
	uint64_t found_offset;
	struct stack_guess *guess;
	struct window window;
	struct event_stream *stream;
	struct study_failure failure;
};

/**
 * study_open() - open everything but the stream
 *
 * Return: 0; else a negative errno, and @s->failure describes it. study_close() in any case.
 * @s must not be moved.
 */
int study_open(struct study *s, const struct study_options *opts) __must_check;

/**
 * study_read() - begin to read the window's events
 * @how: how they are read; its instance and bounds are ignored
 *
 * May be called again, to read them once more. After the first call the text of the
 * recording's own symbols is gone, as nobody needs it any more.
 *
 * Return: 0; else a negative errno, and @s->failure describes it; no stream is open then.
 */
int study_read(struct study *s, const struct event_stream_options *how) __must_check;

/* Fills in the window's time stamps without reading. 0, or as study_read(). */
int study_place_window(struct study *s) __must_check;

/* Keeps the symbols that @files name, or the recording's own, for a study opened without.
 * 0, or as study_open().
 */
int study_open_symbols(struct study *s, const struct symbol_files *files) __must_check;

void study_close(struct study *s);

/* What an analysis may consult, and nothing chosen yet. Borrows from @s. */
struct analysis_env study_env(const struct study *s);

/* How far the reading is, in units of the clock: @done of @total. */
void study_progress(const struct study *s, uint64_t *done, uint64_t *total);

/* Events that the stream has read so far: of slab objects, of pages, of a name. */
uint64_t study_count_slab(const struct study *s);
uint64_t study_count_page(const struct study *s);
uint64_t study_count_named(const struct study *s, const char *name);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * study: opens everything that a command works on.
 * In: paths and choices. Out: a recording with its formats, symbols, rule for callsites and
 * directories, and the stream of its events; or the part that could not be opened.
 */
#ifndef KMEMX_STUDY_STUDY_H
#define KMEMX_STUDY_STUDY_H

#include "analysis/analysis.h"
#include "analysis/filter/stack_guess.h"
#include "base/log.h"
#include "base/strbuf.h"
#include "event/formats.h"
#include "event/migratetype.h"
#include "event/stream.h"
#include "event/time_window.h"
#include "recording/recording.h"
#include "symbol/callsite.h"
#include "symbol/debug_search.h"
#include "symbol/directories.h"
#include "symbol/source_lines.h"
#include "symbol/symbol_files.h"
#include "symbol/symbols.h"

/**
 * struct window - a part of a recording; zero-initialised: all of it
 * @time: as the user wrote it; NULL: no bounds. @parsed: the result of time_window_parse()
 * @at: the STOP that the user gave as a moment, of which @time was made; NULL: none
 * @instance: only the ring buffer of this name; NULL: all of them. study_open() makes NULL of ""
 *	where the only other one is that of the frees by all tasks
 * @buffer: the first selected ring buffer with events; its clock counts
 * @first_ts, @last_ts: time span of the selected buffers; 0 without events
 * @start_ts, @stop_ts: the window's bounds, both included
 */
struct window {
	const char *time, *at, *instance;
	struct time_window parsed;
	uint32_t buffer;
	uint64_t first_ts, last_ts;
	uint64_t start_ts, stop_ts;
};

/* Is ring buffer @i selected? */
bool window_has_buffer(const struct window *w, const struct recording *rec, uint32_t i);

/**
 * struct study_options - what to open; strings and pointers are borrowed while the study exists
 * @path: the recording; "-" is standard input
 * @tmpdir: directory for an unnamed file with a pipe's content; NULL: /tmp
 * @want_symbols: symbols are needed; @symbols: used instead of the recording's
 * @want_rule: callsites are needed; @skip, @nr_skip: regular expressions of functions that are not
 *	       callsites, besides those of the rule
 * @want_dirs: directories are needed, from what @dirs names or the search finds, or from @sources,
 *	       which are already open
 * @lines: optional sources of inlined functions and lines; not used if directories are needed, as
 *	   their source knows lines, too
 * @dirs_of_lines: they also supply directories, where they know them
 * @only_lines: @sources are used only for lines
 * @no_inline: callsites are the functions that contain the code
 * @search: if no symbols are named, search @places for the kernel's debug information
 *	    (debug_search.h); with @only_search, do not open what was found; @fetching: called with
 *	    the progress of a server's download
 * @window: the selected part
 * @log: receives messages, for example about damage
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

/* The part that could not be opened. */
enum study_part {
	STUDY_FILE,	   /* the file itself */
	STUDY_RECORDING,   /* the recording in it */
	STUDY_FORMATS,	   /* the formats of its events */
	STUDY_SYMBOLS,	   /* its own symbols */
	STUDY_SYMBOL_FILE, /* symbols of a file: @symbols */
	STUDY_SEARCH,	   /* debug information in the given places: struct study.found */
	STUDY_RULE,	   /* the rule for callsites: @text */
	STUDY_DIR_FILE,	   /* the source of directories: @dirs */
	STUDY_DIRS,	   /* memory for directories or lines */
	STUDY_WINDOW,	   /* time stamps of the window */
	STUDY_INSTANCE,	   /* the named ring buffer */
	STUDY_EVENTS,	   /* the events */
};

/**
 * struct study_failure - why a call failed
 * @err: negative errno
 * @symbols: for STUDY_SYMBOL_FILE; @dirs: for STUDY_DIR_FILE
 * @text: for STUDY_RULE with -EINVAL: the expression and its error
 */
struct study_failure {
	enum study_part part;
	int err;
	struct symbol_failure symbols;
	struct dir_failure dirs;
	struct strbuf text;
};

/**
 * struct study - an open recording, and everything needed to read its events
 * @path: as given
 * @syms, @rule, @dirs: NULL if not asked for
 * @lines: NULL if no debug information is given or found, or it has no lines
 * @found: the search's result; @found_offset: offset to add to its vmlinux's addresses; @server:
 *	   NULL if none is used
 * @guess: guesses callchains if the recording has those of a sample of its slab objects; else NULL
 * @stream: NULL before study_read()
 * @window: its time stamps were set by the last study_read() or study_place_window()
 * @failure: valid after a call that returned an error
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
 * study_open() - open everything except the stream
 *
 * Return: 0; else a negative errno, and @s->failure describes it. Call study_close() in any case.
 * @s must not be moved.
 */
int study_open(struct study *s, const struct study_options *opts) __must_check;

/**
 * study_read() - begin to read the window's events
 * @how: how to read them; its instance and bounds are ignored
 *
 * May be called again to read the events again. The first call frees the text of the recording's
 * own symbols, which is no longer needed.
 *
 * Return: 0; else a negative errno, and @s->failure describes it; then no stream is open.
 */
int study_read(struct study *s, const struct event_stream_options *how) __must_check;

/* Fills in the window's time stamps without reading. 0, or as study_read(). */
int study_place_window(struct study *s) __must_check;

/* Loads the symbols that @files name, or the recording's own, for a study opened without symbols.
 * 0, or as study_open().
 */
int study_open_symbols(struct study *s, const struct symbol_files *files) __must_check;

void study_close(struct study *s);

/* What an analysis may use, with nothing selected. Borrows from @s. */
struct analysis_env study_env(const struct study *s);

/* Progress of reading in units of the clock: @done of @total. */
void study_progress(const struct study *s, uint64_t *done, uint64_t *total);

/* Events of that @name so far; NULL: of @types, a set of bits of enum kmem_event_type. */
uint64_t study_count(const struct study *s, uint32_t types, const char *name);

/* Notes what failed, and returns @err. */
static inline int study_fail(struct study *s, enum study_part part, int err)
{
	s->failure.part = part;
	s->failure.err = err;
	return err;
}

/* Searches for the kernel's files, if @o asks for it and names none. @s has its recording but no
 * symbols yet. 0, or as study_open().
 */
int study_find_debug(struct study *s, const struct study_options *o) __must_check;
/* Opens the symbols that @o names, or the recording's own; if it has none, those of the file that
 * was found. 0, or as study_open().
 */
int study_find_symbols(struct study *s, const struct study_options *o) __must_check;
/* Opens the sources of directories, inlined functions and lines. @s has its symbols. 0, or as
 * study_open().
 */
int study_open_debug(struct study *s, const struct study_options *o) __must_check;
/* The offset added to the addresses of the vmlinux in use (KASLR); 0: none. */
uint64_t study_vmlinux_offset(const struct study *s);

#endif

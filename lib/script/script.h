/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * script: events as text, one per line.
 * In: events and losses of a stream. Out: lines in the format of trace-cmd report or kmemtrace, or
 * JSON.
 */
#ifndef KMEMX_SCRIPT_SCRIPT_H
#define KMEMX_SCRIPT_SCRIPT_H

#include "analysis/analysis.h"
#include "analysis/row/sites.h"
#include "base/outbuf.h"
#include "event/tasks.h"

enum script_format {
	SCRIPT_TEXT,
	SCRIPT_JSON,
	SCRIPT_KMEMTRACE,
	SCRIPT_KMEMTRACE_MIN,
};

enum script_gfp { SCRIPT_GFP_NAMES, SCRIPT_GFP_SHORT, SCRIPT_GFP_HEX };

/**
 * struct script_options - the format of lines
 * @gfp: not used by SCRIPT_JSON and SCRIPT_KMEMTRACE
 * @stack: print the callchain below its event (SCRIPT_TEXT) or in it (SCRIPT_JSON)
 * @ns: print nine decimals of a second instead of six (SCRIPT_TEXT)
 */
struct script_options {
	enum script_format format;
	enum script_gfp gfp;
	bool stack;
	bool ns;
};

/**
 * struct script_env - what lines are made from; borrowed, must outlive the script
 * @sites: initialised with @env
 */
struct script_env {
	const struct analysis_env *env;
	struct sites *sites;
	const struct tasks *tasks;
};

struct script;

/* 0 or -ENOMEM. Lines are written to @ob, which the caller flushes. */
int script_new(struct script **out, const struct script_env *env,
	       const struct script_options *opts, struct outbuf *ob) __must_check;
void script_free(struct script *s);
/**
 * script_learn() - look at an event before the first is printed
 *
 * The width of SCRIPT_KMEMTRACE_MIN's column of GFP names and the legend of the short names are
 * known only after every event has been seen. Needed if script_learns() says so.
 */
void script_learn(struct script *s, const struct kmem_event *ev);
bool script_learns(const struct script_options *opts);
/* Prints the lines before the first event, each beginning with #; may print nothing. */
void script_header(struct script *s);
/* Does this format have a line for such an event? */
bool script_shows(const struct script_options *opts, const struct kmem_event *ev);
/* Prints one line, or more with a stack. 0; -ENOMEM; -errno of the output. */
int script_print(struct script *s, const struct kmem_event *ev) __must_check;

#endif

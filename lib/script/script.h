/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * script: events as text, one a line.
 * In: events and losses of a stream. Out: lines as trace-cmd report has them, as kmemtrace
 * had them, or JSON.
 */
#ifndef KMEMX_SCRIPT_SCRIPT_H
#define KMEMX_SCRIPT_SCRIPT_H

#include "analysis/analysis.h"
#include "analysis/sites.h"
#include "event/tasks.h"
#include "base/outbuf.h"

enum script_format {
	SCRIPT_TEXT,
	SCRIPT_JSON,
	SCRIPT_KMEMTRACE,
	SCRIPT_KMEMTRACE_MIN,
};

enum script_gfp { SCRIPT_GFP_NAMES, SCRIPT_GFP_SHORT, SCRIPT_GFP_HEX };

/**
 * struct script_options - how lines look
 * @gfp: does not concern SCRIPT_JSON and SCRIPT_KMEMTRACE
 * @stack: the callchain under its event (SCRIPT_TEXT), or in it (SCRIPT_JSON)
 * @ns: nine decimals of a second instead of six (SCRIPT_TEXT)
 */
struct script_options {
	enum script_format format;
	enum script_gfp gfp;
	bool stack;
	bool ns;
};

/**
 * struct script_env - what lines are made of; borrowed, outlives the script
 * @sites: initialised with @env
 */
struct script_env {
	const struct analysis_env *env;
	const struct sites *sites;
	const struct tasks *tasks;
};

struct script;

/* 0 or -ENOMEM. Lines go to @ob, which the caller flushes. */
int script_new(struct script **out, const struct script_env *env,
	       const struct script_options *opts, struct outbuf *ob) __must_check;
void script_free(struct script *s);
/**
 * script_learn() - look at an event before the first is printed
 *
 * How wide SCRIPT_KMEMTRACE_MIN's column of GFP names must be, and the legend of the short
 * names, are known only when every event has been seen; needed if script_learns() says so.
 */
void script_learn(struct script *s, const struct kmem_event *ev);
bool script_learns(const struct script_options *opts);
/* What stands above the first line, each line of it beginning with #; may be nothing. */
void script_header(struct script *s);
/* Does this format have a line for such an event? */
bool script_shows(const struct script_options *opts, const struct kmem_event *ev);
/* One line, or with a stack more. 0; -ENOMEM; -errno of the output. */
int script_print(struct script *s, const struct kmem_event *ev) __must_check;

#endif

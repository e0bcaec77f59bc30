/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cmd: the options that filter the allocations of a report.
 * In: comma-separated words. Out: a filter, or a message; the words again, for the header.
 */
#ifndef KMEMX_CMD_FILTER_WORDS_H
#define KMEMX_CMD_FILTER_WORDS_H

#include "analysis/filter/alloc_filter.h"
#include "base/strbuf.h"
#include "cmd/options/options.h"

/* The values as given. An option may be repeated; each use adds words. */
struct filter_words {
	struct option_strings pids, comms, groups, cpus, nodes, sites, dirs, caches, gfps,
		orders;
};

/* clang-format off */
/* For an option table: @w is a struct filter_words. @everyday: 0, or OPTION_EVERYDAY. @more: text
 * after the kinds of callsites.
 */
#define FILTER_WHO_OPTIONS(w, everyday, more) \
	{ OPTION_STRINGS | (everyday), 'p', "pid", "LIST", &(w).pids, \
	  "processes: 1,100-199" }, \
	{ OPTION_STRINGS | (everyday), 0, "comm", "NAMES", &(w).comms, \
	  "tasks of these names: sh,'kworker*'" }, \
	{ OPTION_STRINGS | (everyday), 0, "cgroup", "NAMES", &(w).groups, \
	  "control groups, with those below: /web,'/docker-*'" }, \
	{ OPTION_STRINGS | (everyday), 0, "cpu", "LIST", &(w).cpus, "CPUs: 0,2-3" }, \
	{ OPTION_STRINGS | (everyday), 0, "callsite", "SITES", &(w).sites, \
	  "functions, function+0x1f" more }, \
	{ OPTION_STRINGS | (everyday), 0, "dir", "DIRS", &(w).dirs, \
	  "directories of callsites: fs,net/ipv4" }
#define FILTER_WHAT_OPTIONS(w) \
	{ OPTION_STRINGS, 0, "node", "LIST", &(w).nodes, \
	  "requested memory nodes: 0,1; -1: none" }, \
	{ OPTION_STRINGS, 0, "cache", "NAMES", &(w).caches, \
	  "slab caches: dentry,'kmalloc-*'" }, \
	{ OPTION_STRINGS, 0, "gfp", "FLAGS", &(w).gfps, \
	  "with these flags: GFP_ATOMIC,__GFP_ZERO" }, \
	{ OPTION_STRINGS, 0, "order", "LIST", &(w).orders, "orders of pages: 3-10" }
#define FILTER_OPTIONS(w) \
	{ OPTION_GROUP, .help = "Whose allocations (A,B: any of them; several options: all)" }, \
	FILTER_WHO_OPTIONS(w, 0, "; deep: beyond wrappers"), \
	FILTER_WHAT_OPTIONS(w)
/* clang-format on */

/* A word of --callsite that means --skip-func wrappers. A function of that name is "[d]eep". */
#define FILTER_DEEP "deep"

/* If --callsite has FILTER_DEEP, adds the wrappers to @skip, the values of --skip-func. A value
 * that is only FILTER_DEEP is removed. GO_ON, or EXIT_FAILED after a message.
 */
int filter_words_deep(struct filter_words *w, struct option_strings *skip,
		      const char *command) __must_check;

/* Has --callsite FILTER_DEEP? */
bool filter_words_has_deep(const struct filter_words *w);

/* filter_each_word() calls @add for every word of "A,B" of every use of @option. @add returns 0, a
 * negative errno, or an exit code after its own message. For an errno the message to @log says what
 * was @expected. Returns GO_ON, or the exit code.
 */
struct filter_option {
	const char *option, *expected;
	const struct option_strings *values;
};

int filter_each_word(const struct filter_option *o,
		     int (*add)(void *ctx, const char *word), void *ctx,
		     const struct log *log) __must_check;

/* Appends "--pid 1,2 --comm sh". */
void filter_options_text(const struct filter_option *options, size_t nr,
			 struct strbuf *out);

/* Was any of the options given? */
bool filter_words_any(const struct filter_words *w);
/* Do they need the control groups of processes? */
bool filter_words_groups(const struct filter_words *w);
/* Do they need the directories of functions? */
bool filter_words_dirs(const struct filter_words *w);
/* Sets @slab to an option that filters on a field slab events lack, or to NULL; @page likewise for
 * page events. Such events cannot be in the report.
 */
void filter_words_foreign(const struct filter_words *w, const char **slab,
			  const char **page);
/* Fills in @filter. GO_ON, or the exit code after a message to @log. Call alloc_filter_free() in
 * any case.
 */
int filter_words_resolve(const struct filter_words *w, struct alloc_filter *filter,
			 const struct event_formats *fmts,
			 const struct log *log) __must_check;
/* Appends the options as filter_options_text(). */
void filter_words_text(const struct filter_words *w, struct strbuf *out);
/* The sentence to print if alloc_filter_unnamed(). */
extern const char filter_words_unnamed[];
/* Says that no allocation in @path matches the filter; if @unnamed, also why. An exit code. */
int filter_words_nothing(const struct filter_words *w, const char *command,
			 const char *path, bool unnamed);
void filter_words_free(struct filter_words *w);

#endif

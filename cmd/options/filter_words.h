/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cmd: the options that filter the allocations of a report.
 * In: comma-separated words. Out: a filter, or a message; the options as text, for the header.
 */
#ifndef KMEMX_CMD_FILTER_WORDS_H
#define KMEMX_CMD_FILTER_WORDS_H

#include "analysis/filter/alloc_filter.h"
#include "base/strbuf.h"
#include "cmd/options/options.h"
#include "report/table.h"
#include "study/study.h"

/* The values as given. An option may be repeated; each use adds words. @groups need the control
 * groups of processes, @dirs the directories of functions. Only kmemx script takes @events, and the
 * addresses of objects in @ptrs.
 */
struct filter_words {
	struct option_strings pids, comms, groups, cpus, nodes, sites, dirs, caches, gfps,
		orders, events, ptrs;
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

/* If --callsite has FILTER_DEEP, adds the wrappers to @skip, the values of --skip-func. Removes a
 * value that consists of nothing but FILTER_DEEP. GO_ON, or EXIT_FAILED after a message.
 */
int filter_words_deep(struct filter_words *w, struct option_strings *skip,
		      const char *command) __must_check;

/* Has --callsite FILTER_DEEP? */
bool filter_words_has_deep(const struct filter_words *w);

/* Was any of the options given? */
bool filter_words_any(const struct filter_words *w);
/* Sets @slab to an option that filters on a field slab events lack, or to NULL; @page likewise for
 * page events. Such events cannot be in the report. GO_ON, or EXIT_USAGE after a message if none
 * can.
 */
int filter_words_foreign(const struct filter_words *w, const char **slab,
			 const char **page, const char *command);
/* Fills in @filter. GO_ON, or the exit code after a message to the log of @study. Call
 * alloc_filter_free() in any case.
 */
int filter_words_resolve(const struct filter_words *w, struct alloc_filter *filter,
			 const struct study *study) __must_check;
/* Appends the options: "--pid 1,2 --comm sh". */
void filter_words_text(const struct filter_words *w, struct strbuf *out);
/* Says which allocations the filter selects, if there is one: in the banner and as a fact.
 * @unnamed: alloc_filter_unnamed().
 */
void filter_words_banner(const struct filter_words *w, bool unnamed, struct report *r);
/* The sentence to print if alloc_filter_unnamed(). */
extern const char filter_words_unnamed[];
/* Says that no allocation in @path matches the filter; if @unnamed, also why. An exit code. */
int filter_words_nothing(const struct filter_words *w, const char *command,
			 const char *path, bool unnamed);
void filter_words_free(struct filter_words *w);

#endif

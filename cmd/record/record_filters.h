/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cmd: which allocations kmemx record records.
 * In: options. Out: criteria of the library.
 */
#ifndef KMEMX_CMD_RECORD_FILTERS_H
#define KMEMX_CMD_RECORD_FILTERS_H

#include "capture/session/capture.h"
#include "cmd/options/options.h"

/* The options. Their strings point into argv. record_filters_free() frees @cgroup_dir and @merged,
 * which has a name or NULL for each of @caches.
 */
struct record_filters {
	uint64_t min_bytes, min_order;
	struct option_strings caches, gfp, comms;
	const char *cgroup;
	char *cgroup_dir;
	char **merged;
};

#define RECORD_FILTER_OPTIONS(f)                                                              \
	{ OPTION_SIZE,	  0,                                                                  \
	  "min-bytes",	  "SIZE",                                                             \
	  &(f).min_bytes, "only allocations of at least SIZE" },                              \
		{ OPTION_POSITIVE, 0,                                                         \
		  "min-order",	   "N",                                                       \
		  &(f).min_order,  "page allocations: only those of order N or more" },       \
		{ OPTION_STRINGS, 0,                                                          \
		  "cache",	  "NAME",                                                     \
		  &(f).caches,	  "only objects of this slab cache; may be a pattern" },      \
		{ OPTION_STRINGS, 0,	    "gfp",                                            \
		  "FLAG[,FLAG]",  &(f).gfp, "only allocations with all of these GFP flags" }, \
	{                                                                                     \
		OPTION_STRINGS, 0, "comm", "NAME", &(f).comms,                                \
			"only allocations of tasks of this name"                              \
	}
#define RECORD_CGROUP_OPTION(f)                                    \
	{                                                          \
		OPTION_STRING, 0, "cgroup", "PATH", &(f).cgroup,   \
			"only the processes of this control group" \
	}

/* Does an option filter allocations, so that --filter-frees applies? */
bool record_filters_any(const struct record_filters *f);
/* Checks the options and sets the criteria in @c, whose events are already chosen. @page, @areas:
 * the user asked for page events, for areas. GO_ON, or an exit code after a message.
 */
int record_filters_set(struct record_filters *f, bool page, bool areas,
		       struct capture_options *c);
/* Looks up GFP flags, merged caches and the control group on this machine. Returns as above. */
int record_filters_look_up(struct record_filters *f, struct capture_options *c);
void record_filters_free(struct record_filters *f);

#endif

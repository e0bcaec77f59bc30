/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cmd: which analyses kmemx stat is asked for.
 * In: the registry, the user's options. Out: an option for each analysis; a set of them, or a
 * message.
 */
#ifndef KMEMX_CMD_STAT_ANALYSES_H
#define KMEMX_CMD_STAT_ANALYSES_H

#include "analysis/registry.h"
#include "options.h"

/* Options are in as many tables, each with an end. */
#define ANALYSIS_USES 3

/**
 * struct stat_analyses - zero-initialise it; the option table points at its flags
 * @options: of stat_analyses_options(), @nr_options of them
 * @asked: by name, of analysis_at()
 * @opts: what is asked of them
 * @short_time: for @opts; UINT64_MAX: not given
 * @foreign: events that a filter cannot judge: analyses of those are none of the usual ones
 * @chosen: once stat_analyses_choose() is done; @nr of them
 */
struct stat_analyses {
	struct option_entry options[ANALYSES_MAX + ANALYSIS_USES];
	size_t nr_options;
	bool asked[ANALYSES_MAX];
	struct analysis_options opts;
	uint64_t short_time;
	uint32_t foreign;
	const struct analysis *chosen[ANALYSES_MAX];
	size_t nr;
};

/* An OPTION_TABLE: an option for each analysis of that use, which is asked for with it. Once for
 * each of the uses of stat.
 */
struct option_entry *stat_analyses_options(struct stat_analyses *a,
					   enum analysis_use use);
/* Are its tables those of @command: of stat, or of the command that it is? */
bool stat_analyses_of(const char *command, const struct analysis *analysis);
/* Is one of that use asked for by name? */
bool stat_analyses_asked(const struct stat_analyses *a, enum analysis_use use);
/* Can all of those asked for speak of what they are asked? @time: only a part of the
 * recording's time is wanted. GO_ON, or EXIT_USAGE after a message.
 */
int stat_analyses_check(struct stat_analyses *a, bool time, const char *command);
/* Fills in what the user left open. */
void stat_analyses_choose(struct stat_analyses *a);
/* Does the recording hold what those chosen must have? @path: its name. GO_ON, or the
 * exit code after a message.
 */
int stat_analyses_possible(const struct stat_analyses *a, const struct recording *rec,
			   const char *path, const char *command);
/* The events of those chosen: bits of enum kmem_event_type. */
uint32_t stat_analyses_need(const struct stat_analyses *a);
/* Says above the tables which of those asked for by name, if several are, have no events among
 * @seen, the types that came.
 */
void stat_analyses_banner(const struct stat_analyses *a, uint32_t seen,
			  struct report *report);

#endif

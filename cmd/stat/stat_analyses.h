/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cmd: which analyses kmemx stat runs.
 * In: the registry, the user's options. Out: an option for each analysis; a set of them, or a
 * message.
 */
#ifndef KMEMX_CMD_STAT_ANALYSES_H
#define KMEMX_CMD_STAT_ANALYSES_H

#include "analysis/pass/analyze.h"
#include "cmd/options/options.h"

/* The number of option tables; each has an end entry. */
#define ANALYSIS_USES 3

/**
 * struct stat_analyses - zero-initialise it; the option table points at its flags
 * @options: the @nr_options entries of stat_analyses_options() and stat_analyses_own_options()
 * @asked: asked for by name; the index is that of analysis_at()
 * @opts: their options
 * @own: their own options; the index is that of analysis_at()
 * @foreign: events that lack a field of the filter: analyses of them are not chosen by default
 * @chosen, @chosen_own: the @nr analyses to run and their own options, set by
 *	stat_analyses_choose()
 */
struct stat_analyses {
	struct option_entry options[2 * ANALYSES_MAX + ANALYSIS_USES];
	size_t nr_options;
	bool asked[ANALYSES_MAX];
	struct analysis_options opts;
	uint64_t own[ANALYSES_MAX][ANALYSIS_OWN_SIZE / sizeof(uint64_t)];
	uint32_t foreign;
	const struct analysis *chosen[ANALYSES_MAX];
	const void *chosen_own[ANALYSES_MAX];
	size_t nr;
};

/* An OPTION_TABLE with an option for each analysis of that use. Call it once for each use that
 * kmemx stat has.
 */
struct option_entry *stat_analyses_options(struct stat_analyses *a,
					   enum analysis_use use);
/* An OPTION_TABLE with the own options of the analysis @name. Call it once for each. */
struct option_entry *stat_analyses_own_options(struct stat_analyses *a, const char *name);
/* The own options of the analysis @name, which has some. */
void *stat_analyses_own(struct stat_analyses *a, const char *name);
/* Was @option, one of the own options of an analysis, given? */
bool stat_analyses_given(const struct stat_analyses *a, const char *option);
/* Does @command show the tables of @analysis? */
bool stat_analyses_of(const char *command, const struct analysis *analysis);
/* The next analysis of @command, from *@i on, which moves past it; NULL: no more. */
const struct analysis *stat_analyses_next(const char *command, size_t *i);
/* What rows of @command can stand for: a set of ROWS(). */
uint32_t stat_analyses_rows(const char *command);
/* How the user asks for it: "--ledger", "kmemx leaks", "kmemx owners --all". */
void stat_analyses_title(const struct analysis *analysis, char title[64]);
/* Was an analysis of that use asked for by name? */
bool stat_analyses_asked(const struct stat_analyses *a, enum analysis_use use);
/* Can the analyses asked for be combined with the other options? @time: --time was given. GO_ON, or
 * EXIT_USAGE after a message.
 */
int stat_analyses_check(struct stat_analyses *a, bool time, const char *command);
/* Sets @chosen and the defaults of @opts. */
void stat_analyses_choose(struct stat_analyses *a);
/* Does the recording have what the chosen analyses need? @path: its name. GO_ON, or the exit code
 * after a message.
 */
int stat_analyses_possible(const struct stat_analyses *a, const struct recording *rec,
			   const char *path, const char *command);
/* The events that the chosen analyses need: bits of enum kmem_event_type. */
uint32_t stat_analyses_need(const struct stat_analyses *a);
/* If several analyses or kinds of memory were asked for by name, says in the banner which of their
 * kinds of events did not occur; and which frees are missing. @seen: the event types that occurred.
 * @missing: see analysis_missing_frees().
 */
void stat_analyses_banner(const struct stat_analyses *a, uint32_t seen, uint32_t missing,
			  struct report *report);

#endif

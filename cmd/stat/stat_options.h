/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cmd: the options of every command that shows tables of one recording.
 * In: argv, the command's own options. Out: a struct stat_options, and -h text in the same order
 * for all commands.
 */
#ifndef KMEMX_CMD_STAT_OPTIONS_H
#define KMEMX_CMD_STAT_OPTIONS_H

#include "cmd/input/input_dirs.h"
#include "cmd/input/input_symbols.h"
#include "cmd/stat/stat_run.h"

/* Parts of an option table, in the order of use; @o points to the struct stat_options. A command's
 * own options go before STAT_SORT_OPTION().
 */
/* clang-format off */
#define STAT_INPUT_OPTIONS(o) \
	{ OPTION_GROUP, 0, NULL, NULL, NULL, "What to read" }, \
	INPUT_OPTION(&(o)->path), \
	TIME_OPTION((o)->window), \
	INSTANCE_OPTION((o)->window)
#define STAT_SYMBOL_OPTIONS(o) SYMBOL_FILE_OPTIONS(OPTION_STRING, (o)->symbols, "")
#define STAT_DIR_OPTIONS(o) \
	DEBUG_PLACE_OPTIONS((o)->places), \
	DIR_FILE_OPTIONS(OPTION_STRING, o)
/* Ends the group "What to read" and begins "What to show". */
#define STAT_JOBS_OPTIONS(o) \
	JOBS_OPTION(&(o)->jobs), \
	{ OPTION_GROUP, 0, NULL, NULL, NULL, "What to show" }
/* The events of the kinds of memory that these options chose; 0: of all. */
uint32_t stat_kinds_needed(const bool of[MEMORY_KINDS]);
/* @words: the option's help. */
#define STAT_BY_OPTIONS(o, words) \
	{ OPTION_STRING | OPTION_EVERYDAY, 0, "by", "WHAT", &(o)->choice.by_word, \
	  words }, \
	DIR_DEPTH_OPTION((o)->dir_depth)
/* @words: the option's help. */
#define STAT_SORT_OPTION(o, words) \
	{ OPTION_STRING | OPTION_EVERYDAY, 's', "sort", "KEYS", &(o)->sort, \
	  words }
#define STAT_ROW_OPTIONS(o) \
	LINES_OPTION((o)->lines), \
	MAX_LOST_OPTION((o)->max_lost)
#define STAT_FORM_GROUP { OPTION_GROUP, 0, NULL, NULL, NULL, "How to show it" }
#define STAT_SITE_OPTIONS(o) \
	{ OPTION_FLAG, 0, "sites", NULL, &(o)->sites, \
	  "a row per address in a function: function+0x1f" }, \
	RAW_IP_OPTION((o)->raw_ip), \
	RAW_NAMES_OPTION((o)->raw_names), \
	NO_INLINE_OPTION((o)->no_inline), \
	{ OPTION_STRINGS, 0, "skip-func", "REGEX", &(o)->skip, \
	  "skip these too, or wrappers; may be repeated" }, \
	{ OPTION_COUNT, 'v', "verbose", NULL, &(o)->verbose, \
	  "full summary, skipped functions; more messages" }
#define STAT_FORMAT_OPTIONS(o) { OPTION_TABLE, .value = output_formats(&(o)->output) }
/* The last entries. */
#define STAT_OUTPUT_OPTIONS(o) \
	OUTPUT_OPTIONS((o)->output), \
	{ OPTION_FLAG, 0, "columns", NULL, &(o)->columns, \
	  "list the columns of all tables and their meaning" }, \
	OPTIONS_END
/* clang-format on */

/**
 * stat_options_parse() - parse argv, whose only operand is the recording
 * @options: their values are in @o or the command's own
 *
 * Asks for the analyses of the command in @usage; kmemx stat asks for its own by options.
 *
 * Return: GO_ON, or the exit code after a message or what options_parse() prints.
 */
int stat_options_parse(struct stat_options *o, const struct option_usage *usage,
		       const struct option_entry *options, int argc, char **argv);

#endif

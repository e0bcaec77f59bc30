/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cmd: what a subcommand is.
 * In: nothing. Out: the descriptors that main.c's table lists: each command's own, and those of
 * cmd/stat/tables.h.
 */
#ifndef KMEMX_CMD_COMMAND_H
#define KMEMX_CMD_COMMAND_H

#include "base/compiler.h"

/* The return value of a function that may end the command: GO_ON, or the exit code to end with (a
 * message was printed unless it is EXIT_DONE). Steps can then be chained: "ret ?: step()".
 */
enum exit_code {
	GO_ON = 0, /* nothing has failed so far */
	EXIT_OK = 0,
	/* success, but skip later steps: only -h was asked for */
	EXIT_DONE = 1000,
	EXIT_FAILED = 1,
	EXIT_USAGE = 2,
	EXIT_UNREADABLE = 3,
	EXIT_UNTRUSTED = 125, /* more was lost than the user allowed */
	EXIT_NOT_EXECUTABLE = 126,
	EXIT_NOT_FOUND = 127,
};

/* The groups of the list of commands, in its order. */
enum command_group {
	COMMAND_RECORD,
	COMMAND_LOOK,
	COMMAND_COMPARE,
	COMMAND_CONVERT,
	COMMAND_OTHER,
};

/* The earlier name of a long option, which works for one more release. */
struct option_renamed {
	const char *old, *name;
};

/**
 * struct command - what a command is, and how it is used
 * @purpose: up to 58 columns, for the list
 * @run: argv[0] is the command's name
 * @seldom: the list shows only its name, on one line with others
 * @runs_command: its exit code may be that of a command it runs
 * @about: the sentence of -h; NULL: it is @purpose, with a capital letter and a period
 * @usage: one or more lines after "usage: ", separated by newlines; NULL: the command takes
 *	options and a recording
 * @examples: two examples, ready to print
 * @renamed: earlier names of options, ending in an empty entry; or NULL
 * @unfiltered: why the command has no filters such as --comm, and what to use instead; or NULLs
 * @stop_at_operand: parsing also ends at the first operand, such as record's command
 * @whole_help: -h shows all options, not only those marked as OPTION_EVERYDAY
 */
struct command {
	const char *name;
	const char *purpose;
	enum command_group group;
	int (*run)(int argc, char **argv);
	bool seldom, runs_command;
	const char *about, *usage, *examples;
	const struct option_renamed *renamed;
	const char *unfiltered[2];
	bool stop_at_operand, whole_help;
};

extern const struct command command_record;
extern const struct command command_boot;
extern const struct command command_extract;
extern const struct command command_top;
extern const struct command command_stat;
extern const struct command command_footprint;
extern const struct command command_query;
extern const struct command command_report;
extern const struct command command_diff;
extern const struct command command_script;
extern const struct command command_split;
extern const struct command command_info;
extern const struct command command_import;
extern const struct command command_export;
extern const struct command command_recover;
extern const struct command command_config;
extern const struct command command_version;

/* The packages of a name that kmemx version --build-options lists, such as "zlib1g-dev (Fedora:
 * zlib-devel)"; or NULL.
 */
const char *version_packages(const char *option);

#endif

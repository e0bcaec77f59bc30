/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cmd: what a subcommand is.
 * In: nothing. Out: the descriptors that main.c's table lists: each command's own, and those of
 * cmd/stat/tables.h.
 */
#ifndef KMEMX_CMD_COMMAND_H
#define KMEMX_CMD_COMMAND_H

#include "base/compiler.h"

/* The return value of a function that may end the command: GO_ON, or the exit code to end with
 * (a message was printed unless it is EXIT_OK). Callers compare with GO_ON by name. Its value is
 * no exit code and no -errno, so neither is mistaken for it.
 */
enum exit_code {
	GO_ON = 1000, /* no exit code yet */
	EXIT_OK = 0,
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

struct command {
	const char *name;
	const char *purpose; /* up to 58 columns, for the list */
	enum command_group group;
	int (*run)(int argc, char **argv); /* argv[0] is the command's name */
	bool runs_command; /* its exit code may be that of another command */
	bool seldom;	   /* the list shows only its name, on one line with others */
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

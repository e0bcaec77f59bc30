/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cmd: the commands that only show tables of one recording.
 * In: nothing. Out: a table of these commands, and what their own options set.
 */
#ifndef KMEMX_CMD_TABLES_H
#define KMEMX_CMD_TABLES_H

#include "cmd/options/command.h"
#include "cmd/stat/stat_run.h"

struct tables_args;

/**
 * struct tables_command - a command that shows the tables of the analyses of its name
 * @own: its own options, bits of tables.c
 * @by: the help of --by; NULL: list the words that its rows can stand for
 * @over_time: the help of --over-time; NULL: it has no such option
 * @sort: the help of --sort; NULL: it has no rows to sort
 * @choose: uses its own options. GO_ON, or an exit code after a message. NULL: not needed
 */
struct tables_command {
	struct command command;
	unsigned int own;
	const char *by, *over_time, *sort;
	int (*choose)(struct tables_args *args, struct stat_options *o);
};

enum {
	TABLES_SUMMARY,
	TABLES_BALANCE,
	TABLES_LEAKS,
	TABLES_PEAK,
	TABLES_OWNERS,
	TABLES_ADVISE,
	TABLES_FRAG,
	TABLES_PERCPU,
	TABLES_NR,
};

extern const struct tables_command tables_commands[TABLES_NR];

#endif

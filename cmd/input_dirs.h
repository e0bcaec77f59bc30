/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cmd: where the directories of functions come from.
 * In: --vmlinux, --modules, --source. Out: what can be asked about a recording, or a message.
 */
#ifndef KMEMX_CMD_INPUT_DIRS_H
#define KMEMX_CMD_INPUT_DIRS_H

#include "input.h"
#include "report/table.h"
#include "symbol/directories.h"

/* Paths; NULL: not given. vmlinux is that of struct symbol_files. */
struct dir_files {
	const char *vmlinux, *modules, *source;
};

/* Two options, for an option table; their values are strings of struct @o. */
#define DIR_FILE_OPTIONS(o)                                                         \
	{ OPTION_STRING, 0,                                                         \
	  "modules",	 "DIR",                                                     \
	  &(o)->modules, "directories: /lib/modules/VERSION, or its debug files" }, \
	{                                                                           \
		OPTION_STRING, 0, "source", "DIR", &(o)->source,                    \
			"directories: the kernel's source tree"                     \
	}

/* Of what gives symbols and directories, is there any that gives directories? */
bool dir_files_any(const struct dir_files *files);
/* GO_ON, or the exit code after a message. directory_sources_free() in any case. */
int input_dirs_open(struct directory_sources *sources, const struct dir_files *files,
		    const char *command) __must_check;
/* Those of @in, with the offset that its symbols have: GO_ON, or the exit code after a message. */
int input_dirs_for(struct directories **dirs, const struct directory_sources *sources,
		   const struct input *in) __must_check;
/* Adds the line that says how many functions have no directory, once all were asked for. */
void input_dirs_banner(const struct directories *dirs, struct report *report);
/* --dir-depth as directories_find() takes it: deeper than any directory is all of it. */
unsigned int input_dirs_depth(uint64_t depth);
/* "--by dir" without files: EXIT_USAGE, after a message that begins with @what. @of: "", or
 * " of ..." whose functions are meant.
 */
int input_dirs_missing(const char *command, const char *what, const char *of);
/* --modules or --source, where no directory is asked for: GO_ON, or EXIT_USAGE. */
int input_dirs_unused(const struct dir_files *files, bool depth, const char *command);

#endif

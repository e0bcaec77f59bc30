/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cmd: where the directories of functions come from.
 * In: --vmlinux, --modules, --source. Out: options, and what went wrong with the files.
 */
#ifndef KMEMX_CMD_INPUT_DIRS_H
#define KMEMX_CMD_INPUT_DIRS_H

#include <stdint.h>

#include "symbol/directory_files.h"

#define MODULES_OPTION(type, path)                                          \
	{                                                                   \
		type, 0, "modules", "DIR", path,                            \
			"modules: /lib/modules/VERSION, or its debug files" \
	}

/* Two options, for an option table; their values are of that @type, in struct @o. */
#define DIR_FILE_OPTIONS(type, o)                                         \
	MODULES_OPTION(type, &(o)->modules),                              \
	{                                                                 \
		type | OPTION_EVERYDAY, 0, "source", "DIR", &(o)->source, \
			"directories: the kernel's source tree"           \
	}

#define DIR_DEPTH_OPTION(depth)                                         \
	{                                                               \
		OPTION_POSITIVE, 0, "dir-depth", "N", &(depth),         \
			"--by dir: number of levels; 1: fs, 2: fs/ext4" \
	}

/* dir_files_open() failed: the exit code, after a message. */
int input_dirs_failed(const char *command, const struct dir_failure *failure, int err);
/* --dir-depth as directories_find() takes it: deeper than any directory is all of it. */
unsigned int input_dirs_depth(uint64_t depth);
/* "--by dir" without files: EXIT_USAGE, after a message that begins with @what. @of: "", or
 * " of ..." whose functions are meant.
 */
int input_dirs_missing(const char *command, const char *what, const char *of);
/* The same of "--by @word", whose rows only debug information knows. */
int input_lines_missing(const char *command, const char *word, const char *of);
/* @path turned out to have no debug information: EXIT_UNREADABLE, after a message. */
int input_lines_none(const char *command, const char *path);
/* --modules, --source or --dir-depth (@depth), where no rows by directory are asked for.
 * @filter: --dir asks for the files. @users: what would. GO_ON, or EXIT_USAGE after a message.
 */
int input_dirs_unused(const struct dir_files *files, bool filter, bool depth,
		      const char *users, const char *command);

#endif

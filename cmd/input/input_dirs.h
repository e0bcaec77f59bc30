/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cmd: where the directories of functions come from.
 * In: --vmlinux, --modules, --source. Out: options, and what went wrong with the files.
 */
#ifndef KMEMX_CMD_INPUT_DIRS_H
#define KMEMX_CMD_INPUT_DIRS_H

#include "symbol/directories.h"

/* clang-format off */
#define MODULES_OPTION(type, path) \
	{ type, 0, "modules", "DIR", path, \
	  "modules: /lib/modules/VERSION, or its debug files" }
/* Two entries of an option table. Their values have that @type and are in struct @o. */
#define DIR_FILE_OPTIONS(type, o) \
	MODULES_OPTION(type, &(o)->modules), \
	{ type | OPTION_EVERYDAY, 0, "source", "DIR", &(o)->source, \
	  "directories: the kernel's source tree" }
#define DIR_DEPTH_OPTION(depth) \
	{ OPTION_POSITIVE, 0, "dir-depth", "N", &(depth), \
	  "--by dir: number of levels; 1: fs, 2: fs/ext4" }
/* clang-format on */

/* Reports why dir_files_open() failed. Returns the exit code. */
int input_dirs_failed(const char *command, const struct dir_failure *failure, int err);
/* --dir-depth for directories_find(); a depth beyond any directory means the full path. */
unsigned int input_dirs_depth(uint64_t depth);
/* "--by dir" lacks files: prints a message that begins with @what and returns EXIT_USAGE. @of: "",
 * or " of ..." to say whose functions.
 */
int input_dirs_missing(const char *command, const char *what, const char *of);
/* The same for "--by @word", whose rows need debug information. */
int input_lines_missing(const char *command, const char *word, const char *of);
/* Says that @path has no debug information. Returns EXIT_UNREADABLE. */
int input_lines_none(const char *command, const char *path);
/* Rejects --modules, --source and --dir-depth (@depth) if there are no rows by directory. @filter:
 * --dir uses the files. @users: the options that would use them. GO_ON, or EXIT_USAGE after a
 * message.
 */
int input_dirs_unused(const struct dir_files *files, bool filter, bool depth,
		      const char *users, const char *command);

#endif

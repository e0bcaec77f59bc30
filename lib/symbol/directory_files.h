/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * symbol: the user's files that give directories.
 * In: a vmlinux, a directory of modules, a source tree. Out: sources for directories_new().
 */
#ifndef KMEMX_SYMBOL_DIRECTORY_FILES_H
#define KMEMX_SYMBOL_DIRECTORY_FILES_H

#include "base/compiler.h"
#include "base/log.h"
#include "symbol/directories.h"

/* Paths; NULL: not given. @vmlinux is the one of struct symbol_files. */
struct dir_files {
	const char *vmlinux, *modules, *source;
};

/* Is any of the files one that gives directories? */
bool dir_files_any(const struct dir_files *files);

/* One of them, and its path. */
struct dir_failure {
	enum { DIR_FILE_VMLINUX, DIR_FILE_MODULES, DIR_FILE_SOURCE } which;
	const char *path;
};

/**
 * dir_files_open() - open all given files
 * @failure: on failure receives the file that failed
 *
 * A vmlinux without debug information is skipped if other files may give directories. Return: 0, or
 * the -errno of debug_units_open(), module_files_open() or source_tree_open(). Call
 * directory_sources_free() in any case.
 */
int dir_files_open(struct directory_sources *sources, const struct dir_files *files,
		   struct dir_failure *failure) __must_check;

/**
 * dir_files_open_lines() - open the files that give inlined functions and lines
 *
 * Files that are unreadable or have no debug information are skipped; so is, after a warning, a
 * vmlinux that needs too much work. Return: 0 or -ENOMEM. Call directory_sources_free() in any
 * case.
 */
int dir_files_open_lines(struct directory_sources *sources, const struct dir_files *files,
			 const struct log *log) __must_check;

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * symbol: the user's files that know directories.
 * In: a vmlinux, a directory of modules, a source tree. Out: sources for directories_new().
 */
#ifndef KMEMX_SYMBOL_DIRECTORY_FILES_H
#define KMEMX_SYMBOL_DIRECTORY_FILES_H

#include "base/compiler.h"
#include "base/log.h"
#include "symbol/directories.h"

/* Paths; NULL: not given. vmlinux is that of struct symbol_files. */
struct dir_files {
	const char *vmlinux, *modules, *source;
};

/* Of what gives symbols and directories, is there any that gives directories? */
bool dir_files_any(const struct dir_files *files);

/* One of them, and its path. */
struct dir_failure {
	enum { DIR_FILE_VMLINUX, DIR_FILE_MODULES, DIR_FILE_SOURCE } which;
	const char *path;
};

/**
 * dir_files_open() - open all that are given
 * @failure: on failure which of @files it was
 *
 * A vmlinux without debug information is passed over where others may know directories.
 * Return: 0, or the -errno of debug_units_open(), module_files_open() or
 * source_tree_open(). directory_sources_free() in any case.
 */
int dir_files_open(struct directory_sources *sources, const struct dir_files *files,
		   struct dir_failure *failure) __must_check;

/**
 * dir_files_open_lines() - open those that know inlined functions and lines
 *
 * What has no debug information, or is unreadable, is passed over. A vmlinux that asks for too
 * much work is, too, after a warning. Return: 0 or -ENOMEM. directory_sources_free() in any case.
 */
int dir_files_open_lines(struct directory_sources *sources, const struct dir_files *files,
			 const struct log *log) __must_check;

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * symbol: the source directory of the code at a kernel address.
 * In: debug information, modules' files, a source tree. Out: "fs/ext4".
 */
#ifndef KMEMX_SYMBOL_DIRECTORIES_H
#define KMEMX_SYMBOL_DIRECTORIES_H

#include "base/log.h"
#include "symbol/debug_units.h"
#include "symbol/module_files.h"
#include "symbol/source_tree.h"
#include "symbol/symbols.h"

/* Returned if the directory is unknown, or if several directories define the function. */
#define DIRECTORY_UNKNOWN   "(unknown)"
#define DIRECTORY_AMBIGUOUS "(ambiguous)"

/**
 * struct directory_sources - sources of directories, asked in this order; any may be NULL
 * @vmlinux: for the kernel itself; @modules: for modules; @tree: for both
 */
struct directory_sources {
	struct debug_units *vmlinux;
	struct module_files *modules;
	struct source_tree *tree;
};

/* Closes all sources. */
void directory_sources_free(struct directory_sources *sources);
bool directory_sources_any(const struct directory_sources *sources);

struct directories;

/**
 * directories_new() - prepare look-ups for one recording
 * @sources: borrowed, like @syms; recordings may share them one after the other
 * @offset: KASLR offset, added to vmlinux's addresses
 * @machine: the recording's, "x86_64"
 *
 * Return: 0 or -ENOMEM.
 */
int directories_new(struct directories **out, const struct directory_sources *sources,
		    const struct symbols *syms, uint64_t offset,
		    const char *machine) __must_check;
void directories_free(struct directories *dirs);

/**
 * directories_find() - the directory of the function at @addr
 * @depth: keep this many components of "fs/ext4/x"; 0: all
 *
 * Each function is looked up once. Return: the text, valid until the next call; DIRECTORY_UNKNOWN
 * or DIRECTORY_AMBIGUOUS if it has none; NULL if memory ran out.
 */
const char *directories_find(struct directories *dirs, uint64_t addr, unsigned int depth);

/**
 * struct directory_counts - functions looked up
 * @unknown, @ambiguous: those of @all without a directory
 */
struct directory_counts {
	size_t all, unknown, ambiguous;
};

struct directory_counts directories_counts(const struct directories *dirs);

/* Paths; NULL: not given. @vmlinux is that of struct symbol_files. @found: the user did not name
 * @modules, so they are skipped if unreadable.
 */
struct dir_files {
	const char *vmlinux, *modules, *source;
	bool found;
};

/* Does any of the given files provide directories? */
bool dir_files_any(const struct dir_files *files);

/* The file that failed. */
struct dir_failure {
	enum { DIR_FILE_VMLINUX, DIR_FILE_MODULES, DIR_FILE_SOURCE } which;
	const char *path;
};

/**
 * dir_files_open() - open all given files
 * @failure: receives the file that failed
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

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * symbol: source paths within the kernel's tree.
 * In: the paths that a compiler recorded. Out: "fs/ext4".
 */
#ifndef KMEMX_SYMBOL_SOURCE_PATH_H
#define KMEMX_SYMBOL_SOURCE_PATH_H

#include "base/strbuf.h"

/**
 * source_path_dir() - the directory of a compile unit
 * @name: its path, as given to the compiler
 * @root: of the tree, ending in '/'; "" if unknown
 * @comp_dir: the compiler's working directory; may be NULL
 *
 * Appends "fs/ext4" to @out for "../fs/ext4/inode.c", "/src/linux/fs/ext4/inode.c" with that root,
 * and "fs/xfs/../ext4/inode.c"; "." for a file in the root. False: outside the tree.
 */
bool source_path_dir(const char *name, const char *root, const char *comp_dir,
		     struct strbuf *out);

/* The same for a file: appends "fs/ext4/inode.c". A path outside the tree stays as it is, except
 * that ".." is resolved.
 */
void source_path_file(const char *name, const char *root, const char *comp_dir,
		      struct strbuf *out);

/* The files below a directory. */

/* Deeper directories are skipped. */
#define DIRECTORY_WALK_DEPTH 32

/**
 * struct directory_walk - what to do with the entries
 * @path: the directory being read, relative to the start of the walk; the caller may begin with
 *	a path, and frees it
 * @enter: should the walk enter the directory @name in @path?
 * @file: called for an entry @name of the open @directory that is not a directory. A return
 *	value other than 0 ends the walk.
 *
 * Symbolic links are never followed.
 */
struct directory_walk {
	struct strbuf path;
	bool (*enter)(void *ctx, const char *path, const char *name);
	int (*file)(void *ctx, int directory, const char *name);
	void *ctx;
};

/* Walks and closes @fd, an open directory. Returns 0, what @file returned, or -ENOMEM. Directories
 * that cannot be read are skipped.
 */
int directory_walk(struct directory_walk *walk, int fd) __must_check;

#endif

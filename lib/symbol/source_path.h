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

#endif

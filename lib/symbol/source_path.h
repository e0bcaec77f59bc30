/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * symbol: a source file's directory within the kernel's tree.
 * In: the paths that a compiler noted. Out: "fs/ext4".
 */
#ifndef KMEMX_SYMBOL_SOURCE_PATH_H
#define KMEMX_SYMBOL_SOURCE_PATH_H

#include <stdbool.h>

#include "base/strbuf.h"

/**
 * source_path_dir() - the directory of a unit
 * @name: its path, as the compiler was given it
 * @root: of the tree, with a '/' behind it; "" if it is not known
 * @comp_dir: where the compiler ran; may be NULL
 *
 * Appends "fs/ext4" to @out for "../fs/ext4/inode.c", "/src/linux/fs/ext4/inode.c" with that
 * root, and "fs/xfs/../ext4/inode.c"; "." for a file at the top. False: outside the tree.
 */
bool source_path_dir(const char *name, const char *root, const char *comp_dir,
		     struct strbuf *out);

/* The same for a file: appends "fs/ext4/inode.c"; a path that is outside the tree as it is, but
 * without what ".." takes away.
 */
void source_path_file(const char *name, const char *root, const char *comp_dir,
		      struct strbuf *out);

#endif

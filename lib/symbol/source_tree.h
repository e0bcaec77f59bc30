/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * symbol: finds where a kernel's source tree defines its functions.
 * In: a directory with the source. Out: the directory of a function, by its name.
 */
#ifndef KMEMX_SYMBOL_SOURCE_TREE_H
#define KMEMX_SYMBOL_SOURCE_TREE_H

#include "base/compiler.h"

struct source_tree;

/**
 * source_tree_open() - read a tree
 * @path: its root
 *
 * Reads function definitions from every *.c below it, and modules from every Makefile: c_scan.h.
 * Skips directories that are not part of a kernel (Documentation, scripts, samples, tools, usr, an
 * architecture's boot loader), hidden directories and symbolic links. Bounded: files of 16 MiB, a
 * million of them, 32 levels deep.
 *
 * Return: 0; -ENODATA it defines no function; -ENOMEM; another negative errno of opening
 * @path.
 */
int source_tree_open(struct source_tree **out, const char *path) __must_check;
void source_tree_free(struct source_tree *tree);

/**
 * source_tree_find() - the directory of a function
 * @name: its symbol's, with any compiler's endings
 * @module: its module; NULL: the kernel itself
 * @arch: the only directory below arch/ to search ("x86"); NULL: all
 * @dir: "fs/ext4"; owned by the tree
 *
 * A name defined in several directories belongs to the one below its module's Makefile, if that is
 * unique. A function that the tree does not define (a macro generates it) belongs to its module's
 * directory.
 *
 * Return: 1; 0 the tree does not know it; -ENOTUNIQ several directories are possible.
 */
int source_tree_find(const struct source_tree *tree, const char *name, const char *module,
		     const char *arch, const char **dir);

/* The directory below arch/ for machine "x86_64", as uname reports it; NULL: unknown. */
const char *source_tree_arch(const char *machine);

#endif

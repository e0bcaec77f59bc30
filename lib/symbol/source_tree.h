/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * symbol: where a kernel's source tree defines its functions.
 * In: a directory with the source. Out: the directory of a function, by its name.
 */
#ifndef KMEMX_SYMBOL_SOURCE_TREE_H
#define KMEMX_SYMBOL_SOURCE_TREE_H

#include <stddef.h>
#include <stdint.h>

#include "base/compiler.h"

struct source_tree;

/**
 * source_tree_open() - read a tree
 * @path: its top
 *
 * Reads every *.c below it for what it defines, and every Makefile for the modules that it
 * makes: c_scan.h. Left out are what is no part of a kernel (Documentation, scripts, samples,
 * tools, usr, an architecture's boot loader), hidden directories and symbolic links. Bounded:
 * files of 16 MiB, a million of them, 32 directories deep.
 *
 * Return: 0; -ENODATA it defines no function; -ENOMEM; another negative errno of opening
 * @path.
 */
int source_tree_open(struct source_tree **out, const char *path) __must_check;
void source_tree_free(struct source_tree *tree);
/* Files read, and functions found (names). */
size_t source_tree_files(const struct source_tree *tree);
size_t source_tree_functions(const struct source_tree *tree);

/**
 * source_tree_find() - the directory of a function
 * @name: its symbol's, with whatever endings a compiler gave it
 * @module: that it is in; NULL: the kernel itself
 * @arch: the directory below arch/ that counts ("x86"); NULL: all
 * @dir: "fs/ext4"; the tree's
 *
 * A name that several directories define belongs to the one below its module's Makefile, if
 * there is just one. A function that the tree does not define (a macro made it) belongs to
 * its module's directory.
 *
 * Return: 1; 0 the tree does not know it; -ENOTUNIQ it may be from several directories.
 */
int source_tree_find(const struct source_tree *tree, const char *name, const char *module,
		     const char *arch, const char **dir);

/* The directory below arch/ of machine "x86_64", as uname says it; NULL: not known. */
const char *source_tree_arch(const char *machine);

#endif

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
 * Reads function definitions from every *.c below it, and modules from every Makefile.
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

/* The functions that a kernel source file defines, and the objects that a Makefile builds. */

/* Receives the name @prefix followed by the @size bytes at @name; a result other than 0 ends the
 * scan.
 */
typedef int c_scan_name(void *ctx, const char *prefix, const char *name, size_t size);

/**
 * c_scan_functions() - find the functions that C source defines
 * @found: called for each, in order, also for a second definition after #else
 *
 * Reads no headers and expands no macros. A definition by an upper-case macro is named after its
 * first argument: BPF_CALL_1(name, ...); SYSCALL_DEFINE1(open, ...) gives "sys_open" and
 * COMPAT_SYSCALL_DEFINE1(open, ...) "compat_sys_open". If both #if and #else open a brace, only
 * that function is affected: in kernel style, a closing brace in the first column ends a function.
 * Takes linear time in @size and allocates nothing.
 *
 * Return: 0, or what @found returned.
 */
int c_scan_functions(const char *text, size_t size, c_scan_name *found, void *ctx);

/**
 * c_scan_objects() - find the objects in a kernel Makefile's lines "obj-... += a.o b.o"
 * @found: called with "a", "b"; directories are skipped
 *
 * Return: 0, or what @found returned.
 */
int c_scan_objects(const char *text, size_t size, c_scan_name *found, void *ctx);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * symbol: which file of the source an address was compiled from.
 * In: an ELF file with debug information (DWARF). Out: the directory of that file.
 *
 * What counts is the compile unit, the file given to the compiler: a function of a header,
 * or one that was inlined, counts where the function is that holds its code.
 */
#ifndef KMEMX_SYMBOL_DEBUG_UNITS_H
#define KMEMX_SYMBOL_DEBUG_UNITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/compiler.h"

struct debug_units;

/* Was this built with libdw, so that the functions below can do anything? */
bool debug_units_built_in(void);

/**
 * debug_units_open() - read which addresses the units of a file have
 * @path: vmlinux, or a module (.ko), also compressed; nothing is fetched from elsewhere
 *
 * The units' own entries are read, not what is in them. Bounded: 2^20 units, 2^22 ranges,
 * and what debug_limit.h allows a file of its size.
 *
 * Return: 0; -ENODATA no debug information; -ENOEXEC not an ELF file, or damaged; -EFBIG it
 * asks for more work than its size allows; -ENOMEM; -EOPNOTSUPP built without libdw; another
 * negative errno of unpack_open().
 */
int debug_units_open(struct debug_units **out, const char *path) __must_check;
/* The same of an open file, which is closed in any case. @path: what it is called. */
int debug_units_open_fd(struct debug_units **out, int fd, const char *path) __must_check;
void debug_units_free(struct debug_units *units);
/* How many compile units have code. */
size_t debug_units_count(const struct debug_units *units);

/* The directory, relative to the kernel's tree, of the unit that has the code at @addr (as
 * linked); NULL: none has, or its path is outside the tree. The text is @units'.
 */
const char *debug_units_at(struct debug_units *units, uint64_t addr);

/**
 * debug_units_function() - the same for a function of a module, by its name
 *
 * Return: 1; 0 there is no such function, or the file asks for more work than it may;
 * directories; -ENOMEM.
 */
int debug_units_function(struct debug_units *units, const char *name, const char **dir);

/* Where a function is, as linked; a module's is where libdwfl puts it. 1; 0; -ENOTUNIQ there are
 * several of that name; -ENOMEM.
 */
int debug_units_symbol(struct debug_units *units, const char *name, uint64_t *addr);

#endif

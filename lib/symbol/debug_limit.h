/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * symbol: how much work a file's debug information may ask for.
 * In: an ELF file. Out: whether its size accounts for what reading it takes.
 *
 * libdw has no limits of its own: sections may all lie in the same bytes, shrink a
 * thousandfold, and each unit may go through one large table again.
 */
#ifndef KMEMX_SYMBOL_DEBUG_LIMIT_H
#define KMEMX_SYMBOL_DEBUG_LIMIT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/compiler.h"

#ifdef HAVE_LIBDW
#include <elfutils/libdw.h>

/**
 * struct debug_limit - CPU time that one file may take
 * @size_bytes: of the file, without its holes
 * @end_ns: of this thread's clock; @left_ns: what was left of it when it was paused
 * @calls: of debug_limit_over()
 */
struct debug_limit {
	uint64_t size_bytes;
	uint64_t end_ns, left_ns;
	unsigned int calls;
};

/**
 * debug_limit_begin() - look at a file's sections, and start the clock
 * @fd: stays open
 *
 * Sections have the bytes of the file for themselves, so their sizes cannot add up to much
 * more; what is compressed may be eight times the file, and 32 MB.
 *
 * Return: 0; -EFBIG they ask for more; -ENOEXEC not an ELF file.
 */
int debug_limit_begin(struct debug_limit *limit, int fd) __must_check;

/**
 * debug_limit_units() - look at the units before any is read
 *
 * libdw reads each unit's table of abbreviations up to the entry that it looks for, and keeps
 * what it read: a table that all units share may make up four times the file, and 1 MB.
 *
 * Return: 0; -EFBIG they ask for more; -ENOMEM.
 */
int debug_limit_units(const struct debug_limit *limit, Dwarf *dwarf) __must_check;

/* Gives what follows as much time again, as what was done in between counts too. */
void debug_limit_restart(struct debug_limit *limit);
/* What is done between these two does not count. */
void debug_limit_pause(struct debug_limit *limit);
void debug_limit_resume(struct debug_limit *limit);
/* To be asked in every loop: have 100 ns a byte of the file and a second passed? */
bool debug_limit_over(struct debug_limit *limit);

#endif
#endif

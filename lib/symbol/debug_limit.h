/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * symbol: limits on the work that reading a file's debug information may take.
 * In: an ELF file. Out: whether the work is in proportion to the file's size.
 *
 * libdw has no limits of its own: all sections may use the same bytes of the file, compression may
 * be a thousandfold, and each unit may walk one large table again.
 */
#ifndef KMEMX_SYMBOL_DEBUG_LIMIT_H
#define KMEMX_SYMBOL_DEBUG_LIMIT_H

#include "base/compiler.h"

#ifdef HAVE_LIBDW
#include <elfutils/libdw.h>

/**
 * struct debug_limit - the CPU time that reading one file may take
 * @size_bytes: of the file, without holes
 * @end_ns: deadline on this thread's CPU clock; @left_ns: time left when the limit was paused
 * @calls: number of debug_limit_over() calls
 */
struct debug_limit {
	uint64_t size_bytes;
	uint64_t end_ns, left_ns;
	unsigned int calls;
};

/**
 * debug_limit_begin() - check a file's sections, and start the clock
 * @fd: stays open
 *
 * Sections should not share bytes of the file, so their sizes cannot add up to much more than the
 * file's; compressed ones may decompress to eight times the file plus 32 MB.
 *
 * Return: 0; -EFBIG if they need more; -ENOEXEC if it is not an ELF file.
 */
int debug_limit_begin(struct debug_limit *limit, int fd) __must_check;

/**
 * debug_limit_units() - check the units before any is read
 *
 * libdw reads each unit's abbreviation table up to the entry it needs, and keeps what it read:
 * tables, counted once for each unit that uses them, may add up to four times the file plus 1 MB.
 *
 * Return: 0; -EFBIG if they need more; -ENOMEM.
 */
int debug_limit_units(const struct debug_limit *limit, Dwarf *dwarf) __must_check;

/* Restarts the clock with the full time: without it, work in between would count, too. */
void debug_limit_restart(struct debug_limit *limit);
/* The time between these two calls does not count. */
void debug_limit_pause(struct debug_limit *limit);
void debug_limit_resume(struct debug_limit *limit);
/* Call it in every loop: have 100 ns for each byte of the file, plus a second, passed? */
bool debug_limit_over(struct debug_limit *limit);

#endif

#ifdef HAVE_LIBDW

#include "symbol/debug_limit.h"
#include "symbol/debug_units.h"

/* The file's debug information, and its limit; both are owned by @units. */
Dwarf *debug_units_dwarf(const struct debug_units *units);
struct debug_limit *debug_units_limit(struct debug_units *units);
/* The root of the source tree in the units' paths, with a '/'; "": the paths are relative to it. */
const char *debug_units_root(const struct debug_units *units);

/**
 * debug_units_find() - find the unit of the code at an address
 * @unit: receives its number, from 0, below debug_units_count()
 * @die: receives its DIE
 *
 * Return: false if no unit has it.
 */
bool debug_units_find(const struct debug_units *units, uint64_t addr, uint32_t *unit,
		      Dwarf_Die *die);

#endif

#endif

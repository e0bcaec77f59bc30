/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * symbol (internal): the open file of debug_units.c, for code that reads details of units.
 * In: units. Out: libdw's handles.
 */
#ifndef KMEMX_SYMBOL_DEBUG_FILE_H
#define KMEMX_SYMBOL_DEBUG_FILE_H

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

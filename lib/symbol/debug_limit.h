/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * symbol (internal): limits on the work of reading a file's debug information, and the data read.
 * In: an ELF file. Out: whether the work is proportionate to the file's size.
 *
 * libdw has no limits of its own: all sections may use the same bytes of the file, data may expand
 * a thousandfold, and every unit may walk the same large table.
 */
#ifndef KMEMX_SYMBOL_DEBUG_LIMIT_H
#define KMEMX_SYMBOL_DEBUG_LIMIT_H

#include "base/compiler.h"

#ifdef HAVE_LIBDW
#include <elfutils/libdw.h>
#include <elfutils/libdwfl.h>

#include "base/keyed.h"
#include "base/strbuf.h"
#include "symbol/debug_units.h"
#include "symbol/line_program.h"

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

/* Restarts the clock with the full time, so that work done in between does not count. */
void debug_limit_restart(struct debug_limit *limit);
/* The time between these two calls does not count. */
void debug_limit_pause(struct debug_limit *limit);
void debug_limit_resume(struct debug_limit *limit);
/* Have 100 ns for each byte of the file, plus one second, passed? Call it in every loop. */
bool debug_limit_over(struct debug_limit *limit);

/* Code of a unit, from @low up to @high. */
struct debug_range {
	uint64_t low, high;
	uint32_t dir; /* number in @dirs; 0: outside the tree */
	uint32_t unit;
};

/**
 * struct debug_function - the functions of one name
 * @addr: of the first one
 * @dir: number in @dirs; 0: unknown, or outside the tree; UINT32_MAX: several
 * @several: there is more than one
 */
struct debug_function {
	uint64_t addr;
	uint32_t dir;
	bool several;
};

/* Code of a function, from @low up to @high. */
struct debug_code {
	uint64_t low, high;
	Dwarf_Off function;
};

/**
 * struct debug_unit - a compile unit's functions and lines, read on the first look-up in it
 * @code, @nr: the code of its functions, sorted
 * @comp_dir: the compiler's working directory; NULL: unknown
 * @lines: its line table, if @has_lines
 */
struct debug_unit {
	struct debug_code *code;
	size_t nr;
	const char *comp_dir;
	struct line_table lines;
	bool read, has_lines;
};

/**
 * struct debug_units - the file's ranges, sorted
 * @units, @nr_units: offsets of the DIEs of units that have code
 * @dirs: paths of directories
 * @root: of the kernel's tree, with a '/'; empty if paths are relative to it
 * @whole_build, @hidden_build: the compiler's first absolute and first relative working directory
 * @functions: by name
 * @read: of each unit; NULL before the first look-up of frames; @nr_code: ranges in all of them
 * @paths: of source files; @path_of: unit and file -> number in @paths
 */
struct debug_units {
	struct debug_range *ranges;
	size_t nr;
	Dwarf_Off *units;
	size_t nr_units;
	struct intern dirs;
	KEYED(struct debug_function) functions;
	struct strbuf root;
	const char *whole_build, *hidden_build;
	bool functions_read;
	struct debug_limit limit;
	Dwfl *dwfl;
	Dwfl_Module *module;
	Dwarf *dwarf;
	struct line_sections sections;
	struct debug_unit *read;
	size_t nr_code;
	struct intern paths;
	struct u64_map path_of;
};

/* Calls @take for each readable compile unit until it returns nonzero. Returns that value, or
 * -EFBIG.
 */
int debug_units_each(struct debug_units *units, int (*take)(void *ctx, Dwarf_Die *die),
		     void *ctx) __must_check;
/* The text of attribute @name; NULL: none. */
const char *debug_units_text(Dwarf_Die *die, unsigned int name);
/* Frees what debug_units_frames() keeps. */
void debug_units_free_frames(struct debug_units *units);

/**
 * debug_units_find() - find the unit of the code at an address
 * @unit: receives its number, from 0, below @units->nr_units
 * @die: receives its DIE
 *
 * Return: false if no unit contains it.
 */
bool debug_units_find(const struct debug_units *units, uint64_t addr, uint32_t *unit,
		      Dwarf_Die *die);

#endif

#endif

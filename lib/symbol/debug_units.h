/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * symbol: the source file that an address was compiled from; the functions there and their lines.
 * In: an ELF file with debug information (DWARF). Out: the directory of that file; frames.
 *
 * "File" is the compile unit's, the file given to the compiler: a header's function, or an inlined
 * one, belongs to the unit whose function contains its code.
 */
#ifndef KMEMX_SYMBOL_DEBUG_UNITS_H
#define KMEMX_SYMBOL_DEBUG_UNITS_H

#include "base/compiler.h"

struct debug_units;

/* Was kmemx built with libdw, which the functions below need? */
bool debug_units_built_in(void);

/**
 * debug_units_open() - read the address ranges of a file's units
 * @path: vmlinux, or a module (.ko), compressed or not; nothing is fetched from elsewhere
 *
 * Reads only the units' top DIEs. Bounded: 2^20 units, 2^22 ranges, and the limits of
 * debug_limit.h.
 *
 * Return: 0; -ENODATA no debug information; -ENOEXEC not an ELF file, or damaged; -EFBIG it needs
 * more work than its size allows; -ENOMEM; -EOPNOTSUPP built without libdw; another negative errno
 * of unpack_open().
 */
int debug_units_open(struct debug_units **out, const char *path) __must_check;
/* The same for an open file, which is always closed. @path: its name. */
int debug_units_open_fd(struct debug_units **out, int fd, const char *path) __must_check;
void debug_units_free(struct debug_units *units);

/* The directory, relative to the kernel's tree, of the unit that contains the code at @addr (as
 * linked); NULL: no unit does, or its path is outside the tree. @units owns the text.
 */
const char *debug_units_at(struct debug_units *units, uint64_t addr);

/**
 * debug_units_function() - the same for a module's function, by name
 *
 * Return: 1; 0 no such function, or the file needs more work than allowed; -ENOTUNIQ several
 * directories have one; -ENOMEM.
 */
int debug_units_function(struct debug_units *units, const char *name, const char **dir);

/* The address of a function, as linked; in a module, as libdwfl lays it out. 1; 0; -ENOTUNIQ
 * several functions have that name; -ENOMEM.
 */
int debug_units_symbol(struct debug_units *units, const char *name, uint64_t *addr);

/* At most this many functions at one address are distinguished; kernels have some twenty. */
#define SOURCE_FRAMES_MAX 64

/**
 * struct source_frame - one of the functions at an address
 * @function: its name in the source; NULL: unknown
 * @file: its path in the kernel's tree, such as "fs/dcache.c", or a path outside it; NULL: unknown
 * @line: in @file: the line executed, or where the previous frame was inlined; 0: unknown
 * @inlined: into the next one
 */
struct source_frame {
	const char *function, *file;
	uint32_t line;
	bool inlined;
};

/**
 * debug_units_frames() - the frames of one address
 * @addr: as linked; for a return address, the address before it: the call
 * @out: receives @nr frames, the function that contains the code last; texts are valid until the
 *	next call
 *
 * Reads only the unit that contains the address, once. All calls together may take the time that
 * debug_limit.h allows for the file's size.
 *
 * Return: 0, with *@nr 0 if nothing is known; -EFBIG if the file needs more work than its size
 * allows; -ENOMEM.
 */
int debug_units_frames(struct debug_units *units, uint64_t addr,
		       struct source_frame out[SOURCE_FRAMES_MAX],
		       size_t *nr) __must_check;
/* Restarts that time, for the addresses of another recording. */
void debug_units_restart(struct debug_units *units);

#endif

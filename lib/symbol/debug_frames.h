/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * symbol: the functions at an address, inlined ones included, and their lines.
 * In: debug information (DWARF), an address. Out: frames, innermost first.
 */
#ifndef KMEMX_SYMBOL_DEBUG_FRAMES_H
#define KMEMX_SYMBOL_DEBUG_FRAMES_H

#include "symbol/debug_units.h"

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

struct debug_frames;

/* @units is borrowed. 0; -ENOMEM; -EOPNOTSUPP if built without libdw. */
int debug_frames_new(struct debug_frames **out, struct debug_units *units) __must_check;
void debug_frames_free(struct debug_frames *frames);

/**
 * debug_frames_at() - the frames of one address
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
int debug_frames_at(struct debug_frames *frames, uint64_t addr,
		    struct source_frame out[SOURCE_FRAMES_MAX], size_t *nr) __must_check;

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * symbol: a source function at an address: one with code of its own, or one inlined into another.
 * In: nothing. Out: plain data.
 */
#ifndef KMEMX_SYMBOL_SOURCE_FRAME_H
#define KMEMX_SYMBOL_SOURCE_FRAME_H

#include <stdbool.h>
#include <stdint.h>

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

#endif

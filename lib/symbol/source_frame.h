/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * symbol: a function of the source that has an address: itself, or inlined into another.
 * In: nothing. Out: plain data.
 */
#ifndef KMEMX_SYMBOL_SOURCE_FRAME_H
#define KMEMX_SYMBOL_SOURCE_FRAME_H

#include <stdbool.h>
#include <stdint.h>

/* So many of an address are told apart; kernels have some twenty. */
#define SOURCE_FRAMES_MAX 64

/**
 * struct source_frame - one of the functions that have an address
 * @function: the source's name for it; NULL: not known
 * @file: its place in the kernel's tree, as "fs/dcache.c", or a path outside it; NULL: not known
 * @line: there: what is executed, or where the frame before was inlined; 0: not known
 * @inlined: into the next one
 */
struct source_frame {
	const char *function, *file;
	uint32_t line;
	bool inlined;
};

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * symbol: the functions that an address is in, the inlined ones too, and their lines.
 * In: debug information (DWARF), an address. Out: frames, innermost first.
 */
#ifndef KMEMX_SYMBOL_DEBUG_FRAMES_H
#define KMEMX_SYMBOL_DEBUG_FRAMES_H

#include <stddef.h>
#include <stdint.h>

#include "base/compiler.h"
#include "symbol/debug_units.h"
#include "symbol/source_frame.h"

struct debug_frames;

/* @units is borrowed. 0; -ENOMEM; -EOPNOTSUPP built without libdw. */
int debug_frames_new(struct debug_frames **out, struct debug_units *units) __must_check;
void debug_frames_free(struct debug_frames *frames);

/**
 * debug_frames_at() - the frames of one address
 * @addr: as linked; of a return address the one before it: the call
 * @out: receives @nr of them, the function that holds the code last; texts are valid until the
 *	 next call
 *
 * Only the unit that has the address is read, once. Together all calls may take the time that
 * debug_limit.h allows a file of its size.
 *
 * Return: 0, and *@nr is 0 where nothing is known; -EFBIG the file asks for more work than its
 * size allows; -ENOMEM.
 */
int debug_frames_at(struct debug_frames *frames, uint64_t addr,
		    struct source_frame out[SOURCE_FRAMES_MAX], size_t *nr) __must_check;

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * account: what page frames were used for before the recording.
 * In: the text of RECORDING_META_OPENING, untrusted. Out: the use of a frame.
 */
#ifndef KMEMX_ACCOUNT_OPENING_H
#define KMEMX_ACCOUNT_OPENING_H

#include "base/compiler.h"

/**
 * struct opening - zero-initialise it; opening_free() at the end
 * @runs: frames of the same use, in ascending order
 * @names: texts of @nr_names uses, in the text that was read; number n is @names[n - 1]
 */
struct opening {
	struct opening_run {
		uint64_t first, nr;
		uint32_t name;
	} * runs;
	size_t nr;
	struct opening_name {
		const char *text;
		size_t len;
	} * names;
	size_t nr_names;
};

/* Page frame numbers have at most 64 - 12 bits. */
#define OPENING_FRAME_MAX (1ULL << 52)

/* Reads @text, which must outlive @o, up to the first damaged line. 0 or -ENOMEM. */
int opening_read(struct opening *o, const char *text) __must_check;
/* The number of the use of @frame; 0: not known. */
uint32_t opening_find(const struct opening *o, uint64_t frame);
void opening_free(struct opening *o);

#endif

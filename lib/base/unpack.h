/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * base: decompression, piece by piece.
 * In: compressed bytes, untrusted. Out: what they were made of.
 */
#ifndef KMEMX_BASE_UNPACK_H
#define KMEMX_BASE_UNPACK_H

#include "base/compiler.h"

enum unpack_format { UNPACK_NONE, UNPACK_ZLIB /* or gzip */, UNPACK_XZ, UNPACK_ZSTD };

/* The format of what begins with these bytes, by its magic number; zlib has none. */
enum unpack_format unpack_format_of(const void *start, size_t size);

/* What is left of the input, and of the room for output. */
struct unpack_piece {
	const uint8_t *in;
	size_t in_left;
	uint8_t *out;
	size_t out_left;
};

struct unpacker;

/* 0; -EOPNOTSUPP built without the library; -ENOMEM. */
int unpacker_new(struct unpacker **out, enum unpack_format format) __must_check;
/* Unpacks from @piece, as much as has room. Windows have at most 128 MiB. 1: the data end here;
 * what follows begins anew, except for xz; 0: there may be more, also without input if there was no
 * room; -EBADMSG; -EFBIG; -ENOMEM.
 */
int unpacker_step(struct unpacker *u, struct unpack_piece *piece) __must_check;
/* Unpacks the whole input of @piece, from its beginning on, whatever came before. @cut: its end is
 * missing, and what can be unpacked is wanted. 0: @piece has what is left of input and room;
 * -ENOSPC more than there is room for; -EBADMSG damaged, or cut; -ENOMEM.
 */
int unpacker_all(struct unpacker *u, struct unpack_piece *piece, bool cut) __must_check;
void unpacker_free(struct unpacker *u);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * base: decompression, piece by piece.
 * In: compressed bytes, untrusted. Out: uncompressed bytes.
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
/* Unpacks as much of @piece as there is room for. Windows have at most 128 MiB. 1: the stream ends
 * here, and what follows is a new one, except for xz; 0: there may be more, even without input if
 * there was no room; -EBADMSG; -EFBIG; -ENOMEM.
 */
int unpacker_step(struct unpacker *u, struct unpack_piece *piece) __must_check;
/* Unpacks the whole input of @piece as a new stream. @cut: the input's end is missing, and what can
 * be unpacked is wanted. 0: @piece has what is left of input and room; -ENOSPC more than there is
 * room for; -EBADMSG damaged, or cut; -ENOMEM.
 */
int unpacker_all(struct unpacker *u, struct unpack_piece *piece, bool cut) __must_check;
void unpacker_free(struct unpacker *u);

#endif

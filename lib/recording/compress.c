// SPDX-License-Identifier: GPL-2.0-or-later
#include "recording/compress.h"

#include "base/array.h"

#ifdef HAVE_ZSTD
#include <zstd.h>
#endif

/* Real recordings shrink three- to tenfold: the first attempt allows this much. */
#define FIRST_RATIO 32
#define FIRST_BYTES (64U << 10)
#define GROWTH	    8

/* 0; -ENOSPC if @capacity, which @out has, is too small; -EBADMSG; -ENOMEM. */
static int try_block(struct unpacker *u, const struct decompress_input *in,
		     struct decompressed *out, size_t capacity)
{
	struct unpack_piece piece = { in->data, in->size, out->data, capacity };
	int ret = unpacker_all(u, &piece, in->cut);

	out->size = capacity - piece.out_left;
	return ret;
}

/*
 * Memory grows with compressed bytes, not with claims: a block that needs more than usual must
 * first fill what it was given.
 */
static size_t first_capacity(const struct decompress_input *in)
{
	size_t capacity =
		in->size < in->limit / FIRST_RATIO ? in->size * FIRST_RATIO : in->limit;

	capacity = LARGER(capacity, FIRST_BYTES);
	return in->expected && capacity > in->expected ? in->expected : capacity;
}

int decompress_block(struct unpacker **u, const struct decompress_input *in,
		     struct decompressed *out)
{
	static const enum unpack_format formats[] = { [COMPRESSION_NONE] = UNPACK_NONE,
						      [COMPRESSION_ZSTD] = UNPACK_ZSTD,
						      [COMPRESSION_ZLIB] = UNPACK_ZLIB };
	size_t capacity = first_capacity(in);
	int ret = *u ? 0 : unpacker_new(u, formats[in->kind]);

	out->size = 0;
	if (!ret && in->expected > in->limit && !in->cut)
		ret = -E2BIG;
	while (!ret) {
		capacity = SMALLER(capacity, in->limit);
		ret = array_renew(&out->data, &out->capacity, capacity)
			      ?: try_block(*u, in, out,
					   in->cut ? out->capacity : capacity);
		if (in->cut || ret != -ENOSPC)
			return in->cut && ret != -ENOMEM ? 0 : ret;
		ret = capacity == in->limit ? -E2BIG : 0;
		capacity = capacity < in->limit / GROWTH ? capacity * GROWTH : in->limit;
	}
	return ret;
}

size_t decompress_frame_size(enum recording_compression kind, const void *data,
			     size_t size)
{
#ifdef HAVE_ZSTD
	size_t n;

	if (kind == COMPRESSION_ZSTD) {
		n = ZSTD_findFrameCompressedSize(data, size);
		return ZSTD_isError(n) ? 0 : n;
	}
#endif
	return 0;
}

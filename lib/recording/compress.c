// SPDX-License-Identifier: GPL-2.0-or-later
#include "recording/compress.h"

#include <limits.h>

#ifdef HAVE_ZSTD
#include <zstd.h>
#include <zstd_errors.h>
#endif
#ifdef HAVE_ZLIB
#include <zlib.h>
#endif

/* Real recordings shrink three- to tenfold: the first attempt allows this much. */
#define FIRST_RATIO 32
#define FIRST_BYTES (64U << 10)
#define GROWTH	    8

/* Room for @capacity bytes; the old content is not needed. */
static int make_room(struct decompressed *out, size_t capacity)
{
	uint8_t *data;

	if (capacity <= out->capacity)
		return 0;
	data = malloc(capacity);
	if (!data)
		return -ENOMEM;
	free(out->data);
	out->data = data;
	out->capacity = capacity;
	return 0;
}

#ifdef HAVE_ZSTD
/* 0; -ENOSPC if @out's capacity is too small; -EBADMSG, -ENOMEM. */
static int try_zstd(struct decompressor *d, const struct decompress_input *in,
		    struct decompressed *out, size_t capacity)
{
	size_t n;

	if (!d->zstd)
		d->zstd = ZSTD_createDCtx();
	if (!d->zstd)
		return -ENOMEM;
	n = ZSTD_decompressDCtx(d->zstd, out->data, capacity, in->data, in->size);
	if (!ZSTD_isError(n)) {
		out->size = n;
		return 0;
	}
	switch (ZSTD_getErrorCode(n)) {
	case ZSTD_error_dstSize_tooSmall:
		return -ENOSPC;
	case ZSTD_error_memory_allocation:
		return -ENOMEM;
	default:
		return -EBADMSG;
	}
}

/* The size in the frame's own header; 0 if it has none. */
static size_t zstd_size(const struct decompress_input *in)
{
	unsigned long long n = ZSTD_getFrameContentSize(in->data, in->size);

	if (n == ZSTD_CONTENTSIZE_UNKNOWN || n == ZSTD_CONTENTSIZE_ERROR)
		return 0;
	return n < in->limit ? (size_t)n : in->limit;
}
#endif

#ifdef HAVE_ZLIB
static int try_zlib(const struct decompress_input *in, struct decompressed *out,
		    size_t capacity)
{
	uLongf n = capacity;

	switch (uncompress(out->data, &n, in->data, in->size)) {
	case Z_OK:
		out->size = n;
		return 0;
	case Z_BUF_ERROR:
		return -ENOSPC;
	case Z_MEM_ERROR:
		return -ENOMEM;
	default:
		return -EBADMSG;
	}
}
#endif

static int try_block(struct decompressor *d, enum recording_compression kind,
		     const struct decompress_input *in, struct decompressed *out,
		     size_t capacity)
{
	switch (kind) {
#ifdef HAVE_ZSTD
	case COMPRESSION_ZSTD:
		return try_zstd(d, in, out, capacity);
#endif
#ifdef HAVE_ZLIB
	case COMPRESSION_ZLIB:
		return try_zlib(in, out, capacity);
#endif
	default:
		return -ENOTSUP;
	}
}

/*
 * Memory grows with compressed bytes, not with claims: a block that needs more than usual must
 * first fill what it was given.
 */
static size_t first_capacity(const struct decompress_input *in, size_t expected)
{
	size_t capacity =
		in->size < in->limit / FIRST_RATIO ? in->size * FIRST_RATIO : in->limit;

	if (capacity < FIRST_BYTES)
		capacity = FIRST_BYTES;
	return expected && capacity > expected ? expected : capacity;
}

int decompress_block(struct decompressor *d, enum recording_compression kind,
		     const struct decompress_input *in, struct decompressed *out)
{
	size_t expected = in->expected, capacity;
	int err;

	out->size = 0;
	if (expected > in->limit)
		return -E2BIG;
#ifdef HAVE_ZSTD
	if (!expected && kind == COMPRESSION_ZSTD)
		expected = zstd_size(in);
#endif
	capacity = first_capacity(in, expected);
	for (;;) {
		if (capacity > in->limit)
			capacity = in->limit;
		err = make_room(out, capacity);
		if (err)
			return err;
		err = try_block(d, kind, in, out, capacity);
		if (err != -ENOSPC)
			return err;
		if (capacity == in->limit)
			return -E2BIG;
		capacity = capacity < in->limit / GROWTH ? capacity * GROWTH : in->limit;
	}
}

#ifdef HAVE_ZSTD
/* zstd gives whole blocks of up to 128 KiB. */
static int prefix_zstd(struct decompressor *d, const struct decompress_input *in,
		       struct decompressed *out)
{
	ZSTD_inBuffer from = { in->data, in->size, 0 };
	ZSTD_outBuffer to = { out->data, out->capacity, 0 };
	size_t before, n;

	if (!d->zstd)
		d->zstd = ZSTD_createDCtx();
	if (!d->zstd)
		return -ENOMEM;
	ZSTD_DCtx_reset(d->zstd, ZSTD_reset_session_only);
	do {
		before = to.pos + from.pos;
		n = ZSTD_decompressStream(d->zstd, &to, &from);
	} while (!ZSTD_isError(n) && n && to.pos < to.size && to.pos + from.pos > before);
	out->size = to.pos;
	return 0;
}
#endif

#ifdef HAVE_ZLIB
static int prefix_zlib(const struct decompress_input *in, struct decompressed *out)
{
	z_stream z = { 0 };

	if (in->size > UINT_MAX || out->capacity > UINT_MAX)
		return 0;
	z.next_in = (Bytef *)in->data;
	z.avail_in = (uInt)in->size;
	z.next_out = out->data;
	z.avail_out = (uInt)out->capacity;
	if (inflateInit(&z) != Z_OK)
		return -ENOMEM;
	(void)inflate(&z, Z_SYNC_FLUSH);
	out->size = z.total_out;
	inflateEnd(&z);
	return 0;
}
#endif

int decompress_prefix(struct decompressor *d, enum recording_compression kind,
		      const struct decompress_input *in, struct decompressed *out)
{
	size_t capacity = first_capacity(in, in->expected);
	int err = make_room(out, capacity < in->limit ? capacity : in->limit);

	out->size = 0;
	if (err)
		return err;
	switch (kind) {
#ifdef HAVE_ZSTD
	case COMPRESSION_ZSTD:
		return prefix_zstd(d, in, out);
#endif
#ifdef HAVE_ZLIB
	case COMPRESSION_ZLIB:
		return prefix_zlib(in, out);
#endif
	default:
		return -ENOTSUP;
	}
}

bool decompress_is_frame(enum recording_compression kind, const void *data, size_t size)
{
#ifdef HAVE_ZSTD
	if (kind == COMPRESSION_ZSTD)
		return size >= 4 && !memcmp(data, "\x28\xb5\x2f\xfd", 4);
#endif
	return false;
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

void decompressor_free(struct decompressor *d)
{
#ifdef HAVE_ZSTD
	ZSTD_freeDCtx(d->zstd);
#endif
	d->zstd = NULL;
}

// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/unpack.h"

#include <limits.h>
#ifdef HAVE_LZMA
#include <lzma.h>
#endif
#ifdef HAVE_ZLIB
#include <zlib.h>
#endif
#ifdef HAVE_ZSTD
#include <zstd.h>
#include <zstd_errors.h>
#endif

/* Limit on a decoder's window; zstd's own is the same. */
#define WINDOW_MEMORY (128U << 20)
/* zlib's windowBits: the largest window; the header says whether it is gzip or zlib. */
#define ZLIB_WINDOW   (15 + 32)

struct unpacker {
	enum unpack_format format;
#ifdef HAVE_ZLIB
	z_stream zlib;
#endif
#ifdef HAVE_LZMA
	lzma_stream xz;
#endif
#ifdef HAVE_ZSTD
	ZSTD_DStream *zstd;
#endif
};

enum unpack_format unpack_format_of(const void *start, size_t size)
{
	static const struct {
		const char *magic;
		size_t size;
		enum unpack_format format;
	} known[] = {
		{ "\x1f\x8b", 2, UNPACK_ZLIB },
		{ "\xfd"
		  "7zXZ\0",
		  6, UNPACK_XZ },
		{ "\x28\xb5\x2f\xfd", 4, UNPACK_ZSTD },
	};

	for_each(k, known, ARRAY_SIZE(known)) {
		if (size >= k->size && !memcmp(start, k->magic, k->size))
			return k->format;
	}
	return UNPACK_NONE;
}

/* 0; -EOPNOTSUPP; -ENOMEM. */
static int begin(struct unpacker *u)
{
	switch (u->format) {
#ifdef HAVE_ZLIB
	case UNPACK_ZLIB:
		return inflateInit2(&u->zlib, ZLIB_WINDOW) == Z_OK ? 0 : -ENOMEM;
#endif
#ifdef HAVE_LZMA
	case UNPACK_XZ:
		return lzma_stream_decoder(&u->xz, WINDOW_MEMORY, 0) == LZMA_OK ? 0
										: -ENOMEM;
#endif
#ifdef HAVE_ZSTD
	case UNPACK_ZSTD:
		u->zstd = ZSTD_createDStream();
		return u->zstd ? 0 : -ENOMEM;
#endif
	default:
		return -EOPNOTSUPP;
	}
}

int unpacker_new(struct unpacker **out, enum unpack_format format)
{
	struct unpacker *u = calloc(1, sizeof(*u));
	int ret = -ENOMEM;

	*out = u;
	if (u) {
		u->format = format;
		ret = begin(u);
	}
	if (ret) {
		free(u);
		*out = NULL;
	}
	return ret;
}

#ifdef HAVE_ZLIB
static int step_zlib(z_stream *z, struct unpack_piece *piece)
{
	int ret;

	z->next_in = (unsigned char *)(uintptr_t)piece->in;
	z->avail_in = (unsigned int)SMALLER(piece->in_left, UINT_MAX);
	z->next_out = piece->out;
	z->avail_out = (unsigned int)SMALLER(piece->out_left, UINT_MAX);
	ret = inflate(z, Z_NO_FLUSH);
	piece->in_left -= (size_t)(z->next_in - piece->in);
	piece->in = z->next_in;
	piece->out_left -= (size_t)(z->next_out - piece->out);
	piece->out = z->next_out;
	if (ret == Z_STREAM_END)
		return inflateReset(z) == Z_OK ? 1 : -EBADMSG;
	if (ret == Z_MEM_ERROR)
		return -ENOMEM;
	return ret == Z_OK || ret == Z_BUF_ERROR ? 0 : -EBADMSG;
}
#endif

#ifdef HAVE_LZMA
static int step_xz(lzma_stream *l, struct unpack_piece *piece)
{
	lzma_ret ret;

	l->next_in = piece->in;
	l->avail_in = piece->in_left;
	l->next_out = piece->out;
	l->avail_out = piece->out_left;
	ret = lzma_code(l, LZMA_RUN);
	*piece = (struct unpack_piece){ l->next_in, l->avail_in, l->next_out,
					l->avail_out };
	switch (ret) {
	case LZMA_OK:
	case LZMA_BUF_ERROR:
		return 0;
	case LZMA_STREAM_END:
		return 1;
	case LZMA_MEM_ERROR:
		return -ENOMEM;
	case LZMA_MEMLIMIT_ERROR:
		return -EFBIG;
	default:
		return -EBADMSG;
	}
}
#endif

#ifdef HAVE_ZSTD
static int step_zstd(ZSTD_DStream *zstd, struct unpack_piece *piece)
{
	ZSTD_inBuffer in = { piece->in, piece->in_left, 0 };
	ZSTD_outBuffer out = { piece->out, piece->out_left, 0 };
	size_t ret = ZSTD_decompressStream(zstd, &out, &in);

	*piece = (struct unpack_piece){ piece->in + in.pos, piece->in_left - in.pos,
					piece->out + out.pos, piece->out_left - out.pos };
	return ZSTD_isError(ret) ? -EBADMSG : ret == 0;
}
#endif

int unpacker_step(struct unpacker *u, struct unpack_piece *piece)
{
	switch (u->format) {
#ifdef HAVE_ZLIB
	case UNPACK_ZLIB:
		return step_zlib(&u->zlib, piece);
#endif
#ifdef HAVE_LZMA
	case UNPACK_XZ:
		return step_xz(&u->xz, piece);
#endif
#ifdef HAVE_ZSTD
	case UNPACK_ZSTD:
		return step_zstd(u->zstd, piece);
#endif
	default:
		return -EOPNOTSUPP;
	}
}

#ifdef HAVE_ZSTD
/* Needs no window, unlike a stream whose size is not known at first. */
static int all_zstd(ZSTD_DStream *zstd, struct unpack_piece *piece)
{
	size_t n = ZSTD_decompressDCtx(zstd, piece->out, piece->out_left, piece->in,
				       piece->in_left);

	switch (ZSTD_getErrorCode(n)) {
	case ZSTD_error_no_error:
		piece->in_left = 0;
		piece->out_left -= n;
		return 0;
	case ZSTD_error_dstSize_tooSmall:
		return -ENOSPC;
	case ZSTD_error_memory_allocation:
		return -ENOMEM;
	default:
		return -EBADMSG;
	}
}
#endif

int unpacker_all(struct unpacker *u, struct unpack_piece *piece, bool cut)
{
	size_t before;
	int ret;

#ifdef HAVE_ZSTD
	if (u->format == UNPACK_ZSTD && !cut)
		return all_zstd(u->zstd, piece);
	if (u->format == UNPACK_ZSTD)
		ZSTD_DCtx_reset(u->zstd, ZSTD_reset_session_only);
#endif
#ifdef HAVE_ZLIB
	if (u->format == UNPACK_ZLIB)
		inflateReset(&u->zlib);
#endif
	do {
		before = piece->in_left + piece->out_left;
		ret = unpacker_step(u, piece);
	} while (!ret && piece->in_left + piece->out_left < before);
	return ret < 0 ? ret : ret > 0 ? 0 : piece->out_left ? -EBADMSG : -ENOSPC;
}

void unpacker_free(struct unpacker *u)
{
	if (!u)
		return;
#ifdef HAVE_ZLIB
	if (u->format == UNPACK_ZLIB)
		inflateEnd(&u->zlib);
#endif
#ifdef HAVE_LZMA
	lzma_end(&u->xz);
#endif
#ifdef HAVE_ZSTD
	ZSTD_freeDStream(u->zstd);
#endif
	free(u);
}

// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * import: decompresses the records of a perf.data file.
 * In: their contents, which are pieces of one zstd stream. Out: the records in them.
 */
#include "import/perf_unpack.h"

#include <errno.h>
#include <stdlib.h>

#ifdef HAVE_ZSTD
#include <zstd.h>

/* The most memory that a stream may require; perf's levels need up to 8 MiB, the longest 128. */
#define WINDOW_LOG_MAX 27

struct perf_unpack {
	ZSTD_DCtx *dctx;
	ZSTD_inBuffer in;
	uint64_t given;		/* bytes output of this piece */
	uint64_t packed, plain; /* bytes of all pieces */
	bool more;
};

int perf_unpack_new(struct perf_unpack **out)
{
	struct perf_unpack *u = calloc(1, sizeof(*u));

	if (u)
		u->dctx = ZSTD_createDCtx();
	if (!u || !u->dctx ||
	    ZSTD_isError(ZSTD_DCtx_setParameter(u->dctx, ZSTD_d_windowLogMax,
						WINDOW_LOG_MAX))) {
		perf_unpack_free(u);
		return -ENOMEM;
	}
	*out = u;
	return 0;
}

void perf_unpack_feed(struct perf_unpack *u, const uint8_t *data, size_t size)
{
	u->in = (ZSTD_inBuffer){ data, size, 0 };
	u->given = 0;
	u->packed += size;
	u->more = size != 0;
}

bool perf_unpack_pending(const struct perf_unpack *u)
{
	return u && u->more;
}

int perf_unpack_some(struct perf_unpack *u, uint8_t *out, size_t size, size_t *got)
{
	ZSTD_outBuffer to = { out, size, 0 };
	size_t before = u->in.pos;
	size_t ret = ZSTD_decompressStream(u->dctx, &to, &u->in);

	*got = to.pos;
	u->given += to.pos;
	u->plain += to.pos;
	/* If the output buffer is full, the decompressor may hold more. */
	u->more = u->in.pos < u->in.size || to.pos == to.size;
	if (ZSTD_isError(ret) || u->given > PERF_PLAIN_MAX ||
	    (u->plain > PERF_PLAIN_MAX && u->plain / PERF_GROWTH_MAX > u->packed) ||
	    (!to.pos && u->in.pos == before && u->more)) {
		u->more = false;
		return -EBADMSG;
	}
	return 0;
}

void perf_unpack_free(struct perf_unpack *u)
{
	if (!u)
		return;
	ZSTD_freeDCtx(u->dctx);
	free(u);
}

#else /* without zstd */

int perf_unpack_new(struct perf_unpack **out)
{
	return -ENOTSUP;
}

void perf_unpack_feed(struct perf_unpack *u, const uint8_t *data, size_t size)
{
}

bool perf_unpack_pending(const struct perf_unpack *u)
{
	return false;
}

int perf_unpack_some(struct perf_unpack *u, uint8_t *out, size_t size, size_t *got)
{
	*got = 0;
	return -ENOTSUP;
}

void perf_unpack_free(struct perf_unpack *u)
{
}

#endif

// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * export (internal): zstd.
 * In: bytes. Out: the same compressed, passed to a function piece by piece.
 */
#include "export/zstd_out.h"

#include <errno.h>
#include <stdlib.h>

#ifdef HAVE_ZSTD
#include <zstd.h>

#define LEVEL 1

struct zstd_out {
	ZSTD_CCtx *ctx;
	struct render_out to;
	char out[65536];
};

int zstd_out_new(struct zstd_out **out, const struct render_out *to)
{
	struct zstd_out *z = calloc(1, sizeof(*z));

	*out = NULL;
	if (!z)
		return -ENOMEM;
	z->to = *to;
	z->ctx = ZSTD_createCCtx();
	if (!z->ctx || ZSTD_isError(ZSTD_CCtx_setParameter(
			       z->ctx, ZSTD_c_compressionLevel, LEVEL))) {
		zstd_out_free(z);
		return -ENOMEM;
	}
	*out = z;
	return 0;
}

static int compress(struct zstd_out *z, const char *data, size_t size,
		    ZSTD_EndDirective end)
{
	ZSTD_inBuffer in = { data, size, 0 };
	size_t left;
	int err;

	do {
		ZSTD_outBuffer out = { z->out, sizeof(z->out), 0 };

		left = ZSTD_compressStream2(z->ctx, &out, &in, end);
		if (ZSTD_isError(left))
			return -ENOMEM;
		err = out.pos ? z->to.write(z->to.ctx, z->out, out.pos) : 0;
		if (err)
			return err;
	} while (end == ZSTD_e_end ? left : in.pos < in.size);
	return 0;
}

int zstd_out_write(void *ctx, const char *data, size_t size)
{
	return compress(ctx, data, size, ZSTD_e_continue);
}

int zstd_out_finish(struct zstd_out *z)
{
	return compress(z, NULL, 0, ZSTD_e_end);
}

void zstd_out_free(struct zstd_out *z)
{
	if (z)
		ZSTD_freeCCtx(z->ctx);
	free(z);
}

#else

int zstd_out_new(struct zstd_out **out, const struct render_out *to)
{
	*out = NULL;
	return -ENOTSUP;
}

int zstd_out_write(void *ctx, const char *data, size_t size)
{
	return -ENOTSUP;
}

int zstd_out_finish(struct zstd_out *z)
{
	return -ENOTSUP;
}

void zstd_out_free(struct zstd_out *z)
{
}

#endif

// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * export (internal): gzip.
 * In: bytes. Out: the same compressed, passed to a function piece by piece.
 */
#include "export/gzip.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>

#ifdef HAVE_ZLIB
#include <zlib.h>

/* zlib's windowBits: the largest window, and 16 for gzip's header. */
#define GZIP_WINDOW (15 + 16)
#define MEM_LEVEL   8

struct gzip {
	z_stream z;
	struct render_out to;
	unsigned char out[65536];
};

int gzip_new(struct gzip **out, const struct render_out *to)
{
	struct gzip *gz = calloc(1, sizeof(*gz));

	*out = NULL;
	if (!gz)
		return -ENOMEM;
	gz->to = *to;
	if (deflateInit2(&gz->z, Z_BEST_SPEED, Z_DEFLATED, GZIP_WINDOW, MEM_LEVEL,
			 Z_DEFAULT_STRATEGY) != Z_OK) {
		free(gz);
		return -ENOMEM;
	}
	*out = gz;
	return 0;
}

/* Compresses the input at next_in, and ends with Z_FINISH. */
static int compress_more(struct gzip *gz, int flush)
{
	int err;

	do {
		gz->z.next_out = gz->out;
		gz->z.avail_out = sizeof(gz->out);
		/* Z_BUF_ERROR: nothing to do, no error. */
		if (deflate(&gz->z, flush) == Z_STREAM_ERROR)
			return -EINVAL;
		err = gz->to.write(gz->to.ctx, (const char *)gz->out,
				   sizeof(gz->out) - gz->z.avail_out);
		if (err)
			return err;
	} while (!gz->z.avail_out);
	return 0;
}

int gzip_write(struct gzip *gz, const void *data, size_t size)
{
	const unsigned char *from = data;
	int err = 0;

	while (size && !err) {
		size_t part = size < UINT_MAX ? size : UINT_MAX;

		gz->z.next_in = (unsigned char *)from;
		gz->z.avail_in = (unsigned int)part;
		err = compress_more(gz, Z_NO_FLUSH);
		from += part;
		size -= part;
	}
	return err;
}

int gzip_finish(struct gzip *gz)
{
	return compress_more(gz, Z_FINISH);
}

void gzip_free(struct gzip *gz)
{
	if (gz)
		deflateEnd(&gz->z);
	free(gz);
}

#else

int gzip_new(struct gzip **out, const struct render_out *to)
{
	*out = NULL;
	return -ENOTSUP;
}

int gzip_write(struct gzip *gz, const void *data, size_t size)
{
	return -ENOTSUP;
}

int gzip_finish(struct gzip *gz)
{
	return -ENOTSUP;
}

void gzip_free(struct gzip *gz)
{
}

#endif

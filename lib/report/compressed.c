// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/compressed.h"

#ifdef HAVE_ZLIB
#define ZLIB_CONST
#include <zlib.h>
#endif
#ifdef HAVE_ZSTD
#include <zstd.h>
#endif

/* zlib's windowBits: the largest window, and 16 for gzip's header. */
#define ZLIB_WINDOW 15
#define GZIP_WINDOW (ZLIB_WINDOW + 16)
#define MEM_LEVEL   8
#define ZSTD_LEVEL  1
/* Bytes passed to zlib at once: its counters have 32 bits. */
#define PART	    (1U << 20)

struct compressed {
	enum compressed_format format;
	struct render_out to;
#ifdef HAVE_ZLIB
	z_stream z;
#endif
#ifdef HAVE_ZSTD
	ZSTD_CCtx *zstd;
#endif
	char out[65536];
};

#ifdef HAVE_ZLIB
static int run_zlib(struct compressed *c, const char *data, size_t size, bool end)
{
	int err;

	c->z.next_in = (z_const Bytef *)data;
	do {
		if (!c->z.avail_in) {
			c->z.avail_in = size < PART ? (uInt)size : PART;
			size -= c->z.avail_in;
		}
		c->z.next_out = (Bytef *)c->out;
		c->z.avail_out = sizeof(c->out);
		/* Z_BUF_ERROR: nothing to do, no error. */
		if (deflate(&c->z, end && !size ? Z_FINISH : Z_NO_FLUSH) ==
		    Z_STREAM_ERROR)
			return -EINVAL;
		err = c->to.write(c->to.ctx, c->out, sizeof(c->out) - c->z.avail_out);
	} while (!err && (size || !c->z.avail_out));
	return err;
}
#endif

#ifdef HAVE_ZSTD
static int run_zstd(struct compressed *c, const char *data, size_t size,
		    ZSTD_EndDirective end)
{
	ZSTD_inBuffer in = { data, size, 0 };
	size_t left;
	int err;

	do {
		ZSTD_outBuffer out = { c->out, sizeof(c->out), 0 };

		left = ZSTD_compressStream2(c->zstd, &out, &in, end);
		if (ZSTD_isError(left))
			return -ENOMEM;
		err = out.pos ? c->to.write(c->to.ctx, c->out, out.pos) : 0;
		if (err)
			return err;
	} while (end == ZSTD_e_end ? left : in.pos < in.size);
	return 0;
}
#endif

static int run(struct compressed *c, const char *data, size_t size, bool end)
{
#ifdef HAVE_ZSTD
	if (c->format == COMPRESSED_ZSTD)
		return run_zstd(c, data, size, end ? ZSTD_e_end : ZSTD_e_continue);
#endif
#ifdef HAVE_ZLIB
	return run_zlib(c, data, size, end);
#endif
	return -ENOTSUP;
}

static int start(struct compressed *c)
{
#ifdef HAVE_ZSTD
	if (c->format == COMPRESSED_ZSTD) {
		c->zstd = ZSTD_createCCtx();
		return !c->zstd || ZSTD_isError(ZSTD_CCtx_setParameter(
					   c->zstd, ZSTD_c_compressionLevel, ZSTD_LEVEL))
			       ? -ENOMEM
			       : 0;
	}
#endif
#ifdef HAVE_ZLIB
	bool gzip = c->format == COMPRESSED_GZIP;

	if (c->format != COMPRESSED_ZSTD)
		return deflateInit2(&c->z, gzip ? Z_BEST_SPEED : Z_DEFAULT_COMPRESSION,
				    Z_DEFLATED, gzip ? GZIP_WINDOW : ZLIB_WINDOW,
				    MEM_LEVEL, Z_DEFAULT_STRATEGY) == Z_OK
			       ? 0
			       : -ENOMEM;
#endif
	return -ENOTSUP;
}

int compressed_new(struct compressed **out, enum compressed_format format,
		   const struct render_out *to)
{
	struct compressed *c = calloc(1, sizeof(*c));
	int err;

	*out = NULL;
	if (!c)
		return -ENOMEM;
	c->format = format;
	c->to = *to;
	err = start(c);
	if (err)
		compressed_free(c);
	else
		*out = c;
	return err;
}

int compressed_write(void *ctx, const char *data, size_t size)
{
	return run(ctx, data, size, false);
}

int compressed_finish(struct compressed *c)
{
	return run(c, "", 0, true);
}

void compressed_free(struct compressed *c)
{
	if (!c)
		return;
#ifdef HAVE_ZSTD
	ZSTD_freeCCtx(c->zstd);
#endif
#ifdef HAVE_ZLIB
	deflateEnd(&c->z);
#endif
	free(c);
}

/* Writes @p->bytes as base64; pads an incomplete group of three. */
static int write_base64(struct packed *p)
{
	static const char digits[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	char text[PACKED_PIECE / 3 * 4], *to = text;
	size_t missing = (3 - p->nr % 3) % 3;

	memset(p->bytes + p->nr, 0, missing);
	for (size_t i = 0; i < p->nr; i += 3) {
		uint32_t bits = (uint32_t)p->bytes[i] << 16 |
				(uint32_t)p->bytes[i + 1] << 8 | p->bytes[i + 2];

		for (int shift = 18; shift >= 0; shift -= 6)
			*to++ = digits[bits >> shift & 63];
	}
	memset(to - missing, '=', missing);
	p->nr = 0;
	return to > text ? p->out->write(p->out->ctx, text, (size_t)(to - text)) : 0;
}

static int write_piece(void *ctx, const char *data, size_t size)
{
	struct packed *p = ctx;
	int err = 0;

	while (size && !err) {
		size_t room = PACKED_PIECE - p->nr, part = SMALLER(size, room);

		memcpy(p->bytes + p->nr, data, part);
		p->nr += part;
		data += part;
		size -= part;
		err = p->nr == PACKED_PIECE ? write_base64(p) : 0;
	}
	return err;
}

static const char *const zlib_lacks = ZLIB_LACKS;

const char *packed_type(void)
{
	return zlib_lacks ? "application/octet-stream" : "application/zlib";
}

int packed_init(struct packed *p, const struct render_out *out)
{
	const struct render_out to = { write_piece, p };

	*p = (struct packed){ .out = out };
	p->err = zlib_lacks ? 0 : compressed_new(&p->stream, COMPRESSED_ZLIB, &to);
	return p->err;
}

int packed_write(void *ctx, const char *data, size_t size)
{
	struct packed *p = ctx;

	if (!p->err && p->stream)
		p->err = compressed_write(p->stream, data, size);
	else if (!p->err)
		p->err = write_piece(p, data, size);
	return p->err;
}

int packed_end(struct packed *p)
{
	if (!p->err && p->stream)
		p->err = compressed_finish(p->stream);
	if (!p->err)
		p->err = write_base64(p);
	compressed_free(p->stream);
	p->stream = NULL;
	return p->err;
}

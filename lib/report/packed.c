// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * report: compact data inside a page.
 * In: bytes, piece by piece. Out: the same deflated, where zlib is built in, and as base64.
 */
#include "report/packed.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#ifdef HAVE_ZLIB
#define ZLIB_CONST
#include <zlib.h>
#endif

/* Bytes that are written at once: a multiple of three. */
enum { PIECE = 3 * 4096 };

static const char digits[] =
	"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

static void encode(const unsigned char *three, char *four)
{
	uint32_t bits = (uint32_t)three[0] << 16 | (uint32_t)three[1] << 8 | three[2];
	int i;

	for (i = 0; i < 4; i++)
		four[i] = digits[bits >> (18 - 6 * i) & 63];
}

/* Writes at most PIECE bytes as base64; at the end the last group is padded. */
static int write_base64(struct packed *p, const unsigned char *data, size_t size,
			bool end)
{
	char text[PIECE / 3 * 4 + 8];
	size_t nr = 0, i;

	for (i = 0; i < size; i++) {
		p->carry[p->nr_carry++] = data[i];
		if (p->nr_carry < 3)
			continue;
		encode(p->carry, text + nr);
		nr += 4;
		p->nr_carry = 0;
	}
	if (end && p->nr_carry) {
		for (i = p->nr_carry; i < 3; i++)
			p->carry[i] = 0;
		encode(p->carry, text + nr);
		memset(text + nr + 1 + p->nr_carry, '=', 3 - p->nr_carry);
		nr += 4;
		p->nr_carry = 0;
	}
	return nr ? p->out->write(p->out->ctx, text, nr) : 0;
}

#ifdef HAVE_ZLIB
/* Writes what the stream produces from its input; with @end everything that is left. */
static int run(struct packed *p, bool end)
{
	unsigned char piece[PIECE];
	z_stream *z = p->stream;
	int ret;

	do {
		z->next_out = piece;
		z->avail_out = sizeof(piece);
		ret = deflate(z, end ? Z_FINISH : Z_NO_FLUSH);
		if (ret == Z_STREAM_ERROR)
			return -EIO;
		p->err = write_base64(p, piece, sizeof(piece) - z->avail_out,
				      end && ret == Z_STREAM_END);
	} while (!p->err && !z->avail_out);
	return p->err;
}

const char *packed_type(void)
{
	return "application/zlib";
}

int packed_init(struct packed *p, const struct render_out *out)
{
	*p = (struct packed){ .out = out };
	p->stream = calloc(1, sizeof(z_stream));
	if (!p->stream || deflateInit(p->stream, Z_BEST_COMPRESSION) != Z_OK) {
		free(p->stream);
		p->stream = NULL;
		p->err = -ENOMEM;
	}
	return p->err;
}

int packed_write(void *ctx, const char *data, size_t size)
{
	struct packed *p = ctx;
	z_stream *z = p->stream;

	while (!p->err && size) {
		uInt part = size < 1 << 20 ? (uInt)size : 1 << 20;

		z->next_in = (z_const Bytef *)data;
		z->avail_in = part;
		p->err = run(p, false);
		data += part;
		size -= part;
	}
	return p->err;
}

int packed_end(struct packed *p)
{
	if (!p->stream)
		return p->err;
	if (!p->err)
		p->err = run(p, true);
	deflateEnd(p->stream);
	free(p->stream);
	p->stream = NULL;
	return p->err;
}
#else
const char *packed_type(void)
{
	return "application/octet-stream";
}

int packed_init(struct packed *p, const struct render_out *out)
{
	*p = (struct packed){ .out = out };
	return 0;
}

int packed_write(void *ctx, const char *data, size_t size)
{
	struct packed *p = ctx;

	while (!p->err && size) {
		size_t part = size < PIECE ? size : PIECE;

		p->err = write_base64(p, (const unsigned char *)data, part, false);
		data += part;
		size -= part;
	}
	return p->err;
}

int packed_end(struct packed *p)
{
	if (!p->err)
		p->err = write_base64(p, NULL, 0, true);
	return p->err;
}
#endif

// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * report: compact data inside a page.
 * In: bytes, piece by piece. Out: the same deflated, where zlib is built in, and as base64.
 */
#include "report/packed.h"

#include <string.h>

/* Bytes that are written at once: a multiple of three. */
enum { PIECE = 3 * 4096 };

static const char digits[] =
	"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

static void encode(const unsigned char *three, char *four)
{
	uint32_t bits = (uint32_t)three[0] << 16 | (uint32_t)three[1] << 8 | three[2];

	for (int i = 0; i < 4; i++)
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

static int write_piece(void *ctx, const char *data, size_t size)
{
	size_t part;
	int err = 0;

	for (; size && !err; data += part, size -= part) {
		part = size < PIECE ? size : PIECE;
		err = write_base64(ctx, (const unsigned char *)data, part, false);
	}
	return err;
}

const char *packed_type(void)
{
	return ZLIB_LACKS ? "application/octet-stream" : "application/zlib";
}

int packed_init(struct packed *p, const struct render_out *out)
{
	const struct render_out to = { write_piece, p };

	*p = (struct packed){ .out = out };
	p->err = ZLIB_LACKS ? 0 : compressed_new(&p->stream, COMPRESSED_ZLIB, &to);
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
		p->err = write_base64(p, NULL, 0, true);
	compressed_free(p->stream);
	p->stream = NULL;
	return p->err;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * report (internal): compact data inside a page.
 * In: bytes, piece by piece. Out: the same deflated, where zlib is built in, and as base64.
 */
#ifndef KMEMX_REPORT_PACKED_H
#define KMEMX_REPORT_PACKED_H

#include "report/compressed.h"
#include "report/render.h"

/**
 * struct packed - initialised by packed_init()
 * @stream: NULL without zlib
 * @carry: bytes of an incomplete group of three
 * @err: the first failure
 */
struct packed {
	const struct render_out *out;
	struct compressed *stream;
	unsigned char carry[3];
	unsigned int nr_carry;
	int err;
};

/* The MIME type of packed data in a page. */
const char *packed_type(void);
/* Packs what packed_write() gets into @out. 0 or -ENOMEM; call packed_end() in any case. */
int packed_init(struct packed *p, const struct render_out *out) __must_check;
/* A render_out's write function; @ctx: a struct packed. */
int packed_write(void *ctx, const char *data, size_t size);
/* Writes the rest and frees. 0, or the first failure. */
int packed_end(struct packed *p) __must_check;

#endif

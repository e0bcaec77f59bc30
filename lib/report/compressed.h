/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * report: compressed output.
 * In: bytes, piece by piece. Out: the same compressed, passed to a function piece by piece.
 */
#ifndef KMEMX_REPORT_COMPRESSED_H
#define KMEMX_REPORT_COMPRESSED_H

#include "report/render.h"

/* The library that this build lacks for a format, for messages; NULL: none. */
#ifdef HAVE_ZLIB
#define ZLIB_LACKS NULL
#else
#define ZLIB_LACKS "zlib"
#endif
#ifdef HAVE_ZSTD
#define ZSTD_LACKS NULL
#else
#define ZSTD_LACKS "zstd"
#endif

enum compressed_format {
	COMPRESSED_NONE, /* not for compressed_new() */
	COMPRESSED_GZIP,
	COMPRESSED_ZLIB,
	COMPRESSED_ZSTD,
};

struct compressed;

/* gzip and zstd: fast; zlib: small. 0; -ENOMEM; -ENOTSUP if the build lacks the library. */
int compressed_new(struct compressed **out, enum compressed_format format,
		   const struct render_out *to) __must_check;
/* A render_out's write function; @ctx: a struct compressed. 0 or the error of the output. */
int compressed_write(void *ctx, const char *data, size_t size) __must_check;
/* Ends the output. 0 or its error. */
int compressed_finish(struct compressed *c) __must_check;
/* NULL is allowed. */
void compressed_free(struct compressed *c);

/* Bytes that are written at once: a multiple of three. */
#define PACKED_PIECE (3 * 4096)

/**
 * struct packed - initialised by packed_init()
 * @stream: NULL without zlib
 * @bytes: the @nr bytes to write next, and room to pad the last group of three
 * @err: the first failure
 */
struct packed {
	const struct render_out *out;
	struct compressed *stream;
	unsigned char bytes[PACKED_PIECE + 2];
	size_t nr;
	int err;
};

/* The MIME type of packed data in a page. */
const char *packed_type(void);
/* Prepares to pack what packed_write() receives and write it to @out. 0 or -ENOMEM; call
 * packed_end() in any case.
 */
int packed_init(struct packed *p, const struct render_out *out) __must_check;
/* A render_out's write function; @ctx: a struct packed. */
int packed_write(void *ctx, const char *data, size_t size);
/* Writes the rest and frees. 0, or the first failure. */
int packed_end(struct packed *p) __must_check;

#endif

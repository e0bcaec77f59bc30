/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * export (internal): gzip.
 * In: bytes. Out: the same compressed, passed to a function piece by piece.
 */
#ifndef KMEMX_EXPORT_GZIP_H
#define KMEMX_EXPORT_GZIP_H

#include <stddef.h>

#include "base/compiler.h"
#include "report/render.h"

/* Value of exporter.lacks for formats that need zlib. */
#ifdef HAVE_ZLIB
#define GZIP_LACKS NULL
#else
#define GZIP_LACKS "zlib"
#endif

struct gzip;

/* 0; -ENOMEM; -ENOTSUP if built without zlib. */
int gzip_new(struct gzip **out, const struct render_out *to) __must_check;
/* 0 or the error of the output. */
int gzip_write(struct gzip *gz, const void *data, size_t size) __must_check;
/* Ends the output. 0 or its error. */
int gzip_finish(struct gzip *gz) __must_check;
/* NULL is allowed. */
void gzip_free(struct gzip *gz);

#endif

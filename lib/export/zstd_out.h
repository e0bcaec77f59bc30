/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * export (internal): zstd.
 * In: bytes. Out: the same compressed, passed to a function piece by piece.
 */
#ifndef KMEMX_EXPORT_ZSTD_OUT_H
#define KMEMX_EXPORT_ZSTD_OUT_H

#include <stddef.h>

#include "base/compiler.h"
#include "report/render.h"

/* Value of exporter.lacks for formats that need zstd. */
#ifdef HAVE_ZSTD
#define ZSTD_OUT_LACKS NULL
#else
#define ZSTD_OUT_LACKS "zstd"
#endif

struct zstd_out;

/* 0; -ENOMEM; -ENOTSUP if built without zstd. */
int zstd_out_new(struct zstd_out **out, const struct render_out *to) __must_check;
/* As render_out.write: @ctx is a struct zstd_out. */
int zstd_out_write(void *ctx, const char *data, size_t size) __must_check;
/* Ends the output. 0 or its error. */
int zstd_out_finish(struct zstd_out *z) __must_check;
/* NULL is allowed. */
void zstd_out_free(struct zstd_out *z);

#endif

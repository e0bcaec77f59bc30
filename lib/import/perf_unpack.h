/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * import: the compressed records of a perf.data file.
 * In: their contents, which are pieces of one zstd stream. Out: the records in them, in
 * pieces of any size.
 */
#ifndef KMEMX_IMPORT_PERF_UNPACK_H
#define KMEMX_IMPORT_PERF_UNPACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/compiler.h"

/* A piece may become this much; perf's are at most one ring's content. */
#define PERF_PLAIN_MAX	(64U << 20)
/* How much larger all pieces together may be than they were, beyond the first PERF_PLAIN_MAX.
 * Samples are 10 to 30 times as large.
 */
#define PERF_GROWTH_MAX 200U

struct perf_unpack;

/* 0; -ENOTSUP zstd is not built in; -ENOMEM. */
int perf_unpack_new(struct perf_unpack **out) __must_check;
/* The next piece, which stays the caller's and must stay until nothing is pending. */
void perf_unpack_feed(struct perf_unpack *u, const uint8_t *data, size_t size);
/* Can perf_unpack_some() give more? NULL: no. */
bool perf_unpack_pending(const struct perf_unpack *u);
/* Fills @out as far as it can. 0; -EBADMSG damaged, or more than PERF_PLAIN_MAX of a piece, or
 * than PERF_GROWTH_MAX of all.
 */
int perf_unpack_some(struct perf_unpack *u, uint8_t *out, size_t size,
		     size_t *got) __must_check;
void perf_unpack_free(struct perf_unpack *u);

#endif

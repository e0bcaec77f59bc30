/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * import: decompresses the records of a perf.data file.
 * In: their contents, which are pieces of one zstd stream. Out: the records in them, in
 * pieces of any size.
 */
#ifndef KMEMX_IMPORT_PERF_UNPACK_H
#define KMEMX_IMPORT_PERF_UNPACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/compiler.h"

/* The largest size of a decompressed piece; perf's have at most one ring's content. */
#define PERF_PLAIN_MAX	(64U << 20)
/* The largest ratio of decompressed to compressed bytes of all pieces, beyond the first
 * PERF_PLAIN_MAX. Samples grow by a factor of 10 to 30.
 */
#define PERF_GROWTH_MAX 200U

struct perf_unpack;

/* 0; -ENOTSUP if zstd is not built in; -ENOMEM. */
int perf_unpack_new(struct perf_unpack **out) __must_check;
/* Sets the next piece, borrowed from the caller until nothing is pending. */
void perf_unpack_feed(struct perf_unpack *u, const uint8_t *data, size_t size);
/* Can perf_unpack_some() return more? NULL: no. */
bool perf_unpack_pending(const struct perf_unpack *u);
/* Fills @out as far as possible. 0; -EBADMSG if damaged, or beyond PERF_PLAIN_MAX for a piece or
 * PERF_GROWTH_MAX for all.
 */
int perf_unpack_some(struct perf_unpack *u, uint8_t *out, size_t size,
		     size_t *got) __must_check;
void perf_unpack_free(struct perf_unpack *u);

#endif

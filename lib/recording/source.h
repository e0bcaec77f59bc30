/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * recording: a source of bytes, so that every reader also works on memory.
 * In: a descriptor or a memory range. Out: exact positioned reads.
 */
#ifndef KMEMX_RECORDING_SOURCE_H
#define KMEMX_RECORDING_SOURCE_H

#include "base/compiler.h"

/**
 * struct source - a byte source of known size
 * @ops: how it reads
 * @ctx: owned by the source
 * @size: bytes; reads beyond it fail
 */
struct source {
	const struct source_ops *ops;
	void *ctx;
	uint64_t size;
};

struct source_ops {
	/* Exactly @size bytes at @offset (in range): 0 or -errno. */
	int (*read)(void *ctx, void *buf, size_t size, uint64_t offset);
	void (*close)(void *ctx);
	/* The first byte from @offset on that is not in a hole; NULL: there are no holes. */
	uint64_t (*next_data)(void *ctx, uint64_t offset);
};

/* Takes ownership of a descriptor of a regular file, which is closed with the source. -ENODEV,
 * -EISDIR.
 */
int source_open_fd(struct source *src, int fd) __must_check;
/* Reads from @data, which the caller owns and which must outlive the source. */
void source_open_memory(struct source *src, const void *data, size_t size);
/* Exactly @size bytes at @offset: 0; -ENODATA past the end; -EIO and others from below. */
int source_read(const struct source *src, void *buf, size_t size,
		uint64_t offset) __must_check;
/**
 * source_next_data() - skip a hole
 *
 * Holes read as zeros, and a file of a few kilobytes may have terabytes of them: code that walks
 * through a range asks here first, instead of reading zeros.
 *
 * Return: the first offset from @offset on that is not known to be in a hole, at most the
 * source's size.
 */
uint64_t source_next_data(const struct source *src, uint64_t offset);
void source_close(struct source *src);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * recording (internal): zstd and zlib, bounded.
 * In: a compressed block of a recording. Out: its bytes, in memory that grows only with the bytes
 * that the block really contains.
 */
#ifndef KMEMX_RECORDING_COMPRESS_H
#define KMEMX_RECORDING_COMPRESS_H

#include "base/unpack.h"
#include "recording/recording.h"

/* A buffer that is reused from block to block; zero-initialise it, free(@data). */
struct decompressed {
	uint8_t *data;
	size_t size;
	size_t capacity;
};

/**
 * struct decompress_input - a compressed block
 * @cut: its end is missing
 * @expected: the uncompressed size that the file claims; 0 if it does not say (trace-cmd
 *	3.3.1 on big endian wrote 0 everywhere). A hint only.
 * @limit: the most bytes that it may become
 */
struct decompress_input {
	enum recording_compression kind;
	bool cut;
	const void *data;
	size_t size;
	size_t expected;
	size_t limit;
};

/**
 * decompress_block() - decompress one block into @out
 * @u: reused for all blocks of a file; NULL at first. unpacker_free() it
 *
 * Return: 0, for a cut block with what can be recovered, maybe nothing; -EBADMSG damaged; -E2BIG
 * more than @limit; -ENOTSUP not built in; -ENOMEM.
 */
int decompress_block(struct unpacker **u, const struct decompress_input *in,
		     struct decompressed *out) __must_check;

/**
 * decompress_frame_size() - where does the compressed block at @data end?
 *
 * For blocks whose size is not in the file. Return: its size in bytes; 0 if the block does not end
 * within @size bytes, or this is unknown.
 */
size_t decompress_frame_size(enum recording_compression kind, const void *data,
			     size_t size);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * recording (internal): the bytes of one CPU's pages, a block at a time.
 * In: where a CPU's pages lie in the file. Out: blocks of them, read or decompressed.
 */
#ifndef KMEMX_RECORDING_BLOCK_READER_H
#define KMEMX_RECORDING_BLOCK_READER_H

#include "recording/compress.h"
#include "recording/recording.h"

#define BLOCK_MAX_TROUBLE 2

/* A compressed chunk may claim at most this many bytes, compressed or not. */
#define BLOCK_MAX_CHUNK (64U << 20)

/* What is wrong with a part of the file. */
struct block_trouble {
	uint64_t offset;
	const char *what; /* a literal */
};

/**
 * struct block - consecutive pages; zero-initialise it, free(@bytes.data)
 * @offset: in the file, of the pages or of their compressed chunk
 * @packed: compressed bytes that it was made of; 0: it was not compressed
 * @cut: the rest of its chunk is missing
 * @trouble: the text for a message about it, also if there is no block
 */
struct block {
	struct decompressed bytes;
	uint64_t offset;
	uint64_t packed;
	bool cut;
	struct block_trouble trouble[BLOCK_MAX_TROUBLE];
	unsigned int nr_trouble;
};

/**
 * struct block_reader - what is left to read of one CPU
 * @pos, @end: in the file
 * @chunks: compressed: chunks left
 * @uncounted: their number is not known
 */
struct block_reader {
	const struct recording *rec;
	const struct recording_buffer *buf;
	uint64_t pos, end;
	uint32_t chunks;
	bool uncounted;
	size_t block_size; /* uncompressed: read at once */
	size_t chunk_limit;
	struct decompressor d;
	uint8_t *input; /* a compressed chunk */
	size_t input_capacity;
};

/**
 * block_reader_init() - start at the CPU's first page
 *
 * @rec must outlive it. False: the file ends within the number of chunks; there is nothing to read.
 */
bool block_reader_init(struct block_reader *br, const struct recording *rec,
		       const struct recording_buffer *buf,
		       const struct recording_cpu *cpu) __must_check;

/**
 * block_reader_next() - read the next pages into @block, reusing its memory
 *
 * Touches nothing but @br and @block: another thread may call it.
 *
 * Return: 1; 0 at the end; -EBADMSG if a chunk is damaged, the next call continues after it; -EIO,
 * -ENOMEM.
 */
int block_reader_next(struct block_reader *br, struct block *block) __must_check;

/* Continues with the last few sub-buffers: the last two chunks, or the last four pages. */
void block_reader_skip_to_tail(struct block_reader *br);
void block_reader_free(struct block_reader *br);

#endif

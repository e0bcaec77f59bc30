/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * recording (internal): buffered sequential reads over a range of a byte source.
 * In: a source, a range, a byte order. Out: integers, strings, texts, or a sticky error.
 */
#ifndef KMEMX_RECORDING_READER_H
#define KMEMX_RECORDING_READER_H

#include "recording/source.h"

#define READER_WINDOW	4096U
/* Names (of systems, buffers, clocks) are never longer than this, NUL included. */
#define READER_MAX_NAME 1024
/* No text is larger: kallsyms has 5 to 20 MB. */
#define READER_MAX_TEXT (256U << 20)

/**
 * struct reader - the position in the range; nothing to free
 * @pos: next byte
 * @end: of the range, inside the source
 * @err: sticky: the first failure. Later reads give 0 or NULL
 */
struct reader {
	const struct source *src;
	uint64_t pos, end;
	bool big_endian;
	int err;
	uint64_t window_at;
	size_t window_size;
	uint8_t window[READER_WINDOW];
};

/* Clips [@pos, @end) to the source's size. */
void reader_init(struct reader *r, const struct source *src, uint64_t pos, uint64_t end,
		 bool big_endian);
static inline uint64_t reader_left(const struct reader *r)
{
	return r->err ? 0 : r->end - r->pos;
}
/* Exactly @size bytes; on failure @buf is zeroed. */
void reader_bytes(struct reader *r, void *buf, size_t size);
/* An unsigned integer of @size bytes. */
uint64_t reader_uint(struct reader *r, unsigned int size);
static inline uint16_t reader_u16(struct reader *r)
{
	return (uint16_t)reader_uint(r, 2);
}

static inline uint32_t reader_u32(struct reader *r)
{
	return (uint32_t)reader_uint(r, 4);
}

static inline uint64_t reader_u64(struct reader *r)
{
	return reader_uint(r, 8);
}

/* A NUL-terminated name; the caller frees it. NULL on failure. */
char *reader_name(struct reader *r);
/* @size bytes with a NUL added, allocated only if they are really there. */
char *reader_text(struct reader *r, uint64_t size);
/* Are the next bytes those of @tag (@size bytes, NUL included)? Consumes them. */
bool reader_tag(struct reader *r, const char *tag, size_t size);
void reader_skip(struct reader *r, uint64_t size);

#endif

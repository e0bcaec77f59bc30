/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * base: bounded reads of foreign-endian integers from untrusted bytes.
 * In: a pointer, a length, a byte order. Out: host integers, or a sticky failure.
 */
#ifndef KMEMX_BASE_BYTES_H
#define KMEMX_BASE_BYTES_H

#include <endian.h>

#include "base/compiler.h"

/* This machine's byte order. */
#if __BYTE_ORDER == __BIG_ENDIAN
#define HOST_BIG_ENDIAN true
#else
#define HOST_BIG_ENDIAN false
#endif

/**
 * range_ok() - does [off, off + len) lie inside [0, size)? Never overflows.
 */
static inline bool range_ok(uint64_t off, uint64_t len, uint64_t size)
{
	return len <= size && off <= size - len;
}

/* Unchecked reads through memcpy: the caller has checked the range. */
static inline uint16_t get_u16(const void *p, bool big_endian)
{
	uint16_t v;

	memcpy(&v, p, sizeof(v));
	return big_endian ? be16toh(v) : le16toh(v);
}

static inline uint32_t get_u32(const void *p, bool big_endian)
{
	uint32_t v;

	memcpy(&v, p, sizeof(v));
	return big_endian ? be32toh(v) : le32toh(v);
}

static inline uint64_t get_u64(const void *p, bool big_endian)
{
	uint64_t v;

	memcpy(&v, p, sizeof(v));
	return big_endian ? be64toh(v) : le64toh(v);
}

/**
 * get_uint() - an unsigned integer of 1, 2, 4 or 8 bytes; any other size gives 0
 */
static inline uint64_t get_uint(const void *p, unsigned int size, bool big_endian)
{
	switch (size) {
	case 1:
		return *(const uint8_t *)p;
	case 2:
		return get_u16(p, big_endian);
	case 4:
		return get_u32(p, big_endian);
	case 8:
		return get_u64(p, big_endian);
	default:
		return 0;
	}
}

/* Writes the lowest @size bytes of @v to @p. */
static inline void set_uint(uint8_t *p, uint64_t v, unsigned int size, bool big_endian)
{
	for (unsigned int i = 0; i < size; i++)
		p[i] = (uint8_t)(v >> 8 * (big_endian ? size - 1 - i : i));
}

/**
 * struct byte_reader - sequential bounded reads over a byte range
 *
 * A read past the end sets @failed, returns 0 or NULL, and so does every later read:
 * check once, after a group of reads.
 */
struct byte_reader {
	const uint8_t *p;
	const uint8_t *end;
	bool big_endian;
	bool failed;
};

static inline struct byte_reader byte_reader(const void *p, size_t size, bool big_endian)
{
	return (struct byte_reader){ p, (const uint8_t *)p + size, big_endian, false };
}

static inline size_t byte_reader_left(const struct byte_reader *r)
{
	return r->failed ? 0 : (size_t)(r->end - r->p);
}

/* The next @len bytes, which stay owned by the underlying range; NULL past the end. */
static inline const uint8_t *byte_reader_skip(struct byte_reader *r, uint64_t len)
{
	const uint8_t *p = r->p;

	if (r->failed || len > (uint64_t)(r->end - r->p)) {
		r->failed = true;
		return NULL;
	}
	r->p += len;
	return p;
}

static inline uint64_t byte_reader_uint(struct byte_reader *r, unsigned int size)
{
	const uint8_t *p = byte_reader_skip(r, size);

	return p ? get_uint(p, size, r->big_endian) : 0;
}

static inline uint16_t byte_reader_u16(struct byte_reader *r)
{
	return (uint16_t)byte_reader_uint(r, 2);
}

static inline uint32_t byte_reader_u32(struct byte_reader *r)
{
	return (uint32_t)byte_reader_uint(r, 4);
}

static inline uint64_t byte_reader_u64(struct byte_reader *r)
{
	return byte_reader_uint(r, 8);
}

/* A NUL-terminated string inside the range, NUL consumed; NULL if no NUL is left. */
static inline const char *byte_reader_string(struct byte_reader *r)
{
	const uint8_t *nul = r->failed ? NULL : memchr(r->p, 0, (size_t)(r->end - r->p));

	if (!nul) {
		r->failed = true;
		return NULL;
	}
	return (const char *)byte_reader_skip(r, (uint64_t)(nul - r->p) + 1);
}

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * recording: the walk over one ring-buffer page.
 * In: a checked sub-buffer. Out: event records with absolute time stamps.
 *
 * Format: include/linux/ring_buffer.h and kernel/trace/ring_buffer.c of the kernel; the
 * event header is type_len:5, time_delta:27 (low bits first on little endian, the top five
 * bits are type_len on big endian).
 */
#ifndef KMEMX_RECORDING_SUBBUF_H
#define KMEMX_RECORDING_SUBBUF_H

#include "base/bytes.h"

#define SUBBUF_MISSED_UNKNOWN UINT64_MAX

/* The commit word, from kernel/trace/ring_buffer.c (RB_MISSED_EVENTS, RB_MISSED_STORED). */
#define SUBBUF_COMMIT_MISSED (1U << 31)
#define SUBBUF_COMMIT_STORED (1U << 30)

/**
 * struct subbuf - one sub-buffer whose claims have been checked against its real size
 * @data: first event header
 * @size: bytes of events (the commit word's low bits, clipped to what is there)
 * @ts: the page's time stamp, in the buffer's clock units
 * @missed: events lost before this page: 0, their number, or SUBBUF_MISSED_UNKNOWN
 * @file_offset: of the page (of its chunk, where compressed), for messages
 * @truncated: the commit word claimed more than the page holds
 */
struct subbuf {
	const uint8_t *data;
	uint32_t size;
	uint64_t ts;
	uint64_t missed;
	uint64_t file_offset;
	bool truncated;
};

/* An event as the ring buffer holds it; @data points into the sub-buffer. */
struct raw_record {
	uint64_t ts;
	const uint8_t *data; /* starts with the common fields */
	uint32_t size;	     /* may include padding, usually up to 3 bytes */
};

struct subbuf_iter {
	const uint8_t *p;
	const uint8_t *end;
	uint64_t ts;
	uint64_t page_ts;
	bool big_endian;
};

static __always_inline struct subbuf_iter subbuf_iter(const struct subbuf *sb,
						      bool big_endian)
{
	return (struct subbuf_iter){ sb->data, sb->data + sb->size, sb->ts, sb->ts,
				     big_endian };
}

enum subbuf_type_len {
	SUBBUF_DATA_LONG = 0, /* a u32 length follows */
	SUBBUF_DATA_MAX = 28, /* 1..28: words of data */
	SUBBUF_PADDING = 29,
	SUBBUF_TIME_EXTEND = 30,
	SUBBUF_TIME_STAMP = 31,
};

/**
 * subbuf_iter_next() - the next event record
 *
 * Skips padding and time records. Never reads outside the sub-buffer, whatever the
 * lengths in it claim.
 *
 * Return: 1 and @rec; 0 at the end; -EBADMSG if an event's length exceeds the page (the rest of the
 * page is unreadable; the next call says 0).
 */
static __always_inline int subbuf_iter_next(struct subbuf_iter *it,
					    struct raw_record *rec)
{
	uintptr_t data;

	/* Integers may go beyond the end, pointers may not. */
	while ((data = (uintptr_t)it->p + 4) <= (uintptr_t)it->end) {
		uint32_t head = get_u32(it->p, it->big_endian);
		uint32_t type_len = it->big_endian ? head >> 27 : head & 31;
		uint32_t delta = it->big_endian ? head & 0x7ffffff : head >> 5;
		uint32_t word, len;
		size_t left;

		if (likely(type_len - 1 < SUBBUF_DATA_MAX)) {
			len = type_len * 4;
			if (unlikely(data + len > (uintptr_t)it->end))
				goto bad;
			it->ts += delta;
			*rec = (struct raw_record){ it->ts, (const uint8_t *)data, len };
			it->p = (const uint8_t *)(data + len);
			return 1;
		}
		left = (size_t)(it->end - it->p);
		if (unlikely(left < 8)) {
			if (type_len == SUBBUF_PADDING)
				return 0;
			goto bad;
		}
		word = get_u32(it->p + 4, it->big_endian);
		switch (type_len) {
		case SUBBUF_DATA_LONG:
			/* The length counts its own four bytes; records are aligned to 4. */
			if (word < 4 || word > left - 4)
				goto bad;
			it->ts += delta;
			*rec = (struct raw_record){ it->ts, it->p + 8, word - 4 };
			it->p += 4 + ((word + 3) & ~3U);
			it->p = SMALLER(it->p, it->end);
			return 1;
		case SUBBUF_PADDING:
			if (!delta) /* nothing but padding up to the page's end */
				return 0;
			if (word > left - 4)
				goto bad;
			it->ts += delta;
			it->p += 4 + ((word + 3) & ~3U);
			it->p = SMALLER(it->p, it->end);
			break;
		case SUBBUF_TIME_EXTEND:
			it->ts += ((uint64_t)word << 27) + delta;
			it->p += 8;
			break;
		default: /* SUBBUF_TIME_STAMP: 59 bits, the top five stay the page's */
			it->ts = (((uint64_t)word << 27) + delta) |
				 (it->page_ts & (31ULL << 59));
			it->p += 8;
			break;
		}
	}
	return 0;
bad:
	it->p = it->end;
	return -EBADMSG;
}

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * event: raw records as struct kmem_event.
 * In: records and their formats. Out: the events' fields, widened to 64 bits.
 */
#ifndef KMEMX_EVENT_DECODE_H
#define KMEMX_EVENT_DECODE_H

#include <pthread.h>

#include "base/bytes.h"
#include "base/hash.h"
#include "event/event.h"
#include "event/formats.h"
#include "recording/subbuf.h"

#define DECODER_NAME_SLOTS 1024U

/* The longest cache name that is compared in words: longer ones are rare. */
#define DECODER_NAME_MAX 24U

/**
 * struct decoder_name - a cache name, as found in a record
 * @loc: the record's __data_loc word; 0: unused
 * @end: end of the name: records are at least as long
 * @at: offsets of the words that cover it, which may overlap; @mask: for the words of short names
 */
struct decoder_name {
	uint32_t loc, end;
	uint32_t id;
	uint16_t at[3];
	uint64_t mask, words[3];
};

/**
 * struct decoder - what decoding needs in addition to the record
 * @formats: by id, for all possible ids; NULL: no such event
 * @page_base, @page_stride: kernels before 4.1 record a struct page pointer; its distance from the
 *	base (modulo 2^64) divided by the stride, the bytes of a struct page (not 0), grows by one
 *	from page to page, like frame numbers
 * @page_size: bytes of a page; @nr_cpus: each has its copy of per-CPU memory
 * @account: the GFP flag that asks to charge an allocation to a control group; 0: none
 * @brief: gfp_flags, node and accounted of slab allocations are not wanted: plain formats leave
 *	them undefined
 * @names: cache names seen, each given a number
 * @lock: held while names or callchains are added and looked up; may be NULL
 * @recent: short cuts from a name's bytes to its number, by the event's callsite: nearly every
 *	callsite uses one cache
 */
struct decoder {
	const struct event_format *const *formats;
	struct event_common common;
	bool big_endian, brief;
	uint64_t account;
	uint64_t page_base;
	uint32_t page_stride;
	uint32_t page_size, nr_cpus;
	struct intern names;
	pthread_mutex_t *lock;
	struct decoder_name recent[DECODER_NAME_SLOTS];
};

/* An event as found in its sub-buffer, with the number of the stack that followed it. Laid out like
 * the start of struct kmem_event.
 */
struct raw_item {
	uint64_t ts;
	const uint8_t *data; /* at least the common fields; NULL: a loss */
	uint32_t size;	     /* with RAW_BAD */
	uint32_t stack;
};

/* The record's format is unknown, or the record is too short for it. Fits into .size: no record is
 * that long.
 */
#define RAW_BAD (1U << 31)

/**
 * decode_events() - decode records
 * @evs: @nr of them, of which the caller has filled in time, record, stack, CPU and buffer
 * @nr_bad: increased for each name that points outside of its record; that event lacks only the
 *	name
 *
 * A RAW_BAD record becomes a KMEM_OTHER, without RAW_BAD in its size. Return: 0; -ENOMEM.
 */
int decode_events(struct decoder *dec, struct kmem_event *evs, size_t nr,
		  uint64_t *nr_bad) __must_check;

/* The number of these bytes in @in, to which they are added if need be; 0 if memory ran out.
 * Another thread may look up numbers under @dec->lock.
 */
uint32_t decoder_number(struct decoder *dec, struct intern *in, const void *data,
			size_t size);

/**
 * decode_stack_here() - a kernel_stack record's frames where they are
 * @nr: receives their number, including those that decode_stack() drops
 *
 * Return: the frames, not aligned; NULL where they are not this machine's 64-bit words.
 */
static inline const uint8_t *decode_stack_here(const struct event_format *fmt,
					       const uint8_t *data, uint32_t size,
					       uint32_t *nr)
{
	const uint32_t offset = fmt->fields[STACK_CALLER].offset;
	uint32_t there = size > offset ? (size - offset) / 8 : 0;
	int32_t claimed;

	if (unlikely(!fmt->plain))
		return NULL;
	claimed =
		(int32_t)get_u32(data + fmt->fields[STACK_SIZE].offset, HOST_BIG_ENDIAN);
	*nr = claimed < (int32_t)there ? (uint32_t)claimed : there;
	return claimed > 0 ? data + offset : NULL;
}

/**
 * decode_stack() - widen a kernel_stack record's frames
 * @frames: receives at most @max frames
 *
 * The number of frames is the record's size field, bounded by the record itself. A frame of
 * all ones, with which kernels before 5.3 ended a stack, ends it, and so do zeros up to the
 * last frame; a zero before other frames is one that the unwinder did not find (ppc64el).
 *
 * Return: the number of frames.
 */
uint32_t decode_stack(const struct decoder *dec, const struct event_format *fmt,
		      const struct raw_record *rec, uint64_t *frames, uint32_t max);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * event: raw records as struct kmem_event.
 * In: records and their formats. Out: the events' fields, widened to 64 bits.
 */
#ifndef KMEMX_EVENT_DECODE_H
#define KMEMX_EVENT_DECODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/bytes.h"
#include "base/hash.h"
#include "event/event.h"
#include "event/formats.h"
#include "recording/subbuf.h"

#define DECODER_NAME_SLOTS 256U

/* A cache name of at most 16 bytes, as it stood in a record. */
struct decoder_name {
	uint64_t low, high;
	uint32_t size; /* 0: unused */
	uint32_t id;
};

/**
 * struct decoder - what decoding needs besides the record
 * @page_base, @page_stride: kernels before 4.1 record a page's pointer; its distance from
 *	the base (modulo 2^64), over the bytes of a struct page (not 0), counts on by one
 *	from page to page, as frame numbers do
 * @names: cache names seen, each given a number
 * @recent: short cuts from a name's bytes to its number
 */
struct decoder {
	struct event_common common;
	bool big_endian;
	uint64_t page_base;
	uint32_t page_stride;
	struct intern names;
	struct decoder_name recent[DECODER_NAME_SLOTS];
};

/* An event as found in its sub-buffer, with the number of the stack that followed it. */
struct raw_item {
	uint64_t ts;
	const uint8_t *data; /* at least the common fields; NULL: a loss */
	uint32_t size;
	uint32_t stack;
};

/**
 * decode_items() - fill in what records say
 * @formats: of every possible id; NULL where there is none
 * @items, @evs: @nr of each; the caller fills in the events' cpu and buffer, and what a
 *		 loss says
 * @nr_bad: counted up for each name that points outside of its record, whose event is
 *	    complete but for the name
 *
 * A record without a format, or too short for it, becomes a KMEM_OTHER.
 * Return: 0; -ENOMEM.
 */
int decode_items(struct decoder *dec, const struct event_format *const *formats,
		 const struct raw_item *const *items, size_t nr, struct kmem_event *evs,
		 uint64_t *nr_bad) __must_check;

/**
 * decode_stack_here() - a kernel_stack record's frames where they are
 * @nr: receives their number, with those that decode_stack() would leave away
 *
 * Return: the frames, not aligned; NULL where they are not this machine's 64-bit words.
 */
const uint8_t *decode_stack_here(const struct decoder *dec,
				 const struct event_format *fmt, const uint8_t *data,
				 uint32_t size, uint32_t *nr);

/**
 * decode_stack() - widen a kernel_stack record's frames
 * @frames: receives at most @max frames
 *
 * The number of frames is the record's size field, bounded by the record itself. A frame of
 * all ones, with which kernels before 5.3 ended a stack, ends it, and so do zeros up to the
 * last frame; a zero before other frames is one that the unwinder could not tell (ppc64el).
 *
 * Return: the number of frames.
 */
uint32_t decode_stack(const struct decoder *dec, const struct event_format *fmt,
		      const struct raw_record *rec, uint64_t *frames, uint32_t max);

#endif

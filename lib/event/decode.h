/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * event: one raw record as a struct kmem_event.
 * In: a record and its format. Out: the event's fields, widened to 64 bits.
 */
#ifndef KMEMX_EVENT_DECODE_H
#define KMEMX_EVENT_DECODE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/bytes.h"
#include "base/hash.h"
#include "event/event.h"
#include "event/formats.h"

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

/**
 * decode_event() - fill in what the record says
 * @fmt: its format; the caller has checked that @size is at least fmt->min_size
 * @ev: receives pid, flags, id, type, data, size and the fields; the rest is the caller's
 *
 * Return: 0; -EBADMSG where a name points outside of the record (the event is complete but
 * for its name); -ENOMEM.
 */
int decode_event(struct decoder *dec, const struct event_format *fmt, const uint8_t *data,
		 uint32_t size, struct kmem_event *ev) __must_check;

/**
 * decode_stack() - widen a kernel_stack record's frames
 * @frames: receives at most @max frames
 *
 * The number of frames is the record's size field, bounded by the record itself; a frame
 * of 0 or all ones, with which kernels before 5.3 filled up, ends the stack.
 *
 * Return: the number of frames.
 */
uint32_t decode_stack(const struct decoder *dec, const struct event_format *fmt,
		      const uint8_t *data, uint32_t size, uint64_t *frames, uint32_t max);

#endif

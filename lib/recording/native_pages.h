/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * recording: makes sub-buffers of events, as a 64-bit kernel of this byte order would.
 * In: one CPU's records with their times. Out: whole sub-buffers in a file, for writer.h.
 */
#ifndef KMEMX_RECORDING_NATIVE_PAGES_H
#define KMEMX_RECORDING_NATIVE_PAGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/compiler.h"
#include "recording/subbuf_writer.h"

/* Bytes of a sub-buffer, of its commit word, and where its events begin. */
#define NATIVE_PAGES_SIZE      4096U
#define NATIVE_PAGES_LONG_SIZE 8U
#define NATIVE_PAGES_DATA      16U
/* The longest record that fits into a sub-buffer: two words are header, two a time extend, and one
 * word is the number of events lost before it.
 */
#define NATIVE_PAGES_MAX_EVENT (NATIVE_PAGES_SIZE - NATIVE_PAGES_DATA - 24U)

/* The texts that describe these sub-buffers. */
extern const char native_pages_header_page[];
extern const char native_pages_header_event[];

/**
 * struct native_pages - one CPU's sub-buffers
 * @bytes: in the file after native_pages_finish(), a multiple of the sub-buffer's size
 */
struct native_pages {
	struct subbuf_writer pages;
	uint64_t bytes;
};

/* @fd: the part's file, filled with whole sub-buffers from its start; stays the caller's. */
int native_pages_init(struct native_pages *w, int fd) __must_check;

/**
 * native_pages_event() - append a record
 * @data: begins with the common fields; padded to words
 * @size: at most NATIVE_PAGES_MAX_EVENT
 *
 * Time may run backwards: that starts a new sub-buffer. Return: 0; -E2BIG; -errno of write(2).
 */
int native_pages_event(struct native_pages *w, uint64_t ts, const void *data,
		       size_t size) __must_check;
/* Events were lost before the next one: their number, or SUBBUF_MISSED_UNKNOWN. */
void native_pages_loss(struct native_pages *w, uint64_t missed);
/* Writes the pending sub-buffer. 0 or -errno. */
int native_pages_finish(struct native_pages *w) __must_check;
void native_pages_free(struct native_pages *w);

#endif

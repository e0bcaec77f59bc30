/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * recording: makes sub-buffers of events, as a 64-bit kernel of this byte order would.
 * In: one CPU's records with their times. Out: whole sub-buffers in a file, for writer.h.
 */
#ifndef KMEMX_RECORDING_PAGE_WRITER_H
#define KMEMX_RECORDING_PAGE_WRITER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/compiler.h"
#include "recording/part_pages.h"

/* Bytes of a sub-buffer, of its commit word, and where its events begin. */
#define PAGE_WRITER_PAGE_SIZE 4096U
#define PAGE_WRITER_LONG_SIZE 8U
#define PAGE_WRITER_DATA      16U
/* A longer record has no room in a sub-buffer: two words of header, two of a time extend,
 * and a word for the number of the events lost before it.
 */
#define PAGE_WRITER_MAX_EVENT (PAGE_WRITER_PAGE_SIZE - PAGE_WRITER_DATA - 24U)

/* The texts that describe these sub-buffers. */
extern const char page_writer_header_page[];
extern const char page_writer_header_event[];

/**
 * struct page_writer - one CPU's sub-buffers
 * @bytes: in the file after page_writer_finish(), a multiple of the sub-buffer's size
 */
struct page_writer {
	struct part_pages pages;
	uint64_t bytes;
};

/* @fd: of the part, that whole sub-buffers fill from its start; stays the caller's. */
int page_writer_init(struct page_writer *w, int fd) __must_check;

/**
 * page_writer_event() - append a record
 * @data: begins with the common fields; padded to words
 * @size: at most PAGE_WRITER_MAX_EVENT
 *
 * Time may run backwards: a new sub-buffer says so. Return: 0; -E2BIG; -errno of write(2).
 */
int page_writer_event(struct page_writer *w, uint64_t ts, const void *data,
		      size_t size) __must_check;
/* Events were lost before the next one: their number, or SUBBUF_MISSED_UNKNOWN. */
void page_writer_loss(struct page_writer *w, uint64_t missed);
/* Writes what waits. 0 or -errno. */
int page_writer_finish(struct page_writer *w) __must_check;
void page_writer_free(struct page_writer *w);

#endif

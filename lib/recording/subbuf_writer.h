/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * recording: ring-buffer pages made of event records.
 * In: records of one CPU, or whole sub-buffers. Out: pages as the kernel writes them, in a
 * file.
 *
 * Format: recording/subbuf.h.
 */
#ifndef KMEMX_RECORDING_SUBBUF_WRITER_H
#define KMEMX_RECORDING_SUBBUF_WRITER_H

#include "base/strbuf.h"
#include "recording/recording.h"
#include "recording/subbuf.h"

/**
 * struct subbuf_writer - subbuf_writer_init() it
 * @missed: events lost before the next record: 0, their number, SUBBUF_MISSED_UNKNOWN
 * @offset: where the next page goes in @fd
 */
struct subbuf_writer {
	const struct page_layout *layout;
	bool big_endian;
	uint32_t page_size;
	int fd;
	uint64_t offset;
	uint64_t missed;
	/* The page that is being filled */
	uint8_t *page;
	uint32_t used;
	uint64_t page_ts, last_ts;
	bool open;
	uint64_t page_missed;
	struct strbuf pages; /* full pages, not yet written */
};

/* For pages of @page_size bytes. @layout outlives @pw. 0; -EINVAL if no event has room in
 * such a page; -ENOMEM.
 */
int subbuf_writer_init(struct subbuf_writer *pw, const struct page_layout *layout,
		       bool big_endian, uint32_t page_size) __must_check;
/* Pages are appended to @fd from @offset on; call it before the first record. */
void subbuf_writer_to(struct subbuf_writer *pw, int fd, uint64_t offset);
/* Adds to the events lost before the next record. */
void subbuf_writer_lost(struct subbuf_writer *pw, uint64_t missed);
/**
 * subbuf_writer_add() - append a record
 * @rec: must fit a page; its time stamp is kept
 * @long_form: with a length word, whatever its length (subbuf_has_long_form())
 *
 * A page's first record gives it its time stamp. Return: 0; -EINVAL the record fits no page; -errno
 * of the write.
 */
int subbuf_writer_add(struct subbuf_writer *pw, const struct raw_record *rec,
		      bool long_form) __must_check;
/* Appends a whole sub-buffer unchanged. 0; -errno of the write. */
int subbuf_writer_copy(struct subbuf_writer *pw, const struct subbuf *sb) __must_check;
/* Writes what is left; a loss after the last record gets an empty page, of time @ts. */
int subbuf_writer_finish(struct subbuf_writer *pw, uint64_t ts) __must_check;
void subbuf_writer_free(struct subbuf_writer *pw);

/* Does every record of @sb have a length word, as on machines that align data to eight bytes? */
bool subbuf_has_long_form(const struct subbuf *sb, bool big_endian);

/* Bytes that a sub-buffer may need besides a record: header (8), time extend (8), and the number of
 * events lost before it (8).
 */
#define SUBBUF_BESIDE_RECORD 24U

/* Bytes of a sub-buffer, of its commit word, and where its events begin. */
#define NATIVE_PAGES_SIZE      4096U
#define NATIVE_PAGES_LONG_SIZE 8U
#define NATIVE_PAGES_DATA      16U
/* The longest record that fits into such a sub-buffer. */
#define NATIVE_PAGES_MAX_EVENT \
	(NATIVE_PAGES_SIZE - NATIVE_PAGES_DATA - SUBBUF_BESIDE_RECORD)

/* The layout and the headers of these sub-buffers. */
extern const struct page_layout native_pages_layout;
extern const char native_pages_header_page[];
extern const char native_pages_header_event[];

#endif

// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * recording: makes sub-buffers of events.
 * In: one CPU's records with their times. Out: whole sub-buffers in a file.
 *
 * Format: see subbuf.h, which reads it.
 */
#include "recording/page_writer.h"

#include <endian.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/io.h"
#include "recording/subbuf.h"

#define BLOCK_PAGES   16U
#define COMMIT_MISSED (1U << 31) /* RB_MISSED_EVENTS of kernel/trace/ring_buffer.c */
#define COMMIT_STORED (1U << 30)
#define DELTA_BITS    27

const char page_writer_header_page[] =
	"\tfield: u64 timestamp;\toffset:0;\tsize:8;\tsigned:0;\n"
	"\tfield: local_t commit;\toffset:8;\tsize:8;\tsigned:1;\n"
	"\tfield: int overwrite;\toffset:8;\tsize:1;\tsigned:1;\n"
	"\tfield: char data;\toffset:16;\tsize:4080;\tsigned:0;\n";

const char page_writer_header_event[] = "# compressed entry header\n"
					"\ttype_len    :    5 bits\n"
					"\ttime_delta  :   27 bits\n"
					"\tarray       :   32 bits\n\n"
					"\tpadding     : type == 29\n"
					"\ttime_extend : type == 30\n"
					"\ttime_stamp : type == 31\n"
					"\tdata max type_len  == 28\n";

int page_writer_init(struct page_writer *w, int fd)
{
	*w = (struct page_writer){ .fd = fd };
	w->block = malloc(BLOCK_PAGES * PAGE_WRITER_PAGE_SIZE);
	return w->block ? 0 : -ENOMEM;
}

void page_writer_free(struct page_writer *w)
{
	free(w->block);
	w->block = NULL;
}

static int write_block(struct page_writer *w)
{
	size_t size = w->nr_full * PAGE_WRITER_PAGE_SIZE;
	int ret = io_pwrite_all(w->fd, w->block, size, w->written);

	w->written += size;
	w->nr_full = 0;
	return ret;
}

static uint8_t *current_page(const struct page_writer *w)
{
	return w->block + w->nr_full * PAGE_WRITER_PAGE_SIZE;
}

/* Room for events; a number of lost ones stands behind them. */
static uint32_t capacity(const struct page_writer *w)
{
	return PAGE_WRITER_PAGE_SIZE - PAGE_WRITER_DATA -
	       (w->marked ? PAGE_WRITER_LONG_SIZE : 0);
}

static int close_page(struct page_writer *w)
{
	uint8_t *page = current_page(w);
	uint64_t commit = w->used;

	if (!w->open)
		return 0;
	if (w->marked) {
		commit |= COMMIT_MISSED;
		if (w->missed != SUBBUF_MISSED_UNKNOWN) {
			commit |= COMMIT_STORED;
			memcpy(page + PAGE_WRITER_DATA + w->used, &w->missed, 8);
		}
		w->missed = 0;
	}
	memcpy(page, &w->page_ts, 8);
	memcpy(page + 8, &commit, 8);
	w->open = w->marked = false;
	return ++w->nr_full == BLOCK_PAGES ? write_block(w) : 0;
}

static void open_page(struct page_writer *w, uint64_t ts)
{
	memset(current_page(w), 0, PAGE_WRITER_PAGE_SIZE);
	w->used = 0;
	w->open = true;
	w->marked = w->missed != 0;
	w->page_ts = w->last_ts = ts;
	w->bytes += PAGE_WRITER_PAGE_SIZE;
}

static void put_word(struct page_writer *w, uint32_t word)
{
	memcpy(current_page(w) + PAGE_WRITER_DATA + w->used, &word, 4);
	w->used += 4;
}

/* The five bits of the type come first in the byte order's sense. */
static void put_header(struct page_writer *w, uint32_t type_len, uint32_t delta)
{
	if (__BYTE_ORDER == __BIG_ENDIAN)
		put_word(w, type_len << DELTA_BITS | delta);
	else
		put_word(w, delta << 5 | type_len);
}

int page_writer_event(struct page_writer *w, uint64_t ts, const void *data, size_t size)
{
	uint32_t padded = (uint32_t)((size + 3) & ~(size_t)3), need;
	uint64_t delta = ts - w->last_ts;
	int ret;

	if (!size || size > PAGE_WRITER_MAX_EVENT)
		return -E2BIG;
	need = padded + 4 + (padded > SUBBUF_DATA_MAX * 4 ? 4 : 0);
	if (w->open && (ts < w->last_ts || w->used + need + 8 > capacity(w) ||
			delta >> (DELTA_BITS + 32))) {
		ret = close_page(w);
		if (ret)
			return ret;
	}
	if (!w->open) {
		open_page(w, ts);
		delta = 0;
	}
	if (delta >> DELTA_BITS) {
		put_header(w, SUBBUF_TIME_EXTEND, delta & ((1U << DELTA_BITS) - 1));
		put_word(w, (uint32_t)(delta >> DELTA_BITS));
		delta = 0;
	}
	if (padded > SUBBUF_DATA_MAX * 4) {
		put_header(w, SUBBUF_DATA_LONG, (uint32_t)delta);
		put_word(w, padded + 4);
	} else {
		put_header(w, padded / 4, (uint32_t)delta);
	}
	memcpy(current_page(w) + PAGE_WRITER_DATA + w->used, data, size);
	w->used += padded;
	w->last_ts = ts;
	return 0;
}

int page_writer_loss(struct page_writer *w, uint64_t missed)
{
	int ret = close_page(w);

	/* Two losses without an event between them are one. */
	if (w->missed == SUBBUF_MISSED_UNKNOWN || missed == SUBBUF_MISSED_UNKNOWN ||
	    __builtin_add_overflow(w->missed, missed, &w->missed))
		w->missed = SUBBUF_MISSED_UNKNOWN;
	return ret;
}

int page_writer_finish(struct page_writer *w)
{
	int ret = close_page(w);

	return ret ? ret : write_block(w);
}

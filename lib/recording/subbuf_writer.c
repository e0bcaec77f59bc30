// SPDX-License-Identifier: GPL-2.0-or-later
#include "recording/subbuf_writer.h"

#include "base/io.h"

#define DELTA_BITS     27
#define EXTEND_BITS    59
#define FLUSH_SIZE     (64U << 10)
#define SHORT_FORM_MAX (SUBBUF_DATA_MAX * 4U)

static uint32_t capacity(const struct subbuf_writer *pw)
{
	return pw->page_size - pw->layout->data_offset;
}

int subbuf_writer_init(struct subbuf_writer *pw, const struct page_layout *layout,
		       bool big_endian, uint32_t page_size)
{
	*pw = (struct subbuf_writer){ .layout = layout,
				      .big_endian = big_endian,
				      .page_size = page_size,
				      .fd = -1 };
	if (page_size <= layout->data_offset)
		return -EINVAL;
	pw->page = calloc(1, page_size);
	return pw->page ? 0 : -ENOMEM;
}

void subbuf_writer_to(struct subbuf_writer *pw, int fd, uint64_t offset)
{
	pw->fd = fd;
	pw->offset = offset;
}

void subbuf_writer_free(struct subbuf_writer *pw)
{
	free(pw->page);
	strbuf_free(&pw->pages);
	*pw = (struct subbuf_writer){ 0 };
}

void subbuf_writer_lost(struct subbuf_writer *pw, uint64_t missed)
{
	if (missed == SUBBUF_MISSED_UNKNOWN ||
	    __builtin_add_overflow(pw->missed, missed, &pw->missed))
		pw->missed = SUBBUF_MISSED_UNKNOWN;
}

static int flush(struct subbuf_writer *pw)
{
	int ret = pw->pages.failed ? -ENOMEM : 0;

	if (!ret && pw->pages.size)
		ret = io_pwrite_all(pw->fd, pw->pages.data, pw->pages.size, pw->offset);
	pw->offset += pw->pages.size;
	strbuf_reset(&pw->pages);
	return ret;
}

static void start_page(struct subbuf_writer *pw, uint64_t ts)
{
	memset(pw->page, 0, pw->page_size);
	pw->used = 0;
	pw->page_ts = pw->last_ts = ts;
	pw->page_missed = pw->missed;
	pw->missed = 0;
	pw->open = true;
}

/* Fills in the page's header (time stamp, commit word) and, after the data, the number of lost
 * events.
 */
static int end_page(struct subbuf_writer *pw)
{
	const struct page_layout *l = pw->layout;
	uint64_t commit = pw->used;

	if (!pw->open)
		return 0;
	pw->open = false;
	if (pw->page_missed)
		commit |= SUBBUF_COMMIT_MISSED;
	if (pw->page_missed && pw->page_missed != SUBBUF_MISSED_UNKNOWN &&
	    capacity(pw) - pw->used >= l->long_size &&
	    (l->long_size == 8 || pw->page_missed <= UINT32_MAX)) {
		commit |= SUBBUF_COMMIT_STORED;
		set_uint(pw->page + l->data_offset + pw->used, pw->page_missed,
			 l->long_size, pw->big_endian);
	}
	set_uint(pw->page, pw->page_ts, 8, pw->big_endian);
	set_uint(pw->page + l->commit_offset, commit, l->long_size, pw->big_endian);
	strbuf_add(&pw->pages, pw->page, pw->page_size);
	return pw->pages.size >= FLUSH_SIZE || pw->pages.failed ? flush(pw) : 0;
}

static void put_word(struct subbuf_writer *pw, uint32_t word)
{
	word = pw->big_endian ? htobe32(word) : htole32(word);
	memcpy(pw->page + pw->layout->data_offset + pw->used, &word, sizeof(word));
	pw->used += 4;
}

static void put_head(struct subbuf_writer *pw, uint32_t type_len, uint64_t delta)
{
	uint32_t low = (uint32_t)(delta & ((1U << DELTA_BITS) - 1));

	put_word(pw, pw->big_endian ? type_len << DELTA_BITS | low : low << 5 | type_len);
}

static bool short_form_fits(const struct raw_record *rec)
{
	return rec->size && rec->size <= SHORT_FORM_MAX && !(rec->size % 4);
}

/* Bytes of the record with its headers, and with a time extend if it needs one. */
static uint64_t record_room(const struct raw_record *rec, bool long_form, uint64_t delta)
{
	return (delta >> DELTA_BITS ? 8U : 0U) + (long_form ? 8U : 4U) +
	       (((uint64_t)rec->size + 3) & ~3ULL);
}

static void put_record(struct subbuf_writer *pw, const struct raw_record *rec,
		       bool long_form, uint64_t delta)
{
	if (delta >> DELTA_BITS) {
		put_head(pw, SUBBUF_TIME_EXTEND, delta);
		put_word(pw, (uint32_t)(delta >> DELTA_BITS));
		delta = 0;
	}
	put_head(pw, long_form ? SUBBUF_DATA_LONG : rec->size / 4, delta);
	if (long_form)
		put_word(pw, rec->size + 4);
	memcpy(pw->page + pw->layout->data_offset + pw->used, rec->data, rec->size);
	pw->used += (rec->size + 3) & ~3U;
	pw->last_ts = rec->ts;
}

/* Room left for records; after them comes the number of events lost before. */
static uint32_t room_left(const struct subbuf_writer *pw)
{
	uint32_t left = capacity(pw) - pw->used;
	bool number = pw->page_missed && pw->page_missed != SUBBUF_MISSED_UNKNOWN;

	if (!number || !pw->used)
		return left;
	return less(left, pw->layout->long_size);
}

int subbuf_writer_add(struct subbuf_writer *pw, const struct raw_record *rec,
		      bool long_form)
{
	uint64_t delta = rec->ts - pw->last_ts;
	int ret;

	if (record_room(rec, !short_form_fits(rec), 0) > capacity(pw))
		return -EINVAL;
	if (!short_form_fits(rec))
		long_form = true;
	/* Time that runs backwards, or too far ahead, also begins a page. */
	if (!pw->open || pw->missed || rec->ts < pw->last_ts || delta >> EXTEND_BITS ||
	    record_room(rec, long_form, delta) > room_left(pw)) {
		ret = end_page(pw);
		if (ret)
			return ret;
		start_page(pw, rec->ts);
		delta = 0;
	}
	if (record_room(rec, long_form, 0) > capacity(pw) - pw->used)
		long_form = !short_form_fits(rec);
	put_record(pw, rec, long_form, delta);
	return 0;
}

int subbuf_writer_copy(struct subbuf_writer *pw, const struct subbuf *sb)
{
	int ret = end_page(pw);

	if (!ret && sb->size > capacity(pw))
		ret = -EINVAL;
	if (ret)
		return ret;
	start_page(pw, sb->ts);
	memcpy(pw->page + pw->layout->data_offset, sb->data, sb->size);
	pw->used = sb->size;
	return end_page(pw);
}

int subbuf_writer_finish(struct subbuf_writer *pw, uint64_t ts)
{
	int ret = end_page(pw);

	if (!ret && pw->missed) {
		start_page(pw, ts);
		ret = end_page(pw);
	}
	return ret ? ret : flush(pw);
}

bool subbuf_has_long_form(const struct subbuf *sb, bool big_endian)
{
	uint32_t at = 0;

	/* Time records and padding may precede the first event. */
	while (sb->size - at >= 8) {
		uint32_t head = get_u32(sb->data + at, big_endian);
		uint32_t word = get_u32(sb->data + at + 4, big_endian);
		uint32_t type_len = big_endian ? head >> DELTA_BITS : head & 31;

		if (type_len == SUBBUF_DATA_LONG)
			return word >= 4 && word - 4 <= SHORT_FORM_MAX;
		if (type_len < SUBBUF_PADDING)
			return false;
		if (type_len != SUBBUF_PADDING)
			at += 8;
		else if (word > sb->size - at - 4)
			return false;
		else
			at += 4 + ((word + 3) & ~3U);
	}
	return false;
}

const struct page_layout native_pages_layout = { NATIVE_PAGES_LONG_SIZE, 8,
						 NATIVE_PAGES_DATA };

const char native_pages_header_page[] =
	"\tfield: u64 timestamp;\toffset:0;\tsize:8;\tsigned:0;\n"
	"\tfield: local_t commit;\toffset:8;\tsize:8;\tsigned:1;\n"
	"\tfield: int overwrite;\toffset:8;\tsize:1;\tsigned:1;\n"
	"\tfield: char data;\toffset:16;\tsize:4080;\tsigned:0;\n";

const char native_pages_header_event[] = "# compressed entry header\n"
					 "\ttype_len    :    5 bits\n"
					 "\ttime_delta  :   27 bits\n"
					 "\tarray       :   32 bits\n\n"
					 "\tpadding     : type == 29\n"
					 "\ttime_extend : type == 30\n"
					 "\ttime_stamp : type == 31\n"
					 "\tdata max type_len  == 28\n";

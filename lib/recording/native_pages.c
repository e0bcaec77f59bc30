// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * recording: makes sub-buffers of events.
 * In: one CPU's records with their times. Out: whole sub-buffers in a file.
 *
 * subbuf_writer.h makes them; this selects the layout of a 64-bit kernel of this byte order.
 */
#include "recording/native_pages.h"

#include <endian.h>
#include <errno.h>
#include <string.h>

#include "recording/subbuf.h"

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

int native_pages_init(struct native_pages *w, int fd)
{
	static const struct page_layout layout = { NATIVE_PAGES_LONG_SIZE, 8,
						   NATIVE_PAGES_DATA };
	int ret = subbuf_writer_init(&w->pages, &layout, __BYTE_ORDER == __BIG_ENDIAN,
				     NATIVE_PAGES_SIZE);

	w->bytes = 0;
	subbuf_writer_to(&w->pages, fd, 0);
	return ret;
}

void native_pages_free(struct native_pages *w)
{
	subbuf_writer_free(&w->pages);
}

int native_pages_event(struct native_pages *w, uint64_t ts, const void *data, size_t size)
{
	struct raw_record rec = { ts, data, (uint32_t)((size + 3) & ~(size_t)3) };
	uint8_t padded[NATIVE_PAGES_MAX_EVENT + 3];

	if (!size || size > NATIVE_PAGES_MAX_EVENT)
		return -E2BIG;
	if (rec.size != size) {
		memcpy(padded, data, size);
		memset(padded + size, 0, rec.size - size);
		rec.data = padded;
	}
	return subbuf_writer_add(&w->pages, &rec, false);
}

void native_pages_loss(struct native_pages *w, uint64_t missed)
{
	subbuf_writer_lost(&w->pages, missed);
}

int native_pages_finish(struct native_pages *w)
{
	int ret;

	w->pages.missed = 0; /* no sub-buffer follows that could carry the mark */
	ret = subbuf_writer_finish(&w->pages, 0);
	w->bytes = w->pages.offset;
	return ret;
}

// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * event: a sample of a recording that has all events.
 * In: the rule of a sample, a record. Out: would a recording of that sample have it?
 */
#include "event/split_sample.h"

#include <errno.h>

#include "base/bytes.h"

int split_sample_check(const struct recording *rec, const struct event_formats *fmts)
{
	uint32_t i;

	if (recording_meta(rec, RECORDING_META_SAMPLE) ||
	    recording_meta(rec, RECORDING_META_STACK_SAMPLE))
		return -EEXIST;
	for (i = 0; i < event_formats_count(fmts); i++) {
		const struct event_format *fmt = event_formats_at(fmts, i);

		if (kmem_is_page(fmt->type) && fmt->page_pointer)
			return -ENOTSUP;
	}
	return 0;
}

/* 0 if the event has no such field. */
static uint64_t field(const struct event_format *fmt, unsigned int nr,
		      const struct raw_record *rec, bool big_endian)
{
	const struct event_field *f = &fmt->fields[nr];

	return f->size ? get_uint(rec->data + f->offset, f->size, big_endian) : 0;
}

bool split_sample_has(const struct sample *s, const struct event_format *fmt,
		      const struct raw_record *rec, bool big_endian)
{
	uint64_t address;

	if (kmem_is_slab(fmt->type)) {
		address = field(fmt, SLAB_PTR, rec, big_endian);
		return sample_object(s, address) != SAMPLE_OUT &&
		       (address || !kmem_is_slab_free(fmt->type));
	}
	if (!kmem_is_page(fmt->type))
		return true;
	address = field(fmt, PAGE_PFN, rec, big_endian);
	if (fmt->fields[PAGE_PFN].size == 4 && address == UINT32_MAX)
		address = KMEM_NO_PFN;
	return sample_block(s, address,
			    (uint32_t)field(fmt, PAGE_ORDER, rec, big_endian)) !=
	       SAMPLE_OUT;
}

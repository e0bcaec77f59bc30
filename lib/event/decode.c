// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * event: raw records as struct kmem_event.
 * In: records and their formats. Out: the events' fields, widened to 64 bits.
 */
#include "event/decode.h"

#include <errno.h>
#include <string.h>

/*
 * What takes @big_endian is compiled once for each byte order: every event passes here.
 */

/* The field as an unsigned number; 0 if the event has none. */
static __always_inline uint64_t field_uint(const struct event_field *f,
					   const uint8_t *data, bool big_endian)
{
	if (likely(f->size == 8))
		return get_u64(data + f->offset, big_endian);
	return get_uint(data + f->offset, f->size, big_endian);
}

/* All fields read as int are int in every kernel. */
static __always_inline int32_t field_int(const struct event_field *f, const uint8_t *data,
					 bool big_endian)
{
	return (int32_t)get_uint(data + f->offset, f->size, big_endian);
}

/* The page frame number; all ones of the kernel's word size, or no page, is a failure. */
static __always_inline uint64_t field_pfn(const struct decoder *dec,
					  const struct event_format *fmt,
					  const uint8_t *data, bool big_endian)
{
	const struct event_field *f = &fmt->fields[PAGE_PFN];
	uint64_t pfn = field_uint(f, data, big_endian);

	if (f->size == 4 && pfn == UINT32_MAX)
		return KMEM_NO_PFN;
	if (unlikely(fmt->page_pointer))
		return pfn ? (pfn - dec->page_base) / dec->page_stride : KMEM_NO_PFN;
	return pfn;
}

/* The name's number by way of the interning table. */
static int name_intern(struct decoder *dec, const uint8_t *name, uint32_t size,
		       uint32_t *id)
{
	*id = intern_id(&dec->names, name, strnlen((const char *)name, size));
	return *id ? 0 : -ENOMEM;
}

/* The 1 to 16 bytes at @p in two words, by reads that may overlap: no two strings of the
 * same length give the same words.
 */
static inline void name_words(const uint8_t *p, uint32_t len, uint64_t *low,
			      uint64_t *high)
{
	uint32_t word;

	if (len >= 8) {
		memcpy(low, p, 8);
		memcpy(high, p + len - 8, 8);
	} else if (len >= 4) {
		memcpy(&word, p, 4);
		*low = word;
		memcpy(&word, p + len - 4, 4);
		*high = word;
	} else {
		*low = p[0] | (uint64_t)p[len / 2] << 8 | (uint64_t)p[len - 1] << 16;
		*high = 0;
	}
}

/* The number of the name of which the record's __data_loc word tells: offset in the low 16
 * bits, length with its NUL in the high 16. Names repeat endlessly, and most fit into two
 * words: compare those before hashing.
 */
static __always_inline int field_name(struct decoder *dec, const struct event_field *f,
				      const uint8_t *data, uint32_t size, bool big_endian,
				      uint32_t *id)
{
	uint32_t loc, offset, len;
	uint64_t low = 0, high = 0;
	struct decoder_name *slot;

	*id = 0;
	if (!f->size)
		return 0;
	loc = get_u32(data + f->offset, big_endian);
	offset = loc & 0xffff;
	len = loc >> 16;
	if (!range_ok(offset, len, size))
		return -EBADMSG;
	if (!len)
		return 0;
	if (len > 16)
		return name_intern(dec, data + offset, len, id);
	name_words(data + offset, len, &low, &high);
	slot = &dec->recent[((low ^ high * 31) * 0x9e3779b97f4a7c15ULL >> 32) %
			    DECODER_NAME_SLOTS];
	if (unlikely(slot->size != len || slot->low != low || slot->high != high)) {
		int ret = name_intern(dec, data + offset, len, id);

		if (ret < 0)
			return ret;
		*slot = (struct decoder_name){ low, high, len, *id };
	}
	*id = slot->id;
	return 0;
}

static __always_inline int decode_slab_alloc(struct decoder *dec,
					     const struct event_format *fmt,
					     struct kmem_event *ev, bool be)
{
	const struct event_field *f = fmt->fields;
	const uint8_t *data = ev->data;

	ev->slab_alloc.callsite = field_uint(&f[SLAB_CALLSITE], data, be);
	ev->slab_alloc.ptr = field_uint(&f[SLAB_PTR], data, be);
	ev->slab_alloc.bytes_req = field_uint(&f[SLAB_BYTES_REQ], data, be);
	ev->slab_alloc.bytes_alloc = field_uint(&f[SLAB_BYTES_ALLOC], data, be);
	ev->slab_alloc.gfp_flags = field_uint(&f[SLAB_GFP], data, be);
	ev->slab_alloc.node = f[SLAB_NODE].size ? field_int(&f[SLAB_NODE], data, be) : -1;
	return field_name(dec, &f[SLAB_NAME], data, ev->size, be, &ev->slab_alloc.cache);
}

static void decode_extfrag(const struct decoder *dec, const struct event_format *fmt,
			   struct kmem_event *ev)
{
	const struct event_field *f = fmt->fields;
	const uint8_t *data = ev->data;
	bool be = dec->big_endian;

	ev->extfrag.pfn = field_pfn(dec, fmt, data, be);
	ev->extfrag.alloc_order = field_int(&f[EXTFRAG_ALLOC_ORDER], data, be);
	ev->extfrag.fallback_order = field_int(&f[EXTFRAG_FALLBACK_ORDER], data, be);
	ev->extfrag.alloc_migratetype =
		field_int(&f[EXTFRAG_ALLOC_MIGRATETYPE], data, be);
	ev->extfrag.fallback_migratetype =
		field_int(&f[EXTFRAG_FALLBACK_MIGRATETYPE], data, be);
	ev->extfrag.change_ownership = field_int(&f[EXTFRAG_CHANGE_OWNERSHIP], data, be);
}

/* The fields of @ev by its format. 0; -EBADMSG without its name; -ENOMEM. */
static __always_inline int decode_fields(struct decoder *dec,
					 const struct event_format *fmt,
					 struct kmem_event *ev, bool be)
{
	const struct event_field *f = fmt->fields;
	const uint8_t *data = ev->data;

	switch (fmt->type) {
	case KMEM_KMALLOC:
	case KMEM_KMALLOC_NODE:
	case KMEM_CACHE_ALLOC:
	case KMEM_CACHE_ALLOC_NODE:
		return decode_slab_alloc(dec, fmt, ev, be);
	case KMEM_KFREE:
	case KMEM_CACHE_FREE:
		ev->slab_free.callsite = field_uint(&f[SLAB_CALLSITE], data, be);
		ev->slab_free.ptr = field_uint(&f[SLAB_PTR], data, be);
		return field_name(dec, &f[SLAB_NAME], data, ev->size, be,
				  &ev->slab_free.cache);
	case KMEM_PAGE_ALLOC:
	case KMEM_PAGE_ALLOC_ZONE_LOCKED:
	case KMEM_PAGE_PCPU_DRAIN:
		ev->page_alloc.pfn = field_pfn(dec, fmt, data, be);
		ev->page_alloc.order = (uint32_t)field_uint(&f[PAGE_ORDER], data, be);
		ev->page_alloc.gfp_flags = field_uint(&f[PAGE_GFP], data, be);
		ev->page_alloc.migratetype = field_int(&f[PAGE_MIGRATETYPE], data, be);
		break;
	case KMEM_PAGE_FREE:
	case KMEM_PAGE_FREE_BATCHED: /* which has no order field: 0 */
		ev->page_free.pfn = field_pfn(dec, fmt, data, be);
		ev->page_free.order = (uint32_t)field_uint(&f[PAGE_ORDER], data, be);
		break;
	case KMEM_PAGE_ALLOC_EXTFRAG:
		decode_extfrag(dec, fmt, ev);
		break;
	default:
		break;
	}
	return 0;
}

static void decode_loss(struct kmem_event *ev)
{
	ev->pid = 0;
	ev->type = KMEM_LOSS;
	ev->flags = 0;
	ev->id = 0;
	ev->size = 0;
	ev->data = NULL;
}

static __always_inline int decode_items_as(struct decoder *dec,
					   const struct event_format *const *formats,
					   const struct raw_item *const *items, size_t nr,
					   struct kmem_event *evs, uint64_t *nr_bad,
					   bool be)
{
	const struct event_common common = dec->common;
	size_t i;

	for (i = 0; i < nr; i++) {
		const uint8_t *data = items[i]->data;
		struct kmem_event *ev = &evs[i];
		const struct event_format *fmt;
		int ret;

		ev->ts = items[i]->ts;
		ev->stack = items[i]->stack;
		if (unlikely(!data)) {
			decode_loss(ev);
			continue;
		}
		ev->pid = (int32_t)get_u32(data + common.pid_offset, be);
		ev->flags = data[common.flags_offset];
		ev->id = get_u16(data + common.type_offset, be);
		ev->data = data;
		ev->size = items[i]->size;
		fmt = formats[ev->id];
		if (unlikely(!fmt || ev->size < fmt->min_size)) {
			ev->type = KMEM_OTHER;
			continue;
		}
		ev->type = fmt->type;
		ret = decode_fields(dec, fmt, ev, be);
		if (likely(!ret))
			continue;
		if (ret == -ENOMEM)
			return ret;
		++*nr_bad;
	}
	return 0;
}

int decode_items(struct decoder *dec, const struct event_format *const *formats,
		 const struct raw_item *const *items, size_t nr, struct kmem_event *evs,
		 uint64_t *nr_bad)
{
	if (dec->big_endian)
		return decode_items_as(dec, formats, items, nr, evs, nr_bad, true);
	return decode_items_as(dec, formats, items, nr, evs, nr_bad, false);
}

/* The frames that the record claims and has. */
static uint32_t stack_size(const struct decoder *dec, const struct event_format *fmt,
			   const uint8_t *data, uint32_t size)
{
	const struct event_field *caller = &fmt->fields[STACK_CALLER];
	int32_t claimed = field_int(&fmt->fields[STACK_SIZE], data, dec->big_endian);
	uint32_t nr;

	if (claimed <= 0 || size < caller->offset || !caller->size)
		return 0;
	nr = (size - caller->offset) / caller->size;
	return nr < (uint32_t)claimed ? nr : (uint32_t)claimed;
}

const uint8_t *decode_stack_here(const struct decoder *dec,
				 const struct event_format *fmt, const uint8_t *data,
				 uint32_t size, uint32_t *nr)
{
	const struct event_field *caller = &fmt->fields[STACK_CALLER];

	if (caller->size != 8 || dec->big_endian != (__BYTE_ORDER == __BIG_ENDIAN))
		return NULL;
	*nr = stack_size(dec, fmt, data, size);
	return data + caller->offset;
}

uint32_t decode_stack(const struct decoder *dec, const struct event_format *fmt,
		      const struct raw_record *rec, uint64_t *frames, uint32_t max)
{
	const struct event_field *caller = &fmt->fields[STACK_CALLER];
	uint64_t all_ones = caller->size == 4 ? UINT32_MAX : UINT64_MAX;
	uint32_t nr = stack_size(dec, fmt, rec->data, rec->size), used = 0, i;

	if (nr > max)
		nr = max;
	for (i = 0; i < nr; i++) {
		frames[i] = get_uint(rec->data + caller->offset + i * caller->size,
				     caller->size, dec->big_endian);
		if (frames[i] == all_ones)
			break;
		if (frames[i])
			used = i + 1;
	}
	return used;
}

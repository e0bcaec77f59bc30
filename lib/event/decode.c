// SPDX-License-Identifier: GPL-2.0-or-later
#include "event/decode.h"

#include "event/calls.h"

/*
 * Every event passes here. Nearly every recording is of a 64-bit kernel of this machine's byte
 * order, so plain formats and usual common fields have code of their own.
 */

/* The field as an unsigned number; 0 if the event has none. */
static __always_inline uint64_t field_uint(const struct event_field *f,
					   const uint8_t *data, bool big_endian)
{
	if (likely(f->size == 8))
		return get_u64(data + f->offset, big_endian);
	return get_uint(data + f->offset, f->size, big_endian);
}

/* The field as an int, which it is in every kernel. */
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

/* Word @i of those that cover the name in the record at @data. */
static __always_inline uint64_t name_word(const struct decoder_name *name, unsigned int i,
					  const uint8_t *data)
{
	uint64_t word;

	memcpy(&word, data + name->at[i], 8);
	return word;
}

/* Remembers a name, so that the next ones can be compared with it by words. It has 1 to
 * DECODER_NAME_MAX bytes and ends 8 to UINT16_MAX bytes after its record's start.
 */
static void name_remember(struct decoder_name *slot, uint32_t loc, const uint8_t *data,
			  uint32_t id)
{
	uint32_t offset = loc & 0xffff, len = loc >> 16;

	slot->loc = loc;
	slot->id = id;
	slot->end = offset + len;
	slot->mask = UINT64_MAX;
	if (len < 8) {
		unsigned int rest = 64 - 8 * len;

		slot->mask = HOST_BIG_ENDIAN ? UINT64_MAX >> rest : UINT64_MAX << rest;
		offset = slot->end - 8;
		len = 8;
	}
	slot->at[0] = (uint16_t)offset;
	slot->at[1] = (uint16_t)(offset + (len < 16 ? len - 8 : 8));
	slot->at[2] = (uint16_t)(slot->end - 8);
	for (unsigned int i = 0; i < 3; i++)
		slot->words[i] = name_word(slot, i, data);
}

uint32_t decoder_number(struct decoder *dec, struct intern *in, const void *data,
			size_t size)
{
	/* Only this thread adds content, so only new content needs the lock. */
	uint32_t id = intern_find(in, data, size);

	if (id)
		return id;
	if (dec->lock)
		pthread_mutex_lock(dec->lock);
	id = intern_id(in, data, size);
	if (dec->lock)
		pthread_mutex_unlock(dec->lock);
	return id;
}

/* The number of the name that the word @loc points to: offset in the low 16 bits, length with its
 * NUL in the high 16. @slot remembers the name, if it can.
 */
static int name_slow(struct decoder *dec, struct decoder_name *slot, uint32_t loc,
		     const struct kmem_event *ev, uint32_t *id)
{
	uint32_t offset = loc & 0xffff, len = loc >> 16;
	const char *name = (const char *)ev->data + offset;

	*id = 0;
	if (!range_ok(offset, len, ev->size))
		return -EBADMSG;
	if (!len)
		return 0;
	*id = decoder_number(dec, &dec->names, name, strnlen(name, len));
	if (!*id)
		return -ENOMEM;
	if (len <= DECODER_NAME_MAX && offset + len >= 8 && offset + len <= UINT16_MAX)
		name_remember(slot, loc, ev->data, *id);
	return 0;
}

/* The number of the record's name. Names repeat all the time: if the record has the last name of
 * its callsite, compared word by word, its place is not checked and its bytes are not hashed.
 */
static __always_inline int field_name(struct decoder *dec, const struct event_field *f,
				      const struct kmem_event *ev, bool big_endian,
				      uint32_t *id)
{
	const uint8_t *data = ev->data;
	struct decoder_name *slot;
	uint32_t loc;
	uint64_t key;

	_Static_assert(offsetof(struct kmem_event, slab_alloc.callsite) ==
			       offsetof(struct kmem_event, slab_free.callsite),
		       "one key for both");
	if (!f->size) {
		*id = 0;
		return 0;
	}
	loc = get_u32(data + f->offset, big_endian);
	key = (ev->slab_free.callsite + loc) * HASH_GOLDEN;
	slot = &dec->recent[(key >> 32) % DECODER_NAME_SLOTS];
	if (unlikely(slot->loc != loc || slot->end > ev->size ||
		     ((name_word(slot, 0, data) ^ slot->words[0]) |
		      (name_word(slot, 1, data) ^ slot->words[1]) |
		      (name_word(slot, 2, data) ^ slot->words[2])) &
			     slot->mask))
		return name_slow(dec, slot, loc, ev, id);
	*id = slot->id;
	return 0;
}

/* Since 6.1, events of caches have a field for this, because SLAB_ACCOUNT asks for it, too. */
static __always_inline bool is_accounted(const struct decoder *dec,
					 const struct event_format *fmt,
					 const struct kmem_event *ev)
{
	const struct event_field *f = &fmt->fields[SLAB_ACCOUNTED];

	return ev->slab_alloc.gfp_flags & dec->account ||
	       (f->size && ev->data[f->offset]);
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
	ev->accounted = is_accounted(dec, fmt, ev);
	return field_name(dec, &f[SLAB_NAME], ev, be, &ev->slab_alloc.cache);
}

static void decode_page_alloc(const struct decoder *dec, const struct event_format *fmt,
			      struct kmem_event *ev)
{
	const struct event_field *f = fmt->fields;
	const uint8_t *data = ev->data;
	bool be = dec->big_endian;

	ev->page_alloc.pfn = field_pfn(dec, fmt, data, be);
	ev->page_alloc.order = (uint32_t)field_uint(&f[PAGE_ORDER], data, be);
	if (fmt->type == KMEM_PAGE_ALLOC)
		ev->page_alloc.gfp_flags = field_uint(&f[PAGE_GFP], data, be);
	else if (f[PAGE_REFILL].size)
		ev->page_alloc.refill = field_uint(&f[PAGE_REFILL], data, be);
	else /* older kernels print this */
		ev->page_alloc.refill = !ev->page_alloc.order;
	ev->page_alloc.migratetype = field_int(&f[PAGE_MIGRATETYPE], data, be);
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

/* More objects than any call has: the record is damaged. */
#define OBJECTS_PLAUSIBLE (1U << 24)

/* The object that was handed to RCU. Before 6.2, the record has the offset of its rcu_head instead,
 * or without an rcu_head the object itself.
 */
static uint64_t rcu_object(const struct event_field *f, const uint8_t *data, bool be)
{
	uint64_t head = field_uint(&f[OBJECTS_HEAD], data, be), func;

	if (f[OBJECTS_PTR].size)
		return field_uint(&f[OBJECTS_PTR], data, be);
	func = field_uint(&f[OBJECTS_FUNC], data, be);
	if (!head)
		return func;
	return func < 4096 ? head - func : 0;
}

/* Decodes the objects that a probe names. */
static void decode_objects(const struct event_format *fmt, struct kmem_event *ev, bool be)
{
	const struct event_field *f = fmt->fields;
	const uint8_t *data = ev->data;
	uint64_t nr;
	int32_t got;

	ev->objects.callsite = field_uint(&f[OBJECTS_CALLSITE], data, be);
	ev->objects.cache = 0;
	if (fmt->type == KMEM_FREE_RCU) {
		ev->objects.at = NULL;
		ev->objects.ptr = rcu_object(f, data, be);
		ev->objects.nr = ev->objects.ptr != 0;
		ev->objects.unseen = !ev->objects.nr;
		return;
	}
	ev->objects.at = data + f[OBJECTS_PTR].offset;
	ev->objects.size = f[OBJECTS_PTR].size;
	ev->objects.big_endian = be;
	nr = field_uint(&f[OBJECTS_NR], data, be);
	if (fmt->type == KMEM_ALLOC_BULK) {
		got = field_int(&f[OBJECTS_RET], data, be);
		/* The kernel allocates all or nothing, and returns their number or true. */
		if (got <= 0)
			nr = 0;
		else if (got > 1 && (uint64_t)got < nr)
			nr = (uint64_t)got;
	}
	if (nr > OBJECTS_PLAUSIBLE) {
		ev->objects.ptr = ev->objects.nr = 0;
		ev->objects.unseen = 1;
		return;
	}
	ev->objects.nr = (uint32_t)SMALLER(nr, fmt->nr_objects);
	ev->objects.unseen = nr - ev->objects.nr;
	ev->objects.ptr = ev->objects.nr ? kmem_object(ev, 0) : 0;
}

/* The size in the event includes the guard page, unless it is a single page. */
static void decode_vmalloc_alloc(const struct decoder *dec,
				 const struct event_format *fmt, struct kmem_event *ev)
{
	const struct event_field *f = fmt->fields;
	bool be = dec->big_endian, failed = field_uint(&f[AREA_FAILED], ev->data, be);
	uint64_t size = field_uint(&f[AREA_SIZE], ev->data, be);

	if (size > dec->page_size)
		size -= dec->page_size;
	ev->slab_alloc.ptr = failed ? 0 : field_uint(&f[SLAB_PTR], ev->data, be);
	ev->slab_alloc.bytes_req = ev->slab_alloc.bytes_alloc = size;
	ev->slab_alloc.callsite = ev->slab_alloc.gfp_flags = 0;
	ev->slab_alloc.node = -1;
	ev->slab_alloc.cache = 0;
}

/* The kernel allocates in units of this: PCPU_MIN_ALLOC_SIZE of mm/percpu-internal.h. */
#define PERCPU_UNIT 4

/* How many copies there are: one for each possible CPU, of which the recording may have fewer.
 * Since 5.19, the event has the bytes charged to a memory cgroup, @all: those of the copies, and a
 * pointer of @pointer_bytes for each unit (pcpu_obj_full_size() of mm/percpu.c).
 */
static uint64_t percpu_copies(const struct decoder *dec, uint64_t size, uint64_t all,
			      uint32_t pointer_bytes)
{
	uint64_t charged = size ? all / size : 0, extra = pointer_bytes / PERCPU_UNIT;

	return charged >= dec->nr_cpus + extra ? charged - extra : dec->nr_cpus;
}

static void decode_percpu_alloc(const struct decoder *dec, const struct event_format *fmt,
				struct kmem_event *ev)
{
	const struct event_field *f = fmt->fields;
	bool be = dec->big_endian;
	uint64_t size = field_uint(&f[AREA_SIZE], ev->data, be);
	uint64_t all = field_uint(&f[AREA_BYTES_ALLOC], ev->data, be);
	uint64_t copies = percpu_copies(dec, size, all, f[SLAB_PTR].size);

	/* The account rejects a size as large as this one as damage. */
	if (size > UINT32_MAX || copies > UINT32_MAX) {
		size = UINT64_MAX - PERCPU_UNIT;
		copies = 1;
	}
	ev->slab_alloc.ptr = field_uint(&f[SLAB_PTR], ev->data, be);
	ev->slab_alloc.bytes_req = size * copies;
	ev->slab_alloc.bytes_alloc =
		(size + PERCPU_UNIT - 1) / PERCPU_UNIT * PERCPU_UNIT * copies;
	ev->slab_alloc.callsite = field_uint(&f[SLAB_CALLSITE], ev->data, be);
	ev->slab_alloc.gfp_flags = field_uint(&f[SLAB_GFP], ev->data, be);
	ev->slab_alloc.node = -1;
	ev->slab_alloc.cache = 0;
}

/* A task's name fills up to 16 bytes: TASK_COMM_LEN of include/linux/sched.h. */
#define TASK_NAME_MAX 16U

static int decode_task(const struct event_format *fmt, struct kmem_event *ev, bool be)
{
	const struct event_field *f = fmt->fields;
	uint32_t at = f[TASK_NAME].offset, room = ev->size - at;

	ev->task.name = (const char *)ev->data + at;
	ev->task.name_size =
		(uint32_t)strnlen(ev->task.name, SMALLER(room, TASK_NAME_MAX));
	ev->task.pid = f[TASK_PID].size ? field_int(&f[TASK_PID], ev->data, be) : ev->pid;
	ev->task.clone_flags = field_uint(&f[TASK_CLONE_FLAGS], ev->data, be);
	return 0;
}

/* 0; -EBADMSG: the path lies outside of the record. */
static int decode_group(const struct event_format *fmt, struct kmem_event *ev, bool be)
{
	const struct event_field *f = fmt->fields;
	uint32_t loc = get_u32(ev->data + f[GROUP_PATH].offset, be);
	uint32_t offset = loc & 0xffff, len = loc >> 16;

	ev->group.pid = field_int(&f[GROUP_PID], ev->data, be);
	ev->group.hierarchy = field_int(&f[GROUP_HIERARCHY], ev->data, be);
	ev->group.path = (const char *)ev->data + offset;
	ev->group.path_size = 0;
	if (!range_ok(offset, len, ev->size))
		return -EBADMSG;
	ev->group.path_size = (uint32_t)strnlen(ev->group.path, len);
	return 0;
}

/* Decodes events that neither allocate nor free. 0; -EBADMSG: a path is unreadable. */
static int decode_other(const struct event_format *fmt, struct kmem_event *ev, bool be)
{
	uint64_t number;

	switch (fmt->type) {
	case KMEM_TASK_NEW:
	case KMEM_TASK_RENAME:
		return decode_task(fmt, ev, be);
	case KMEM_GROUP_MOVE:
	case KMEM_GROUP_REMOVE:
		return decode_group(fmt, ev, be);
	case KMEM_CALL_ENTER:
	case KMEM_CALL_EXIT:
		number = field_uint(&fmt->fields[CALL_ID], ev->data, be);
		ev->call = number < CALL_NUMBERS ? (uint32_t)number : CALL_ODD;
		return 0;
	default:
		return 0;
	}
}

/* Decodes @ev by any format. 0; -EBADMSG: its name is unreadable; -ENOMEM. */
static int decode_any(struct decoder *dec, const struct event_format *fmt,
		      struct kmem_event *ev)
{
	const struct event_field *f = fmt->fields;
	const uint8_t *data = ev->data;
	bool be = dec->big_endian;

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
		return field_name(dec, &f[SLAB_NAME], ev, be, &ev->slab_free.cache);
	case KMEM_PAGE_ALLOC:
	case KMEM_PAGE_ALLOC_ZONE_LOCKED:
	case KMEM_PAGE_PCPU_DRAIN:
		decode_page_alloc(dec, fmt, ev);
		break;
	case KMEM_PAGE_FREE:
	case KMEM_PAGE_FREE_BATCHED: /* which has no order field: 0 */
		ev->page_free.pfn = field_pfn(dec, fmt, data, be);
		ev->page_free.order = (uint32_t)field_uint(&f[PAGE_ORDER], data, be);
		break;
	case KMEM_PAGE_ALLOC_EXTFRAG:
		decode_extfrag(dec, fmt, ev);
		break;
	case KMEM_FREE_RCU:
	case KMEM_FREE_BULK:
	case KMEM_ALLOC_BULK:
		decode_objects(fmt, ev, be);
		break;
	case KMEM_VMALLOC_ALLOC:
		decode_vmalloc_alloc(dec, fmt, ev);
		break;
	case KMEM_PERCPU_ALLOC:
		decode_percpu_alloc(dec, fmt, ev);
		break;
	case KMEM_VMALLOC_FREE:
	case KMEM_PERCPU_FREE:
		ev->slab_free.callsite = ev->slab_free.cache = 0;
		ev->slab_free.ptr = field_uint(&f[SLAB_PTR], data, be);
		break;
	default:
		return decode_other(fmt, ev, be);
	}
	return 0;
}

static __always_inline uint32_t plain_u32(const struct event_field *f,
					  const uint8_t *data)
{
	return get_u32(data + f->offset, HOST_BIG_ENDIAN);
}

/* The same for plain formats, which nearly every recording has. @brief: the decoder's. */
static __always_inline int decode_plain(struct decoder *dec,
					const struct event_format *fmt,
					struct kmem_event *ev, bool brief)
{
	const struct event_field *f = fmt->fields;
	const uint8_t *data = ev->data;

	switch (fmt->type) {
	case KMEM_KMALLOC:
	case KMEM_KMALLOC_NODE:
	case KMEM_CACHE_ALLOC:
	case KMEM_CACHE_ALLOC_NODE:
		memcpy(&ev->slab_alloc.bytes_req, data + f[SLAB_BYTES_REQ].offset, 16);
		if (!brief) {
			ev->slab_alloc.gfp_flags =
				field_uint(&f[SLAB_GFP], data, HOST_BIG_ENDIAN);
			ev->slab_alloc.node =
				f[SLAB_NODE].size
					? (int32_t)plain_u32(&f[SLAB_NODE], data)
					: -1;
			ev->accounted = is_accounted(dec, fmt, ev);
		}
		memcpy(&ev->slab_alloc.callsite, data + f[SLAB_CALLSITE].offset, 16);
		return field_name(dec, &f[SLAB_NAME], ev, HOST_BIG_ENDIAN,
				  &ev->slab_alloc.cache);
	case KMEM_KFREE:
	case KMEM_CACHE_FREE:
		memcpy(&ev->slab_free.callsite, data + f[SLAB_CALLSITE].offset, 16);
		return field_name(dec, &f[SLAB_NAME], ev, HOST_BIG_ENDIAN,
				  &ev->slab_free.cache);
	case KMEM_PAGE_ALLOC:
		ev->page_alloc.pfn = get_u64(data + f[PAGE_PFN].offset, HOST_BIG_ENDIAN);
		ev->page_alloc.gfp_flags =
			field_uint(&f[PAGE_GFP], data, HOST_BIG_ENDIAN);
		ev->page_alloc.order = plain_u32(&f[PAGE_ORDER], data);
		ev->page_alloc.migratetype =
			(int32_t)plain_u32(&f[PAGE_MIGRATETYPE], data);
		return 0;
	case KMEM_PAGE_FREE:
		ev->page_free.pfn = get_u64(data + f[PAGE_PFN].offset, HOST_BIG_ENDIAN);
		ev->page_free.order = plain_u32(&f[PAGE_ORDER], data);
		return 0;
	case KMEM_KERNEL_STACK:
		return 0;
	default: /* KMEM_PAGE_FREE_BATCHED, the only other plain one: it has no order */
		ev->page_free.pfn = get_u64(data + f[PAGE_PFN].offset, HOST_BIG_ENDIAN);
		ev->page_free.order = 0;
		return 0;
	}
}

/* The common fields. @usual: where nearly every kernel has them, in this machine's order. */
static __always_inline void decode_common(const struct decoder *dec,
					  struct kmem_event *ev, bool usual)
{
	const struct event_common *common = &dec->common;

	_Static_assert(offsetof(struct kmem_event, flags) ==
				       offsetof(struct kmem_event, id) + 2 &&
			       offsetof(struct kmem_event, pid) ==
				       offsetof(struct kmem_event, id) + 4,
		       "they are as in a record");
	if (usual) {
		memcpy(&ev->id, ev->data, 8);
		return;
	}
	ev->id = get_u16(ev->data + common->type_offset, dec->big_endian);
	ev->flags = ev->data[common->flags_offset];
	ev->pid = (int32_t)get_u32(ev->data + common->pid_offset, dec->big_endian);
}

/* Layout of records: any; the common fields where nearly every kernel has them; the same with a
 * brief decoder.
 */
enum decode_as { DECODE_ANY, DECODE_USUAL, DECODE_BRIEF };

/* The compiler makes a separate loop for each @as. */
static __always_inline int decode_events_as(struct decoder *dec, struct kmem_event *ev,
					    size_t nr, uint64_t *nr_bad,
					    const enum decode_as as)
{
	const struct event_format *const *formats = dec->formats;
	const struct kmem_event *end = ev + nr;

	for (; ev < end; ev++) {
		const struct event_format *fmt;
		int ret;

		decode_common(dec, ev, as != DECODE_ANY);
		if (unlikely(ev->size & RAW_BAD)) {
			ev->size &= ~RAW_BAD;
			ev->type = KMEM_OTHER;
			continue;
		}
		fmt = formats[ev->id];
		ev->type = fmt->type;
		ret = likely(fmt->plain) ? decode_plain(dec, fmt, ev, as == DECODE_BRIEF)
					 : decode_any(dec, fmt, ev);
		if (likely(!ret))
			continue;
		if (ret == -ENOMEM)
			return ret;
		++*nr_bad;
	}
	return 0;
}

int decode_events(struct decoder *dec, struct kmem_event *evs, size_t nr,
		  uint64_t *nr_bad)
{
	if (dec->big_endian != HOST_BIG_ENDIAN || !event_common_usual(&dec->common))
		return decode_events_as(dec, evs, nr, nr_bad, DECODE_ANY);
	return dec->brief ? decode_events_as(dec, evs, nr, nr_bad, DECODE_BRIEF)
			  : decode_events_as(dec, evs, nr, nr_bad, DECODE_USUAL);
}

/* How many frames the record claims, at most as many as it has. */
static uint32_t stack_size(const struct decoder *dec, const struct event_format *fmt,
			   const uint8_t *data, uint32_t size)
{
	const struct event_field *caller = &fmt->fields[STACK_CALLER];
	int32_t claimed = field_int(&fmt->fields[STACK_SIZE], data, dec->big_endian);
	uint32_t nr;

	if (claimed <= 0 || size < caller->offset || !caller->size)
		return 0;
	nr = (size - caller->offset) / caller->size;
	return SMALLER(nr, (uint32_t)claimed);
}

uint32_t decode_stack(const struct decoder *dec, const struct event_format *fmt,
		      const struct raw_record *rec, uint64_t *frames, uint32_t max)
{
	const struct event_field *caller = &fmt->fields[STACK_CALLER];
	uint64_t all_ones = caller->size == 4 ? UINT32_MAX : UINT64_MAX;
	uint32_t nr = stack_size(dec, fmt, rec->data, rec->size), used = 0, i;

	nr = SMALLER(nr, max);
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

// SPDX-License-Identifier: GPL-2.0-or-later
#include "import/perf_attr.h"

#include "base/array.h"
#include "base/bytes.h"

/* Offsets of the attr's fields. */
enum attr_offset {
	AT_TYPE = 0,
	AT_CONFIG = 8,
	AT_PERIOD = 16,
	AT_SAMPLE_TYPE = 24,
	AT_READ_FORMAT = 32,
	AT_FLAGS = 40,
	AT_CLOCKID = 92,
};

/* Its bit fields, in the order of their declaration. */
enum attr_flag {
	FLAG_FREQ = 10,
	FLAG_ON_EXEC = 12,
	FLAG_SAMPLE_ID_ALL = 18,
	FLAG_USE_CLOCKID = 25,
};

enum read_format {
	READ_TOTAL_TIME_ENABLED = 1U << 0,
	READ_TOTAL_TIME_RUNNING = 1U << 1,
	READ_ID = 1U << 2,
	READ_GROUP = 1U << 3,
	READ_LOST = 1U << 4,
};

/* Compilers for big-endian machines lay bit fields out from the highest bit on. */
static bool flag(const uint8_t *data, unsigned int bit, bool big_endian)
{
	unsigned int in_byte = big_endian ? 7 - bit % 8 : bit % 8;

	return data[AT_FLAGS + bit / 8] >> in_byte & 1;
}

int perf_attrs_add(struct perf_attrs *attrs, const uint8_t *data, size_t size)
{
	const bool big = attrs->big_endian;

	if (size < PERF_ATTR_SIZE_MIN || attrs->nr == PERF_ATTRS_MAX)
		return -EBADMSG;
	if (array_reserve(&attrs->items, &attrs->capacity, attrs->nr + 1,
			  sizeof(*attrs->items)))
		return -ENOMEM;
	attrs->items[attrs->nr++] = (struct perf_attr){
		.type = get_u32(data + AT_TYPE, big),
		.config = get_u64(data + AT_CONFIG, big),
		.period = get_u64(data + AT_PERIOD, big),
		.sample_type = get_u64(data + AT_SAMPLE_TYPE, big),
		.read_format = get_u64(data + AT_READ_FORMAT, big),
		.freq = flag(data, FLAG_FREQ, big),
		.sample_id_all = flag(data, FLAG_SAMPLE_ID_ALL, big),
		.on_exec = flag(data, FLAG_ON_EXEC, big),
		.own_time = size >= AT_CLOCKID + 4 && flag(data, FLAG_USE_CLOCKID, big),
		.clockid = size >= AT_CLOCKID + 4
				   ? (int32_t)get_u32(data + AT_CLOCKID, big)
				   : 0,
	};
	return 0;
}

int perf_attrs_add_id(struct perf_attrs *attrs, uint64_t id)
{
	if (!attrs->nr || attrs->by_id.count == PERF_IDS_MAX)
		return -EBADMSG;
	return u64_map_insert(&attrs->by_id, id, (uint32_t)(attrs->nr - 1)) ? 0 : -ENOMEM;
}

void perf_attrs_free(struct perf_attrs *attrs)
{
	free(attrs->items);
	u64_map_free(&attrs->by_id);
	*attrs = (struct perf_attrs){ 0 };
}

/* --- samples ----------------------------------------------------------------------------- */

/* Number of eight-byte fields before the id of PERF_HAS_ID. */
static unsigned int words_before_id(uint64_t sample_type)
{
	const uint64_t before = sample_type & (PERF_HAS_IP | PERF_HAS_TID |
					       PERF_HAS_TIME | PERF_HAS_ADDR);

	return (unsigned int)__builtin_popcountll(before);
}

static const struct perf_attr *attr_of_id(const struct perf_attrs *attrs, uint64_t id)
{
	const uint32_t *index = u64_map_find(&attrs->by_id, id);

	return index ? &attrs->items[*index] : NULL;
}

/* All attrs of a file have the id in the same place, or there is only one attr. */
static const struct perf_attr *attr_of_sample(const struct perf_attrs *attrs,
					      const uint8_t *data, size_t size)
{
	const struct perf_attr *first = attrs->items;
	uint64_t at;

	if (!attrs->nr)
		return NULL;
	if (first->sample_type & PERF_HAS_IDENTIFIER)
		at = 0;
	else if (first->sample_type & PERF_HAS_ID)
		at = 8ULL * words_before_id(first->sample_type);
	else
		return first; /* then only the contents tell them apart */
	if (!range_ok(at, 8, size))
		return NULL;
	first = attr_of_id(attrs, get_u64(data + at, attrs->big_endian));
	return first || attrs->nr > 1 ? first : attrs->items;
}

static void skip_read(struct byte_reader *r, uint64_t format)
{
	const uint64_t times =
		format & (READ_TOTAL_TIME_ENABLED | READ_TOTAL_TIME_RUNNING);
	unsigned int head = (unsigned int)__builtin_popcountll(times);
	unsigned int each =
		1 + (unsigned int)__builtin_popcountll(format & (READ_ID | READ_LOST));
	uint64_t nr = 1;

	if (format & READ_GROUP)
		nr = byte_reader_u64(r);
	byte_reader_skip(r, 8ULL * head);
	if (nr > byte_reader_left(r) / 8)
		r->failed = true;
	else
		byte_reader_skip(r, 8ULL * each * nr);
}

static void read_chain(struct byte_reader *r, struct perf_sample *out)
{
	out->nr_chain = byte_reader_u64(r);
	if (out->nr_chain > byte_reader_left(r) / 8)
		r->failed = true;
	else
		out->chain = byte_reader_skip(r, out->nr_chain * 8);
}

/* Reads up to the raw data: nothing after it is needed. */
static void read_fields(struct byte_reader *r, struct perf_sample *out)
{
	const uint64_t has = out->attr->sample_type;

	byte_reader_skip(r, (has & PERF_HAS_IDENTIFIER ? 8U : 0U) +
				    (has & PERF_HAS_IP ? 8U : 0U));
	if (has & PERF_HAS_TID) {
		out->pid = byte_reader_u32(r);
		out->tid = byte_reader_u32(r);
	}
	if (has & PERF_HAS_TIME)
		out->time = byte_reader_u64(r);
	byte_reader_skip(r, (has & PERF_HAS_ADDR ? 8U : 0U) +
				    (has & PERF_HAS_ID ? 8U : 0U) +
				    (has & PERF_HAS_STREAM_ID ? 8U : 0U));
	if (has & PERF_HAS_CPU) {
		out->cpu = byte_reader_u32(r);
		byte_reader_skip(r, 4);
	}
	byte_reader_skip(r, has & PERF_HAS_PERIOD ? 8 : 0);
	if (has & PERF_HAS_READ)
		skip_read(r, out->attr->read_format);
	if (has & PERF_HAS_CALLCHAIN)
		read_chain(r, out);
	if (has & PERF_HAS_RAW) {
		out->raw_size = byte_reader_u32(r);
		out->raw = byte_reader_skip(r, out->raw_size);
	}
	out->has = has;
}

int perf_sample_parse(const struct perf_attrs *attrs, const uint8_t *data, size_t size,
		      struct perf_sample *out)
{
	struct byte_reader r = byte_reader(data, size, attrs->big_endian);

	*out = (struct perf_sample){ .attr = attr_of_sample(attrs, data, size) };
	if (!out->attr)
		return -ENOENT;
	read_fields(&r, out);
	return r.failed ? -EBADMSG : 0;
}

void perf_sample_parse_trailer(const struct perf_attrs *attrs, const uint8_t *data,
			       size_t size, struct perf_sample *out)
{
	const struct perf_attr *attr = attrs->items;
	struct byte_reader r;
	uint64_t has, words;

	*out = (struct perf_sample){ 0 };
	if (!attrs->nr)
		return;
	/* If the last word is the id, it tells the attr, and so the fields before it. */
	if (attr->sample_type & PERF_HAS_IDENTIFIER && size >= 8) {
		attr = attr_of_id(attrs, get_u64(data + size - 8, attrs->big_endian));
		if (!attr)
			attr = attrs->items; /* perf itself wrote this record */
	}
	has = attr->sample_type &
	      (PERF_HAS_TID | PERF_HAS_TIME | PERF_HAS_ID | PERF_HAS_STREAM_ID |
	       PERF_HAS_CPU | PERF_HAS_IDENTIFIER);
	words = (uint64_t)__builtin_popcountll(has);
	if (!attr->sample_id_all || words * 8 > size)
		return;
	r = byte_reader(data + size - words * 8, words * 8, attrs->big_endian);
	out->attr = attr;
	out->has = has;
	if (has & PERF_HAS_TID) {
		out->pid = byte_reader_u32(&r);
		out->tid = byte_reader_u32(&r);
	}
	if (has & PERF_HAS_TIME)
		out->time = byte_reader_u64(&r);
	if (has & PERF_HAS_ID)
		out->id = byte_reader_u64(&r);
	byte_reader_skip(&r, has & PERF_HAS_STREAM_ID ? 8U : 0U);
	if (has & PERF_HAS_CPU) {
		out->cpu = byte_reader_u32(&r);
		byte_reader_skip(&r, 4);
	}
	if (has & PERF_HAS_IDENTIFIER) {
		out->id = byte_reader_u64(&r);
		out->has |= PERF_HAS_ID;
	}
}

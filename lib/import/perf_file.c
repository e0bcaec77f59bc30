// SPDX-License-Identifier: GPL-2.0-or-later
#include "import/perf_file.h"

#include "base/array.h"
#include "base/bytes.h"

/* Offsets of the attr's fields. */
enum attr_offset {
	AT_TYPE = 0,
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
	if (array_grow(&attrs->items, attrs->nr))
		return -ENOMEM;
	attrs->items[attrs->nr++] = (struct perf_attr){
		.type = get_u32(data + AT_TYPE, big),
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

static void read_task(struct byte_reader *r, struct perf_sample *out, uint64_t has)
{
	if (has & PERF_HAS_TID) {
		out->pid = byte_reader_u32(r);
		byte_reader_skip(r, 4); /* the thread */
	}
	if (has & PERF_HAS_TIME)
		out->time = byte_reader_u64(r);
}

static void read_cpu(struct byte_reader *r, struct perf_sample *out, uint64_t has)
{
	if (has & PERF_HAS_CPU) {
		out->cpu = byte_reader_u32(r);
		byte_reader_skip(r, 4);
	}
}

/* Reads up to the raw data: nothing after it is needed. */
static void read_fields(struct byte_reader *r, struct perf_sample *out)
{
	const uint64_t has = out->attr->sample_type;

	byte_reader_skip(r, (has & PERF_HAS_IDENTIFIER ? 8U : 0U) +
				    (has & PERF_HAS_IP ? 8U : 0U));
	read_task(r, out, has);
	byte_reader_skip(r, (has & PERF_HAS_ADDR ? 8U : 0U) +
				    (has & PERF_HAS_ID ? 8U : 0U) +
				    (has & PERF_HAS_STREAM_ID ? 8U : 0U));
	read_cpu(r, out, has);
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
	/* If the last word is the id, it identifies the attr, and thus the fields before it. */
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
	read_task(&r, out, has);
	if (has & PERF_HAS_ID)
		out->id = byte_reader_u64(&r);
	byte_reader_skip(&r, has & PERF_HAS_STREAM_ID ? 8U : 0U);
	read_cpu(&r, out, has);
	if (has & PERF_HAS_IDENTIFIER) {
		out->id = byte_reader_u64(&r);
		out->has |= PERF_HAS_ID;
	}
}

/* --- the file ---------------------------------------------------------------------------- */

/* Offsets in the header. A short header means that perf wrote to a pipe. */
enum header_offset {
	HEADER_OWN_SIZE = 8,
	HEADER_ATTR_SIZE = 16,
	HEADER_ATTRS = 24,
	HEADER_DATA = 40,
	HEADER_FLAGS = 72,
	HEADER_SIZE = 104,
	PIPE_HEADER_SIZE = 16,
};

#define SECTION_SIZE 16U
/* Number of ids that are read at once. */
#define IDS_AT_ONCE  512U

static struct perf_range get_range(const uint8_t *p, bool big_endian)
{
	return (struct perf_range){ get_u64(p, big_endian), get_u64(p + 8, big_endian) };
}

static int read_ids(struct perf_file *f, const struct source *src,
		    const struct perf_range *range)
{
	uint8_t ids[IDS_AT_ONCE * 8];
	uint64_t at = 0, size = range->size & ~7ULL;

	if (!range_ok(range->offset, range->size, src->size))
		return -EBADMSG;
	while (at < size) {
		uint64_t piece = SMALLER(size - at, sizeof(ids));
		int ret = source_read(src, ids, (size_t)piece, range->offset + at);

		for (uint64_t i = 0; !ret && i < piece; i += 8)
			ret = perf_attrs_add_id(&f->attrs,
						get_u64(ids + i, f->big_endian));
		if (ret)
			return ret;
		at += piece;
	}
	return 0;
}

/* Each entry is a struct perf_event_attr as of that kernel, and the location of its ids. */
static int read_attrs(struct perf_file *f, const struct source *src, uint64_t entry_size,
		      const struct perf_range *range)
{
	uint8_t entry[PERF_ATTR_SIZE_MAX + SECTION_SIZE];
	int ret = 0;

	if (entry_size < PERF_ATTR_SIZE_MIN + SECTION_SIZE ||
	    entry_size > sizeof(entry) ||
	    !range_ok(range->offset, range->size, src->size))
		return -EBADMSG;
	for (uint64_t at = 0; !ret && range->size - at >= entry_size; at += entry_size) {
		const size_t attr_size = (size_t)entry_size - SECTION_SIZE;
		struct perf_range ids;

		ret = source_read(src, entry, (size_t)entry_size, range->offset + at);
		ret = ret ?: perf_attrs_add(&f->attrs, entry, attr_size);
		ids = get_range(entry + attr_size, f->big_endian);
		ret = ret ?: read_ids(f, src, &ids);
	}
	return ret;
}

/* The bitmap consists of longs of the recording machine. Their size matters only on big-endian
 * machines, where the bit of the host name, which is set in every file, shows it.
 */
static bool has_feature(const uint8_t *flags, unsigned int nr, bool big_endian)
{
	const uint64_t host = 1U << PERF_FEATURE_HOSTNAME;

	if (!big_endian || get_u64(flags, true) & host)
		return get_u64(flags + nr / 64 * 8, big_endian) >> nr % 64 & 1;
	return get_u32(flags + nr / 32 * 4, true) >> nr % 32 & 1;
}

/* A list of ranges follows the data, one range for each bit set. */
static int read_sections(struct perf_file *f, const struct source *src,
			 const uint8_t *flags)
{
	uint64_t at = f->data.offset + f->data.size;
	uint8_t entry[SECTION_SIZE];

	for (unsigned int i = 0; i < PERF_FEATURES; i++) {
		struct perf_range range;
		int ret;

		if (!has_feature(flags, i, f->big_endian))
			continue;
		if (!range_ok(at, SECTION_SIZE, src->size)) {
			f->cut = true;
			return 0;
		}
		ret = source_read(src, entry, sizeof(entry), at);
		if (ret)
			return ret;
		at += SECTION_SIZE;
		range = get_range(entry, f->big_endian);
		if (range_ok(range.offset, range.size, src->size))
			f->sections[i] = range;
		else
			f->cut = true;
	}
	return 0;
}

static int read_seekable(struct perf_file *f, const struct source *src,
			 const uint8_t *header)
{
	const struct perf_range attrs = get_range(header + HEADER_ATTRS, f->big_endian);
	int ret;

	f->data = get_range(header + HEADER_DATA, f->big_endian);
	if (f->data.offset > src->size)
		return -EBADMSG;
	/* perf writes the size and all sections when it ends. */
	f->unfinished = !f->data.size;
	if (f->unfinished || f->data.size > src->size - f->data.offset)
		f->data.size = src->size - f->data.offset;
	ret = read_attrs(f, src, get_u64(header + HEADER_ATTR_SIZE, f->big_endian),
			 &attrs);
	if (ret || f->unfinished)
		return ret;
	return read_sections(f, src, header + HEADER_FLAGS);
}

int perf_file_read(struct perf_file *f, const struct source *src)
{
	uint8_t header[HEADER_SIZE];
	uint64_t size;
	int ret;

	if (src->size < PIPE_HEADER_SIZE)
		return -EPROTO;
	ret = source_read(src, header, PIPE_HEADER_SIZE, 0);
	if (ret)
		return ret;
	if (!memcmp(header, "PERFFILE", 8))
		return -ENOTSUP;
	if (memcmp(header, "PERFILE2", 8) != 0 && memcmp(header, "2ELIFREP", 8) != 0)
		return -EPROTO;
	f->big_endian = header[0] == '2';
	f->attrs.big_endian = f->big_endian;
	size = get_u64(header + HEADER_OWN_SIZE, f->big_endian);
	if (size == PIPE_HEADER_SIZE) {
		f->pipe = true;
		f->data = (struct perf_range){ PIPE_HEADER_SIZE,
					       src->size - PIPE_HEADER_SIZE };
		return 0;
	}
	if (size < HEADER_SIZE || src->size < HEADER_SIZE)
		return -EBADMSG;
	ret = source_read(src, header, HEADER_SIZE, 0);
	return ret ? ret : read_seekable(f, src, header);
}

void perf_file_free(struct perf_file *f)
{
	free(f->attrs.items);
	u64_map_free(&f->attrs.by_id);
}

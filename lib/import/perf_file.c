// SPDX-License-Identifier: GPL-2.0-or-later
#include "import/perf_file.h"

#include "base/bytes.h"

/* Offsets in the header. A short header means that perf wrote to a pipe. */
enum header_offset {
	AT_SIZE = 8,
	AT_ATTR_SIZE = 16,
	AT_ATTRS = 24,
	AT_DATA = 40,
	AT_FLAGS = 72,
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
		uint64_t piece = size - at < sizeof(ids) ? size - at : sizeof(ids);
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
		if (!ret)
			ret = perf_attrs_add(&f->attrs, entry, attr_size);
		ids = get_range(entry + attr_size, f->big_endian);
		if (!ret)
			ret = read_ids(f, src, &ids);
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
	const struct perf_range attrs = get_range(header + AT_ATTRS, f->big_endian);
	int ret;

	f->data = get_range(header + AT_DATA, f->big_endian);
	if (f->data.offset > src->size)
		return -EBADMSG;
	/* perf writes the size and all sections when it ends. */
	f->unfinished = !f->data.size;
	if (f->unfinished || f->data.size > src->size - f->data.offset)
		f->data.size = src->size - f->data.offset;
	ret = read_attrs(f, src, get_u64(header + AT_ATTR_SIZE, f->big_endian), &attrs);
	if (ret || f->unfinished)
		return ret;
	return read_sections(f, src, header + AT_FLAGS);
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
	size = get_u64(header + AT_SIZE, f->big_endian);
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
	perf_attrs_free(&f->attrs);
	*f = (struct perf_file){ 0 };
}

// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * tests: changes recordings.
 * In: trace.dat 6 or 7, or a stream. Out: the same with an option, a section, a sub-buffer or an
 * event changed. Data that no longer fits moves to the end of the file, and the references to it
 * change.
 */
#include <stdlib.h>
#include <string.h>
#ifdef HAVE_ZSTD
#include <zstd.h>
#endif

#include "base/compiler.h"
#include "mutate.h"
#include "recording/wire.h"

#define ROOM	    (1U << 20)
#define MAX_OPTIONS 64
#define MAX_RECORDS 256

enum { DONE = 0, BUFFER = 3, HEADER_INFO = 16, CMDLINES = 21 };

/**
 * struct file - a recording being changed
 * @at: after the page size, where the versions differ
 */
struct file {
	struct bytes *b;
	uint64_t *state;
	bool big;
	unsigned int long_size;
	uint32_t page_size;
	size_t at;
};

/* An option of @size bytes at @at in the section's content. */
struct option_at {
	uint16_t id;
	size_t at, size;
};

/* --- numbers ----------------------------------------------------------------------------- */

static uint64_t get(const uint8_t *p, unsigned int size, bool big)
{
	uint64_t v = 0;
	unsigned int i;

	for (i = 0; i < size; i++)
		v = v << 8 | p[big ? i : size - 1 - i];
	return v;
}

static void put(uint8_t *p, uint64_t v, unsigned int size, bool big)
{
	unsigned int i;

	for (i = 0; i < size; i++)
		p[big ? size - 1 - i : i] = (uint8_t)(v >> 8 * i);
}

static bool inside(const struct bytes *b, uint64_t at, uint64_t size)
{
	return at <= b->size && size <= b->size - at;
}

/* --- pages ------------------------------------------------------------------------------- */

/* The offsets of a page's events, up to @max of them. */
static size_t find_events(const uint8_t *page, size_t size, bool big,
			  unsigned int long_size, size_t *at, size_t max)
{
	size_t pos = 8 + long_size, nr = 0;
	uint64_t end = pos + (get(page + 8, long_size, big) & 0xfffff);

	while (nr < max && pos + 8 <= size && pos < end) {
		uint32_t head = (uint32_t)get(page + pos, 4, big);
		unsigned int type = big ? head >> 27 : head & 31;

		at[nr++] = pos;
		if (type && type <= 28)
			pos += 4 + 4 * type;
		else if (type >= 30)
			pos += 8;
		else
			pos += 4 + (size_t)get(page + pos + 4, 4, big);
	}
	return nr;
}

static void change_head(uint8_t *p, bool big, uint64_t *state)
{
	uint32_t head = (uint32_t)get(p, 4, big);
	unsigned int shift = big ? 27 : 0;

	if (mutate_below(state, 2))
		head = (head & ~(31U << shift)) | mutate_below(state, 32) << shift;
	else if (big)
		head = (head & 31U << 27) | (mutate_value(state) & 0x7ffffff);
	else
		head = (head & 31) | (uint32_t)(mutate_value(state) << 5);
	put(p, head, 4, big);
}

void mutate_page(uint8_t *page, size_t size, bool big, unsigned int long_size,
		 uint64_t *state)
{
	size_t at[256], nr, to, from;

	if (size < 32)
		return;
	nr = find_events(page, size, big, long_size, at, ARRAY_SIZE(at));
	switch (nr ? mutate_below(state, 8) : mutate_below(state, 2)) {
	case 0:
		put(page + 8, mutate_value(state), mutate_below(state, 2) ? 4 : 2, big);
		return;
	case 1:
		put(page, mutate_value(state), 8, big);
		return;
	case 2:
	case 3:
		change_head(page + at[mutate_below(state, nr)], big, state);
		return;
	case 4: /* one event replaces another */
		from = at[mutate_below(state, nr)];
		to = at[mutate_below(state, nr)];
		if (from + 32 <= size && to + 32 <= size)
			memmove(page + to, page + from, 4 + mutate_below(state, 29));
		return;
	default: /* a field */
		to = at[mutate_below(state, nr)] + 4 + 4 * mutate_below(state, 16);
		if (to + 8 <= size)
			put(page + to, mutate_value(state),
			    mutate_below(state, 2) ? 8 : 4, big);
	}
}

static void mutate_pages_at(struct file *f, uint8_t *data, size_t size)
{
	size_t page = f->page_size >= 256 && f->page_size <= size ? f->page_size : size;

	mutate_page(data + page * mutate_below(f->state, size / page ? size / page : 1),
		    page, f->big, f->long_size, f->state);
}

/* --- compressed blocks ------------------------------------------------------------------- */

#ifdef HAVE_ZSTD
/* {u32 compressed size, u32 size, data} in @in: decompresses it; 0 if that fails. */
static size_t open_block(struct file *f, const uint8_t *in, size_t size, uint8_t *out,
			 size_t *used)
{
	size_t packed = size < 8 ? 0 : (size_t)get(in, 4, f->big), n;

	if (!packed || packed > size - 8)
		return 0;
	*used = 8 + packed;
	n = ZSTD_decompress(out, ROOM / 2, in + 8, packed);
	return ZSTD_isError(n) ? 0 : n;
}

static size_t close_block(struct file *f, const uint8_t *in, size_t size, uint8_t *out)
{
	size_t n = ZSTD_compress(out + 8, ROOM - 8, in, size, 1);

	if (ZSTD_isError(n))
		return 0;
	put(out, n, 4, f->big);
	put(out + 4, size, 4, f->big);
	return n + 8;
}
#else
static size_t open_block(struct file *f, const uint8_t *in, size_t size, uint8_t *out,
			 size_t *used)
{
	return 0;
}

static size_t close_block(struct file *f, const uint8_t *in, size_t size, uint8_t *out)
{
	return 0;
}
#endif

/* --- version 7 --------------------------------------------------------------------------- */

/* The content of the section at @at; false if it is invalid. Free @out->data. */
static bool open_section(struct file *f, uint64_t at, struct bytes *out, bool *packed)
{
	struct bytes *b = f->b;
	uint64_t size;
	size_t used;

	if (!inside(b, at, 16))
		return false;
	*packed = get(b->data + at + 2, 2, f->big) & 1;
	size = get(b->data + at + 8, 8, f->big);
	if (size > b->size - at - 16)
		size = b->size - at - 16;
	*out = (struct bytes){ .data = malloc(ROOM), .max = ROOM / 2 };
	if (!out->data || size > out->max)
		return out->data;
	if (*packed) {
		out->size = open_block(f, b->data + at + 16, size, out->data, &used);
	} else {
		memcpy(out->data, b->data + at + 16, size);
		out->size = size;
	}
	return true;
}

/* Writes the section back in place if its size is the same, else at the end. Returns its offset. */
static uint64_t close_section(struct file *f, uint64_t at, const struct bytes *content,
			      bool packed)
{
	struct bytes *b = f->b;
	uint8_t head[16], *block = malloc(ROOM);
	const uint8_t *data = content->data;
	size_t size = content->size, end;

	memcpy(head, b->data + at, 16);
	if (block && packed) {
		size = close_block(f, content->data, content->size, block);
		data = block;
	}
	end = get(head + 8, 8, f->big) == size && inside(b, at, 16 + size) ? at : b->size;
	put(head + 8, size, 8, f->big);
	if (!block || (packed && !size) ||
	    !bytes_replace(b, end, end == at ? 16 : 0, head, 16) ||
	    !bytes_replace(b, end + 16, end == at ? size : 0, data, size))
		end = at;
	free(block);
	return end;
}

static size_t list_options(struct file *f, const struct bytes *section,
			   struct option_at *list)
{
	size_t nr = 0, at = 0;

	while (nr < MAX_OPTIONS && at + 6 <= section->size) {
		struct option_at *o = &list[nr++];

		o->id = (uint16_t)get(section->data + at, 2, f->big);
		o->size = (size_t)get(section->data + at + 2, 4, f->big);
		o->at = at + 6;
		if (o->size > section->size - o->at)
			o->size = section->size - o->at;
		at = o->at + o->size;
		if (o->id == DONE)
			break;
	}
	return nr;
}

/* Drops or duplicates an option, or changes its size, id or content. */
static void change_option(struct file *f, struct bytes *section,
			  const struct option_at *o)
{
	struct bytes part = { .data = malloc(ROOM), .max = ROOM / 2 };
	uint8_t *head = section->data + o->at - 6;

	if (!part.data)
		return;
	memcpy(part.data, head, 6 + o->size);
	switch (mutate_below(f->state, 6)) {
	case 0:
		bytes_replace(section, o->at - 6, 6 + o->size, NULL, 0);
		break;
	case 1:
		bytes_replace(section, o->at - 6, 0, part.data, 6 + o->size);
		break;
	case 2:
		put(head, mutate_below(f->state, 30), 2, f->big);
		break;
	case 3:
		put(head + 2, mutate_value(f->state), 4, f->big);
		break;
	default:
		memmove(part.data, part.data + 6, o->size);
		part.size = o->size;
		if (part.size >= 8 && mutate_below(f->state, 2))
			put(part.data + mutate_below(f->state, part.size - 7),
			    mutate_value(f->state), mutate_below(f->state, 2) ? 8 : 4,
			    f->big);
		else
			mutate_text(&part, f->state);
		if (bytes_replace(section, o->at, o->size, part.data, part.size))
			put(section->data + o->at - 4, part.size, 4, f->big);
	}
	free(part.data);
}

/* Changes a chunk of compressed pages: all data of the CPU moves to the end. */
static void change_chunk(struct file *f, uint8_t *entry, uint64_t offset, uint64_t size)
{
	struct bytes data = { .data = malloc(2 * ROOM), .max = 2 * ROOM };
	uint8_t *pages = malloc(ROOM), *block = malloc(ROOM);
	size_t at = 4, used = 0, n = 0, skip = mutate_below(f->state, 3);

	if (data.data && pages && block && size + 4 < ROOM &&
	    inside(f->b, offset, size + 4)) {
		data.size = size + 4;
		memcpy(data.data, f->b->data + offset, data.size);
		do {
			at += used;
			n = at < data.size ? open_block(f, data.data + at, data.size - at,
							pages, &used)
					   : 0;
		} while (n && skip--);
	}
	if (n) {
		mutate_pages_at(f, pages, n);
		n = close_block(f, pages, n, block);
	}
	if (n && bytes_replace(&data, at, used, block, n) &&
	    bytes_replace(f->b, f->b->size, 0, data.data, data.size)) {
		put(entry + 4, f->b->size - data.size, 8, f->big);
		put(entry + 12, data.size - 4, 8, f->big);
	}
	free(data.data);
	free(pages);
	free(block);
}

/* u64 section, name, clock, u32 page size, u32 CPUs, {u32 cpu, u64 offset, u64 size}... */
static void change_pages(struct file *f, struct bytes *section, const struct option_at *o)
{
	uint8_t *p = section->data + o->at, *end = p + o->size, *entry;
	uint64_t at, offset, size;
	uint32_t nr;
	int i;

	at = o->size >= 8 ? get(p, 8, f->big) : 0;
	for (i = 0, p += 8; i < 2 && p < end; i++, p++)
		p += strnlen((char *)p, (size_t)(end - p));
	if (end - p < 28)
		return;
	nr = (uint32_t)((end - p - 8) / 20);
	entry = p + 8 + 20 * mutate_below(f->state, nr);
	offset = get(entry + 4, 8, f->big);
	size = get(entry + 12, 8, f->big);
	if (inside(f->b, at, 16) && (get(f->b->data + at + 2, 2, f->big) & 1))
		change_chunk(f, entry, offset, size);
	else if (size && inside(f->b, offset, size))
		mutate_pages_at(f, f->b->data + offset, (size_t)size);
}

static void change_text_section(struct file *f, struct bytes *options,
				const struct option_at *o)
{
	uint64_t at = o->size >= 8 ? get(options->data + o->at, 8, f->big) : 0;
	struct bytes content;
	bool packed;

	if (!at || !open_section(f, at, &content, &packed))
		return;
	mutate_text(&content, f->state);
	/* Sometimes leaves it uncompressed. */
	if (packed && !mutate_below(f->state, 8)) {
		put(f->b->data + at + 2, 0, 2, f->big);
		packed = false;
	}
	put(options->data + o->at, close_section(f, at, &content, packed), 8, f->big);
	free(content.data);
}

static bool mutate_v7(struct file *f)
{
	struct option_at list[MAX_OPTIONS], *o;
	struct bytes options;
	uint64_t first;
	bool packed;
	size_t nr, i;

	for (i = 0; i < 2 && f->at < f->b->size; i++, f->at++)
		f->at += strnlen((char *)f->b->data + f->at, f->b->size - f->at);
	if (!inside(f->b, f->at, 8))
		return false;
	first = get(f->b->data + f->at, 8, f->big);
	if (!first || !open_section(f, first, &options, &packed))
		return false;
	nr = list_options(f, &options, list);
	if (nr) {
		o = &list[mutate_below(f->state, nr)];
		for (i = 0; i < nr && mutate_below(f->state, 2); i++)
			if (list[i].id == BUFFER)
				o = &list[i];
		if (o->id >= HEADER_INFO && o->id <= CMDLINES &&
		    mutate_below(f->state, 4))
			change_text_section(f, &options, o);
		else if (o->id == BUFFER && mutate_below(f->state, 4))
			change_pages(f, &options, o);
		else
			change_option(f, &options, o);
		first = close_section(f, first, &options, packed);
		put(f->b->data + f->at, first, 8, f->big);
	}
	free(options.data);
	return nr > 0;
}

/* --- version 6 --------------------------------------------------------------------------- */

/* Adjusts offsets of data after @at, which moved by @delta. */
static void move_data(struct file *f, size_t at, int64_t delta)
{
	uint8_t *p, *end = f->b->data + f->b->size;

	p = memmem(f->b->data + at, f->b->size - at, "flyrecord", 10);
	for (p = p ? p + 10 : end; end - p >= 16; p += 16) {
		uint64_t offset = get(p, 8, f->big);

		if (!offset || offset > f->b->size)
			return;
		put(p, offset + (uint64_t)delta, 8, f->big);
	}
}

/* Changes the text of @size at @at; its size is stored in @width bytes before it. */
static void change_v6_text(struct file *f, size_t at, size_t size, unsigned int width)
{
	struct bytes part = { .data = malloc(ROOM), .max = ROOM / 2, .size = size };

	if (part.data && size <= part.max) {
		memcpy(part.data, f->b->data + at, size);
		mutate_text(&part, f->state);
		if (bytes_replace(f->b, at, size, part.data, part.size)) {
			put(f->b->data + at - width, part.size, width, f->big);
			move_data(f, at, (int64_t)part.size - (int64_t)size);
		}
	}
	free(part.data);
}

/* Changes one of the texts that have their size in front of them. */
static bool mutate_v6(struct file *f)
{
	struct bytes *b = f->b;
	uint8_t *fly = memmem(b->data, b->size, "flyrecord", 10);
	size_t table = fly ? (size_t)(fly - b->data) + 10 : b->size;
	size_t at = f->at + mutate_below(f->state, table - f->at + 1), i;

	if (!mutate_below(f->state, 2) && inside(b, table, 16)) {
		uint64_t offset = get(b->data + table, 8, f->big);
		uint64_t size = get(b->data + table + 8, 8, f->big);

		if (size && inside(b, offset, size))
			mutate_pages_at(f, b->data + offset, (size_t)size);
		return true;
	}
	for (i = 0; i < table; i++, at = at + 1 < table ? at + 1 : f->at) {
		unsigned int width = mutate_below(f->state, 2) ? 8 : 4;
		uint64_t size;

		if (at + width > table)
			continue;
		size = get(b->data + at, width, f->big);
		if (size < 8 || size > table - at - width)
			continue;
		change_v6_text(f, at + width, (size_t)size, width);
		return true;
	}
	return false;
}

/* --- streams ----------------------------------------------------------------------------- */

static void change_record(struct file *f, size_t at, size_t size)
{
	struct bytes part = { .data = malloc(ROOM), .max = ROOM / 2, .size = size };
	uint8_t *head = f->b->data + at - WIRE_RECORD_SIZE;

	if (!part.data || size > part.max) {
		free(part.data);
		return;
	}
	memcpy(part.data, f->b->data + at, size);
	switch (mutate_below(f->state, 6)) {
	case 0:
		bytes_replace(f->b, at - WIRE_RECORD_SIZE, WIRE_RECORD_SIZE + size, NULL,
			      0);
		break;
	case 1:
		put(head + 4, mutate_value(f->state), 4, f->big);
		break;
	case 2:
		put(head + 8, mutate_value(f->state), 8, f->big);
		break;
	default:
		if (get(head, 2, f->big) == WIRE_PAGES && size)
			mutate_pages_at(f, part.data, size);
		else
			mutate_text(&part, f->state);
		if (bytes_replace(f->b, at, size, part.data, part.size))
			put(f->b->data + at - 8, part.size, 8, f->big);
	}
	free(part.data);
}

static bool mutate_stream(struct file *f)
{
	size_t at[MAX_RECORDS], nr = 0, pos = f->at, i;
	uint64_t size;

	while (nr < MAX_RECORDS && inside(f->b, pos, WIRE_RECORD_SIZE)) {
		size = get(f->b->data + pos + 8, 8, f->big);
		pos += WIRE_RECORD_SIZE;
		if (size > f->b->size - pos)
			break;
		at[nr++] = pos;
		pos += (size_t)size;
	}
	if (!nr)
		return false;
	i = at[mutate_below(f->state, nr)];
	change_record(f, i, (size_t)get(f->b->data + i - 8, 8, f->big));
	return true;
}

/* --- any of them ------------------------------------------------------------------------- */

/* "...commit;\toffset:8;\tsize:8" of the header page, if visible. */
static unsigned int find_long_size(const struct bytes *b)
{
	const uint8_t *p = memmem(b->data, b->size, "local_t commit;", 15);
	const uint8_t *end = b->data + b->size;

	p = p ? memmem(p, (size_t)(end - p), "size:", 5) : NULL;
	return p && p + 5 < end && p[5] == '4' ? 4 : 8;
}

bool mutate_recording(struct bytes *b, uint64_t *state)
{
	struct file f = { .b = b, .state = state };
	bool stream = b->size > 64 && !memcmp(b->data, WIRE_MAGIC, WIRE_MAGIC_SIZE);

	if (b->size < 64 || memcmp(b->data, "\x17\x08\x44", 3))
		return false;
	f.at = stream ? WIRE_MAGIC_SIZE : 12;
	f.big = b->data[f.at];
	f.page_size = (uint32_t)get(b->data + f.at + 2, 4, f.big);
	f.long_size = find_long_size(b);
	f.at += 6;
	if (stream)
		return mutate_stream(&f);
	if (memcmp(b->data + 3, "tracing", 7))
		return false;
	return b->data[10] == '6' ? mutate_v6(&f) : mutate_v7(&f);
}

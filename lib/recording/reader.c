// SPDX-License-Identifier: GPL-2.0-or-later
#include "recording/reader.h"

#include "base/bytes.h"

#define HOLE_STEP (64U << 10)

void reader_init(struct reader *r, const struct source *src, uint64_t pos, uint64_t end,
		 bool big_endian)
{
	r->src = src;
	r->end = end < src->size ? end : src->size;
	r->pos = pos < r->end ? pos : r->end;
	r->big_endian = big_endian;
	r->err = 0;
	r->window_at = 0;
	r->window_size = 0;
}

static void reader_fail(struct reader *r, int err)
{
	if (!r->err)
		r->err = err;
}

/* The next @size bytes (at most a window) inside the window; NULL on failure. */
static const uint8_t *reader_peek(struct reader *r, size_t size)
{
	uint64_t want;
	int err;

	if (r->err || size > r->end - r->pos) {
		reader_fail(r, -ENODATA);
		return NULL;
	}
	if (r->pos >= r->window_at &&
	    range_ok(r->pos - r->window_at, size, r->window_size))
		return r->window + (r->pos - r->window_at);
	want = r->end - r->pos;
	if (want > READER_WINDOW)
		want = READER_WINDOW;
	r->window_at = r->pos;
	r->window_size = 0;
	err = source_read(r->src, r->window, (size_t)want, r->pos);
	if (err) {
		reader_fail(r, err);
		return NULL;
	}
	r->window_size = (size_t)want;
	return r->window;
}

void reader_bytes(struct reader *r, void *buf, size_t size)
{
	const uint8_t *p;
	int err;

	if (size <= READER_WINDOW) {
		p = reader_peek(r, size);
		if (p) {
			memcpy(buf, p, size);
			r->pos += size;
			return;
		}
	} else if (!r->err && size <= r->end - r->pos) {
		err = source_read(r->src, buf, size, r->pos);
		if (!err) {
			r->pos += size;
			return;
		}
		reader_fail(r, err);
	} else {
		reader_fail(r, -ENODATA);
	}
	memset(buf, 0, size);
}

static uint64_t reader_uint(struct reader *r, unsigned int size)
{
	const uint8_t *p = reader_peek(r, size);

	if (!p)
		return 0;
	r->pos += size;
	return get_uint(p, size, r->big_endian);
}

uint16_t reader_u16(struct reader *r)
{
	return (uint16_t)reader_uint(r, 2);
}

uint32_t reader_u32(struct reader *r)
{
	return (uint32_t)reader_uint(r, 4);
}

uint64_t reader_u64(struct reader *r)
{
	return reader_uint(r, 8);
}

char *reader_name(struct reader *r)
{
	uint64_t left = reader_left(r);
	size_t size = left < READER_MAX_NAME ? (size_t)left : READER_MAX_NAME;
	const uint8_t *p = reader_peek(r, size), *nul;
	char *name;

	nul = p ? memchr(p, 0, size) : NULL;
	if (!nul) {
		reader_fail(r, -EBADMSG);
		return NULL;
	}
	name = strdup((const char *)p);
	if (!name)
		reader_fail(r, -ENOMEM);
	r->pos += (uint64_t)(nul - p) + 1;
	return name;
}

/* No text has a hole, but a claimed size can reach over one, of any size. */
static bool has_hole(const struct reader *r, uint64_t size)
{
	for (uint64_t at = r->pos; size >= HOLE_STEP && at - r->pos < size;
	     at += HOLE_STEP)
		if (source_next_data(r->src, at) != at)
			return true;
	return false;
}

char *reader_text(struct reader *r, uint64_t size)
{
	char *text;

	if (r->err || size > r->end - r->pos) {
		reader_fail(r, -ENODATA);
		return NULL;
	}
	if (size > READER_MAX_TEXT || has_hole(r, size)) {
		reader_fail(r, -EBADMSG);
		return NULL;
	}
	text = malloc((size_t)size + 1);
	if (!text) {
		reader_fail(r, -ENOMEM);
		return NULL;
	}
	reader_bytes(r, text, (size_t)size);
	text[size] = 0;
	if (r->err) {
		free(text);
		return NULL;
	}
	return text;
}

bool reader_tag(struct reader *r, const char *tag, size_t size)
{
	const uint8_t *p = reader_peek(r, size);

	if (!p)
		return false;
	if (memcmp(p, tag, size)) {
		reader_fail(r, -EBADMSG);
		return false;
	}
	r->pos += size;
	return true;
}

void reader_skip(struct reader *r, uint64_t size)
{
	if (r->err || size > r->end - r->pos)
		reader_fail(r, -ENODATA);
	else
		r->pos += size;
}

// SPDX-License-Identifier: GPL-2.0-or-later
#include "recording/reader.h"

#include "base/bytes.h"

#define HOLE_STEP (64U << 10)

void reader_init(struct reader *r, const struct source *src, uint64_t pos, uint64_t end,
		 bool big_endian)
{
	r->src = src;
	r->end = SMALLER(end, src->size);
	r->pos = SMALLER(pos, r->end);
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

/* Are there @size more bytes? If not, that is a failure. */
static bool reader_has(struct reader *r, uint64_t size)
{
	if (!r->err && size <= r->end - r->pos)
		return true;
	reader_fail(r, -ENODATA);
	return false;
}

/* The next @size bytes (at most a window) inside the window; NULL on failure. */
static const uint8_t *reader_peek(struct reader *r, size_t size)
{
	uint64_t want;
	int err;

	if (!reader_has(r, size))
		return NULL;
	if (r->pos >= r->window_at &&
	    range_ok(r->pos - r->window_at, size, r->window_size))
		return r->window + (r->pos - r->window_at);
	want = r->end - r->pos;
	want = SMALLER(want, READER_WINDOW);
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
	const uint8_t *p = size <= READER_WINDOW ? reader_peek(r, size) : NULL;

	if (p)
		memcpy(buf, p, size);
	else if (reader_has(r, size))
		reader_fail(r, source_read(r->src, buf, size, r->pos));
	if (r->err)
		memset(buf, 0, size);
	else
		r->pos += size;
}

uint64_t reader_uint(struct reader *r, unsigned int size)
{
	const uint8_t *p = reader_peek(r, size);

	if (!p)
		return 0;
	r->pos += size;
	return get_uint(p, size, r->big_endian);
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

/* No text has a hole, but a claimed size can span one, of any size. */
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

	if (!reader_has(r, size))
		return NULL;
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
	if (reader_has(r, size))
		r->pos += size;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * base: a large buffer in front of a write function, for millions of short lines.
 * In: numbers and text. Out: the same as text, passed on in large pieces.
 */
#ifndef KMEMX_BASE_OUTBUF_H
#define KMEMX_BASE_OUTBUF_H

#include "base/keyed.h"
#include "base/strbuf.h"

/**
 * struct outbuf - the buffer; outbuf_init() it
 * @pos: position of the next byte; @start <= @pos <= @end
 * @write: receives full buffers; returns 0, or -errno, which is kept
 * @err: the first failure; later additions are dropped
 */
struct outbuf {
	char *pos, *start, *end;
	int (*write)(void *ctx, const char *data, size_t size);
	void *ctx;
	int err;
};

/* No number has more digits, and no other piece except text is longer. */
#define OUTBUF_NUMBER 24U

/* 0 or -ENOMEM. */
int outbuf_init(struct outbuf *ob, int (*write)(void *ctx, const char *data, size_t size),
		void *ctx) __must_check;
/* Passes everything on. Return: 0, or the first error. */
int outbuf_flush(struct outbuf *ob);
void outbuf_free(struct outbuf *ob);
/* Adds a text of any length; calls outbuf_flush(). */
void outbuf_add_slow(struct outbuf *ob, const void *data, size_t size);

static inline void outbuf_add(struct outbuf *ob, const void *data, size_t size)
{
	if (unlikely(size > (size_t)(ob->end - ob->pos))) {
		outbuf_add_slow(ob, data, size);
		return;
	}
	memcpy(ob->pos, data, size);
	ob->pos += size;
}

static inline void outbuf_puts(struct outbuf *ob, const char *text)
{
	outbuf_add(ob, text, strlen(text));
}

static inline void outbuf_char(struct outbuf *ob, char c)
{
	if (unlikely(ob->pos == ob->end))
		outbuf_flush(ob);
	*ob->pos++ = c;
}

/* Decimal, padded on the left with @fill to at least @width characters. @width is at most 20. */
void outbuf_dec_wide(struct outbuf *ob, uint64_t value, unsigned int width, char fill);
void outbuf_dec(struct outbuf *ob, uint64_t value);
void outbuf_int(struct outbuf *ob, int64_t value);
/* Lower-case hex digits without 0x, at least @digits (1 to 16) of them. */
void outbuf_hex(struct outbuf *ob, uint64_t value, unsigned int digits);

struct cached_text {
	char *text; /* NUL terminated */
	size_t size;
};

/**
 * struct text_cache - zero-initialise it except for @fill and @ctx
 * @fill: appends the text of @key; called when @key is not in the cache
 */
struct text_cache {
	void (*fill)(void *ctx, uint64_t key, struct strbuf *out);
	void *ctx;
	INDEXED(struct cached_text) texts; /* by key */
	uint64_t last_key; /* of the last call; valid only if @last is set */
	const struct cached_text *last;
};

/* A cache with this many texts is emptied before it gets another one. */
#define TEXT_CACHE_MAX 65536U

/* Makes the text of a new key; same result as text_cache_get(). */
const struct cached_text *text_cache_find(struct text_cache *tc, uint64_t key);
void text_cache_free(struct text_cache *tc);

/* The text, valid until the next call; NULL if memory ran out. */
static inline const struct cached_text *text_cache_get(struct text_cache *tc,
						       uint64_t key)
{
	if (tc->last && tc->last_key == key)
		return tc->last;
	return text_cache_find(tc, key);
}

#endif

// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/outbuf.h"

#define OUTBUF_SIZE (256U << 10)

int outbuf_init(struct outbuf *ob, int (*write)(void *ctx, const char *data, size_t size),
		void *ctx)
{
	*ob = (struct outbuf){ .write = write, .ctx = ctx };
	ob->start = ob->pos = malloc(OUTBUF_SIZE);
	if (!ob->start)
		return -ENOMEM;
	ob->end = ob->start + OUTBUF_SIZE;
	return 0;
}

int outbuf_flush(struct outbuf *ob)
{
	if (!ob->err && ob->pos != ob->start)
		ob->err = ob->write(ob->ctx, ob->start, (size_t)(ob->pos - ob->start));
	ob->pos = ob->start;
	return ob->err;
}

void outbuf_free(struct outbuf *ob)
{
	free(ob->start);
	*ob = (struct outbuf){ 0 };
}

void outbuf_add_slow(struct outbuf *ob, const void *data, size_t size)
{
	outbuf_flush(ob);
	if (size <= OUTBUF_SIZE) {
		memcpy(ob->pos, data, size);
		ob->pos += size;
	} else if (!ob->err) {
		ob->err = ob->write(ob->ctx, data, size);
	}
}

static const char two_digits[] = "00010203040506070809101112131415161718192021222324"
				 "25262728293031323334353637383940414243444546474849"
				 "50515253545556575859606162636465666768697071727374"
				 "75767778798081828384858687888990919293949596979899";

/* Writes the digits so that they end before @end; returns where they begin. */
static inline char *digits_before(char *end, uint64_t value)
{
	while (value >= 100) {
		end -= 2;
		memcpy(end, two_digits + value % 100 * 2, 2);
		value /= 100;
	}
	if (value >= 10) {
		end -= 2;
		memcpy(end, two_digits + value * 2, 2);
	} else {
		*--end = (char)('0' + value);
	}
	return end;
}

void outbuf_dec_wide(struct outbuf *ob, uint64_t value, unsigned int width, char fill)
{
	char text[OUTBUF_NUMBER], *end = text + sizeof(text);
	char *p = digits_before(end, value);

	while ((size_t)(end - p) < width)
		*--p = fill;
	outbuf_add(ob, p, (size_t)(end - p));
}

void outbuf_dec(struct outbuf *ob, uint64_t value)
{
	char text[OUTBUF_NUMBER], *end = text + sizeof(text);
	char *p = digits_before(end, value);

	outbuf_add(ob, p, (size_t)(end - p));
}

void outbuf_int(struct outbuf *ob, int64_t value)
{
	if (value < 0)
		outbuf_char(ob, '-');
	outbuf_dec(ob, value < 0 ? -(uint64_t)value : (uint64_t)value);
}

void outbuf_hex(struct outbuf *ob, uint64_t value, unsigned int digits)
{
	char text[16], *end = text + sizeof(text), *p = end;

	do
		*--p = "0123456789abcdef"[value & 15];
	while ((value >>= 4) || (size_t)(end - p) < digits);
	outbuf_add(ob, p, (size_t)(end - p));
}

static const struct cached_text *make(struct text_cache *tc, uint64_t key)
{
	struct strbuf sb = { 0 };
	struct cached_text text, *made;

	if (tc->texts.nr >= TEXT_CACHE_MAX)
		text_cache_free(tc);
	tc->fill(tc->ctx, key, &sb);
	text.size = sb.size;
	text.text = strbuf_detach(&sb);
	made = text.text ? INDEXED_ITEM(&tc->texts, key) : NULL;
	if (made)
		*made = text;
	else
		free(text.text);
	return made;
}

const struct cached_text *text_cache_find(struct text_cache *tc, uint64_t key)
{
	const uint32_t *known = u64_map_find(&tc->texts.index, key);

	tc->last = known ? &tc->texts.of[*known] : make(tc, key);
	tc->last_key = key;
	return tc->last;
}

void text_cache_free(struct text_cache *tc)
{
	for (size_t i = 0; i < tc->texts.nr; i++)
		free(tc->texts.of[i].text);
	INDEXED_FREE(&tc->texts);
	*tc = (struct text_cache){ .fill = tc->fill, .ctx = tc->ctx };
}

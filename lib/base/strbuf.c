// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/strbuf.h"

#include <stdarg.h>

/* Makes room for @extra bytes and the NUL. */
static bool strbuf_reserve(struct strbuf *sb, size_t extra)
{
	size_t capacity = sb->capacity ? sb->capacity : 64;
	size_t need;
	char *data;

	if (sb->failed)
		return false;
	if (__builtin_add_overflow(sb->size, extra, &need) ||
	    __builtin_add_overflow(need, (size_t)1, &need))
		goto fail;
	if (need <= sb->capacity)
		return true;
	while (capacity < need) {
		if (__builtin_mul_overflow(capacity, (size_t)2, &capacity))
			goto fail;
	}
	data = realloc(sb->data, capacity);
	if (!data)
		goto fail;
	sb->data = data;
	sb->capacity = capacity;
	return true;
fail:
	sb->failed = true;
	return false;
}

void strbuf_add(struct strbuf *sb, const void *data, size_t size)
{
	if (!strbuf_reserve(sb, size))
		return;
	if (size)
		memcpy(sb->data + sb->size, data, size);
	sb->size += size;
	sb->data[sb->size] = '\0';
}

void strbuf_puts(struct strbuf *sb, const char *text)
{
	strbuf_add(sb, text, strlen(text));
}

void strbuf_fill(struct strbuf *sb, char c, size_t nr)
{
	if (!strbuf_reserve(sb, nr))
		return;
	memset(sb->data + sb->size, c, nr);
	sb->size += nr;
	sb->data[sb->size] = '\0';
}

void strbuf_printf(struct strbuf *sb, const char *fmt, ...)
{
	size_t room = sb->capacity - sb->size;
	va_list ap, again;
	int len;

	if (sb->failed)
		return;
	va_start(ap, fmt);
	va_copy(again, ap);
	/* Usually it fits; if not, it is formatted a second time. */
	len = vsnprintf(room ? sb->data + sb->size : NULL, room, fmt, ap);
	va_end(ap);
	if (len < 0) {
		sb->failed = true;
	} else if ((size_t)len < room) {
		sb->size += (size_t)len;
	} else if (strbuf_reserve(sb, (size_t)len)) {
		vsnprintf(sb->data + sb->size, (size_t)len + 1, fmt, again);
		sb->size += (size_t)len;
	}
	va_end(again);
	if (sb->failed && sb->data)
		sb->data[sb->size] = '\0';
}

void strbuf_reset(struct strbuf *sb)
{
	sb->size = 0;
	sb->failed = false;
	if (sb->data)
		sb->data[0] = '\0';
}

const char *strbuf_text(const struct strbuf *sb)
{
	return sb->data ? sb->data : "";
}

char *strbuf_detach(struct strbuf *sb)
{
	char *data;

	strbuf_reserve(sb, 0);
	if (sb->failed) {
		strbuf_free(sb);
		return NULL;
	}
	data = sb->data;
	data[sb->size] = '\0';
	*sb = (struct strbuf){ 0 };
	return data;
}

void strbuf_free(struct strbuf *sb)
{
	free(sb->data);
	*sb = (struct strbuf){ 0 };
}

bool text_same(const char *a, const char *b)
{
	return a && b ? !strcmp(a, b) : a == b;
}

bool text_ends(const char *text, const char *with)
{
	size_t size = strlen(text), end = strlen(with);

	return size > end && !strcmp(text + size - end, with);
}

bool text_has_word(const char *text, char separator, const char *word)
{
	const size_t size = strlen(word);
	const char *end;

	for (;; text = end + 1) {
		end = strchrnul(text, separator);
		if ((size_t)(end - text) == size && !memcmp(text, word, size))
			return true;
		if (!*end)
			return false;
	}
}

char *text_next_word(char **list)
{
	char *word = strsep(list, ",");
	size_t size;

	word += strspn(word, " ");
	for (size = strlen(word); size && word[size - 1] == ' '; size--)
		word[size - 1] = '\0';
	return word;
}

const char *text_after_slash(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

const char *text_next_line(const char *text)
{
	text += strcspn(text, "\n");
	return text + (*text == '\n');
}

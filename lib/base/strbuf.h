/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * base: a growing byte buffer, always NUL terminated.
 * In: bytes, text, formatted text. Out: one contiguous allocation.
 */
#ifndef KMEMX_BASE_STRBUF_H
#define KMEMX_BASE_STRBUF_H

#include "base/compiler.h"

/**
 * struct strbuf - the buffer; zero-initialise it
 * @data: NULL until something is added, then NUL terminated
 * @size: bytes without the NUL
 * @failed: memory ran out; later additions do nothing. Check it at the end.
 */
struct strbuf {
	char *data;
	size_t size;
	size_t capacity;
	bool failed;
};

void strbuf_add(struct strbuf *sb, const void *data, size_t size);
void strbuf_puts(struct strbuf *sb, const char *text);
/* Appends @c @nr times. */
void strbuf_fill(struct strbuf *sb, char c, size_t nr);
void strbuf_printf(struct strbuf *sb, const char *fmt, ...) __printf_fmt(2, 3);
/* Drops the content, keeps the memory and clears @failed. */
void strbuf_reset(struct strbuf *sb);
/* The text, never NULL; owned by @sb until its next change. */
const char *strbuf_text(const struct strbuf *sb);
/* Hands the text to the caller, who frees it; NULL if memory ran out. @sb is empty afterwards. */
char *strbuf_detach(struct strbuf *sb);
void strbuf_free(struct strbuf *sb);

/* A local strbuf with this is freed when its block is left. */
#define __auto_free __attribute__((cleanup(strbuf_free)))

/* Are they the same, or both NULL? */
bool text_same(const char *a, const char *b);
/* Does @text end in @with, and is there something before it? */
bool text_ends(const char *text, const char *with);
/* Is @word one of the words of @text, which have @separator between them? */
bool text_has_word(const char *text, char separator, const char *word);
/* The next word of the comma-separated @list, without blanks around it. As with strsep(3), the list
 * is cut up, and *@list is NULL after the last word.
 */
char *text_next_word(char **list);
/* The part of @path after its last slash, or @path itself if it has no slash. */
const char *text_after_slash(const char *path);
/* What follows the first line of @text. */
const char *text_next_line(const char *text);

/* The plural ending of a noun after @nr: "%u CPU%s". */
static inline const char *plural(uint64_t nr)
{
	return nr == 1 ? "" : "s";
}

#endif

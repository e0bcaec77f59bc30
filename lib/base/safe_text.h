/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * base: names that others chose, safe to show.
 * In: a task's name, a path, a symbol: any bytes. Out: printable UTF-8, without a character
 * that a terminal would obey, or that would hide or reorder others.
 */
#ifndef KMEMX_BASE_SAFE_TEXT_H
#define KMEMX_BASE_SAFE_TEXT_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/strbuf.h"

/**
 * safe_text_add() - append a name that others chose
 * @size: of @text, which need not end in a NUL
 *
 * Printable UTF-8 is unchanged. Each byte of anything else becomes "\x1b": of control
 * characters (C0, DEL, C1), directions, line and paragraph separators, characters that have
 * no shape, noncharacters, what is no UTF-8. A backslash becomes two where it would be taken
 * for a part of that, before an x, a backslash or such a byte: no two names look the same.
 *
 * It is done once for each name, where it becomes text for people or for CSV.
 */
void safe_text_add(struct strbuf *sb, const char *text, size_t size);
void safe_text_puts(struct strbuf *sb, const char *text);

/**
 * safe_text_vprintf() - append a message whose arguments are made safe
 *
 * The line breaks in @fmt stay; all else, the arguments' too, is safe_text_add()ed.
 */
void safe_text_vprintf(struct strbuf *sb, const char *fmt, va_list args)
	__printf_fmt(2, 0);

/* Does safe_text_add() leave @c unchanged? */
bool safe_text_is(uint32_t c);
/* The character at @text: its length, and its code point; 0 if it is no UTF-8 (shortest form,
 * no surrogate, up to U+10FFFF) or @size is 0.
 */
size_t safe_text_char(const char *text, size_t size, uint32_t *c);

#endif

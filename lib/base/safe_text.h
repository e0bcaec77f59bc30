/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * base: untrusted names, made safe to show.
 * In: a task's name, a path, a symbol: any bytes. Out: printable UTF-8 without characters that
 * control a terminal, or hide or reorder others.
 */
#ifndef KMEMX_BASE_SAFE_TEXT_H
#define KMEMX_BASE_SAFE_TEXT_H

#include <stdarg.h>

#include "base/strbuf.h"

/**
 * safe_text_add() - append an untrusted name
 * @size: of @text, which need not end in a NUL
 *
 * Printable UTF-8 is unchanged. Any other byte becomes an escape such as "\x1b": control
 * characters (C0, DEL, C1), directions, line and paragraph separators, invisible characters,
 * noncharacters, invalid UTF-8. A backslash is doubled if it would look like part of an escape:
 * before an x, a backslash or an escaped byte. So no two names look the same.
 *
 * Escape each name once, when it becomes text for people or for CSV.
 */
void safe_text_add(struct strbuf *sb, const char *text, size_t size);
void safe_text_puts(struct strbuf *sb, const char *text);

/**
 * safe_text_vprintf() - append a message whose arguments are made safe
 *
 * The line breaks in @fmt stay; all else is escaped as by safe_text_add().
 */
void safe_text_vprintf(struct strbuf *sb, const char *fmt, va_list args)
	__printf_fmt(2, 0);

/* Does safe_text_add() leave @c unchanged? */
bool safe_text_is(uint32_t c);
/* Decodes the character at @text: returns its length and its code point; 0 if it is not valid UTF-8
 * (shortest form, no surrogate, up to U+10FFFF) or @size is 0.
 */
size_t safe_text_char(const char *text, size_t size, uint32_t *c);

/* Names quoted for a shell. */

/* Appends the @size bytes at @text as one word, in single quotes if needed. */
void shell_word(struct strbuf *sb, const char *text, size_t size);

/* Room for a quoted name of 4096 bytes, all of them single quotes. */
struct shell_name {
	char text[4 * 4096 + 3];
};

/* @name as one word, in @room; a longer name is returned unquoted. */
const char *shell_name(struct shell_name *room, const char *name);
/* For an argument of a message that suggests a command; valid until the end of the block. */
#define SHELL_NAME(name) shell_name(&(struct shell_name){ .text = "" }, name)

#endif

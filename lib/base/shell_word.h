/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * base: names quoted for a shell.
 * In: any name. Out: text that a shell reads as that name, whatever it contains.
 */
#ifndef KMEMX_BASE_SHELL_WORD_H
#define KMEMX_BASE_SHELL_WORD_H

#include "base/strbuf.h"

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

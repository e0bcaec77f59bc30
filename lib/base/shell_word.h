/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * base: names as words of a shell's command.
 * In: any name. Out: text that a shell takes for that name, whatever is in it.
 */
#ifndef KMEMX_BASE_SHELL_WORD_H
#define KMEMX_BASE_SHELL_WORD_H

#include "base/strbuf.h"

/* Appends the @size bytes at @text as one word: in single quotes where it needs them. */
void shell_word(struct strbuf *sb, const char *text, size_t size);

/* Room for a name of 4096 bytes, in quotes, each of them a single quote. */
struct shell_name {
	char text[4 * 4096 + 3];
};

/* @name as one word, in @room; a name too long for that as it is. */
const char *shell_name(struct shell_name *room, const char *name);
/* For an argument of a message that suggests a command: it lives until the block ends. */
#define SHELL_NAME(name) shell_name(&(struct shell_name){ .text = "" }, name)

#endif

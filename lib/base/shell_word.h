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

#endif

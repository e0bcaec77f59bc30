/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * symbol (internal): one line of kallsyms or System.map.
 * In: untrusted text. Out: its address, type, name and module.
 */
#ifndef KMEMX_SYMBOL_SYMBOL_LINE_H
#define KMEMX_SYMBOL_SYMBOL_LINE_H

#include "base/compiler.h"

/**
 * struct symbol_line - the parts of a line; texts point into it and have no NUL
 * @module_len: 0 for the kernel itself
 */
struct symbol_line {
	uint64_t addr;
	const char *name, *module;
	size_t name_len, module_len;
	char type;
};

/**
 * symbol_line_read() - read one line of a text; skips empty ones
 * @p: current position; moved after the line
 *
 * A line is "addr type name" and, for modules, "[module]" after blanks. Return: 1; 0 at the end;
 * -EBADMSG for any other line.
 */
int symbol_line_read(struct symbol_line *line, const char **p, const char *end);
/* Is it code, and not what nm calls data, constants, absolute or common? */
bool symbol_line_is_text(const struct symbol_line *line);

/**
 * symbol_line_next() - the next readable line of a text
 * @p: current position; moved after the line
 *
 * Return: false at the end; unreadable lines are skipped.
 */
bool symbol_line_next(struct symbol_line *line, const char **p, const char *end);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * symbol: kernel addresses as names.
 * In: kallsyms or System.map text. Out: the symbol that contains an address.
 */
#ifndef KMEMX_SYMBOL_SYMBOLS_H
#define KMEMX_SYMBOL_SYMBOLS_H

#include "base/log.h"
#include "base/strbuf.h"

struct symbol {
	uint64_t addr;
	uint64_t size; /* up to the next symbol; 0 if it is the last */
	const char *name;
	const char *module; /* NULL for the kernel itself */
};

struct symbols;

/* User frames lie in [SYMBOLS_USER, 2 * SYMBOLS_USER), see recording/user_maps.h. No kernel does:
 * 64-bit kernels begin at 0, or lie in the upper half.
 */
#define SYMBOLS_USER (1ULL << 62)

static inline bool symbols_is_user(uint64_t addr)
{
	return addr >> 62 == 1;
}

/**
 * symbols_new() - index symbols
 * @text: kallsyms or System.map lines ("addr type name[\t[module]]"); copied; may be NULL
 *
 * Indexes text symbols. Among aliases, prefers names without a leading underscore or a '.', then
 * global ones. All-zero addresses (kptr_restrict) give an empty table. Lines that do not parse are
 * skipped and counted. Return: 0 or -ENOMEM.
 */
int symbols_new(struct symbols **out, const char *text, size_t size,
		const struct log *log) __must_check;
/* The same, but takes ownership of @text, even on failure: allocated with malloc(), with room for
 * one more byte after @size; or NULL.
 */
int symbols_take(struct symbols **out, char *text, size_t size,
		 const struct log *log) __must_check;
/* Adds the symbols of programs, in the same format. They can be found, but are not counted or
 * listed. 0 or -ENOMEM.
 */
int symbols_add_user(struct symbols *syms, const char *text, size_t size,
		     const struct log *log) __must_check;
void symbols_free(struct symbols *syms);
size_t symbols_count(const struct symbols *syms);
/* Were all addresses zero (kptr_restrict)? */
bool symbols_hidden(const struct symbols *syms);
/* The symbol that contains @addr: 1 and @sym, or 0. The table owns the strings. An address below
 * the first text symbol, or more than 1 MiB after the nearest one (at the end of the map, or in a
 * hole), has no symbol.
 */
int symbols_find(const struct symbols *syms, uint64_t addr, struct symbol *sym);
/* The @i-th symbol by address: 1 and @sym, or 0 past the end. */
int symbols_at(const struct symbols *syms, size_t i, struct symbol *sym);
/* "name+0x1f [module]", or "0xffff..." without a symbol. */
void symbols_format(const struct symbols *syms, uint64_t addr, struct strbuf *out);

/* One line of kallsyms or System.map. */

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
/* Is it code? That is, not a type that nm uses for data, constants, absolute or common symbols. */
bool symbol_line_is_text(const struct symbol_line *line);

/**
 * symbol_line_next() - the next readable line of a text
 * @p: current position; moved after the line
 *
 * Return: false at the end; unreadable lines are skipped.
 */
bool symbol_line_next(struct symbol_line *line, const char **p, const char *end);
/* Appends the line with @offset added to its address. */
void symbol_line_add(struct strbuf *out, const struct symbol_line *line, uint64_t offset);

/* Names without the parts that differ between builds. */

/* Length of @name without the compiler's suffixes (.isra.0, .constprop.0, .part.0, .cold,
 * .llvm.123, .lto_priv.0) and without _noprof, which 6.10 added to allocators.
 */
size_t symbol_plain_length(const char *name);
/* Copies @name without these suffixes to @plain of @size bytes. False: it was truncated. */
bool symbol_plain(const char *name, char *plain, size_t size);
/* Does @name equal @pattern, or begin with it if @pattern ends with '*'? */
bool symbol_matches(const char *name, const char *pattern);

#endif

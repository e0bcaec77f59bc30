/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * symbol: the source functions and lines of a recording's addresses.
 * In: debug information of its kernel and modules; what the recording says about programs. Out:
 * frames, innermost first.
 */
#ifndef KMEMX_SYMBOL_SOURCE_LINES_H
#define KMEMX_SYMBOL_SOURCE_LINES_H

#include "symbol/directories.h"
#include "symbol/symbols.h"

struct source_lines;

/**
 * source_lines_new() - prepare look-ups for one recording
 * @sources: borrowed, like @syms; the source tree in it gives no lines
 * @offset: KASLR offset, added to vmlinux's addresses
 *
 * Return: 0 or -ENOMEM.
 */
int source_lines_new(struct source_lines **out, const struct directory_sources *sources,
		     const struct symbols *syms, uint64_t offset) __must_check;
void source_lines_free(struct source_lines *lines);
/* Adds the lines of programs (struct user_texts in symbol/user_symbols.h). A line that does not
 * parse is skipped. 0 or -ENOMEM.
 */
int source_lines_add_user(struct source_lines *lines, const char *text) __must_check;
/* Is there debug information for the kernel or for modules? False for NULL. */
bool source_lines_of_kernel(const struct source_lines *lines);

/**
 * source_lines_find() - find the frames of one address
 * @addr: a return address, as in callsites and stacks
 * @frames: receives the functions at the address; NULL if unknown. @lines owns them and their
 *	texts.
 *
 * Each address is looked up once. If debug information does not name the function that contains the
 * code (assembly), its symbol does.
 *
 * Return: how many; 0 also if memory ran out: see source_lines_failed().
 */
size_t source_lines_find(struct source_lines *lines, uint64_t addr,
			 const struct source_frame **frames);
/* Did memory run out in any of the calls? False for NULL. */
bool source_lines_failed(const struct source_lines *lines);

/**
 * struct source_line_counts - addresses of the kernel looked up
 * @unknown: those of @all without a line
 * @given_up: a file needs more work than its size allows and is no longer used
 */
struct source_line_counts {
	size_t all, unknown;
	bool given_up;
};

struct source_line_counts source_lines_counts(const struct source_lines *lines);

#endif

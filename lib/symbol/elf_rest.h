/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * symbol: what the bytes of a kernel are that no symbol has.
 * In: the layout of vmlinux. Out: pieces with a group, a name and a size.
 */
#ifndef KMEMX_SYMBOL_ELF_REST_H
#define KMEMX_SYMBOL_ELF_REST_H

#include <stddef.h>
#include <stdint.h>

#include "base/compiler.h"
#include "symbol/elf_layout.h"

/**
 * struct elf_rest - some of the bytes of a section that no symbol has
 * @group: what they are: "alignment padding", "strings", "BTF", ..., "others"
 * @label: the symbol without a size at their beginning, the layout's; NULL: all others of the
 *	   section that are of this group
 * @section: number in the layout's sections
 */
struct elf_rest {
	const char *group, *label;
	uint32_t section;
	uint64_t bytes;
};

struct elf_rests {
	struct elf_rest *items;
	size_t nr, capacity;
};

/**
 * elf_rests_read() - tell apart what no symbol has
 * @rests: zero-initialised
 *
 * Of each section the sizes add up to its bytes that no symbol has. Known sections and tables
 * (BTF, kallsyms, ...) count by their names. Of the others:
 * - alignment padding: what fills up to an address that is a multiple of more than its size, and
 *   in code runs of a byte that fills gaps;
 * - strings: readable texts that end with NUL, and the zeros that align them.
 *
 * Takes time in proportion to the bytes that no symbol has.
 *
 * Return: 0; -ENOMEM. elf_rests_free() in any case.
 */
int elf_rests_read(struct elf_rests *rests, const struct elf_layout *layout) __must_check;
void elf_rests_free(struct elf_rests *rests);

#endif

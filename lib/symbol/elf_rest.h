/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * symbol: the bytes of a kernel that have no symbol.
 * In: the layout of vmlinux. Out: pieces with a group, a name and a size.
 */
#ifndef KMEMX_SYMBOL_ELF_REST_H
#define KMEMX_SYMBOL_ELF_REST_H

#include "symbol/elf_layout.h"

/**
 * struct elf_rest - some bytes of a section without a symbol
 * @group: "alignment padding", "strings", "BTF", ..., "others"
 * @label: the symbol without a size at their beginning, owned by the layout; NULL: all other bytes
 *	of this group in the section
 * @section: index in the layout's sections
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
 * elf_rests_read() - group the bytes without a symbol
 * @rests: zero-initialised
 *
 * In each section, the sizes add up to its bytes without a symbol. Known sections and tables (BTF,
 * kallsyms, ...) are grouped by name. The other bytes are:
 * - alignment padding: fills up to an address that is a multiple of more than the padding's size;
 *   in code, also runs of one fill byte;
 * - strings: readable texts that end in NUL, and the zeros that align them;
 * - others.
 *
 * Takes time in proportion to the bytes without a symbol.
 *
 * Return: 0; -ENOMEM. Call elf_rests_free() in any case.
 */
int elf_rests_read(struct elf_rests *rests, const struct elf_layout *layout) __must_check;
void elf_rests_free(struct elf_rests *rests);

#endif

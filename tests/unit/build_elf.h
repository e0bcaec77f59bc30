/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tests: builds small kernels' ELF files.
 */
#ifndef KMEMX_TESTS_BUILD_ELF_H
#define KMEMX_TESTS_BUILD_ELF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct elf_symbol {
	uint64_t addr;
	const char *name;
	unsigned char info; /* ELF64_ST_INFO(); 0: a global function */
};

/* What the file holds; a .text section of @code_size bytes at @code_addr. */
struct elf_build {
	bool is_64, big_endian;
	uint16_t machine;
	const struct elf_symbol *symbols;
	size_t nr_symbols;
	const void *code;
	size_t code_size;
	uint64_t code_addr;
	const uint8_t *build_id; /* of 20 bytes; NULL: none */
};

/* An open file without a name, at its start. */
int build_elf(const struct elf_build *b);

#endif

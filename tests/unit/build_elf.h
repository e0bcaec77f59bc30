/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tests: builds ELF files of small kernels.
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

/* A symbol with a size. @section: 0 is .text; 1, 2, ... are those of @more; or ELF_BUILD_ABS. */
struct elf_sized {
	uint64_t addr;
	const char *name;
	unsigned char info;
	uint64_t size;
	unsigned int section;
};

#define ELF_BUILD_ABS 1000

/* An additional section, filled with zeros. build_elf.c lists the possible names. */
struct elf_more {
	const char *name;
	uint32_t type, flags;
	uint64_t addr, size;
};

/* The content of the file; .text has @code_size bytes at @code_addr. */
struct elf_build {
	bool is_64, big_endian;
	uint16_t machine;
	const struct elf_symbol *symbols;
	size_t nr_symbols;
	const struct elf_sized *sized; /* instead of @symbols */
	size_t nr_sized;
	const void *code;
	size_t code_size;
	uint64_t code_addr;
	const struct elf_more *more;
	size_t nr_more;
	const void *more_content; /* content of @more[0]; NULL: zeros */
	bool relocatable;
	const uint8_t *build_id; /* 20 bytes, or NULL for none */
};

/* Returns an open unnamed file, positioned at its start. */
int build_elf(const struct elf_build *b);

#endif

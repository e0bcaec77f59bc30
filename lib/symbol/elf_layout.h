/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * symbol: what the memory of an ELF file is taken by.
 * In: vmlinux, or a module. Out: its sections, and the symbols in them with their sizes.
 */
#ifndef KMEMX_SYMBOL_ELF_LAYOUT_H
#define KMEMX_SYMBOL_ELF_LAYOUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/compiler.h"

/* Code; what is only read; what is written and has initial values; what begins as zeros. */
enum elf_kind { ELF_KIND_TEXT, ELF_KIND_RODATA, ELF_KIND_DATA, ELF_KIND_BSS, ELF_KINDS };

/**
 * struct elf_section - a section that takes memory
 * @name: the layout's
 * @addr: as linked; 0 in a module
 * @bare: bytes of @size that no symbol has
 * @index: its number in the file
 * @content: its bytes are in the file
 * @init: the kernel frees it after boot, or after the module's init function
 */
struct elf_section {
	const char *name;
	uint64_t addr, size, bare;
	enum elf_kind kind;
	bool init, content;
	uint32_t index;
};

/**
 * struct elf_item - a symbol with a size
 * @name: the layout's; any bytes but NUL
 * @size: what the symbol says; several symbols may have the same bytes
 * @own: bytes of its section that no symbol before it in @items has: these add up
 * @section: number in @sections
 * @source: number in @sources; 0: not known
 * @global: other files can use it
 */
struct elf_item {
	const char *name;
	uint64_t addr, size, own;
	uint32_t section, source;
	bool global;
};

/**
 * struct elf_layout - an open file
 * @items: by section and address; of symbols at one address the one that counts is the first
 * @labels: global symbols without a size, by section and address; their @own is 0
 * @sources: names of source files, as the symbol table has them ("inode.c"), without a
 *	     directory; number 0 is no file
 * @machine: e_machine
 * @symbols_known: it has a symbol table; @debug: debug information
 */
struct elf_layout {
	struct elf_section *sections;
	size_t nr_sections;
	struct elf_item *items;
	size_t nr_items;
	struct elf_item *labels;
	size_t nr_labels;
	const char **sources;
	size_t nr_sources;
	uint16_t machine;
	bool symbols_known, debug, is_64, big_endian, relocatable;
	struct elf_layout_file *file;
};

/* A longer name is none that the kernel's own tools take. */
#define ELF_LAYOUT_NAME_MAX 1024

/**
 * elf_layout_open() - read a file's sections and symbols
 * @fd: an open file; not closed, and needed no more after the call. It must not change as long
 *	as the layout is open
 *
 * Takes memory in proportion to the file's section headers and symbol table.
 *
 * Return: 0; -ENOEXEC not an ELF file, or damaged; -ENODATA no section takes memory; -EFBIG the
 * names of its symbols are much more than its table of names; -ENOMEM.
 * elf_layout_close() in any case.
 */
int elf_layout_open(struct elf_layout *layout, int fd) __must_check;
void elf_layout_close(struct elf_layout *layout);

/* The symbol that counts for the byte at @addr of section @section; NULL: none has it. */
const struct elf_item *elf_layout_find(const struct elf_layout *layout, uint32_t section,
				       uint64_t addr);
/* The bytes of section @section, as many as it has; NULL: the file has not got them. */
const uint8_t *elf_layout_content(const struct elf_layout *layout, uint32_t section);
/* The section that has the byte at @addr, in a file that is linked; UINT32_MAX: none. */
uint32_t elf_layout_section_at(const struct elf_layout *layout, uint64_t addr);

#endif

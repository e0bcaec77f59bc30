/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * symbol: what takes memory in an ELF file.
 * In: vmlinux, or a module. Out: its sections, and the symbols in them with their sizes.
 */
#ifndef KMEMX_SYMBOL_ELF_LAYOUT_H
#define KMEMX_SYMBOL_ELF_LAYOUT_H

#include "base/compiler.h"

/* Code; read-only data; writable data with initial values; zero-initialised data. */
enum elf_kind { ELF_KIND_TEXT, ELF_KIND_RODATA, ELF_KIND_DATA, ELF_KIND_BSS, ELF_KINDS };

/**
 * struct elf_section - a section that takes memory
 * @name: owned by the layout
 * @addr: as linked; 0 in a module
 * @bare: bytes of @size without a symbol
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
 * @name: owned by the layout; any bytes but NUL
 * @size: as the symbol states it; symbols may overlap
 * @own: bytes that no earlier symbol in @items covers, so that the sum counts no byte twice
 * @section: index in @sections
 * @source: index in @sources; 0: unknown
 * @global: visible to other files
 */
struct elf_item {
	const char *name;
	uint64_t addr, size, own;
	uint32_t section, source;
	bool global;
};

/**
 * struct elf_layout - an open file
 * @items: by section and address; the first of several symbols at one address is the main one
 * @labels: global symbols without a size, by section and address; their @own is 0
 * @sources: names of source files in the symbol table ("inode.c"), without a directory; index 0 is
 *	unused
 * @machine: e_machine
 * @debug: it has debug information
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
	bool debug, is_64, big_endian, relocatable;
	struct elf_layout_file *file;
};

/* The kernel's own tools accept no name longer than this. */
#define ELF_LAYOUT_NAME_MAX 1024

/**
 * elf_layout_open() - read a file's sections and symbols
 * @fd: an open file; not closed, and not needed after the call. The file must not change while the
 *	layout is open
 *
 * Takes memory in proportion to the file's section headers and symbol table.
 *
 * Return: 0; -ENOEXEC not an ELF file, or damaged; -ENODATA no section takes memory; -EFBIG the
 * symbol names are much longer in total than the table of names; -ENOMEM. Call elf_layout_close()
 * in any case.
 */
int elf_layout_open(struct elf_layout *layout, int fd) __must_check;
void elf_layout_close(struct elf_layout *layout);

/* The main symbol for the byte at @addr of section @section; NULL: it has no symbol. */
const struct elf_item *elf_layout_find(const struct elf_layout *layout, uint32_t section,
				       uint64_t addr);
/* The content of section @section, as long as the section; NULL: the file does not contain it. */
const uint8_t *elf_layout_content(const struct elf_layout *layout, uint32_t section);
/* The section that contains the byte at @addr in a linked file; UINT32_MAX: no section does. */
uint32_t elf_layout_section_at(const struct elf_layout *layout, uint64_t addr);

#endif

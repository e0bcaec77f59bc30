/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * symbol: what a kernel's ELF file (vmlinux) knows.
 * In: a file. Out: its functions as kallsyms lines, its build id, its code.
 */
#ifndef KMEMX_SYMBOL_ELF_H
#define KMEMX_SYMBOL_ELF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/compiler.h"
#include "base/strbuf.h"

/* Bytes of a build ID in hex, with its end. */
#define ELF_BUILD_ID_MAX 129

/**
 * struct elf_image - an open vmlinux
 * @symbols: "addr T name" lines of the functions in .symtab, at the addresses of the link;
 *	     symbols of other kinds and names that kallsyms could not hold are left out
 * @build_id: of the note .note.gnu.build-id, in lower-case hex; "" without one
 * @is_64, @big_endian, @machine: e_ident's class and data, e_machine
 */
struct elf_image {
	struct strbuf symbols;
	char build_id[ELF_BUILD_ID_MAX];
	bool is_64;
	bool big_endian;
	uint16_t machine;
	struct elf_file *file;
};

/**
 * elf_image_open() - read a vmlinux
 * @fd: an open file; not closed, and needed no more after the call
 *
 * Return: 0; -ENOEXEC not an ELF file, or damaged; -ENODATA no symbols in it (stripped);
 * -ENOMEM. On failure there is nothing to close.
 */
int elf_image_open(struct elf_image *img, int fd) __must_check;
void elf_image_close(struct elf_image *img);

/* The build ID of an open ELF file alone, in lower-case hex, "" without one. 0; -ENOEXEC. */
int elf_build_id(int fd, char build_id[ELF_BUILD_ID_MAX]) __must_check;

/**
 * elf_image_code() - code before an address
 * @addr: as linked
 * @size: at least so many bytes
 *
 * Return: the @size bytes that end at @addr, if all are in one executable section; NULL.
 */
const uint8_t *elf_image_code(const struct elf_image *img, uint64_t addr, size_t size);

/* The lowest and the highest address of code; false if there is none. */
bool elf_image_code_range(const struct elf_image *img, uint64_t *low, uint64_t *high);

#endif

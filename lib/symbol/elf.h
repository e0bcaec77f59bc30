/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * symbol: reads a kernel's ELF file (vmlinux).
 * In: a file. Out: its functions as kallsyms lines, its build ID, its code.
 */
#ifndef KMEMX_SYMBOL_ELF_H
#define KMEMX_SYMBOL_ELF_H

#include "base/strbuf.h"

struct Elf;
struct Elf_Scn;

/* Bytes of a build ID in hex, including the NUL. */
#define ELF_BUILD_ID_MAX 129
/* Kernels have five to a few dozen executable sections. */
#define ELF_CODE_MAX	 64

/**
 * struct elf_image - an open vmlinux
 * @symbols: lines "addr T name" of the functions in .symtab, at link addresses; other symbols, and
 *	names that kallsyms could not hold, are left out
 * @build_id: from .note.gnu.build-id, in lower-case hex; "" without one
 * @is_64, @big_endian, @machine: from e_ident's class and data, and e_machine
 * @code: executable sections, at link addresses
 */
struct elf_image {
	struct strbuf symbols;
	char build_id[ELF_BUILD_ID_MAX];
	bool is_64;
	bool big_endian;
	uint16_t machine;
	struct Elf *elf;
	struct elf_code {
		uint64_t addr;
		size_t size;
		const uint8_t *bytes; /* owned by libelf */
	} code[ELF_CODE_MAX];
	size_t nr_code;
};

/**
 * elf_image_open() - read a vmlinux
 * @fd: an open file; not closed, and not needed after the call
 *
 * Return: 0; -ENOEXEC not an ELF file, or damaged; -ENODATA no symbols in it (stripped);
 * -ENOMEM. On failure there is nothing to close.
 */
int elf_image_open(struct elf_image *img, int fd) __must_check;
void elf_image_close(struct elf_image *img);

/* Reads only the build ID of an open ELF file: lower-case hex, "" without one. 0; -ENOEXEC. */
int elf_build_id(int fd, char build_id[ELF_BUILD_ID_MAX]) __must_check;

/* Finds the GNU build ID in ELF notes, in lower-case hex; false: they have none. */
bool elf_notes_build_id(const void *notes, size_t notes_size, bool big_endian,
			char build_id[ELF_BUILD_ID_MAX]);

/* Opens @fd, which the caller keeps, with libelf; elf_end() closes it. NULL: not an ELF file. */
struct Elf *elf_read(int fd);

/* The name at @offset in the section name table; "" if unreadable. */
const char *elf_section_name(struct Elf *elf, size_t offset);
/* The first section of @type and, unless @link is 0, with that sh_link. NULL: none. */
struct Elf_Scn *elf_find_section(struct Elf *elf, uint32_t type, size_t link);

/* Does the string table @section end with a NUL? libelf searches for the end of each name; without
 * that NUL, it may search megabytes.
 */
bool elf_names_end(struct Elf *elf, size_t section);

/**
 * elf_image_code() - the code before an address
 * @addr: as linked
 * @size: bytes needed
 *
 * Return: the @size bytes that end at @addr if they are all in one executable section; else NULL.
 */
const uint8_t *elf_image_code(const struct elf_image *img, uint64_t addr, size_t size);

/* The lowest and the highest address of code; false without code. */
bool elf_image_code_range(const struct elf_image *img, uint64_t *low, uint64_t *high);

/**
 * unpack_open() - open a file for reading, uncompressed
 * @path: uncompressed, or compressed with gzip, xz or zstd; the first bytes decide, not the name
 *
 * Compressed content is unpacked into memory: at most 16 times its size plus 32 MB.
 *
 * Return: the descriptor, at the file's start; -EFBIG it becomes larger; -EBADMSG it is damaged or
 * cut short; -EOPNOTSUPP built without the library; -ENOMEM; -errno of io_open_input().
 */
int unpack_open(const char *path) __must_check;

#endif

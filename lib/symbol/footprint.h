/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * symbol: the static footprint of a kernel, by source file and symbol.
 * In: vmlinux, modules, sources of directories. Out: parts with a path, a name and a size, which
 * add up to the sections of the files.
 */
#ifndef KMEMX_SYMBOL_FOOTPRINT_H
#define KMEMX_SYMBOL_FOOTPRINT_H

#include "base/keyed.h"
#include "symbol/directories.h"
#include "symbol/elf_layout.h"

/* The bytes of a kernel that have no symbol. */

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
	size_t nr;
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

/**
 * struct footprint_part - a symbol, or bytes of a section without a symbol
 * @image: index of its file in @images
 * @item: the symbol; NULL: bytes without a symbol
 * @rest: which of these bytes; NULL: all those of @section, or @item is set
 * @section: its section; owned by the file's layout
 * @path: number in @paths of its source file or directory; 0: unknown
 * @is_file: @path is a file
 */
struct footprint_part {
	uint32_t image;
	const struct elf_item *item;
	const struct elf_rest *rest;
	const struct elf_section *section;
	uint32_t path;
	bool is_file;
};

/**
 * struct footprint_image - one ELF file
 * @name: of the module; NULL: the kernel itself
 * @rests: of the kernel itself: bytes without a symbol
 * @first: number of its first part; parts of symbols are in the order of the layout's items
 * @functions: name -> item; filled on the first look-up, which sets @asked
 */
struct footprint_image {
	char *name;
	struct elf_layout layout;
	struct elf_rests rests;
	size_t first;
	bool asked;
	KEYED(uint32_t) functions;
};

/**
 * struct footprint - zero-initialise it
 * @paths: "fs/ext4/inode.c", "fs/ext4"
 * @modules: name -> image
 * @nr_packed: modules left out because they could not be read
 */
struct footprint {
	struct footprint_image *images;
	size_t nr_images;
	struct footprint_part *parts;
	size_t nr_parts;
	struct intern paths;
	KEYED(uint32_t) modules;
	size_t nr_packed;
};

/**
 * footprint_add_kernel() - add a vmlinux
 * @path: of an ELF file
 * @sources: of directories; their vmlinux must be the same file, and may be NULL
 *
 * A symbol's source file is that of its code's compile unit or of the variable in the debug
 * information; else the file named in the symbol table, if its other symbols or a unique name
 * decide which; else the file of both neighbours.
 *
 * Return: 0; -ENOEXEC not an ELF file, or damaged; -ENODATA no section takes memory; -EFBIG it
 * needs more work than its size allows; -ENOMEM; another negative errno of opening @path.
 */
int footprint_add_kernel(struct footprint *fp, const char *path,
			 const struct directory_sources *sources) __must_check;
/* The same for a module; @name: with '_' for '-'. @dir: its source directory; NULL: unknown. */
int footprint_add_module(struct footprint *fp, const char *path, const char *name,
			 const char *dir) __must_check;
void footprint_free(struct footprint *fp);

/* The part of the kernel itself that contains the byte at @addr, as linked; NULL without one. */
const struct footprint_part *footprint_find(const struct footprint *fp, uint64_t addr);
/**
 * footprint_find_name() - find the part of a module's function
 *
 * Return: 1 and @part; 0 if there is no such module or function, or several have that name;
 * -ENOMEM.
 */
int footprint_find_name(struct footprint *fp, const char *module, const char *name,
			const struct footprint_part **part) __must_check;
/* The part's own bytes, which no other part includes. */
static inline uint64_t footprint_part_bytes(const struct footprint_part *part)
{
	if (part->item)
		return part->item->own;
	return part->rest ? part->rest->bytes : part->section->bare;
}

static inline const char *footprint_path(const struct footprint *fp, uint32_t path)
{
	return intern_get(&fp->paths, path, NULL);
}

#endif

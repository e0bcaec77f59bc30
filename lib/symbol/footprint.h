/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * symbol: the static footprint of a kernel, by source file and symbol.
 * In: vmlinux, modules, what knows directories. Out: parts with a path, a name and a size, which
 * add up to the sections of the files.
 */
#ifndef KMEMX_SYMBOL_FOOTPRINT_H
#define KMEMX_SYMBOL_FOOTPRINT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/compiler.h"
#include "base/hash.h"
#include "symbol/directories.h"
#include "symbol/elf_layout.h"
#include "symbol/elf_rest.h"

/**
 * struct footprint_part - a symbol, or what no symbol has of a section
 * @image: number in @images of the file that it is in
 * @item: the symbol; NULL: it is of no symbol
 * @rest: which of the bytes of no symbol; NULL: all of @section, or @item
 * @section: that it is in; the file's
 * @path: number in @paths of its source file, or only of a directory; 0: not known
 * @is_file: @path is a file's
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
 * @rests: what no symbol has, of the kernel itself
 * @first: number of its first part; those of symbols are in the order of the layout's items
 * @functions: names, once they were asked for; @of_function: by their numbers - 1: an item
 */
struct footprint_image {
	char *path, *name;
	struct elf_layout layout;
	struct elf_rests rests;
	size_t first;
	bool asked;
	struct intern functions;
	uint32_t *of_function;
	size_t of_function_capacity;
};

/**
 * struct footprint - zero-initialise it
 * @paths: "fs/ext4/inode.c", "fs/ext4"
 * @modules: names; @of_module: by their numbers - 1: an image
 * @nr_packed: modules that could not be read and were left out
 */
struct footprint {
	struct footprint_image *images;
	size_t nr_images, images_capacity;
	struct footprint_part *parts;
	size_t nr_parts, parts_capacity;
	struct intern paths;
	struct intern modules;
	uint32_t *of_module;
	size_t of_module_capacity;
	size_t nr_packed;
};

/**
 * footprint_add_kernel() - add what vmlinux has
 * @path: of an ELF file
 * @sources: what knows directories; its vmlinux must be the same file, and may be NULL
 *
 * The file of a symbol is that of the compile unit of its code, or that the debug information
 * says of a variable; else that which the symbol table names, if the symbols around it tell which
 * file of that name it is; else that of both of its neighbours.
 *
 * Return: 0; -ENOEXEC not an ELF file, or damaged; -ENODATA it has no sections that take memory;
 * -EFBIG it asks for more work than its size allows; -ENOMEM; another negative errno of opening
 * @path.
 */
int footprint_add_kernel(struct footprint *fp, const char *path,
			 const struct directory_sources *sources) __must_check;
/* The same of a module; @name: with '_' for '-'. @dir: where it was made; NULL: not known. */
int footprint_add_module(struct footprint *fp, const char *path, const char *name,
			 const char *dir) __must_check;
void footprint_free(struct footprint *fp);

/* The part that has the byte at @addr, as linked, of the kernel itself; NULL: none. */
const struct footprint_part *footprint_find(const struct footprint *fp, uint64_t addr);
/**
 * footprint_find_name() - the part that is a module's function
 *
 * Return: 1 and @part; 0 there is no such module or function, or several have that name; -ENOMEM.
 */
int footprint_find_name(struct footprint *fp, const char *module, const char *name,
			const struct footprint_part **part) __must_check;
/* Its bytes: the part's own, which no other part has. */
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

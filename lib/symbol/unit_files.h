/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * symbol: the source file that code and variables were compiled from.
 * In: debug information (DWARF). Out: "fs/ext4/inode.c", by address.
 */
#ifndef KMEMX_SYMBOL_UNIT_FILES_H
#define KMEMX_SYMBOL_UNIT_FILES_H

#include "base/hash.h"
#include "symbol/debug_units.h"

/**
 * struct unit_files - zero-initialise it
 * @units: borrowed
 * @paths: of files within the kernel's tree, each once
 * @of_unit: number of a unit with code -> number of its path; 0: outside the tree
 * @variables: addresses, as linked, of variables -> numbers of paths
 */
struct unit_files {
	struct debug_units *units;
	struct intern paths;
	struct u64_map of_unit, variables;
};

/**
 * unit_files_read() - read all units' names and variables
 *
 * Reads the DIEs of all units but not those in functions and types. A file that needs more work
 * than its size allows gets no variables at all, because the result must not depend on the
 * machine's speed.
 *
 * Return: 0 or -ENOMEM; call unit_files_free() in any case.
 */
int unit_files_read(struct unit_files *files, struct debug_units *units) __must_check;
/* The file of the code at @addr, or of the variable there: a number in @paths. 0: unknown, or
 * memory ran out.
 */
uint32_t unit_files_code(struct unit_files *files, uint64_t addr);
uint32_t unit_files_variable(const struct unit_files *files, uint64_t addr);
/* In a module: the address assigned to section number @index of the file; 0: unknown. */
uint64_t unit_files_section(const struct unit_files *files, uint32_t index);
void unit_files_free(struct unit_files *files);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * symbol: where the modules' files are, and so which directory each was made in.
 * In: /lib/modules/VERSION, the same of a debug package, or a build tree. Out: directories.
 */
#ifndef KMEMX_SYMBOL_MODULE_FILES_H
#define KMEMX_SYMBOL_MODULE_FILES_H

#include <stddef.h>

#include "base/compiler.h"
#include "symbol/debug_units.h"
#include "symbol/module_debug.h"

struct module_files;

/**
 * module_files_open() - find the modules below a directory
 * @path: searched for NAME.ko, also compressed (.gz, .xz, .zst) or with .debug behind it, which is
 *	  preferred to what is beside it
 *
 * Kbuild installs fs/ext4/ext4.ko as /lib/modules/VERSION/kernel/fs/ext4/ext4.ko; in a build
 * tree it lies in fs/ext4. What lies in /lib/modules/VERSION but not below kernel/ is from
 * outside the kernel's tree and has no directory. Links are not followed.
 *
 * Return: 0; -ENODATA there are none; -EINVAL @path is the directory of all versions; -ENOMEM;
 * another negative errno of opening @path.
 */
int module_files_open(struct module_files **out, const char *path) __must_check;
/* None are known but by their build IDs: see module_files_expect(). 0 or -ENOMEM. */
int module_files_new(struct module_files **out) __must_check;
void module_files_free(struct module_files *files);
size_t module_files_count(const struct module_files *files);

/* A module's file. @name has '_' for '-'; @dir: where it was made, NULL: not known. */
struct module_file_info {
	const char *name, *path, *dir;
};

/* The @i-th of module_files_count(); texts are @files'. */
struct module_file_info module_files_at(const struct module_files *files, size_t i);

/**
 * module_files_find() - the directory of a module's function
 * @function: looked for in the debug information of the module, if it has any; else, and where
 *	      that does not know it, the directory of the module's file counts
 *
 * Return: 1; 0 there is no such module, or it has no directory; -ENOTUNIQ; -ENOMEM.
 */
int module_files_find(struct module_files *files, const char *module,
		      const char *function, const char **dir);

/* Which build each module is of, and where else its debug information may be; what @places points
 * to is borrowed. To be called before any module is asked for. Modules without a build ID are taken
 * as they are, and so is, for directories, where any of them lies.
 */
void module_files_expect(struct module_files *files, const struct module_places *places);

/* What is known of a module; *@path: the file with its debug information, else its own, NULL if
 * there is none. It is @files'.
 */
enum module_state module_files_state(struct module_files *files, const char *module,
				     const char **path);

/* The debug information of a module; NULL: it has none, or there is no such module. It is
 * @files'. 0 or -ENOMEM.
 */
int module_files_units(struct module_files *files, const char *module,
		       struct debug_units **units) __must_check;

#endif

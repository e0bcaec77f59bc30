/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * symbol: where the modules' files are, and so which directory each was made in.
 * In: /lib/modules/VERSION, the same of a debug package, or a build tree. Out: directories.
 */
#ifndef KMEMX_SYMBOL_MODULE_FILES_H
#define KMEMX_SYMBOL_MODULE_FILES_H

#include <stddef.h>

#include "base/compiler.h"

struct module_files;

/**
 * module_files_open() - find the modules below a directory
 * @path: searched for NAME.ko, also compressed (.gz, .xz, .zst) or with .debug behind it
 *
 * Kbuild installs fs/ext4/ext4.ko as /lib/modules/VERSION/kernel/fs/ext4/ext4.ko; in a build
 * tree it lies in fs/ext4. What lies in /lib/modules/VERSION but not below kernel/ is from
 * outside the kernel's tree and has no directory. Links are not followed.
 *
 * Return: 0; -ENODATA there are none; -EINVAL @path is the directory of all versions; -ENOMEM;
 * another negative errno of opening @path.
 */
int module_files_open(struct module_files **out, const char *path) __must_check;
void module_files_free(struct module_files *files);
size_t module_files_count(const struct module_files *files);

/**
 * module_files_find() - the directory of a module's function
 * @function: looked for in the debug information of the module's file, if it has any and is
 *	      not compressed; else, and where that does not know it, the file's directory counts
 *
 * Return: 1; 0 there is no such module, or it has no directory; -ENOTUNIQ; -ENOMEM.
 */
int module_files_find(struct module_files *files, const char *module,
		      const char *function, const char **dir);

#endif

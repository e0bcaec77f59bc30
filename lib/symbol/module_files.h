/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * symbol: finds modules' files and, from these, their source directories.
 * In: /lib/modules/VERSION, its copy in a debug package, or a build tree. Out: directories.
 */
#ifndef KMEMX_SYMBOL_MODULE_FILES_H
#define KMEMX_SYMBOL_MODULE_FILES_H

#include "symbol/debug_server.h"
#include "symbol/debug_units.h"

/**
 * struct module_places - where to search, for all modules; borrowed
 * @ids: build IDs of the recorded modules, lines "name hex"; NULL: unknown
 * @root: the directory that contains usr/lib/debug; NULL: this machine's root
 * @server: asked last; NULL: ask none
 */
struct module_places {
	const char *ids, *root;
	struct debug_server *server;
};

enum module_state {
	MODULE_MISSING, /* no file of that name */
	MODULE_OTHER_BUILD,
	MODULE_NO_DEBUG, /* or it is damaged, or needs too much work */
	MODULE_READ,
	MODULE_NO_MEMORY,
};

/**
 * struct module_debug - the result
 * @units: NULL except for MODULE_READ
 * @path: of the file with the units; NULL if that is the module's own file
 */
struct module_debug {
	enum module_state state;
	struct debug_units *units;
	char *path;
};

/**
 * module_debug_open() - find a module's debug information
 * @file: of the module, or its separate debug file; may be compressed; NULL: unknown
 *
 * Searches @file; .debug/ next to it; usr/lib/debug/.build-id below @root; the server. Files must
 * have the recorded build ID, or else that of @file. Without a build ID, only @file is tried.
 */
void module_debug_open(struct module_debug *out, const struct module_places *places,
		       const char *module, const char *file);
void module_debug_free(struct module_debug *debug);

struct module_files;

/**
 * module_files_open() - find the modules below a directory
 * @path: searched for NAME.ko, also compressed (.gz, .xz, .zst), and for NAME.ko.debug, which is
 *	preferred to other files in its directory
 *
 * Kbuild installs fs/ext4/ext4.ko as /lib/modules/VERSION/kernel/fs/ext4/ext4.ko; in a build tree
 * it is in fs/ext4. Modules in /lib/modules/VERSION but not below kernel/ are from outside the
 * kernel's tree and have no directory. Links are not followed.
 *
 * Return: 0; -ENODATA no modules found; -EINVAL @path is the directory of all versions; -ENOMEM;
 * another negative errno of opening @path.
 */
int module_files_open(struct module_files **out, const char *path) __must_check;
/* The same without a directory: finds modules only by build ID, see module_files_expect(). 0 or
 * -ENOMEM.
 */
int module_files_new(struct module_files **out) __must_check;
void module_files_free(struct module_files *files);
size_t module_files_count(const struct module_files *files);

/* A module's file. @name has '_' for '-'; @dir: its source directory, NULL: unknown. */
struct module_file_info {
	const char *name, *path, *dir;
};

/* The @i-th of module_files_count(); @files owns the texts. */
struct module_file_info module_files_at(const struct module_files *files, size_t i);

/**
 * module_files_find() - the directory of a module's function
 * @function: looked up in the module's debug information, if any; if that fails, the directory of
 *	the module's file is used
 *
 * Return: 1; 0 no such module, or it has no directory; -ENOTUNIQ; -ENOMEM.
 */
int module_files_find(struct module_files *files, const char *module,
		      const char *function, const char **dir);

/* Sets the expected build IDs of the modules, and where else to search for debug information; the
 * contents of @places are borrowed. Call it before any look-up. Any file is accepted for a module
 * without a recorded build ID; the directory of a module's file is accepted in any case.
 */
void module_files_expect(struct module_files *files, const struct module_places *places);

/* The state of a module; *@path: the file with its debug information, else its own file, NULL
 * without a file. @files owns it.
 */
enum module_state module_files_state(struct module_files *files, const char *module,
				     const char **path);

/* The debug information of a module; NULL: it has none, or there is no such module. @files owns it.
 * 0 or -ENOMEM.
 */
int module_files_units(struct module_files *files, const char *module,
		       struct debug_units **units) __must_check;

#endif

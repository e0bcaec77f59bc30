// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * symbol: the user's files that give directories.
 * In: a vmlinux, a directory of modules, a source tree. Out: sources for directories_new().
 */
#include "symbol/directory_files.h"

#include <errno.h>

bool dir_files_any(const struct dir_files *files)
{
	return files->vmlinux || files->modules || files->source;
}

int dir_files_open(struct directory_sources *sources, const struct dir_files *files,
		   struct dir_failure *failure)
{
	int err;

	*sources = (struct directory_sources){ 0 };
	*failure = (struct dir_failure){ DIR_FILE_VMLINUX, files->vmlinux };
	/* A vmlinux without debug information still gives symbols; other files may give
	 * directories.
	 */
	err = files->vmlinux ? debug_units_open(&sources->vmlinux, files->vmlinux) : 0;
	if (err && ((err != -ENODATA && err != -EOPNOTSUPP) ||
		    (!files->modules && !files->source)))
		return err;
	*failure = (struct dir_failure){ DIR_FILE_MODULES, files->modules };
	err = files->modules ? module_files_open(&sources->modules, files->modules) : 0;
	if (err)
		return err;
	*failure = (struct dir_failure){ DIR_FILE_SOURCE, files->source };
	return files->source ? source_tree_open(&sources->tree, files->source) : 0;
}

int dir_files_open_lines(struct directory_sources *sources, const struct dir_files *files,
			 const struct log *log)
{
	int err = 0;

	*sources = (struct directory_sources){ 0 };
	if (files->vmlinux)
		err = debug_units_open(&sources->vmlinux, files->vmlinux);
	if (err == -EFBIG)
		log_msg(log, LOG_WARN,
			"the debug information in %s takes too long to read for a file of its size: inlined functions are not told apart",
			files->vmlinux);
	if (err != -ENOMEM && files->modules)
		err = module_files_open(&sources->modules, files->modules);
	return err == -ENOMEM ? err : 0;
}

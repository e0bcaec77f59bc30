/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * import: reads the files of a directory of copies from tracefs.
 * In: the directory. Out: texts, and the names of its entries.
 */
#ifndef KMEMX_IMPORT_RAW_DIRECTORY_H
#define KMEMX_IMPORT_RAW_DIRECTORY_H

#include "base/compiler.h"
#include "base/log.h"
#include "base/strbuf.h"

/* The caller owns both. */
struct raw_directory {
	const char *path;
	const struct log *log;
};

/* Appends the text of the file @name to @out. @sub: the subdirectory to look in too; NULL: none.
 * Returns 0, -ENOENT or another -errno.
 */
int raw_directory_read(const struct raw_directory *d, const char *sub, const char *name,
		       struct strbuf *out) __must_check;
/* The same for a file that may be missing: 0, with nothing in @out, or -ENOMEM. Logs a warning if
 * the file exists but cannot be read.
 */
int raw_directory_read_optional(const struct raw_directory *d, const char *sub,
				const char *name, struct strbuf *out) __must_check;

/* @sub: the directory being read; @name: its entry. Returns 0 to continue. */
typedef int raw_directory_fn(void *ctx, const char *sub, const char *name);

/* Calls @fn for each entry of the subdirectory @sub, sorted by name, without hidden entries.
 * Returns what @fn returned, if not 0; -ENOENT if there is no such directory; -errno.
 */
int raw_directory_each(const struct raw_directory *d, const char *sub,
		       raw_directory_fn *fn, void *ctx) __must_check;

#endif

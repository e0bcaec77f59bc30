/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * import: the files of a directory of copies from tracefs.
 * In: the directory. Out: texts, and the names of what lies in it.
 */
#ifndef KMEMX_IMPORT_RAW_FOLDER_H
#define KMEMX_IMPORT_RAW_FOLDER_H

#include "base/compiler.h"
#include "base/log.h"
#include "base/strbuf.h"

/* Both are the caller's. */
struct raw_folder {
	const char *dir;
	const struct log *log;
};

/* Appends the file @name, also if it lies in @sub (NULL: it does not). 0; -ENOENT; -errno. */
int raw_folder_read(const struct raw_folder *f, const char *sub, const char *name,
		    struct strbuf *out) __must_check;
/* The same of a text that may be missing: 0, with nothing in @out, or -ENOMEM. Warns of one
 * that is there and cannot be read.
 */
int raw_folder_read_optional(const struct raw_folder *f, const char *sub,
			     const char *name, struct strbuf *out) __must_check;

/* Called with the directory that is walked over and the name of an entry; 0 to go on. */
typedef int raw_folder_fn(void *ctx, const char *sub, const char *name);

/* Calls @fn for each entry of the directory's @sub, by name, hidden ones left out. What @fn
 * returned, if not 0; -ENOENT without such a directory; -errno.
 */
int raw_folder_each(const struct raw_folder *f, const char *sub, raw_folder_fn *fn,
		    void *ctx) __must_check;

#endif

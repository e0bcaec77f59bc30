/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * import: a directory of copies from tracefs as a recording.
 * In: raw pages of each CPU, and the files that describe them, copied with cat or dd.
 * Out: parts and facts for recording/writer.h. Documentation/import.md has the layout.
 */
#ifndef KMEMX_IMPORT_RAW_PAGES_H
#define KMEMX_IMPORT_RAW_PAGES_H

#include "base/log.h"
#include "import/import_meta.h"
#include "recording/writer.h"

/**
 * raw_pages_import() - read a directory's pages and what describes them
 * @out: call imported_free() in any case
 *
 * Return: 0; -ENOENT or -ENODATA after a LOG_ERROR message that says which file is missing or
 * empty; after such a message, -EBADMSG if one is invalid, -EINVAL if one is not a regular file or
 * @dir not a directory; -ENOMEM, -errno of reading.
 */
int raw_pages_import(struct imported *out, const char *dir,
		     const struct recording_import_options *opts,
		     const struct log *log) __must_check;

#endif

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

struct raw_pages;

/**
 * raw_pages_open() - read what describes a directory's pages
 *
 * Return: 0; -ENOENT or -ENODATA after a LOG_ERROR message that says which file is missing or
 * empty; -EBADMSG after such a message if one is invalid; -ENOMEM, -errno of reading.
 */
int raw_pages_open(struct raw_pages **out, const char *dir,
		   const struct recording_import_options *opts,
		   const struct log *log) __must_check;
void raw_pages_close(struct raw_pages *rp);
/* Input of writer_write(); owned by @rp. */
const struct writer_facts *raw_pages_facts(const struct raw_pages *rp);
const struct writer_part *raw_pages_parts(const struct raw_pages *rp, size_t *count);
/* What is missing, one note per line; also the item RECORDING_META_IMPORT. */
const char *raw_pages_notes(const struct raw_pages *rp);

#endif

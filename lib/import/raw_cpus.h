/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * import: the pages of each CPU in a directory of copies from tracefs.
 * In: the directory, the layout of its pages. Out: parts of whole pages, and statistics.
 */
#ifndef KMEMX_IMPORT_RAW_CPUS_H
#define KMEMX_IMPORT_RAW_CPUS_H

#include "base/log.h"
#include "base/strbuf.h"
#include "import/import_meta.h"
#include "recording/recording.h"
#include "recording/system_texts.h"
#include "recording/trace_dat.h"

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

/**
 * struct raw_cpus - set the first five, zero the rest; raw_cpus_free() at the end
 * @directory: its members are the caller's, as are @opts and @stats
 * @layout, @subbuf_size: from header_page; at least 512 bytes
 * @opts: its open_part() opens the file for a repaired copy
 * @stats: receives "CPU: N" and the kernel's text for each CPU
 * @parts: by CPU, after raw_cpus_find()
 * @big_endian: detected if possible, else this machine's byte order
 * @nr_cut: files with an incomplete last page
 * @size: total bytes of all files
 */
struct raw_cpus {
	struct raw_directory directory;
	struct page_layout layout;
	uint32_t subbuf_size;
	const struct recording_import_options *opts;
	struct text_list *stats;
	struct writer_part *parts;
	size_t nr_parts, capacity;
	bool big_endian;
	uint64_t nr_cut;
	uint64_t size;
	bool seen[TRACE_DAT_MAX_CPUS];
};

/**
 * raw_cpus_find() - open each CPU's pages, and repair truncated ones
 *
 * Return: 0; -ENODATA after a message if there are no pages; -EINVAL after a message if one is not
 * a regular file; -ENOMEM; -errno of reading or of open_part().
 */
int raw_cpus_find(struct raw_cpus *rc) __must_check;
/* Closes the parts. */
void raw_cpus_free(struct raw_cpus *rc);

#endif

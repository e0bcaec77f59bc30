/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * import: the pages of each CPU in a directory of copies from tracefs.
 * In: the directory, how its pages are laid out. Out: parts of whole pages, and statistics.
 */
#ifndef KMEMX_IMPORT_RAW_CPUS_H
#define KMEMX_IMPORT_RAW_CPUS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/compiler.h"
#include "import/import_options.h"
#include "import/raw_directory.h"
#include "recording/recording.h"
#include "recording/system_texts.h"
#include "recording/trace_dat.h"

/**
 * struct raw_cpus - set the first five, zero the rest; raw_cpus_free() at the end
 * @directory: with the caller's, as are @opts and @stats
 * @layout, @subbuf_size: what header_page says, at least 512 bytes
 * @opts: its open_part() makes room for a copy of what must be mended
 * @stats: receives "CPU: N" and the kernel's text, of each CPU
 * @parts: by CPU, after raw_cpus_find()
 * @big_endian: if it can be detected, else as this machine
 * @nr_cut: files whose last page was not whole
 * @size: bytes of all files
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
 * raw_cpus_find() - open what each CPU left, and mend what is cut
 *
 * Return: 0; -ENODATA after a message if there are no pages; -EINVAL the same of one that is
 * no regular file; -ENOMEM; -errno of reading or of open_part().
 */
int raw_cpus_find(struct raw_cpus *rc) __must_check;
/* Closes the parts. */
void raw_cpus_free(struct raw_cpus *rc);

#endif

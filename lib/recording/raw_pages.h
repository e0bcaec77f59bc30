/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * recording: a folder of copies from tracefs as a recording.
 * In: raw pages of each CPU, and the files that describe them, copied with cat or dd.
 * Out: parts and facts for recording/writer.h. Documentation/import.md has the layout.
 */
#ifndef KMEMX_RECORDING_RAW_PAGES_H
#define KMEMX_RECORDING_RAW_PAGES_H

#include <stddef.h>
#include <stdint.h>

#include "base/compiler.h"
#include "base/log.h"
#include "recording/writer.h"

/**
 * struct raw_pages_options - what the folder may not hold
 * @release, @machine: of the kernel; NULL: what the folder says
 * @page_size: of the kernel's pages, in bytes; 0: unknown
 * @symbols: text of kallsyms or System.map to use; NULL: the folder's
 * @open_part: a descriptor of an empty file for @cpu's pages, which is needed where the last
 *	one is cut; or -errno
 */
struct raw_pages_options {
	const char *release, *machine;
	uint32_t page_size;
	const char *symbols;
	size_t symbols_size;
	int (*open_part)(void *ctx, uint32_t cpu);
	void *ctx;
};

struct raw_pages;

/**
 * raw_pages_open() - find out what a folder holds
 *
 * Return: 0; -ENOENT or -ENODATA after an LOG_ERROR message that says which file is missing
 * or empty; -EBADMSG the same of one that makes no sense; -ENOMEM, -errno of reading.
 */
int raw_pages_open(struct raw_pages **out, const char *dir,
		   const struct raw_pages_options *opts,
		   const struct log *log) __must_check;
void raw_pages_close(struct raw_pages *rp);
/* For writer_write(); owned by @rp. */
const struct writer_facts *raw_pages_facts(const struct raw_pages *rp);
const struct writer_part *raw_pages_parts(const struct raw_pages *rp, size_t *count);
/* What is missing, a note a line; also the item RECORDING_META_IMPORT. */
const char *raw_pages_notes(const struct raw_pages *rp);

#endif

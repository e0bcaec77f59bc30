/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * import: facts that copies of the kernel's files may lack, for all importers.
 * In: what the user knows. Out: plain data.
 */
#ifndef KMEMX_IMPORT_IMPORT_OPTIONS_H
#define KMEMX_IMPORT_IMPORT_OPTIONS_H

#include <stddef.h>
#include <stdint.h>

#include "base/strbuf.h"
#include "recording/source.h"

/**
 * struct import_kernel - the kernel that a source is from; "", 0: unknown
 * @build_id: in hex
 * @text_symbol: one of its symbols; @text: that symbol's address; @text_end: end of the kernel's
 *	code
 */
struct import_kernel {
	const char *host, *release, *build_id, *text_symbol;
	uint64_t text, text_end;
};

/**
 * struct recording_import_options - facts that the copy may lack
 * @release, @machine: of the kernel; NULL: as the copy says, or unknown
 * @page_size: of the kernel's pages, in bytes; 0: unknown
 * @symbols: text of kallsyms or System.map to use; NULL: the copy's
 * @open_part: returns a descriptor of an empty file for @cpu's pages, open for reading and writing,
 *	which the importer closes; or -errno
 * @find_symbols: if @symbols is NULL: adds the text of that kernel's kallsyms to @out, or nothing;
 *	0 or -ENOMEM. NULL: no symbols
 * @open_more: opens the file that continues the first one, the @nr-th from 0 on, which the importer
 *	closes: 1; 0: no more files; -errno. NULL: no more files. Only for perf.data
 * @progress: called periodically with the bytes read, the total (0: unknown) and the events so far;
 *	NULL: not called
 */
struct recording_import_options {
	const char *release, *machine;
	uint32_t page_size;
	const char *symbols;
	size_t symbols_size;
	int (*open_part)(void *ctx, uint32_t cpu);
	int (*find_symbols)(void *ctx, const struct import_kernel *kernel,
			    struct strbuf *out);
	int (*open_more)(void *ctx, unsigned int nr, struct source *out);
	void (*progress)(void *ctx, uint64_t done, uint64_t total, uint64_t events);
	void *ctx;
};

#endif

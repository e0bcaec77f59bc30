/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * import: what copies of the kernel's files do not say, for all who make recordings of them.
 * In: what the user knows. Out: plain data.
 */
#ifndef KMEMX_IMPORT_IMPORT_OPTIONS_H
#define KMEMX_IMPORT_IMPORT_OPTIONS_H

#include <stddef.h>
#include <stdint.h>

#include "base/strbuf.h"
#include "recording/source.h"

/**
 * struct import_kernel - the kernel that a source says it is of; "", 0: it does not say
 * @build_id: in hex
 * @text_symbol: one of its symbols, and @text: where that was; @text_end: where its code ended
 */
struct import_kernel {
	const char *host, *release, *build_id, *text_symbol;
	uint64_t text, text_end;
};

/**
 * struct recording_import_options - what the copy may not hold
 * @release, @machine: of the kernel; NULL: what the copy says, or unknown
 * @page_size: of the kernel's pages, in bytes; 0: unknown
 * @symbols: text of kallsyms or System.map to use; NULL: the copy's
 * @open_part: a descriptor of an empty file for @cpu's pages, open for reading and writing,
 *	that the importer closes; or -errno
 * @find_symbols: where @symbols is NULL: adds the text of that kernel's kallsyms to @out, or
 *	nothing; 0 or -ENOMEM. NULL: there are none
 * @open_more: opens the file that continues the first one, the @nr-th from 0 on, which the
 *	importer closes: 1; 0 there is none, -errno. NULL: there are none. Only of perf.data
 * @progress: called now and then with the bytes that were read, all of them (0: not known) and
 *	the events in them; NULL: not
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

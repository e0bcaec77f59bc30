/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * import: what copies of the kernel's files do not say, for all who make recordings of them.
 * In: what the user knows. Out: plain data.
 */
#ifndef KMEMX_IMPORT_IMPORT_OPTIONS_H
#define KMEMX_IMPORT_IMPORT_OPTIONS_H

#include <stddef.h>
#include <stdint.h>

/**
 * struct recording_import_options - what the copy may not hold
 * @release, @machine: of the kernel; NULL: what the copy says, or unknown
 * @page_size: of the kernel's pages, in bytes; 0: unknown
 * @symbols: text of kallsyms or System.map to use; NULL: the copy's
 * @open_part: a descriptor of an empty file for @cpu's pages, open for reading and writing,
 *	that the importer closes; or -errno
 * @progress: called now and then with the bytes that were read, all of them (0: not known) and
 *	the events in them; NULL: not
 */
struct recording_import_options {
	const char *release, *machine;
	uint32_t page_size;
	const char *symbols;
	size_t symbols_size;
	int (*open_part)(void *ctx, uint32_t cpu);
	void (*progress)(void *ctx, uint64_t done, uint64_t total, uint64_t events);
	void *ctx;
};

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * import: what every import records about the kernel and itself.
 * In: what the copy and the user specify. Out: texts of the recording.
 */
#ifndef KMEMX_IMPORT_IMPORT_META_H
#define KMEMX_IMPORT_IMPORT_META_H

#include "base/strbuf.h"
#include "recording/source.h"
#include "recording/system_texts.h"

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
 * @open_program: opens a program or library of the recorded machine to read its symbols: a
 *	descriptor, which the importer closes; or -errno. NULL: no symbols of programs
 * @programs_chosen: the user named these files, so one is used if its build ID is unknown
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
	int (*open_program)(void *ctx, const char *path, uint32_t pid);
	bool programs_chosen;
	int (*open_more)(void *ctx, unsigned int nr, struct source *out);
	void (*progress)(void *ctx, uint64_t done, uint64_t total, uint64_t events);
	void *ctx;
};

/**
 * import_kernel() - "Linux HOST RELEASE MACHINE", or nothing if release and machine are unknown
 * @host, @release, @machine: NULL or "": unknown
 */
void import_kernel(struct strbuf *uname, const char *host, const char *release,
		   const char *machine);

/**
 * import_meta() - add the item RECORDING_META_IMPORT, and the size of the kernel's pages
 * @notes: what the copy lacks, one note per line; copied
 * @page_size: in bytes; 0: unknown
 *
 * Return: 0 or -ENOMEM, also if @notes ran out of memory.
 */
int import_meta(struct text_list *meta, const struct strbuf *notes,
		uint32_t page_size) __must_check;

#endif

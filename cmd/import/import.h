/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cmd (import): what all kinds of import share.
 * In: the options. Out: the recording's file.
 */
#ifndef KMEMX_CMD_IMPORT_H
#define KMEMX_CMD_IMPORT_H

#include "base/strbuf.h"
#include "capture/file/new_recording.h"
#include "cmd/options/message.h"
#include "cmd/output/output.h"
#include "import/import_meta.h"
#include "recording/writer.h"

#define IMPORT_COMMAND	      "import"
#define IMPORT_DEFAULT_OUTPUT "kmemx.dat"

struct import_options {
	const char *text;      /* --ftrace-text */
	const char *raw_pages; /* --raw-pages */
	const char *perf;      /* --perf */
	const char *kallsyms, *system_map, *symfs;
	uint64_t page_size;
	const char *output;
	bool quiet;
	unsigned int verbose;
};

/**
 * struct import - an import in progress
 * @text_bytes: size of the text's file; 0 if unknown
 * @out: the recording; open while the source is read, named when it is complete
 * @symbols: the text of --kallsyms or --system-map
 * @known: what the user said about the kernel of the source; after import_begin(), also its symbols
 *	and the importer's callbacks
 */
struct import {
	const struct import_options *opts;
	struct log log;
	struct new_recording out;
	struct strbuf symbols;
	struct recording_import_options known;
	uint64_t text_bytes;
	struct progress progress;
};

/* Returns EXIT_OK, or the exit code after a message. */
int import_perf(struct import *im);

/* import_output.c */
/* Opens the input; "-": standard input. A descriptor or -errno. */
int import_open(const char *path);
/* Reads the symbols, opens @im->out and completes @im->known. GO_ON, or an exit code after a
 * message.
 */
int import_begin(struct import *im);
/* Says that @input cannot be read. Returns an exit code. */
int import_unreadable(const char *input, int err);
/* Says that reading @input, or writing the recording, failed with @err. Returns an exit code. */
int import_failed(const struct import *im, const char *input, int err);
/* Writes the recording and gives it its name. Then prints @warning with @line below it unless it is
 * "", what was written, a "kmemx: note: ..." for each note, and what to do next. @nr_events is not
 * used for raw pages.
 */
int import_finish(struct import *im, const struct imported *made, uint64_t nr_events,
		  const char *warning, const char *line);

#endif

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
	const char *release, *machine;
	uint64_t page_size;
	const char *output;
	bool quiet;
	unsigned int verbose;
};

/**
 * struct import - an import in progress
 * @text_bytes: size of the text; 0 if unknown
 * @directory: perf.data is a directory
 * @out: the recording; open while the source is read, named when it is complete
 */
struct import {
	const struct import_options *opts;
	struct log log;
	struct new_recording out;
	uint64_t file_bytes;
	uint64_t text_bytes;
	bool directory;
	struct progress progress;
};

/* All return EXIT_OK, or the exit code after a message. */
int import_text(struct import *im);
int import_perf(struct import *im);

/* import_output.c */
/* Reads the file of --kallsyms or --system-map, if given, and opens @im->out. GO_ON, or an exit
 * code after a message.
 */
int import_begin(struct import *im, struct strbuf *symbols);
/* What the user said about the kernel of the source. Borrows from @im and @symbols. */
struct recording_import_options import_known(struct import *im,
					     const struct strbuf *symbols);
/**
 * struct import_result - what was imported, for the file and for the user
 * @summary: what was imported; "of N CPUs" follows
 * @notes: what was lost, one note per line
 */
struct import_result {
	const struct writer_facts *facts;
	const struct writer_part *parts;
	size_t nr_parts;
	const char *summary, *notes;
};

/* Says that reading @input, or writing the recording, failed with @err. Returns an exit code. */
int import_failed(const struct import *im, const char *input, int err);
/* Writes the recording and gives it its name. GO_ON, or an exit code after a message. */
int import_write(struct import *im, const struct import_result *r);
/* Says what was written, "kmemx: note: ..." for each note, and what to do next. */
void import_say(const struct import *im, const struct import_result *r);

#endif

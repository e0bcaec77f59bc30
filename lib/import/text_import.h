/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * import: a kernel's text log as a recording.
 * In: ftrace text, line by line. Out: each CPU's sub-buffers in a separate file, and the facts for
 * recording/writer.h.
 *
 * Memory grows with the number of distinct functions, tasks and flag words, not with the text.
 */
#ifndef KMEMX_IMPORT_TEXT_IMPORT_H
#define KMEMX_IMPORT_TEXT_IMPORT_H

#include "base/log.h"
#include "base/strbuf.h"
#include "import/import_meta.h"
#include "import/line_source.h"
#include "import/text_events.h"
#include "recording/writer.h"

/**
 * struct text_import_result - the outcome of an import
 * @nr_lines: all lines; @nr_events: events written, including stacks
 * @nr_unreadable: lines that are not the kernel's, or lack required fields
 * @first_unreadable: its number, from 1, and its text
 * @cut_short: the gzip'd text is truncated
 */
struct text_import_result {
	uint64_t nr_lines, nr_events, nr_unreadable, first_unreadable;
	char unreadable_text[81];
	bool cut_short;
};

struct text_import;

/**
 * text_import_run() - read a text to its end
 * @out: the import, also if this fails with -ENODATA; free with text_import_free()
 *
 * Return: 0; -ENODATA if it has no kmem event; -EBADMSG for damaged gzip; -errno of reading, of
 * @open_part and of writing parts; -ENOMEM.
 */
int text_import_run(struct text_import **out, struct line_source *ls,
		    const struct recording_import_options *opts) __must_check;
const struct text_import_result *text_import_result(const struct text_import *ti);
/* Input of writer_write(); owned by the import. */
const struct writer_facts *text_import_facts(const struct text_import *ti);
const struct writer_part *text_import_parts(const struct text_import *ti, size_t *count);
/* What the text lacks, one note per line; the item RECORDING_META_IMPORT of the facts. */
const char *text_import_notes(const struct text_import *ti);
void text_import_free(struct text_import *ti);

/**
 * struct text_traits - how the log was written
 * @seconds, @counter, @latency: how its times are printed; several if logs were concatenated
 * @nanoseconds: some times are not whole microseconds
 * @no_flags: a line had no interrupt context
 * @overwritten: overwritten events before the first one, as its headers say
 * @header_cpus: the highest number of CPUs in a header; 0: none
 * @lowest_cpu: the lowest CPU with an event
 */
struct text_traits {
	bool seconds, counter, latency, nanoseconds, no_flags;
	uint64_t overwritten;
	uint32_t header_cpus, lowest_cpu;
};

/* The first note is shown at the top of every report. */
void text_notes(struct strbuf *out, const struct text_traits *traits,
		const struct text_events *events, const struct text_import_result *r);

#endif

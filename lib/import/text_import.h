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
 * struct text_import - the outcome of an import; imported_free(&made) in any case
 * @nr_lines: all lines; @nr_events: events written, including stacks
 * @nr_unreadable: lines that are not the kernel's, or lack required fields
 * @first_unreadable: the number of the first of these, from 1; @unreadable_text: its text
 * @cut_short: the gzip'd text is truncated
 */
struct text_import {
	struct imported made;
	uint64_t nr_lines, nr_events, nr_unreadable, first_unreadable;
	char unreadable_text[81];
	bool cut_short;
};

/**
 * text_import_run() - read a text to its end
 *
 * Return: 0; -ENODATA if it has no kmem event, then only the counts of @out are set; -EBADMSG for
 * damaged gzip; -errno of reading, of @open_part and of writing parts; -ENOMEM.
 */
int text_import_run(struct text_import *out, struct line_source *ls,
		    const struct recording_import_options *opts) __must_check;

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * import: a perf.data file as a recording.
 * In: a byte source. Out: each CPU's sub-buffers in a file of its own, and the facts for
 * recording/writer.h.
 *
 * A sample's raw data is the event as ftrace would have written it: it is not changed, so the
 * recording has the byte order and the longs of the machine that perf ran on.
 */
#ifndef KMEMX_IMPORT_PERF_IMPORT_H
#define KMEMX_IMPORT_PERF_IMPORT_H

#include <stdint.h>

#include "base/compiler.h"
#include "base/log.h"
#include "import/import_options.h"
#include "import/perf_result.h"
#include "recording/source.h"
#include "recording/writer.h"

struct perf_import;

/**
 * perf_import_run() - read a perf.data file to its end
 * @out: the import; free with perf_import_free()
 * @src: stays the caller's, and must stay until this returns
 * @path: for messages
 *
 * What is damaged or cut is left out and noted, as long as there are kmem events before it.
 *
 * Return: 0; -EPROTO not a perf.data file; after an LOG_ERROR message, -ENOTSUP what this
 * build cannot read, -EBADMSG damaged, -ENODATA without kmem events; -ENOMEM, -ENOSPC, -errno
 * of reading and writing.
 */
int perf_import_run(struct perf_import **out, const struct source *src, const char *path,
		    const struct recording_import_options *opts,
		    const struct log *log) __must_check;
const struct perf_import_result *perf_import_result(const struct perf_import *pi);
/* For writer_write(); owned by @pi. */
const struct writer_facts *perf_import_facts(const struct perf_import *pi);
const struct writer_part *perf_import_parts(const struct perf_import *pi, size_t *count);
/* What is missing, a note a line; also the item RECORDING_META_IMPORT. */
const char *perf_import_notes(const struct perf_import *pi);
void perf_import_free(struct perf_import *pi);

#endif

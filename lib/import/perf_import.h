/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * import: a perf.data file as a recording.
 * In: a byte source. Out: each CPU's sub-buffers in a separate file, and the facts for
 * recording/writer.h.
 *
 * A sample's raw data is the event as ftrace would have written it. It is not changed, so the
 * recording has the byte order and the size of long of the machine that perf ran on.
 */
#ifndef KMEMX_IMPORT_PERF_IMPORT_H
#define KMEMX_IMPORT_PERF_IMPORT_H

#include "base/log.h"
#include "import/import_meta.h"
#include "import/perf_system.h"
#include "recording/source.h"
#include "recording/writer.h"

/* The source of symbols: none, the user, or the machine that kmemx runs on. */
enum perf_symbols {
	PERF_SYMBOLS_NONE,
	PERF_SYMBOLS_GIVEN,
	PERF_SYMBOLS_FOUND,
};

/**
 * struct perf_import - the outcome of an import; imported_free(&made) in any case
 * @nr_records: records of the file; @nr_events: events written, including stacks
 * @nr_samples: tracepoint samples written; @nr_stacks: those with a callchain
 * @nr_others: samples of other events than tracepoints
 * @nr_unreadable: invalid samples: of an unknown event, or truncated
 * @nr_untimed: samples without a time; @nr_too_long: samples too long for a sub-buffer
 * @nr_late: samples that came after a later one of their CPU, too late to be reordered
 * @nr_lost: lost events according to LOST records, plus what LOST_SAMPLES count beyond these
 * @nr_lost_anywhere: LOST records without a CPU
 * @cut_at: where the file ends in the middle of a record, or is invalid; 0: nowhere
 * @cut_error: the reason: -ENODATA or -EBADMSG
 * @cut_file: the file: 0 the file itself; N data.(N-1) of a directory
 * @period: the largest period of a tracepoint; 1: every event; 0: perf chose it
 * @counted: tracepoints without samples, as perf only counted them
 * @moved: how far the symbols were moved, modulo 2^64
 * @clock: clock of the recording
 */
struct perf_import {
	struct imported made;
	uint64_t nr_records, nr_events, nr_samples, nr_stacks;
	uint64_t nr_others, nr_unreadable, nr_untimed, nr_too_long, nr_late;
	uint64_t nr_lost, nr_lost_anywhere;
	uint64_t cut_at;
	int cut_error;
	unsigned int cut_file;
	uint64_t period;
	unsigned int counted;
	enum perf_symbols symbols;
	uint64_t moved;
	const char *clock;
};

/**
 * perf_import_run() - read a perf.data file to its end
 * @src: borrowed from the caller until this returns
 * @path: for messages
 *
 * Damaged or truncated data are left out and noted, if there are kmem events before them.
 *
 * Return: 0; -EPROTO if it is not a perf.data file; after a LOG_ERROR message, -ENOTSUP if this
 * build cannot read it, -EBADMSG if damaged, -ENODATA without kmem events; -ENOMEM, -ENOSPC, -errno
 * of reading and writing.
 */
int perf_import_run(struct perf_import *out, const struct source *src, const char *path,
		    const struct recording_import_options *opts,
		    const struct log *log) __must_check;

/* Adds notes about what the file lacked, for readers of the recording, one per line. */
void perf_notes(struct strbuf *out, const struct perf_system *s,
		const struct perf_import *r);

#endif

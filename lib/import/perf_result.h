/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * import: the outcome of reading a perf.data file.
 * In: counts of its readers. Out: plain data.
 */
#ifndef KMEMX_IMPORT_PERF_RESULT_H
#define KMEMX_IMPORT_PERF_RESULT_H

#include <stdint.h>

/**
 * struct perf_import_result - the outcome of an import
 * @nr_records: records of the file; @nr_events: events written, including stacks
 * @nr_samples: tracepoint samples written; @nr_stacks: those with a callchain
 * @nr_others: samples of other events than tracepoints
 * @nr_unreadable: invalid samples: of an unknown event, or truncated
 * @nr_untimed: samples without a time; @nr_too_long: samples too long for a sub-buffer
 * @nr_late: samples that came after a later one of their CPU, too far to be reordered
 * @nr_lost: lost events according to LOST records, plus what LOST_SAMPLES count beyond these
 * @nr_lost_anywhere: LOST records without a CPU
 * @cut_at: where the file ends in the middle of a record, or is invalid; 0: nowhere
 * @cut_error: the reason: -ENODATA or -EBADMSG
 * @cut_file: the file: 0 the file itself; N data.(N-1) of a directory
 */
struct perf_import_result {
	uint64_t nr_records, nr_events, nr_samples, nr_stacks;
	uint64_t nr_others, nr_unreadable, nr_untimed, nr_too_long, nr_late;
	uint64_t nr_lost, nr_lost_anywhere;
	uint64_t cut_at;
	int cut_error;
	unsigned int cut_file;
};

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * import: what was found in a perf.data file.
 * In: counts of its readers. Out: plain data.
 */
#ifndef KMEMX_IMPORT_PERF_RESULT_H
#define KMEMX_IMPORT_PERF_RESULT_H

#include <stdint.h>

/**
 * struct perf_import_result - what was found
 * @nr_records: of the file; @nr_events: written, stacks too
 * @nr_samples: of tracepoints, that were written; @nr_stacks: of these, with a callchain
 * @nr_others: samples that are no tracepoint's
 * @nr_unreadable: samples that make no sense: of no known event, or cut
 * @nr_untimed: samples without a time; @nr_too_long: that fit in no sub-buffer
 * @nr_late: came behind a later one of their CPU, too far to be put right
 * @nr_lost: events, as LOST records say, and LOST_SAMPLES beyond these
 * @nr_lost_anywhere: LOST records without a CPU
 * @cut_at: where the file ends in the middle of a record, or makes no sense; 0: nowhere
 * @cut_error: which of these: -ENODATA or -EBADMSG
 * @cut_file: where: 0 the file itself; N data.(N-1) of a directory
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

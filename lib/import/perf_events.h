/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * import: the events of a perf.data file on their way into each CPU's sub-buffers.
 * In: samples and losses in the file's order. Out: sub-buffers in the order of time.
 */
#ifndef KMEMX_IMPORT_PERF_EVENTS_H
#define KMEMX_IMPORT_PERF_EVENTS_H

#include "base/hash.h"
#include "import/import_meta.h"
#include "import/perf_attr.h"
#include "import/perf_import.h"
#include "import/perf_order.h"
#include "import/perf_records.h"
#include "import/perf_tracing.h"
#include "recording/subbuf_writer.h"
#include "recording/user_maps.h"

/**
 * struct perf_cpu - one CPU
 * @seen_ts: time of its last sample in the file's order, @written_ts: of the last one written
 * @lost: lost events according to LOST records, @lost_samples: according to LOST_SAMPLES, which
 *	count the same events
 */
struct perf_cpu {
	uint32_t cpu;
	struct subbuf_writer pages;
	uint64_t seen_ts, written_ts;
	uint64_t lost, lost_samples;
};

/**
 * struct perf_events - initialised by perf_events_init()
 * @lost_samples_anywhere: lost samples of unknown CPUs
 * @cpu_of_id: perf's index of ids, which may be missing
 */
struct perf_events {
	const struct recording_import_options *opts;
	const struct perf_attrs *attrs;
	const struct perf_tracing *tracing;
	struct perf_import_result *result;
	struct user_maps *user; /* set it before the first sample; NULL: no user frames */
	struct perf_order order;
	struct perf_cpu *cpus;
	size_t nr_cpus, capacity;
	uint32_t *by_cpu; /* index + 1 */
	uint64_t lost_samples_anywhere;
	struct u64_map cpu_of_id;
	uint8_t *record; /* the record being made */
	size_t record_size;
	uint8_t *stack; /* the stack being written */
	size_t stack_size;
};

/* Pointers are borrowed; @tracing may be filled in later, before the first sample. 0; -ENOMEM. */
int perf_events_init(struct perf_events *pe, const struct recording_import_options *opts,
		     const struct perf_attrs *attrs, const struct perf_tracing *tracing,
		     struct perf_import_result *result) __must_check;
/* Reads PERF_SAMPLE, PERF_LOST, PERF_LOST_SAMPLES, PERF_THROTTLE, PERF_FINISHED_ROUND,
 * PERF_ID_INDEX, and what was mapped; others are ignored. 0; -ENOMEM, -errno of opening or writing
 * a part.
 */
int perf_events_record(struct perf_events *pe,
		       const struct perf_record *rec) __must_check;
/* Reads the section with the build IDs of mapped files. 0 or -ENOMEM. */
int perf_events_build_ids(struct perf_events *pe, const uint8_t *data,
			  size_t size) __must_check;
/* Records of another file follow, with any times. Return: as perf_events_record(). */
int perf_events_next_file(struct perf_events *pe) __must_check;
/* Writes everything that is left, CPU by CPU in order. Return: as perf_events_record(). */
int perf_events_finish(struct perf_events *pe) __must_check;
void perf_events_free(struct perf_events *pe);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * import: sorts the events of a perf.data file into each CPU's sub-buffers.
 * In: samples and losses in the file's order. Out: sub-buffers in time order.
 */
#ifndef KMEMX_IMPORT_PERF_EVENTS_H
#define KMEMX_IMPORT_PERF_EVENTS_H

#include "base/hash.h"
#include "import/import_meta.h"
#include "import/perf_file.h"
#include "import/perf_import.h"
#include "import/perf_records.h"
#include "import/perf_tracing.h"
#include "recording/user_maps.h"

/**
 * struct perf_order - records that wait to be sorted by time
 * @newest: the latest time of all items so far; @safe: nothing older than this follows
 */
struct perf_order {
	struct perf_item *entries;
	size_t nr, capacity;
	uint8_t *bytes;
	size_t nr_bytes, bytes_capacity;
	uint64_t added, newest, safe;
};

/**
 * struct perf_events - set the first four, zero the rest
 * @attrs, @tracing: borrowed; may be filled in later, before the first sample
 * @result: its made.cpus are set before the first sample
 * @lost_samples_anywhere: lost samples of unknown CPUs
 * @cpu_of_id: perf's index of ids, which may be missing
 */
struct perf_events {
	const struct perf_attrs *attrs;
	const struct perf_tracing *tracing;
	struct perf_import *result;
	struct user_maps *user;
	struct perf_order order;
	uint64_t lost_samples_anywhere;
	struct u64_map cpu_of_id;
	uint8_t *record; /* the record being made */
	size_t record_size;
	uint8_t *stack; /* the stack being written */
	size_t stack_size;
};

/* Reads PERF_SAMPLE, PERF_LOST, PERF_LOST_SAMPLES, PERF_THROTTLE, PERF_FINISHED_ROUND,
 * PERF_ID_INDEX, and records of mappings; others are ignored. 0; -ENOMEM, -errno of opening or
 * writing a part.
 */
int perf_events_record(struct perf_events *pe,
		       const struct perf_record *rec) __must_check;
/* Another file follows, whose records may have any time. Return: as perf_events_record(). */
int perf_events_restart(struct perf_events *pe) __must_check;
/* Writes everything that is left. Return: as perf_events_record(). */
int perf_events_finish(struct perf_events *pe) __must_check;
void perf_events_free(struct perf_events *pe);

#endif

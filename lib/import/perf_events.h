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
#include "import/perf_records.h"
#include "import/perf_tracing.h"
#include "recording/subbuf_writer.h"
#include "recording/user_maps.h"

/* Puts the records of a perf.data file into time order. perf reads the CPUs' rings one after the
 * other, round by round. It guarantees that nothing after a mark is older than anything before the
 * previous mark, so at most two rounds are held. A file without marks, or with wrong ones, is
 * sorted within a bounded window.
 */

/* The most bytes and records that are held; half of them are passed on when there are more. */
#define PERF_ORDER_BYTES   (32U << 20)
#define PERF_ORDER_ENTRIES (512U << 10)

/**
 * struct perf_item - a record waiting to be sorted
 * @cpu: any number chosen by the caller
 * @lost: number of events lost at this point; then there is no data
 * @data: @size bytes of an event, then @stack_size bytes of its stack
 * @nr_user: how many frames at its end are addresses of process @pid
 */
struct perf_item {
	uint64_t ts;
	uint64_t lost;
	const uint8_t *data;
	uint32_t cpu;
	uint32_t size, stack_size;
	uint32_t nr_user, pid;
};

/**
 * struct perf_order - set @write and @ctx, all else zero
 * @write: receives items in time order, those with the same time in file order; 0, or -errno, which
 *	stops the import
 */
struct perf_order {
	int (*write)(void *ctx, const struct perf_item *item);
	void *ctx;
	struct perf_order_entry *entries;
	size_t nr, capacity;
	uint8_t *bytes;
	size_t nr_bytes, bytes_capacity;
	uint64_t added, newest, safe;
};

/* Copies @item and its data. 0; -ENOMEM; what @write returned. */
int perf_order_add(struct perf_order *o, const struct perf_item *item) __must_check;
/* perf's mark (PERF_RECORD_FINISHED_ROUND). Return: as perf_order_add(). */
int perf_order_round(struct perf_order *o) __must_check;
/* Passes on everything that is left. Return: as perf_order_add(). */
int perf_order_finish(struct perf_order *o) __must_check;
/* Passes on everything; items added later may have any time. Return: as perf_order_add(). */
int perf_order_restart(struct perf_order *o) __must_check;
void perf_order_free(struct perf_order *o);

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

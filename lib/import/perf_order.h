/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * import: puts the records of a perf.data file into time order.
 * In: records ring by ring, and perf's marks between rounds. Out: the same, sorted.
 *
 * perf reads the CPUs' rings one after the other, round by round. It guarantees that nothing after
 * a mark is older than anything before the previous mark, so at most two rounds are held. A file
 * without marks, or with wrong ones, is sorted within a bounded window.
 */
#ifndef KMEMX_IMPORT_PERF_ORDER_H
#define KMEMX_IMPORT_PERF_ORDER_H

#include "base/compiler.h"

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

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * analysis: every allocation and free over time, for programs that display time.
 * In: changes of live bytes, in time order. Out: the same in memory, with numbered objects.
 */
#ifndef KMEMX_ANALYSIS_EXPORT_HISTORY_H
#define KMEMX_ANALYSIS_EXPORT_HISTORY_H

#include "account/lives.h"
#include "base/keyed.h"
#include "recording/snapshot.h"

/**
 * struct history_change - bytes become live or end
 * @ts: in the clock's units
 * @row: row of the account; history_row() converts it to that of a table
 * @memory: enum memory; @more: the bytes become live
 * @object: the object's number, from 1; @last: nothing of the object is left
 */
struct history_change {
	uint64_t ts, bytes;
	uint32_t row : 29, memory : 2, more : 1;
	uint32_t object : 31, last : 1;
};

/* Events other than changes. */
enum history_what { HISTORY_LOST, HISTORY_FAILED };

struct history_moment {
	uint64_t ts;
	uint64_t
		nr; /* number of events lost, 0: unknown; or order of the pages requested */
	uint32_t cpu;
	enum history_what what;
};

/* Limit of moments; further ones, too many to tell apart, are only counted. */
#define HISTORY_MOMENTS_MAX 10000

/* Rows of an account with larger numbers are in no history. */
#define HISTORY_ROW_MAX ((1U << 29) - 1)

_Static_assert(MEMORY_KINDS <= 4, "history_change.memory has two bits");

/**
 * struct export_rows_options - the analysis's own options
 * @any_gfp: one row for all GFP flags
 * @history: receives all that began and ended, owned by the caller; NULL: not wanted
 */
struct export_rows_options {
	bool any_gfp;
	struct export_history *history;
};

/**
 * struct export_history - zero-initialise it
 * @objects: live bytes of each, by object_key
 * @latest: hash of a pointer or frame -> its latest object
 * @rows: by enum memory: row of the account -> row of the table
 * @first_row: number of the first row of each of these tables
 * @free_bytes: free bytes by block order, before and after the recording; @nr_orders: number of
 *	orders, 0: not known
 * @nr_told: changes up to the last one that has an event
 * @failed: memory ran out; the history is void
 */
struct export_history {
	struct history_change *changes;
	size_t nr, nr_told;
	struct history_moment *moments;
	size_t nr_moments;
	uint64_t moments_left_out;
	uint64_t free_bytes[2][BUDDY_ORDERS_MAX];
	unsigned int nr_orders[2];
	KEYED(uint64_t) objects;
	struct u64_map latest;
	uint32_t *rows[MEMORY_KINDS];
	size_t nr_rows[MEMORY_KINDS];
	uint32_t first_row[MEMORY_KINDS];
	bool failed;
};

/* Adds a change; @at: the pointer or frame, @begin: when it was allocated. @change has all but
 * @object and @last set.
 */
void export_history_add(struct export_history *h, const struct history_change *change,
			uint64_t at, uint64_t begin);
/* After the last change: sorts those without an event, so that each run has the same order. */
void export_history_end(struct export_history *h);
void export_history_moment(struct export_history *h, const struct history_moment *moment);
/* Call it for all kinds of @memory, in their order: account row n is row @rows[n] of the table,
 * UINT32_MAX: none; the table has @nr_table rows. Takes over @rows.
 */
void export_history_rows(struct export_history *h, enum memory memory, uint32_t *rows,
			 size_t nr, uint32_t nr_table);
/* The table row of @c, as in column "id"; UINT32_MAX: none. */
uint32_t history_row(const struct export_history *h, const struct history_change *c);
void export_history_free(struct export_history *h);

#endif

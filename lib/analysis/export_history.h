/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * analysis: everything that began and ended, for programs that show time.
 * In: changes of what lives, in time order. Out: the same in memory, with objects numbered.
 */
#ifndef KMEMX_ANALYSIS_EXPORT_HISTORY_H
#define KMEMX_ANALYSIS_EXPORT_HISTORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/compiler.h"
#include "account/zones.h"
#include "base/hash.h"

/**
 * struct history_change - bytes begin or end to live
 * @ts: in the clock's units
 * @row: of the account; then of the tables: history_row()
 * @pages: it is of pages; @more: they begin
 * @object: what it is of, from 1 on; @last: nothing is left of that
 */
struct history_change {
	uint64_t ts, bytes;
	uint32_t row : 30, pages : 1, more : 1;
	uint32_t object : 31, last : 1;
};

/* What the changes do not say. */
enum history_what { HISTORY_LOST, HISTORY_FAILED };

struct history_moment {
	uint64_t ts;
	uint64_t
		nr; /* events lost, 0: nobody knows; or the order of the pages asked for */
	uint32_t cpu;
	enum history_what what;
};

/* More moments than a reader can tell apart are only counted. */
#define HISTORY_MOMENTS_MAX 10000

/**
 * struct export_history - zero-initialise it
 * @objects: pointer or frame, and begin: object n has the number n; @left: bytes of each
 * @latest: hash of a pointer or frame -> its latest object
 * @rows: of slab objects, and of pages: of each row of the account that of the table
 * @first_row: of each of these tables the number of its first row
 * @free_bytes: in blocks of each order, before and after the recording; @nr_orders: how many
 *	orders there are, 0: it is not known
 * @nr_told: changes up to the last one that an event told
 * @failed: memory ran out; the history is void
 */
struct export_history {
	struct history_change *changes;
	size_t nr, capacity, nr_told;
	struct history_moment *moments;
	size_t nr_moments, moments_capacity;
	uint64_t moments_left_out;
	uint64_t free_bytes[2][BUDDY_ORDERS_MAX];
	unsigned int nr_orders[2];
	struct intern objects;
	struct u64_map latest;
	uint64_t *left;
	size_t left_capacity;
	uint32_t *rows[2];
	size_t nr_rows[2];
	uint32_t first_row[2];
	bool failed;
};

/* Adds a change; @at: the pointer or frame, @begin: when it was allocated; of @change all but
 * @object and @last are set.
 */
void export_history_add(struct export_history *h, const struct history_change *change,
			uint64_t at, uint64_t begin);
/* Behind the last change: puts those that no event told into an order that each run has. */
void export_history_end(struct export_history *h);
void export_history_moment(struct export_history *h, const struct history_moment *moment);
/* Of slab objects, or of @pages: account row n is row @rows[n] of the table, which has @nr_table,
 * UINT32_MAX: none. 0 or -ENOMEM.
 */
int export_history_rows(struct export_history *h, bool pages, const uint32_t *rows,
			size_t nr, uint32_t nr_table) __must_check;
/* The row of the tables that @c is of, as their column "id" has it; UINT32_MAX: none. */
uint32_t history_row(const struct export_history *h, const struct history_change *c);
void export_history_free(struct export_history *h);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * query: rows of many recordings in memory, as a database.
 * In: rows. Out: what SQL asks of them. It needs SQLite when kmemx is built.
 *
 * SQL sees "allocations", which has the columns of kmemx export, and "recordings".
 */
#ifndef KMEMX_QUERY_STORE_H
#define KMEMX_QUERY_STORE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/compiler.h"
#include "query/row.h"

struct query_store;

/**
 * struct query_totals - what a store has
 * @rows, @recordings, @hosts: how many
 * @untrusted: recordings that lost events or were cut short
 * @partial: samples, and recordings of some tasks or events
 * @repeated: rows that were left out, because an earlier file has that recording
 * @large: numbers of 2^63 and above, which became floating point
 */
struct query_totals {
	uint64_t rows, recordings, hosts, untrusted, partial, repeated, large;
};

/* Loads SQLite. 0; -ENOTSUP: kmemx was built without; -ELIBACC: it is not installed here, or too
 * old. If not 0, only query_store_open() may be called.
 */
int query_store_supported(void) __must_check;
/**
 * query_store_open() - an empty store
 * @memory: bytes that SQLite may use in this process, for all stores; 0: no limit
 *
 * Return: 0; -ENOTSUP; -ELIBACC; -ENOMEM. *@out must be given to query_store_free() in any case.
 */
int query_store_open(struct query_store **out, uint64_t memory) __must_check;
/* Rows are of file @name from now on. 0 or -ENOMEM. */
int query_store_file(struct query_store *s, const char *name) __must_check;
/**
 * query_store_add() - add a row, which is copied
 *
 * A recording's rows of one allocator come from one file: those in further files are left out and
 * counted in query_totals.repeated.
 *
 * Return: 0; -ENOMEM, also if @memory is used up.
 */
int query_store_add(struct query_store *s, const struct query_row *row) __must_check;
/* All rows are there: from now on they can only be read. 0 or -ENOMEM. */
int query_store_seal(struct query_store *s) __must_check;
/* Valid after query_store_seal(). */
const struct query_totals *query_store_totals(const struct query_store *s);
void query_store_free(struct query_store *s);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * analysis: a change by the trace and by the kernel, and how much of it the events explain.
 * In: both numbers. Out: cells, an order of rows.
 */
#ifndef KMEMX_ANALYSIS_LEDGER_CHANGE_H
#define KMEMX_ANALYSIS_LEDGER_CHANGE_H

#include "analysis/columns.h"

/* The absolute value. */
static inline uint64_t ledger_magnitude(int64_t v)
{
	return v < 0 ? -(uint64_t)v : (uint64_t)v;
}

/* How much of a change two sources agree on: 100 - 100 * |kernel - trace| / the larger of both, at
 * least 0; no value if neither changed.
 */
struct cell ledger_explained(int64_t trace, int64_t kernel);

/* A part of a row. @known: the kernel counts it. */
struct ledger_change {
	int64_t trace, kernel;
	bool known;
};

/* The cells of a struct ledger_change; none unless it is known. */
struct cell ledger_kernel_cell(const void *change, struct table *t);
struct cell ledger_unexplained_cell(const void *change, struct table *t);
struct cell ledger_explained_cell(const void *change, struct table *t);

/* The larger of the two, without its sign. */
static inline uint64_t ledger_largest(const struct ledger_change *c)
{
	uint64_t trace = ledger_magnitude(c->trace), kernel = ledger_magnitude(c->kernel);

	return trace > kernel ? trace : kernel;
}

/* The columns of the difference, in @units. The next arguments say where the change is. */
#define LEDGER_CHANGE_COLUMNS(units, ...)                                            \
	{ COLUMN("unexplained", "Difference", units, "The second minus the first."), \
	  .fill = ledger_unexplained_cell, __VA_ARGS__ },                            \
	{                                                                            \
		COLUMN("explained", "Explained", UNIT_PERCENT,                       \
		       "100 % minus the difference's share of the larger of both.",  \
		       .leaves = 90),                                                \
			.fill = ledger_explained_cell, __VA_ARGS__                   \
	}

#endif

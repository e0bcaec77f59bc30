/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * analysis: the columns of tables, each described once.
 * In: a table's type, and the data of its rows. Out: its columns and cells.
 *
 * The sort keys of stat, the lists of columns in the manual and the JSON schema, and "kmemx stat
 * --columns" are generated from these descriptions.
 */
#ifndef KMEMX_ANALYSIS_COLUMNS_H
#define KMEMX_ANALYSIS_COLUMNS_H

#include <stdbool.h>
#include <stdint.h>

#include "report/table.h"

/* What a row of a report stands for: one of these, or up to three combined, the first in the lowest
 * four bits, the others above.
 */
enum subject_kind {
	SUBJECT_NONE, /* no subject: an address, a page, or something specific to the table */
	SUBJECT_CALLSITE,
	SUBJECT_STACK,
	SUBJECT_COMM,
	SUBJECT_PID,
	SUBJECT_CPU,
	SUBJECT_NODE,
	SUBJECT_CACHE,
	SUBJECT_MODULE,
	SUBJECT_DIR,
	SUBJECT_FUNCTION,
	SUBJECT_FILE,
	SUBJECT_LINE,
	SUBJECT_NR,
};

/* Sets of them. */
#define ROWS(kind) (1U << SUBJECT_##kind)
#define ROWS_ALL   ((1U << SUBJECT_NR) - 1)

#define SUBJECT_PARTS_MAX 3
#define SUBJECT_PART_BITS 4

_Static_assert(SUBJECT_NR <= 1 << SUBJECT_PART_BITS, "a kind fits its bits");

/* A flag above the parts of a kind: figures are estimated from a sample. */
#define SUBJECT_ESTIMATED (1U << SUBJECT_PARTS_MAX * SUBJECT_PART_BITS)

/* @kind with or without the flag. */
static inline enum subject_kind subject_estimated(enum subject_kind kind, bool estimated)
{
	return (enum subject_kind)((unsigned int)kind |
				   (estimated ? SUBJECT_ESTIMATED : 0));
}

/* Part @i of @kind, @i below SUBJECT_PARTS_MAX; SUBJECT_NONE: it has no more. */
static inline enum subject_kind subject_part(enum subject_kind kind, unsigned int i)
{
	return (enum subject_kind)((unsigned int)kind >> i * SUBJECT_PART_BITS &
				   ((1U << SUBJECT_PART_BITS) - 1));
}

/* The parts of @kind, as ROWS(). */
static inline uint32_t subject_rows(enum subject_kind kind)
{
	uint32_t rows = 1U << subject_part(kind, 0);

	for (unsigned int i = 1; i < SUBJECT_PARTS_MAX; i++) {
		if (subject_part(kind, i))
			rows |= 1U << subject_part(kind, i);
	}
	return rows;
}

/* How a comparison treats a column. */
enum column_use {
	COLUMN_NOT_COMPARED,
	COLUMN_SUM,	/* divided when the sides differ in length */
	COLUMN_EVENTS,	/* the same; each event counts 1 */
	COLUMN_HEIGHT,	/* does not add up, is not divided */
	COLUMN_LARGEST, /* the most that one event added to the others */
};

/**
 * struct column_type - one column, in every table that has it
 * @column: name, title, unit and so on, as in the table; its help is a sentence
 * @live_title: title in a table of live objects only; NULL: @column's
 * @rows: ROWS() of the tables that have it; 0: all have it
 * @estimated: only tables with figures estimated from a sample have it
 * @use: how comparisons treat it
 * @many: a placeholder for columns that depend on the data; the table's own file adds and fills
 *	them
 * @fill: makes its cell from @row, whose type only the table knows; texts are copied to @t. NULL:
 *	only with @many.
 */
struct column_type {
	struct column column;
	const char *live_title;
	uint32_t rows;
	enum column_use use;
	bool many, estimated;
	struct cell (*fill)(const void *row, struct table *t);
};

/* The interval of the table's bytes. @low, @high: as in struct column_type. */
#define INTERVAL_COLUMNS(low, high)                                                    \
	{ .column = { .name = "bytes_low",                                             \
		      .title = "At_least",                                             \
		      .unit = UNIT_BYTES,                                              \
		      .level = true,                                                   \
		      .leaves = 7,                                                     \
		      .help = "For a sample: the lower end of the 95 % confidence "    \
			      "interval of the bytes." },                              \
	  .estimated = true,                                                           \
	  .fill = low },                                                               \
	{                                                                              \
		.column = { .name = "bytes_high",                                      \
			    .title = "At_most",                                        \
			    .unit = UNIT_BYTES,                                        \
			    .level = true,                                             \
			    .leaves = 7,                                               \
			    .help = "For a sample: the upper end of this interval." }, \
		.estimated = true, .fill = high                                        \
	}

/* How much of the row comes from one address block. @block: as in struct column_type. */
#define BLOCK_COLUMN(block)                                                          \
	{                                                                            \
		.column = { .name = "one_block",                                     \
			    .title = "One_block",                                    \
			    .unit = UNIT_PERCENT,                                    \
			    .leaves = 65,                                            \
			    .help = "For a sample: the part of the row's sampled "   \
				    "bytes that one block of eight pages has. Near " \
				    "100 %: they are from few addresses." },         \
		.estimated = true, .fill = block                                     \
	}

/* The row's share of the whole, which table_fill_shares() computes once the rows are sorted. */
struct cell column_fill_later(const void *row, struct table *t);
#define SHARE_COLUMNS                                                                   \
	{ .column = { .name = "pct",                                                    \
		      .title = "%",                                                     \
		      .unit = UNIT_SHARE,                                               \
		      .part = COLUMN_SHARE,                                             \
		      .leaves = 10,                                                     \
		      .help = "The row's part of all rows' bytes; of the sums of the "  \
			      "first sort key, if that adds up. No sort key itself." }, \
	  .fill = column_fill_later },                                                  \
	{                                                                               \
		.column = { .name = "cum_pct",                                          \
			    .title = "cum %",                                           \
			    .unit = UNIT_SHARE,                                         \
			    .part = COLUMN_CUMULATIVE,                                  \
			    .leaves = 50,                                               \
			    .help = "The same of this row and all above it." },         \
		.fill = column_fill_later                                               \
	}

/* Ends an array of columns. */
#define COLUMNS_END          \
	{                    \
		.fill = NULL \
	}

/**
 * struct table_type - all tables of one name
 * @name, @help: JSON name; what a row stands for, in a few words
 * @sort: table.usual_sort
 * @columns: in their order, ended by one without a name
 * @tree: table.tree; @cross: table.cross
 * @option: the stat option that the table needs; NULL: none
 */
struct table_type {
	const char *name, *help;
	const char *sort;
	const struct table_tree *tree;
	const struct table_cross *cross;
	const char *option;
	const struct column_type *columns;
};

/**
 * table_type_new() - a table without rows
 * @title: text heading
 * @kind: the kind of its rows, which selects the columns
 * @live: the table shows live objects only
 *
 * Return: the table, the caller's; NULL: no memory.
 */
struct table *table_type_new(const struct table_type *type, const char *title,
			     enum subject_kind kind, bool live);
/* In a table of live objects, the range of net is that of the first figure: text hides one of them.
 */
void table_type_hide_interval(struct table *t, bool live);
/* Adds a row made from @row to a table of that @type and @kind; false: no memory. */
bool table_type_add_row(const struct table_type *type, enum subject_kind kind,
			struct table *t, const void *row);
/* Is @col among the columns of tables by @kind? */
static inline bool column_type_in(const struct column_type *col, enum subject_kind kind)
{
	return (!col->rows || col->rows & subject_rows(kind)) &&
	       (!col->estimated || (unsigned int)kind & SUBJECT_ESTIMATED);
}

#endif

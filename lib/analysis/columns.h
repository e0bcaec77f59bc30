/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * analysis: the columns of tables, each described once.
 * In: a table's type, and what its rows are made from. Out: its columns and cells.
 *
 * The sort keys that stat knows, the lists of columns in the manual and the JSON schema, and
 * "kmemx stat --columns" are made from these descriptions.
 */
#ifndef KMEMX_ANALYSIS_COLUMNS_H
#define KMEMX_ANALYSIS_COLUMNS_H

#include <stdbool.h>
#include <stdint.h>

#include "report/table.h"

/* What a row of a report can stand for: one of these, or up to three of them: the first in the
 * lowest four bits, the others above.
 */
enum subject_kind {
	SUBJECT_NONE, /* no subject: an address, a page, or what only that table has */
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

/* Beside the parts of a kind: figures are estimated from a sample. */
#define SUBJECT_ESTIMATED (1U << SUBJECT_PARTS_MAX * SUBJECT_PART_BITS)

/* The kind of rows whose figures are estimated, or are not. */
static inline enum subject_kind subject_estimated(enum subject_kind kind, bool estimated)
{
	return (enum subject_kind)((unsigned int)kind |
				   (estimated ? SUBJECT_ESTIMATED : 0));
}

/* The part of @kind in place @i, below SUBJECT_PARTS_MAX; SUBJECT_NONE: it has no more. */
static inline enum subject_kind subject_part(enum subject_kind kind, unsigned int i)
{
	return (enum subject_kind)((unsigned int)kind >> i * SUBJECT_PART_BITS &
				   ((1U << SUBJECT_PART_BITS) - 1));
}

/* What @kind is made of, as ROWS(). */
static inline uint32_t subject_rows(enum subject_kind kind)
{
	uint32_t rows = 1U << subject_part(kind, 0);

	for (unsigned int i = 1; i < SUBJECT_PARTS_MAX; i++) {
		if (subject_part(kind, i))
			rows |= 1U << subject_part(kind, i);
	}
	return rows;
}

/* What a comparison takes a column for. */
enum column_use {
	COLUMN_NOT_COMPARED,
	COLUMN_SUM,	/* it is divided where sides of unlike length are compared */
	COLUMN_EVENTS,	/* the same; of an event it counts 1 */
	COLUMN_HEIGHT,	/* it does not add up, and is not divided */
	COLUMN_LARGEST, /* the most that one event added to the others */
};

/**
 * struct column_type - one column, in every table that has it
 * @column: name, title, unit and so on, as the table takes them; its help is a sentence
 * @live_title: title where only what still lives is shown; NULL: @column's
 * @rows: ROWS() of the tables that have it; 0: of all
 * @estimated: only tables whose figures are estimated from a sample have it
 * @use: in the tables of analyses that are for comparisons
 * @many: stands for columns that the data name; the table's own file adds and fills them
 * @fill: its cell in the row that is made from @row, whose type is the table's own matter;
 *	  texts are copied to @t. NULL: only with @many.
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

/* From how few addresses it is. @block: as in struct column_type. */
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

/* What part of the whole a row is: table_fill_shares() knows it when the rows are sorted. */
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

/* Behind the last one. */
#define COLUMNS_END          \
	{                    \
		.fill = NULL \
	}

/**
 * struct table_type - all tables of one name
 * @name, @help: JSON name; what a row is, in a few words
 * @sort: table.usual_sort
 * @columns: in their order, ended by one without a name
 * @tree: table.tree; @cross: table.cross
 * @option: of stat, without which there is no such table; NULL: it needs none
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
 * @kind: which of the columns it has
 * @live: only what still lives is shown
 *
 * Return: the table, the caller's; NULL: no memory.
 */
struct table *table_type_new(const struct table_type *type, const char *title,
			     enum subject_kind kind, bool live);
/* Where only what lives is shown its range is that of the first figure: text shows one of them. */
void table_type_hide_interval(struct table *t, bool live);
/* Adds a row made from @row to a table of that @type and @kind; true, or false: no memory. */
bool table_type_add_row(const struct table_type *type, enum subject_kind kind,
			struct table *t, const void *row);
/* Is @col among the columns of tables by @kind? */
static inline bool column_type_in(const struct column_type *col, enum subject_kind kind)
{
	return (!col->rows || col->rows & subject_rows(kind)) &&
	       (!col->estimated || (unsigned int)kind & SUBJECT_ESTIMATED);
}

#endif

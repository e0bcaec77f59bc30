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

#include "report/table.h"

/* What a row of a report stands for: one of these, or several combined, SUBJECT_PART_BITS bits
 * each, the first in the lowest bits.
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
	SUBJECT_ENTRY,
	SUBJECT_PROCESS,
	SUBJECT_CGROUP,
	SUBJECT_USER_FUNCTION,
	SUBJECT_USER_LINE,
	SUBJECT_NR,
	/* of a page; reports of recordings have no such rows */
	SUBJECT_ORDER = SUBJECT_NR,
};

/* Sets of them. */
#define ROWS(kind) (1U << SUBJECT_##kind)
#define ROWS_ALL   ((1U << SUBJECT_NR) - 1)

/* Limits: parts of a kind, parts that --by takes, bits of a part. */
#define SUBJECT_PARTS_MAX 6
#define SUBJECT_ASKED_MAX 3
#define SUBJECT_PART_BITS 5

_Static_assert(SUBJECT_ORDER < 1 << SUBJECT_PART_BITS, "a kind fits its bits");

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

/* Makes a cell of @data, a row or a part of it; texts are copied to @t. */
typedef struct cell cell_fn(const void *data, struct table *t);

/* How a comparison treats a column. */
enum column_use {
	COLUMN_NOT_COMPARED,
	COLUMN_SUM,	/* divided when the sides differ in length */
	COLUMN_EVENTS,	/* like COLUMN_SUM; each event counts 1 */
	COLUMN_HEIGHT,	/* does not add up, is not divided */
	COLUMN_LARGEST, /* the most that one event added to a sum */
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
 * @none_if_0: for whole numbers: 0 means no value
 * @fill: makes the cell from its data: the row, or the part of it that the next members give; only
 *	the table knows its type. Texts are copied to @t. NULL: only with @many.
 * @apart: the data is not in the row, but where the row's pointer at @pointer points; if that is
 *	NULL, the cell has no value
 * @offset: of the data, in the row or behind that pointer
 *
 * A column that shows a member of the row needs no function of its own: MEMBER() and the like set
 * the last four.
 */
struct column_type {
	struct column column;
	const char *live_title;
	uint32_t rows;
	enum column_use use;
	bool many, estimated;
	bool none_if_0;
	cell_fn *fill;
	bool apart;
	size_t pointer, offset;
};

/* Sets @column of a struct column_type: what every column has, then other members. */
#define COLUMN(column_name, column_title, column_unit, column_help, ...) \
	.column = { .name = column_name,                                 \
		    .title = column_title,                               \
		    .unit = column_unit,                                 \
		    .help = column_help,                                 \
		    __VA_ARGS__ }

/* The cell shows @member of the row, a @type. The member is a uint64_t, uint32_t, int64_t, int32_t,
 * text or strbuf (an empty one is no value); other types do not compile.
 */
#define MEMBER(type, member) \
	.fill = CELL_OF(((const type *)0)->member), .offset = offsetof(type, member)

/* The cell shows @member of the const struct that @at in the row, a @type, points at. */
#define MEMBER_OF(type, at, member)                                    \
	.fill = CELL_OF(((const type *)0)->at->member), .apart = true, \
	.pointer = offsetof(type, at),                                 \
	.offset = offsetof(__typeof__(*((const type *)0)->at), member)

/* @make makes the cell from all of that struct, which is an @of. */
#define POINTEE(type, at, of, make) \
	.fill = make, .apart = true, \
	.pointer = _Generic(((const type *)0)->at, const of *: offsetof(type, at))

/* Defines a cell function that returns @value, which may use the row @r, a @row_type, and the table
 * @t.
 */
#define CELL(name, row_type, value) static SHARED_CELL(name, row_type, value)
/* The same, for other files; a header declares it as a cell_fn. */
#define SHARED_CELL(name, row_type, value)                 \
	struct cell name(const void *row, struct table *t) \
	{                                                  \
		const row_type *r = row;                   \
                                                           \
		return value;                              \
	}
/* The same; if not @known, the cell has no value. */
#define CELL_IF(name, row_type, known, value) \
	CELL(name, row_type, (known) ? (value) : (struct cell){ .type = CELL_NONE })
/* The same; the cell has the text that @put appends to @out. */
#define CELL_PUT(name, row_type, put) CELL_PUT_IF(name, row_type, true, put)
/* The same; if not @known, the cell has no value. */
#define CELL_PUT_IF(name, row_type, known, put)                   \
	static struct cell name(const void *row, struct table *t) \
	{                                                         \
		const row_type *r = row;                          \
		struct strbuf text = { 0 }, *out = &text;         \
                                                                  \
		if (!(known))                                     \
			return (struct cell){ 0 };                \
		put;                                              \
		return cell_strbuf(t, &text);                     \
	}

/* The function for @member's type. */
#define CELL_OF(member) \
	_Generic(&(member), \
		const uint64_t *: cell_of_u64, \
		const uint32_t *: cell_of_u32, \
		const int64_t *: cell_of_i64, \
		const int32_t *: cell_of_i32, \
		const char *const *: cell_of_text, \
		const struct strbuf *: cell_of_strbuf)
cell_fn cell_of_u64, cell_of_u32, cell_of_i64, cell_of_i32, cell_of_text, cell_of_strbuf;

/* The confidence interval of the row's bytes. @at: the member of the row, a @type, that points at
 * the estimate.
 */
#define INTERVAL_COLUMNS(type, at)                                                     \
	{ COLUMN("bytes_low", "Low_95%", UNIT_BYTES,                                   \
		 "For a sample: the lower end of the 95 % confidence "                 \
		 "interval of the bytes.",                                             \
		 .level = true, .drop = 7),                                            \
	  .estimated = true, MEMBER_OF(type, at, low) },                               \
	{                                                                              \
		COLUMN("bytes_high", "High_95%", UNIT_BYTES,                           \
		       "For a sample: the upper end of this interval.", .level = true, \
		       .drop = 7),                                                     \
			.estimated = true, MEMBER_OF(type, at, high)                   \
	}

/* How much of the row comes from one address block. @at: as in INTERVAL_COLUMNS(). */
#define BLOCK_COLUMN(type, at)                                             \
	{                                                                  \
		COLUMN("one_block", "One_block", UNIT_PERCENT,             \
		       "For a sample: the part of the row's sampled "      \
		       "bytes that one block of eight pages has. Near "    \
		       "100 %: they are from few addresses.",              \
		       .drop = 65),                                        \
			.estimated = true,                                 \
			POINTEE(type, at, struct estimate, estimate_block) \
	}

/* The row's share of the whole, which table_fill_shares() computes once the rows are sorted. */
cell_fn cell_none;
#define SHARE_COLUMNS                                                     \
	{ COLUMN("pct", "%", UNIT_SHARE,                                  \
		 "The row's part of all rows' bytes; of the sums of the " \
		 "first sort key, if that adds up. No sort key itself.",  \
		 .part = COLUMN_SHARE, .drop = 10),                       \
	  .fill = cell_none },                                            \
	{                                                                 \
		COLUMN("cum_pct", "cum %", UNIT_SHARE,                    \
		       "The same of this row and all above it.",          \
		       .part = COLUMN_CUMULATIVE, .drop = 50),            \
			.fill = cell_none                                 \
	}

/* Ends an array of columns. */
#define COLUMNS_END          \
	{                    \
		.fill = NULL \
	}

/**
 * struct table_type - all tables of one name
 * @name, @help: JSON name; what a row stands for, in a few words
 * @title: of a table by table_plain(); NULL: it depends on the data
 * @by: table.by, if it is always the same
 * @sort: table.usual_sort
 * @columns: in their order, ended by one without a name
 * @tree: table.tree; @cross: table.cross
 * @option: the stat option that the table needs; NULL: none
 */
struct table_type {
	const char *name, *help;
	const char *title, *by, *sort;
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
/* The same, appended to @report, which owns it. Never NULL: without memory, @report has failed and
 * the table is not shown.
 */
struct table *table_begin(struct report *report, const struct table_type *type,
			  const char *title, enum subject_kind kind, bool live);
/* The same with the type's title, for rows of SUBJECT_NONE. */
struct table *table_plain(struct report *report, const struct table_type *type);
/* Hides column @name in text, if @t has it. */
void table_hide_column(struct table *t, const char *name);
/* The cell of @col in the row made from @row. */
static inline struct cell column_type_cell(const struct column_type *col, const void *row,
					   struct table *t)
{
	const char *in_row = row, *data = row;
	struct cell cell;

	if (col->apart) {
		memcpy(&data, in_row + col->pointer, sizeof(data));
		if (!data)
			return (struct cell){ 0 };
	}
	cell = col->fill(data + col->offset, t);
	if (col->none_if_0 && !cell.u)
		return (struct cell){ 0 };
	return cell;
}
/* Adds a row made from @row to a table by table_type_new(); false: no memory. */
bool table_put_row(struct table *t, const void *row);
/* Does a table by @kind have column @col? */
static inline bool column_type_in(const struct column_type *col, enum subject_kind kind)
{
	return (!col->rows || col->rows & subject_rows(kind)) &&
	       (!col->estimated || (unsigned int)kind & SUBJECT_ESTIMATED);
}

#endif

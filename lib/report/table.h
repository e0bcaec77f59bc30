/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * report: typed tables without knowledge of the kernel.
 * In: columns and rows from an analysis. Out: the input of sort, limit, diff and every renderer.
 */
#ifndef KMEMX_REPORT_TABLE_H
#define KMEMX_REPORT_TABLE_H

#include "base/hash.h"
#include "base/strbuf.h"

enum cell_type {
	CELL_NONE, /* no value: "-" in text, null in JSON, empty in CSV */
	CELL_UINT,
	CELL_INT,
	CELL_REAL,
	CELL_ADDRESS, /* hex in text, a "0x..." string in JSON */
	CELL_TEXT,
};

struct cell {
	enum cell_type type;
	union {
		uint64_t u;
		int64_t i;
		double f;
		const char *s; /* owned by the table */
	};
};

enum column_unit {
	UNIT_NONE,
	UNIT_BYTES,
	UNIT_COUNT,
	UNIT_PERCENT,
	UNIT_SHARE, /* share of a sum: percent, with two decimals in text */
	UNIT_NS,
	UNIT_TIME, /* ns: seconds with nine decimals in text */
	UNIT_MOMENT, /* the same for a clock's reading; on a terminal since the first event */
	UNIT_PAGES,
	UNIT_PFN,
	UNIT_ADDRESS
};

/* How a column relates to the column that shares are of: not; the row's share; the share of the row
 * and all rows above it.
 */
enum column_part { COLUMN_WHOLE, COLUMN_SHARE, COLUMN_CUMULATIVE };

/**
 * struct column - one column
 * @name: sort key and JSON/CSV name ("callsite", "bytes")
 * @title: text header ("Total_alloc/Per")
 * @unit: decides how text shows values; JSON states it
 * @per: text only: a column of the same table ("hit") to divide by: shows "value/quotient", rounded
 *	down; NULL: only the value
 * @mark: text only: a column of the same table whose text follows the number without a space; NULL:
 *	none. Not together with @per.
 * @hidden: machine formats only
 * @below: text: the ';'-separated parts except the first go below the row, one comment line each
 * @remark: text: its words are a comment line below the row, after the title
 * @change: text: numbers have a sign; growth is red, shrinkage green
 * @share: shares are of this column, not of the first one in bytes
 * @part: filled by table_fill_shares(); text shows it beside the column that the shares are of
 * @level: a size or a height, which does not add up
 * @drop: text: if the line is too narrow, the quotients of @per are left out first, then the
 *	    columns with the largest number; 0: after all others. The columns that name and order
 *	    the rows always stay.
 * @last: text prints this column last, unpadded; a name that does not fit gets a line of its own
 * @words: the last column holds words, which can be wrapped, not names
 * @live: counts live memory: table_blank_live()
 * @list: its texts are lists separated by '|'; JSON has an array
 * @histogram: its texts are counts separated by '|', of the values (in @unit) 0 and 1, then of
 *	those from 2, 4, 8, ... on; text has a line of marks, JSON an array of numbers
 * @series: the same for a time series of numbers
 * @help: description in one sentence; static, may be NULL
 * @sort_title: text: the name after "sorted by"; static; NULL: @name
 * @spell: text: expands the text of a cell; the result is static or @text; NULL: unchanged
 * @range_of: the figure ("net") whose range has this column as an end, or as the reason why the
 *	 ends differ; static; NULL: none. table_show_range() shows such columns.
 */
struct column {
	const char *name;
	const char *title;
	enum column_unit unit;
	const char *per;
	const char *mark;
	bool hidden;
	bool below;
	bool remark;
	bool change;
	bool share;
	enum column_part part;
	bool level;
	unsigned char drop;
	bool last;
	bool words;
	bool live;
	bool list, histogram, series;
	const char *help;
	const char *sort_title;
	const char *(*spell)(const char *text);
	const char *range_of;
};

/* Priority of a line in a short summary. */
enum summary_rank {
	SUMMARY_DETAIL,
	SUMMARY_USUAL,
	SUMMARY_FAILED, /* requests that the kernel refused */
	SUMMARY_DOUBT,	/* what was lost, guessed or left out */
	SUMMARY_TOTAL,	/* allocated, freed, net */
};

/* The meaning of one word in a column's texts: "K", "GFP_KERNEL". */
struct legend_item {
	const char *word, *meaning;
};

/* A named number under a table: "bytes_requested", "Total bytes requested". */
struct summary_item {
	const char *name;  /* JSON name */
	const char *title; /* text */
	enum column_unit unit;
	struct cell value;
	bool bound; /* only a bound, because of losses; text marks it */
	bool live;  /* counts live memory: table_blank_live() */
	enum summary_rank rank;
};

/* Rows that form a tree, defined by two columns. @depth: the number of rows above a row; its parent
 * is the nearest row before it with a depth smaller by one. @rest: not 0 if a row stands for its
 * remaining siblings; it comes after them.
 */
struct table_tree {
	const char *depth, *rest;
};

/* How text draws the rows, which stand for pairs of like numbers, as a matrix if it fits. @row,
 * @column, @value: the columns of the first number, the second number and the cells. @corner: title
 * of the column of the first numbers; @title: the table's heading in this form
 */
struct table_cross {
	const char *row, *column, *value;
	const char *corner, *title;
};

/**
 * struct table - a report
 * @name: JSON name ("slab", "page"); @title: text heading
 * @by: what a row stands for ("callsite", "ptr", "cache"); NULL: the rows have their own order (a
 *	matrix): table_sort() and table_limit() leave them alone
 * @summary_title: heading of the summary block ("SUMMARY (SLAB allocator)")
 * @notes: comment lines under the rows, in JSON too; without '#'; the loud ones start with '!'
 * @legend: the meanings of the words of column @legend_of, whose texts are separated by '|'; its
 *	heading is @legend_title. Both static; NULL: none
 * @hidden: the table is for machine formats only
 * @summary_hidden: the summary is for machine formats only
 * @every_note: text has all notes, however many
 * @text_rows: text shows only this many rows, the first ones; 0: all
 * @tree: the rows are a tree; static; NULL: a list. Figures include those of the rows below, except
 *	in columns that are a level; -l keeps the largest rows and those above them
 * @cross: how text draws the rows as a matrix; static; NULL: text has a list, too
 * @text_out: in a tree with @text_rows: whether text leaves out each row; else NULL
 * @sorted_by: the keys of table_sort() that this table knows ("order, hit"); NULL: unsorted
 * @usual_sort: default keys if the user gives none that this table knows ("bytes,hit"); static;
 *	 NULL: the rows keep their order
 * @nr_rows_total: rows before table_limit() cut some; 0: none were cut
 * @no_shares: it is unknown which columns add up; @share: index of the column that shares are of;
 *	-1: none
 * @kept, @total: that column's sums over the rows shown and over all rows, if some are not shown
 *
 * @type, @kind: which columns it has (analysis/columns.h); NULL: known only to its maker
 *
 * All strings passed to the functions below are copied. Equal texts are stored once.
 */
struct table {
	const char *name;
	const char *title;
	const char *by;
	const char *summary_title;
	struct column *columns;
	size_t nr_columns;
	struct cell *cells; /* nr_rows * nr_columns */
	size_t nr_rows, rows_capacity;
	struct summary_item *summary;
	size_t nr_summary;
	bool hidden, summary_hidden, every_note;
	size_t text_rows;
	const struct table_tree *tree;
	const struct table_cross *cross;
	bool *text_out;
	const char **notes;
	size_t nr_notes;
	const char *legend_of, *legend_title;
	struct legend_item *legend;
	size_t nr_legend;
	struct intern texts; /* all of them; internal */
	const char *sorted_by;
	const char *usual_sort;
	size_t nr_rows_total;
	bool no_shares;
	int share;
	uint64_t kept, total;
	const struct table_type *type;
	unsigned int kind;
	bool failed; /* memory ran out: check with table_ok() */
};

/* A named number for table_add_summary_lines(). */
struct summary_line {
	const char *name, *title;
	enum column_unit unit;
	uint64_t value;
	enum summary_rank rank;
	bool live; /* as in struct summary_item */
};

struct table *table_new(const char *name, const char *title); /* NULL: no memory */
void table_free(struct table *t); /* NULL is allowed, as everywhere */
/* Was there enough memory for everything added? Adding a column after the first row fails too. */
bool table_ok(const struct table *t);
void table_set_by(struct table *t, const char *by);
void table_set_title(struct table *t, const char *title);
void table_set_summary_title(struct table *t, const char *fmt, ...) __printf_fmt(2, 3);
void table_add_column(struct table *t, const struct column *col);
/* Adds @nr columns. */
void table_add_columns(struct table *t, const struct column *cols, size_t nr);
/* Adds the columns that follow, each in braces. */
#define TABLE_COLUMNS(t, ...)                                        \
	table_add_columns(t, (const struct column[]){ __VA_ARGS__ }, \
			  ARRAY_SIZE(((const struct column[]){ __VA_ARGS__ })))
/* Adds a row of CELL_NONE. Returns its cells, valid until the next row is added; NULL:
 * no memory.
 */
struct cell *table_add_row(struct table *t);
/* Adds a row that begins with these @nr cells. */
void table_put_cells(struct table *t, const struct cell *cells, size_t nr);
#define TABLE_ROW(t, ...)                                        \
	table_put_cells(t, (const struct cell[]){ __VA_ARGS__ }, \
			ARRAY_SIZE(((const struct cell[]){ __VA_ARGS__ })))
/* Adds a note if @condition holds; otherwise formats nothing, and @t may be NULL. */
void table_note_if(struct table *t, bool condition, const char *fmt, ...)
	__printf_fmt(3, 4);
#define table_add_note(t, ...) table_note_if(t, true, __VA_ARGS__)
/* Explains @word, which may occur in the texts of column @legend_of. */
void table_add_legend(struct table *t, const char *word, const char *meaning);
/* Appends the legend of the words in the first @nr_rows rows, "GFP: K GFP_KERNEL  C __GFP_COMP";
 * nothing if they have none. Returns whether it did.
 */
bool table_legend(const struct table *t, size_t nr_rows, struct strbuf *out);
void table_add_summary(struct table *t, const char *name, const char *title,
		       enum column_unit unit, struct cell value, bool bound);
/* Adds @nr items. */
void table_add_summary_items(struct table *t, const struct summary_item *items,
			     size_t nr);
/* The same for whole numbers; @bound applies to all of them. */
void table_add_summary_lines(struct table *t, const struct summary_line *lines, size_t nr,
			     bool bound);
/* The same for the lines that follow, each in braces. */
#define TABLE_SUMMARY(t, bound, ...)                             \
	table_add_summary_lines(                                 \
		t, (const struct summary_line[]){ __VA_ARGS__ }, \
		ARRAY_SIZE(((const struct summary_line[]){ __VA_ARGS__ })), bound)
/* The value of the line @name of the summary; NULL: none, or @name is NULL. */
const struct cell *table_sum(const struct table *t, const char *name);
struct cell cell_uint(uint64_t u);
struct cell cell_int(int64_t i);
struct cell cell_real(double f);
struct cell cell_address(uint64_t u);
struct cell cell_text(struct table *t, const char *s); /* copies; NULL gives CELL_NONE */
struct cell cell_strbuf(struct table *t, struct strbuf *sb); /* copies, and frees @sb */
/* "1|2|3": @nr numbers of a histogram or series. */
struct cell cell_numbers(struct table *t, const uint64_t *numbers, size_t nr);
/* A cell's number; NAN if it has none. */
double cell_as_real(const struct cell *c);
/* Column index by name, or -1. */
int table_column(const struct table *t, const char *name);
/* The cell of a row in column @column; NULL if that is -1. */
static inline const struct cell *table_cell(const struct table *t, size_t row, int column)
{
	return column < 0 ? NULL : &t->cells[row * t->nr_columns + (size_t)column];
}

/* Its unsigned number; 0 if it has none. */
static inline uint64_t table_uint(const struct table *t, size_t row, int column)
{
	const struct cell *c = table_cell(t, row, column);

	return c && c->type == CELL_UINT ? c->u : 0;
}

/* Its text; "" if it has none. */
static inline const char *table_text(const struct table *t, size_t row, int column)
{
	const struct cell *c = table_cell(t, row, column);

	return c && c->type == CELL_TEXT ? c->s : "";
}

/* Does @key equal @title, ignoring case? '_' and '-' equal blanks, and @title may be cut before a
 * '/'. @title may be NULL.
 */
bool column_title_is(const char *title, const char *key);
/* Is @name, the name of a column, the first of the keys by which @t is sorted? */
bool table_ordered_by(const struct table *t, const char *name);
/* The index of the column that a sort key means: its name, or its title if the key does not begin
 * with a small letter; -1: none.
 */
int table_key_column(const struct table *t, const char *key);
/* The column of that name; NULL: none, also if memory for the table's columns ran out. */
struct column *table_find_column(struct table *t, const char *name);
/* Number of rows that text shows. */
static inline size_t table_text_rows(const struct table *t)
{
	return t->text_rows && t->text_rows < t->nr_rows ? t->text_rows : t->nr_rows;
}

/* The first row from @row on that text shows; nr_rows: none. */
static inline size_t table_text_next(const struct table *t, size_t row)
{
	while (t->text_out && row < t->nr_rows && t->text_out[row])
		row++;
	return t->text_out || row < table_text_rows(t) ? row : t->nr_rows;
}

/* Does any row have a value in column @name? */
bool table_has_value(const struct table *t, const char *name);
/* Sets columns and summary items that count live memory to CELL_NONE. For recordings without frees,
 * where it is unknown what is live.
 */
void table_blank_live(struct table *t);
/* Sets the @nr summary items @names to CELL_NONE: they are unknown. */
void table_blank_summary(struct table *t, const char *const *names, size_t nr);
/* Makes text show the column @name too, if it exists. */
void table_show_column(struct table *t, const char *name);
/* Makes text show the ends of column @name's range and the reason why they differ, if they differ
 * in some row. @name may be an end itself; NULL: every range.
 */
void table_show_range(struct table *t, const char *name);

/* Default: numbers descending, texts and addresses ascending. */
enum sort_direction { SORT_DEFAULT, SORT_ASCENDING, SORT_DESCENDING };

/* One key of a sort order: column @name. @said: the user's name for it; NULL: @name. */
struct sort_key {
	const char *name;
	enum sort_direction direction;
	const char *said;
};

#define SORT_KEYS_MAX 16

/**
 * struct sort_keys - a parsed list of keys
 * @text: owns the names; free with sort_keys_free()
 */
struct sort_keys {
	struct sort_key keys[SORT_KEYS_MAX];
	size_t nr;
	char *text;
};

/**
 * sort_keys_parse() - read "order,+hit, -bytes"
 *
 * A leading + means ascending, - descending; blanks around keys are ignored. Names are not checked
 * here.
 *
 * Return: 0; -EINVAL for an empty name; -E2BIG for more than SORT_KEYS_MAX; -ENOMEM.
 */
int sort_keys_parse(struct sort_keys *out, const char *text) __must_check;
void sort_keys_free(struct sort_keys *keys);

/* Sorts the rows by the keys in turn, stably (numbers by value, text by strcmp, CELL_NONE always
 * last). Ignores keys that name no column. 0 or -ENOMEM.
 */
int table_sort(struct table *t, const struct sort_key *keys, size_t nr_keys) __must_check;
/* The same by the table's usual keys. 0 or -ENOMEM. */
int table_sort_usual(struct table *t) __must_check;
/**
 * table_fill_shares() - compute each row's share of the whole
 *
 * Shares are of the column that orders the rows, if its numbers add up; else of the column marked
 * @share, or of the first one in bytes. Call it when the rows are complete and sorted.
 */
void table_fill_shares(struct table *t);
/* Keeps the first @lines rows, in a tree the largest, and records how many there were and their
 * share of the whole. 0: no limit.
 */
void table_limit(struct table *t, uint64_t lines);
/* The same for text only: the other formats have all rows. */
void table_limit_text(struct table *t, uint64_t lines);

struct json_layout;

/**
 * struct property - a name and a value on a line of text
 * @name: static; empty: @text continues the previous property
 * @loud: important, shown in red
 */
struct property {
	const char *name;
	const char *text;
	bool loud;
};

/**
 * struct report - a set of tables with the facts about their recording: the input of a renderer
 * @subject: JSON key of the facts; static; NULL: "recording"
 * @layout: static; JSON is one object of these keys (report/render.h); NULL: the standard form
 * @facts: "kernel", "machine", ... in order
 * @banner: comment lines at the top; the loud ones, which JSON has too, start with '!'
 * @properties: lines above the tables, not comments; text only
 * @texts: owns all texts; internal
 * @spare: stands in for a table that could not be allocated; it is not shown
 */
struct report {
	const char *subject;
	const struct json_layout *layout;
	struct summary_item *facts;
	size_t nr_facts;
	const char **banner;
	size_t nr_banner;
	struct property *properties;
	size_t nr_properties;
	struct table **tables;
	size_t nr_tables;
	struct intern texts;
	struct table spare;
	bool failed;
};

struct report *report_new(void);
void report_free(struct report *r);
/* The table of that name; NULL: none. */
const struct table *report_table(const struct report *r, const char *name);
/* Takes ownership of @t, even if it is incomplete: a failed report is not shown. False: @t is NULL
 * or memory ran out; @t is then freed, and @r has failed.
 */
bool report_add_table(struct report *r, struct table *t);
/* The text of a CELL_TEXT is copied. */
void report_add_fact(struct report *r, const char *name, struct cell value);
/* The fact of that name, or a cell of type CELL_NONE. */
const struct cell *report_fact(const struct report *r, const char *name);
/* @text may be NULL: no value. */
void report_add_text_fact(struct report *r, const char *name, const char *text);
/* Adds a line at the top if @condition holds; otherwise formats nothing. */
void report_banner_if(struct report *r, bool condition, bool loud, const char *fmt, ...)
	__printf_fmt(4, 5);
#define report_add_banner(r, loud, ...) report_banner_if(r, true, loud, __VA_ARGS__)
/* @name is static. The text may come from anywhere: the renderer makes it safe. */
void report_add_property(struct report *r, const char *name, bool loud, const char *fmt,
			 ...) __printf_fmt(4, 5);
bool report_ok(const struct report *r);

#endif

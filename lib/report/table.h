/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * report: typed tables, which know nothing of the kernel.
 * In: columns and rows from an analysis. Out: what sort, limit, diff and every renderer
 * work on.
 */
#ifndef KMEMX_REPORT_TABLE_H
#define KMEMX_REPORT_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/compiler.h"
#include "base/strbuf.h"

enum cell_type {
	CELL_NONE, /* no value: "-" in text, null in JSON, empty in CSV */
	CELL_UINT,
	CELL_INT,
	CELL_REAL,
	CELL_ADDRESS, /* hex in text, a "0x..." string in JSON */
	CELL_TEXT,
};

struct text_store;

struct cell {
	enum cell_type type;
	union {
		uint64_t u;
		int64_t i;
		double f;
		const char *s; /* owned by the table's text store */
	};
};

enum column_unit {
	UNIT_NONE,
	UNIT_BYTES,
	UNIT_COUNT,
	UNIT_PERCENT,
	UNIT_SHARE, /* of a sum: percent, with two decimals in text */
	UNIT_NS,
	UNIT_TIME, /* what a clock said, in ns: seconds with nine decimals in text */
	UNIT_PAGES,
	UNIT_PFN,
	UNIT_ADDRESS
};

/* What a column says of the one that its table's shares are of: nothing; the row's part; the
 * part of the row and all above it.
 */
enum column_part { COLUMN_WHOLE, COLUMN_SHARE, COLUMN_CUMULATIVE };

/**
 * struct column - one column
 * @name: sort key and JSON/CSV name ("callsite", "bytes")
 * @title: text header ("Total_alloc/Per")
 * @unit: JSON says it; text renders by it
 * @per: text only: show "value/quotient" where quotient = value / cell of this column,
 *	 rounded down; NULL: plain. Names a column of the same table ("hit").
 * @mark: text only: the text of this column, of the same table, stands behind the number
 *	  without a space; NULL: nothing. Not together with @per.
 * @hidden: machine formats only
 * @below: text: the ';'-separated parts but the first, one a comment line under the row
 * @told: text: its words are a comment line under the row, behind the title
 * @change: text: numbers have a sign; growth is red, shrinkage green
 * @share: shares are of this column, not of the first in bytes
 * @part: table_fill_shares() fills it; text has it beside the column that the shares are of
 * @level: a size or a height, which does not add up
 * @leaves: text: where the line is too narrow the column with the largest goes first, after
 *	    the quotients of @per; 0: behind all others. The columns that the rows stand for and
 *	    are ordered by stay.
 * @last: text column that is printed last, unpadded; a name that has no room is on a line of
 *	  its own
 * @words: of the last column: it holds words, which can be wrapped, not names
 * @live: about what is live: table_blank_live()
 * @list: its texts are lists with '|' between the parts; JSON has an array
 * @histogram: its texts are counts with '|' between them, of values (in @unit) of 0 and 1, then
 *	of those that begin with 2, 4, 8, ...; text has a line of marks, JSON an array of numbers
 * @series: the same of numbers that follow each other in time
 * @help: what it says, in a sentence; static, may be NULL
 * @sort_title: text: what "sorted by" says; static; NULL: @name
 * @spell: text: spells the text of a cell out; the result is static or @text; NULL: unchanged
 * @range_of: the figure ("net") of which this is an end, or the reason why the ends differ;
 *	 static; NULL: none. table_show_range() shows such columns.
 */
struct column {
	const char *name;
	const char *title;
	enum column_unit unit;
	const char *per;
	const char *mark;
	bool hidden;
	bool below;
	bool told;
	bool change;
	bool share;
	enum column_part part;
	bool level;
	unsigned char leaves;
	bool last;
	bool words;
	bool live;
	bool list, histogram, series;
	const char *help;
	const char *sort_title;
	const char *(*spell)(const char *text);
	const char *range_of;
};

/* What a short summary has first. */
enum summary_rank {
	SUMMARY_DETAIL,
	SUMMARY_USUAL,
	SUMMARY_FAILED, /* requests that the kernel refused */
	SUMMARY_DOUBT,	/* what was lost, guessed or left out */
	SUMMARY_TOTAL,	/* allocated, freed, net */
};

/* What one word of a column's texts stands for: "K", "GFP_KERNEL". */
struct legend_item {
	const char *word, *meaning;
};

/* A named number under a table: "bytes_requested", "Total bytes requested". */
struct summary_item {
	const char *name;  /* JSON name */
	const char *title; /* text */
	enum column_unit unit;
	struct cell value;
	bool bound; /* losses make it a bound only; text marks it */
	bool live;  /* about what is live: table_blank_live() */
	enum summary_rank rank;
};

/* Rows that stand below each other, by the names of two columns. @depth: how many rows stand above
 * a row, which is below the nearest one before it that is one less deep. @rest: not 0 where a row
 * stands for the rest of those below the same row; it comes behind them.
 */
struct table_tree {
	const char *depth, *rest;
};

/* Text draws the rows, which stand for pairs of like numbers, as a matrix where there is room for
 * it: the columns of the first number and of the second, and the one that its cells are of.
 * @corner: title of the column of the first numbers; @title: the table's heading then
 */
struct table_cross {
	const char *row, *column, *value;
	const char *corner, *title;
};

/**
 * struct table - a report
 * @name: JSON name ("slab", "page"); @title: text heading
 * @by: what a row stands for ("callsite", "ptr", "cache"); NULL: the rows have an order of
 *	their own (a matrix): table_sort() and table_limit() leave them alone
 * @summary_title: heading of the summary block ("SUMMARY (SLAB allocator)")
 * @notes: comment lines under the rows, in JSON too; without '#'; the loud ones start with '!'
 * @legend: what the words of column @legend_of stand for, which are texts with '|' between them;
 *	it is headed @legend_title. Both static; NULL: there is none
 * @hidden: the table is for machine formats only
 * @summary_hidden: the summary is for machine formats only
 * @text_rows: text shows only so many rows, the first ones; 0: all
 * @tree: the rows are one; static; NULL: they are a list. Its figures include those of the rows
 *	below, but for columns that are a level; -l keeps the largest rows, with those above them
 * @cross: static; NULL: the rows are a list in text, too
 * @text_out: of a tree, with @text_rows: for each row whether text leaves it out; else NULL
 * @sorted_by: the keys of table_sort() that this table knows ("order, hit"); NULL: unsorted
 * @usual_sort: keys for where the user gives none this table knows ("bytes,hit");
 *	 static; NULL: the rows stay as they are
 * @nr_rows_total: rows before table_limit() cut some; 0: none were cut
 * @no_shares: nobody knows which columns add up; @share: index of the column that shares are of;
 *	-1: none
 * @kept, @total: its sums over the rows that are shown and over all, if some are not
 *
 * All strings handed to the functions below are copied. Equal texts are kept once.
 */
struct table {
	char *name;
	char *title;
	char *by;
	char *summary_title;
	struct column *columns;
	size_t nr_columns;
	struct cell *cells; /* nr_rows * nr_columns */
	size_t nr_rows, rows_capacity;
	struct summary_item *summary;
	size_t nr_summary;
	bool hidden, summary_hidden;
	size_t text_rows;
	const struct table_tree *tree;
	const struct table_cross *cross;
	bool *text_out;
	char **notes;
	size_t nr_notes;
	const char *legend_of, *legend_title;
	struct legend_item *legend;
	size_t nr_legend, legend_capacity;
	struct text_store *texts; /* internal */
	char *sorted_by;
	const char *usual_sort;
	size_t nr_rows_total;
	bool no_shares;
	int share;
	uint64_t kept, total;
	bool failed; /* memory ran out while it was built: check with table_ok() */
};

/* A named number for table_add_summary_lines(). */
struct summary_line {
	const char *name, *title;
	enum column_unit unit;
	uint64_t value;
	bool live; /* as in struct summary_item */
	enum summary_rank rank;
};

struct table *table_new(const char *name, const char *title); /* NULL: no memory */
void table_free(struct table *t); /* NULL is fine, as everywhere */
/* Did memory suffice for all that was added? A column after the first row fails too. */
bool table_ok(const struct table *t);
void table_set_by(struct table *t, const char *by);
void table_set_summary_title(struct table *t, const char *title);
void table_add_column(struct table *t, const struct column *col);
/* @nr of them. */
void table_add_columns(struct table *t, const struct column *cols, size_t nr);
/* A new row of CELL_NONE; its cells, valid until the next row; NULL: no memory. */
struct cell *table_add_row(struct table *t);
void table_add_note(struct table *t, const char *fmt, ...) __printf_fmt(2, 3);
/* Explains @word, as it may stand in the texts of column @legend_of. */
void table_add_legend(struct table *t, const char *word, const char *meaning);
/* Appends the legend of the words in the first @nr_rows rows, "GFP: K GFP_KERNEL  C __GFP_COMP";
 * nothing where they have none. Returns whether it did.
 */
bool table_legend(const struct table *t, size_t nr_rows, struct strbuf *out);
void table_add_summary(struct table *t, const char *name, const char *title,
		       enum column_unit unit, struct cell value, bool bound);
/* @nr numbers. */
void table_add_summary_items(struct table *t, const struct summary_item *items,
			     size_t nr);
/* The same of whole ones; @bound is of all of them. */
void table_add_summary_lines(struct table *t, const struct summary_line *lines, size_t nr,
			     bool bound);
struct cell cell_uint(uint64_t u);
struct cell cell_int(int64_t i);
struct cell cell_real(double f);
struct cell cell_address(uint64_t u);
struct cell cell_text(struct table *t, const char *s); /* copies; NULL gives CELL_NONE */
/* A cell's number; NAN if it has none. */
double cell_as_real(const struct cell *c);
/* Column index by name, or -1. */
int table_column(const struct table *t, const char *name);
/* The column of that name; NULL: there is none, as in a table for whose columns memory ran out. */
struct column *table_find_column(struct table *t, const char *name);
/* Rows that text shows. */
static inline size_t table_text_rows(const struct table *t)
{
	return t->text_rows && t->text_rows < t->nr_rows ? t->text_rows : t->nr_rows;
}

/* Rows to go through for those that text shows; of each table_text_has() says whether it is one. */
static inline size_t table_text_end(const struct table *t)
{
	return t->text_out ? t->nr_rows : table_text_rows(t);
}

static inline bool table_text_has(const struct table *t, size_t row)
{
	return !t->text_out || !t->text_out[row];
}

/* Is there a row with a value in column @name? */
bool table_has_value(const struct table *t, const char *name);
/* Where it is not known what is live, as ends were not recorded: columns and items of the
 * summary that are about it become CELL_NONE.
 */
void table_blank_live(struct table *t);
/* Where figures are not known: @nr items of the summary become CELL_NONE. */
void table_blank_summary(struct table *t, const char *const *names, size_t nr);
/* Text shows the column @name too, if there is one. */
void table_show_column(struct table *t, const char *name);
/* Text shows the ends of the range that column @name is of, or that are of it, and the reason
 * why they differ, if they do in some row. @name NULL: of every range.
 */
void table_show_range(struct table *t, const char *name);

/* Default: numbers from the largest down, texts and addresses from the smallest up. */
enum sort_direction { SORT_DEFAULT, SORT_ASCENDING, SORT_DESCENDING };

/* One key of a sort order: column @name. @said: what the user calls it; NULL: @name. */
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
 * A leading + means ascending, - descending; blanks around keys are nothing. Names are not
 * checked here.
 *
 * Return: 0; -EINVAL for an empty name; -E2BIG for more than SORT_KEYS_MAX; -ENOMEM.
 */
int sort_keys_parse(struct sort_keys *out, const char *text) __must_check;
void sort_keys_free(struct sort_keys *keys);

/* Stable sort of the rows by the keys in turn (numbers by value, text by strcmp, CELL_NONE
 * last whatever the direction); keys that name no column are ignored. 0 or -ENOMEM.
 */
int table_sort(struct table *t, const struct sort_key *keys, size_t nr_keys) __must_check;
/* The same by its usual keys. 0 or -ENOMEM. */
int table_sort_usual(struct table *t) __must_check;
/**
 * table_fill_shares() - say what part of the whole each row is
 *
 * Of the column that orders the rows, if its numbers add up; else of the column marked so, or
 * of the first in bytes. To be called when the rows are sorted and all there.
 */
void table_fill_shares(struct table *t);
/* Keeps the first @lines rows, of a tree the largest, and remembers how many there were, and
 * what part of the whole was kept. 0: no limit.
 */
void table_limit(struct table *t, uint64_t lines);
/* The same for text alone: the other formats have all rows. */
void table_limit_text(struct table *t, uint64_t lines);

struct json_item;

/**
 * struct property - a name and a value on a line of text
 * @name: static; empty: @text goes on with what the property before says
 * @loud: what nobody may overlook; red
 */
struct property {
	const char *name;
	char *text;
	bool loud;
};

/**
 * struct report - a set of tables with the facts about their recording: what a renderer takes
 * @subject: JSON key of the facts; static; NULL: "recording"
 * @layout: static; JSON is one object of these keys (report/json_layout.h); NULL: it has the
 *	    form of all others
 * @facts: "kernel", "machine", ... in order
 * @banner: comment lines above everything; the loud ones, which JSON has too, start with '!'
 * @properties: lines above the tables, which are no comments; text only
 * @texts: owns the facts' texts; internal
 */
struct report {
	const char *subject;
	const struct json_item *layout;
	struct summary_item *facts;
	size_t nr_facts;
	char **banner;
	size_t nr_banner;
	struct property *properties;
	size_t nr_properties;
	struct table **tables;
	size_t nr_tables;
	struct text_store *texts;
	bool failed;
};

struct report *report_new(void);
void report_free(struct report *r);
/* Takes ownership. False: @t is NULL or there was no memory; it is freed, and @r has failed. */
bool report_add_table(struct report *r, struct table *t);
void report_add_fact(struct report *r, const char *name, const char *title,
		     struct cell value); /* a CELL_TEXT's text is copied */
void report_add_banner(struct report *r, bool loud, const char *fmt, ...)
	__printf_fmt(3, 4);
/* @name is static; the text may come from anywhere, as the renderer makes it safe. */
void report_add_property(struct report *r, const char *name, bool loud, const char *fmt,
			 ...) __printf_fmt(4, 5);
bool report_ok(const struct report *r);

#endif

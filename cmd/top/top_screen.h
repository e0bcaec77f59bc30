/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cmd (internal): kmemx top on a terminal: what drawing and keys share.
 * In: reports, keys. Out: a screen.
 */
#ifndef KMEMX_CMD_TOP_SCREEN_H
#define KMEMX_CMD_TOP_SCREEN_H

#include <curses.h>

#include "cmd/top/top.h"

/* Size of a text that is being typed, and of an opened row's name. */
#define TYPED_MAX 64
#define CRUMB_MAX 128

/* Lines of the largest terminal on which clicks find their row. */
#define SCREEN_LINES 256

#define KEY_ESCAPE 27

/* Columns of figures, which come first; the user chooses which are shown. */
#define SCREEN_FIELDS 9

enum screen_typing { TYPING_NOTHING, TYPING_FILTER, TYPING_SEARCH };

/* Where the user was when a row was opened. @name: the row's name. */
struct screen_crumb {
	char name[CRUMB_MAX];
	size_t at, first;
};

/**
 * struct top_screen - the terminal
 * @report: what is shown, or NULL if nothing yet
 * @at: the selected row; @first: number of rows scrolled out at the top
 * @sort: the key that the user chose, one of the keys of top_sort_key(); @top->view points to it
 * @typing: where keys go
 * @help, @fields: the help, or the list of columns is shown; @field: the selected one
 * @hidden: columns that are not shown
 * @crumbs: of the monitor's opened rows
 * @header_y, @header: the line with the columns' titles
 * @row_at: the number of the row at each line, from 1; 0 if none
 * @note: the result of the last key
 */
struct top_screen {
	struct top *top;
	SCREEN *terminal;
	struct report *report;
	size_t at, first;
	struct sort_key sort;
	unsigned int sort_at, by_at;
	enum screen_typing typing;
	bool help, fields, color;
	unsigned int field;
	bool hidden[SCREEN_FIELDS];
	char filter[TYPED_MAX], search[TYPED_MAX];
	struct screen_crumb crumbs[MONITOR_OPEN_MAX];
	int header_y;
	char header[512];
	size_t row_at[SCREEN_LINES];
	char note[256];
};

/* The table that is shown; NULL: none. */
static inline struct table *screen_table(const struct top_screen *s)
{
	return s->report && s->report->nr_tables ? s->report->tables[0] : NULL;
}

/* Is it the table of lifetimes? Its rows cannot be opened, and it has other columns. */
static inline bool screen_by_lifetime(const struct top_screen *s)
{
	return s->top->monitor.by_lifetime;
}

/* Handles a key or a click. */
void screen_press(struct top_screen *s, int key);
/* Handles a key while a text is typed. */
void screen_type(struct top_screen *s, int key);

#endif

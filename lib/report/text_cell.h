/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * report: one value as text for people.
 * In: a cell and its unit. Out: text that is safe on a terminal.
 */
#ifndef KMEMX_REPORT_TEXT_CELL_H
#define KMEMX_REPORT_TEXT_CELL_H

#include "base/strbuf.h"
#include "report/table.h"

/* Appends @cell: exact, or with @human rounded to KiB, MiB, s, ms, with @space between number and
 * unit. CELL_NONE is "-".
 */
void text_cell(struct strbuf *sb, const struct cell *cell, enum column_unit unit,
	       bool human, const char *space);
/* -1, 0 or 1 for a negative, zero or positive number in @cell; 0 if it is not a number. */
int text_cell_sign(const struct cell *cell);
/* Appends "1.5 MiB". */
void text_bytes(struct strbuf *sb, uint64_t bytes, const char *space);
/* Appends "3.21 s", "15.0 ms". */
void text_duration(struct strbuf *sb, uint64_t ns, const char *space);
/* Appends "48.984749606", the format of --time. */
void text_time(struct strbuf *sb, uint64_t ns);
/* Appends @size bytes at @text, shortened to @width in whole characters: "page_c..r_order". */
void text_shorten(struct strbuf *sb, const char *text, size_t size, size_t width);
/**
 * struct text_margins - the text around wrapped lines
 * @first, @next: before the first line and before the others
 * @end: after each line
 * @width: bytes of text in a line; 0: no limit
 * @more: the first line may be this much longer
 */
struct text_margins {
	const char *first, *next, *end;
	size_t width, more;
};

/* Bytes of @text that fit into @width (0: all): up to a space, or as many whole characters as
 * possible; 0 only for an empty text.
 */
size_t text_fitting(const char *text, size_t width);
/* Appends @text as lines, wrapped at blanks; one line if it is empty. */
void text_wrap(struct strbuf *sb, const char *text, const struct text_margins *margins);

#endif

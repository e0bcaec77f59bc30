/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * report (internal): numbers of a page about a recording, column by column.
 * In: its rows, cells, callchains and page frames. Out: bytes that a script reads without parsing.
 */
#ifndef KMEMX_REPORT_WEB_COLUMNS_H
#define KMEMX_REPORT_WEB_COLUMNS_H

#include "report/json.h"
#include "report/web/web_report.h"

/* Writes the columns' names in order, as a member of the open object: "columns": [["rows", "kind"],
 * ...].
 */
void web_columns_names(struct json *j);

/**
 * web_columns_write() - write all columns
 *
 * Each column has two 32-bit numbers, the number of figures and an enum web_figure, then the
 * figures, and zeros up to a multiple of 8 bytes. Everything is little-endian. A column of zeros
 * only may have no figures.
 *
 * Return: 0; -ENOMEM; the write function's error.
 */
int web_columns_write(const struct web_report *w,
		      const struct render_out *out) __must_check;

/* Type of a column's figures: the smallest that fits them all. */
enum web_figure {
	WEB_U8,
	WEB_U16,
	WEB_U32,
	WEB_S8,
	WEB_S16,
	WEB_S32,
	WEB_F64,
};

#endif

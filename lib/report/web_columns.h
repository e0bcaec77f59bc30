/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * report (internal): numbers of a page about a recording, column by column.
 * In: its rows, cells, callchains and page frames. Out: bytes that a script reads without parsing.
 */
#ifndef KMEMX_REPORT_WEB_COLUMNS_H
#define KMEMX_REPORT_WEB_COLUMNS_H

#include "report/json.h"
#include "report/web_report.h"

/* The columns' names in their order, as a member of the object that is open:
 * "columns": [["rows", "kind"], ...].
 */
void web_columns_names(struct json *j);

/**
 * web_columns_write() - write all columns
 *
 * Each is two numbers of 32 bits, how many figures there are and an enum web_figure, the figures,
 * and zeros up to a multiple of 8 bytes. All is little-endian. A column of nothing but zeros may
 * have no figures.
 *
 * Return: 0; -ENOMEM; the write function's error.
 */
int web_columns_write(const struct web_report *w,
		      const struct render_out *out) __must_check;

/* What a column's figures are: as small as all of them allow. */
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

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * report: texts in CSV.
 * In: text that is safe to show. Out: the same as RFC 4180 requires it.
 */
#ifndef KMEMX_REPORT_CSV_H
#define KMEMX_REPORT_CSV_H

#include "base/strbuf.h"

/* Appends @text, quoted where CSV needs it. A ' is put before what a spreadsheet would run. */
void csv_quote(struct strbuf *sb, const char *text);

#endif

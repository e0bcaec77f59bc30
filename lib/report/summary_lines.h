/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * report: the lines of a summary that text shows.
 * In: a table's summary. Out: for each line whether it is shown.
 */
#ifndef KMEMX_REPORT_SUMMARY_LINES_H
#define KMEMX_REPORT_SUMMARY_LINES_H

#include <stdbool.h>
#include <stddef.h>

#include "report/render.h"

/* Maximum number of lines in a short summary. */
#define SUMMARY_LINES 8

/**
 * summary_lines_choose() - choose the lines of a summary
 * @t: its summary has at least one line
 * @view: not SUMMARY_NONE
 * @shown: receives whether each of @t->nr_summary lines is shown
 *
 * A short summary has the SUMMARY_LINES nonzero lines of the highest rank, with the lines that an
 * indented one is part of. A summary that fits keeps all lines, including zeros.
 *
 * Return: the number of lines left out.
 */
size_t summary_lines_choose(const struct table *t, enum summary_view view, bool *shown);

#endif

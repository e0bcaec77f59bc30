/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * analysis: what a recording without all frees cannot say.
 * In: finished tables. Out: the same without the numbers about what lives.
 */
#ifndef KMEMX_ANALYSIS_UNKNOWN_H
#define KMEMX_ANALYSIS_UNKNOWN_H

#include "report/table.h"

/* Takes net, peak and whatever else is about what lives out of all tables: CELL_NONE. */
void unknown_blank(struct report *report);

#endif

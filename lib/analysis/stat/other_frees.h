/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * analysis: frees that no allocation in the report explains.
 * In: their number. Out: their line in a summary.
 */
#ifndef KMEMX_ANALYSIS_OTHER_FREES_H
#define KMEMX_ANALYSIS_OTHER_FREES_H

#include "report/table.h"

/* The title of "frees_other". @filtered: by the user, else by the recorder. */
const char *other_frees_title(bool filtered);
/* Adds a note about @nr such frees to @t, if a filter is the reason. */
void other_frees_note(bool filtered, uint64_t nr, struct table *t);

#endif

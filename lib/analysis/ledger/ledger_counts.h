/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * analysis: replaces slabinfo by exact counts in the ledger's rows, if there are any.
 * In: rows by slabinfo, counts, events near them. Out: rows by the counts.
 */
#ifndef KMEMX_ANALYSIS_LEDGER_COUNTS_H
#define KMEMX_ANALYSIS_LEDGER_COUNTS_H

#include "analysis/ledger/ledger_books.h"

/* For each row whose caches were all counted at both ends, sets @before and @after to the counts
 * and subtracts the events outside of them. Call it after the groups got their rows.
 */
void ledger_counts_use(struct books *b);

#endif

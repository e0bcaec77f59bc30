/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * analysis: the ledger's rows, by the counts of their caches where there are such.
 * In: rows by slabinfo, counts, events near them. Out: rows by the counts.
 */
#ifndef KMEMX_ANALYSIS_LEDGER_COUNTS_H
#define KMEMX_ANALYSIS_LEDGER_COUNTS_H

#include "analysis/ledger_books.h"

/* Of each row whose caches were all counted at both ends, @before and @after become the counts, and
 * the events outside of them are taken out again. The groups have their rows by now.
 */
void ledger_counts_use(struct books *b);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * analysis: the ledger's reconciliation of page frames.
 * In: a ledger's sums, vmstat, buddyinfo and zoneinfo before and after. Out: "ledger_page".
 */
#ifndef KMEMX_ANALYSIS_LEDGER_PAGES_H
#define KMEMX_ANALYSIS_LEDGER_PAGES_H

#include "analysis/ledger/ledger.h"

extern const struct table_type ledger_page_type;
/* Adds its table. 0 or -ENOMEM. */
int ledger_page_report(const struct ledger *ledger, struct report *report) __must_check;

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * analysis: the ledger's reconciliation.
 * In: a ledger, what the kernel counted before and after. Out: "ledger" and "ledger_page".
 */
#ifndef KMEMX_ANALYSIS_LEDGER_REPORT_H
#define KMEMX_ANALYSIS_LEDGER_REPORT_H

#include "analysis/ledger/ledger.h"

extern const struct table_type ledger_slab_type;
/* Adds the tables for which there are events and snapshots. 0 or -ENOMEM. */
int ledger_report(const struct ledger *ledger, struct report *report) __must_check;

#endif

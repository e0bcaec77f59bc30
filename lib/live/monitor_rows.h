/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * live (internal): groups the rows of the accounts.
 * In: a monitor. Out: its windows, and accounts without rows that were freed long ago.
 */
#ifndef KMEMX_LIVE_MONITOR_ROWS_H
#define KMEMX_LIVE_MONITOR_ROWS_H

#include "live/monitor.h"

/* Begins to group side @i, which must be wanted. 0 or -ENOMEM. */
int monitor_rows_group(struct monitor *m, unsigned int i) __must_check;
/* Finds the groups of new rows, while the processes that allocated still run. 0 or -ENOMEM. */
int monitor_rows_find(struct monitor *m) __must_check;
/* Adds the allocations since the last call to the windows of side @i. 0 or -ENOMEM. */
int monitor_rows_add(struct monitor *m, unsigned int i) __must_check;
/* Excludes all allocations up to now from the windows. */
void monitor_rows_settle(struct monitor *m);
/* Drops rows and groups if it is time to do so. 0 or -ENOMEM. */
int monitor_rows_forget(struct monitor *m) __must_check;

#endif

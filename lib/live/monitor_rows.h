/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * live (internal): the rows of the accounts, in their groups.
 * In: a monitor. Out: its windows, and accounts without what was freed long ago.
 */
#ifndef KMEMX_LIVE_MONITOR_ROWS_H
#define KMEMX_LIVE_MONITOR_ROWS_H

#include "live/monitor.h"

/* Begins the grouping of side @i, which is wanted. 0 or -ENOMEM. */
int monitor_rows_group(struct monitor *m, unsigned int i) __must_check;
/* Finds the groups of new rows, while the processes that allocated still run. 0 or -ENOMEM. */
int monitor_rows_find(struct monitor *m) __must_check;
/* Adds to the windows of side @i what was allocated since the last time. 0 or -ENOMEM. */
int monitor_rows_add(struct monitor *m, unsigned int i) __must_check;
/* Leaves what was allocated up to now out of all windows. */
void monitor_rows_settle(struct monitor *m);
/* Drops rows and groups if it is time to. 0 or -ENOMEM. */
int monitor_rows_forget(struct monitor *m) __must_check;

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * live: a monitor's data as metrics.
 * In: a monitor. Out: text for the textfile collector of node_exporter.
 */
#ifndef KMEMX_LIVE_TOP_METRICS_H
#define KMEMX_LIVE_TOP_METRICS_H

#include "live/top_table.h"

/* Appends the metrics in Prometheus text (format 0.0.4), with the @view->lines rows that come first
 * by @view->sort, by default those with the most bytes live. 0 or -ENOMEM.
 */
int top_metrics(const struct monitor *m, const struct top_view *view,
		struct strbuf *out) __must_check;

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * analysis: how much of a change the events explain.
 * In: a change by the trace and by the kernel. Out: a percentage.
 */
#ifndef KMEMX_ANALYSIS_LEDGER_EXPLAINED_H
#define KMEMX_ANALYSIS_LEDGER_EXPLAINED_H

#include <stdint.h>

#include "report/table.h"

/* The absolute value. */
static inline uint64_t ledger_magnitude(int64_t v)
{
	return v < 0 ? -(uint64_t)v : (uint64_t)v;
}

/* How much of a change two sources agree on: 100 - 100 * |kernel - trace| / the larger of both, at
 * least 0; no value if neither changed.
 */
struct cell ledger_explained(int64_t trace, int64_t kernel);

#endif

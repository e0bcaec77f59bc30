// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * analysis: how much of a change the events explain.
 * In: a change by the trace and by the kernel. Out: a percentage.
 */
#include "analysis/ledger/ledger_explained.h"

struct cell ledger_explained(int64_t trace, int64_t kernel)
{
	uint64_t t = ledger_magnitude(trace), k = ledger_magnitude(kernel);
	uint64_t largest = t > k ? t : k, missing = ledger_magnitude(kernel - trace);

	if (!largest)
		return (struct cell){ .type = CELL_NONE };
	if (missing >= largest)
		return cell_real(0.0);
	return cell_real(100.0 - 100.0 * (double)missing / (double)largest);
}

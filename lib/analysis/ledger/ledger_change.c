// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * analysis: a change by the trace and by the kernel, and how much of it the events explain.
 * In: both numbers. Out: cells.
 */
#include "analysis/ledger/ledger_change.h"

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

struct cell ledger_kernel_cell(const void *change, struct table *t)
{
	const struct ledger_change *c = change;

	return c->known ? cell_int(c->kernel) : (struct cell){ .type = CELL_NONE };
}

struct cell ledger_unexplained_cell(const void *change, struct table *t)
{
	const struct ledger_change *c = change;

	return c->known ? cell_int(c->kernel - c->trace)
			: (struct cell){ .type = CELL_NONE };
}

struct cell ledger_explained_cell(const void *change, struct table *t)
{
	const struct ledger_change *c = change;

	return c->known ? ledger_explained(c->trace, c->kernel)
			: (struct cell){ .type = CELL_NONE };
}

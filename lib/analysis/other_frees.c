// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * analysis: frees that no allocation in the report explains.
 * In: how many. Out: what a summary says of them.
 */
#include "analysis/other_frees.h"

#include <inttypes.h>

const char *other_frees_title(bool filtered)
{
	return filtered ? "  of what no event allocated (the filter cannot tell whose)"
			: "  of what was allocated but left out of the recording";
}

void other_frees_note(bool filtered, uint64_t nr, struct table *t)
{
	if (filtered && nr)
		table_add_note(
			t,
			"%" PRIu64
			" frees are of what no event allocated: the filter cannot tell whose it was.",
			nr);
}

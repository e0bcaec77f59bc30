// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * analysis: frees that no allocation in the report explains.
 * In: their number. Out: their line in a summary.
 */
#include "analysis/stat/other_frees.h"

#include <inttypes.h>

const char *other_frees_title(bool filtered)
{
	return filtered ? "  without an allocation event (the filter cannot tell whose)"
			: "  of memory that others allocated (not recorded)";
}

void other_frees_note(bool filtered, uint64_t nr, struct table *t)
{
	if (filtered && nr)
		table_add_note(
			t,
			"%" PRIu64
			" free%s no allocation event: the filter cannot tell whose %s.",
			nr, nr == 1 ? " has" : "s have", nr == 1 ? "it is" : "they are");
}

// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * cmd: collects one table of all recordings of kmemx diff.
 * In: their reports. Out: what diff_tables() compares.
 */
#include <string.h>

#include "cmd/diff/diff.h"

static const struct table *find_table(const struct report *r, const char *name)
{
	size_t i;

	for (i = 0; i < r->nr_tables; i++) {
		if (!strcmp(r->tables[i]->name, name))
			return r->tables[i];
	}
	return NULL;
}

bool diff_gather(struct diff *d, const char *name, struct diff_sides *sides)
{
	size_t i;

	for (i = 0; i < d->args.paths.nr; i++) {
		d->tables[i] =
			(struct diff_run){ find_table(d->recordings[i].report, name),
					   d->recordings[i].divisor,
					   diff_recording_lost(&d->recordings[i]) };
		if (!d->tables[i].table)
			return false;
	}
	*sides = (struct diff_sides){ d->tables, d->args.paths.nr_old, d->args.paths.nr };
	return true;
}

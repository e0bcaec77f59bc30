// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * analysis: frees of slab objects without an allocation event.
 * In: finished slab accounts. Out: table "slab_free_only".
 */
#include <errno.h>
#include <stdlib.h>

#include "analysis/stat/slab_report.h"
#include "base/array.h"

/* Adds up the callsites by freeing function; index: its group. */
static int collect(struct slab_report *slab, struct slab_free_only **sums, size_t *nr)
{
	size_t capacity = 0, i;

	for (i = 0; i < slab->acc->lives.nr_free_only; i++) {
		const struct slab_free_only *from = &slab->acc->lives.free_only[i];
		uint32_t group = sites_group(&slab->sites, from->callsite);

		if (group == UINT32_MAX ||
		    array_reserve(sums, &capacity, group + 1UL, sizeof(**sums)))
			return -ENOMEM;
		while (*nr <= group)
			(*sums)[(*nr)++] = (struct slab_free_only){ 0 };
		(*sums)[group].unmatched += from->unmatched;
		(*sums)[group].doubled += from->doubled;
	}
	return 0;
}

struct free_only_row {
	const struct sites *sites;
	uint32_t group;
	struct slab_free_only sum;
};

CELL(cell_hit, struct free_only_row, cell_uint(r->sum.unmatched + r->sum.doubled))
CELL(cell_callsite, struct free_only_row, sites_cell(r->sites, r->group, t))

static const struct column_type columns[] = {
	{ COLUMN("hit", "Hit", UNIT_COUNT, "Frees of no live object."),
	  .fill = cell_hit },
	{ COLUMN("unmatched", "Unmatched", UNIT_COUNT,
		 "Of these, of objects allocated before the recording, or in bulk.",
		 .leaves = 20),
	  MEMBER(struct free_only_row, sum.unmatched) },
	{ COLUMN("double", "Double", UNIT_COUNT,
		 "Of these, of objects freed already: freed twice, or allocated in bulk in between.",
		 .leaves = 30),
	  MEMBER(struct free_only_row, sum.doubled) },
	{ COLUMN("callsite", "Freed by", UNIT_NONE, "The function that freed.",
		 .last = true),
	  .fill = cell_callsite },
	SHARE_COLUMNS,
	COLUMNS_END,
};

const struct table_type slab_free_only_type = {
	.name = "slab_free_only",
	.help = "frees of objects without an allocation event, by who freed (--unmatched)",
	.sort = "hit",
	.columns = columns,
};

static void add_rows(const struct slab_report *slab, struct table *t,
		     const struct slab_free_only *sums, size_t nr)
{
	uint32_t i;

	for (i = 0; i < nr; i++) {
		const struct free_only_row row = { &slab->sites, i, sums[i] };

		if ((row.sum.unmatched || row.sum.doubled) &&
		    !table_type_add_row(&slab_free_only_type, SUBJECT_NONE, t, &row))
			return;
	}
}

int slab_report_free_only(struct slab_report *slab, struct report *report)
{
	struct slab_free_only *sums = NULL;
	size_t nr = 0;
	struct table *t = table_type_new(
		&slab_free_only_type,
		"Frees of objects without an allocation event, by who freed",
		SUBJECT_NONE, false);
	int ret = t ? collect(slab, &sums, &nr) : -ENOMEM;

	if (!ret) {
		table_set_by(t, "callsite");
		add_rows(slab, t, sums, nr);
		if (slab_report_estimates(slab))
			table_add_note(t,
				       "!Figures of this table are those of the sample.");
	}
	report_add_table(report, t);
	free(sums);
	return ret;
}

// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * analysis: the frees of slab objects that no event allocated.
 * In: finished slab accounts. Out: table "slab_free_only".
 */
#include <errno.h>
#include <stdlib.h>

#include "analysis/slab_report.h"
#include "base/array.h"

/* Adds the call sites up by the function that freed; index: its group. */
static int collect(struct slab_report *slab, struct slab_free_only **sums, size_t *nr)
{
	size_t capacity = 0, i;

	for (i = 0; i < slab->acc.lives.nr_free_only; i++) {
		const struct slab_free_only *from = &slab->acc.lives.free_only[i];
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

static void add_columns(struct table *t)
{
	const struct column columns[] = {
		{ .name = "hit", .title = "Free_only", .unit = UNIT_COUNT },
		{ .name = "unmatched", .title = "Unmatched", .unit = UNIT_COUNT },
		{ .name = "double", .title = "Double", .unit = UNIT_COUNT },
		{ .name = "callsite", .title = "Freed by", .last = true },
	};

	table_add_columns(t, columns, ARRAY_SIZE(columns));
}

static void add_rows(const struct slab_report *slab, struct table *t,
		     const struct slab_free_only *sums, size_t nr)
{
	struct strbuf name = { 0 };
	size_t i;

	for (i = 0; i < nr; i++) {
		uint64_t hit = sums[i].unmatched + sums[i].doubled;
		struct cell *row = hit ? table_add_row(t) : NULL;

		if (!row)
			continue;
		strbuf_reset(&name);
		sites_name(&slab->sites, (uint32_t)i, &name);
		row[0] = cell_uint(hit);
		row[1] = cell_uint(sums[i].unmatched);
		row[2] = cell_uint(sums[i].doubled);
		row[3] = cell_text(t, strbuf_text(&name));
	}
	strbuf_free(&name);
}

int slab_report_free_only(struct slab_report *slab, struct report *report)
{
	struct slab_free_only *sums = NULL;
	size_t nr = 0;
	struct table *t =
		table_new("slab_free_only",
			  "Frees of objects that no event allocated, by who freed");
	int ret = t ? collect(slab, &sums, &nr) : -ENOMEM;

	if (!ret) {
		table_set_by(t, "callsite");
		add_columns(t);
		add_rows(slab, t, sums, nr);
		report_add_table(report, t);
		t = NULL;
	}
	table_free(t);
	free(sums);
	return ret;
}

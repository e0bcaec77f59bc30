// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * analysis: the page allocations that failed.
 * In: finished page accounts. Out: table "page_failed".
 */
#include <errno.h>
#include <stdlib.h>

#include "analysis/page_report.h"
#include "base/array.h"

/* What tells one row from another; without padding, as keys are compared as bytes. */
struct failed_key {
	uint64_t gfp_flags;
	uint32_t site; /* group of @sites */
	uint32_t order;
	int32_t migratetype;
	uint32_t pad;
};

struct failed_rows {
	struct intern keys;
	uint64_t *hits; /* of key number n at n - 1 */
	size_t nr, capacity;
};

static int failed_add(struct failed_rows *rows, const struct failed_key *key,
		      uint64_t hits)
{
	uint32_t id = intern_id(&rows->keys, key, sizeof(*key));

	if (!id || array_reserve(&rows->hits, &rows->capacity, id, sizeof(*rows->hits)))
		return -ENOMEM;
	if (id > rows->nr)
		rows->hits[rows->nr++] = 0;
	rows->hits[id - 1] += hits;
	return 0;
}

/* The account's rows of one function, order, migratetype and flags become one. */
static int failed_collect(struct page_report *page, struct failed_rows *rows)
{
	int ret = 0;
	size_t i;

	for (i = 0; i < page->acc.nr_rows && !ret; i++) {
		const struct page_key *from = page_account_key(&page->acc, i);
		struct failed_key key = { .gfp_flags = from->gfp_flags,
					  .order = from->order,
					  .migratetype = from->migratetype };

		if (!page->acc.rows[i].failed)
			continue;
		key.site = sites_group(&page->sites, page->callsites[i]);
		ret = key.site == UINT32_MAX
			      ? -ENOMEM
			      : failed_add(rows, &key, page->acc.rows[i].failed);
	}
	return ret;
}

static void failed_columns(struct table *t)
{
	const struct column columns[] = {
		{ .name = "bytes",
		  .title = "Asked_for/Per",
		  .unit = UNIT_BYTES,
		  .per = "hit" },
		{ .name = "hit", .title = "Failed", .unit = UNIT_COUNT },
		{ .name = "order", .title = "Order", .unit = UNIT_NONE },
		{ .name = "migtype", .title = "Migrate type" },
		{ .name = "gfp", .title = "GFP flags" },
		{ .name = "callsite", .title = "Callsite", .last = true },
	};

	table_add_columns(t, columns, ARRAY_SIZE(columns));
}

static void failed_fill(struct page_report *page, const struct failed_rows *rows,
			struct table *t)
{
	struct strbuf name = { 0 };
	size_t i;

	for (i = 0; i < rows->nr; i++) {
		const struct failed_key *key =
			intern_get(&rows->keys, (uint32_t)i + 1, NULL);
		struct cell *row = table_add_row(t);

		if (!row)
			break;
		strbuf_reset(&name);
		sites_name(&page->sites, key->site, &name);
		row[0] = cell_uint((rows->hits[i] << key->order) * page->env->page_size);
		row[1] = cell_uint(rows->hits[i]);
		row[2] = cell_uint(key->order);
		row[3] = page_report_migratetype(page, t, key->migratetype);
		row[4] = page_report_gfp(page, t, key->gfp_flags);
		row[5] = cell_text(t, strbuf_text(&name));
	}
	strbuf_free(&name);
}

int page_report_failed(struct page_report *page, struct report *report)
{
	struct failed_rows rows = { 0 };
	struct table *t;
	int ret;

	if (!page->acc.totals.failures)
		return 0;
	t = table_new("page_failed", "Page allocations that failed, by callsite");
	ret = t ? failed_collect(page, &rows) : -ENOMEM;
	if (!ret) {
		table_set_by(t, "callsite");
		failed_columns(t);
		page->gfp_used = 0;
		failed_fill(page, &rows, t);
		page_report_legend(page, t);
		report_add_table(report, t);
		t = NULL;
	}
	table_free(t);
	intern_free(&rows.keys);
	free(rows.hits);
	return ret;
}

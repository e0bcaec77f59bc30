// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * analysis: page allocations that failed.
 * In: finished page accounts. Out: table "page_failed".
 */

#include "analysis/stat/page_report.h"
#include "base/keyed.h"

/* The key of a row; without padding, because keys are compared as bytes. */
struct failed_key {
	uint64_t gfp_flags;
	uint32_t site; /* group of @sites */
	uint32_t order;
	int32_t migratetype;
	uint32_t pad;
};

struct failed_rows {
	KEYED(uint64_t) hits; /* by struct failed_key */
};

/* Merges the account's rows of one function, order, migratetype and flags. */
static int failed_collect(struct page_report *page, struct failed_rows *rows)
{
	uint64_t *hits;

	for (size_t i = 0; i < page->acc->nr_rows; i++) {
		const struct page_key *from = page_lives_key(&page->acc->lives, i);
		struct failed_key key = { .gfp_flags = from->gfp_flags,
					  .order = from->order,
					  .migratetype = from->migratetype };

		if (!page->acc->rows[i].failed)
			continue;
		key.site = sites_group(&page->sites, page->callsites[i]);
		hits = key.site == UINT32_MAX ? NULL : KEYED_ITEM(&rows->hits, &key);
		if (!hits)
			return -ENOMEM;
		*hits += page->acc->rows[i].failed;
	}
	return 0;
}

/* A row's data. */
struct failed_row {
	const struct page_report *page;
	const struct failed_key *key;
	uint64_t hit;
	uint64_t *gfp_used;
};

CELL(cell_bytes, struct failed_row,
     cell_uint((r->hit << r->key->order) * r->page->env->page_size))
CELL(cell_migtype, struct failed_row,
     analysis_migratetype(r->page->env, r->key->migratetype, t))
CELL(cell_gfp, struct failed_row,
     page_report_gfp(r->page, t, r->key->gfp_flags, r->gfp_used))
CELL(cell_gfp_names, struct failed_row,
     page_report_gfp_names(r->page, t, r->key->gfp_flags))
CELL(cell_callsite, struct failed_row, sites_cell(&r->page->sites, r->key->site, t))

static const struct column_type columns[] = {
	{ COLUMN("bytes", "Asked_for/Per", UNIT_BYTES,
		 "Bytes of failed requests, and per request on average.", .per = "hit"),
	  .fill = cell_bytes },
	{ COLUMN("hit", "Failed", UNIT_COUNT, "Requests that failed.", .leaves = 20),
	  MEMBER(struct failed_row, hit) },
	{ COLUMN("order", "Order", UNIT_NONE, "The requested block size: 2^order pages.",
		 .leaves = 15),
	  MEMBER_OF(struct failed_row, key, order) },
	{ COLUMN("migtype", "Migrate type", UNIT_NONE, "The requested migratetype.",
		 .leaves = 80),
	  .fill = cell_migtype },
	{ COLUMN("gfp", "GFP flags", UNIT_NONE,
		 "The request's flags, spelled out in the legend; unknown bits in hexadecimal.",
		 .leaves = 90),
	  .fill = cell_gfp },
	{ COLUMN("callsite", "Callsite", UNIT_NONE, "The function that made the request.",
		 .last = true),
	  .fill = cell_callsite },
	{ COLUMN("gfp_names", "GFP names", UNIT_NONE,
		 "The request's flags by their full names; unknown bits in hexadecimal.",
		 .hidden = true, .list = true),
	  .fill = cell_gfp_names },
	SHARE_COLUMNS,
	COLUMNS_END,
};

const struct table_type page_failed_type = {
	.name = "page_failed",
	.help = "page requests that failed; only where some did",
	.title = "Page allocations that failed, by callsite",
	.by = "callsite",
	.sort = "bytes,hit",
	.columns = columns,
};

static void failed_fill(const struct page_report *page, const struct failed_rows *rows,
			struct table *t)
{
	uint64_t gfp_used = 0;

	for (uint32_t i = 0; i < rows->hits.nr; i++) {
		const struct failed_row row = { page, KEYED_KEY(&rows->hits, i),
						rows->hits.of[i], &gfp_used };

		table_put_row(t, &row);
	}
	page_report_legend(page, t, gfp_used);
}

int page_report_failed(struct page_report *page, struct report *report)
{
	struct failed_rows rows = { .hits = { .nr = 0 } };
	int ret;

	if (!page->acc->totals.failures)
		return 0;
	ret = failed_collect(page, &rows);
	if (!ret)
		failed_fill(page, &rows, table_plain(report, &page_failed_type));
	KEYED_FREE(&rows.hits);
	return ret;
}

// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * analysis: page allocations that failed.
 * In: finished page accounts. Out: table "page_failed".
 */

#include "analysis/stat/page_report.h"
#include "base/array.h"

/* The key of a row; without padding, because keys are compared as bytes. */
struct failed_key {
	uint64_t gfp_flags;
	uint32_t site; /* group of @sites */
	uint32_t order;
	int32_t migratetype;
	uint32_t pad;
};

struct failed_rows {
	struct intern keys;
	uint64_t *hits; /* count of key n at n - 1 */
	size_t nr, capacity;
};

static int failed_add(struct failed_rows *rows, const struct failed_key *key,
		      uint64_t hits)
{
	uint32_t id = intern_id(&rows->keys, key, sizeof(*key));

	if (!id ||
	    array_reach(&rows->hits, &rows->nr, &rows->capacity, id, sizeof(*rows->hits)))
		return -ENOMEM;
	rows->hits[id - 1] += hits;
	return 0;
}

/* Merges the account's rows of one function, order, migratetype and flags. */
static int failed_collect(struct page_report *page, struct failed_rows *rows)
{
	int ret = 0;

	for (size_t i = 0; i < page->acc->nr_rows && !ret; i++) {
		const struct page_key *from = page_lives_key(&page->acc->lives, i);
		struct failed_key key = { .gfp_flags = from->gfp_flags,
					  .order = from->order,
					  .migratetype = from->migratetype };

		if (!page->acc->rows[i].failed)
			continue;
		key.site = sites_group(&page->sites, page->callsites[i]);
		ret = key.site == UINT32_MAX
			      ? -ENOMEM
			      : failed_add(rows, &key, page->acc->rows[i].failed);
	}
	return ret;
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

	for (uint32_t i = 0; i < rows->nr; i++) {
		const struct failed_row row = { page,
						intern_get(&rows->keys, i + 1, NULL),
						rows->hits[i], &gfp_used };

		table_put_row(t, &row);
	}
	page_report_legend(page, t, gfp_used);
}

int page_report_failed(struct page_report *page, struct report *report)
{
	struct failed_rows rows = { 0 };
	int ret;

	if (!page->acc->totals.failures)
		return 0;
	ret = failed_collect(page, &rows);
	if (!ret)
		failed_fill(page, &rows, table_plain(report, &page_failed_type));
	intern_free(&rows.keys);
	free(rows.hits);
	return ret;
}

// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * analysis: the page reports: by callsite, by page, the order x migratetype matrix, and the
 * summary.
 * In: page events. Out: tables "page" and "page_matrix".
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/analysis.h"
#include "analysis/page_account.h"
#include "analysis/page_matrix.h"
#include "analysis/sites.h"
#include "base/array.h"

struct page {
	const struct analysis_env *env;
	struct page_account acc;
	struct sites sites;
	uint64_t *callsites; /* of each account row; 0 unknown */
	uint64_t gfp_used;   /* names met, for the legend */
	bool summarised;     /* the summary stands under the first table */
};

static void *page_create(const struct analysis_env *env)
{
	struct page *page = calloc(1, sizeof(*page));

	if (!page)
		return NULL;
	page->env = env;
	page->acc.by_pfn = env->by_address;
	sites_init(&page->sites, env);
	return page;
}

static void page_event(void *self, const struct kmem_event *ev)
{
	struct page *page = self;

	page_account_event(&page->acc, ev);
}

static void page_destroy(void *self)
{
	struct page *page = self;

	page_account_free(&page->acc);
	sites_free(&page->sites);
	free(page->callsites);
	free(page);
}

/* One row of the report: account rows that look the same to the reader. */
struct page_group_key {
	uint64_t gfp_flags;
	uint32_t site; /* sites group, or UINT32_MAX for the unknown callsite */
	uint32_t order;
	int32_t migratetype;
	uint32_t pad; /* zero: keys are compared as bytes */
};

struct page_group {
	uint64_t hit, pages; /* or the live ones */
};

struct page_groups {
	struct intern keys;
	struct page_group *groups;
	size_t nr, capacity;
};

static int page_groups_add(struct page_groups *g, const struct page_group_key *key,
			   uint64_t hit, uint64_t pages)
{
	uint32_t id = intern_id(&g->keys, key, sizeof(*key));

	if (!id || array_reserve(&g->groups, &g->capacity, id, sizeof(*g->groups)))
		return -ENOMEM;
	if (id > g->nr)
		g->groups[g->nr++] = (struct page_group){ 0 };
	g->groups[id - 1].hit += hit;
	g->groups[id - 1].pages += pages;
	return 0;
}

static struct cell page_migratetype(const struct page *page, struct table *t, int value)
{
	const char *name = migratetype_name(page->env->migratetypes, value);
	char number[16];

	if (name)
		return cell_text(t, name);
	snprintf(number, sizeof(number), "%d", value);
	return cell_text(t, number);
}

static struct cell page_gfp(struct page *page, struct table *t, uint64_t flags)
{
	struct strbuf sb = { 0 };
	struct cell cell;

	gfp_format_short(event_formats_gfp(page->env->fmts), flags, &sb, &page->gfp_used);
	cell = cell_text(t, strbuf_text(&sb));
	strbuf_free(&sb);
	return cell;
}

/* "GFP: C __GFP_COMP  K GFP_KERNEL": the names met in the rows. */
static void page_add_legend(const struct page *page, struct table *t)
{
	const struct gfp_names *gfp = event_formats_gfp(page->env->fmts);
	struct strbuf sb = { 0 };
	size_t i;

	for (i = 0; gfp && i < gfp->count && i < 64; i++) {
		if (page->gfp_used >> i & 1)
			strbuf_printf(&sb, "  %s %s", gfp->names[i].short_name,
				      gfp->names[i].name);
	}
	if (sb.size)
		table_add_note(t, "GFP:%s", strbuf_text(&sb) + 1);
	strbuf_free(&sb);
}

static void page_add_columns(struct table *t, bool live)
{
	const struct column columns[] = {
		{ .name = "bytes",
		  .title = live ? "Live_alloc/Per" : "Total_alloc/Per",
		  .unit = UNIT_BYTES,
		  .per = "hit" },
		{ .name = "hit", .title = live ? "Live" : "Hit", .unit = UNIT_COUNT },
		{ .name = "order", .title = "Order", .unit = UNIT_NONE },
		{ .name = "migtype", .title = "Migrate type" },
		{ .name = "gfp", .title = "GFP flags" },
		{ .name = "callsite", .title = "Callsite", .last = true },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(columns); i++)
		table_add_column(t, &columns[i]);
}

/* The six cells of page_add_columns() but the callsite. */
static void page_fill(struct page *page, struct table *t, struct cell *row,
		      const struct page_group_key *key, const struct page_group *sum)
{
	row[0] = cell_uint(sum->pages * page->env->page_size);
	row[1] = cell_uint(sum->hit);
	row[2] = cell_uint(key->order);
	row[3] = page_migratetype(page, t, key->migratetype);
	row[4] = page_gfp(page, t, key->gfp_flags);
}

static void page_add_summary(struct page *page, struct table *t)
{
	const struct page_totals *s = &page->acc.totals;
	uint64_t size = page->env->page_size;
	bool lossy = s->losses != 0;
	const struct {
		const char *name, *title;
		enum column_unit unit;
		uint64_t value;
	} items[] = {
		{ "requests", "Total alloc requested", UNIT_COUNT, s->requests },
		{ "failures", "Total alloc failure", UNIT_COUNT, s->failures },
		{ "bytes_failed", "Total bytes asked for in vain", UNIT_BYTES,
		  s->failed_pages * size },
		{ "bytes", "Total bytes allocated", UNIT_BYTES, s->pages * size },
		{ "bytes_freed", "  freed", UNIT_BYTES, s->freed_pages * size },
		{ "bytes_implicit",
		  "  freed without an event (the page was allocated again)", UNIT_BYTES,
		  s->implicit_pages * size },
		{ "bytes_live", "  live at the end", UNIT_BYTES, s->live_pages * size },
		{ "alloc_freed", "Allocations freed", UNIT_COUNT, s->alloc_freed },
		{ "alloc_implicit", "Allocations ended without an event", UNIT_COUNT,
		  s->implicit_blocks },
		{ "alloc_only", "Allocations live at the end (alloc-only)", UNIT_COUNT,
		  s->live_blocks },
		{ "frees", "Total free requested", UNIT_COUNT, s->frees },
		{ "frees_matched", "  matched", UNIT_COUNT, s->matched },
		{ "frees_split", "  of part of a larger block (split)", UNIT_COUNT,
		  s->split },
		{ "frees_merged", "  of several blocks at once", UNIT_COUNT, s->merged },
		{ "frees_unmatched",
		  "  unmatched (free-only: allocated before, or in bulk)", UNIT_COUNT,
		  s->unmatched },
		{ "frees_double", "  of freed pages (freed twice, or allocated in bulk)",
		  UNIT_COUNT, s->again },
		{ "bytes_unmatched", "Bytes freed that were not seen allocated",
		  UNIT_BYTES, (s->unmatched_pages + s->again_pages) * size },
		{ "frees_batched", "Frees announced as batched", UNIT_COUNT, s->batched },
		{ "without_stack", "Allocations without a callchain", UNIT_COUNT,
		  s->without_stack },
		{ "implausible", "Events with an impossible order or page, left out",
		  UNIT_COUNT, s->implausible },
	};
	size_t i;

	if (page->summarised)
		return;
	page->summarised = true;
	table_set_summary_title(t, "SUMMARY (page allocator)");
	for (i = 0; i < ARRAY_SIZE(items); i++)
		table_add_summary(t, items[i].name, items[i].title, items[i].unit,
				  cell_uint(items[i].value),
				  lossy && i + 1 < ARRAY_SIZE(items));
}

static int page_collect(struct page *page, struct page_groups *groups)
{
	bool live = page->env->live;
	size_t i;
	int ret = 0;

	for (i = 0; i < page->acc.nr_rows && !ret; i++) {
		const struct page_key *from = page_account_key(&page->acc, i);
		const struct page_counts *c = &page->acc.rows[i];
		struct page_group_key key = { .gfp_flags = from->gfp_flags,
					      .order = from->order,
					      .migratetype = from->migratetype };

		if (!(live ? c->live_pages : c->hit))
			continue;
		key.site = sites_group(&page->sites, page->callsites[i]);
		if (key.site == UINT32_MAX)
			return -ENOMEM;
		ret = page_groups_add(groups, &key, live ? c->live_hit : c->hit,
				      live ? c->live_pages : c->hit << from->order);
	}
	return ret;
}

static int page_by_caller(struct page *page, struct report *report)
{
	bool live = page->env->live;
	struct table *t = table_new("page", live ? "Live pages by callsite"
						 : "Page allocations by callsite");
	struct page_groups groups = { 0 };
	struct strbuf name = { 0 };
	int ret = t ? page_collect(page, &groups) : -ENOMEM;
	size_t i;

	if (ret)
		goto out;
	table_set_by(t, "callsite");
	page_add_columns(t, live);
	page->gfp_used = 0;
	for (i = 0; i < groups.nr; i++) {
		const struct page_group_key *key =
			intern_get(&groups.keys, (uint32_t)i + 1, NULL);
		struct cell *row = table_add_row(t);

		if (!row)
			break;
		page_fill(page, t, row, key, &groups.groups[i]);
		strbuf_reset(&name);
		sites_name(&page->sites, key->site, &name);
		row[5] = cell_text(t, strbuf_text(&name));
	}
	page_add_legend(page, t);
	page_add_summary(page, t);
	report_add_table(report, t);
	t = NULL;
out:
	table_free(t);
	intern_free(&groups.keys);
	free(groups.groups);
	strbuf_free(&name);
	return ret;
}

static int page_by_pfn(struct page *page, struct report *report)
{
	bool live = page->env->live;
	struct table *t = table_new("page", live ? "Live pages by page frame"
						 : "Page allocations by page frame");
	const struct column pfn = { .name = "page", .title = "PFN", .unit = UNIT_PFN };
	struct strbuf name = { 0 };
	size_t i;

	if (!t)
		return -ENOMEM;
	table_set_by(t, "page");
	table_add_column(t, &pfn);
	page_add_columns(t, live);
	page->gfp_used = 0;
	for (i = 0; i < page->acc.nr_pfns; i++) {
		const struct page_pfn *p = &page->acc.pfns[i];
		const struct page_key *from = page_account_key(&page->acc, p->row);
		struct page_group_key key = { .gfp_flags = from->gfp_flags,
					      .order = from->order,
					      .migratetype = from->migratetype };
		struct page_group sum = { live ? p->live_pages != 0 : p->hit,
					  live ? p->live_pages : p->hit << from->order };
		struct cell *row;

		if (!sum.pages)
			continue;
		row = table_add_row(t);
		if (!row)
			break;
		row[0] = cell_uint(p->pfn);
		page_fill(page, t, row + 1, &key, &sum);
		strbuf_reset(&name);
		sites_exact(&page->sites, page->callsites[p->row], &name);
		row[6] = cell_text(t, strbuf_text(&name));
	}
	strbuf_free(&name);
	page_add_legend(page, t);
	page_add_summary(page, t);
	report_add_table(report, t);
	return 0;
}

/* The callsite of every account row; the stacks are looked at once each. */
static int page_resolve(struct page *page)
{
	struct u64_map known = { 0 }; /* stack -> a row that has it */
	size_t i;

	page->callsites = calloc(page->acc.nr_rows + 1, sizeof(*page->callsites));
	if (!page->callsites)
		return -ENOMEM;
	for (i = 0; i < page->acc.nr_rows; i++) {
		uint32_t stack = page_account_key(&page->acc, i)->stack;
		uint32_t *row = u64_map_insert(&known, stack, (uint32_t)i);

		if (!row)
			break;
		page->callsites[i] = *row < i ? page->callsites[*row]
					      : sites_of_stack(&page->sites, stack);
	}
	u64_map_free(&known);
	return i < page->acc.nr_rows ? -ENOMEM : 0;
}

static int page_finish(void *self, struct report *report)
{
	struct page *page = self;
	int ret;

	page_account_finish(&page->acc);
	if (page->acc.failed)
		return -ENOMEM;
	ret = page_resolve(page);
	if (!ret && (page->env->by_caller || !page->env->by_address))
		ret = page_by_caller(page, report);
	if (!ret && page->env->by_address)
		ret = page_by_pfn(page, report);
	if (!ret)
		ret = page_matrix(&page->acc, page->env, report);
	return ret;
}

const struct analysis_ops analysis_page = {
	.name = "page",
	.create = page_create,
	.event = page_event,
	.finish = page_finish,
	.destroy = page_destroy,
};

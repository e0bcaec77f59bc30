// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * analysis: the summary of the page reports, and frees without an allocation.
 * In: finished page accounts. Out: named numbers; table "page_free_only".
 */

#include "analysis/stat/page_report.h"
#include "base/array.h"

struct net_range page_report_net(const struct page_report *page, uint32_t row,
				 uint64_t live, uint64_t sure)
{
	uint64_t size = page->env->page_size;

	struct net_range r =
		bounds_net(&page->bounds, page->callsites[row], live * size, sure * size);

	/* Every free of a page has an event (free_pages_prepare() of mm/page_alloc.c). */
	if (page->bounds.all_frees)
		net_range_prove(&r, r.seen, r.net);
	return r;
}

/* The figure to estimate. */
struct figure_of {
	const struct page_report *page;
	enum page_figure figure;
};

static uint64_t figure_of_row(const void *of, size_t row)
{
	const struct figure_of *f = of;
	const struct page_counts *c = &f->page->acc->rows[row];

	switch (f->figure) {
	case PAGE_ALLOCATED:
		return (c->hit << page_lives_key(&f->page->acc->lives, row)->order) *
		       f->page->env->page_size;
	case PAGE_LIVING:
		return c->live_pages * f->page->env->page_size;
	default:
		return page_report_net(f->page, (uint32_t)row, c->live_pages,
				       c->sure_pages)
			.min;
	}
}

int page_report_estimate(const struct page_report *page, enum page_figure figure,
			 const uint32_t *group_of, struct estimate *out, size_t nr)
{
	const struct figure_of of = { page, figure };
	const struct row_values values = { &page->acc->lives.any, &of, figure_of_row };
	const struct estimate_rule rule = { &page->env->sample, ESTIMATE_PAGES };

	return estimate_rows(&values, &rule, group_of, out, nr);
}

/* The parts of the live bytes: live = sure + seen + implicit + lost. */
static void add_parts(const struct net_range *net, struct table *t)
{
	const struct summary_line parts[] = {
		{ "bytes_live_min", "    sure to be live", UNIT_BYTES, net->min,
		  SUMMARY_DETAIL, true },
		{ "bytes_live_seen", "    seen: allocated, and not seen freed",
		  UNIT_BYTES, net->seen, SUMMARY_DETAIL, true },
		{ "bytes_live_implicit",
		  "    possibly freed untraced, as others of the callsite were",
		  UNIT_BYTES, net->implicit, SUMMARY_DOUBT, true },
		{ "bytes_live_lost", "    may have been freed while events were lost",
		  UNIT_BYTES, net->lost, SUMMARY_DOUBT, true },
	};

	table_add_summary_lines(t, parts, ARRAY_SIZE(parts), false);
}

static void add_net(const struct page_report *page, struct table *t)
{
	struct net_range net = { 0 };

	for (uint32_t i = 0; i < page->acc->nr_rows; i++) {
		const struct page_counts *c = &page->acc->rows[i];
		struct net_range row =
			page_report_net(page, i, c->live_pages, c->sure_pages);

		net_range_add(&net, &row, lives_weight(&page->acc->lives.any, i));
	}
	add_parts(&net, t);
}

static void add_notes(const struct page_report *page, struct table *t)
{
	const struct page_totals *s = &page->acc->totals;
	uint64_t hits = s->requests - s->failures;

	if (hits && s->without_stack == hits)
		table_add_note(
			t,
			"!No page allocation has a callchain, so the callsites are unknown. Record callchains with: kmemx record --page (trace-cmd record: -T)");
	other_frees_note(page->acc->lives.any.filtered, s->other, t);
}

/* In a sample: totals of the rows are estimated; the others, which are not by unit, are unknown. */
static struct page_totals totals_of(const struct page_report *page)
{
	struct page_totals t = page->acc->totals;

	if (!page_report_estimates(page))
		return t;
	t.pages = t.implicit_pages = t.live_pages = t.live_blocks = t.without_stack = 0;
	t.requests = t.failures;
	for (size_t i = 0; i < page->acc->nr_rows; i++) {
		const struct page_counts *c = &page->acc->rows[i];
		const struct page_key *key = page_lives_key(&page->acc->lives, i);
		uint64_t times = lives_weight(&page->acc->lives.any, i);

		t.requests += c->hit * times;
		t.pages += (c->hit << key->order) * times;
		t.implicit_pages += c->implicit_pages * times;
		t.live_pages += c->live_pages * times;
		t.live_blocks += c->live_hit * times;
		t.without_stack += key->stack ? 0 : c->hit * times;
	}
	t.freed_pages = t.pages - t.implicit_pages - t.live_pages;
	return t;
}

static const char *const unknown_of_sample[] = {
	"alloc_freed",	   "alloc_implicit", "frees",		"frees_matched",
	"frees_reordered", "frees_split",    "frees_merged",	"frees_unmatched",
	"frees_double",	   "frees_other",    "bytes_unmatched", "frees_batched",
};

static int add_intervals(const struct page_report *page, struct table *t)
{
	uint32_t *group_of __auto_mem = calloc(page->acc->nr_rows + 1, sizeof(*group_of));
	struct estimate all, live;

	if (!group_of || page_report_estimate(page, PAGE_ALLOCATED, group_of, &all, 1) ||
	    page_report_estimate(page, PAGE_LIVING, group_of, &live, 1))
		return -ENOMEM;
	estimate_ends(&all, "bytes", "Total bytes allocated", false, t);
	estimate_ends(&live, "bytes_live", "  live at the end", true, t);
	estimate_summary(page->opts->live ? &live : &all, page->opts->live, t);
	table_blank_summary(t, unknown_of_sample, ARRAY_SIZE(unknown_of_sample));
	return 0;
}

static void add_counts(const struct page_report *page, const struct page_totals *s,
		       struct table *t, bool lossy)
{
	uint64_t size = page->env->page_size;
	const struct summary_line counts[] = {
		{ "alloc_freed", "Allocations freed", UNIT_COUNT, s->alloc_freed },
		{ "alloc_implicit", "Allocations ended without an event", UNIT_COUNT,
		  s->implicit_blocks },
		{ "alloc_only", "Allocations live at the end (alloc-only)", UNIT_COUNT,
		  s->live_blocks, SUMMARY_USUAL, true },
		/* In a recording of some tasks it counts the frees of all tasks. */
		{ "frees", "Total free requested", UNIT_COUNT, s->frees,
		  page->acc->lives.any.scope.part ? SUMMARY_DETAIL : SUMMARY_USUAL },
		{ "frees_matched", "  matched", UNIT_COUNT, s->matched },
		{ "frees_reordered",
		  "    seen before their allocation (clocks of CPUs differ)", UNIT_COUNT,
		  s->reordered },
		{ "frees_split", "  of part of a larger block (split)", UNIT_COUNT,
		  s->split },
		{ "frees_merged", "  of several blocks at once", UNIT_COUNT, s->merged },
		{ "frees_unmatched",
		  "  unmatched (free-only: allocated before, or in bulk)", UNIT_COUNT,
		  s->unmatched },
		{ "frees_double", "  of freed pages (freed twice, or allocated in bulk)",
		  UNIT_COUNT, s->again },
		{ "frees_other", other_frees_title(page->acc->lives.any.filtered),
		  UNIT_COUNT, s->other },
		{ "bytes_unmatched", "Bytes freed without an allocation event",
		  UNIT_BYTES, (s->unmatched_pages + s->again_pages) * size,
		  SUMMARY_DOUBT },
		{ "frees_batched", "Frees announced as batched", UNIT_COUNT, s->batched },
		{ "without_stack", "Allocations without a callchain", UNIT_COUNT,
		  s->without_stack, SUMMARY_USUAL },
	};
	const struct summary_line implausible = {
		"implausible", "Events with an impossible order or page, left out",
		UNIT_COUNT, s->implausible, SUMMARY_DOUBT
	};

	table_add_summary_lines(t, counts, ARRAY_SIZE(counts), lossy);
	table_add_summary_lines(t, &implausible, 1, false);
}

void page_report_summary(struct page_report *page, struct table *t)
{
	const struct page_totals totals = totals_of(page), *s = &totals;
	uint64_t size = page->env->page_size;
	bool lossy = s->losses != 0;
	const struct summary_line bytes[] = {
		{ "requests", "Total alloc requested", UNIT_COUNT, s->requests,
		  SUMMARY_TOTAL },
		{ "failures", "Total alloc failure", UNIT_COUNT, s->failures,
		  SUMMARY_FAILED },
		{ "bytes_failed", "Bytes of failed requests", UNIT_BYTES,
		  s->failed_pages * size },
		{ "bytes", "Total bytes allocated", UNIT_BYTES, s->pages * size,
		  SUMMARY_TOTAL },
		{ "bytes_freed", "  freed", UNIT_BYTES, s->freed_pages * size,
		  SUMMARY_TOTAL },
		{ "bytes_implicit",
		  "  freed without an event (the page was allocated again)", UNIT_BYTES,
		  s->implicit_pages * size, SUMMARY_DOUBT },
		{ "bytes_live", "  live at the end", UNIT_BYTES, s->live_pages * size,
		  SUMMARY_TOTAL, true },
	};

	if (page->summarised)
		return;
	page->summarised = true;
	add_notes(page, t);
	table_set_summary_title(t, "SUMMARY (page allocator)");
	table_add_summary_lines(t, bytes, ARRAY_SIZE(bytes), lossy);
	add_net(page, t);
	add_counts(page, s, t, lossy);
	if (page_report_estimates(page) && add_intervals(page, t))
		t->failed = true;
}

/* The page allocator's own functions on the free path, from 4.x to 7.x: callsites are their
 * callers. Anchored at the end, like the rule for allocations.
 */
#define FREE_CORE                                                                       \
	"^(_{0,3}free_(pcp_prepare|pages?(_prepare|_ok|_exact|_nolock)?|the_page|"      \
	"frozen_pages|unref_(page|page_prepare|page_commit|page_list|folios)|"          \
	"(unref_)?hot_cold_page(_list)?|large_kmalloc|pages_and_swap_cache|"            \
	"page_and_swap_cache|folio_and_swap_cache)|__page_cache_release|release_pages|" \
	"_{0,2}(put_page|folio_put|put_single_page|folio_put_small|folio_put_large|"    \
	"put_compound_page|folios_put|folios_put_refs)|destroy_large_folio|"            \
	"__pagevec_release|__folio_batch_release)"                                      \
	"(\\.(isra|constprop|part|cold|llvm|lto_priv)[.0-9a-f]*)*$"

struct free_only_row {
	const struct page_report *page;
	uint32_t group;
	struct page_free_only sum;
};

CELL(cell_bytes, struct free_only_row, cell_uint(r->sum.pages * r->page->env->page_size))
CELL(cell_callsite, struct free_only_row, sites_cell(&r->page->sites, r->group, t))

static const struct column_type free_only_columns[] = {
	{ COLUMN("bytes", "Free_only/Per", UNIT_BYTES,
		 "Bytes freed without an allocation event, and per free on average.",
		 .per = "hit"),
	  .fill = cell_bytes },
	{ COLUMN("hit", "Hit", UNIT_COUNT, "Frees of them.", .leaves = 20),
	  MEMBER(struct free_only_row, sum.hit) },
	{ COLUMN("callsite", "Freed by", UNIT_NONE, "The function that freed.",
		 .last = true),
	  .fill = cell_callsite },
	SHARE_COLUMNS,
	COLUMNS_END,
};

const struct table_type page_free_only_type = {
	.name = "page_free_only",
	.help = "pages freed without an allocation event; only where frees have callchains",
	.title = "Pages freed without an allocation event, by who freed",
	.by = "callsite",
	.sort = "bytes,hit",
	.columns = free_only_columns,
};

/* The function that freed, by the rule for frees. */
static uint32_t free_only_group(struct page_report *page, struct callsite_rule *rule,
				uint32_t stack)
{
	uint32_t nr = 0;
	const uint64_t *frames = event_stream_stack(page->env->stream, stack, &nr);
	int index = frames ? callsite_find(rule, page->env->syms, frames, nr) : -1;

	return sites_group(&page->sites, index < 0 ? 0 : frames[index]);
}

/* Adds the stacks up by freeing function. */
static int free_only_collect(struct page_report *page, struct page_free_only **sums,
			     size_t *nr)
{
	static const char *const core = FREE_CORE;
	struct callsite_rule *rule = NULL;
	size_t capacity = 0, i;
	int ret = callsite_rule_new(&rule, &core, 1, NULL);

	for (i = 0; i < page->acc->lives.nr_free_only && !ret; i++) {
		const struct page_free_only *from = &page->acc->lives.free_only[i];
		uint32_t group = free_only_group(page, rule, from->stack);

		ret = group == UINT32_MAX ? -ENOMEM
					  : array_reach(sums, nr, &capacity, group + 1UL,
							sizeof(**sums));
		if (ret)
			break;
		(*sums)[group].hit += from->hit;
		(*sums)[group].pages += from->pages;
	}
	callsite_rule_free(rule);
	return ret;
}

int page_report_free_only(struct page_report *page, struct report *report)
{
	const struct page_lives *lives = &page->acc->lives;
	struct page_free_only *sums __auto_mem = NULL;
	bool stacks = false;
	struct table *t;
	size_t nr = 0;
	int ret;

	for (uint32_t i = 0; i < lives->nr_free_only; i++)
		stacks |= lives->free_only[i].stack != 0;
	/* With only part of the allocations it would show the frees of all others. */
	if (!stacks || lives->any.scope.part || lives->any.filtered)
		return 0;
	t = table_plain(report, &page_free_only_type);
	ret = free_only_collect(page, &sums, &nr);
	for (uint32_t i = 0; i < nr && !ret; i++) {
		const struct free_only_row row = { page, i, sums[i] };

		if (row.sum.hit)
			table_put_row(t, &row);
	}
	if (!ret && page_report_estimates(page))
		table_add_note(t, "!Figures of this table are those of the sample.");
	return ret;
}

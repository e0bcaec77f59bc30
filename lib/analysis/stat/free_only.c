// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * analysis: who freed what no event allocated.
 * In: finished accounts. Out: tables "slab_free_only" and "page_free_only".
 */

#include "analysis/stat/account_report.h"
#include "base/array.h"

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

/* What a function freed: of objects, how many were unknown, and how many freed already; of pages,
 * how many frees there were, and their bytes.
 */
struct free_only {
	uint64_t of[2];
};

/* By the number of the function in the report's sites. */
struct free_sums {
	struct free_only *of;
	size_t nr, capacity;
};

struct free_only_row {
	const struct sites *sites;
	uint32_t group;
	struct free_only sum;
};

CELL(cell_frees, struct free_only_row, cell_uint(r->sum.of[0] + r->sum.of[1]))
CELL(cell_callsite, struct free_only_row, sites_cell(r->sites, r->group, t))

#define LAST_COLUMNS                                                            \
	{ COLUMN("callsite", "Freed by", UNIT_NONE, "The function that freed.", \
		 .last = true),                                                 \
	  .fill = cell_callsite },                                              \
		SHARE_COLUMNS, COLUMNS_END

static const struct column_type slab_columns[] = {
	{ COLUMN("hit", "Hit", UNIT_COUNT, "Frees of no live object."),
	  .fill = cell_frees },
	{ COLUMN("unmatched", "Unmatched", UNIT_COUNT,
		 "Of these, of objects allocated before the recording, or in bulk.",
		 .drop = 20),
	  MEMBER(struct free_only_row, sum.of[0]) },
	{ COLUMN("double", "Double", UNIT_COUNT,
		 "Of these, of objects freed already: freed twice, or allocated in bulk in between.",
		 .drop = 30),
	  MEMBER(struct free_only_row, sum.of[1]) },
	LAST_COLUMNS,
};

const struct table_type slab_free_only_type = {
	.name = "slab_free_only",
	.help = "frees of objects without an allocation event, by who freed (--unmatched)",
	.title = "Frees of objects without an allocation event, by who freed",
	.by = "callsite",
	.sort = "hit",
	.columns = slab_columns,
};

static const struct column_type page_columns[] = {
	{ COLUMN("bytes", "Free_only/Per", UNIT_BYTES,
		 "Bytes freed without an allocation event, and per free on average.",
		 .per = "hit"),
	  MEMBER(struct free_only_row, sum.of[1]) },
	{ COLUMN("hit", "Hit", UNIT_COUNT, "Frees of them.", .drop = 20),
	  MEMBER(struct free_only_row, sum.of[0]) },
	LAST_COLUMNS,
};

const struct table_type page_free_only_type = {
	.name = "page_free_only",
	.help = "pages freed without an allocation event; only where frees have callchains",
	.title = "Pages freed without an allocation event, by who freed",
	.by = "callsite",
	.sort = "bytes,hit",
	.columns = page_columns,
};

/* Adds frees at @callsite to the sum of its function. 0 or -ENOMEM. */
static int add(struct account_report *r, uint64_t callsite, const struct free_only *frees,
	       struct free_sums *s)
{
	uint32_t group = sites_group(&r->sites, callsite);

	if (group == UINT32_MAX || array_reach(&s->of, &s->nr, &s->capacity, group + 1UL))
		return -ENOMEM;
	s->of[group].of[0] += frees->of[0];
	s->of[group].of[1] += frees->of[1];
	return 0;
}

static int add_objects(struct account_report *r, struct free_sums *s)
{
	const struct slab_lives *lives = accounts_of_slab(r->lives);
	int ret = 0;

	for (size_t i = 0; i < lives->free_only.nr && !ret; i++) {
		const struct slab_free_only *from = &lives->free_only.of[i];
		const struct free_only frees = { { from->unmatched, from->doubled } };

		ret = add(r, from->callsite, &frees, s);
	}
	return ret;
}

/* The function that freed is found by the rule for frees. */
static int add_pages(struct account_report *r, struct free_sums *s)
{
	static const char *const core = FREE_CORE;
	const struct page_lives *lives = accounts_of_page(r->lives);
	struct callsite_rule *rule = NULL;
	int ret = callsite_rule_new(&rule, &core, 1, NULL);

	for (size_t i = 0; i < lives->free_only.nr && !ret; i++) {
		const struct page_free_only *from = &lives->free_only.of[i];
		const struct free_only frees = { { from->hit,
						   from->pages * r->env->page_size } };
		uint32_t nr = 0;
		const uint64_t *frames =
			event_stream_stack(r->env->stream, from->stack, &nr);
		int index = frames ? callsite_find(rule, r->env->syms, frames, nr) : -1;

		ret = add(r, index < 0 ? 0 : frames[index], &frees, s);
	}
	callsite_rule_free(rule);
	return ret;
}

/* Do the recording's frees of pages tell who freed? With only part of the allocations the table
 * would show the frees of all others.
 */
static bool knows_who(const struct lives *lives)
{
	const struct page_lives *l = accounts_of_page(lives);

	return !lives->scope.part && !lives->filtered &&
	       ANY(i, l->free_only.nr, l->free_only.of[i].stack);
}

int account_report_free_only(struct account_report *r, struct report *report)
{
	const bool pages = account_report_of_pages(r);
	struct free_sums s = { .nr = 0 };
	struct table *t;
	int ret;

	if (pages && !knows_who(r->lives))
		return 0;
	t = table_plain(report, pages ? &page_free_only_type : &slab_free_only_type);
	ret = pages ? add_pages(r, &s) : add_objects(r, &s);
	for (uint32_t i = 0; i < s.nr && !ret; i++) {
		const struct free_only_row row = { &r->sites, i, s.of[i] };

		if (row.sum.of[0] || row.sum.of[1])
			table_put_row(t, &row);
	}
	if (!ret && account_report_estimates(r))
		table_add_note(t, "!Figures of this table are those of the sample.");
	free(s.of);
	return ret;
}

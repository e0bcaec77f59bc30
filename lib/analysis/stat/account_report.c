// SPDX-License-Identifier: GPL-2.0-or-later
#include "analysis/stat/account_report.h"

#include "analysis/row/owners.h"

int account_analysis_ask(struct account_analysis *a, enum memory memory, bool task_sums)
{
	const struct analysis_options *opts = a->opts;
	struct dimensions dimensions =
		memory == MEMORY_SLAB ? subjects_slab_dimensions(opts, a->env)
				      : subjects_page_dimensions(analysis_subject(opts));
	int ret;

	/* Rows by control group say what is charged to it. */
	if (memory == MEMORY_SLAB && subject_rows(opts->by) & ROWS(CGROUP))
		dimensions_add(&dimensions, DIMENSION_CHARGED, DIMENSIONS_MAX);
	dimensions.task_sums = task_sums;
	ret = accounts_of_memory(a->env->accounts, memory, &dimensions, &a->lives);
	return ret || !opts->by_address ? ret : lives_by_address(a->lives);
}

int account_report_estimate(const struct account_report *r, enum account_figure figure,
			    const struct account_groups *groups, struct estimate *out)
{
	const size_t nr = lives_rows(r->lives);
	uint64_t *of __auto_mem = calloc(nr + 1, sizeof(*of));
	const struct row_values values = { r->lives, of };
	const struct estimate_rule rule = { &r->env->sample,
					    account_report_of_pages(r) ? ESTIMATE_PAGES
					    : figure == ACCOUNT_ALLOCATED
						    ? subjects_share(groups->kind)
						    : ESTIMATE_LIVING };

	for (uint32_t i = 0; of && i < nr; i++) {
		const struct lives_sums *c = &r->lives->rows[i];

		of[i] = figure == ACCOUNT_ALLOCATED ? c->bytes_alloc
			: figure == ACCOUNT_LIVING
				? c->live_alloc
				: slab_bounds_events(&r->bounds, i, c).min;
	}
	return of ? estimate_rows(&values, &rule, groups->of, out, groups->nr) : -ENOMEM;
}

/* In a sample: estimates the bytes of all rows together. */
static int estimate_all(struct account_report *r)
{
	const struct account_groups all = { SUBJECT_NONE, NULL, 1 };
	int ret = account_report_estimate(r, ACCOUNT_ALLOCATED, &all, &r->allocated);

	ret = ret ?: account_report_estimate(r, ACCOUNT_LIVING, &all, &r->living);
	r->net.sampled = true;
	r->net.high = r->living.high;
	return ret;
}

/* Finds what tables need to know of the account's rows. */
static int prepare(struct account_report *r)
{
	int ret = r->lives->failed ? -ENOMEM : 0;

	r->callsites = owners_callsites(&r->sites, r->lives);
	if (account_report_of_pages(r)) {
		r->charged = gfp_charged(&r->env->fmts->gfp);
		r->knows_charged = r->charged;
	} else {
		r->knows_charged =
			dimensions_find(&r->lives->dimensions, DIMENSION_CHARGED) >= 0;
	}
	if (ret || !r->callsites)
		return -ENOMEM;
	ret = slab_bounds_of(&r->bounds, r->lives, r->callsites, r->env);
	ret = ret ?: slab_bounds_sums(&r->bounds, NULL, &r->net, 1);
	ret = ret ?: reclaimable_init(&r->reclaimable, r->env);
	if (!ret && account_report_memory(r) == MEMORY_SLAB)
		ret = reclaimable_learn(&r->reclaimable, r->lives);
	if (!ret && account_report_estimates(r))
		ret = estimate_all(r);
	return ret;
}

int account_analysis_view(const struct account_analysis *a, struct report *report,
			  int (*show)(struct account_report *r, struct report *report))
{
	struct account_report r = {
		.env = a->env, .opts = a->opts, .lives = a->lives, .live = a->opts->live
	};
	int ret;

	sites_init(&r.sites, r.env);
	ret = prepare(&r) ?: show(&r, report);
	slab_bounds_free(&r.bounds);
	reclaimable_free(&r.reclaimable);
	sites_free(&r.sites);
	free(r.callsites);
	return ret;
}

bool account_is_charged(const struct lives *lives, size_t row, uint64_t charged)
{
	const struct page_key *page =
		lives->kind->memory == MEMORY_PAGE ? lives_key(lives, row) : NULL;

	return group_is_charged(lives_value(lives, row, DIMENSION_CGROUP)) &&
	       (page ? (page->gfp_flags & charged) != 0
		     : lives_value(lives, row, DIMENSION_CHARGED) != 0);
}

/* --- notes ------------------------------------------------------------------------------ */

void account_note_unskipped(const struct account_report *r, struct table *t)
{
	bool stacks = dimensions_find(&r->lives->dimensions, DIMENSION_STACK) >= 0;
	uint64_t stay = 0;

	if (!callsite_rule_extended(r->env->rule) ||
	    account_report_memory(r) != MEMORY_SLAB)
		return;
	for (size_t i = 0; i < lives_rows(r->lives); i++) {
		if (sites_skipped(r->env, r->callsites[i]))
			stay += lives_sums(r->lives, i).hit;
	}
	sites_note_skipped(
		stay,
		stacks ? "no callchain leads beyond it. Record callchains with: kmemx record --slab --stack all"
		       : "callchains are not used when rows are by anything else too. Use --caller alone.",
		t);
}

/* Does row @row of slab objects have no cache's name? */
static bool is_unnamed(const struct lives *lives, size_t row)
{
	const struct slab_key *key = lives_key(lives, row);

	return !key->kmalloc && !key->cache;
}

void slab_note_unnamed(const struct lives *lives, size_t nr, struct table *t)
{
	table_note_if(
		t, ANY(i, nr, is_unnamed(lives, i)),
		"[unnamed]: this kernel's kmem_cache_alloc event does not name the cache.");
}

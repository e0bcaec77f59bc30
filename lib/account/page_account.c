// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * account: the sums of page blocks by who allocated.
 * In: page events and losses in time order. Out: who allocated what, and what became of it.
 */
#include "account/page_account.h"

#include <stdlib.h>

#include "base/array.h"

/* The counts of a tally, without .sure_pages. */
static struct page_counts tally_counts(const struct page_tally *tally)
{
	/* What was found is counted as gone, too. */
	return (struct page_counts){
		.hit = tally->of[PAGE_BORN].nr,
		.failed = tally->of[PAGE_REFUSED].nr,
		.live_pages = tally->of[PAGE_BORN].pages - tally->of[PAGE_FREED].pages -
			      tally->of[PAGE_GONE].pages,
		.live_hit = tally->of[PAGE_BORN].nr - tally->last,
		.implicit_pages =
			tally->of[PAGE_GONE].pages - tally->of[PAGE_FOUND].pages,
	};
}

bool page_account_sums_tasks(const struct page_account *acc)
{
	const struct dimensions *all = &acc->lives.dimensions;

	return all->task_sums && dimensions_find(all, DIMENSION_PID) >= 0 &&
	       !all->sample.one_in && !acc->lives.filtered && !acc->by_pfn &&
	       !acc->lives.nr_observers;
}

/* Adds the account's own observer, with the first events. */
static void account_begin(struct page_account *acc)
{
	acc->observing = true;
	if (acc->by_pfn &&
	    page_lives_observe(&acc->lives, page_addresses_lives, &acc->addresses))
		acc->failed = true;
	if (!acc->lives.spent && page_account_sums_tasks(acc)) {
		spent_init(&acc->spent, sizeof(struct page_tally) / sizeof(uint64_t));
		page_lives_sum_tasks(&acc->lives, &acc->spent);
	}
}

void page_account_listed(struct page_account *acc, const struct event_lists *lists)
{
	if (unlikely(!acc->observing))
		account_begin(acc);
	if (likely(!acc->failed))
		page_lives_listed(&acc->lives, lists);
}

void page_account_events(struct page_account *acc, const struct kmem_event *ev, size_t nr)
{
	if (unlikely(!acc->observing))
		account_begin(acc);
	if (likely(!acc->failed))
		page_lives_events(&acc->lives, ev, nr);
}

/* What became of the events. */
static void totals_of_fates(struct page_totals *sum, const struct page_fates *fates)
{
	sum->frees = fates->frees;
	sum->batched = fates->batched;
	sum->matched = fates->matched;
	sum->split = fates->split;
	sum->merged = fates->merged;
	sum->again = fates->again;
	sum->unmatched = fates->unmatched;
	sum->other = fates->other;
	sum->other_pages = fates->other_pages;
	sum->reordered = fates->reordered;
	sum->again_pages = fates->again_pages;
	sum->unmatched_pages = fates->unmatched_pages;
	sum->batched_pages = fates->batched_pages;
	sum->implausible = fates->implausible;
	sum->losses = fates->losses;
}

static void totals_add(struct page_totals *sum, const struct page_tally *tally,
		       const struct page_key *key)
{
	const struct page_counts c = tally_counts(tally);

	sum->requests += c.hit + c.failed;
	sum->failures += c.failed;
	sum->pages += tally->of[PAGE_BORN].pages;
	sum->failed_pages += tally->of[PAGE_REFUSED].pages;
	sum->freed_pages += tally->of[PAGE_FREED].pages + tally->of[PAGE_FOUND].pages;
	sum->implicit_pages += c.implicit_pages;
	sum->live_pages += c.live_pages;
	sum->live_blocks += c.live_hit;
	sum->implicit_blocks += tally->implicit - tally->of[PAGE_FOUND].nr;
	sum->alloc_freed += tally->last - tally->implicit + tally->of[PAGE_FOUND].nr;
	sum->without_stack += key->stack ? 0 : c.hit;
}

/* Counts frees of unrecorded allocations, now that no allocation can follow them. */
static void totals_settle_other(struct page_totals *sum)
{
	sum->other += sum->unmatched + sum->again;
	sum->other_pages += sum->unmatched_pages + sum->again_pages;
	sum->unmatched = sum->again = 0;
	sum->unmatched_pages = sum->again_pages = 0;
}

void page_account_sum(struct page_account *acc)
{
	const struct live_entry *e = NULL;
	size_t i;

	acc->failed |= acc->lives.failed | acc->addresses.failed;
	if (acc->failed || array_reserve(&acc->rows, &acc->rows_capacity,
					 acc->lives.nr_tallies, sizeof(*acc->rows))) {
		acc->failed = true;
		return;
	}
	acc->nr_rows = acc->lives.nr_tallies;
	acc->totals = (struct page_totals){ 0 };
	totals_of_fates(&acc->totals, &acc->lives.fates);
	for (i = 0; i < acc->nr_rows; i++) {
		acc->rows[i] = tally_counts(&acc->lives.tallies[i]);
		totals_add(&acc->totals, &acc->lives.tallies[i],
			   page_account_key(acc, i));
	}
	if (acc->lives.scope.part || acc->lives.filtered)
		totals_settle_other(&acc->totals);
	while ((e = page_lives_next(&acc->lives, e)))
		if (page_lives_sure(&acc->lives, e))
			acc->rows[e->row].sure_pages += 1ULL << e->order;
	page_addresses_sum(&acc->addresses, &acc->lives);
	acc->failed |= acc->addresses.failed;
}

void page_account_finish(struct page_account *acc)
{
	if (unlikely(!acc->observing))
		account_begin(acc);
	page_lives_finish(&acc->lives);
	page_account_sum(acc);
}

const struct page_key *page_account_key(const struct page_account *acc, size_t row)
{
	return page_lives_key(&acc->lives, row);
}

uint32_t page_account_weight(const struct page_account *acc, size_t row)
{
	return dimension_weight(&acc->lives.dimensions,
				&page_account_key(acc, row)->dims);
}

void page_account_free(struct page_account *acc)
{
	page_lives_free(&acc->lives);
	page_addresses_free(&acc->addresses);
	spent_free(&acc->spent);
	free(acc->rows);
}

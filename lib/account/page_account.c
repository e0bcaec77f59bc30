// SPDX-License-Identifier: GPL-2.0-or-later
#include "account/page_account.h"

#include "base/array.h"

/* --- the sums of page blocks by frame ----------------------------------------------- */

/* The key of an entry; without padding, because keys are compared as bytes. */
struct pfn_key {
	uint64_t pfn, row;
};

/* The place of frame @pfn, allocated by @row; NULL if memory ran out. */
static struct page_pfn *address_of(struct page_addresses *a, uint64_t pfn, uint32_t row)
{
	const struct pfn_key key = { pfn, row };
	struct page_pfn *place = KEYED_ITEM(&a->pfns, &key);

	if (place) {
		place->pfn = pfn;
		place->row = row;
	}
	a->failed |= !place;
	return place;
}

/* An observer: @ctx is struct page_addresses. */
static void page_addresses_lives(void *ctx, const struct lives *of,
				 const struct life *life, size_t nr)
{
	struct page_addresses *a = ctx;

	for (size_t i = 0; i < nr && !a->failed; i++, life++) {
		struct page_pfn *pfn = life->what == LIFE_REFUSED
					       ? NULL
					       : address_of(a, life->at, life->row);

		if (!pfn)
			continue;
		switch (life->what) {
		case LIFE_BORN:
			pfn->hit++;
			pfn->live_pages += life->nr;
			break;
		case LIFE_GONE:
			pfn->implicit_pages += life->nr;
			pfn->live_pages -= life->nr;
			break;
		case LIFE_FOUND: /* counted as gone before */
			pfn->implicit_pages -= life->nr;
			break;
		default:
			pfn->live_pages -= life->nr;
		}
	}
}

/* Sets .sure_pages: pages that must still be live. */
static void page_addresses_sum(struct page_addresses *a, const struct page_lives *lives)
{
	const struct live_entry *e = NULL;

	for (size_t i = 0; i < a->pfns.nr; i++)
		a->pfns.of[i].sure_pages = 0;
	while (a->pfns.nr && (e = lives_next(&lives->any, e))) {
		struct page_pfn *pfn =
			lives_sure(&lives->any, e)
				? address_of(a, page_lives_first(lives, e), e->row)
				: NULL;

		if (pfn)
			pfn->sure_pages += 1ULL << e->order;
	}
}

/* The counts of a tally, without .sure_pages. */
static struct page_counts page_tally_counts(const struct page_tally *tally)
{
	/* LIFE_FOUND is also counted in LIFE_GONE. */
	return (struct page_counts){
		.hit = tally->of[LIFE_BORN].nr,
		.failed = tally->of[LIFE_REFUSED].nr,
		.live_pages = tally->of[LIFE_BORN].pages - tally->of[LIFE_FREED].pages -
			      tally->of[LIFE_GONE].pages,
		.live_hit = tally->of[LIFE_BORN].nr - tally->last,
		.implicit_pages =
			tally->of[LIFE_GONE].pages - tally->of[LIFE_FOUND].pages,
	};
}

int page_account_by_address(struct page_account *acc)
{
	if (acc->by_address)
		return 0;
	acc->by_address = true;
	return lives_observe(&acc->lives.any, page_addresses_lives, &acc->addresses);
}

static void totals_add(struct page_totals *sum, const struct page_tally *tally,
		       const struct page_key *key)
{
	const struct page_counts c = page_tally_counts(tally);

	sum->requests += c.hit + c.failed;
	sum->failures += c.failed;
	sum->pages += tally->of[LIFE_BORN].pages;
	sum->failed_pages += tally->of[LIFE_REFUSED].pages;
	sum->freed_pages += tally->of[LIFE_FREED].pages + tally->of[LIFE_FOUND].pages;
	sum->implicit_pages += c.implicit_pages;
	sum->live_pages += c.live_pages;
	sum->live_blocks += c.live_hit;
	sum->implicit_blocks += tally->implicit - tally->of[LIFE_FOUND].nr;
	sum->alloc_freed += tally->last - tally->implicit + tally->of[LIFE_FOUND].nr;
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
	struct lives *l = &acc->lives.any;
	const struct live_entry *e = NULL;

	l->failed |= acc->addresses.failed;
	if (l->failed || array_reserve(&acc->rows, &acc->rows_capacity, l->nr_tallies,
				       sizeof(*acc->rows))) {
		l->failed = true;
		return;
	}
	acc->nr_rows = l->nr_tallies;
	acc->totals = acc->lives.totals;
	acc->totals.losses = l->losses;
	for (size_t i = 0; i < acc->nr_rows; i++) {
		const struct page_tally *tally = page_lives_tally(&acc->lives, i);

		acc->rows[i] = page_tally_counts(tally);
		totals_add(&acc->totals, tally, page_lives_key(&acc->lives, i));
	}
	if (l->scope.part || l->filtered)
		totals_settle_other(&acc->totals);
	while ((e = lives_next(l, e)))
		if (lives_sure(l, e))
			acc->rows[e->row].sure_pages += 1ULL << e->order;
	page_addresses_sum(&acc->addresses, &acc->lives);
	l->failed |= acc->addresses.failed;
}

void page_account_finish(struct page_account *acc)
{
	page_lives_finish(&acc->lives);
	page_account_sum(acc);
}

void page_account_free(struct page_account *acc)
{
	page_lives_free(&acc->lives);
	KEYED_FREE(&acc->addresses.pfns);
	free(acc->rows);
}

// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * account: the sums of slab objects by who allocated.
 * In: slab events and losses in time order. Out: who allocated what, and what became of it.
 */
#include "account/slab_account.h"

#include <stdlib.h>

#include "base/array.h"

bool slab_account_sums_tasks(const struct slab_account *acc)
{
	const struct dimensions *all = &acc->lives.dimensions;

	return all->task_sums && dimensions_find(all, DIMENSION_PID) >= 0 &&
	       !all->sample.one_in && !acc->lives.filtered && !acc->by_ptr &&
	       !acc->lives.nr_observers;
}

/* Adds the account's own observer, with the first events. */
static void account_begin(struct slab_account *acc)
{
	acc->observing = true;
	if (acc->by_ptr &&
	    slab_lives_observe(&acc->lives, slab_addresses_lives, &acc->addresses))
		acc->failed = true;
	if (!acc->lives.spent && slab_account_sums_tasks(acc)) {
		spent_init(&acc->spent, sizeof(struct slab_tally) / sizeof(uint64_t));
		slab_lives_sum_tasks(&acc->lives, &acc->spent);
	}
}

void slab_account_listed(struct slab_account *acc, const struct event_lists *lists)
{
	if (unlikely(!acc->observing))
		account_begin(acc);
	if (likely(!acc->failed))
		slab_lives_listed(&acc->lives, lists);
}

void slab_account_events(struct slab_account *acc, const struct kmem_event *ev, size_t nr)
{
	if (unlikely(!acc->observing))
		account_begin(acc);
	if (likely(!acc->failed))
		slab_lives_events(&acc->lives, ev, nr);
}

/* Computes the totals from the rows and the fates. */
static void sum_totals(struct slab_account *acc)
{
	const struct slab_fates *fates = &acc->lives.fates;
	struct slab_totals *sum = &acc->totals;
	struct slab_counts all = { 0 };
	size_t i;

	for (i = 0; i < acc->nr_rows; i++)
		slab_counts_add(&all, &acc->rows[i], 1);
	*sum = (struct slab_totals){
		.allocs = all.hit,
		.bytes_req = all.bytes_req,
		.bytes_alloc = all.bytes_alloc,
		.failed = fates->failed,
		.implausible = fates->implausible,
		.frees = fates->frees,
		.matched = all.hit - all.implicit - all.live,
		.unmatched = fates->unmatched,
		.doubled = fates->doubled,
		.null = fates->null,
		.other = fates->other,
		.bytes_freed = all.bytes_alloc - all.implicit_alloc - all.live_alloc,
		.implicit = all.implicit,
		.bytes_implicit = all.implicit_alloc,
		.live = all.live,
		.live_req = all.live_req,
		.live_alloc = all.live_alloc,
		.pingpong = all.pingpong,
		.large = fates->large,
		.bytes_large = fates->bytes_large,
		.reordered = fates->reordered,
		.losses = fates->losses,
	};
	if (acc->lives.scope.part || acc->lives.filtered) {
		sum->other += sum->unmatched + sum->doubled;
		sum->unmatched = sum->doubled = 0;
	}
	if (acc->lives.filtered) {
		sum->other += sum->null;
		sum->null = 0;
	}
}

void slab_account_sum(struct slab_account *acc)
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
	for (i = 0; i < acc->nr_rows; i++)
		acc->rows[i] = slab_tally_counts(&acc->lives.tallies[i]);
	while ((e = slab_lives_next(&acc->lives, e))) {
		if (!slab_lives_sure(&acc->lives, e))
			continue;
		acc->rows[e->row].sure++;
		acc->rows[e->row].sure_alloc += e->bytes_alloc;
	}
	slab_addresses_sum(&acc->addresses, &acc->lives);
	sum_totals(acc);
}

void slab_account_finish(struct slab_account *acc)
{
	if (unlikely(!acc->observing))
		account_begin(acc);
	slab_lives_finish(&acc->lives);
	slab_account_sum(acc);
}

const struct slab_key *slab_account_key(const struct slab_account *acc, size_t row)
{
	return slab_lives_key(&acc->lives, row);
}

uint32_t slab_account_weight(const struct slab_account *acc, size_t row)
{
	return dimension_weight(&acc->lives.dimensions,
				&slab_account_key(acc, row)->dims);
}

void slab_account_free(struct slab_account *acc)
{
	slab_lives_free(&acc->lives);
	slab_addresses_free(&acc->addresses);
	spent_free(&acc->spent);
	free(acc->rows);
}

// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * account: the sums of slab objects by who allocated.
 * In: slab events and losses in time order. Out: who allocated what, and what became of it.
 */
#include "account/slab_account.h"

#include <stdlib.h>

#include "base/array.h"

int slab_account_by_address(struct slab_account *acc)
{
	if (acc->by_address)
		return 0;
	acc->by_address = true;
	return lives_observe(&acc->lives.any, slab_addresses_lives, &acc->addresses);
}

/* Computes the totals from the rows and what was counted. */
static void sum_totals(struct slab_account *acc)
{
	const struct lives *l = &acc->lives.any;
	struct slab_totals *sum = &acc->totals;
	struct slab_counts all = { 0 };
	size_t i;

	for (i = 0; i < acc->nr_rows; i++)
		slab_counts_add(&all, &acc->rows[i], 1);
	*sum = acc->lives.totals;
	sum->allocs = all.hit;
	sum->bytes_req = all.bytes_req;
	sum->bytes_alloc = all.bytes_alloc;
	sum->matched = all.hit - all.implicit - all.live;
	sum->bytes_freed = all.bytes_alloc - all.implicit_alloc - all.live_alloc;
	sum->implicit = all.implicit;
	sum->bytes_implicit = all.implicit_alloc;
	sum->live = all.live;
	sum->live_req = all.live_req;
	sum->live_alloc = all.live_alloc;
	sum->pingpong = all.pingpong;
	sum->losses = l->losses;
	if (l->scope.part || l->filtered) {
		sum->other += sum->unmatched + sum->doubled;
		sum->unmatched = sum->doubled = 0;
	}
	if (l->filtered) {
		sum->other += sum->null;
		sum->null = 0;
	}
}

void slab_account_sum(struct slab_account *acc)
{
	struct lives *l = &acc->lives.any;
	const struct live_entry *e = NULL;
	uint64_t dying = 0;
	size_t i;

	l->failed |= acc->addresses.failed;
	if (l->failed || array_reserve(&acc->rows, &acc->rows_capacity, l->nr_tallies,
				       sizeof(*acc->rows))) {
		l->failed = true;
		return;
	}
	acc->nr_rows = l->nr_tallies;
	for (i = 0; i < acc->nr_rows; i++)
		acc->rows[i] = slab_tally_counts(slab_lives_tally(&acc->lives, i));
	while (acc->lives.totals.rcu && (e = live_next(&l->live, (struct live_entry *)e)))
		dying += slab_is_dying(e);
	while ((e = lives_next(l, e))) {
		if (!lives_sure(l, e))
			continue;
		acc->rows[e->row].sure++;
		acc->rows[e->row].sure_alloc += e->bytes_alloc;
	}
	slab_addresses_sum(&acc->addresses, l);
	sum_totals(acc);
	acc->totals.dying = dying;
}

void slab_account_finish(struct slab_account *acc)
{
	slab_lives_finish(&acc->lives);
	slab_account_sum(acc);
}

void slab_account_free(struct slab_account *acc)
{
	slab_lives_free(&acc->lives);
	slab_addresses_free(&acc->addresses);
	free(acc->rows);
}

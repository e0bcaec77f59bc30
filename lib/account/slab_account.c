// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * account: the sums of slab objects by who allocated.
 * In: slab events and losses in time order. Out: who allocated what, and what became of it.
 */
#include "account/slab_account.h"

#include <stdlib.h>

#include "base/array.h"

/* The first events of rows that @life, @nr of them, begin: they come in the order of rows. */
static bool account_firsts(struct slab_account *acc, const struct slab_life *life,
			   size_t nr)
{
	size_t i;

	if (array_reserve(&acc->firsts, &acc->firsts_capacity,
			  slab_lives_rows(&acc->lives), sizeof(*acc->firsts)))
		return false;
	for (i = 0; i < nr; i++) {
		if (life[i].row == acc->nr_firsts)
			acc->firsts[acc->nr_firsts++] = event_place(life[i].event);
	}
	return true;
}

/* A tally for each row that there is by now, @nr lives later. False: no memory. */
static bool account_room(struct slab_account *acc, const struct slab_life *life,
			 size_t nr_lives)
{
	size_t nr = slab_lives_rows(&acc->lives);

	if (acc->in_part && !account_firsts(acc, life, nr_lives))
		return false;
	if (array_reserve(&acc->tallies, &acc->tallies_capacity, nr,
			  sizeof(*acc->tallies)))
		return false;
	while (acc->nr_tallies < nr)
		acc->tallies[acc->nr_tallies++] = (struct slab_tally){ 0 };
	return true;
}

static void account_large(struct slab_totals *sum, const struct slab_life *life)
{
	if (life->what != SLAB_BORN || !kmem_is_kmalloc(life->event->type))
		return;
	sum->large++;
	sum->bytes_large += life->bytes_alloc;
}

static void account_lives(void *ctx, const struct slab_life *life, size_t nr)
{
	struct slab_account *acc = ctx;
	const struct slab_life *end = life + nr;
	uint64_t large = acc->large_bytes;
	struct slab_tally *tallies;

	if (unlikely(acc->nr_tallies < slab_lives_rows(&acc->lives)) &&
	    !account_room(acc, life, nr)) {
		acc->failed = true;
		return;
	}
	tallies = acc->tallies;
	for (; life < end; life++) {
		slab_tally_add(&tallies[life->row], life);
		if (unlikely(life->bytes_alloc > large))
			account_large(&acc->totals, life);
	}
}

/* Its own observers come when the first events do. */
static void account_begin(struct slab_account *acc)
{
	acc->observing = true;
	if (slab_lives_observe(&acc->lives, account_lives, acc) ||
	    (acc->by_ptr &&
	     slab_lives_observe(&acc->lives, slab_addresses_lives, &acc->addresses)))
		acc->failed = true;
}

void slab_account_events(struct slab_account *acc, const struct kmem_event *ev, size_t nr)
{
	if (unlikely(!acc->observing))
		account_begin(acc);
	if (likely(!acc->failed))
		slab_lives_events(&acc->lives, ev, nr);
}

void slab_account_event(struct slab_account *acc, const struct kmem_event *ev)
{
	slab_account_events(acc, ev, 1);
}

void slab_account_totals(struct slab_account *acc)
{
	const struct slab_fates *fates = &acc->lives.fates;
	struct slab_totals *sum = &acc->totals;
	struct slab_counts all = { 0 };
	size_t i;

	for (i = 0; i < acc->nr_rows; i++)
		slab_counts_add(&all, &acc->rows[i]);
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
		.large = sum->large,
		.bytes_large = sum->bytes_large,
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
	if (acc->failed || array_reserve(&acc->rows, &acc->rows_capacity, acc->nr_tallies,
					 sizeof(*acc->rows))) {
		acc->failed = true;
		return;
	}
	acc->nr_rows = acc->nr_tallies;
	for (i = 0; i < acc->nr_rows; i++)
		acc->rows[i] = slab_tally_counts(&acc->tallies[i]);
	while ((e = slab_lives_next(&acc->lives, e))) {
		if (!slab_lives_sure(&acc->lives, e))
			continue;
		acc->rows[e->row].sure++;
		acc->rows[e->row].sure_alloc += e->bytes_alloc;
	}
	slab_addresses_sum(&acc->addresses, &acc->lives);
	slab_account_totals(acc);
}

void slab_account_finish(struct slab_account *acc)
{
	if (unlikely(!acc->observing))
		account_begin(acc);
	slab_lives_finish(&acc->lives);
	slab_account_sum(acc);
}

bool slab_account_living(const struct slab_account *acc, struct slab_living *at)
{
	const struct slab_account *part;

	for (; at->part < EVENT_PARTS; at->part++) {
		part = acc->parts[at->part];
		at->entry = slab_lives_next(part ? &part->lives : &acc->lives, at->entry);
		if (at->entry) {
			at->row = part ? acc->rows_of.of[at->part][at->entry->row]
				       : at->entry->row;
			return true;
		}
		if (!part)
			break;
	}
	return false;
}

const struct slab_key *slab_account_key(const struct slab_account *acc, size_t row)
{
	return slab_lives_key(&acc->lives, row);
}

void slab_account_free(struct slab_account *acc)
{
	slab_lives_free(&acc->lives);
	slab_addresses_free(&acc->addresses);
	row_union_free(&acc->rows_of);
	free(acc->firsts);
	free(acc->tallies);
	free(acc->rows);
	*acc = (struct slab_account){ 0 };
}

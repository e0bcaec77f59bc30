// SPDX-License-Identifier: GPL-2.0-or-later
#include "account/slab_account.h"

#include "base/array.h"

/* --- the sums of slab objects by address -------------------------------------------- */

/* The entry of address @ptr; NULL if memory ran out. */
static struct slab_ptr *address_of(struct slab_addresses *a, uint64_t ptr)
{
	uint32_t *index = u64_map_insert(&a->index, ptr, (uint32_t)a->nr);

	if (!index ||
	    array_reserve(&a->ptrs, &a->capacity, *index + 1UL, sizeof(*a->ptrs))) {
		a->failed = true;
		return NULL;
	}
	if (*index == a->nr)
		a->ptrs[a->nr++] = (struct slab_ptr){ .ptr = ptr };
	return &a->ptrs[*index];
}

static void end_life(struct slab_counts *c, const struct life *life)
{
	c->live--;
	c->live_req -= life->bytes_req;
	c->live_alloc -= life->bytes;
}

static void count_life(struct slab_counts *c, const struct life *life)
{
	switch (life->what) {
	case LIFE_BORN:
		c->hit++;
		c->bytes_req += life->bytes_req;
		c->bytes_alloc += life->bytes;
		c->live++;
		c->live_req += life->bytes_req;
		c->live_alloc += life->bytes;
		break;
	case LIFE_GONE:
		end_life(c, life);
		c->implicit++;
		c->implicit_alloc += life->bytes;
		break;
	case LIFE_FOUND: /* counted as gone before */
		c->implicit--;
		c->implicit_alloc -= life->bytes;
		break;
	default:
		end_life(c, life);
	}
	c->pingpong += life->flags & LIFE_OTHER_CPU;
}

/* An observer: @ctx is struct slab_addresses. */
static void slab_addresses_lives(void *ctx, const struct lives *of,
				 const struct life *life, size_t nr)
{
	struct slab_addresses *a = ctx;

	for (size_t i = 0; i < nr && !a->failed; i++) {
		struct slab_ptr *ptr = address_of(a, life[i].at);

		if (!ptr)
			return;
		count_life(&ptr->counts, &life[i]);
		if (life[i].what == LIFE_BORN)
			ptr->row = life[i].row;
	}
}

/* Sets .sure of the counts: objects that must still be live. */
static void slab_addresses_sum(struct slab_addresses *a, const struct lives *lives)
{
	const struct live_entry *e = NULL;

	for (size_t i = 0; i < a->nr; i++)
		a->ptrs[i].counts.sure = a->ptrs[i].counts.sure_alloc = 0;
	while (a->nr && (e = lives_next(lives, e))) {
		const uint32_t *index = u64_map_find(&a->index, e->key);

		if (!index || !lives_sure(lives, e))
			continue;
		a->ptrs[*index].counts.sure++;
		a->ptrs[*index].counts.sure_alloc += e->bytes_alloc;
	}
}

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

	for (size_t i = 0; i < acc->nr_rows; i++)
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

	l->failed |= acc->addresses.failed;
	if (l->failed || array_reserve(&acc->rows, &acc->rows_capacity, l->nr_tallies,
				       sizeof(*acc->rows))) {
		l->failed = true;
		return;
	}
	acc->nr_rows = l->nr_tallies;
	for (size_t i = 0; i < acc->nr_rows; i++)
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
	u64_map_free(&acc->addresses.index);
	free(acc->addresses.ptrs);
	free(acc->rows);
}

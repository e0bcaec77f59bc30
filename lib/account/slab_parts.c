// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * account: the sum of the parts' slab accounts.
 * In: finished slab accounts. Out: their sum.
 */
#include "account/slab_account.h"

#include <errno.h>
#include <stdlib.h>

#include "account/row_union.h"
#include "base/array.h"

static int join_keys(struct slab_account *to, struct slab_account *const *parts)
{
	unsigned int i;
	size_t row;
	int ret = 0;

	for (i = 0; i < EVENT_PARTS; i++) {
		for (row = 0; row < parts[i]->nr_rows && !ret; row++)
			ret = row_union_add(
				&to->rows_of, i, slab_account_key(parts[i], row),
				sizeof(struct slab_key), &parts[i]->lives.firsts[row]);
	}
	return ret ? ret : row_union_number(&to->rows_of, &to->lives.keys);
}

static int join_rows(struct slab_account *to, struct slab_account *const *parts)
{
	size_t nr = to->lives.keys.count, row;
	unsigned int i;

	if (array_reserve(&to->rows, &to->rows_capacity, nr, sizeof(*to->rows)))
		return -ENOMEM;
	for (row = 0; row < nr; row++)
		to->rows[row] = (struct slab_counts){ 0 };
	to->nr_rows = nr;
	for (i = 0; i < EVENT_PARTS; i++) {
		for (row = 0; row < parts[i]->nr_rows; row++)
			slab_counts_add(&to->rows[to->rows_of.of[i][row]],
					&parts[i]->rows[row], 1);
	}
	return 0;
}

static int join_free_only(struct slab_lives *to, struct slab_account *const *parts)
{
	struct row_union rows = { 0 };
	struct intern keys = { 0 };
	unsigned int i;
	size_t k;
	int ret = 0;

	for (i = 0; i < EVENT_PARTS; i++) {
		const struct slab_lives *l = &parts[i]->lives;

		for (k = 0; k < l->nr_free_only && !ret; k++)
			ret = row_union_add(&rows, i, &l->free_only[k].callsite,
					    sizeof(l->free_only[k].callsite),
					    &l->free_only[k].first);
	}
	if (!ret)
		ret = row_union_number(&rows, &keys);
	if (!ret)
		ret = array_reserve(&to->free_only, &to->free_only_capacity, keys.count,
				    sizeof(*to->free_only));
	for (k = 0; k < keys.count && !ret; k++)
		to->free_only[k] = (struct slab_free_only){ 0 };
	for (i = 0; i < EVENT_PARTS && !ret; i++) {
		const struct slab_lives *l = &parts[i]->lives;

		for (k = 0; k < l->nr_free_only; k++) {
			struct slab_free_only *sum = &to->free_only[rows.of[i][k]];

			sum->callsite = l->free_only[k].callsite;
			sum->unmatched += l->free_only[k].unmatched;
			sum->doubled += l->free_only[k].doubled;
		}
	}
	to->nr_free_only = ret ? 0 : keys.count;
	row_union_free(&rows);
	intern_free(&keys);
	return ret;
}

static int join_surplus(struct u64_map *to, const struct u64_map *from)
{
	size_t i;

	for (i = 0; i < from->capacity; i++) {
		const struct u64_map_slot *slot = &from->slots[i];
		uint32_t *nr;

		if (!slot->used)
			continue;
		nr = u64_map_insert(to, slot->key, 0);
		if (!nr)
			return -ENOMEM;
		*nr = slot->value < UINT32_MAX - *nr ? *nr + slot->value : UINT32_MAX;
	}
	return 0;
}

/* Every part has seen every loss. */
static void join_fates(struct slab_fates *to, const struct slab_fates *from)
{
	to->failed += from->failed;
	to->implausible += from->implausible;
	to->frees += from->frees;
	to->unmatched += from->unmatched;
	to->doubled += from->doubled;
	to->null += from->null;
	to->other += from->other;
	to->reordered += from->reordered;
	to->losses = from->losses;
	to->large += from->large;
	to->bytes_large += from->bytes_large;
}

static void join_edges(struct slab_edges *to, const struct slab_edges *from)
{
	size_t i;

	for (i = 0; i < from->nr; i++)
		slab_edges_add(to, &from->events[i]);
	to->incomplete |= from->incomplete;
}

int slab_account_join(struct slab_account *to, struct slab_account *const *parts)
{
	unsigned int i;
	int ret = 0;

	for (i = 0; i < EVENT_PARTS && !ret; i++) {
		to->parts[i] = parts[i];
		ret = parts[i]->failed ? -ENOMEM : 0;
	}
	if (!ret)
		ret = join_keys(to, parts);
	if (!ret)
		ret = join_rows(to, parts);
	if (!ret)
		to->lives.firsts = row_union_take_firsts(&to->rows_of);
	if (!ret)
		ret = join_free_only(&to->lives, parts);
	for (i = 0; i < EVENT_PARTS && !ret; i++) {
		join_fates(&to->lives.fates, &parts[i]->lives.fates);
		to->lives.open_gap |= parts[i]->lives.open_gap;
		if (to->lives.edges)
			join_edges(to->lives.edges, parts[i]->lives.edges);
		ret = join_surplus(&to->lives.surplus, &parts[i]->lives.surplus);
	}
	to->failed |= ret != 0;
	if (!ret)
		slab_account_totals(to);
	return ret;
}

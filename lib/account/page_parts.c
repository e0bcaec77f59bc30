// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * account: the sum of the parts' page accounts.
 * In: finished page accounts. Out: their sum.
 */
#include "account/page_account.h"

#include <errno.h>
#include <stdlib.h>

#include "account/row_union.h"
#include "base/array.h"
#include "event/parts.h"

static void counts_add(struct page_counts *to, const struct page_counts *from)
{
	to->hit += from->hit;
	to->failed += from->failed;
	to->live_pages += from->live_pages;
	to->live_hit += from->live_hit;
	to->implicit_pages += from->implicit_pages;
	to->sure_pages += from->sure_pages;
}

static int join_rows(struct page_account *to, struct page_account *const *parts)
{
	struct row_union rows = { 0 };
	unsigned int i;
	size_t row;
	int ret = 0;

	for (i = 0; i < EVENT_PARTS; i++) {
		for (row = 0; row < parts[i]->nr_rows && !ret; row++)
			ret = row_union_add(&rows, i, page_account_key(parts[i], row),
					    sizeof(struct page_key),
					    &parts[i]->lives.firsts[row]);
	}
	if (!ret)
		ret = row_union_number(&rows, &to->lives.keys);
	to->nr_rows = to->lives.keys.count;
	if (!ret)
		ret = array_reserve(&to->rows, &to->rows_capacity, to->nr_rows,
				    sizeof(*to->rows));
	for (row = 0; row < to->nr_rows && !ret; row++)
		to->rows[row] = (struct page_counts){ 0 };
	for (i = 0; i < EVENT_PARTS && !ret; i++) {
		for (row = 0; row < parts[i]->nr_rows; row++)
			counts_add(&to->rows[rows.of[i][row]], &parts[i]->rows[row]);
	}
	if (!ret)
		to->lives.firsts = row_union_take_firsts(&rows);
	row_union_free(&rows);
	return ret;
}

static int join_free_only(struct page_lives *to, struct page_account *const *parts)
{
	struct row_union rows = { 0 };
	struct intern keys = { 0 };
	unsigned int i;
	size_t k;
	int ret = 0;

	for (i = 0; i < EVENT_PARTS; i++) {
		const struct page_lives *l = &parts[i]->lives;

		for (k = 0; k < l->nr_free_only && !ret; k++)
			ret = row_union_add(&rows, i, &l->free_only[k].stack,
					    sizeof(l->free_only[k].stack),
					    &l->free_only[k].first);
	}
	if (!ret)
		ret = row_union_number(&rows, &keys);
	if (!ret)
		ret = array_reserve(&to->free_only, &to->free_only_capacity, keys.count,
				    sizeof(*to->free_only));
	for (k = 0; k < keys.count && !ret; k++)
		to->free_only[k] = (struct page_free_only){ 0 };
	for (i = 0; i < EVENT_PARTS && !ret; i++) {
		const struct page_lives *l = &parts[i]->lives;

		for (k = 0; k < l->nr_free_only; k++) {
			struct page_free_only *sum = &to->free_only[rows.of[i][k]];

			sum->stack = l->free_only[k].stack;
			sum->hit += l->free_only[k].hit;
			sum->pages += l->free_only[k].pages;
		}
	}
	to->nr_free_only = ret ? 0 : keys.count;
	row_union_free(&rows);
	intern_free(&keys);
	return ret;
}

/* Losses are not added: every part has seen all of them. */
static void join_totals(struct page_totals *to, const struct page_totals *from)
{
	to->requests += from->requests;
	to->failures += from->failures;
	to->pages += from->pages;
	to->failed_pages += from->failed_pages;
	to->frees += from->frees;
	to->batched += from->batched;
	to->matched += from->matched;
	to->split += from->split;
	to->merged += from->merged;
	to->again += from->again;
	to->unmatched += from->unmatched;
	to->other += from->other;
	to->other_pages += from->other_pages;
	to->reordered += from->reordered;
	to->freed_pages += from->freed_pages;
	to->again_pages += from->again_pages;
	to->unmatched_pages += from->unmatched_pages;
	to->implicit_pages += from->implicit_pages;
	to->batched_pages += from->batched_pages;
	to->live_pages += from->live_pages;
	to->alloc_freed += from->alloc_freed;
	to->implicit_blocks += from->implicit_blocks;
	to->live_blocks += from->live_blocks;
	to->implausible += from->implausible;
	to->without_stack += from->without_stack;
	to->losses = from->losses;
}

int page_account_join(struct page_account *to, struct page_account *const *parts)
{
	unsigned int i;
	int ret = 0;

	to->totals = (struct page_totals){ 0 };
	for (i = 0; i < EVENT_PARTS && !ret; i++) {
		ret = parts[i]->failed ? -ENOMEM : 0;
		to->lives.open_gap |= parts[i]->lives.open_gap;
		join_totals(&to->totals, &parts[i]->totals);
	}
	if (!ret)
		ret = join_rows(to, parts);
	if (!ret)
		ret = join_free_only(&to->lives, parts);
	to->failed |= ret != 0;
	return ret;
}

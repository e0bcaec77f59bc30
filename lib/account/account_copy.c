// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * account: a copy of the running accounts.
 * In: a running account, between two batches. Out: a copy that can be finished.
 */
#include <errno.h>

#include "account/page_account.h"
#include "account/page_block.h"
#include "account/slab_account.h"
#include "base/array.h"

/* Nobody observes the copy yet, and its batch is empty. */
static void slab_lives_own(struct slab_lives *l, bool *failed)
{
	intern_own(&l->keys, failed);
	array_own(&l->tallies, l->tallies_capacity, sizeof(*l->tallies), failed);
	array_own(&l->firsts, l->firsts_capacity, sizeof(*l->firsts), failed);
	live_own(&l->live, failed);
	addr_set_own(&l->freed, failed);
	u64_map_own(&l->free_only_index, failed);
	array_own(&l->free_only, l->free_only_capacity, sizeof(*l->free_only), failed);
	u64_map_own(&l->early_free_only, failed);
	u64_map_own(&l->surplus, failed);
	intern_own(&l->hidden_keys, failed);
	u64_map_own(&l->hidden_gone, failed);
	l->observers = NULL;
	l->nr_observers = l->observers_capacity = 0;
	l->next = l->batch;
}

int slab_account_copy(struct slab_account *to, const struct slab_account *from)
{
	struct slab_addresses *a = &to->addresses;
	bool failed = false;

	*to = *from;
	to->observing = false;
	slab_lives_own(&to->lives, &failed);
	if (to->lives.spent)
		to->lives.spent = &to->spent;
	if (to->lives.spent)
		spent_own(&to->spent, &failed);
	array_own(&to->rows, to->rows_capacity, sizeof(*to->rows), &failed);
	u64_map_own(&a->index, &failed);
	array_own(&a->ptrs, a->capacity, sizeof(*a->ptrs), &failed);
	return failed ? -ENOMEM : 0;
}

static void page_lives_own(struct page_lives *l, bool *failed)
{
	intern_own(&l->keys, failed);
	array_own(&l->tallies, l->tallies_capacity, sizeof(*l->tallies), failed);
	array_own(&l->firsts, l->firsts_capacity, sizeof(*l->firsts), failed);
	live_own(&l->blocks, failed);
	array_own(&l->splits, l->splits_capacity, sizeof(*l->splits), failed);
	page_frames_own(&l->frames, failed);
	u64_map_own(&l->free_only_index, failed);
	array_own(&l->free_only, l->free_only_capacity, sizeof(*l->free_only), failed);
	page_doubts_own(&l->doubts, failed);
	intern_own(&l->hidden_keys, failed);
	u64_map_own(&l->hidden_gone, failed);
	l->observers = NULL;
	l->nr_observers = l->observers_capacity = 0;
	l->next = l->batch;
}

int page_account_copy(struct page_account *to, const struct page_account *from)
{
	struct page_addresses *a = &to->addresses;
	bool failed = false;

	*to = *from;
	to->observing = false;
	page_lives_own(&to->lives, &failed);
	if (to->lives.spent)
		to->lives.spent = &to->spent;
	if (to->lives.spent)
		spent_own(&to->spent, &failed);
	array_own(&to->rows, to->rows_capacity, sizeof(*to->rows), &failed);
	intern_own(&a->keys, &failed);
	array_own(&a->pfns, a->capacity, sizeof(*a->pfns), &failed);
	return failed ? -ENOMEM : 0;
}

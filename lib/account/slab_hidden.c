// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * account (internal): slab objects whose allocation the user's filter hides.
 * In: a batch of lives. Out: the same without theirs, and fates without their frees.
 */
#include "account/slab_hidden.h"

/* Counts a hidden object that ended without an event, or takes the count back. */
static void slab_count_gone(struct slab_lives *l, const struct slab_life *life)
{
	uint32_t *nr = u64_map_insert(&l->hidden_gone, life->row, 0);

	if (!nr)
		l->failed = true;
	else if (life->what == SLAB_GONE)
		++*nr;
	else if (*nr)
		--*nr;
}

void slab_hidden_drop(struct slab_lives *l)
{
	const struct slab_life *from = l->batch, *end = l->next;

	l->next = l->batch;
	for (; from < end; from++) {
		if (!(from->row & LIVE_HIDDEN)) {
			*l->next++ = *from;
			continue;
		}
		if (from->what == SLAB_FREED || from->what == SLAB_FOUND)
			l->fates.frees--;
		if (from->flags & SLAB_REORDERED)
			l->fates.reordered--;
		if (from->what == SLAB_GONE || from->what == SLAB_FOUND)
			slab_count_gone(l, from);
	}
}

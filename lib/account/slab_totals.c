// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * account: sums over the rows of the slab account.
 * In: the rows' counts. Out: the totals.
 */
#include "account/slab_account.h"

void slab_counts_add(struct slab_counts *to, const struct slab_counts *from)
{
	to->hit += from->hit;
	to->bytes_req += from->bytes_req;
	to->bytes_alloc += from->bytes_alloc;
	to->live += from->live;
	to->live_req += from->live_req;
	to->live_alloc += from->live_alloc;
	to->implicit += from->implicit;
	to->implicit_alloc += from->implicit_alloc;
	to->pingpong += from->pingpong;
	to->sure += from->sure;
	to->sure_alloc += from->sure_alloc;
}

void slab_totals_of_rows(struct slab_account *acc)
{
	struct slab_totals *sum = &acc->totals;
	size_t i;

	for (i = 0; i < acc->nr_rows; i++) {
		const struct slab_counts *row = &acc->rows[i];

		sum->allocs += row->hit;
		sum->bytes_req += row->bytes_req;
		sum->bytes_alloc += row->bytes_alloc;
		sum->implicit += row->implicit;
		sum->bytes_implicit += row->implicit_alloc;
		sum->pingpong += row->pingpong;
		sum->live_req += row->live_req;
		sum->live_alloc += row->live_alloc;
	}
	if (acc->scope.part) {
		sum->other += sum->unmatched + sum->doubled;
		sum->unmatched = sum->doubled = 0;
	}
	sum->bytes_freed = sum->bytes_alloc - sum->bytes_implicit - sum->live_alloc;
}

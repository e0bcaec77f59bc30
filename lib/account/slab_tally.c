// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * account: lives of slab objects, added up under one heading.
 * In: tallies. Out: counts.
 */
#include "account/slab_tally.h"

struct slab_counts slab_tally_counts(const struct slab_tally *tally)
{
	struct slab_counts c = {
		.hit = tally->of[SLAB_BORN].nr,
		.bytes_req = tally->of[SLAB_BORN].bytes_req,
		.bytes_alloc = tally->of[SLAB_BORN].bytes_alloc,
		.implicit = tally->of[SLAB_GONE].nr - tally->of[SLAB_FOUND].nr,
		.implicit_alloc = tally->of[SLAB_GONE].bytes_alloc -
				  tally->of[SLAB_FOUND].bytes_alloc,
		.pingpong =
			tally->of[SLAB_FREED].other_cpu + tally->of[SLAB_FOUND].other_cpu,
	};

	/* What was found is counted as gone, too. */
	c.live = c.hit - tally->of[SLAB_FREED].nr - tally->of[SLAB_GONE].nr;
	c.live_req = c.bytes_req - tally->of[SLAB_FREED].bytes_req -
		     tally->of[SLAB_GONE].bytes_req;
	c.live_alloc = c.bytes_alloc - tally->of[SLAB_FREED].bytes_alloc -
		       tally->of[SLAB_GONE].bytes_alloc;
	return c;
}

void slab_counts_add(struct slab_counts *to, const struct slab_counts *from,
		     uint64_t times)
{
	to->hit += from->hit * times;
	to->bytes_req += from->bytes_req * times;
	to->bytes_alloc += from->bytes_alloc * times;
	to->live += from->live * times;
	to->live_req += from->live_req * times;
	to->live_alloc += from->live_alloc * times;
	to->implicit += from->implicit * times;
	to->implicit_alloc += from->implicit_alloc * times;
	to->pingpong += from->pingpong * times;
	to->sure += from->sure * times;
	to->sure_alloc += from->sure_alloc * times;
}

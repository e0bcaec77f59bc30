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

	/* What was found was gone already. */
	c.live = c.hit - tally->of[SLAB_FREED].nr - tally->of[SLAB_GONE].nr;
	c.live_req = c.bytes_req - tally->of[SLAB_FREED].bytes_req -
		     tally->of[SLAB_GONE].bytes_req;
	c.live_alloc = c.bytes_alloc - tally->of[SLAB_FREED].bytes_alloc -
		       tally->of[SLAB_GONE].bytes_alloc;
	return c;
}

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

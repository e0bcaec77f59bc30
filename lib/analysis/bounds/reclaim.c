// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * analysis: which slab caches the kernel counts as reclaimable.
 * In: a recording's slab_reclaim item. Out: yes, no or unknown, by the cache's name.
 */
#include "analysis/bounds/reclaim.h"

#include <errno.h>
#include <string.h>

#include "account/snapshot.h"

int reclaim_caches_init(struct reclaim_caches *r, const struct recording *rec)
{
	const char *text = recording_meta_text(rec, RECORDING_META_SLAB_RECLAIM);
	struct slab_reclaim_line line;

	while (slab_reclaim_next(&text, &line)) {
		struct intern *names =
			&r->by[line.reclaimable ? RECLAIM_YES : RECLAIM_NO];

		if (!intern_id(names, line.name, line.name_len))
			return -ENOMEM;
	}
	return 0;
}

enum reclaim reclaim_cache(const struct reclaim_caches *r, const char *cache)
{
	if (!cache)
		return RECLAIM_UNKNOWN;
	if (intern_find(&r->by[RECLAIM_NO], cache, strlen(cache)))
		return RECLAIM_NO;
	return intern_find(&r->by[RECLAIM_YES], cache, strlen(cache)) ? RECLAIM_YES
								      : RECLAIM_UNKNOWN;
}

void reclaim_caches_free(struct reclaim_caches *r)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(r->by); i++)
		intern_free(&r->by[i]);
}

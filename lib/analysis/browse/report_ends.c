// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * analysis: bounds of live memory at the end.
 * In: finished accounts. Out: ranges for rows of a page, for its callsites and its caches.
 *
 * Ranges of slab objects do not add up: the kernel's count of a cache bounds all of its callsites
 * together. So each way to add up rows is computed separately.
 */
#include "analysis/browse/report_ends.h"

#include <errno.h>

#include "analysis/bounds/slab_bounds.h"
#include "analysis/stat/page_report.h"

int report_ends_slab(const struct analysis_env *env, const struct peak *peak,
		     const struct report_end_group *group, struct net_range *ranges)
{
	struct slab_bounds bounds = { 0 };
	int ret = slab_bounds_make(&bounds, peak->slab, env);

	if (!ret)
		ret = slab_bounds_sums(&bounds, group->of, ranges, group->nr);
	slab_bounds_free(&bounds);
	return ret;
}

int report_ends_pages(const struct analysis_env *env, const struct peak *peak,
		      uint64_t *callsites, const struct report_end_group *group,
		      struct net_range *ranges)
{
	struct page_report page = { .env = env,
				    .acc = peak->page,
				    .callsites = callsites };
	int ret;
	size_t i;

	sites_init(&page.sites, env);
	ret = page_report_bounds(&page);
	for (i = 0; i < page.acc->nr_rows && !ret; i++) {
		const struct page_counts *c = &page.acc->rows[i];
		struct net_range r =
			page_report_net(&page, (uint32_t)i, c->live_pages, c->sure_pages);

		if (group->of[i] < group->nr)
			net_range_add(&ranges[group->of[i]], &r, 1);
	}
	bounds_free(&page.bounds);
	sites_free(&page.sites);
	return ret;
}

// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * analysis: shared code of analyses of slab accounts.
 * In: slab events. Out: an account, and its tables.
 */
#include <errno.h>
#include <stdlib.h>

#include "analysis/stat/slab_report.h"

/* Rows by control group say what is charged to it. */
static void add_charged(struct dimensions *all)
{
	int room = dimensions_find(all, DIMENSION_NONE);

	if (room >= 0)
		all->of[room] = DIMENSION_CHARGED;
}

int slab_analysis_new(const struct analysis_env *env, const struct analysis_options *opts,
		      enum memory memory, bool task_sums, void **self)
{
	struct slab_analysis *slab = calloc(1, sizeof(*slab));
	struct dimensions dimensions;
	int ret;

	*self = slab;
	if (!slab)
		return -ENOMEM;
	slab->env = env;
	slab->opts = opts;
	dimensions = memory == MEMORY_SLAB
			     ? subjects_slab_dimensions(opts, env)
			     : subjects_page_dimensions(analysis_subject(opts));
	if (memory == MEMORY_SLAB && subject_rows(opts->by) & ROWS(CGROUP))
		add_charged(&dimensions);
	dimensions.task_sums = task_sums;
	ret = memory == MEMORY_SLAB
		      ? accounts_slab(env->accounts, &dimensions, &slab->acc)
		      : accounts_areas(env->accounts, memory, &dimensions, &slab->acc);
	if (!ret && opts->by_address)
		ret = slab_account_by_address(slab->acc);
	return ret;
}

int slab_analysis_create(const struct analysis_env *env,
			 const struct analysis_options *opts, void **self)
{
	return slab_analysis_new(env, opts, MEMORY_SLAB, false, self);
}

const struct slab_words *slab_report_words(const struct slab_report *slab)
{
	static const struct slab_words words[MEMORY_KINDS] = {
		[MEMORY_SLAB] = { "Slab allocations", "Live slab objects", "slab",
				  "SUMMARY (SLAB allocator)" },
		[MEMORY_VMALLOC] = { "Areas of vmalloc", "Live areas of vmalloc",
				     "vmalloc", "SUMMARY (vmalloc)" },
		[MEMORY_PERCPU] = { "Per-CPU memory", "Live per-CPU memory", "per-CPU",
				    "SUMMARY (per-CPU memory)" },
	};

	return &words[slab_report_memory(slab)];
}

/* In a sample: estimates the bytes of all rows together. */
static int estimate_all(struct slab_report *r)
{
	uint32_t *group_of = calloc(r->acc->nr_rows + 1, sizeof(*group_of));
	int ret = group_of ? 0 : -ENOMEM;

	if (!ret)
		ret = slab_report_estimate(r, ESTIMATE_SHARED, group_of, &r->allocated,
					   1);
	if (!ret)
		ret = slab_report_estimate(r, ESTIMATE_LIVING, group_of, &r->living, 1);
	r->net.sampled = true;
	r->net.high = r->living.high;
	free(group_of);
	return ret;
}

int slab_analysis_view(const void *self, struct report *report,
		       int (*show)(struct slab_report *slab, struct report *report))
{
	const struct slab_analysis *slab = self;
	struct slab_report r = { .env = slab->env, .opts = slab->opts, .acc = slab->acc };
	int ret = slab->acc->lives.any.failed ? -ENOMEM : 0;

	sites_init(&r.sites, slab->env);
	if (!ret)
		ret = slab_bounds_make(&r.bounds, slab->acc, slab->env);
	if (!ret)
		ret = slab_bounds_total(&r.bounds, &r.net);
	if (!ret && slab_report_estimates(&r))
		ret = estimate_all(&r);
	if (!ret)
		ret = show(&r, report);
	slab_bounds_free(&r.bounds);
	sites_free(&r.sites);
	return ret;
}

// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * analysis: advice: what could be allocated better.
 * In: events, lives of slab objects. Out: table "advice"; each kind of finding has its own file.
 * Documentation/advice.md says how each number is computed.
 */
#include "analysis/advise/advise.h"

#include "analysis/filter/alloc_filter.h"
#include "analysis/row/subject.h"

/* In the order of the manual. */
static const struct finding_kind *const finding_kinds[] = {
	&finding_own_cache,  &finding_shrink,	 &finding_whole_pages, &finding_atomic,
	&finding_high_order, &finding_ping_pong, &finding_unbatched,   NULL,
};

static void add_summary(const struct advise_view *v)
{
	const struct advise *a = v->a;
	uint64_t hit = 0;

	for (size_t i = 0; i < a->gfp.counts.nr; i++)
		hit += a->gfp.counts.of[i].nr;
	const struct summary_line lines[] = {
		{ "findings", "Findings", UNIT_COUNT, v->nr_findings, SUMMARY_TOTAL },
		{ "allocs", "Allocations looked at", UNIT_COUNT, hit, SUMMARY_TOTAL },
	};

	table_set_summary_title(v->t, "SUMMARY (advice)");
	table_add_summary_lines(v->t, lines, ARRAY_SIZE(lines), a->losses != 0);
}

/* The whole table. 0 or -ENOMEM. */
static int show(const struct advise *a, struct report *report)
{
	struct advise_view v = { .a = a, .t = table_plain(report, &advice_type) };
	const struct finding_kind *const *kind;
	int ret = 0;

	if (sample_of(&v.sample, a->env->rec))
		v.sample = (struct sample){ 0 }; /* the report says that it is unknown */
	for (kind = finding_kinds; *kind && !ret; kind++)
		ret = (*kind)->find(*kind, &v);
	if (ret)
		return ret;
	if (!v.nr_findings)
		table_add_note(v.t, "Nothing was found that could be better.");
	add_summary(&v);
	return 0;
}

static void lived(void *ctx, const struct lives *of, const struct life *life, size_t nr)
{
	struct advise *a = ctx;

	size_peaks_take(&a->sizes, life, nr);
	far_frees_take(&a->far, life, nr);
}

static void advise_observe(void *self, const struct kmem_event *evs, size_t nr)
{
	struct advise *a = self;

	gfp_uses_take(&a->gfp, evs, nr);
	/* A filter selects allocations; the allocation behind a page free is not known here. */
	if (!a->env->filter)
		single_frees_take(&a->single, evs, nr);
	for (size_t i = 0; i < nr; i++)
		a->losses += evs[i].type == KMEM_LOSS;
}

static void advise_destroy(void *self)
{
	struct advise *a = self;

	gfp_uses_free(&a->gfp);
	far_frees_free(&a->far);
	single_frees_free(&a->single);
	size_peaks_free(&a->sizes);
}

static int advise_create(void *self, const struct analysis_env *env,
			 const struct analysis_options *opts)
{
	struct advise *a = self;
	int ret;
	struct dimensions slab = subjects_slab_dimensions(opts, env);

	ret = accounts_slab(env->accounts, &slab, &a->slab);
	ret = ret ?: lives_observe(&a->slab->lives.any, lived, a);
	if (ret)
		return ret;
	size_peaks_init(&a->sizes, env, &a->slab->lives);
	gfp_uses_init(&a->gfp, env, &a->sizes.sites);
	far_frees_init(&a->far, env, &a->slab->lives, &a->sizes.sites);
	single_frees_init(&a->single, env, &a->sizes.sites);
	return 0;
}

static void advise_end(void *self)
{
	struct advise *a = self;

	single_frees_end(&a->single);
	if (!a->slab->lives.any.failed && size_peaks_estimate(&a->sizes, a->slab))
		a->failed = true;
}

static int advise_view(const void *self, struct report *report)
{
	const struct advise *a = self;
	const struct alloc_filter *filter = a->env->filter;

	if (a->failed || a->gfp.failed || a->far.failed || a->single.failed ||
	    a->sizes.failed || a->slab->lives.any.failed)
		return -ENOMEM;
	if (!(analysis_seen(a->env) & (NEEDS_SLAB | NEEDS_PAGE)) ||
	    (filter && !filter->nr[MEMORY_SLAB] && !filter->nr[MEMORY_PAGE]))
		return 0;
	return show(a, report);
}

const struct analysis analysis_advise = {
	.name = "advise",
	.help = "what could be allocated better",
	.use = ANALYSIS_COMMAND,
	.needs = NEEDS_SLAB | NEEDS_PAGE,
	.all_frees = true,
	.tables = TABLES(&advice_type),
	ANALYSIS_SELF_OPTIONS(struct advise),
	.create = advise_create,
	.observe = advise_observe,
	.joins = NEEDS_SLAB,
	.end = advise_end,
	.view = advise_view,
	.destroy = advise_destroy,
};

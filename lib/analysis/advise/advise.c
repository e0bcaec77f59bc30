// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * analysis: advice: what could be allocated better.
 * In: events, lives of slab objects. Out: table "advice"; other files have its rows, and the
 * findings about sizes, flags and pages. Documentation/advice.md says how each number is computed.
 */
#include "analysis/advise/advise.h"

#include "analysis/filter/alloc_filter.h"
#include "analysis/row/subject.h"

/* --- objects freed on a different CPU than the one that allocated them -------------- */

/* The number of the pair of row @row's callsite and @callsite, which freed; 0: no memory. */
static uint32_t find_pair(struct advise *a, uint32_t row, uint64_t callsite)
{
	const struct slab_lives *lives = a->slab;
	uint64_t by = sites_beyond(a->env, slab_lives_key(lives, row)->callsite,
				   lives_stack(&lives->any, row));
	struct far_frees_key key = { .by = sites_group(&a->sites, by) };

	key.freed_by = sites_group(&a->sites, callsite);
	if (key.by == UINT32_MAX || key.freed_by == UINT32_MAX)
		return 0;
	return KEYED_ID(&a->far.pairs, &key);
}

static void take_one(struct advise *a, const struct life *life)
{
	struct far_frees_pair *pair;
	uint64_t callsite;
	uint32_t *id;

	if (life->what != LIFE_FREED || !life->event ||
	    !kmem_ends_objects(life->event->type))
		return;
	callsite = life->event->slab_free.callsite;
	id = recent_key(&a->far.recent, callsite, life->row, 0);
	if (unlikely(!*id))
		*id = find_pair(a, life->row, callsite);
	if (unlikely(!*id)) {
		a->failed = true;
		return;
	}
	pair = &a->far.pairs.of[*id - 1];
	pair->nr++;
	pair->far += (life->flags & LIFE_OTHER_CPU) != 0;
}

/* Takes lives; ignores those that no event ended. */
static void far_frees_take(struct advise *a, const struct life *life, size_t nr)
{
	const struct life *end = life + nr;

	for (; life < end; life++)
		take_one(a, life);
}

/* Fewer can be chance: of 16 objects, with two CPUs, that is 1 in 65536. */
#define FAR_FREES_LEAST 16
/* At least this percentage: the freeing task may run on any CPU at times. */
#define FAR_FREES_SHARE 95

/* Sums for one allocating callsite. @most: the most that one callsite, @freed_by, freed. */
struct far_sum {
	uint64_t nr, far, most;
	uint32_t freed_by, nr_freeing;
};

static int add_ping_pong(struct advise_view *v, const struct far_sum *sum, uint32_t site)
{
	struct finding f = { .site = site,
			     .hit = sum->far,
			     .freed_by = sum->freed_by + 1 };
	const struct sites *sites = &v->a->sites;

	if (sum->far == sum->nr)
		strbuf_printf(&f.evidence, "all %" PRIu64, sum->nr);
	else
		strbuf_printf(&f.evidence, "%" PRIu64 " of %" PRIu64, sum->far, sum->nr);
	strbuf_printf(&f.evidence,
		      " objects whose free was seen were freed on another CPU, %" PRIu64
		      " of them by ",
		      sum->most);
	sites_name(sites, sum->freed_by, &f.evidence);
	if (sum->nr_freeing > 1)
		strbuf_printf(&f.evidence, ", the others by %" PRIu32 " more callsite%s",
			      sum->nr_freeing - 1, sum->nr_freeing == 2 ? "" : "s");
	strbuf_puts(
		&f.doubt,
		"whether that can be helped, and what it costs, is not in the events");
	if (v->a->losses)
		strbuf_puts(&f.doubt, "; events were lost");
	return advise_add(v, &f);
}

static int find_ping_pong(struct advise_view *v)
{
	const struct far_frees *far = &v->a->far;
	size_t nr_sites = v->a->sites.nr_groups, i;
	struct far_sum *sums __auto_mem = calloc(nr_sites + 1, sizeof(*sums));
	int ret = sums ? 0 : -ENOMEM;

	for (i = 0; i < far->pairs.nr && !ret; i++) {
		const struct far_frees_key *key = KEYED_KEY(&far->pairs, i);
		struct far_sum *sum = &sums[key->by];

		sum->nr += far->pairs.of[i].nr;
		sum->far += far->pairs.of[i].far;
		sum->nr_freeing++;
		if (far->pairs.of[i].far > sum->most) {
			sum->most = far->pairs.of[i].far;
			sum->freed_by = key->freed_by;
		}
	}
	for (i = 0; i < nr_sites && !ret; i++) {
		if (sums[i].nr >= FAR_FREES_LEAST &&
		    sums[i].far * 100 >= sums[i].nr * FAR_FREES_SHARE)
			ret = add_ping_pong(v, &sums[i], (uint32_t)i);
	}
	return ret;
}

/* --- all of it -------------------------------------------------------------------------- */

/* In the order of the manual. */
static const struct finding_kind kinds[] = {
	/* Objects of one size that their own kmem_cache would pack more densely than kmalloc. */
	{ "own-cache", "stat --sizes", advise_own_cache },
	/* Objects at most 1/8 larger than a power of two: a few bytes less, and they fit the next
	 * smaller kmalloc class.
	 */
	{ "shrink", "stat --sizes", advise_shrink },
	/* Objects too large for the slab allocator: kmalloc rounds them up to a power of two of
	 * pages.
	 */
	{ "whole-pages", "stat --sizes", advise_whole_pages },
	/* A callsite that allocates with GFP_ATOMIC in tasks, and with GFP_KERNEL too. */
	{ "atomic", "stat --gfp GFP_ATOMIC", advise_atomic },
	/* Pages of an order over 3 whose flags do not say whether to retry. */
	{ "high-order", "stat --page --order 4-30", advise_high_order },
	/* Objects that are nearly always freed on another CPU than the one that allocated them. */
	{ "ping-pong", "stat --slab -s pingpong", find_ping_pong },
	/* Single pages freed in long runs, but not in batches. */
	{ "unbatched", "script --callchain -e 'mm_page_free*'", advise_unbatched },
};

static void add_summary(const struct advise_view *v)
{
	const struct advise *a = v->a;
	uint64_t hit = 0;

	for (size_t i = 0; i < a->gfp.counts.nr; i++)
		hit += a->gfp.counts.of[i].nr;
	table_set_summary_title(v->t, "SUMMARY (advice)");
	TABLE_SUMMARY(
		v->t, a->losses != 0,
		{ "findings", "Findings", UNIT_COUNT, v->nr_findings, SUMMARY_TOTAL },
		{ "allocs", "Allocations looked at", UNIT_COUNT, hit, SUMMARY_TOTAL });
}

/* The whole table. 0 or -ENOMEM. */
static int show(const struct advise *a, struct report *report)
{
	struct advise_view v = { .a = a, .t = table_plain(report, &advice_type) };
	int ret = 0;

	if (sample_of(&v.sample, a->env->rec))
		v.sample = (struct sample){ 0 }; /* the report says that it is unknown */
	for (v.kind = kinds; v.kind < kinds + ARRAY_SIZE(kinds) && !ret; v.kind++)
		ret = v.kind->find(&v);
	if (ret)
		return ret;
	table_note_if(v.t, !v.nr_findings, "Nothing was found that could be better.");
	table_note_if(
		v.t, a->env->no_irq_info,
		"GFP_ATOMIC in tasks was not looked for: what was in an interrupt is not known, as the imported text has no such column (option irq-info).");
	add_summary(&v);
	return 0;
}

static void lived(void *ctx, const struct lives *of, const struct life *life, size_t nr)
{
	struct advise *a = ctx;

	size_peaks_take(a, life, nr);
	far_frees_take(a, life, nr);
}

static void advise_observe(void *self, const struct kmem_event *evs, size_t nr)
{
	struct advise *a = self;

	gfp_uses_take(a, evs, nr);
	/* A filter selects allocations; the allocation behind a page free is not known here. */
	if (!a->env->filter)
		single_frees_take(a, evs, nr);
	for (size_t i = 0; i < nr; i++)
		a->losses += evs[i].type == KMEM_LOSS;
}

static void advise_destroy(void *self)
{
	struct advise *a = self;

	KEYED_FREE(&a->gfp.counts);
	KEYED_FREE(&a->far.pairs);
	single_frees_free(&a->single);
	size_peaks_free(&a->sizes);
	sites_free(&a->sites);
}

static int advise_create(void *self, const struct analysis_env *env,
			 const struct analysis_options *opts)
{
	struct advise *a = self;
	int ret;
	struct dimensions slab = subjects_slab_dimensions(opts, env);

	ret = accounts_of_memory(env->accounts, MEMORY_SLAB, &slab, &a->slab);
	ret = ret ?: lives_observe(&a->slab->any, lived, a);
	if (ret)
		return ret;
	sites_init(&a->sites, env);
	single_frees_init(a);
	return 0;
}

static void advise_end(void *self)
{
	struct advise *a = self;

	single_frees_end(a);
	if (!a->slab->any.failed && size_peaks_estimate(a))
		a->failed = true;
}

static int advise_view(const void *self, struct report *report)
{
	const struct advise *a = self;
	const struct alloc_filter *filter = a->env->filter;

	if (a->failed || a->slab->any.failed)
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

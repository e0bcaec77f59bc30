// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * analysis: advice about flags: GFP_ATOMIC where GFP_KERNEL would do, and high orders without a
 * retry flag.
 * In: allocations by callsite, order and flags. Out: findings.
 */

#include "analysis/advise/advise.h"
#include "analysis/advise/gfp_uses.h"

/* Sums for one callsite. */
struct site_sum {
	uint64_t nr, other; /* allocations of the finding, and others */
	uint64_t in_task, failed;
	uint32_t least, most; /* orders */
};

/* Sums by callsite: first those of slab objects, then those of pages. */
struct site_sums {
	struct site_sum *sums;
	size_t nr_sites;
};

static int sums_new(struct site_sums *s, const struct advise *a)
{
	s->nr_sites = a->sizes.sites.nr_groups;
	s->sums = calloc(2 * s->nr_sites + 1, sizeof(*s->sums));
	return s->sums ? 0 : -ENOMEM;
}

static struct site_sum *sum_of(const struct site_sums *s, const struct gfp_use_key *key)
{
	return &s->sums[key->site + (key->order == GFP_USE_SLAB ? 0 : s->nr_sites)];
}

static int add_finding(struct advise_view *v, const struct site_sums *s, size_t i,
		       struct finding *f)
{
	f->site = (uint32_t)(i % s->nr_sites);
	if (v->a->losses)
		strbuf_puts(&f->doubt, "; events were lost");
	return advise_add(v, f);
}

/* --- GFP_ATOMIC where GFP_KERNEL would do ----------------------------------------------- */

static int add_atomic(const struct finding_kind *kind, struct advise_view *v,
		      const struct site_sums *s, size_t i)
{
	const struct site_sum *sum = &s->sums[i];
	struct finding f = { .kind = kind, .hit = sum->in_task };

	if (!sum->in_task || !sum->other)
		return 0;
	strbuf_printf(
		&f.evidence,
		"%" PRIu64 " of %" PRIu64
		" GFP_ATOMIC allocations of %s there come from tasks with interrupts on; GFP_KERNEL allocations there: %" PRIu64,
		sum->in_task, sum->nr, i < s->nr_sites ? "slab objects" : "pages",
		sum->other);
	strbuf_puts(
		&f.doubt,
		"whether a spinlock or the RCU read lock is held is not in the events; the flags may be a caller's");
	return add_finding(v, s, i, &f);
}

static int find_atomic(const struct finding_kind *kind, struct advise_view *v)
{
	const struct gfp_uses *u = &v->a->gfp;
	const struct gfp_masks m = gfp_masks_of(event_formats_gfp(v->a->env->fmts));
	struct site_sums s;
	int ret = sums_new(&s, v->a);

	for (size_t i = 0; i < u->counts.nr && !ret; i++) {
		const struct gfp_use_key *key = KEYED_KEY(&u->counts, i);
		struct site_sum *sum = sum_of(&s, key);
		uint64_t flags = key->gfp_flags;

		if (gfp_is_atomic(&m, flags)) {
			sum->nr += u->counts.of[i].nr;
			sum->in_task += u->counts.of[i].in_task;
		} else if (gfp_has(flags, m.kernel)) {
			sum->other += u->counts.of[i].nr;
		}
	}
	for (size_t i = 0; i < 2 * s.nr_sites && !ret; i++)
		ret = add_atomic(kind, v, &s, i);
	free(s.sums);
	return ret;
}

/* A callsite that allocates with GFP_ATOMIC in tasks, and with GFP_KERNEL too. */
const struct finding_kind finding_atomic = {
	.name = "atomic",
	.more = "stat --gfp GFP_ATOMIC",
	.find = find_atomic,
};

/* --- high orders without a retry flag --------------------------------------------------- */

/* PAGE_ALLOC_COSTLY_ORDER: above it, the page allocator does not promise to keep trying. */
#define COSTLY_ORDER 3

static int add_high_order(const struct finding_kind *kind, struct advise_view *v,
			  const struct site_sums *s, size_t i)
{
	const struct site_sum *sum = &s->sums[i];
	struct finding f = { .kind = kind, .hit = sum->nr };

	if (!sum->nr)
		return 0;
	strbuf_printf(&f.evidence, "%" PRIu64 " allocation%s of order %" PRIu32, sum->nr,
		      plural(sum->nr), sum->least);
	if (sum->most > sum->least)
		strbuf_printf(&f.evidence, " to %" PRIu32, sum->most);
	strbuf_puts(
		&f.evidence,
		" may wait for reclaim and compaction, without __GFP_NORETRY or __GFP_NOFAIL");
	if (sum->failed)
		strbuf_printf(&f.evidence, "; %" PRIu64 " failed", sum->failed);
	strbuf_puts(
		&f.doubt,
		"whether they waited, and what the caller does if one fails, is not in the events");
	return add_finding(v, s, i, &f);
}

static int find_high_order(const struct finding_kind *kind, struct advise_view *v)
{
	const struct gfp_uses *u = &v->a->gfp;
	const struct gfp_masks m = gfp_masks_of(event_formats_gfp(v->a->env->fmts));
	struct site_sums s;
	int ret = sums_new(&s, v->a);

	for (size_t i = 0; i < u->counts.nr && !ret && m.noretry && m.nofail; i++) {
		const struct gfp_use_key *key = KEYED_KEY(&u->counts, i);
		struct site_sum *sum = sum_of(&s, key);

		if (key->order == GFP_USE_SLAB || key->order <= COSTLY_ORDER ||
		    !(key->gfp_flags & m.waits) ||
		    key->gfp_flags & (m.noretry | m.nofail))
			continue;
		if (!sum->nr || key->order < sum->least)
			sum->least = key->order;
		if (key->order > sum->most)
			sum->most = key->order;
		sum->nr += u->counts.of[i].nr;
		sum->failed += u->counts.of[i].failed;
	}
	for (size_t i = s.nr_sites; i < 2 * s.nr_sites && !ret; i++)
		ret = add_high_order(kind, v, &s, i);
	free(s.sums);
	return ret;
}

/* Pages of an order over 3 whose flags do not say whether to retry. */
const struct finding_kind finding_high_order = {
	.name = "high-order",
	.more = "stat --page --order 4-30",
	.find = find_high_order,
};

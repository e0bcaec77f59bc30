// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * analysis: advice about flags: GFP_ATOMIC where GFP_KERNEL would do, and high orders without a
 * retry flag.
 * In: allocations by callsite, order and flags. Out: findings.
 */

#include "analysis/advise/advise.h"

/* --- the flags that each callsite allocates with ---------------------------------------- */

/* The group of an allocation's callsite; UINT32_MAX: it does not count, as it has no callchain that
 * shows it, or no memory.
 */
static uint32_t site_of(struct advise *a, const struct kmem_event *ev)
{
	bool slab = kmem_is_slab_alloc(ev->type);
	uint64_t addr = slab ? sites_beyond(a->env, ev->slab_alloc.callsite, ev->stack)
			     : sites_of_stack_once(&a->sites, ev->stack);
	uint32_t site = UINT32_MAX;

	if (slab || addr) {
		site = sites_group(&a->sites, addr);
		a->failed |= site == UINT32_MAX;
	}
	return site;
}

/* The number of an allocation's counts; 0: it does not count, or no memory. */
static uint32_t find_use(struct advise *a, const struct kmem_event *ev)
{
	bool slab = kmem_is_slab_alloc(ev->type);
	const struct gfp_use_key key = {
		.gfp_flags = slab ? ev->slab_alloc.gfp_flags : ev->page_alloc.gfp_flags,
		.order = slab ? GFP_USE_SLAB : ev->page_alloc.order,
		.site = site_of(a, ev),
	};
	uint32_t id;

	if (key.site == UINT32_MAX)
		return 0;
	id = KEYED_ID(&a->gfp.counts, &key);
	a->failed |= !id;
	return id;
}

/* Counts an allocation; @key: all that its counts depend on. */
static inline void count(struct advise *a, const struct kmem_event *ev,
			 const uint64_t key[3], bool refused)
{
	uint32_t *id = recent_key(&a->gfp.recent, key[0], key[1], key[2]);
	struct gfp_use *use;

	if (unlikely(!*id))
		*id = find_use(a, ev);
	if (unlikely(!*id))
		return;
	use = &a->gfp.counts.of[*id - 1];
	use->nr++;
	use->in_task += !kmem_in_interrupt(ev);
	use->failed += refused;
}

static void take_one(struct advise *a, const struct kmem_event *ev)
{
	const uint64_t pages = 1ULL << 63;

	if (a->env->filter && ev->hidden)
		return;
	if (kmem_is_slab_alloc(ev->type)) {
		/* If functions are skipped, the callchain says which is the callsite. */
		bool skips = callsite_rule_extended(a->env->rule);
		const uint64_t key[] = { ev->slab_alloc.callsite,
					 ev->slab_alloc.gfp_flags,
					 skips ? ev->stack : 0 };

		count(a, ev, key, !ev->slab_alloc.ptr);
	} else if (ev->type == KMEM_PAGE_ALLOC && ev->stack) {
		const uint64_t key[] = { ev->stack, ev->page_alloc.gfp_flags,
					 ev->page_alloc.order | pages };

		count(a, ev, key, ev->page_alloc.pfn == KMEM_NO_PFN);
	}
}

void gfp_uses_take(struct advise *a, const struct kmem_event *ev, size_t nr)
{
	const struct kmem_event *end = ev + nr;

	for (; ev < end; ev++)
		take_one(a, ev);
}

struct gfp_masks gfp_masks_of(const struct gfp_names *names)
{
	struct gfp_masks m = { .kernel = gfp_bit(names, "GFP_KERNEL", "GFP_KERNEL"),
			       .atomic = gfp_bit(names, "GFP_ATOMIC", "GFP_ATOMIC"),
			       .noretry =
				       gfp_bit(names, "__GFP_NORETRY", "__GFP_NORETRY"),
			       .nofail = gfp_bit(names, "__GFP_NOFAIL", "__GFP_NOFAIL") };

	/* __GFP_DIRECT_RECLAIM, which was __GFP_WAIT before Linux 4.4, __GFP_IO and __GFP_FS. */
	m.waits = m.kernel & ~m.atomic;
	return m;
}

static bool gfp_has(uint64_t flags, uint64_t mask)
{
	return mask && (flags & mask) == mask;
}

/* --- findings --------------------------------------------------------------------------- */

/* Sums for one callsite. */
struct site_sum {
	uint64_t nr, other; /* allocations of the finding, and others */
	uint64_t in_task, failed;
	uint32_t least, most; /* orders */
};

/* Counts @use in @sum, if it matters to the finding. */
typedef void count_fn(struct site_sum *sum, const struct gfp_masks *m,
		      const struct gfp_use_key *key, const struct gfp_use *use);
/* Begins the finding @f about @sum, which is not empty; @slab: of slab objects. False: none. */
typedef bool tell_fn(const struct site_sum *sum, bool slab, struct finding *f);

/* Adds up the uses by callsite, slab objects and pages separately, and calls @tell for each sum. */
static int find_by_site(struct advise_view *v, count_fn *count_use, tell_fn *tell)
{
	const struct gfp_uses *u = &v->a->gfp;
	const struct gfp_masks m = gfp_masks_of(&v->a->env->fmts->gfp);
	size_t nr_sites = v->a->sites.nr_groups;
	struct site_sum *sums __auto_mem = calloc(2 * nr_sites + 1, sizeof(*sums));
	int ret = sums ? 0 : -ENOMEM;

	for (size_t i = 0; i < u->counts.nr && !ret; i++) {
		const struct gfp_use_key *key = KEYED_KEY(&u->counts, i);

		count_use(&sums[key->site + (key->order == GFP_USE_SLAB ? 0 : nr_sites)],
			  &m, key, &u->counts.of[i]);
	}
	for (size_t i = 0; i < 2 * nr_sites && !ret; i++) {
		struct finding f = { .site = (uint32_t)(i % nr_sites) };

		if (!sums[i].nr || !tell(&sums[i], i < nr_sites, &f))
			continue;
		if (v->a->losses)
			strbuf_puts(&f.doubt, "; events were lost");
		ret = advise_add(v, &f);
	}
	return ret;
}

/* GFP_ATOMIC, without any bit that lets it wait; or GFP_KERNEL. */
static void count_atomic(struct site_sum *sum, const struct gfp_masks *m,
			 const struct gfp_use_key *key, const struct gfp_use *use)
{
	if (gfp_has(key->gfp_flags, m->atomic) && !(key->gfp_flags & m->waits)) {
		sum->nr += use->nr;
		sum->in_task += use->in_task;
	} else if (gfp_has(key->gfp_flags, m->kernel)) {
		sum->other += use->nr;
	}
}

static bool tell_atomic(const struct site_sum *sum, bool slab, struct finding *f)
{
	if (!sum->in_task || !sum->other)
		return false;
	f->hit = sum->in_task;
	strbuf_printf(
		&f->evidence,
		"%" PRIu64 " of %" PRIu64
		" GFP_ATOMIC allocations of %s there come from tasks with interrupts on; GFP_KERNEL allocations there: %" PRIu64,
		sum->in_task, sum->nr, slab ? "slab objects" : "pages", sum->other);
	strbuf_puts(
		&f->doubt,
		"whether a spinlock or the RCU read lock is held is not in the events; the flags may be a caller's");
	return true;
}

int advise_atomic(struct advise_view *v)
{
	return v->a->env->no_irq_info ? 0 : find_by_site(v, count_atomic, tell_atomic);
}

/* PAGE_ALLOC_COSTLY_ORDER: above it, the page allocator does not promise to keep trying. */
#define COSTLY_ORDER 3

/* High orders without a retry flag, if the recording names both of these flags. */
static void count_high_order(struct site_sum *sum, const struct gfp_masks *m,
			     const struct gfp_use_key *key, const struct gfp_use *use)
{
	if (!m->noretry || !m->nofail || key->order == GFP_USE_SLAB ||
	    key->order <= COSTLY_ORDER || !(key->gfp_flags & m->waits) ||
	    key->gfp_flags & (m->noretry | m->nofail))
		return;
	if (!sum->nr || key->order < sum->least)
		sum->least = key->order;
	sum->most = LARGER(key->order, sum->most);
	sum->nr += use->nr;
	sum->failed += use->failed;
}

static bool tell_high_order(const struct site_sum *sum, bool slab, struct finding *f)
{
	f->hit = sum->nr;
	strbuf_printf(&f->evidence, "%" PRIu64 " allocation%s of order %" PRIu32, sum->nr,
		      plural(sum->nr), sum->least);
	if (sum->most > sum->least)
		strbuf_printf(&f->evidence, " to %" PRIu32, sum->most);
	strbuf_puts(
		&f->evidence,
		" may wait for reclaim and compaction, without __GFP_NORETRY or __GFP_NOFAIL");
	if (sum->failed)
		strbuf_printf(&f->evidence, "; %" PRIu64 " failed", sum->failed);
	strbuf_puts(
		&f->doubt,
		"whether they waited, and what the caller does if one fails, is not in the events");
	return true;
}

int advise_high_order(struct advise_view *v)
{
	return find_by_site(v, count_high_order, tell_high_order);
}

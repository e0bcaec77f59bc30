// SPDX-License-Identifier: GPL-2.0-or-later
#include "analysis/advise/gfp_uses.h"

#include "base/array.h"

void gfp_uses_init(struct gfp_uses *u, const struct analysis_env *env,
		   struct sites *sites)
{
	*u = (struct gfp_uses){ .env = env, .sites = sites };
}

/* The group of a page allocation; UINT32_MAX: no callchain, or no memory. Each callchain is
 * resolved once.
 */
static uint32_t page_site(struct gfp_uses *u, uint32_t stack)
{
	const uint32_t *known = u64_map_find(&u->by_stack, stack);
	uint64_t addr;

	if (!known) {
		addr = sites_of_stack(u->sites, stack);
		known = u64_map_insert(&u->by_stack, stack,
				       addr ? sites_group(u->sites, addr) : UINT32_MAX);
		u->failed |= !known;
	}
	return known ? *known : UINT32_MAX;
}

/* The group of an allocation; UINT32_MAX: it does not count, or no memory. */
static uint32_t site_of(struct gfp_uses *u, const struct kmem_event *ev)
{
	uint32_t site;

	if (!kmem_is_slab_alloc(ev->type))
		return page_site(u, ev->stack);
	site = sites_group(u->sites,
			   sites_beyond(u->env, ev->slab_alloc.callsite, ev->stack));
	u->failed |= site == UINT32_MAX;
	return site;
}

/* The number of an allocation's counts; 0: it does not count, or no memory. */
static uint32_t find_use(struct gfp_uses *u, const struct kmem_event *ev)
{
	bool slab = kmem_is_slab_alloc(ev->type);
	const struct gfp_use_key key = {
		.gfp_flags = slab ? ev->slab_alloc.gfp_flags : ev->page_alloc.gfp_flags,
		.order = slab ? GFP_USE_SLAB : ev->page_alloc.order,
		.site = site_of(u, ev),
	};
	uint32_t id;

	if (key.site == UINT32_MAX)
		return 0;
	id = KEYED_ID(&u->counts, &key);
	u->failed |= !id;
	return id;
}

/* Counts an allocation that the words of @key determine. */
static inline void count(struct gfp_uses *u, const struct kmem_event *ev,
			 const uint64_t key[3], bool refused)
{
	uint32_t *id = recent_key(&u->recent, key[0], key[1], key[2]);
	struct gfp_use *use;

	if (unlikely(!*id))
		*id = find_use(u, ev);
	if (unlikely(!*id))
		return;
	use = &u->counts.of[*id - 1];
	use->nr++;
	use->in_task += !kmem_in_interrupt(ev);
	use->failed += refused;
}

static void take_one(struct gfp_uses *u, const struct kmem_event *ev)
{
	const uint64_t pages = 1ULL << 63;

	if (u->env->filter && ev->hidden)
		return;
	if (kmem_is_slab_alloc(ev->type)) {
		/* If functions are skipped, the callchain says which is the callsite. */
		bool skips = callsite_rule_extended(u->env->rule);
		const uint64_t key[] = { ev->slab_alloc.callsite,
					 ev->slab_alloc.gfp_flags,
					 skips ? ev->stack : 0 };

		count(u, ev, key, !ev->slab_alloc.ptr);
	} else if (ev->type == KMEM_PAGE_ALLOC && ev->stack) {
		const uint64_t key[] = { ev->stack, ev->page_alloc.gfp_flags,
					 ev->page_alloc.order | pages };

		count(u, ev, key, ev->page_alloc.pfn == KMEM_NO_PFN);
	}
}

void gfp_uses_take(struct gfp_uses *u, const struct kmem_event *ev, size_t nr)
{
	const struct kmem_event *end = ev + nr;

	for (; ev < end; ev++)
		take_one(u, ev);
}

void gfp_uses_free(struct gfp_uses *u)
{
	u64_map_free(&u->by_stack);
	KEYED_FREE(&u->counts);
}

static uint64_t mask_of(const struct gfp_names *names, const char *name)
{
	for (size_t i = 0; names && i < names->count; i++) {
		if (!strcmp(names->names[i].name, name))
			return names->names[i].mask;
	}
	return 0;
}

struct gfp_masks gfp_masks_of(const struct gfp_names *names)
{
	struct gfp_masks m = { .kernel = mask_of(names, "GFP_KERNEL"),
			       .atomic = mask_of(names, "GFP_ATOMIC"),
			       .noretry = mask_of(names, "__GFP_NORETRY"),
			       .nofail = mask_of(names, "__GFP_NOFAIL") };

	/* __GFP_DIRECT_RECLAIM, which was __GFP_WAIT before Linux 4.4, __GFP_IO and __GFP_FS. */
	m.waits = m.kernel & ~m.atomic;
	return m;
}

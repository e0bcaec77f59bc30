// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * analysis: the GFP flags that each callsite allocates with.
 * In: allocations. Out: counts by callsite, order and flags.
 */
#include "analysis/advise/gfp_uses.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"

/* Of common_flags: TRACE_FLAG_IRQS_OFF, _HARDIRQ and _SOFTIRQ of the kernel's trace_flag_type. */
#define NOT_IN_TASK (0x01 | 0x08 | 0x10)

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

/* Makes the key of an allocation; false: the event does not count. */
static bool make_key(struct gfp_uses *u, const struct kmem_event *ev,
		     struct gfp_use_key *key, bool *refused)
{
	if (kmem_is_slab_alloc(ev->type)) {
		const uint64_t site = ev->slab_alloc.callsite;

		*refused = !ev->slab_alloc.ptr;
		*key = (struct gfp_use_key){
			.gfp_flags = ev->slab_alloc.gfp_flags,
			.order = GFP_USE_SLAB,
			.site = sites_group(u->sites,
					    sites_beyond(u->env, site, ev->stack)),
		};
		u->failed |= key->site == UINT32_MAX;
	} else if (ev->type == KMEM_PAGE_ALLOC && ev->stack) {
		*refused = ev->page_alloc.pfn == KMEM_NO_PFN;
		*key = (struct gfp_use_key){ .gfp_flags = ev->page_alloc.gfp_flags,
					     .order = ev->page_alloc.order,
					     .site = page_site(u, ev->stack) };
	} else {
		return false;
	}
	return key->site != UINT32_MAX;
}

static void take_one(struct gfp_uses *u, const struct kmem_event *ev)
{
	struct gfp_use_key key;
	struct gfp_use *use;
	bool refused;
	uint32_t id;

	if ((u->env->filter && ev->hidden) || !make_key(u, ev, &key, &refused))
		return;
	id = intern_id(&u->keys, &key, sizeof(key));
	if (!id || array_reserve(&u->counts, &u->capacity, id, sizeof(*u->counts))) {
		u->failed = true;
		return;
	}
	if (id > u->nr)
		u->counts[u->nr++] = (struct gfp_use){ 0 };
	use = &u->counts[id - 1];
	use->nr++;
	use->in_task += !(ev->flags & NOT_IN_TASK);
	use->failed += refused;
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
	intern_free(&u->keys);
	free(u->counts);
}

static uint64_t mask_of(const struct gfp_names *names, const char *name)
{
	size_t i;

	for (i = 0; names && i < names->count; i++) {
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

// SPDX-License-Identifier: GPL-2.0-or-later
#include "analysis/balance/page_use.h"

#include "analysis/bounds/bounds.h"
#include "event/gfp.h"
#include "symbol/symbols.h"

/* Callers farther out do not tell what a page is for. */
#define FRAMES_MAX 24U

/* Functions that allocate for one use; a name that ends in * is a prefix. */
static const char *const functions[USE_NR][10] = {
	[USE_SHMEM] = { "shmem_*" },
	[USE_SLAB_UNRECLAIMABLE] = { "allocate_slab", "alloc_slab_page", "new_slab",
				     "cache_grow_begin", "kmem_getpages",
				     /* Large kmallocs, from 5.4 on (mod_lruvec_page_state). */
				     "___kmalloc_large_node", "__kmalloc_large_node",
				     "kmalloc_large*", "kmalloc_order*" },
	[USE_STACK] = { "alloc_thread_stack_node", "dup_task_struct" },
	[USE_PAGE_TABLE] = { "pte_alloc_one*", "__pte_alloc*", "pmd_alloc_one",
			     "__pmd_alloc", "__pud_alloc", "__p4d_alloc",
			     "pagetable_alloc*" },
	[USE_VMALLOC] = { "vm_area_alloc_pages", "__vmalloc_area_node",
			  "__vmalloc_node_range*" },
	[USE_PERCPU] = { "pcpu_alloc_pages", "pcpu_populate_chunk" },
	[USE_HUGETLB] = { "alloc_fresh_hugetlb_folio", "alloc_fresh_huge_page",
			  "alloc_buddy_hu*", "only_alloc_fresh_hugetlb_folio",
			  "alloc_surplus_hugetlb_folio" },
};

/* Functions that allocate kernel stacks. */
static const char *const forks[] = { "alloc_thread_stack_node", "dup_task_struct",
				     "copy_process" };

static bool is_fork(const char *plain)
{
	return ANY(i, ARRAY_SIZE(forks), !strcmp(plain, forks[i]));
}

int page_uses_init(struct page_uses *u, const struct analysis_env *env)
{
	const struct gfp_names *names = &env->fmts->gfp;

	u->env = env;
	u->movable = gfp_bit(names, "__GFP_MOVABLE", "GFP_MOVABLE");
	u->user = gfp_bit(names, "__GFP_HARDWALL", "GFP_HARDWALL");
	return reclaimable_init(&u->reclaimable, env);
}

/* Sets @name to the kernel's function at @addr, without compiler suffixes. False if @addr is in
 * no function.
 */
static bool plain_name(const struct page_uses *u, uint64_t addr, char name[128])
{
	struct symbol sym;

	if (!symbols_find(u->env->syms, addr, &sym) || sym.module)
		return false;
	(void)symbol_plain(sym.name, name, 128);
	return true;
}

/* The use that function @name allocates for; USE_NR: no particular one. */
static enum page_use use_of(const struct page_uses *u, const char *name)
{
	/* The first level of page tables counts as such from 6.14 on. */
	if (!strcmp(name, "pgd_alloc"))
		return census_since(u->env->rec, 6, 14) ? USE_PAGE_TABLE : USE_UNCOUNTED;
	for (enum page_use use = 0; use < USE_NR; use++)
		for (const char *const *f = functions[use]; *f; f++)
			if (symbol_matches(name, *f))
				return use;
	return USE_NR;
}

/* Is a function of @names among the callers? */
static bool called_by(const struct page_uses *u, uint32_t stack, const char *const *names,
		      size_t nr_names)
{
	uint32_t nr = 0, i;
	const uint64_t *frames = event_stream_stack(u->env->stream, stack, &nr);
	char name[128];

	for (i = 0; i < nr && i < FRAMES_MAX; i++)
		if (plain_name(u, frames[i], name) &&
		    ANY(k, nr_names, !strcmp(name, names[k])))
			return true;
	return false;
}

/* The use that the callchain shows; USE_NR: none. */
static enum page_use use_of_chain(const struct page_uses *u, uint32_t stack)
{
	uint32_t nr = 0, i;
	const uint64_t *frames = event_stream_stack(u->env->stream, stack, &nr);
	enum page_use use = USE_NR;
	char name[128];

	for (i = 0; i < nr && i < FRAMES_MAX && use == USE_NR; i++)
		if (plain_name(u, frames[i], name))
			use = use_of(u, name);
	if (use == USE_VMALLOC && called_by(u, stack, forks, ARRAY_SIZE(forks)))
		return USE_STACK;
	return use;
}

/* The use of pages by their flags. @use: that by the callchain; @cache: they are of the page cache.
 */
static enum page_use use_of_flags(const struct page_uses *u, const struct page_key *key,
				  enum page_use use, bool cache)
{
	const uint64_t processes = u->movable | u->user;
	bool reclaimable = reclaimable_by_request(&u->reclaimable, key);

	if (use == USE_SLAB_UNRECLAIMABLE && reclaimable)
		return USE_SLAB_RECLAIMABLE;
	if (use != USE_NR)
		return use;
	if (cache && !reclaimable)
		return USE_PAGE_CACHE;
	/* GFP_HIGHUSER_MOVABLE; zsmalloc and balloons are movable, too, but not of users. */
	return processes && (key->gfp_flags & processes) == processes ? USE_ANONYMOUS
								      : USE_UNCOUNTED;
}

enum page_use page_use(const struct page_uses *u, const struct page_key *key,
		       uint64_t callsite)
{
	return use_of_flags(u, key, use_of_chain(u, key->stack),
			    reclaimable_page(&u->reclaimable, key, callsite));
}

enum page_use page_use_named(const struct page_uses *u, uint64_t gfp_flags,
			     const char *names, size_t len)
{
	const struct page_key key = { .gfp_flags = gfp_flags, .migratetype = -1 };
	enum page_use use = USE_NR;
	const char *end = names + len;
	char name[128], plain[128];
	bool cache = false;

	while (names < end && (use == USE_NR || use == USE_VMALLOC)) {
		size_t part = strcspn(names, " \n");

		snprintf(name, sizeof(name), "%.*s", (int)part, names);
		(void)symbol_plain(name, plain, sizeof(plain));
		if (use == USE_NR) {
			use = use_of(u, plain);
			cache |= reclaimable_of_cache(plain);
		} else if (is_fork(plain)) {
			use = USE_STACK;
		}
		names += part + 1;
	}
	return use_of_flags(u, &key, use, cache);
}

enum page_use page_use_area(const struct page_uses *u, uint32_t stack)
{
	static const char *const ranges[] = { "__vmalloc_node_range" };

	if (!called_by(u, stack, ranges, ARRAY_SIZE(ranges)))
		return USE_NR;
	return called_by(u, stack, forks, ARRAY_SIZE(forks)) ? USE_STACK : USE_VMALLOC;
}

bool page_use_forks(const char *name)
{
	static const char *const callers[] = { "kernel_clone", "_do_fork", "fork_idle" };
	char plain[128];

	(void)symbol_plain(name, plain, sizeof(plain));
	if (is_fork(plain))
		return true;
	return ANY(i, ARRAY_SIZE(callers), !strcmp(plain, callers[i]));
}

const char *page_use_title(const char *name)
{
	static const char *const titles[][2] = {
		{ "free_cpus", "free, on lists of CPUs" },
		{ "page_cache", "page cache" },
		{ "shmem", "tmpfs, shared memory" },
		{ "swap_cache", "swap cache" },
		{ "slab_reclaimable", "slab, reclaimable" },
		{ "slab_unreclaimable", "slab, unreclaimable" },
		{ "stacks", "kernel stacks" },
		{ "page_tables", "page tables" },
		{ "vmalloc", "vmalloc, without stacks" },
		{ "percpu", "per-CPU memory" },
		{ "other", "other counters" },
		{ "uncounted", "in no counter" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(titles); i++)
		if (!strcmp(titles[i][0], name))
			return titles[i][1];
	return name;
}

void page_uses_free(struct page_uses *u)
{
	reclaimable_free(&u->reclaimable);
}

// SPDX-License-Identifier: GPL-2.0-or-later
#include "analysis/stat/own_cache.h"

#include "base/number.h"
#include "recording/snapshot.h"

/* kmem_cache_create()'s default alignment on 64-bit kernels: a word. On 32-bit kernels objects are
 * up to 4 bytes smaller, so that these save more than shown.
 */
#define ALIGN_BYTES 8

/* slub_max_order without options: PAGE_ALLOC_COSTLY_ORDER. */
#define SLUB_MAX_ORDER 3

/* More means damage. */
#define SLAB_BYTES_MAX (1U << 31)

/* Does a slab of @slab bytes leave at most 1/@fraction of it unused? */
static bool order_fits(uint64_t slab, uint64_t size, unsigned int fraction)
{
	return slab >= size && slab % size <= slab / fraction;
}

/* The smallest order that holds @bytes. */
static unsigned int order_of(uint64_t bytes, uint32_t page_size)
{
	unsigned int order = 0;

	while (order < 31 && (uint64_t)page_size << order < bytes)
		order++;
	return order;
}

unsigned int own_cache_order(uint64_t size, uint32_t page_size, uint32_t nr_cpus)
{
	const unsigned int bits = nr_cpus ? 32 - (unsigned int)__builtin_clz(nr_cpus) : 0;
	uint64_t most = ((uint64_t)page_size << SLUB_MAX_ORDER) / size;
	uint64_t objects = 4 * (bits + 1);
	unsigned int fraction, order, first;

	if (objects > most)
		objects = most ? most : 1;
	first = order_of(objects * size, page_size);
	for (fraction = 16; fraction > 1; fraction /= 2) {
		for (order = first; order <= SLUB_MAX_ORDER; order++) {
			if (order_fits((uint64_t)page_size << order, size, fraction))
				return order;
		}
	}
	return order_of(size, page_size);
}

/* The size in a link's target of a cache without flags, ":0000056"; 0: other targets. Flags are
 * letters before the size (create_unique_id() in mm/slub.c); a cache that must not be merged has no
 * link.
 */
static uint64_t plain_size(const struct slab_alias *link)
{
	const char *at = link->target + 1, *end = link->target + link->target_len;
	uint64_t size;

	if (link->target_len > 12 || link->target[0] != ':' ||
	    number_read(&at, end, 10, UINT32_MAX, &size) || at != end)
		return 0;
	return size;
}

/* Reads the sizes of caches that another may be merged into, by the number of their name. */
static int read_links(struct own_caches *all, const char *text, struct u64_map *plain)
{
	struct slab_alias link;

	while (slab_alias_next(&text, &link)) {
		uint64_t size = plain_size(&link);
		uint32_t id;

		if (!size)
			continue;
		id = intern_id(&all->names, link.name, link.name_len);
		if (!id || !u64_map_insert(plain, id, (uint32_t)size))
			return -ENOMEM;
	}
	return 0;
}

static int add_cache(struct own_caches *all, const struct slabinfo_line *line,
		     const struct u64_map *plain)
{
	uint32_t id = intern_id(&all->names, line->name, line->name_len), *size;
	struct own_cache_known *known = id ? INDEXED_ITEM(&all->known, line->size) : NULL;

	if (!known)
		return -ENOMEM;
	if (!known->like)
		*known = (struct own_cache_known){ .per_slab = line->per_slab,
						   .slab_bytes =
							   line->pages * all->page_size,
						   .like = id };
	/* SLUB scans its list from the oldest cache, and slabinfo shows the youngest first: so the
	 * last match wins.
	 */
	size = u64_map_find(plain, id);
	if (size && *size == line->size)
		known->with = id;
	return 0;
}

int own_caches_init(struct own_caches *all, const struct analysis_env *env)
{
	const char *text = recording_meta_text(env->rec, "slabinfo.after");
	struct u64_map plain = { 0 };
	struct slabinfo_line line;
	int ret;

	*all = (struct own_caches){
		.page_size = env->page_size,
		.nr_cpus = env->rec->nr_cpus,
		.links_known = recording_meta(env->rec, "slabinfo.after") &&
			       recording_meta(env->rec, "slab_aliases"),
	};
	ret = read_links(all, recording_meta_text(env->rec, "slab_aliases"), &plain);
	while (!ret && slabinfo_next(&text, &line)) {
		if (line.size && line.per_slab &&
		    line.pages <= SLAB_BYTES_MAX / all->page_size &&
		    line.per_slab <= line.pages * all->page_size / line.size)
			ret = add_cache(all, &line, &plain);
	}
	u64_map_free(&plain);
	return ret;
}

struct own_cache own_caches_find(const struct own_caches *all, uint64_t bytes_req)
{
	struct own_cache c = { .size = (bytes_req + ALIGN_BYTES - 1) &
				       ~(uint64_t)(ALIGN_BYTES - 1) };
	const struct own_cache_known *known;
	const uint32_t *index;

	if (!c.size)
		c.size = ALIGN_BYTES;
	if (all->links_known)
		c.merge = OWN_CACHE_APART;
	index = u64_map_find(&all->known.index, c.size);
	if (!index) {
		c.slab_bytes = (uint64_t)all->page_size
			       << own_cache_order(c.size, all->page_size, all->nr_cpus);
		c.per_slab = c.slab_bytes / c.size;
		return c;
	}
	known = &all->known.of[*index];
	c.per_slab = known->per_slab;
	c.slab_bytes = known->slab_bytes;
	c.like = intern_get(&all->names, known->like, NULL);
	c.with = intern_get(&all->names, known->with, NULL);
	if (c.with)
		c.merge = OWN_CACHE_MERGED;
	return c;
}

void own_caches_free(struct own_caches *all)
{
	intern_free(&all->names);
	INDEXED_FREE(&all->known);
}

struct own_cache_gain own_cache_gain(const struct own_cache *c, uint64_t live,
				     uint64_t bytes_alloc)
{
	struct own_cache_gain g = { 0 };

	if (bytes_alloc > c->size)
		g.saved = live * (bytes_alloc - c->size);
	if (c->per_slab) {
		g.slabs = live / c->per_slab + (live % c->per_slab != 0);
		g.unused = g.slabs * c->per_slab - live;
		g.tail = c->slab_bytes - c->per_slab * c->size;
	}
	g.wasted = g.unused * c->size + g.slabs * g.tail;
	g.bytes = (int64_t)g.saved - (int64_t)g.wasted;
	return g;
}

// SPDX-License-Identifier: GPL-2.0-or-later
#include "analysis/bounds/reclaimable.h"

#include "analysis/bounds/bounds.h"

int reclaimable_init(struct reclaimable *r, const struct analysis_env *env)
{
	r->env = env;
	r->flag = gfp_bit(&env->fmts->gfp, "__GFP_RECLAIMABLE", "GFP_RECLAIMABLE");
	return census_init(&r->census, env) ?: reclaim_caches_init(&r->caches, env->rec);
}

static bool starts_with(const char *name, const char *const *prefixes, size_t nr)
{
	return ANY(i, nr, !strncmp(name, prefixes[i], strlen(prefixes[i])));
}

/* For recordings that do not say: caches that are SLAB_RECLAIM_ACCOUNT in mainline. */
static bool usually_reclaimable(const char *name)
{
	static const char *const prefixes[] = { "dentry", "buffer_head",
						"radix_tree_node", "kmalloc-rcl-",
						"ext4_extent_status" };
	const char *inode = strstr(name, "inode_cache");

	return (inode && !inode[strlen("inode_cache")]) ||
	       starts_with(name, prefixes, ARRAY_SIZE(prefixes));
}

static bool cache_is_reclaimable(const struct reclaimable *r, const char *name)
{
	enum reclaim said = reclaim_cache(&r->caches, name);

	/* A socket's inode lives as long as the socket, whatever its cache says (net/socket.c). */
	if (!name || !strcmp(name, "sock_inode_cache"))
		return false;
	/* A security module's part of an inode lives as long as the inode (security/security.c). */
	if (!strcmp(name, "lsm_inode_cache"))
		return true;
	return said == RECLAIM_UNKNOWN ? usually_reclaimable(name) : said == RECLAIM_YES;
}

/* The cache of a row that is not kmalloc's; NULL: unknown. */
static const char *cache_of(const struct reclaimable *r, const struct lives *lives,
			    size_t row)
{
	const struct slab_key *key = lives_key(lives, row);
	struct lives_sums sums = lives_sums(lives, row);

	if (key->cache)
		return event_stream_cache(r->env->stream, key->cache);
	if (!sums.hit || sums.bytes_alloc % sums.hit)
		return NULL;
	return census_guess(&r->census, key->callsite, sums.bytes_alloc / sums.hit);
}

bool reclaimable_slab(const struct reclaimable *r, const struct lives *lives, size_t row)
{
	const struct slab_key *key = lives_key(lives, row);
	struct symbol sym;

	if (lives->kind->memory != MEMORY_SLAB)
		return false;
	if (!key->kmalloc)
		return cache_is_reclaimable(r, cache_of(r, lives, row));
	return r->functions.count && symbols_find(r->env->syms, key->callsite, &sym) &&
	       u64_map_find(&r->functions, sym.addr);
}

int reclaimable_learn(struct reclaimable *r, const struct lives *lives)
{
	struct symbol sym;

	for (size_t i = 0; i < lives_rows(lives); i++) {
		const struct slab_key *key = lives_key(lives, i);

		if (!key->kmalloc && reclaimable_slab(r, lives, i) &&
		    symbols_find(r->env->syms, key->callsite, &sym) &&
		    !u64_map_insert(&r->functions, sym.addr, 0))
			return -ENOMEM;
	}
	return 0;
}

bool reclaimable_by_request(const struct reclaimable *r, const struct page_key *key)
{
	const char *type = r->env->migratetypes ? migratetype_name(r->env->migratetypes,
								   key->migratetype)
						: NULL;

	return (key->gfp_flags & r->flag) || (type && !strcmp(type, "RECLAIMABLE"));
}

/* Does @function of mm/filemap.c or mm/readahead.c allocate pages of files, from 4.x to 7.x? tmpfs
 * has functions of its own (mm/shmem.c), and its pages are not reclaimed without swap.
 */
bool reclaimable_of_cache(const char *function)
{
	static const char *const prefixes[] = {
		"__filemap_get_folio",	     "filemap_",	  "page_cache_ra_",
		"page_cache_readahead_",     "__page_cache_",	  "pagecache_get_page",
		"__do_page_cache_readahead", "ra_alloc_folio",	  "do_read_cache_",
		"grab_cache_page",	     "add_to_page_cache", "force_page_cache_"
	};

	return starts_with(function, prefixes, ARRAY_SIZE(prefixes));
}

bool reclaimable_page(const struct reclaimable *r, const struct page_key *key,
		      uint64_t callsite)
{
	struct symbol sym;

	if (reclaimable_by_request(r, key))
		return true;
	return callsite && symbols_find(r->env->syms, callsite, &sym) && !sym.module &&
	       reclaimable_of_cache(sym.name);
}

bool reclaimable_row(const struct reclaimable *r, const struct lives *lives, size_t row,
		     uint64_t callsite)
{
	return lives->kind->memory == MEMORY_PAGE
		       ? reclaimable_page(r, lives_key(lives, row), callsite)
		       : reclaimable_slab(r, lives, row);
}

bool reclaimable_late_cache(const char *cache)
{
	return !strcmp(cache, "vmap_area");
}

bool reclaimable_late(const struct reclaimable *r, const struct slab_key *key)
{
	const char *cache = event_stream_cache(r->env->stream, key->cache);
	struct symbol sym;

	if (key->kmalloc)
		return false;
	if (cache && reclaimable_late_cache(cache))
		return true;
	if (!symbols_find(r->env->syms, key->callsite, &sym))
		return false;
	/* Up to 6.17 the event names no cache of areas. Timers are freed by kfree_rcu() since 6.12,
	 * and their cache may have been merged with others.
	 */
	if (!strcmp(sym.name, "do_timer_create"))
		return census_since(r->env->rec, 6, 12);
	return !cache && !strcmp(sym.name, "alloc_vmap_area");
}

void reclaimable_free(struct reclaimable *r)
{
	reclaim_caches_free(&r->caches);
	census_free(&r->census);
	u64_map_free(&r->functions);
}

int reclaim_caches_init(struct reclaim_caches *r, const struct recording *rec)
{
	const char *text = recording_meta_text(rec, RECORDING_META_SLAB_RECLAIM);
	struct slab_reclaim_line line;

	while (slab_reclaim_next(&text, &line)) {
		struct intern *names =
			&r->by[line.reclaimable ? RECLAIM_YES : RECLAIM_NO];

		if (!intern_id(names, line.name, line.name_len))
			return -ENOMEM;
	}
	return 0;
}

enum reclaim reclaim_cache(const struct reclaim_caches *r, const char *cache)
{
	if (!cache)
		return RECLAIM_UNKNOWN;
	if (intern_find(&r->by[RECLAIM_NO], cache, strlen(cache)))
		return RECLAIM_NO;
	return intern_find(&r->by[RECLAIM_YES], cache, strlen(cache)) ? RECLAIM_YES
								      : RECLAIM_UNKNOWN;
}

void reclaim_caches_free(struct reclaim_caches *r)
{
	for (size_t i = 0; i < ARRAY_SIZE(r->by); i++)
		intern_free(&r->by[i]);
}

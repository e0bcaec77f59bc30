// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * analysis: the peak number of live kmalloc'ed objects, by callsite and size.
 * In: lives of slab objects. Out: counts by callsite and size.
 *
 * The peak of a sum is not the sum of the peaks, so callsites are resolved while lives come in,
 * once for each row of the account.
 */
#include "analysis/stat/size_peaks.h"

#include <errno.h>
#include <stdlib.h>

#include "analysis/bounds/slab_bounds.h"
#include "base/array.h"

#define NOT_KMALLOC UINT32_MAX

void size_peaks_init(struct size_peaks *p, const struct analysis_env *env,
		     const struct slab_lives *lives)
{
	*p = (struct size_peaks){ .env = env, .lives = lives };
	sites_init(&p->sites, env);
}

static uint32_t resolve(struct size_peaks *p, uint32_t row)
{
	const struct slab_key *key = slab_lives_key(p->lives, row);
	uint32_t stack, group;

	if (!key->kmalloc)
		return NOT_KMALLOC;
	stack = lives_stack(&p->lives->any, row);
	group = sites_group(&p->sites, sites_beyond(p->env, key->callsite, stack));
	if (group < UINT32_MAX - 1)
		return group + 1;
	p->failed = true;
	return NOT_KMALLOC;
}

/* The group of row @row, plus 1; NOT_KMALLOC: objects that do not count. */
static uint32_t site_of(struct size_peaks *p, uint32_t row)
{
	if (unlikely(row >= p->nr_rows)) {
		if (array_reserve(&p->site_of, &p->rows_capacity, row + 1UL,
				  sizeof(*p->site_of))) {
			p->failed = true;
			return NOT_KMALLOC;
		}
		while (p->nr_rows <= row)
			p->site_of[p->nr_rows++] = 0;
	}
	if (unlikely(!p->site_of[row]))
		p->site_of[row] = resolve(p, row);
	return p->site_of[row];
}

/* The counts of @key; NULL: no memory. */
static struct size_peak *counts_of(struct size_peaks *p, const struct size_peak_key *key)
{
	uint32_t *recent =
		recent_key(&p->recent, key->site, key->bytes_req, key->bytes_alloc);
	uint32_t id = *recent;

	if (likely(id))
		return &p->counts[id - 1];
	id = *recent = intern_id(&p->keys, key, sizeof(*key));
	if (!id || array_reserve(&p->counts, &p->capacity, id, sizeof(*p->counts)))
		return NULL;
	if (id > p->nr)
		p->counts[p->nr++] = (struct size_peak){ 0 };
	return &p->counts[id - 1];
}

static int count_site(struct size_peaks *p, uint32_t site)
{
	if (site >= p->nr_sites) {
		if (array_reserve(&p->totals, &p->sites_capacity, site + 1UL,
				  sizeof(*p->totals)))
			return -ENOMEM;
		while (p->nr_sites <= site)
			p->totals[p->nr_sites++] = (struct size_peak_site){ 0 };
	}
	p->totals[site].hit++;
	return 0;
}

/* @bytes rounded up to whole pages. */
static uint64_t whole_pages(const struct size_peaks *p, uint32_t bytes)
{
	uint64_t page = p->env->page_size;

	return (bytes + page - 1) / page * page;
}

/* @site gains or loses an object of size @key that consists of blocks of pages. */
static void count_pages(struct size_peaks *p, struct size_peak_site *site,
			const struct size_peak_key *key, bool born)
{
	struct size_peak_pages *now = &site->now;
	uint64_t needed = whole_pages(p, key->bytes_req);

	if (needed > key->bytes_alloc)
		needed = key->bytes_alloc;
	if (!born) {
		now->objects--;
		now->bytes -= key->bytes_alloc;
		now->needed -= needed;
		return;
	}
	now->objects++;
	now->bytes += key->bytes_alloc;
	now->needed += needed;
	if (now->bytes - now->needed > site->most.bytes - site->most.needed)
		site->most = *now;
	if (!site->large++) {
		site->bytes_req = key->bytes_req;
		site->bytes_alloc = key->bytes_alloc;
	} else if (site->bytes_req != key->bytes_req ||
		   site->bytes_alloc != key->bytes_alloc) {
		site->bytes_req = site->bytes_alloc = 0;
	}
}

static void take_one(struct size_peaks *p, const struct life *life)
{
	uint32_t site = site_of(p, life->row);
	struct size_peak_key key = { .bytes_req = (uint32_t)life->bytes_req,
				     .bytes_alloc = (uint32_t)life->bytes };
	struct size_peak *c;
	bool large;

	if (site == NOT_KMALLOC || life->what == LIFE_FOUND) /* it was gone before */
		return;
	key.site = site - 1;
	c = counts_of(p, &key);
	if (!c || (life->what == LIFE_BORN && count_site(p, key.site))) {
		p->failed = true;
		return;
	}
	large = key.bytes_alloc > p->lives->large_bytes;
	if (life->what != LIFE_BORN) {
		if (large && c->live) {
			count_pages(p, &p->totals[key.site], &key, false);
			p->totals[key.site].large_gone += life->what == LIFE_GONE;
		}
		c->live -= c->live != 0;
		if (c->live < c->low)
			c->low = c->live;
		c->gone += life->what == LIFE_GONE;
		return;
	}
	if (large)
		count_pages(p, &p->totals[key.site], &key, true);
	c->hit++;
	c->live++;
	if (c->live > c->most)
		c->most = c->low = c->live;
}

void size_peaks_take(struct size_peaks *p, const struct life *life, size_t nr)
{
	const struct life *end = life + nr;

	for (; life < end; life++)
		take_one(p, life);
}

/* How many objects of a callsite and size seem to live, and how many do: in parts of
 * SLAB_LIKELY_ONE.
 */
struct living {
	uint64_t nr, likely;
};

static uint64_t living_key(uint32_t site, uint32_t bytes)
{
	return (uint64_t)site << 32 | bytes;
}

/* Adds up the live objects: @index: living_key() -> number of @of. */
static int add_living(struct size_peaks *p, const struct slab_bounds *b,
		      struct u64_map *index, struct living *of)
{
	size_t i;

	for (i = 0; i < b->nr_pieces; i++) {
		const struct slab_piece *piece = &b->pieces[i];
		uint32_t site = site_of(p, piece->row), *at;

		if (site == NOT_KMALLOC)
			continue;
		at = u64_map_insert(index, living_key(site - 1, piece->bytes),
				    (uint32_t)index->count);
		if (!at)
			return -ENOMEM;
		of[*at].nr += piece->nr;
		of[*at].likely += piece->likely;
	}
	return 0;
}

static void lower_peaks(struct size_peaks *p, const struct u64_map *index,
			const struct living *of)
{
	size_t i;

	for (i = 0; i < p->nr; i++) {
		const struct size_peak_key *key = size_peaks_key(p, i);
		struct size_peak *c = &p->counts[i];
		const uint32_t *at =
			u64_map_find(index, living_key(key->site, key->bytes_alloc));

		c->seen = c->most;
		if (at)
			c->most -= (uint64_t)((double)c->low *
						      (1 - (double)of[*at].likely /
								   (double)of[*at].nr /
								   SLAB_LIKELY_ONE) +
					      0.5);
	}
}

int size_peaks_estimate(struct size_peaks *p, const struct slab_account *acc)
{
	struct slab_bounds b = { 0 };
	struct u64_map index = { 0 };
	struct living *of = NULL;
	int ret = slab_bounds_make(&b, acc, p->env);

	if (!ret)
		of = calloc(b.nr_pieces + 1, sizeof(*of));
	if (!ret)
		ret = of ? add_living(p, &b, &index, of) : -ENOMEM;
	if (!ret)
		lower_peaks(p, &index, of);
	free(of);
	u64_map_free(&index);
	slab_bounds_free(&b);
	return ret;
}

void size_peaks_free(struct size_peaks *p)
{
	free(p->site_of);
	free(p->counts);
	free(p->totals);
	intern_free(&p->keys);
	sites_free(&p->sites);
}

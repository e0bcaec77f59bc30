// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * analysis: advice about sizes: a kmem_cache of its own, and a structure that is just too large.
 * In: peaks of live objects, by callsite and size. Out: findings.
 */

#include "analysis/advise/advise.h"
#include "analysis/bounds/slab_bounds.h"
#include "analysis/stat/own_cache.h"
#include "base/array.h"
#include "recording/snapshot.h"

/* --- the peak number of live kmalloc'ed objects, by callsite and size --------------- */

#define NOT_KMALLOC UINT32_MAX

static uint32_t resolve(struct advise *a, uint32_t row)
{
	const struct slab_key *key = slab_lives_key(a->slab, row);
	uint32_t stack, group;

	if (!key->kmalloc)
		return NOT_KMALLOC;
	stack = lives_stack(&a->slab->any, row);
	group = sites_group(&a->sites, sites_beyond(a->env, key->callsite, stack));
	if (group < UINT32_MAX - 1)
		return group + 1;
	a->failed = true;
	return NOT_KMALLOC;
}

/* The group of row @row, plus 1; NOT_KMALLOC: objects that do not count. */
static uint32_t site_of(struct advise *a, uint32_t row)
{
	if (unlikely(row >= a->sizes.nr_rows) &&
	    array_reach(&a->sizes.site_of, &a->sizes.nr_rows, &a->sizes.rows_capacity,
			row + 1UL)) {
		a->failed = true;
		return NOT_KMALLOC;
	}
	if (unlikely(!a->sizes.site_of[row]))
		a->sizes.site_of[row] = resolve(a, row);
	return a->sizes.site_of[row];
}

/* The counts of @key; NULL: no memory. */
static struct size_peak *counts_of(struct advise *a, const struct size_peak_key *key)
{
	uint32_t *recent =
		recent_key(&a->sizes.recent, key->site, key->bytes_req, key->bytes_alloc);

	if (unlikely(!*recent))
		*recent = KEYED_ID(&a->sizes.counts, key);
	return *recent ? &a->sizes.counts.of[*recent - 1] : NULL;
}

static int count_site(struct advise *a, uint32_t site)
{
	if (site >= a->sizes.nr_sites &&
	    array_reach(&a->sizes.totals, &a->sizes.nr_sites, &a->sizes.sites_capacity,
			site + 1UL))
		return -ENOMEM;
	a->sizes.totals[site].hit++;
	return 0;
}

/* @bytes rounded up to whole pages. */
static uint64_t whole_pages(const struct advise *a, uint32_t bytes)
{
	uint64_t page = a->env->page_size;

	return (bytes + page - 1) / page * page;
}

/* @site gains or loses an object of size @key that consists of blocks of pages. */
static void count_pages(struct advise *a, struct size_peak_site *site,
			const struct size_peak_key *key, bool born)
{
	struct size_peak_pages *now = &site->now;
	uint64_t needed = SMALLER(whole_pages(a, key->bytes_req), key->bytes_alloc);

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

static void take_one(struct advise *a, const struct life *life)
{
	uint32_t site = site_of(a, life->row);
	struct size_peak_key key = { .bytes_req = (uint32_t)life->bytes_req,
				     .bytes_alloc = (uint32_t)life->bytes };
	struct size_peak *c;
	bool large;

	if (site == NOT_KMALLOC || life->what == LIFE_FOUND) /* it was gone before */
		return;
	key.site = site - 1;
	c = counts_of(a, &key);
	if (!c || (life->what == LIFE_BORN && count_site(a, key.site))) {
		a->failed = true;
		return;
	}
	large = key.bytes_alloc > a->slab->large_bytes;
	if (life->what != LIFE_BORN) {
		if (large && c->live) {
			count_pages(a, &a->sizes.totals[key.site], &key, false);
			a->sizes.totals[key.site].large_gone += life->what == LIFE_GONE;
		}
		c->live -= c->live != 0;
		if (c->live < c->low)
			c->low = c->live;
		c->gone += life->what == LIFE_GONE;
		return;
	}
	if (large)
		count_pages(a, &a->sizes.totals[key.site], &key, true);
	c->hit++;
	c->live++;
	if (c->live > c->most)
		c->most = c->low = c->live;
}

void size_peaks_take(struct advise *a, const struct life *life, size_t nr)
{
	const struct life *end = life + nr;

	for (; life < end; life++)
		take_one(a, life);
}

/* Bytes of a callsite and size that seem to live, and those that probably do. */
struct living {
	uint64_t seen, likely;
};

/* By living_key(). */
struct livings {
	INDEXED(struct living) of;
};

static uint64_t living_key(uint32_t site, uint32_t bytes)
{
	return (uint64_t)site << 32 | bytes;
}

/* Adds up the live objects. */
static int add_living(struct advise *a, const struct slab_bounds *b, struct livings *all)
{
	for (size_t i = 0; i < b->pieces.nr; i++) {
		const struct slab_piece *piece = &b->pieces.of[i];
		uint32_t site = site_of(a, piece->row);
		struct living *one;

		if (site == NOT_KMALLOC)
			continue;
		one = INDEXED_ITEM(&all->of, living_key(site - 1, piece->bytes));
		if (!one)
			return -ENOMEM;
		one->seen += piece->nr * piece->bytes;
		one->likely += piece->likely;
	}
	return 0;
}

static void lower_peaks(struct advise *a, const struct livings *all)
{
	for (size_t i = 0; i < a->sizes.counts.nr; i++) {
		const struct size_peak_key *key = KEYED_KEY(&a->sizes.counts, i);
		struct size_peak *c = &a->sizes.counts.of[i];
		const uint32_t *at = u64_map_find(
			&all->of.index, living_key(key->site, key->bytes_alloc));
		const struct living now = at ? all->of.of[*at] : (struct living){ 0 };

		c->seen = c->most;
		if (now.seen)
			c->most -= (uint64_t)((double)c->low *
						      (1 - (double)now.likely /
								   (double)now.seen) +
					      0.5);
	}
}

int size_peaks_estimate(struct advise *a)
{
	struct slab_bounds b = { 0 };
	struct livings all = { 0 };
	int ret = slab_bounds_of(&b, &a->slab->any, NULL, a->env)
			  ?: add_living(a, &b, &all);

	if (!ret)
		lower_peaks(a, &all);
	INDEXED_FREE(&all.of);
	slab_bounds_free(&b);
	return ret;
}

void size_peaks_free(struct size_peaks *p)
{
	free(p->site_of);
	free(p->totals);
	KEYED_FREE(&p->counts);
}

/* An object is just over a power of two if it is at most 1/8 larger. */
#define JUST_OVER 8

/* A callsite's size is dominant if at least this percentage of its kmallocs request it. */
#define DOMINANT 75

/* Does its callsite nearly always request size @i, and did the slab allocator serve it? */
static bool is_dominant(const struct advise *a, size_t i)
{
	const struct size_peaks *p = &a->sizes;
	const struct size_peak_key *key = KEYED_KEY(&p->counts, i);
	uint64_t all = p->totals[key->site].hit;

	return key->bytes_alloc <= a->slab->large_bytes &&
	       p->counts.of[i].hit * 100 >= all * DOMINANT;
}

/* "979 objects of 56 bytes live at once, each in 64; ...", and what makes their number uncertain.
 */
static void tell_objects(const struct advise *a, size_t i, struct finding *f)
{
	const struct size_peaks *p = &a->sizes;
	const struct size_peak_key *key = KEYED_KEY(&p->counts, i);
	const struct size_peak *c = &p->counts.of[i];
	uint64_t all = p->totals[key->site].hit;

	f->site = key->site;
	f->hit = c->hit;
	f->live = c->most;
	f->bytes_req = key->bytes_req;
	f->object = key->bytes_alloc;
	strbuf_printf(&f->evidence,
		      "%" PRIu64 " object%s of %" PRIu32
		      " bytes live at once, each in %" PRIu32 "; %" PRIu64 " of %" PRIu64
		      " kmalloc%s there ask%s for that size",
		      c->most, plural(c->most), key->bytes_req, key->bytes_alloc, c->hit,
		      all, plural(all), all == 1 ? "s" : "");
	advise_doubt_live(a, c->gone, f);
	if (c->seen > c->most)
		strbuf_printf(
			&f->doubt,
			"; %" PRIu64
			" seemed to be live at once, which is more than the kernel counts",
			c->seen);
}

void advise_doubt_live(const struct advise *a, uint64_t gone, struct finding *f)
{
	strbuf_puts(&f->doubt, "objects from before the recording are not counted");
	if (gone)
		strbuf_printf(
			&f->doubt,
			"; %" PRIu64
			" were freed without an event, and count as live until then",
			gone);
	if (a->slab->any.losses)
		strbuf_puts(
			&f->doubt,
			"; events were lost: what was freed meanwhile counts as live");
}

/* --- a kmem_cache of its own ------------------------------------------------------------ */

/* "979 x (64 - 56) - 26 unused x 56 - 15 slabs x 344 = 1216" */
static void tell_arithmetic(struct finding *f, const struct own_cache *c,
			    const struct own_cache_gain *g)
{
	struct strbuf *to = &f->arithmetic;

	strbuf_printf(to, "%" PRIu64 " x (%" PRIu64 " - %" PRIu64 ")", f->live, f->object,
		      c->size);
	if (g->unused)
		strbuf_printf(to, " - %" PRIu64 " unused x %" PRIu64, g->unused, c->size);
	if (g->tail)
		strbuf_printf(to, " - %" PRIu64 " slab%s x %" PRIu64 " left over",
			      g->slabs, plural(g->slabs), g->tail);
	strbuf_printf(to,
		      " = %" PRId64 "; %" PRIu64 " slab%s of %" PRIu64
		      " bytes with %" PRIu64 " object%s, as ",
		      g->bytes, g->slabs, plural(g->slabs), c->slab_bytes, c->per_slab,
		      plural(c->per_slab));
	if (c->like)
		strbuf_printf(to, "those of %s", c->like);
	else
		strbuf_puts(to, "SLUB's rule has it");
}

static void tell_merge(struct finding *f, const struct own_cache *c)
{
	if (c->merge == OWN_CACHE_MERGED)
		strbuf_printf(
			&f->merge,
			"SLUB would make it another name of %s, which has objects of %" PRIu64
			" bytes too; the objects are as small, in shared slabs (SLAB_NO_MERGE keeps it apart)",
			c->with, c->size);
	else if (c->merge == OWN_CACHE_APART)
		strbuf_printf(&f->merge,
			      "no: no cache without flags has objects of %" PRIu64
			      " bytes",
			      c->size);
	else
		strbuf_puts(
			&f->merge,
			"not known: the recording lacks slabinfo or the links of /sys/kernel/slab");
}

static int add_own_cache(struct advise_view *v, const struct own_caches *all, size_t i)
{
	const struct size_peak_key *key = KEYED_KEY(&v->a->sizes.counts, i);
	const struct own_cache c = own_caches_find(all, key->bytes_req);
	const struct own_cache_gain g =
		own_cache_gain(&c, v->a->sizes.counts.of[i].most, key->bytes_alloc);
	struct finding f = { 0 };

	if (g.bytes <= 0)
		return 0;
	tell_objects(v->a, i, &f);
	f.bytes = (uint64_t)g.bytes;
	f.better = c.size;
	tell_arithmetic(&f, &c, &g);
	strbuf_puts(&f.doubt, "; each CPU that allocates keeps slabs of its own");
	tell_merge(&f, &c);
	return advise_add(v, &f);
}

int advise_own_cache(struct advise_view *v)
{
	const struct advise *a = v->a;
	struct own_caches all;
	int ret = own_caches_init(&all, a->env);

	for (size_t i = 0; i < a->sizes.counts.nr && !ret; i++) {
		if (is_dominant(a, i))
			ret = add_own_cache(v, &all, i);
	}
	own_caches_free(&all);
	return ret;
}

/* --- just over a power of two ----------------------------------------------------------- */

/* The largest power of two that is less than @bytes, at least 2. */
static uint32_t power_below(uint32_t bytes)
{
	return 1U << (31 - (unsigned int)__builtin_clz(bytes - 1));
}

static bool is_power(uint64_t bytes)
{
	return bytes && bytes <= UINT32_MAX && !(bytes & (bytes - 1));
}

/* The power-of-two classes of kmalloc; each class is its own bit. Only those that an event or
 * slabinfo shows: kernels differ.
 */
static uint32_t find_classes(const struct advise *a)
{
	static const char prefix[] = "kmalloc-";
	const char *text = recording_meta_text(a->env->rec, "slabinfo.after");
	struct slabinfo_line line;
	uint32_t classes = 0;

	for (size_t i = 0; i < a->sizes.counts.nr; i++) {
		uint32_t bytes =
			((const struct size_peak_key *)KEYED_KEY(&a->sizes.counts, i))
				->bytes_alloc;

		if (is_power(bytes))
			classes |= bytes;
	}
	while (slabinfo_next(&text, &line)) {
		if (is_power(line.size) && line.name_len > strlen(prefix) &&
		    !strncmp(line.name, prefix, strlen(prefix)))
			classes |= (uint32_t)line.size;
	}
	return classes;
}

/* The class that the object would fit if it were a little smaller; 0: none. */
static uint32_t smaller_class(const struct advise *a, size_t i, uint32_t classes)
{
	const struct size_peak_key *key = KEYED_KEY(&a->sizes.counts, i);
	uint32_t less;

	if (key->bytes_req < 3 || !is_dominant(a, i))
		return 0;
	less = power_below(key->bytes_req);
	return key->bytes_req - less <= less / JUST_OVER && less & classes &&
			       key->bytes_alloc > less
		       ? less
		       : 0;
}

int advise_shrink(struct advise_view *v)
{
	const struct advise *a = v->a;
	uint32_t classes = find_classes(a);
	int ret = 0;

	for (size_t i = 0; i < a->sizes.counts.nr && !ret; i++) {
		uint32_t less = smaller_class(a, i, classes);
		struct finding f = { 0 };

		if (!less || !a->sizes.counts.of[i].most)
			continue;
		tell_objects(a, i, &f);
		f.better = less;
		f.bytes = f.live * (f.object - less);
		strbuf_printf(&f.evidence, "; %" PRIu64 " byte%s less would fit %" PRIu32,
			      f.bytes_req - less, plural(f.bytes_req - less), less);
		strbuf_printf(&f.arithmetic,
			      "%" PRIu64 " x (%" PRIu64 " - %" PRIu32 ") = %" PRIu64,
			      f.live, f.object, less, f.bytes);
		strbuf_puts(
			&f.doubt,
			"; whether the structure can be smaller is not in the events");
		ret = advise_add(v, &f);
	}
	return ret;
}

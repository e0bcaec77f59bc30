// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * analysis: advice about sizes: a kmem_cache of its own, and a structure that is just too large.
 * In: peaks of live objects, by callsite and size. Out: findings.
 */
#include <inttypes.h>
#include <string.h>

#include "account/snapshot.h"
#include "analysis/advise/advise.h"
#include "analysis/stat/own_cache.h"

/* An object is just over a power of two if it is at most 1/8 larger. */
#define JUST_OVER 8

/* A callsite's size is dominant if at least this percentage of its kmallocs request it. */
#define DOMINANT 75

/* Does its callsite nearly always request size @i, and did the slab allocator serve it? */
static bool is_dominant(const struct advise *a, size_t i)
{
	const struct size_peaks *p = &a->sizes;
	const struct size_peak_key *key = size_peaks_key(p, i);
	uint64_t all = p->totals[key->site].hit;

	return key->bytes_alloc <= a->slab->lives.large_bytes &&
	       p->counts[i].hit * 100 >= all * DOMINANT;
}

/* "979 objects of 56 bytes live at once, each in 64; ...", and what makes their number uncertain.
 */
static void tell_objects(const struct advise *a, size_t i, struct finding *f)
{
	const struct size_peaks *p = &a->sizes;
	const struct size_peak_key *key = size_peaks_key(p, i);
	const struct size_peak *c = &p->counts[i];
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
	if (a->slab->lives.any.losses)
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

static int add_own_cache(const struct finding_kind *kind, struct advise_view *v,
			 const struct own_caches *all, size_t i)
{
	const struct size_peak_key *key = size_peaks_key(&v->a->sizes, i);
	const struct own_cache c = own_caches_find(all, key->bytes_req);
	const struct own_cache_gain g =
		own_cache_gain(&c, v->a->sizes.counts[i].most, key->bytes_alloc);
	struct finding f = { .kind = kind };

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

static int find_own_cache(const struct finding_kind *kind, struct advise_view *v)
{
	const struct advise *a = v->a;
	struct own_caches all;
	int ret = own_caches_of(&all, a->env);

	for (size_t i = 0; i < a->sizes.nr && !ret; i++) {
		if (is_dominant(a, i))
			ret = add_own_cache(kind, v, &all, i);
	}
	own_caches_free(&all);
	return ret;
}

/* Objects of one size that their own kmem_cache would pack more densely than kmalloc does. */
const struct finding_kind finding_own_cache = {
	.name = "own-cache",
	.more = "stat --sizes",
	.find = find_own_cache,
};

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
	const struct recording_text *slabinfo =
		recording_meta(a->env->rec, "slabinfo.after");
	const char *text = slabinfo ? slabinfo->text : NULL;
	struct slabinfo_line line;
	uint32_t classes = 0;

	for (size_t i = 0; i < a->sizes.nr; i++) {
		uint32_t bytes = size_peaks_key(&a->sizes, i)->bytes_alloc;

		if (is_power(bytes))
			classes |= bytes;
	}
	while (text && slabinfo_next(&text, &line)) {
		if (is_power(line.size) && line.name_len > strlen(prefix) &&
		    !strncmp(line.name, prefix, strlen(prefix)))
			classes |= (uint32_t)line.size;
	}
	return classes;
}

/* The class that the object would fit if it were a little smaller; 0: none. */
static uint32_t smaller_class(const struct advise *a, size_t i, uint32_t classes)
{
	const struct size_peak_key *key = size_peaks_key(&a->sizes, i);
	uint32_t less;

	if (key->bytes_req < 3 || !is_dominant(a, i))
		return 0;
	less = power_below(key->bytes_req);
	return key->bytes_req - less <= less / JUST_OVER && less & classes &&
			       key->bytes_alloc > less
		       ? less
		       : 0;
}

static int find_shrink(const struct finding_kind *kind, struct advise_view *v)
{
	const struct advise *a = v->a;
	uint32_t classes = find_classes(a);
	int ret = 0;

	for (size_t i = 0; i < a->sizes.nr && !ret; i++) {
		uint32_t less = smaller_class(a, i, classes);
		struct finding f = { .kind = kind };

		if (!less || !a->sizes.counts[i].most)
			continue;
		tell_objects(a, i, &f);
		f.better = less;
		f.bytes = f.live * (f.object - less);
		strbuf_printf(&f.evidence, "; %" PRIu64 " bytes less would fit %" PRIu32,
			      f.bytes_req - less, less);
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

/* Objects at most 1/8 larger than a power of two: a few bytes less, and they fit the next smaller
 * kmalloc class.
 */
const struct finding_kind finding_shrink = {
	.name = "shrink",
	.more = "stat --sizes",
	.find = find_shrink,
};

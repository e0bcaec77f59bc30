// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * analysis: how many of the seemingly live slab objects probably live.
 * In: pieces of rows, the kernel's own count. Out: an estimate for each piece, in .likely.
 */
#include "analysis/bounds/slab_bounds.h"

#include "base/array.h"

/* Pages of the largest slab. */
#define SLAB_PAGES_MAX 8

/* What identifies an allocator, without the other parts of a row. */
struct maker_key {
	uint64_t callsite;
	uint32_t cache, kmalloc;
};

/* A callsite's seemingly live objects of a class.
 * @site: number of its struct maker_key; @of: the class
 * @nr: how many there are; @ended: how many others of the callsite were freed without an event
 * @gone: how many of @nr are probably not live
 */
struct maker {
	uint32_t site, of;
	uint64_t nr;
	double ended, gone;
};

struct makers {
	struct intern sites;  /* struct maker_key */
	uint64_t *ended;      /* by site */
	uint64_t *nr;	      /* the same: seemingly live objects */
	uint32_t *site_of;    /* by row of the account */
	struct u64_map index; /* site and class -> maker */
	struct maker *of;
	size_t count, capacity;
};

/* --- frees of older objects --------------------------------------------------------------- */

/* Which class the slab of each page with live objects belongs to. If objects that are gone make it
 * seem that there are several, it is the last: live objects come in no particular order.
 */
static int find_pages(const struct slab_bounds *b, struct u64_map *pages)
{
	const struct live_entry *e = NULL;

	while ((e = lives_next(&b->acc->lives.any, e))) {
		const uint32_t *piece =
			u64_map_find(&b->index, (uint64_t)e->row << 32 | e->bytes_alloc);
		uint32_t of = piece ? b->pieces[*piece].of : UINT32_MAX, *known;

		if (of >= b->census.nr_classes)
			continue;
		known = u64_map_insert(pages, e->key >> SLAB_PAGE_SHIFT, of);
		if (!known)
			return -ENOMEM;
		if (*known < of)
			*known = of;
	}
	return 0;
}

/* Do slabs of the class have @span pages? */
static bool has_slabs_of(const struct census *c, uint32_t of, uint64_t span)
{
	for (uint32_t i = c->classes[of].caches; i != UINT32_MAX; i = c->caches[i].next)
		if (c->caches[i].pages >= span)
			return true;
	return false;
}

/* The class of an object in @page: that of a live object of the same slab; UINT32_MAX: none. */
static uint32_t class_of_page(const struct slab_bounds *b, const struct u64_map *pages,
			      uint64_t page)
{
	for (uint64_t span = 1; span <= SLAB_PAGES_MAX; span *= 2) {
		uint64_t first = page & ~(span - 1);

		for (uint64_t p = first; p < first + span; p++) {
			const uint32_t *of = u64_map_find(pages, p);

			if (of && has_slabs_of(&b->census, *of, span))
				return *of;
		}
	}
	return UINT32_MAX;
}

/* Tells the census of which classes kfree() probably freed older objects. Those whose slab shows no
 * live object are shared like the others.
 */
static int tell_older(struct slab_bounds *b)
{
	const struct u64_map *older = &b->acc->lives.older_kfrees;
	struct u64_map pages = { 0 };
	uint64_t known = 0, all = 0;
	int ret = older->count ? find_pages(b, &pages) : 0;

	for (size_t i = 0; i < older->capacity && !ret; i++) {
		const struct u64_map_slot *slot = &older->slots[i];
		uint32_t of =
			slot->used ? class_of_page(b, &pages, slot->key) : UINT32_MAX;

		all += slot->used ? slot->value : 0;
		if (of == UINT32_MAX)
			continue;
		known += slot->value;
		b->census.classes[of].old_kfreed += slot->value;
	}
	for (size_t i = 0; i < b->census.nr_classes && known; i++) {
		uint64_t *nr = &b->census.classes[i].old_kfreed;

		*nr = (uint64_t)((double)*nr * (double)all / (double)known + 0.5);
	}
	u64_map_free(&pages);
	return ret;
}

/* --- who allocated what is missing ---------------------------------------------------------- */

static int find_sites(const struct slab_bounds *b, struct makers *m)
{
	const struct slab_account *acc = b->acc;

	m->site_of = calloc(acc->nr_rows + 1, sizeof(*m->site_of));
	m->ended = calloc(acc->nr_rows + 1, sizeof(*m->ended));
	m->nr = calloc(acc->nr_rows + 1, sizeof(*m->nr));
	if (!m->site_of || !m->ended || !m->nr)
		return -ENOMEM;
	for (size_t i = 0; i < acc->nr_rows; i++) {
		const struct slab_key *from = slab_lives_key(&acc->lives, i);
		const struct maker_key key = { from->callsite, from->cache,
					       from->kmalloc };
		uint32_t id = intern_id(&m->sites, &key, sizeof(key));

		if (!id)
			return -ENOMEM;
		m->site_of[i] = id - 1;
		m->ended[id - 1] += acc->rows[i].implicit;
	}
	return 0;
}

/* The maker of @piece; NULL: no memory. */
static struct maker *maker_of(struct makers *m, const struct slab_piece *piece)
{
	uint32_t site = m->site_of[piece->row];
	uint32_t *at = u64_map_insert(&m->index, (uint64_t)site << 32 | piece->of,
				      (uint32_t)m->count);

	if (!at || array_reserve(&m->of, &m->capacity, *at + 1UL, sizeof(*m->of)))
		return NULL;
	if (*at == m->count)
		m->of[m->count++] = (struct maker){ .site = site, .of = piece->of };
	return &m->of[*at];
}

static int find_makers(const struct slab_bounds *b, struct makers *m)
{
	for (size_t i = 0; i < b->nr_pieces; i++) {
		struct maker *maker = maker_of(m, &b->pieces[i]);

		if (!maker)
			return -ENOMEM;
		maker->nr += b->pieces[i].nr;
		m->nr[maker->site] += b->pieces[i].nr;
	}
	/* Divides the ended objects of a callsite among its sizes, in proportion to live ones. */
	for (size_t i = 0; i < m->count; i++)
		m->of[i].ended = (double)m->ended[m->of[i].site] * (double)m->of[i].nr /
				 (double)m->nr[m->of[i].site];
	return 0;
}

/* By class; then those first of which an equal share of the missing is the largest part. */
static int compare_makers(const void *a, const void *b)
{
	const struct maker *x = a, *y = b;
	double of_x = x->ended * (double)y->nr, of_y = y->ended * (double)x->nr;

	if (x->of != y->of)
		return x->of < y->of ? -1 : 1;
	if (of_x != of_y)
		return of_x > of_y ? -1 : 1;
	return (x->site > y->site) - (x->site < y->site);
}

/* Shares @missing objects of a class among its @nr makers: in proportion to the ends that each had
 * without an event, then to what each has left.
 */
static void share_missing(struct maker *makers, size_t nr, double missing)
{
	double ended = 0, left = 0;

	for (size_t i = 0; i < nr; i++)
		ended += makers[i].ended;
	for (size_t i = 0; i < nr && makers[i].ended > 0 && missing > 0; i++) {
		double part = missing * makers[i].ended / ended;

		if (part > (double)makers[i].nr)
			part = (double)makers[i].nr;
		makers[i].gone = part;
		missing -= part;
		ended -= makers[i].ended;
	}
	for (size_t i = 0; i < nr; i++)
		left += (double)makers[i].nr - makers[i].gone;
	for (size_t i = 0; i < nr && missing > 0 && left > 0; i++)
		makers[i].gone +=
			missing * ((double)makers[i].nr - makers[i].gone) / left;
}

static void estimate_makers(const struct slab_bounds *b, struct makers *m)
{
	size_t i, end;

	if (m->count)
		qsort(m->of, m->count, sizeof(*m->of), compare_makers);
	for (i = 0; i < m->count; i = end) {
		uint64_t likely, nr = 0;
		double ended = 0;

		for (end = i; end < m->count && m->of[end].of == m->of[i].of; end++) {
			nr += m->of[end].nr;
			ended += m->of[end].ended;
		}
		likely = census_likely(&b->census, m->of[i].of, (uint64_t)(ended + 0.5));
		if (likely < nr)
			share_missing(&m->of[i], end - i, (double)(nr - likely));
	}
}

static int estimate_pieces(struct slab_bounds *b, struct makers *m)
{
	u64_map_free(&m->index);
	for (size_t i = 0; i < m->count; i++)
		if (!u64_map_insert(&m->index,
				    (uint64_t)m->of[i].site << 32 | m->of[i].of,
				    (uint32_t)i))
			return -ENOMEM;
	for (size_t i = 0; i < b->nr_pieces; i++) {
		struct slab_piece *piece = &b->pieces[i];
		const struct maker *maker = maker_of(m, piece);
		double part = maker->gone / (double)maker->nr;

		piece->likely =
			(uint64_t)((double)piece->nr * (1 - part) * SLAB_LIKELY_ONE +
				   0.5);
	}
	return 0;
}

int slab_likely_make(struct slab_bounds *b, bool older)
{
	struct makers m = { 0 };
	int ret = older ? tell_older(b) : 0;

	ret = ret ?: find_sites(b, &m);
	ret = ret ?: find_makers(b, &m);
	if (!ret) {
		estimate_makers(b, &m);
		ret = estimate_pieces(b, &m);
	}
	intern_free(&m.sites);
	u64_map_free(&m.index);
	free(m.ended);
	free(m.nr);
	free(m.site_of);
	free(m.of);
	return ret;
}

// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * analysis: how many of the seemingly live slab objects probably live.
 * In: pieces of rows, the kernel's own count. Out: an estimate for each piece, in .likely.
 */
#include "analysis/bounds/slab_bounds.h"
#include "base/array.h"

/* What identifies an allocator, without the other parts of a row. */
struct maker_key {
	uint64_t callsite;
	uint32_t cache, kmalloc;
};

/* A callsite's seemingly live objects of a class.
 * @site: number of its struct maker_key; @of: the class
 * @nr, @bytes: how many there are; @ended: how many others of the callsite were freed without an
 * event
 * @gone: how many of @nr are probably not live; @likely: bytes that probably are
 * @passed: of @bytes, those of pieces that have their part of @likely
 */
struct maker {
	uint32_t site, of;
	uint64_t nr, bytes, likely, passed;
	double ended, gone;
};

/* @ended: freed without an event; @nr: seemingly live */
struct maker_site {
	uint64_t ended, nr;
};

struct makers {
	KEYED(struct maker_site) sites; /* by struct maker_key */
	uint32_t *site_of;		/* by row of the account */
	INDEXED(struct maker) of;	/* by site and class */
};

/* --- frees of older objects --------------------------------------------------------------- */

/* Maps each page with live objects to the class of its slab. If objects that are gone suggest
 * several classes, it is the last one: live objects come in no particular order.
 */
static int find_pages(const struct slab_bounds *b, struct u64_map *pages)
{
	const struct live_entry *e = NULL;

	while ((e = lives_next(&b->acc->any, e))) {
		const uint32_t *piece = u64_map_find(
			&b->pieces.index, (uint64_t)e->row << 32 | e->bytes_alloc);
		uint32_t of = piece ? b->pieces.of[*piece].of : UINT32_MAX, *known;

		if (of >= b->census.nr_classes)
			continue;
		known = u64_map_insert(pages, e->key >> SLAB_PAGE_SHIFT, of);
		if (!known)
			return -ENOMEM;
		*known = LARGER(*known, of);
	}
	return 0;
}

/* Do slabs of the class have @span pages or more? */
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

/* Passes the census the classes of older objects that kfree() probably freed. Objects of slabs
 * without live objects are divided among the classes in proportion to the others.
 */
static int pass_older(struct slab_bounds *b)
{
	const struct u64_map *older = &b->acc->older_kfrees;
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
	const struct slab_lives *acc = b->acc;

	m->site_of = calloc(lives_rows(b->lives) + 1, sizeof(*m->site_of));
	if (!m->site_of)
		return -ENOMEM;
	for (size_t i = 0; i < lives_rows(b->lives); i++) {
		const struct slab_key *from = slab_lives_key(acc, i);
		const struct maker_key key = { from->callsite, from->cache,
					       from->kmalloc };
		uint32_t id = KEYED_ID(&m->sites, &key);

		if (!id)
			return -ENOMEM;
		m->site_of[i] = id - 1;
		m->sites.of[id - 1].ended += b->lives->rows[i].implicit;
	}
	return 0;
}

/* The maker of @piece; NULL: no memory. */
static struct maker *maker_of(struct makers *m, const struct slab_piece *piece)
{
	uint32_t site = m->site_of[piece->row];
	struct maker *maker = INDEXED_ITEM(&m->of, (uint64_t)site << 32 | piece->of);

	if (maker) {
		maker->site = site;
		maker->of = piece->of;
	}
	return maker;
}

static int find_makers(const struct slab_bounds *b, struct makers *m)
{
	for (size_t i = 0; i < b->pieces.nr; i++) {
		struct maker *maker = maker_of(m, &b->pieces.of[i]);

		if (!maker)
			return -ENOMEM;
		maker->nr += b->pieces.of[i].nr;
		maker->bytes += b->pieces.of[i].nr * b->pieces.of[i].bytes;
		m->sites.of[maker->site].nr += b->pieces.of[i].nr;
	}
	/* Divides the ended objects of a callsite among its sizes, in proportion to live ones. */
	for (size_t i = 0; i < m->of.nr; i++)
		m->of.of[i].ended = (double)m->sites.of[m->of.of[i].site].ended *
				    (double)m->of.of[i].nr /
				    (double)m->sites.of[m->of.of[i].site].nr;
	return 0;
}

/* By class, then by ended / nr, largest first: these reach their limit first. */
ORDER(compare_makers, struct maker,
      UP(of) ?: COMPARE(y->ended * (double)x->nr, x->ended * (double)y->nr) ?: UP(site))

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

/* Gives each maker of a class its bytes. What rounding leaves is carried over to the next one, so
 * the sum is that of whole objects.
 */
static void round_makers(struct maker *makers, size_t nr)
{
	uint64_t given = 0;
	double all = 0;

	for (size_t i = 0; i < nr; i++) {
		struct maker *maker = &makers[i];

		all += (double)maker->bytes * (1 - maker->gone / (double)maker->nr);
		maker->likely = less((uint64_t)(all + 0.5), given);
		given += maker->likely;
	}
}

static void estimate_makers(const struct slab_bounds *b, struct makers *m)
{
	size_t i, end;

	if (m->of.nr)
		qsort(m->of.of, m->of.nr, sizeof(*m->of.of), compare_makers);
	for (i = 0; i < m->of.nr; i = end) {
		uint64_t likely, nr = 0;
		double ended = 0;

		for (end = i; end < m->of.nr && m->of.of[end].of == m->of.of[i].of;
		     end++) {
			nr += m->of.of[end].nr;
			ended += m->of.of[end].ended;
		}
		likely = census_likely(&b->census, m->of.of[i].of,
				       (uint64_t)(ended + 0.5));
		if (likely < nr)
			share_missing(&m->of.of[i], end - i, (double)(nr - likely));
		round_makers(&m->of.of[i], end - i);
	}
}

/* Of @maker's likely bytes, those of the pieces that were passed. */
static uint64_t given_by(const struct maker *maker)
{
	if (!maker->bytes)
		return 0;
	return (uint64_t)((double)maker->likely * (double)maker->passed /
				  (double)maker->bytes +
			  0.5);
}

static int estimate_pieces(struct slab_bounds *b, struct makers *m)
{
	u64_map_free(&m->of.index);
	for (size_t i = 0; i < m->of.nr; i++)
		if (!u64_map_insert(&m->of.index,
				    (uint64_t)m->of.of[i].site << 32 | m->of.of[i].of,
				    (uint32_t)i))
			return -ENOMEM;
	for_each(piece, b->pieces.of, b->pieces.nr) {
		struct maker *maker = maker_of(m, piece);
		uint64_t given = given_by(maker);

		maker->passed += piece->nr * piece->bytes;
		piece->likely = given_by(maker) - given;
	}
	return 0;
}

int slab_likely_make(struct slab_bounds *b, bool older)
{
	struct makers m = { 0 };
	int ret = older ? pass_older(b) : 0;

	ret = ret ?: find_sites(b, &m);
	ret = ret ?: find_makers(b, &m);
	if (!ret) {
		estimate_makers(b, &m);
		ret = estimate_pieces(b, &m);
	}
	KEYED_FREE(&m.sites);
	free(m.site_of);
	INDEXED_FREE(&m.of);
	return ret;
}

// SPDX-License-Identifier: GPL-2.0-or-later
#include "account/slab_lives.h"

/* ZERO_SIZE_PTR, what kmalloc(0) returns and kfree() ignores like NULL (slab.h). */
#define ZERO_SIZE_PTR_VALUE 16

/* May @ev have happened before the event of @cpu at @ts, which it follows in the stream? */
static bool within_skew(const struct slab_lives *l, const struct kmem_event *ev,
			uint64_t ts, uint16_t cpu)
{
	return cpu != (uint16_t)ev->cpu && ev->ts - ts <= l->skew;
}

static struct slab_over *slab_over(struct slab_lives *l, uint64_t ptr)
{
	return &l->over[hash_u64(ptr) % SLAB_OVER_SLOTS];
}

static struct slab_key slab_key_of(const struct kmem_event *ev,
				   const struct dimension_values *dims)
{
	return (struct slab_key){ ev->slab_alloc.callsite,
				  ev->slab_alloc.cache & INT32_MAX,
				  kmem_is_kmalloc(ev->type), *dims, 0 };
}

/* The row of allocation @ev; keys repeat all the time. UINT32_MAX: no memory. */
static __always_inline uint32_t slab_row(struct slab_lives *l,
					 const struct kmem_event *ev,
					 const struct dimension_values *dims, bool plain)
{
	uint32_t rest = (ev->slab_alloc.cache & INT32_MAX) |
			(uint32_t)(ev->type & KMEM_CACHE_ALLOC) << 29;
	uint64_t callsite = ev->slab_alloc.callsite;
	uint64_t mix = callsite ^ (uint64_t)rest << 20;
	struct slab_recent *recent;
	struct slab_key key;

	_Static_assert(KMEM_CACHE_ALLOC == 4 && KMEM_CACHE_ALLOC_NODE == 5 &&
			       KMEM_KMALLOC_NODE < 4,
		       "one bit distinguishes them");
	if (!plain)
		mix ^= dimension_values_mix(dims);
	recent = &l->recent[mix * HASH_GOLDEN >> (64 - SLAB_RECENT_BITS)];
	if (likely(recent->callsite == callsite && recent->rest == rest && recent->id &&
		   (plain || dimension_values_equal(&recent->dims, dims))))
		return recent->id - 1;
	key = slab_key_of(ev, dims);
	*recent = (struct slab_recent){ callsite, rest, lives_number(&l->any, &key),
					*dims };
	return recent->id - 1;
}

/* May a later event show that the free of @e was not what it seemed? */
static bool slab_in_question(struct slab_lives *l, const struct live_entry *e,
			     uint64_t now)
{
	if (likely(!e->flags))
		return false;
	if (e->flags & SLAB_DYING)
		return slab_probes_lasts(e, now);
	if (e->flags & SLAB_OVER && slab_over(l, e->key)->object.key == e->key)
		return true;
	return now - e->ts <= l->skew;
}

/* Moves freed addresses out of the full table. False: no memory. */
static bool slab_sweep(struct slab_lives *l, uint64_t now)
{
	struct live_table *t = &l->any.live;

	for (size_t i = 0; i < t->capacity; i++) {
		/* A removal moves another entry into the place, perhaps a freed one. */
		while (t->entries[i].state == LIVE_FREED &&
		       !slab_in_question(l, &t->entries[i], now)) {
			if (!addr_set_add(&l->freed, t->entries[i].key))
				return false;
			live_remove(t, &t->entries[i]);
		}
	}
	return true;
}

/* Makes room in the full table: moves out freed addresses if they are more than a sixteenth of it,
 * else grows. A small table grows unless half of it is freed: scanning takes longer than growing.
 * False: no memory.
 */
static bool slab_room(struct slab_lives *l, uint64_t now)
{
	struct live_table *t = &l->any.live;
	size_t i, freed = 0;

	for (i = 0; i < t->capacity; i++)
		freed += t->entries[i].state == LIVE_FREED &&
			 !slab_in_question(l, &t->entries[i], now);
	if (freed > t->count / (live_is_small(t) ? 2 : 16) && !slab_sweep(l, now))
		return false;
	return !live_full(t) || live_grow(t);
}

/* The entry of @ev's address, whose live_hash() is @hash; it may be new. NULL: no memory. */
static inline struct live_entry *slab_entry(struct slab_lives *l,
					    const struct kmem_event *ev, uint32_t hash)
{
	if (unlikely(live_full(&l->any.live)) && !slab_room(l, ev->ts))
		return NULL;
	return live_add_hash(&l->any.live, ev->slab_free.ptr, hash);
}

/* Adds a life of the object of @e, which is or was in the table, to the batch. */
static __always_inline struct life *slab_life(struct slab_lives *l,
					      const struct live_entry *e,
					      const struct kmem_event *ev,
					      enum life_what what)
{
	struct life *life = l->any.next++;

	life->event = ev;
	life->begin = 0;
	life->at = e->key;
	life->nr = 1;
	life->bytes_req = e->bytes_req;
	life->bytes = e->bytes_alloc;
	life->row = e->row;
	life->cpu = e->cpu;
	life->what = (uint8_t)what;
	life->flags = 0;
	return life;
}

/* @e is a surplus free that may be that of an object being allocated: keeps who freed. Returns the
 * flags of the new object.
 */
static uint8_t slab_early(struct slab_lives *l, const struct live_entry *e)
{
	uint32_t *row = u64_map_insert(&l->early_free_only, e->key, e->row);

	if (!row) {
		l->any.failed = true;
		return 0;
	}
	*row = e->row;
	return e->flags & (SLAB_SURPLUS | SLAB_SURPLUS_DUP);
}

/* Who freed early: index in @free_only. */
static uint32_t slab_early_row(const struct slab_lives *l, const struct live_entry *e)
{
	const uint32_t *row = u64_map_find(&l->early_free_only, e->key);

	return row ? *row : 0;
}

/* The free of @e's live object came first: it was the surplus free. */
static void slab_reordered_free(struct slab_lives *l, const struct live_entry *e,
				const struct kmem_event *ev)
{
	struct slab_totals *sum = &l->counted;
	struct slab_free_only *by = &l->free_only.of[slab_early_row(l, e)];
	bool doubled = e->flags & SLAB_SURPLUS_DUP;
	uint32_t *nr = u64_map_find(
		&l->surplus, slab_surplus_key(slab_lives_key(l, e->row)->cache, doubled));
	struct life *life = slab_life(l, e, ev, LIFE_FREED);

	life->begin = live_begin(&l->any.live, e);
	life->flags = LIFE_OTHER_CPU | LIFE_REORDERED | (doubled ? LIFE_DOUBLED : 0);
	if (nr && *nr)
		--*nr;
	if (doubled) {
		sum->doubled--;
		by->doubled--;
	} else {
		sum->unmatched--;
		by->unmatched--;
	}
	sum->reordered++;
}

/* Does the user's filter hide what @ev allocates? */
static inline bool slab_hides(const struct slab_lives *l, const struct kmem_event *ev)
{
	return l->any.filtered && ev->hidden;
}

/* The row of a hidden object. */
static uint32_t slab_hidden_row(struct slab_lives *l, const struct kmem_event *ev,
				const struct dimension_values *dims)
{
	const struct slab_key key = slab_key_of(ev, dims);

	return lives_hidden_row(&l->any, &key);
}

/* A live address is allocated again. Returns the flags of the new object. */
static uint8_t slab_alloc_over(struct slab_lives *l, const struct live_entry *e,
			       const struct kmem_event *ev)
{
	struct life *life;

	if (unlikely(e->flags & SLAB_SURPLUS)) {
		slab_reordered_free(l, e, ev);
		return 0;
	}
	/* The object is gone and no event said so. */
	life = slab_life(l, e, ev, LIFE_GONE);
	life->begin = live_begin(&l->any.live, e);
	*slab_over(l, e->key) = (struct slab_over){ ev->ts, life->begin, *e };
	return SLAB_OVER;
}

static void slab_large(struct slab_lives *l, const struct kmem_event *ev)
{
	if (!kmem_is_kmalloc(ev->type))
		return;
	l->counted.large++;
	l->counted.bytes_large += ev->slab_alloc.bytes_alloc;
}

static __always_inline void slab_alloc(struct slab_lives *l, const struct kmem_event *ev,
				       uint32_t hash, bool plain)
{
	uint64_t req = ev->slab_alloc.bytes_req, alloc = ev->slab_alloc.bytes_alloc;
	struct live_entry *e, born;
	struct life *life;
	struct dimension_values dims = { 0 };
	uint32_t row;
	uint8_t flags = 0;

	if (unlikely(!ev->slab_alloc.ptr)) {
		l->counted.failed += plain || !slab_hides(l, ev);
		return;
	}
	/* No slab object is that large: the record is damaged. */
	if (unlikely((req | alloc) > UINT32_MAX)) {
		l->counted.implausible++;
		return;
	}
	if (!plain)
		dims = dimension_values_of(&l->any.dimensions, ev);
	if (!plain && slab_hides(l, ev))
		row = slab_hidden_row(l, ev, &dims);
	else
		row = slab_row(l, ev, &dims, plain);
	e = slab_entry(l, ev, hash);
	if (unlikely(row == UINT32_MAX || !e)) {
		l->any.failed = true;
		return;
	}
	if (e->state == LIVE_ALLOCATED)
		flags = slab_alloc_over(l, e, ev);
	else if (unlikely(e->flags & SLAB_SURPLUS) && within_skew(l, ev, e->ts, e->cpu))
		flags = slab_early(l, e);
	born = (struct live_entry){ .key = ev->slab_alloc.ptr,
				    .bytes_req = (uint32_t)req,
				    .bytes_alloc = (uint32_t)alloc,
				    .row = row,
				    .cpu = (uint16_t)ev->cpu,
				    .flags = flags,
				    .state = LIVE_ALLOCATED,
				    .epoch = l->any.live.epoch & LIVE_EPOCH_OLD };
	*e = born;
	if (unlikely(alloc > l->large_bytes) && (plain || !(row & LIVE_HIDDEN)))
		slab_large(l, ev);
	if (plain) {
		slab_tally_add(slab_lives_tally(l, row), LIFE_BORN, req, alloc, false);
		return;
	}
	life = slab_life(l, &born, ev, LIFE_BORN);
	if (l->any.live.times) {
		live_set_begin(&l->any.live, e, ev->ts);
		life->begin = ev->ts;
	}
}

/* Finishes the matched free of an object with flags. */
static void slab_free_flagged(struct slab_lives *l, struct live_entry *e,
			      const struct kmem_event *ev)
{
	if (e->flags & SLAB_OVER) {
		const struct slab_over *over = slab_over(l, e->key);

		if (over->object.key != e->key || !within_skew(l, ev, over->ts, e->cpu))
			e->flags &= (uint8_t)~SLAB_OVER;
	}
	/* One free is still surplus, perhaps this one. */
	if (e->flags & SLAB_SURPLUS)
		e->row = slab_early_row(l, e);
	e->cpu = (uint16_t)ev->cpu;
	e->ts = ev->ts;
}

static void slab_count_one(struct slab_lives *l, struct u64_map *counts, uint64_t key)
{
	uint32_t *nr = u64_map_insert(counts, key, 0);

	if (!nr)
		l->any.failed = true;
	else if (*nr < UINT32_MAX)
		++*nr;
}

static __always_inline void slab_matched_free(struct slab_lives *l, struct live_entry *e,
					      const struct kmem_event *ev, bool plain)
{
	bool other_cpu = e->cpu != (uint16_t)ev->cpu;

	if (unlikely(!e->bytes_alloc || l->unsized_sites) && slab_probes_learn(l, e, ev))
		slab_count_one(l, &l->surplus,
			       slab_surplus_key(ev->slab_free.cache, true));
	if (plain) {
		slab_tally_add(slab_lives_tally(l, e->row), LIFE_FREED, e->bytes_req,
			       e->bytes_alloc, other_cpu);
	} else {
		struct life *life = slab_life(l, e, ev, LIFE_FREED);

		life->flags = other_cpu ? LIFE_OTHER_CPU : 0;
		life->begin = live_begin(&l->any.live, e);
	}
	e->state = LIVE_FREED;
	e->epoch = 0;
	if (unlikely(e->flags))
		slab_free_flagged(l, e, ev);
}

/* The free of an object that was counted as gone when its address was allocated again. */
static void slab_settle_over(struct slab_lives *l, struct live_entry *e,
			     const struct kmem_event *ev)
{
	const struct slab_over *over = slab_over(l, e->key);
	struct life *life = slab_life(l, &over->object, ev, LIFE_FOUND);

	life->begin = over->begin;
	life->flags = LIFE_REORDERED;
	if (over->object.cpu != (uint16_t)ev->cpu)
		life->flags |= LIFE_OTHER_CPU;
	l->counted.reordered++;
	e->flags = 0;
}

/* Counts a free of no live object by the cache that the event names, or else by its page. */
static void slab_count_surplus(struct slab_lives *l, const struct kmem_event *ev,
			       bool freed)
{
	if (ev->slab_free.cache)
		slab_count_one(l, &l->surplus,
			       slab_surplus_key(ev->slab_free.cache, freed));
	else if (!freed)
		slab_count_one(l, &l->older_kfrees, ev->slab_free.ptr >> SLAB_PAGE_SHIFT);
}

/* The free of an object that was handed to RCU, and counted as freed then. */
static void slab_died(struct slab_lives *l, struct live_entry *e,
		      const struct kmem_event *ev)
{
	bool hidden = slab_is_dying(e) && e->row & LIVE_HIDDEN;

	l->counted.died += !hidden;
	l->counted.frees -= hidden;
	l->counted.bulk_frees -= hidden && ev->type == KMEM_FREE_BULK;
	e->flags = 0;
}

/* A free of no live object. */
static void slab_surplus_free(struct slab_lives *l, struct live_entry *e,
			      const struct kmem_event *ev)
{
	bool freed = e->state == LIVE_FREED || addr_set_has(&l->freed, e->key);
	bool other = scope_by_self(&l->any.scope, ev);
	struct slab_free_only *by;

	if (unlikely(e->flags & SLAB_DYING) && ev->type != KMEM_FREE_RCU) {
		slab_died(l, e, ev);
		return;
	}
	if (unlikely(e->flags & SLAB_OVER) &&
	    slab_over(l, e->key)->object.key == e->key) {
		slab_settle_over(l, e, ev);
		return;
	}
	if (unlikely(l->on_surplus.fn)) {
		lives_flush(&l->any);
		l->on_surplus.fn(l->on_surplus.ctx, ev, freed);
		other |= l->any.scope.part && !l->skew;
	}
	if (unlikely(other)) {
		e->state = LIVE_FREED;
		l->counted.other++;
		return;
	}
	by = INDEXED_ITEM(&l->free_only, ev->slab_free.callsite);
	l->any.failed |= !by;
	if (!by)
		return;
	slab_count_surplus(l, ev, freed);
	by->callsite = ev->slab_free.callsite;
	l->counted.doubled += freed;
	by->doubled += freed;
	l->counted.unmatched += !freed;
	by->unmatched += !freed;
	/* Index of the freeing row, until the address is allocated. */
	e->row = (uint32_t)(by - l->free_only.of);
	e->state = LIVE_FREED;
	e->flags = freed ? SLAB_SURPLUS | SLAB_SURPLUS_DUP : SLAB_SURPLUS;
	e->cpu = (uint16_t)ev->cpu;
	e->ts = ev->ts;
}

/* Counts @ev if it is surely the free of an unrecorded object, which then needs no entry. With a
 * clock skew, its allocation may still come; an observer wants to know about a second free.
 */
static bool slab_free_other(struct slab_lives *l, const struct kmem_event *ev)
{
	const struct live_entry *e;

	if (l->skew || l->on_surplus.fn)
		return false;
	e = live_find(&l->any.live, ev->slab_free.ptr);
	if (e && (e->state == LIVE_ALLOCATED || slab_in_question(l, e, ev->ts)))
		return false;
	l->counted.other++;
	return true;
}

static __always_inline void slab_free(struct slab_lives *l, const struct kmem_event *ev,
				      uint32_t hash, bool plain)
{
	struct live_entry *e;

	l->counted.frees++;
	if (unlikely(ev->slab_free.ptr <= ZERO_SIZE_PTR_VALUE)) {
		l->counted.null++;
		return;
	}
	if (unlikely(l->any.scope.part) && slab_free_other(l, ev))
		return;
	e = slab_entry(l, ev, hash);
	if (unlikely(!e)) {
		l->any.failed = true;
		return;
	}
	if (likely(e->state == LIVE_ALLOCATED))
		slab_matched_free(l, e, ev, plain);
	else
		slab_surplus_free(l, e, ev);
}

/* Keeps an event close to the kernel's counts. */
static void slab_edge(struct slab_lives *l, const struct kmem_event *ev)
{
	const struct live_entry *e = live_find(&l->any.live, ev->slab_free.ptr);
	const struct slab_key *key = NULL;
	struct slab_edge_kind kind = { 0 };

	if (e && (e->state == LIVE_ALLOCATED || slab_is_dying(e))) {
		key = slab_lives_key(l, e->row);
		kind.cache = key->kmalloc ? 0 : key->cache;
		kind.bytes = key->kmalloc ? e->bytes_alloc : 0;
		kind.nameless = key->kmalloc || key->cache ? 0 : e->bytes_alloc;
	}
	/* The recorder waits while the kernel counts, so its own frees are not in that time. */
	if (key || !scope_by_self(&l->any.scope, ev))
		slab_edges_event(l->edges, ev, key ? &kind : NULL);
}

/* Takes an object of a probe's event, or an area. */
static void slab_take_one(struct slab_lives *l, const struct kmem_event *ev)
{
	uint32_t hash = live_hash(ev->slab_free.ptr);

	if (l->edges)
		slab_edge(l, ev);
	if (kmem_is_slab_alloc(ev->type) || kmem_is_area_alloc(ev->type))
		slab_alloc(l, ev, hash, false);
	else
		slab_free(l, ev, hash, false);
}

/* @hash: live_hash() of the event's address. */
static __always_inline void slab_take(struct slab_lives *l, const struct kmem_event *ev,
				      uint32_t hash, bool plain)
{
	if (!plain && unlikely(l->edges) && kmem_is_slab(ev->type))
		slab_edge(l, ev);
	if (ev->type > KMEM_CACHE_FREE)
		kmem_is_area(ev->type) ? slab_take_one(l, ev)
				       : slab_probes_take(l, ev, slab_take_one);
	else if (ev->type >= KMEM_KFREE)
		slab_free(l, ev, hash, plain);
	else if (likely(ev->type >= KMEM_KMALLOC))
		slab_alloc(l, ev, hash, plain);
	else
		lives_loss(&l->any, ev);
}

void slab_lives_finish(struct slab_lives *l)
{
	struct live_entry *e = NULL;

	if (!l->any.live.capacity)
		lives_begin(&l->any, &slab_kind);
	l->any.next = l->any.batch;
	while ((e = live_next(&l->any.live, e))) {
		if (e->state != LIVE_ALLOCATED || !(e->flags & SLAB_SURPLUS))
			continue;
		slab_reordered_free(l, e, NULL);
		e->state = LIVE_FREED;
		if (l->any.next == l->any.batch + ARRAY_SIZE(l->any.batch))
			lives_flush(&l->any);
	}
	lives_batch_end(&l->any, true);
	slab_lives_sum(l);
}

/* Prefetches the entry that @ev will need. Alloc and free have their pointer in the same place; in
 * other events anything may be there. Returns its live_hash().
 */
static __always_inline uint32_t slab_fetch(const struct slab_lives *l,
					   const struct kmem_event *ev)
{
	uint32_t hash = live_hash(ev->slab_free.ptr);

	_Static_assert(offsetof(struct kmem_event, slab_alloc.ptr) ==
			       offsetof(struct kmem_event, slab_free.ptr),
		       "one place for both");
	live_prefetch(&l->any.live, hash);
	return hash;
}

/* Takes @nr listed events. */
static __always_inline void slab_take_all(struct slab_lives *l,
					  const struct kmem_event *const *evs, size_t nr,
					  bool plain)
{
	uint32_t hashes[EVENT_LISTS_MAX];
	size_t i, ahead = SMALLER(nr, EVENT_LISTS_AHEAD);

	for (i = 0; i < ahead; i++)
		hashes[i] = slab_fetch(l, evs[i]);
	for (i = 0; i < nr; i++) {
		if (likely(i + EVENT_LISTS_AHEAD < nr))
			hashes[i + EVENT_LISTS_AHEAD] =
				slab_fetch(l, evs[i + EVENT_LISTS_AHEAD]);
		slab_take(l, evs[i], hashes[i], plain);
	}
}

void slab_lives_listed(struct slab_lives *l, const struct event_lists *lists)
{
	const struct kmem_event *const *evs = lists->slab;
	size_t nr = lists->nr_slab;

	if (unlikely(!l->any.live.capacity))
		lives_begin(&l->any, &slab_kind);
	if (unlikely(l->any.failed))
		return;
	l->any.next = l->any.batch;
	if (lives_plain(&l->any) &&
	    !(nr && slab_edges_near(l->edges, evs[0]->ts, evs[nr - 1]->ts)))
		slab_take_all(l, evs, nr, true);
	else
		slab_take_all(l, evs, nr, false);
	lives_batch_end(&l->any, false);
}

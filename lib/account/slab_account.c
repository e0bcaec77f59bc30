// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * account: the accounts of slab objects.
 * In: slab events and losses in time order. Out: who allocated what, and what became of it.
 */
#include "account/slab_account.h"

#include <stddef.h>
#include <stdlib.h>

#include "base/array.h"

/* ZERO_SIZE_PTR, what kmalloc(0) returns and kfree() ignores like NULL (slab.h). */
#define ZERO_SIZE_PTR_VALUE 16

/*
 * live_entry.order of a slab object: its flags. A surplus free is one of no live object;
 * until its place is taken its entry keeps its time where an object has its sizes. (A free
 * whose entry is swept away after the clocks' skew stays what it seemed.)
 */
#define slab_flags order

#define SURPLUS	    1 /* freed: by a surplus free. live: one on another CPU just before it */
#define SURPLUS_DUP 2 /* the surplus was counted as double, else as unmatched */
#define OVER	    4 /* live: allocated over a live object. freed: then freed elsewhere */

static void entry_set_ts(struct live_entry *e, uint64_t ts)
{
	e->bytes_req = (uint32_t)ts;
	e->bytes_alloc = (uint32_t)(ts >> 32);
}

static uint64_t entry_ts(const struct live_entry *e)
{
	return (uint64_t)e->bytes_alloc << 32 | e->bytes_req;
}

/* May the event have come before what @cpu did at @ts, which it follows? */
static bool within_skew(const struct slab_account *acc, const struct kmem_event *ev,
			uint64_t ts, uint16_t cpu)
{
	return cpu != (uint16_t)ev->cpu && ev->ts - ts <= acc->skew;
}

static struct slab_over *slab_over(struct slab_account *acc, uint64_t ptr)
{
	return &acc->over[hash_u64(ptr) % SLAB_OVER_SLOTS];
}

/* How many events ahead an object's entry is fetched: memory's delay is a few events long. */
#define FETCH_AHEAD 12

/* The row of @key's allocations, by way of the whole table; UINT32_MAX: no memory. */
static uint32_t slab_row_slow(struct slab_account *acc, const struct slab_key *key)
{
	uint32_t id = intern_id(&acc->keys, key, sizeof(*key));

	if (!id)
		return UINT32_MAX;
	if (id > acc->nr_rows) {
		if (array_reserve(&acc->rows, &acc->rows_capacity, id,
				  sizeof(*acc->rows)))
			return UINT32_MAX;
		acc->rows[acc->nr_rows++] = (struct slab_counts){ 0 };
	}
	return id - 1;
}

/* The row of what @ev allocates; callsites repeat endlessly. */
static inline uint32_t slab_row(struct slab_account *acc, const struct kmem_event *ev,
				uint32_t dim)
{
	bool kmalloc = ev->type <= KMEM_KMALLOC_NODE;
	uint32_t cache = ev->slab_alloc.cache & INT32_MAX, row;
	uint64_t callsite = ev->slab_alloc.callsite;
	uint64_t rest = cache | (uint64_t)kmalloc << 31 | (uint64_t)dim << 32;
	uint64_t mix = (callsite ^ rest << 20 ^ rest >> 31) * 0x9e3779b97f4a7c15ULL;
	struct slab_recent *recent = &acc->recent[(mix >> 32) % SLAB_NR_RECENT];
	struct slab_key key;

	if (likely(recent->callsite == callsite && recent->rest == rest && recent->id))
		return recent->id - 1;
	key = (struct slab_key){ callsite, cache, kmalloc, dim };
	row = slab_row_slow(acc, &key);
	if (row != UINT32_MAX)
		*recent = (struct slab_recent){ callsite, rest, row + 1 };
	return row;
}

/* May an event still to come show that the free of @e was not what it seemed? */
static bool slab_in_question(struct slab_account *acc, const struct live_entry *e,
			     uint64_t now)
{
	if (likely(!e->slab_flags))
		return false;
	if (e->slab_flags & OVER && slab_over(acc, e->key)->object.key == e->key)
		return true;
	return now - entry_ts(e) <= acc->skew;
}

/* Moves freed addresses out of the full table, if they are more than a sixteenth of it: else
 * it has to grow for the live ones.
 */
static bool slab_sweep(struct slab_account *acc, uint64_t now)
{
	struct live_table *t = &acc->live;
	size_t i;

	if ((t->count - acc->totals.live) < t->count / 16)
		return true;
	for (i = 0; i < t->capacity; i++) {
		/* A removal puts another entry into the place, perhaps a freed one. */
		while (t->entries[i].state == LIVE_FREED &&
		       !slab_in_question(acc, &t->entries[i], now)) {
			if (!addr_set_add(&acc->freed, t->entries[i].key))
				return false;
			live_remove(t, &t->entries[i]);
		}
	}
	return true;
}

/* The entry of address @ptr, which may be new; NULL if memory ran out. */
static inline struct live_entry *slab_entry(struct slab_account *acc, uint64_t ptr,
					    uint64_t now)
{
	if (unlikely(live_full(&acc->live)) && !slab_sweep(acc, now))
		return NULL;
	return live_insert(&acc->live, ptr);
}

/* The counts of address @ptr, or NULL if they are not wanted (or memory ran out). */
static struct slab_ptr *slab_ptr(struct slab_account *acc, uint64_t ptr)
{
	uint32_t *index;

	if (!acc->by_ptr)
		return NULL;
	index = u64_map_insert(&acc->ptr_index, ptr, (uint32_t)acc->nr_ptrs);
	if (!index || array_reserve(&acc->ptrs, &acc->ptrs_capacity, *index + 1UL,
				    sizeof(*acc->ptrs))) {
		acc->failed = true;
		return NULL;
	}
	if (*index == acc->nr_ptrs)
		acc->ptrs[acc->nr_ptrs++] = (struct slab_ptr){ .ptr = ptr };
	return &acc->ptrs[*index];
}

static void counts_alloc(struct slab_counts *c, uint64_t req, uint64_t alloc)
{
	c->hit++;
	c->bytes_req += req;
	c->bytes_alloc += alloc;
	c->live++;
	c->live_req += req;
	c->live_alloc += alloc;
}

static void counts_end(struct slab_counts *c, const struct live_entry *e)
{
	c->live--;
	c->live_req -= e->bytes_req;
	c->live_alloc -= e->bytes_alloc;
}

static void tell(const struct slab_account *acc, uint32_t row, int64_t change)
{
	if (unlikely(acc->watch))
		acc->watch->fn(acc->watch->ctx, row, change);
}

/* The object of @e is gone and no event said so. */
static void slab_implicit_free(struct slab_account *acc, const struct live_entry *e,
			       struct slab_ptr *by_ptr)
{
	struct slab_counts *row = &acc->rows[e->row];

	counts_end(row, e);
	tell(acc, e->row, -(int64_t)e->bytes_alloc);
	row->implicit++;
	row->implicit_alloc += e->bytes_alloc;
	if (by_ptr) {
		counts_end(&by_ptr->counts, e);
		by_ptr->counts.implicit++;
		by_ptr->counts.implicit_alloc += e->bytes_alloc;
	}
	acc->totals.live--;
}

/* The entry in @free_only of code address @callsite; UINT32_MAX if memory ran out. */
static uint32_t slab_free_only(struct slab_account *acc, uint64_t callsite)
{
	uint32_t *index = u64_map_insert(&acc->free_only_index, callsite,
					 (uint32_t)acc->nr_free_only);

	if (!index || array_reserve(&acc->free_only, &acc->free_only_capacity,
				    *index + 1UL, sizeof(*acc->free_only))) {
		acc->failed = true;
		return UINT32_MAX;
	}
	if (*index == acc->nr_free_only)
		acc->free_only[acc->nr_free_only++] =
			(struct slab_free_only){ .callsite = callsite };
	return *index;
}

/* An object that may have met its free @e before is allocated: keeps who freed. */
static uint8_t slab_early(struct slab_account *acc, const struct live_entry *e)
{
	uint32_t *row = u64_map_insert(&acc->early_free_only, e->key, e->row);

	if (!row) {
		acc->failed = true;
		return 0;
	}
	*row = e->row;
	return e->slab_flags & (SURPLUS | SURPLUS_DUP);
}

/* Whose free that was. */
static uint32_t slab_early_row(const struct slab_account *acc, const struct live_entry *e)
{
	const uint32_t *row = u64_map_find(&acc->early_free_only, e->key);

	return row ? *row : 0;
}

/* The live object of @e met its free before: the surplus one was it. */
static void slab_reordered_free(struct slab_account *acc, const struct live_entry *e,
				struct slab_ptr *by_ptr)
{
	struct slab_totals *sum = &acc->totals;
	struct slab_free_only *by = &acc->free_only[slab_early_row(acc, e)];
	bool doubled = e->slab_flags & SURPLUS_DUP;
	uint32_t *nr = u64_map_find(
		&acc->surplus,
		slab_surplus_key(slab_account_key(acc, e->row)->cache, doubled));

	counts_end(&acc->rows[e->row], e);
	tell(acc, e->row, -(int64_t)e->bytes_alloc);
	acc->rows[e->row].pingpong++;
	if (by_ptr) {
		counts_end(&by_ptr->counts, e);
		by_ptr->counts.pingpong++;
	}
	if (nr && *nr)
		--*nr;
	if (doubled) {
		sum->doubled--;
		by->doubled--;
	} else {
		sum->unmatched--;
		by->unmatched--;
	}
	sum->matched++;
	sum->reordered++;
	sum->live--;
}

/* A live object's address is allocated. Returns the flags of its new object. */
static uint8_t slab_alloc_over(struct slab_account *acc, const struct live_entry *e,
			       const struct kmem_event *ev, struct slab_ptr *by_ptr)
{
	if (unlikely(e->slab_flags & SURPLUS)) {
		slab_reordered_free(acc, e, by_ptr);
		return 0;
	}
	slab_implicit_free(acc, e, by_ptr);
	*slab_over(acc, e->key) = (struct slab_over){ ev->ts, *e };
	return OVER;
}

/* What takes @plain is compiled once more for accounts without dimension, counts by address
 * and watch: nearly every event of nearly every run passes there.
 */
static __always_inline void slab_alloc(struct slab_account *acc,
				       const struct kmem_event *ev, bool plain)
{
	uint64_t req = ev->slab_alloc.bytes_req, alloc = ev->slab_alloc.bytes_alloc;
	struct slab_totals *sum = &acc->totals;
	struct slab_ptr *by_ptr = NULL;
	struct live_entry *e;
	uint32_t row, dim = 0;
	uint8_t flags = 0;

	if (unlikely(!ev->slab_alloc.ptr)) {
		sum->failed++;
		return;
	}
	/* No slab object is that large: the record is damaged. */
	if (unlikely((req | alloc) > UINT32_MAX)) {
		sum->implausible++;
		return;
	}
	if (!plain && acc->dimension)
		dim = dimension_of(acc->dimension, ev);
	row = slab_row(acc, ev, dim);
	e = slab_entry(acc, ev->slab_alloc.ptr, ev->ts);
	if (unlikely(row == UINT32_MAX || !e)) {
		acc->failed = true;
		return;
	}
	if (!plain)
		by_ptr = slab_ptr(acc, ev->slab_alloc.ptr);
	if (e->state == LIVE_ALLOCATED)
		flags = slab_alloc_over(acc, e, ev, by_ptr);
	else if (unlikely(e->slab_flags & SURPLUS) &&
		 within_skew(acc, ev, entry_ts(e), e->cpu))
		flags = slab_early(acc, e);
	*e = (struct live_entry){ .key = ev->slab_alloc.ptr,
				  .row = row,
				  .bytes_req = (uint32_t)req,
				  .bytes_alloc = (uint32_t)alloc,
				  .cpu = (uint16_t)ev->cpu,
				  .state = LIVE_ALLOCATED,
				  .epoch = acc->live.epoch & LIVE_EPOCH_OLD,
				  .slab_flags = flags };
	counts_alloc(&acc->rows[row], req, alloc);
	sum->live++;
	if (!plain)
		tell(acc, row, (int64_t)alloc);
	if (by_ptr) {
		by_ptr->row = row;
		counts_alloc(&by_ptr->counts, req, alloc);
	}
	if (unlikely(alloc > acc->large_bytes) && ev->type <= KMEM_KMALLOC_NODE) {
		sum->large++;
		sum->bytes_large += alloc;
	}
}

/* The end of a matched free of an object with flags. */
static void slab_free_flagged(struct slab_account *acc, struct live_entry *e,
			      const struct kmem_event *ev)
{
	if (e->slab_flags & OVER) {
		const struct slab_over *over = slab_over(acc, e->key);

		if (over->object.key != e->key || !within_skew(acc, ev, over->ts, e->cpu))
			e->slab_flags &= (uint8_t)~OVER;
	}
	/* One free is still too many, and this may be it. */
	if (e->slab_flags & SURPLUS)
		e->row = slab_early_row(acc, e);
	e->cpu = (uint16_t)ev->cpu;
	entry_set_ts(e, ev->ts);
}

static __always_inline void slab_matched_free(struct slab_account *acc,
					      struct live_entry *e,
					      const struct kmem_event *ev, bool plain)
{
	struct slab_counts *row = &acc->rows[e->row];
	struct slab_ptr *by_ptr = plain ? NULL : slab_ptr(acc, e->key);
	bool other_cpu = e->cpu != (uint16_t)ev->cpu;

	counts_end(row, e);
	row->pingpong += other_cpu;
	if (!plain)
		tell(acc, e->row, -(int64_t)e->bytes_alloc);
	if (by_ptr) {
		counts_end(&by_ptr->counts, e);
		by_ptr->counts.pingpong += other_cpu;
	}
	acc->totals.matched++;
	acc->totals.live--;
	e->state = LIVE_FREED;
	if (unlikely(e->slab_flags))
		slab_free_flagged(acc, e, ev);
}

/* The free of an object that was taken for gone when its address was allocated again. */
static void slab_settle_over(struct slab_account *acc, struct live_entry *e,
			     const struct kmem_event *ev)
{
	const struct live_entry *old = &slab_over(acc, e->key)->object;
	struct slab_counts *row = &acc->rows[old->row];
	struct slab_ptr *by_ptr = slab_ptr(acc, e->key);
	bool other_cpu = old->cpu != (uint16_t)ev->cpu;

	row->implicit--;
	row->implicit_alloc -= old->bytes_alloc;
	row->pingpong += other_cpu;
	if (by_ptr) {
		by_ptr->counts.implicit--;
		by_ptr->counts.implicit_alloc -= old->bytes_alloc;
		by_ptr->counts.pingpong += other_cpu;
	}
	acc->totals.matched++;
	acc->totals.reordered++;
	e->slab_flags = 0;
}

/* A free of no live object, and whose cache the event says. */
static void slab_count_surplus(struct slab_account *acc, const struct kmem_event *ev,
			       bool freed)
{
	uint32_t *nr;

	if (!ev->slab_free.cache)
		return;
	nr = u64_map_insert(&acc->surplus, slab_surplus_key(ev->slab_free.cache, freed),
			    0);
	if (!nr)
		acc->failed = true;
	else if (*nr < UINT32_MAX)
		++*nr;
}

/* A free of no live object. */
static void slab_surplus_free(struct slab_account *acc, struct live_entry *e,
			      const struct kmem_event *ev)
{
	bool freed = e->state == LIVE_FREED || addr_set_has(&acc->freed, e->key);
	uint32_t row;

	if (unlikely(e->slab_flags & OVER) &&
	    slab_over(acc, e->key)->object.key == e->key) {
		slab_settle_over(acc, e, ev);
		return;
	}
	if (unlikely(scope_by_self(&acc->scope, ev))) {
		e->state = LIVE_FREED;
		acc->totals.other++;
		return;
	}
	row = slab_free_only(acc, ev->slab_free.callsite);
	if (row == UINT32_MAX)
		return;
	slab_count_surplus(acc, ev, freed);
	acc->totals.doubled += freed;
	acc->free_only[row].doubled += freed;
	acc->totals.unmatched += !freed;
	acc->free_only[row].unmatched += !freed;
	e->row = row; /* of who freed, until the place is taken */
	e->state = LIVE_FREED;
	e->slab_flags = freed ? SURPLUS | SURPLUS_DUP : SURPLUS;
	e->cpu = (uint16_t)ev->cpu;
	entry_set_ts(e, ev->ts);
}

/* Is it nothing of what was recorded? Then nothing is kept of it, unless an allocation that
 * the clocks put behind it may still come.
 */
static bool slab_free_other(struct slab_account *acc, const struct kmem_event *ev)
{
	const struct live_entry *e;

	if (acc->skew)
		return false;
	e = live_find(&acc->live, ev->slab_free.ptr);
	if (e && (e->state == LIVE_ALLOCATED || e->slab_flags))
		return false;
	acc->totals.other++;
	return true;
}

static __always_inline void slab_free(struct slab_account *acc,
				      const struct kmem_event *ev, bool plain)
{
	struct live_entry *e;

	acc->totals.frees++;
	if (unlikely(ev->slab_free.ptr <= ZERO_SIZE_PTR_VALUE)) {
		acc->totals.null++;
		return;
	}
	if (unlikely(acc->scope.part) && slab_free_other(acc, ev))
		return;
	e = slab_entry(acc, ev->slab_free.ptr, ev->ts);
	if (unlikely(!e)) {
		acc->failed = true;
		return;
	}
	if (likely(e->state == LIVE_ALLOCATED))
		slab_matched_free(acc, e, ev, plain);
	else
		slab_surplus_free(acc, e, ev);
}

static void slab_loss(struct slab_account *acc, const struct kmem_event *ev)
{
	acc->totals.losses++;
	/* With no event after it on its CPU, the gap lasts to the end. */
	acc->open_gap |= ev->ts <= ev->loss.since_ts;
	live_gap(&acc->live);
}

static __always_inline void slab_take(struct slab_account *acc,
				      const struct kmem_event *ev, bool plain)
{
	if (ev->type > KMEM_CACHE_FREE)
		return;
	if (ev->type >= KMEM_KFREE)
		slab_free(acc, ev, plain);
	else if (ev->type >= KMEM_KMALLOC)
		slab_alloc(acc, ev, plain);
	else if (ev->type == KMEM_LOSS)
		slab_loss(acc, ev);
}

void slab_account_finish(struct slab_account *acc)
{
	struct live_entry *e = NULL;

	while ((e = live_next(&acc->live, e))) {
		if (e->state != LIVE_ALLOCATED || !(e->slab_flags & SURPLUS))
			continue;
		slab_reordered_free(acc, e, slab_ptr(acc, e->key));
		e->state = LIVE_FREED;
	}
	slab_totals_of_rows(acc);
	while (!acc->open_gap && (e = live_next(&acc->live, e))) {
		struct slab_counts *row;
		struct slab_ptr *by_ptr;

		if (e->state != LIVE_ALLOCATED || !live_is_recent(&acc->live, e))
			continue;
		row = &acc->rows[e->row]; /* a freed entry may be of no row */
		row->sure++;
		row->sure_alloc += e->bytes_alloc;
		by_ptr = slab_ptr(acc, e->key);
		if (by_ptr) {
			by_ptr->counts.sure++;
			by_ptr->counts.sure_alloc += e->bytes_alloc;
		}
	}
}

void slab_account_event(struct slab_account *acc, const struct kmem_event *ev)
{
	if (likely(!acc->failed))
		slab_take(acc, ev, false);
}

/* The entry that @ev will need: alloc and free have their pointer in the same place. */
static __always_inline void slab_fetch(const struct slab_account *acc,
				       const struct kmem_event *ev)
{
	_Static_assert(offsetof(struct kmem_event, slab_alloc.ptr) ==
			       offsetof(struct kmem_event, slab_free.ptr),
		       "one prefetch for both");
	if (ev->type >= KMEM_KMALLOC && ev->type <= KMEM_CACHE_FREE)
		live_prefetch(&acc->live, ev->slab_free.ptr);
}

static __always_inline void
slab_events(struct slab_account *acc, const struct kmem_event *ev, size_t nr, bool plain)
{
	size_t i, ahead = nr < FETCH_AHEAD ? nr : FETCH_AHEAD;

	for (i = 0; i < ahead; i++)
		slab_fetch(acc, &ev[i]);
	for (i = 0; i < nr && likely(!acc->failed); i++) {
		if (likely(i + FETCH_AHEAD < nr))
			slab_fetch(acc, &ev[i + FETCH_AHEAD]);
		slab_take(acc, &ev[i], plain);
	}
}

void slab_account_events(struct slab_account *acc, const struct kmem_event *ev, size_t nr)
{
	if (acc->dimension || acc->by_ptr || acc->watch)
		slab_events(acc, ev, nr, false);
	else
		slab_events(acc, ev, nr, true);
}

const struct slab_key *slab_account_key(const struct slab_account *acc, size_t row)
{
	return intern_get(&acc->keys, (uint32_t)row + 1, NULL);
}

void slab_account_free(struct slab_account *acc)
{
	intern_free(&acc->keys);
	free(acc->rows);
	live_free(&acc->live);
	addr_set_free(&acc->freed);
	u64_map_free(&acc->ptr_index);
	free(acc->ptrs);
	u64_map_free(&acc->free_only_index);
	free(acc->free_only);
	u64_map_free(&acc->early_free_only);
	u64_map_free(&acc->surplus);
	*acc = (struct slab_account){ 0 };
}

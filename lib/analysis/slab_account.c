// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * analysis: the accounts of slab objects.
 * In: slab events and losses in time order. Out: who allocated what, and what became of it.
 */
#include "analysis/slab_account.h"

#include <stdlib.h>

#include "base/array.h"

/* ZERO_SIZE_PTR, what kmalloc(0) returns and kfree() ignores like NULL (slab.h). */
#define ZERO_SIZE_PTR_VALUE 16

/*
 * live_entry.order of a slab object: its flags. A surplus free is one of no live object;
 * until its place is taken its entry keeps its time where an object has its sizes. (A free
 * whose entry is swept away meanwhile stays what it seemed.)
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

/* The row of @key's allocations, by way of the whole table; UINT32_MAX if memory ran out. */
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

/* The same; callsites repeat endlessly. */
static inline uint32_t slab_row(struct slab_account *acc, const struct slab_key *key)
{
	uint64_t mix = (key->callsite ^ (uint64_t)key->cache << 40 ^ key->kmalloc ^
			(uint64_t)key->dim << 20) *
		       0x9e3779b97f4a7c15ULL;
	struct slab_recent *recent = &acc->recent[(mix >> 32) % SLAB_NR_RECENT];
	uint32_t row;

	if (likely(recent->id && recent->key.callsite == key->callsite &&
		   recent->key.cache == key->cache &&
		   recent->key.kmalloc == key->kmalloc && recent->key.dim == key->dim))
		return recent->id - 1;
	row = slab_row_slow(acc, key);
	if (row != UINT32_MAX)
		*recent = (struct slab_recent){ *key, row + 1 };
	return row;
}

/* Moves freed addresses out of the full table, if they are more than an eighth of it: else
 * it has to grow for the live ones.
 */
static bool slab_sweep(struct slab_account *acc)
{
	struct live_table *t = &acc->live;
	size_t i;

	if ((t->count - acc->totals.live) < t->count / 8)
		return true;
	for (i = 0; i < t->capacity; i++) {
		/* A removal puts another entry into the place, perhaps a freed one. */
		while (t->entries[i].state == LIVE_FREED) {
			if (!addr_set_add(&acc->freed, t->entries[i].key))
				return false;
			live_remove(t, &t->entries[i]);
		}
	}
	return true;
}

/* The entry of address @ptr, which may be new; NULL if memory ran out. */
static inline struct live_entry *slab_entry(struct slab_account *acc, uint64_t ptr)
{
	if (unlikely(live_full(&acc->live)) && !slab_sweep(acc))
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
	acc->totals.implicit++;
	acc->totals.bytes_implicit += e->bytes_alloc;
	acc->totals.live--;
	acc->totals.live_req -= e->bytes_req;
	acc->totals.live_alloc -= e->bytes_alloc;
}

/* The live object of @e met its free before: the surplus one was it. */
static void slab_reordered_free(struct slab_account *acc, const struct live_entry *e,
				struct slab_ptr *by_ptr)
{
	struct slab_totals *sum = &acc->totals;

	counts_end(&acc->rows[e->row], e);
	tell(acc, e->row, -(int64_t)e->bytes_alloc);
	acc->rows[e->row].pingpong++;
	if (by_ptr) {
		counts_end(&by_ptr->counts, e);
		by_ptr->counts.pingpong++;
	}
	if (e->slab_flags & SURPLUS_DUP)
		sum->doubled--;
	else
		sum->unmatched--;
	sum->matched++;
	sum->reordered++;
	sum->pingpong++;
	sum->bytes_freed += e->bytes_alloc;
	sum->live--;
	sum->live_req -= e->bytes_req;
	sum->live_alloc -= e->bytes_alloc;
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

static void slab_alloc(struct slab_account *acc, const struct kmem_event *ev)
{
	uint64_t req = ev->slab_alloc.bytes_req, alloc = ev->slab_alloc.bytes_alloc;
	struct slab_key key = { .callsite = ev->slab_alloc.callsite,
				.cache = ev->slab_alloc.cache & INT32_MAX,
				.kmalloc = ev->type == KMEM_KMALLOC ||
					   ev->type == KMEM_KMALLOC_NODE };
	struct slab_totals *sum = &acc->totals;
	struct slab_ptr *by_ptr;
	struct live_entry *e;
	uint8_t flags = 0;
	uint32_t row;

	if (!ev->slab_alloc.ptr) {
		sum->failed++;
		return;
	}
	/* No slab object is that large: the record is damaged. */
	if (req > UINT32_MAX || alloc > UINT32_MAX) {
		sum->implausible++;
		return;
	}
	if (unlikely(acc->dimension))
		key.dim = dimension_of(acc->dimension, ev);
	row = slab_row(acc, &key);
	e = slab_entry(acc, ev->slab_alloc.ptr);
	if (row == UINT32_MAX || !e) {
		acc->failed = true;
		return;
	}
	by_ptr = slab_ptr(acc, ev->slab_alloc.ptr);
	if (e->state == LIVE_ALLOCATED)
		flags = slab_alloc_over(acc, e, ev, by_ptr);
	else if (unlikely(e->slab_flags & SURPLUS) &&
		 within_skew(acc, ev, entry_ts(e), e->cpu))
		flags = e->slab_flags & (SURPLUS | SURPLUS_DUP);
	*e = (struct live_entry){ .key = ev->slab_alloc.ptr,
				  .row = row,
				  .bytes_req = (uint32_t)req,
				  .bytes_alloc = (uint32_t)alloc,
				  .cpu = (uint16_t)ev->cpu,
				  .state = LIVE_ALLOCATED,
				  .epoch = acc->live.epoch & LIVE_EPOCH_OLD,
				  .slab_flags = flags };
	counts_alloc(&acc->rows[row], req, alloc);
	tell(acc, row, (int64_t)alloc);
	if (by_ptr) {
		by_ptr->row = row;
		counts_alloc(&by_ptr->counts, req, alloc);
	}
	if (unlikely(key.kmalloc && alloc > acc->large_bytes)) {
		sum->large++;
		sum->bytes_large += alloc;
	}
	sum->allocs++;
	sum->bytes_req += req;
	sum->bytes_alloc += alloc;
	sum->live++;
	sum->live_req += req;
	sum->live_alloc += alloc;
}

static void slab_matched_free(struct slab_account *acc, struct live_entry *e,
			      const struct kmem_event *ev)
{
	struct slab_counts *row = &acc->rows[e->row];
	struct slab_totals *sum = &acc->totals;
	struct slab_ptr *by_ptr = slab_ptr(acc, e->key);
	bool other_cpu = e->cpu != (uint16_t)ev->cpu;

	counts_end(row, e);
	tell(acc, e->row, -(int64_t)e->bytes_alloc);
	row->pingpong += other_cpu;
	if (by_ptr) {
		counts_end(&by_ptr->counts, e);
		by_ptr->counts.pingpong += other_cpu;
	}
	sum->matched++;
	sum->bytes_freed += e->bytes_alloc;
	sum->pingpong += other_cpu;
	sum->live--;
	sum->live_req -= e->bytes_req;
	sum->live_alloc -= e->bytes_alloc;
	e->state = LIVE_FREED;
	if (likely(!e->slab_flags))
		return;
	if (e->slab_flags & OVER) {
		const struct slab_over *over = slab_over(acc, e->key);

		if (over->object.key != e->key || !within_skew(acc, ev, over->ts, e->cpu))
			e->slab_flags &= (uint8_t)~OVER;
	}
	/* One free is still too many, and this may be it. */
	e->cpu = (uint16_t)ev->cpu;
	entry_set_ts(e, ev->ts);
}

/* The free of an object that was taken for gone when its address was allocated again. */
static void slab_settle_over(struct slab_account *acc, struct live_entry *e,
			     const struct kmem_event *ev)
{
	const struct live_entry *old = &slab_over(acc, e->key)->object;
	struct slab_totals *sum = &acc->totals;
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
	sum->implicit--;
	sum->bytes_implicit -= old->bytes_alloc;
	sum->matched++;
	sum->reordered++;
	sum->pingpong += other_cpu;
	sum->bytes_freed += old->bytes_alloc;
	e->slab_flags = 0;
}

/* A free of no live object. */
static void slab_surplus_free(struct slab_account *acc, struct live_entry *e,
			      const struct kmem_event *ev)
{
	bool freed = e->state == LIVE_FREED || addr_set_has(&acc->freed, e->key);

	if (unlikely(e->slab_flags & OVER) &&
	    slab_over(acc, e->key)->object.key == e->key) {
		slab_settle_over(acc, e, ev);
		return;
	}
	if (freed)
		acc->totals.doubled++;
	else
		acc->totals.unmatched++;
	e->state = LIVE_FREED;
	e->slab_flags = freed ? SURPLUS | SURPLUS_DUP : SURPLUS;
	e->cpu = (uint16_t)ev->cpu;
	entry_set_ts(e, ev->ts);
}

static void slab_free(struct slab_account *acc, const struct kmem_event *ev)
{
	struct live_entry *e;

	acc->totals.frees++;
	if (ev->slab_free.ptr <= ZERO_SIZE_PTR_VALUE) {
		acc->totals.null++;
		return;
	}
	e = slab_entry(acc, ev->slab_free.ptr);
	if (!e) {
		acc->failed = true;
		return;
	}
	if (likely(e->state == LIVE_ALLOCATED))
		slab_matched_free(acc, e, ev);
	else
		slab_surplus_free(acc, e, ev);
}

/* slab_account_event() where it is wanted inline. */
static inline void slab_take(struct slab_account *acc, const struct kmem_event *ev)
{
	switch (ev->type) {
	case KMEM_KMALLOC:
	case KMEM_KMALLOC_NODE:
	case KMEM_CACHE_ALLOC:
	case KMEM_CACHE_ALLOC_NODE:
		slab_alloc(acc, ev);
		break;
	case KMEM_KFREE:
	case KMEM_CACHE_FREE:
		slab_free(acc, ev);
		break;
	case KMEM_LOSS:
		acc->totals.losses++;
		/* With no event after it on its CPU, the gap lasts to the end. */
		acc->open_gap |= ev->ts <= ev->loss.since_ts;
		live_gap(&acc->live);
		break;
	default:
		break;
	}
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
		slab_take(acc, ev);
}

/* The entry that @ev will need. */
static inline void slab_fetch(const struct slab_account *acc, const struct kmem_event *ev)
{
	if (ev->type >= KMEM_KMALLOC && ev->type <= KMEM_CACHE_ALLOC_NODE)
		live_prefetch(&acc->live, ev->slab_alloc.ptr);
	else if (ev->type == KMEM_KFREE || ev->type == KMEM_CACHE_FREE)
		live_prefetch(&acc->live, ev->slab_free.ptr);
}

void slab_account_events(struct slab_account *acc, const struct kmem_event *ev, size_t nr)
{
	size_t i, ahead = nr < FETCH_AHEAD ? nr : FETCH_AHEAD;

	for (i = 0; i < ahead; i++)
		slab_fetch(acc, &ev[i]);
	for (i = 0; i < nr && likely(!acc->failed); i++) {
		if (i + FETCH_AHEAD < nr)
			slab_fetch(acc, &ev[i + FETCH_AHEAD]);
		slab_take(acc, &ev[i]);
	}
}

const struct slab_key *slab_account_key(const struct slab_account *acc, size_t row)
{
	return intern_get(&acc->keys, (uint32_t)row + 1, NULL);
}

void slab_counts_add(struct slab_counts *to, const struct slab_counts *from)
{
	to->hit += from->hit;
	to->bytes_req += from->bytes_req;
	to->bytes_alloc += from->bytes_alloc;
	to->live += from->live;
	to->live_req += from->live_req;
	to->live_alloc += from->live_alloc;
	to->implicit += from->implicit;
	to->implicit_alloc += from->implicit_alloc;
	to->pingpong += from->pingpong;
	to->sure += from->sure;
	to->sure_alloc += from->sure_alloc;
}

void slab_account_free(struct slab_account *acc)
{
	intern_free(&acc->keys);
	free(acc->rows);
	live_free(&acc->live);
	addr_set_free(&acc->freed);
	u64_map_free(&acc->ptr_index);
	free(acc->ptrs);
	*acc = (struct slab_account){ 0 };
}

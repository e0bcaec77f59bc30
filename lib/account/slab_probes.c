// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * account (internal): the objects that the recorder's probes name.
 * In: an event of kmem_is_probe(). Out: their lives, one by one.
 */
#include "account/slab_lives.h"

#include "base/array.h"

/* An entry keeps the time at which its object was handed to RCU in steps of this many bits. An
 * object may be dying for DYING_STEPS, about a minute: RCU takes tens of milliseconds, and up to
 * five seconds to collect a batch.
 */
#define DYING_SHIFT 30
#define DYING_STEPS 64

/* For a dying object with a known allocation, the upper half of .bytes_req is the step modulo 2^16,
 * the lower half its place in the order of .cpu.
 */
bool slab_probes_lasts(const struct live_entry *e, uint64_t now)
{
	uint64_t steps = now >> DYING_SHIFT;

	if (e->flags & SLAB_DYING_OLD)
		return steps - (e->ts >> DYING_SHIFT) <= DYING_STEPS;
	return (uint16_t)(steps - (e->bytes_req >> 16)) <= DYING_STEPS;
}

static uint32_t place_of_dying(const struct live_entry *e)
{
	return (uint32_t)e->cpu << 16 | (e->bytes_req & UINT16_MAX);
}

/* All rows are searched once per bulk site. The kernel has about ten. */
#define BULK_SITES_MAX 64

/* --- the cache of what is allocated in bulk ------------------------------------------------- */

/* Sets the size of @site's objects from any other allocation of its cache, if there is one. */
static void slab_size_of(const struct slab_lives *l, struct slab_bulk_site *site)
{
	for (size_t row = 0; row < l->any.nr_tallies; row++) {
		const struct slab_key *key = slab_lives_key(l, row);
		const struct slab_tally_part *born =
			&slab_lives_tally(l, row)->of[LIFE_BORN];

		if (key->kmalloc || key->cache != site->cache || !born->bytes_alloc)
			continue;
		site->bytes_req = (uint32_t)(born->bytes_req / born->nr);
		site->bytes_alloc = (uint32_t)(born->bytes_alloc / born->nr);
		return;
	}
}

/* Gives bulk sites of @cache the size of @e, an object of that cache that @key allocated. */
static void slab_learn_size(struct slab_lives *l, const struct live_entry *e,
			    const struct slab_key *key, uint32_t cache)
{
	struct slab_bulk_site *site = l->bulk_sites.of, *end = site + l->bulk_sites.nr;

	if (key->cache && key->cache != cache)
		return;
	for (; site < end; site++) {
		if (site->cache != cache || site->bytes_alloc)
			continue;
		site->bytes_req = e->bytes_req;
		site->bytes_alloc = e->bytes_alloc;
		l->unsized_sites--;
	}
}

bool slab_probes_learn(struct slab_lives *l, const struct live_entry *e,
		       const struct kmem_event *ev)
{
	const struct slab_key *key = slab_lives_key(l, e->row);
	struct slab_bulk_site *site;
	const uint32_t cache = ev->slab_free.cache;

	if (!cache || e->row & LIVE_HIDDEN)
		return false;
	if (e->bytes_alloc)
		slab_learn_size(l, e, key, cache);
	if (e->bytes_alloc || key->cache || key->kmalloc)
		return false;
	if (l->bulk_sites.nr >= BULK_SITES_MAX ||
	    u64_map_find(&l->bulk_sites.index, key->callsite))
		return true;
	site = INDEXED_ITEM(&l->bulk_sites, key->callsite);
	l->any.failed |= !site;
	if (!site)
		return true;
	site->cache = cache;
	slab_size_of(l, site);
	l->unsized_sites += !site->bytes_alloc;
	return true;
}

/* Makes @one the allocation of @ptr by @ev. */
static void make_alloc(const struct slab_lives *l, const struct kmem_event *ev,
		       uint64_t ptr, struct kmem_event *one)
{
	const uint32_t *at = u64_map_find(&l->bulk_sites.index, ev->objects.callsite);
	struct slab_bulk_site site = { 0 };

	if (at)
		site = l->bulk_sites.of[*at];
	one->type = KMEM_CACHE_ALLOC;
	one->slab_alloc.callsite = ev->objects.callsite;
	one->slab_alloc.ptr = ptr;
	one->slab_alloc.bytes_req = site.bytes_req;
	one->slab_alloc.bytes_alloc = site.bytes_alloc;
	one->slab_alloc.gfp_flags = 0;
	one->slab_alloc.node = -1;
	one->slab_alloc.cache = site.cache;
}

/* --- objects ------------------------------------------------------------------------------- */

/* The object at @one's address was just freed: RCU has it. @was: its entry before. */
static void slab_dies(struct slab_lives *l, const struct kmem_event *one,
		      const struct live_entry *was)
{
	struct live_entry *e = live_find(&l->any.live, one->slab_free.ptr);
	uint32_t place;

	if (!e || e->state != LIVE_FREED)
		return;
	if (rcu_order_add(&l->rcu_order, (uint16_t)one->cpu, one->slab_free.ptr,
			  &place)) {
		l->any.failed = true;
		return;
	}
	e->flags &= (uint8_t)~SLAB_OVER;
	e->flags |= SLAB_DYING;
	if (was->state != LIVE_ALLOCATED || e->flags & SLAB_SURPLUS) {
		e->flags |= SLAB_DYING_OLD;
		e->ts = one->ts;
		return;
	}
	e->cpu = (uint16_t)one->cpu;
	e->bytes_alloc = was->bytes_alloc;
	e->bytes_req = (uint32_t)(one->ts >> DYING_SHIFT) << 16 | (place & UINT16_MAX);
}

/* Takes one object of @ev. Returns whether it was live. */
static bool slab_object(struct slab_lives *l, const struct kmem_event *ev, uint64_t ptr,
			slab_take_fn *take)
{
	struct life *life = l->any.next;
	struct kmem_event one = *ev;
	const struct live_entry *e = live_find(&l->any.live, ptr);
	const struct live_entry was = e ? *e : (struct live_entry){ 0 };

	one.objects.ptr = ptr;
	if (ev->type == KMEM_ALLOC_BULK) {
		make_alloc(l, ev, ptr, &one);
		l->counted.unsized += !one.slab_alloc.bytes_alloc;
	}
	take(l, &one);
	if (ev->type == KMEM_FREE_RCU)
		slab_dies(l, &one, &was);
	/* A surplus free may have flushed the batch for its observer. */
	for (life = life > l->any.next ? l->any.batch : life; life < l->any.next; life++)
		life->event = ev;
	return was.state == LIVE_ALLOCATED;
}

/* Does @ev free an array of RCU, that is objects that one CPU handed over one after the other? Only
 * the first of them may be older than the recording. @place: receives the place of the last one.
 */
static bool is_rcu_array(const struct slab_lives *l, const struct kmem_event *ev,
			 uint32_t *place)
{
	bool found = false;

	for (uint32_t i = 0; i < ev->objects.nr; i++) {
		uint64_t ptr = kmem_object(ev, i);
		const struct live_entry *e;

		if (found && rcu_order_next(&l->rcu_order, *place, place) != ptr)
			return false;
		e = found ? NULL : live_find(&l->any.live, ptr);
		if (e && slab_is_dying(e)) {
			*place = place_of_dying(e);
			found = true;
		}
	}
	return found && ev->type == KMEM_FREE_BULK;
}

/* Takes the objects of RCU's array that @ev does not name: those after the one at @place, up to the
 * first that no longer waits for RCU. Returns how many were taken.
 */
static uint64_t take_rest(struct slab_lives *l, const struct kmem_event *ev,
			  uint32_t place, slab_take_fn *one)
{
	uint64_t nr;

	for (nr = 0; nr < ev->objects.unseen; nr++) {
		uint64_t ptr = rcu_order_next(&l->rcu_order, place, &place);
		const struct live_entry *e = ptr ? live_find(&l->any.live, ptr) : NULL;

		if (!e || !(e->flags & SLAB_DYING) ||
		    (slab_is_dying(e) && place_of_dying(e) != place))
			break;
		slab_object(l, ev, ptr, one);
	}
	l->counted.bulk_frees += nr;
	return nr;
}

void slab_probes_take(struct slab_lives *l, const struct kmem_event *ev,
		      slab_take_fn *one)
{
	const struct sample *sample = &l->sample;
	struct slab_totals *sum = &l->counted;
	bool live = ev->type != KMEM_FREE_BULK;
	uint32_t i, place;
	bool rest = ev->objects.unseen && !sample->one_in && is_rcu_array(l, ev, &place);
	uint64_t unseen = ev->objects.unseen;

	/* An event of a probe may begin and end many lives: only an empty batch has the room. */
	_Static_assert(2 * KMEM_OBJECTS_MAX <= LIVES_EVENTS, "they fit");
	lives_flush(&l->any);
	for (i = 0; i < ev->objects.nr; i++) {
		uint64_t ptr = kmem_object(ev, i);

		if (sample->one_in && sample_object(sample, ptr) == SAMPLE_OUT)
			continue;
		if (!ptr && ev->type == KMEM_ALLOC_BULK) {
			sum->unseen++;
			continue;
		}
		sum->bulk_allocs += ev->type == KMEM_ALLOC_BULK;
		sum->bulk_frees += ev->type == KMEM_FREE_BULK;
		sum->rcu += ev->type == KMEM_FREE_RCU;
		live |= slab_object(l, ev, ptr, one);
	}
	/* If no named object of a free was live, the others were not either: RCU frees objects that
	 * were handed to it before.
	 */
	if (rest)
		unseen -= take_rest(l, ev, place, one);
	sum->unseen += live || rest || !ev->objects.nr ? unseen : 0;
	lives_flush(&l->any);
}

/* A place: the CPU, and the object's number modulo RCU_ORDER_KEPT. */
static uint32_t place_of(uint32_t cpu, uint64_t number)
{
	return cpu << 16 | (uint32_t)(number % RCU_ORDER_KEPT);
}

int rcu_order_add(struct rcu_order *order, uint16_t cpu, uint64_t ptr, uint32_t *place)
{
	struct rcu_order_cpu *c;
	int ret = array_reach(&order->cpus, &order->nr_cpus, &order->capacity, cpu + 1U);

	if (ret)
		return ret;
	c = &order->cpus[cpu];
	if (c->nr < RCU_ORDER_KEPT)
		ret = array_grow(&c->ptrs, c->nr);
	if (ret)
		return ret;
	*place = place_of(cpu, c->nr);
	c->ptrs[c->nr++ % RCU_ORDER_KEPT] = ptr;
	return 0;
}

uint64_t rcu_order_next(const struct rcu_order *order, uint32_t place, uint32_t *next)
{
	const struct rcu_order_cpu *c = order->cpus + (place >> 16);
	uint64_t number;

	if (place >> 16 >= order->nr_cpus)
		return 0;
	/* The number after the latest that equals @place modulo RCU_ORDER_KEPT. */
	number = c->nr - (c->nr - 1 - place) % RCU_ORDER_KEPT;
	if (number >= c->nr)
		return 0;
	*next = place_of(place >> 16, number);
	return c->ptrs[number % RCU_ORDER_KEPT];
}

void rcu_order_free(struct rcu_order *order)
{
	for (size_t i = 0; i < order->nr_cpus; i++)
		free(order->cpus[i].ptrs);
	free(order->cpus);
	*order = (struct rcu_order){ 0 };
}

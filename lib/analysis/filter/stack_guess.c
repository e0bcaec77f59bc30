// SPDX-License-Identifier: GPL-2.0-or-later
#include "analysis/filter/stack_guess.h"

#define NO_POOL	   UINT32_MAX
/* An object in the sample stands for at most STANDS_FOR * N objects; on average it stands for about
 * N. A callsite that gets the same few objects all the time may have a thousand times as many
 * outside the sample as inside, and then those inside say nothing about the others.
 */
#define STANDS_FOR 8

/* The key of a kind of objects; sizes are all ones if they do not matter. No padding: keys are
 * compared as bytes.
 */
struct guess_key {
	uint64_t callsite, bytes_req, bytes_alloc;
	uint64_t cache; /* its number; all ones: kmalloc */
};

#define ANY_SIZE UINT64_MAX

/* Objects by outcome. @bare: without a callchain; @chained: in the sample. @all: the kind for all
 * sizes.
 */
struct guess_kind {
	uint64_t bare[GUESS_OUTCOMES], chained[GUESS_OUTCOMES];
	uint32_t all;
	uint32_t pool[GUESS_OUTCOMES];
};

/* Objects of one kind and callchain in the sample. */
struct guess_donor {
	uint32_t kind, stack;
	uint64_t nr[GUESS_OUTCOMES];
};

/* The object at an address. @of: 0: none; else kind + 1, or donor + 1; @bare: its number among
 * objects without a callchain.
 */
struct guess_object {
	uint32_t of;
	bool chained;
	uint64_t bare;
};

/* A pool's objects up to number @end get @stack. */
struct guess_pick {
	uint64_t end;
	uint32_t stack;
};

/* @nr objects get callchains, in steps, so that at any time each callchain has about its share. */
struct guess_pool {
	uint64_t nr, step, next;
	size_t first, nr_picks;
};

void stack_guess_init(struct stack_guess *g, const struct sample *rule)
{
	*g = (struct stack_guess){ .rule = *rule };
}

/* A failed allocation has no object. Objects at round addresses are always in the sample, so
 * learn_alloc() lets them stand for no others.
 */
static bool is_object(const struct kmem_event *ev)
{
	return kmem_is_slab_alloc(ev->type) && ev->slab_alloc.ptr;
}

static struct guess_key key_of(const struct kmem_event *ev, bool any_size)
{
	return (struct guess_key){
		.callsite = ev->slab_alloc.callsite,
		.bytes_req = any_size ? ANY_SIZE : ev->slab_alloc.bytes_req,
		.bytes_alloc = any_size ? ANY_SIZE : ev->slab_alloc.bytes_alloc,
		.cache = kmem_is_kmalloc(ev->type) ? UINT64_MAX : ev->slab_alloc.cache,
	};
}

/* The number of @ev's kind; UINT32_MAX: no memory. */
static uint32_t add_kind(struct stack_guess *g, const struct kmem_event *ev,
			 bool any_size)
{
	const struct guess_key key = key_of(ev, any_size);
	const size_t before = g->kinds.nr;
	uint32_t id = KEYED_ID(&g->kinds, &key);

	if (!id)
		return UINT32_MAX;
	if (g->kinds.nr > before)
		g->kinds.of[id - 1] = (struct guess_kind){ .all = id - 1,
							   .pool = { NO_POOL, NO_POOL } };
	return id - 1;
}

/* The same, and links the kind to the one for all sizes. */
static uint32_t kind_of(struct stack_guess *g, const struct kmem_event *ev)
{
	uint32_t before = (uint32_t)g->kinds.nr, kind = add_kind(g, ev, false), all;

	if (kind == UINT32_MAX || kind < before)
		return kind;
	all = add_kind(g, ev, true);
	g->kinds.of[kind].all = all;
	return all == UINT32_MAX ? all : kind;
}

/* UINT32_MAX: no memory. */
static uint32_t donor_of(struct stack_guess *g, uint32_t kind, uint32_t stack)
{
	struct guess_donor *donor =
		INDEXED_ITEM(&g->donors, (uint64_t)kind << 32 | stack);

	if (!donor)
		return UINT32_MAX;
	donor->kind = kind;
	donor->stack = stack;
	return (uint32_t)(donor - g->donors.of);
}

/* The counter of the object's kind, or of its kind and callchain. */
static uint64_t *counter_of(struct stack_guess *g, const struct guess_object *o,
			    enum guess_outcome outcome)
{
	return o->chained ? &g->donors.of[o->of - 1].nr[outcome]
			  : &g->kinds.of[o->of - 1].bare[outcome];
}

static void end(struct stack_guess *g, struct guess_object *o)
{
	if (o->of)
		++*counter_of(g, o, GUESS_ENDED);
	o->of = 0;
}

static void learn_alloc(struct stack_guess *g, const struct kmem_event *ev)
{
	uint64_t ptr = ev->slab_alloc.ptr;
	struct guess_object *o = INDEXED_ITEM(&g->objects, ptr);
	uint32_t of;

	if (!o) {
		g->failed = true;
		return;
	}
	end(g, o);
	o->chained = ev->stack;
	if (!ev->stack)
		o->bare = g->nr_bare++;
	else if (sample_object_certain(&g->rule, ptr))
		return;
	of = kind_of(g, ev);
	if (of != UINT32_MAX && ev->stack)
		of = donor_of(g, of, ev->stack);
	g->failed |= of == UINT32_MAX;
	if (!g->failed)
		o->of = of + 1;
}

void stack_guess_learn(struct stack_guess *g, const struct kmem_event *evs, size_t nr)
{
	for (size_t i = 0; i < nr && !g->failed; i++) {
		const uint32_t *place;

		if (is_object(&evs[i])) {
			learn_alloc(g, &evs[i]);
		} else if (kmem_is_slab_free(evs[i].type)) {
			place = u64_map_find(&g->objects.index, evs[i].slab_free.ptr);
			if (place)
				end(g, &g->objects.of[*place]);
		}
	}
}

/* Counts objects that have not ended as live. */
static int find_living(struct stack_guess *g)
{
	g->lives = calloc(g->nr_bare / 64 + 1, sizeof(*g->lives));
	if (!g->lives)
		return -ENOMEM;
	for_each(o, g->objects.of, g->objects.nr) {
		if (!o->of)
			continue;
		++*counter_of(g, o, GUESS_LIVES);
		if (!o->chained)
			g->lives[o->bare / 64] |= 1ULL << o->bare % 64;
	}
	INDEXED_FREE(&g->objects);
	g->objects.of = NULL;
	return 0;
}

ORDER_BY(by_kind_and_stack, struct guess_donor, kind, stack)

/* Kinds for all sizes get the donors of all sizes, and the bare objects of kinds that have none in
 * the sample.
 */
static int add_all_sizes(struct stack_guess *g)
{
	size_t nr = g->donors.nr, i;

	for (i = 0; i < nr; i++) {
		const struct guess_donor donor = g->donors.of[i];
		uint32_t all = donor_of(g, g->kinds.of[donor.kind].all, donor.stack);

		if (all == UINT32_MAX)
			return -ENOMEM;
		for (int outcome = 0; outcome < GUESS_OUTCOMES; outcome++) {
			g->donors.of[all].nr[outcome] += donor.nr[outcome];
			g->kinds.of[donor.kind].chained[outcome] += donor.nr[outcome];
			g->kinds.of[g->kinds.of[donor.kind].all].chained[outcome] +=
				donor.nr[outcome];
		}
	}
	for (i = 0; i < g->kinds.nr; i++) {
		struct guess_kind *kind = &g->kinds.of[i];

		for (int outcome = 0; outcome < GUESS_OUTCOMES; outcome++)
			if (kind->all != i && !kind->chained[outcome])
				g->kinds.of[kind->all].bare[outcome] +=
					kind->bare[outcome];
	}
	return 0;
}

static uint64_t common_divisor(uint64_t a, uint64_t b)
{
	while (b) {
		uint64_t rest = a % b;

		a = b;
		b = rest;
	}
	return a;
}

/* A step near the golden ratio of @nr that visits each of @nr places once. */
static uint64_t step_of(uint64_t nr)
{
	uint64_t step = nr / 8 * 5 + nr % 8 * 5 / 8;

	while (step > 1 && common_divisor(step, nr) > 1)
		step--;
	return step ? step : 1;
}

/* @nr * @part / @whole, rounded. @whole has at most 32 bits: no file has more objects. */
static uint64_t share(uint64_t nr, uint64_t part, uint64_t whole)
{
	uint64_t rest = nr % whole * part;
	uint64_t all = nr / whole * part + rest / whole;

	all += rest % whole > (whole - 1) / 2;
	return SMALLER(all, nr);
}

/* How many of @all objects without a callchain the @whole objects of the sample stand for. */
static uint64_t stood_for(const struct stack_guess *g, uint64_t all, uint64_t whole)
{
	uint64_t most = (uint64_t)STANDS_FOR * g->rule.one_in;

	return whole < all / most ? whole * most : all;
}

/* Sets how many objects of a kind get which callchain, from @nr donors, each in proportion to its
 * share. 0 or -ENOMEM.
 */
static int add_pool(struct stack_guess *g, const struct guess_donor *donors, size_t nr,
		    enum guess_outcome outcome)
{
	struct guess_kind *kind = &g->kinds.of[donors->kind];
	uint64_t all = kind->bare[outcome], whole = kind->chained[outcome], part = 0,
		 end = 0;
	const uint64_t stood = stood_for(g, all, whole);
	struct guess_pool pool = { all, step_of(all), 0, g->nr_picks, 0 };

	if (!all || !whole)
		return 0;
	if (array_reserve(&g->picks, &g->picks_room, g->nr_picks + nr))
		return -ENOMEM;
	for (size_t i = 0; i < nr; i++) {
		uint64_t before = end;

		part += donors[i].nr[outcome];
		end = share(stood, part, whole);
		if (end > before)
			g->picks[g->nr_picks++] =
				(struct guess_pick){ end, donors[i].stack };
	}
	pool.nr_picks = g->nr_picks - pool.first;
	kind->pool[outcome] = (uint32_t)g->nr_pools;
	return ARRAY_ADD(g->pools, g->nr_pools, pool);
}

static int add_pools(struct stack_guess *g)
{
	size_t i, next;
	int outcome, ret = 0;

	if (g->donors.nr)
		qsort(g->donors.of, g->donors.nr, sizeof(*g->donors.of),
		      by_kind_and_stack);
	for (i = 0; i < g->donors.nr && !ret; i = next) {
		next = i + 1;
		while (next < g->donors.nr &&
		       g->donors.of[next].kind == g->donors.of[i].kind)
			next++;
		for (outcome = 0; outcome < GUESS_OUTCOMES && !ret; outcome++)
			ret = add_pool(g, g->donors.of + i, next - i,
				       (enum guess_outcome)outcome);
	}
	return ret;
}

int stack_guess_learned(struct stack_guess *g)
{
	int ret = g->failed ? -ENOMEM : find_living(g);

	ret = ret ?: add_all_sizes(g);
	ret = ret ?: add_pools(g);
	INDEXED_FREE(&g->donors);
	g->donors.of = NULL;
	g->learned = !ret;
	return ret;
}

/* The next callchain of a pool; 0: none in the sample stands for this object. */
static uint32_t pick(struct stack_guess *g, struct guess_pool *pool)
{
	const struct guess_pick *picks = g->picks + pool->first;
	uint64_t at = pool->next;
	size_t passed = COUNT_FIRST(i, pool->nr_picks, picks[i].end <= at);

	pool->next = (at + pool->step) % pool->nr;
	return passed < pool->nr_picks ? picks[passed].stack : 0;
}

/* The callchain for an object without one; 0: none. */
static uint32_t guess(struct stack_guess *g, const struct kmem_event *ev)
{
	const struct guess_key key = key_of(ev, false);
	uint32_t id = intern_find(&g->kinds.keys, &key, sizeof(key)), pool;
	uint64_t bare = g->nr_given++;
	enum guess_outcome outcome;

	if (!id || bare >= g->nr_bare)
		return 0;
	outcome = g->lives[bare / 64] >> bare % 64 & 1 ? GUESS_LIVES : GUESS_ENDED;
	pool = g->kinds.of[id - 1].pool[outcome];
	if (pool == NO_POOL)
		pool = g->kinds.of[g->kinds.of[id - 1].all].pool[outcome];
	return pool == NO_POOL ? 0 : pick(g, &g->pools[pool]);
}

void stack_guess_give(struct stack_guess *g, struct kmem_event *evs, size_t nr)
{
	for (size_t i = 0; i < nr; i++) {
		evs[i].guessed = false;
		if (!is_object(&evs[i]) || evs[i].stack)
			continue;
		evs[i].stack = guess(g, &evs[i]);
		evs[i].guessed = evs[i].stack;
	}
}

void stack_guess_count(struct stack_guess *g, const struct kmem_event *evs, size_t nr)
{
	for_each(ev, evs, nr) {
		struct guess_count *count = ev->guessed ? &g->guessed
					    : ev->stack ? &g->known
							: &g->none;

		if (!is_object(ev) || ev->hidden)
			continue;
		count->objects++;
		count->bytes += ev->slab_alloc.bytes_alloc;
	}
}

void stack_guess_free(struct stack_guess *g)
{
	const struct stack_guess counted = {
		.rule = g->rule, .known = g->known, .guessed = g->guessed, .none = g->none
	};

	KEYED_FREE(&g->kinds);
	INDEXED_FREE(&g->donors);
	INDEXED_FREE(&g->objects);
	free(g->pools);
	free(g->picks);
	free(g->lives);
	*g = counted;
}

// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * account (internal): the rows of slab allocations.
 * In: batches of lives. Out: sums, totals; after a sweep fewer rows.
 */
#include "account/slab_lives.h"

static void slab_add_up(struct lives *any)
{
	struct slab_lives *l = (struct slab_lives *)any;

	for (const struct life *life = any->batch; life < any->next; life++)
		slab_tally_add(slab_lives_tally(l, life->row), life->what,
			       life->bytes_req, life->bytes,
			       life->flags & LIFE_OTHER_CPU);
}

/* Takes the end of a hidden object out of the sums. */
static void slab_drop(struct lives *any, const struct life *life)
{
	struct slab_totals *sum = &((struct slab_lives *)any)->counted;
	bool freed = life_freed(life);

	sum->frees -= freed;
	if (life->event) {
		sum->rcu -= freed && life->event->type == KMEM_FREE_RCU;
		sum->bulk_frees -= freed && life->event->type == KMEM_FREE_BULK;
		if (life->what == LIFE_BORN && life->event->type == KMEM_ALLOC_BULK) {
			sum->bulk_allocs--;
			sum->unsized -= !life->bytes;
		}
	}
	sum->reordered -= (life->flags & LIFE_REORDERED) != 0;
}

static void slab_see_rows(struct lives *any, bool *used, const uint32_t *now)
{
	struct slab_lives *l = (struct slab_lives *)any;
	struct live_entry *e = NULL;

	while (l->counted.rcu && (e = live_next(&any->live, e)))
		if (slab_is_dying(e))
			lives_see_row(e, used, now);
	for (size_t i = 0; i < SLAB_OVER_SLOTS; i++)
		if (l->over[i].object.key)
			lives_see_row(&l->over[i].object, used, now);
}

static void slab_renumbered(struct lives *any)
{
	struct slab_lives *l = (struct slab_lives *)any;

	memset(l->recent, 0, sizeof(l->recent));
}

static void slab_forget(struct lives *any)
{
	struct slab_lives *l = (struct slab_lives *)any;
	struct live_table *t = &any->live;
	struct live_entry *e = NULL;

	for (size_t i = 0; i < t->capacity; i++) {
		/* A removal moves another entry into the place, perhaps a freed one. */
		while (t->entries[i].state == LIVE_FREED)
			live_remove(t, &t->entries[i]);
	}
	while ((e = live_next(t, e)))
		e->flags = 0;
	memset(l->over, 0, sizeof(l->over));
	addr_set_free(&l->freed);
	u64_map_free(&l->free_only.index);
	l->free_only.nr = 0;
	u64_map_free(&l->early_free_only);
	u64_map_free(&l->surplus);
	u64_map_free(&l->older_kfrees);
}

static uint32_t *slab_stack(const struct lives *any, void *key)
{
	int dim = dimensions_find(&any->dimensions, DIMENSION_STACK);

	return dim < 0 ? NULL : &((struct slab_key *)key)->dims.of[dim];
}

static struct lives_sums slab_sums(const struct lives *any, const void *tally)
{
	const struct slab_tally_part *of = ((const struct slab_tally *)tally)->of;
	const struct slab_tally_part *born = &of[LIFE_BORN], *freed = &of[LIFE_FREED];
	/* LIFE_FOUND is also counted in LIFE_GONE. */
	const struct slab_tally_part *gone = &of[LIFE_GONE], *found = &of[LIFE_FOUND];
	const uint64_t live = born->nr - freed->nr - gone->nr;

	return (struct lives_sums){
		.hit = born->nr,
		.nr = born->nr,
		.bytes_req = born->bytes_req,
		.bytes_alloc = born->bytes_alloc,
		.live_hit = live,
		.live = live,
		.live_req = born->bytes_req - freed->bytes_req - gone->bytes_req,
		.live_alloc = born->bytes_alloc - freed->bytes_alloc - gone->bytes_alloc,
		.implicit = gone->nr - found->nr,
		.implicit_alloc = gone->bytes_alloc - found->bytes_alloc,
		.pingpong = freed->other_cpu + found->other_cpu,
	};
}

_Static_assert(sizeof(struct slab_key) <= LIVES_KEY_MAX &&
		       offsetof(struct slab_key, dims) + sizeof(struct row_tail) ==
			       sizeof(struct slab_key),
	       "the end of a key");

#define OBJECTS(of)                                                             \
	{                                                                       \
		.memory = of, .key_size = sizeof(struct slab_key),              \
		.tally_size = sizeof(struct slab_tally), .add_up = slab_add_up, \
		.drop = slab_drop, .see_rows = slab_see_rows,                   \
		.renumbered = slab_renumbered, .forget = slab_forget,           \
		.stack = slab_stack, .sums = slab_sums,                         \
	}

const struct life_kind slab_kind = OBJECTS(MEMORY_SLAB);
const struct life_kind vmalloc_kind = OBJECTS(MEMORY_VMALLOC);
const struct life_kind percpu_kind = OBJECTS(MEMORY_PERCPU);

void slab_totals_sum(struct slab_totals *sum, const struct lives_sums *all)
{
	sum->allocs = all->hit;
	sum->bytes_req = all->bytes_req;
	sum->bytes_alloc = all->bytes_alloc;
	sum->matched = all->hit - all->implicit - all->live;
	sum->bytes_freed = all->bytes_alloc - all->implicit_alloc - all->live_alloc;
	sum->implicit = all->implicit;
	sum->bytes_implicit = all->implicit_alloc;
	sum->live = all->live;
	sum->live_req = all->live_req;
	sum->live_alloc = all->live_alloc;
	sum->pingpong = all->pingpong;
}

void slab_lives_sum(struct slab_lives *l)
{
	const struct lives *any = &l->any;
	struct slab_totals *sum = &l->totals;
	struct live_entry *e = NULL;
	struct lives_sums all = { 0 };

	lives_sum(&l->any);
	if (any->failed)
		return;
	for_each(row, any->rows, any->nr_tallies)
		lives_sums_add(&all, row, 1);
	*sum = l->counted;
	slab_totals_sum(sum, &all);
	sum->losses = any->losses;
	while (sum->rcu && (e = live_next(&any->live, e)))
		sum->dying += slab_is_dying(e);
	if (any->scope.part || any->filtered) {
		sum->other += sum->unmatched + sum->doubled;
		sum->unmatched = sum->doubled = 0;
	}
	if (any->filtered) {
		sum->other += sum->null;
		sum->null = 0;
	}
}

void slab_lives_free(struct slab_lives *l)
{
	lives_free(&l->any);
	addr_set_free(&l->freed);
	INDEXED_FREE(&l->free_only);
	u64_map_free(&l->early_free_only);
	u64_map_free(&l->surplus);
	u64_map_free(&l->older_kfrees);
	INDEXED_FREE(&l->bulk_sites);
	rcu_order_free(&l->rcu_order);
}

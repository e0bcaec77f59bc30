// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * account (internal): the rows of slab allocations, and their counts.
 * In: batches of lives. Out: sums; after a sweep fewer rows.
 */
#include "account/slab_lives.h"

struct slab_counts slab_tally_counts(const struct slab_tally *tally)
{
	struct slab_counts c = {
		.hit = tally->of[LIFE_BORN].nr,
		.bytes_req = tally->of[LIFE_BORN].bytes_req,
		.bytes_alloc = tally->of[LIFE_BORN].bytes_alloc,
		.implicit = tally->of[LIFE_GONE].nr - tally->of[LIFE_FOUND].nr,
		.implicit_alloc = tally->of[LIFE_GONE].bytes_alloc -
				  tally->of[LIFE_FOUND].bytes_alloc,
		.pingpong =
			tally->of[LIFE_FREED].other_cpu + tally->of[LIFE_FOUND].other_cpu,
	};

	/* LIFE_FOUND is also counted in LIFE_GONE. */
	c.live = c.hit - tally->of[LIFE_FREED].nr - tally->of[LIFE_GONE].nr;
	c.live_req = c.bytes_req - tally->of[LIFE_FREED].bytes_req -
		     tally->of[LIFE_GONE].bytes_req;
	c.live_alloc = c.bytes_alloc - tally->of[LIFE_FREED].bytes_alloc -
		       tally->of[LIFE_GONE].bytes_alloc;
	return c;
}

void slab_counts_add(struct slab_counts *to, const struct slab_counts *from,
		     uint64_t times)
{
	to->hit += from->hit * times;
	to->bytes_req += from->bytes_req * times;
	to->bytes_alloc += from->bytes_alloc * times;
	to->live += from->live * times;
	to->live_req += from->live_req * times;
	to->live_alloc += from->live_alloc * times;
	to->implicit += from->implicit * times;
	to->implicit_alloc += from->implicit_alloc * times;
	to->pingpong += from->pingpong * times;
	to->sure += from->sure * times;
	to->sure_alloc += from->sure_alloc * times;
}

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
	struct slab_totals *sum = &((struct slab_lives *)any)->totals;
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

	while (l->totals.rcu && (e = live_next(&any->live, e)))
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
	u64_map_free(&l->free_only_index);
	l->nr_free_only = 0;
	u64_map_free(&l->early_free_only);
	u64_map_free(&l->surplus);
	u64_map_free(&l->older_kfrees);
}

static uint32_t *slab_stack(const struct lives *any, void *key)
{
	int dim = dimensions_find(&any->dimensions, DIMENSION_STACK);

	return dim < 0 ? NULL : &((struct slab_key *)key)->dims.of[dim];
}

static struct lives_sums slab_sums(const struct lives *any, size_t row)
{
	const struct slab_lives *l = (const struct slab_lives *)any;
	const struct slab_counts c = slab_tally_counts(slab_lives_tally(l, row));

	return (struct lives_sums){ .hit = c.hit,
				    .nr = c.hit,
				    .bytes_req = c.bytes_req,
				    .bytes = c.bytes_alloc,
				    .live_hit = c.live,
				    .live_nr = c.live,
				    .live_bytes = c.live_alloc,
				    .gone_nr = c.implicit };
}

_Static_assert(offsetof(struct slab_key, dims) + sizeof(struct row_tail) ==
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

void slab_lives_free(struct slab_lives *l)
{
	lives_free(&l->any);
	addr_set_free(&l->freed);
	u64_map_free(&l->free_only_index);
	free(l->free_only);
	u64_map_free(&l->early_free_only);
	u64_map_free(&l->surplus);
	u64_map_free(&l->older_kfrees);
	u64_map_free(&l->bulk_index);
	free(l->bulk_sites);
	rcu_order_free(&l->rcu_order);
}

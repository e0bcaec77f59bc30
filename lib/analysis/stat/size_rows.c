// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * analysis: the rows of one table of sizes.
 * In: lives of slab objects. Out: for each row the number of allocations, and the peak of live
 * objects.
 */
#include "analysis/stat/size_rows.h"

#include <stdlib.h>

#include "base/array.h"

/* Key of similar lives; without padding, as keys are compared as bytes. */
struct life_key {
	uint32_t row, range, bytes;
};

int size_rows_init(struct size_rows *r, const struct analysis_env *env,
		   const struct slab_lives *lives, enum subject_kind kind)
{
	*r = (struct size_rows){ .env = env, .lives = lives, .kind = kind };
	sites_init(&r->sites, env);
	return subjects_init(&r->subjects, env, kind, &r->sites, &lives->any.dimensions);
}

/* The smallest n for which 2^n bytes hold @size: 64 and 33 are in range 6, 0 and 1 in range 0. */
static uint32_t size_range(uint32_t size)
{
	return size > 1 ? 32 - (uint32_t)__builtin_clz(size - 1) : 0;
}

/* The table row, with SIZE_ROW_SKIPPED if its callsite is skipped; UINT32_MAX: no memory. */
static uint32_t resolve(struct size_rows *r, const struct life_key *life)
{
	const struct slab_key *from = slab_lives_key(r->lives, life->row);
	uint32_t stack = lives_stack(&r->lives->any, life->row);
	const struct subject who = { .callsite =
					     sites_beyond(r->env, from->callsite, stack),
				     .stack = stack,
				     .dims = from->dims,
				     .cache = from->cache,
				     .kmalloc = from->kmalloc };
	const struct size_row_key key = { .subject = subjects_row(&r->subjects, &who),
					  .range = life->range,
					  .bytes = life->bytes,
					  .cache = from->kmalloc ? 0 : from->cache,
					  .kmalloc = from->kmalloc };
	uint32_t id = 0;

	if (key.subject != UINT32_MAX)
		id = intern_id(&r->keys, &key, sizeof(key));
	if (!id || id > SIZE_ROW_SKIPPED ||
	    array_reserve(&r->counts, &r->capacity, id, sizeof(*r->counts)))
		return UINT32_MAX;
	if (id > r->nr)
		r->counts[r->nr++] = (struct size_row_counts){ 0 };
	return (id - 1) | (sites_skipped(r->env, who.callsite) ? SIZE_ROW_SKIPPED : 0);
}

/* The same, cached by kind of life; UINT32_MAX: no memory. */
static uint32_t row_of(struct size_rows *r, const struct life_key *life)
{
	uint32_t *recent = recent_key(&r->recent, life->row, life->range, life->bytes);
	uint32_t id = *recent;

	if (unlikely(!id))
		id = *recent = intern_id(&r->known, life, sizeof(*life));
	if (unlikely(!id))
		return UINT32_MAX;
	if (likely(id <= r->nr_of))
		return r->of[id - 1];
	if (array_reserve(&r->of, &r->of_capacity, id, sizeof(*r->of)))
		return UINT32_MAX;
	r->of[r->nr_of] = resolve(r, life);
	return r->of[r->nr_of++];
}

static void take_one(struct size_rows *r, const struct life *life)
{
	const struct life_key key = { life->row, size_range((uint32_t)life->bytes_req),
				      (uint32_t)life->bytes };
	struct size_row_counts *c;
	uint32_t row;

	if (life->what == LIFE_FOUND) /* it was gone before */
		return;
	row = row_of(r, &key);
	if (unlikely(row == UINT32_MAX)) {
		r->failed = true;
		return;
	}
	c = &r->counts[row & ~SIZE_ROW_SKIPPED];
	if (life->what != LIFE_BORN) {
		c->live -= c->live != 0;
		return;
	}
	r->unskipped += (row & SIZE_ROW_SKIPPED) != 0;
	c->hit++;
	c->req += life->bytes_req;
	if (life->bytes_req > c->largest)
		c->largest = (uint32_t)life->bytes_req;
	if (++c->live > c->most)
		c->most = c->live;
}

void size_rows_take(struct size_rows *r, const struct life *life, size_t nr)
{
	const struct life *end = life + nr;

	for (; life < end; life++)
		take_one(r, life);
}

void size_rows_free(struct size_rows *r)
{
	subjects_free(&r->subjects);
	sites_free(&r->sites);
	intern_free(&r->known);
	intern_free(&r->keys);
	free(r->of);
	free(r->counts);
}

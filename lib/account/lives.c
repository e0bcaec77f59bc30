// SPDX-License-Identifier: GPL-2.0-or-later
#include "account/lives.h"

#include "base/array.h"

int lives_observe(struct lives *l, lives_fn *fn, void *ctx)
{
	if (array_reserve(&l->observers, &l->observers_capacity, l->nr_observers + 1,
			  sizeof(*l->observers)))
		return -ENOMEM;
	l->observers[l->nr_observers].fn = fn;
	l->observers[l->nr_observers++].ctx = ctx;
	return 0;
}

bool lives_sums_tasks(const struct lives *l)
{
	const struct dimensions *all = &l->dimensions;

	return all->task_sums && dimensions_find(all, DIMENSION_PID) >= 0 &&
	       !all->sample.one_in && !l->filtered && !l->nr_observers;
}

void lives_begin(struct lives *l, const struct life_kind *kind)
{
	if (!l->kind)
		l->kind = kind;
	if (!live_grow(&l->live))
		l->failed = true;
	if (l->spent || !lives_sums_tasks(l))
		return;
	l->spent = &l->sums;
	spent_init(l->spent, kind->tally_size / sizeof(uint64_t));
	l->sweep_at = spent_limit(0, 0);
}

uint32_t lives_number(struct lives *l, const void *key)
{
	uint32_t id = intern_id(&l->keys, key, l->kind->key_size);
	size_t size = l->kind->tally_size;

	if (array_reserve(&l->tallies, &l->tallies_capacity, id, size) ||
	    (l->spent &&
	     array_reserve(&l->firsts, &l->firsts_capacity, id, sizeof(*l->firsts))))
		id = 0;
	while (l->nr_tallies < id) {
		if (l->spent)
			l->firsts[l->nr_tallies] = ++l->nr_firsts;
		memset((char *)l->tallies + l->nr_tallies++ * size, 0, size);
	}
	l->failed |= !id;
	return id;
}

uint32_t lives_hidden_row(struct lives *l, const void *key)
{
	uint32_t id = intern_id(&l->hidden_keys, key, l->kind->key_size);

	l->failed |= !id;
	return id ? (id - 1) | LIVE_HIDDEN : UINT32_MAX;
}

/* Counts hidden memory that ended without an event, or takes the count back. */
static void count_gone(struct lives *l, const struct life *life)
{
	uint32_t *nr = u64_map_insert(&l->hidden_gone, life->row, 0);
	uint32_t more = (uint32_t)life->nr;

	if (!nr)
		l->failed = true;
	else if (life->what == LIFE_GONE)
		*nr += more;
	else
		*nr -= *nr < more ? *nr : more;
}

/* Removes what is hidden from the batch. */
static void drop_hidden(struct lives *l)
{
	const struct life *from = l->batch, *end = l->next;

	l->next = l->batch;
	for (; from < end; from++) {
		if (!(from->row & LIVE_HIDDEN)) {
			*l->next++ = *from;
			continue;
		}
		if (l->kind->drop)
			l->kind->drop(l, from);
		if (from->what == LIFE_GONE || from->what == LIFE_FOUND)
			count_gone(l, from);
	}
}

void lives_flush(struct lives *l)
{
	size_t nr, i;

	if (unlikely(l->filtered))
		drop_hidden(l);
	nr = (size_t)(l->next - l->batch);
	if (nr)
		l->kind->add_up(l);
	for (i = 0; i < l->nr_observers && nr; i++)
		l->observers[i].fn(l->observers[i].ctx, l, l->batch, nr);
	l->next = l->batch;
}

void lives_see_row(struct live_entry *e, bool *used, const uint32_t *now)
{
	if (now)
		e->row = now[e->row];
	else
		used[e->row] = true;
}

/* The same for all entries that may still need their row. */
static void see_rows(struct lives *l, bool *used, const uint32_t *now)
{
	struct live_entry *e = NULL;

	while ((e = live_next(&l->live, e)))
		if (e->state == LIVE_ALLOCATED)
			lives_see_row(e, used, now);
	l->kind->see_rows(l, used, now);
}

/* Between two batches: turns rows of tasks without live memory into sums, and renumbers the others.
 */
static void sweep(struct lives *l)
{
	bool *used = calloc(l->nr_tallies + 1, sizeof(*used));
	struct spent_rows rows = {
		.keys = &l->keys,
		.key_size = l->kind->key_size,
		.tallies = l->tallies,
		.firsts = l->firsts,
		.used = used,
		.now = calloc(l->nr_tallies + 1, sizeof(*rows.now)),
	};

	if (used)
		see_rows(l, used, NULL);
	if (!used || !rows.now || spent_sweep(l->spent, &l->dimensions, &rows))
		l->failed = true;
	else
		see_rows(l, NULL, rows.now);
	l->nr_tallies = l->keys.count;
	l->kind->renumbered(l);
	l->sweep_at = spent_limit(l->nr_tallies, l->live.capacity);
	free(used);
	free(rows.now);
}

void lives_batch_end(struct lives *l, bool last)
{
	lives_flush(l);
	l->failed |= l->live.failed;
	if (unlikely(l->spent) && (last || l->nr_tallies > l->sweep_at) && !l->failed)
		sweep(l);
}

void lives_loss(struct lives *l, const struct kmem_event *ev)
{
	l->losses++;
	/* With no event after it on its CPU, the gap lasts to the end. */
	l->open_gap |= ev->ts <= ev->loss.since_ts;
	live_gap(&l->live);
}

/* Numbers the kept rows, in their order. 0 or -ENOMEM. */
static int number_rows(const struct intern *keys, const bool *keep, uint32_t *to,
		       struct intern *out)
{
	for (uint32_t i = 0; i < keys->count; i++) {
		size_t size = 0;
		const void *key = intern_get(keys, i + 1, &size);
		uint32_t id = 0;

		to[i] = LIVES_GONE;
		if (!keep[i])
			continue;
		id = intern_id(out, key, size);
		if (!id)
			return -ENOMEM;
		to[i] = id - 1;
	}
	return 0;
}

/* Moves the tallies to the new places of their rows. */
static void move_tallies(struct lives *l, const uint32_t *to)
{
	size_t size = l->kind->tally_size, i, left = 0;
	char *all = l->tallies;

	for (i = 0; i < l->nr_tallies; i++) {
		if (to[i] == LIVES_GONE)
			continue;
		memmove(all + to[i] * size, all + i * size, size);
		left = to[i] + 1UL;
	}
	memset(all + left * size, 0, (l->nr_tallies - left) * size);
	l->nr_tallies = left;
}

/* Takes over @keys, whose numbers differ from those that short cuts have. */
static void replace_keys(struct lives *l, const struct intern *keys)
{
	intern_free(&l->keys);
	l->keys = *keys;
	l->kind->renumbered(l);
}

int lives_forget(struct lives *l, bool *keep, uint32_t *to)
{
	const struct live_entry *live = NULL;
	struct live_entry *e = NULL;
	struct intern keys = { 0 };

	while ((live = lives_next(l, live)))
		keep[live->row] = true;
	if (number_rows(&l->keys, keep, to, &keys)) {
		intern_free(&keys);
		return -ENOMEM;
	}
	l->kind->forget(l);
	while ((e = live_next(&l->live, e))) {
		if (!(e->row & LIVE_HIDDEN))
			e->row = to[e->row];
	}
	move_tallies(l, to);
	replace_keys(l, &keys);
	return 0;
}

void lives_mark_stacks(const struct lives *l, uint32_t *used)
{
	for (uint32_t row = 0; row < l->nr_tallies; row++) {
		const uint32_t *stack = l->kind->stack(l, (void *)lives_key(l, row));

		if (stack)
			used[*stack] = 1;
	}
}

/* The place of the callchain in @key, or with @d of the value of that dimension; NULL: none. */
static uint32_t *place_in(const struct lives *l, void *key, enum dimension d)
{
	struct row_tail *tail = (void *)((char *)key + l->kind->key_size - sizeof(*tail));
	int i = d ? dimensions_find(&l->dimensions, d) : -1;

	if (!d)
		return l->kind->stack(l, key);
	return i < 0 ? NULL : &tail->dims.of[i];
}

/* Replaces values below @nr in the keys of all rows. */
static int renumber(struct lives *l, enum dimension d, const uint32_t *to, uint32_t nr)
{
	struct intern keys = { 0 };
	uint64_t key[16];
	uint32_t row, *value;

	for (row = 0; row < l->nr_tallies; row++) {
		memcpy(key, lives_key(l, row), l->kind->key_size);
		value = place_in(l, key, d);
		if (value && *value < nr)
			*value = to[*value];
		if (intern_id(&keys, key, l->kind->key_size) != row + 1) {
			intern_free(&keys);
			return -ENOMEM;
		}
	}
	if (l->kind)
		replace_keys(l, &keys);
	return 0;
}

int lives_renumber_stacks(struct lives *l, const uint32_t *to)
{
	return renumber(l, DIMENSION_NONE, to, UINT32_MAX);
}

void lives_mark_values(const struct lives *l, enum dimension d, uint32_t *used,
		       uint32_t nr)
{
	for (size_t row = 0; row < l->nr_tallies; row++) {
		uint32_t value = lives_value(l, row, d);

		if (value < nr)
			used[value] = 1;
	}
}

int lives_renumber_values(struct lives *l, enum dimension d, const uint32_t *to,
			  uint32_t nr)
{
	return dimensions_find(&l->dimensions, d) < 0 ? 0 : renumber(l, d, to, nr);
}

void lives_free(struct lives *l)
{
	intern_free(&l->keys);
	free(l->tallies);
	free(l->firsts);
	spent_free(&l->sums);
	live_free(&l->live);
	intern_free(&l->hidden_keys);
	u64_map_free(&l->hidden_gone);
	free(l->observers);
}

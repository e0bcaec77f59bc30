// SPDX-License-Identifier: GPL-2.0-or-later
#include "account/lives.h"

#include "base/array.h"

int lives_observe(struct lives *l, lives_fn *fn, void *ctx)
{
	return ARRAY_ADD(l->observers, l->nr_observers,
			 (struct lives_observer){ fn, ctx });
}

bool lives_sums_tasks(const struct lives *l)
{
	const struct dimensions *all = &l->dimensions;

	return all->task_sums && dimensions_find(all, DIMENSION_PID) >= 0 &&
	       !all->sample.one_in && !l->filtered && !l->nr_observers;
}

/* When to sweep next: a sweep looks at all entries. */
static size_t sweep_limit(const struct lives *l)
{
	size_t more = l->live.capacity / 16;

	return 2 * l->nr_tallies + (more > 512 ? more : 512);
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
	l->spent->words = kind->tally_size / sizeof(uint64_t);
	l->sweep_at = sweep_limit(l);
}

void lives_sums_add(struct lives_sums *to, const struct lives_sums *from, uint64_t times)
{
	const uint64_t *more = (const uint64_t *)from;
	uint64_t *sums = (uint64_t *)to;

	for (size_t i = 0; i < sizeof(*to) / sizeof(*sums); i++)
		sums[i] += more[i] * times;
}

/* Counts are by address; of page frames also by row. No padding: keys are compared as bytes. */
struct address_key {
	uint64_t at, row;
};

static struct address_key address_key(const struct lives *l, uint64_t at, uint32_t row)
{
	return (struct address_key){ at, l->kind->memory == MEMORY_PAGE ? row : 0 };
}

/* Counts @life in @c. */
static void count_life(struct lives_sums *c, const struct life *life)
{
	if (life->what == LIFE_BORN) {
		c->hit++;
		c->bytes_req += life->bytes_req;
		c->bytes_alloc += life->bytes;
		c->live += life->nr;
		c->live_req += life->bytes_req;
		c->live_alloc += life->bytes;
	} else if (life->what != LIFE_FOUND) {
		c->live -= life->nr;
		c->live_req -= life->bytes_req;
		c->live_alloc -= life->bytes;
	}
	if (life->what == LIFE_GONE) {
		c->implicit += life->nr;
		c->implicit_alloc += life->bytes;
	} else if (life->what == LIFE_FOUND) { /* counted as gone before */
		c->implicit -= life->nr;
		c->implicit_alloc -= life->bytes;
	}
	c->live_hit = c->live != 0;
	c->pingpong += life->flags & LIFE_OTHER_CPU;
}

/* An observer; @ctx is @of. */
static void count_addresses(void *ctx, const struct lives *of, const struct life *life,
			    size_t nr)
{
	struct lives *l = ctx;

	for (const struct life *end = life + nr; life < end && !l->failed; life++) {
		const struct address_key key = address_key(of, life->at, life->row);
		struct lives_address *a;

		if (life->what == LIFE_REFUSED)
			continue;
		a = KEYED_ITEM(&l->addresses, &key);
		l->failed |= !a;
		if (!a)
			return;
		a->at = life->at;
		if (life->what == LIFE_BORN)
			a->row = life->row;
		count_life(&a->counts, life);
	}
}

int lives_by_address(struct lives *l)
{
	if (l->by_address)
		return 0;
	l->by_address = true;
	return lives_observe(l, count_addresses, l);
}

/* Finds the counts of the address where the live @e was allocated. NULL: the address has no counts.
 */
static struct lives_sums *counts_of(struct lives *l, const struct live_entry *e)
{
	const uint64_t at = l->kind->first ? l->kind->first(l, e) : e->key;
	const struct address_key key = address_key(l, at, e->row);
	uint32_t id = intern_find(&l->addresses.keys, &key, sizeof(key));

	return id ? &l->addresses.of[id - 1].counts : NULL;
}

static void add_sure(const struct lives *l, const struct live_entry *e,
		     struct lives_sums *c)
{
	c->sure += lives_entry_nr(l, e);
	c->sure_alloc += lives_entry_bytes(l, e);
}

void lives_sum(struct lives *l)
{
	const struct live_entry *e = NULL;
	struct lives_sums *c;

	if (l->failed || array_reserve(&l->rows, &l->rows_capacity, l->nr_tallies)) {
		l->failed = true;
		return;
	}
	for (size_t i = 0; i < l->nr_tallies; i++)
		l->rows[i] = lives_sums(l, i);
	for_each(a, l->addresses.of, l->addresses.nr)
		a->counts.sure = a->counts.sure_alloc = 0;
	while ((e = lives_next(l, e))) {
		if (!lives_sure(l, e))
			continue;
		add_sure(l, e, &l->rows[e->row]);
		c = l->by_address ? counts_of(l, e) : NULL;
		if (c)
			add_sure(l, e, c);
	}
}

uint32_t lives_number(struct lives *l, const void *key)
{
	uint32_t id = intern_id(&l->keys, key, l->kind->key_size);
	size_t size = l->kind->tally_size;

	if (array_reserve_size(&l->tallies, &l->tallies_capacity, id, size) ||
	    (l->spent && array_reserve(&l->firsts, &l->firsts_capacity, id)))
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

/* Replaces the keys by @keys, which number rows differently, and drops the short cuts. */
static void replace_keys(struct lives *l, const struct intern *keys)
{
	intern_free(&l->keys);
	l->keys = *keys;
	l->kind->renumbered(l);
}

static void add(uint64_t *to, const uint64_t *from, size_t words)
{
	for (size_t i = 0; i < words; i++)
		to[i] += from[i];
}

/* The key of the task of @v. */
static struct dimension_values task_key(const struct dimensions *dims,
					const struct dimension_values *v)
{
	struct dimension_values key = *v;

	for (int i = 0; i < DIMENSIONS_MAX; i++) {
		if (dims->of[i] == DIMENSION_STACK || dims->of[i] == DIMENSION_KMALLOC)
			key.of[i] = 0;
	}
	return key;
}

uint32_t spent_find(const struct spent *s, const struct dimensions *dims,
		    const struct dimension_values *v)
{
	const struct dimension_values key = task_key(dims, v);

	return intern_find(&s->keys, &key, sizeof(key));
}

/* Adds @tally to the sums of the task of @v. 0 or -ENOMEM. */
static int add_to_task(struct lives *l, const struct dimension_values *v,
		       const uint64_t *tally, uint64_t first)
{
	const struct dimension_values key = task_key(&l->dimensions, v);
	struct spent *s = l->spent;
	uint32_t before = s->keys.count;
	uint32_t id = intern_id(&s->keys, &key, sizeof(key));

	if (!id ||
	    array_reserve_size(&s->sums, &s->sums_capacity, id,
			       s->words * sizeof(*s->sums)) ||
	    array_reserve(&s->firsts, &s->firsts_capacity, id))
		return -ENOMEM;
	if (id > before) {
		memset(s->sums + before * s->words, 0, s->words * sizeof(*s->sums));
		s->firsts[before] = first;
	} else if (first < s->firsts[id - 1]) {
		s->firsts[id - 1] = first;
	}
	add(s->sums + (id - 1) * s->words, tally, s->words);
	return 0;
}

/* Moves @row to its new number, or into the row of all tasks. @used: some of it lives, or may turn
 * out to have lived. @now: receives the new row. 0 or -ENOMEM.
 */
static int move_row(struct lives *l, uint32_t row, bool used, struct intern *keys,
		    uint32_t *now)
{
	const size_t words = l->spent->words, size = l->kind->key_size;
	uint64_t *tallies = l->tallies, *tally = tallies + row * words;
	uint64_t key[LIVES_KEY_MAX / sizeof(uint64_t)];
	struct row_tail tail;
	uint8_t *at = (uint8_t *)key + size - sizeof(tail);
	uint32_t before = keys->count, id;

	memcpy(key, lives_key(l, row), size);
	memcpy(&tail, at, sizeof(tail));
	if (!used && !tail.all_tasks) {
		if (add_to_task(l, &tail.dims, tally, l->firsts[row]))
			return -ENOMEM;
		tail.dims.of[dimensions_find(&l->dimensions, DIMENSION_PID)] = 0;
		tail.all_tasks = 1;
		memcpy(at, &tail, sizeof(tail));
	}
	id = intern_id(keys, key, size);
	if (!id)
		return -ENOMEM;
	*now = id - 1;
	/* Rows only become fewer, so the place written to has been read already. */
	if (id > before) {
		memmove(tallies + before * words, tally, words * sizeof(*tally));
		l->firsts[before] = l->firsts[row];
	} else {
		add(tallies + (id - 1) * words, tally, words);
	}
	return 0;
}

/* Between two batches: turns rows of tasks without live memory into sums, and renumbers the others,
 * which stay in the order of their first events.
 */
static void sweep(struct lives *l)
{
	bool *used __auto_mem = calloc(l->nr_tallies + 1, sizeof(*used));
	uint32_t *now __auto_mem = calloc(l->nr_tallies + 1, sizeof(*now));
	struct intern keys = { 0 };

	l->failed |= !used || !now;
	if (!l->failed)
		see_rows(l, used, NULL);
	for (uint32_t row = 0; row < l->nr_tallies && !l->failed; row++)
		l->failed = move_row(l, row, used[row], &keys, &now[row]) != 0;
	if (!l->failed)
		see_rows(l, NULL, now);
	l->nr_tallies = keys.count;
	replace_keys(l, &keys);
	l->sweep_at = sweep_limit(l);
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

/* The place of the value of @d in @key, which may be the callchain; NULL: none. */
static uint32_t *place_in(const struct lives *l, void *key, enum dimension d)
{
	struct row_tail *tail = (void *)((char *)key + l->kind->key_size - sizeof(*tail));
	int i = dimensions_find(&l->dimensions, d);

	if (d == DIMENSION_STACK)
		return l->kind->stack(l, key);
	return i < 0 ? NULL : &tail->dims.of[i];
}

void lives_mark(const struct lives *l, enum dimension d, uint32_t *used, uint32_t nr)
{
	for (uint32_t row = 0; row < l->nr_tallies; row++) {
		const uint32_t *value = place_in(l, (void *)lives_key(l, row), d);

		if (value && *value < nr)
			used[*value] = 1;
	}
}

int lives_renumber(struct lives *l, enum dimension d, const uint32_t *to, uint32_t nr)
{
	struct intern keys = { 0 };
	uint64_t key[LIVES_KEY_MAX / sizeof(uint64_t)];
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

void lives_free(struct lives *l)
{
	intern_free(&l->keys);
	free(l->tallies);
	free(l->rows);
	KEYED_FREE(&l->addresses);
	free(l->firsts);
	intern_free(&l->sums.keys);
	free(l->sums.sums);
	free(l->sums.firsts);
	live_free(&l->live);
	intern_free(&l->hidden_keys);
	u64_map_free(&l->hidden_gone);
	free(l->observers);
}

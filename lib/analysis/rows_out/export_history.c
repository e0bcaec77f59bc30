// SPDX-License-Identifier: GPL-2.0-or-later
#include "analysis/rows_out/export_history.h"

#include "base/array.h"

/* Identifies an object: addresses are reused, and a partly freed block still exists when another
 * one begins at its address.
 */
struct object_key {
	uint64_t at, begin;
	uint64_t memory;
};

static uint64_t latest_key(const struct object_key *key)
{
	return hash_u64(key->at) ^ key->memory;
}

static uint32_t begin_object(struct export_history *h, const struct object_key *key)
{
	uint32_t before = h->objects.count;
	uint32_t id = intern_id(&h->objects, key, sizeof(*key)), *latest;

	latest = id ? u64_map_insert(&h->latest, latest_key(key), id) : NULL;
	if (!latest || id > INT32_MAX ||
	    array_reserve(&h->left, &h->left_capacity, id + 1UL, sizeof(*h->left)))
		return 0;
	*latest = id;
	if (id > before)
		h->left[id] = 0;
	return id;
}

/* Returns the object's number; 0: not known. */
static uint32_t find_object(const struct export_history *h, const struct object_key *key)
{
	uint32_t id = intern_find(&h->objects, key, sizeof(*key));
	const uint32_t *latest = id ? &id : u64_map_find(&h->latest, latest_key(key));

	return latest ? *latest : 0;
}

void export_history_add(struct export_history *h, const struct history_change *change,
			uint64_t at, uint64_t begin)
{
	const struct object_key key = { at, begin, change->memory };
	uint32_t id = change->more ? begin_object(h, &key) : find_object(h, &key);
	struct history_change *c;

	if (!change->more && !id)
		return;
	if (!id || array_reserve(&h->changes, &h->capacity, h->nr + 1, sizeof(*c))) {
		h->failed = true;
		return;
	}
	c = &h->changes[h->nr++];
	*c = *change;
	c->object = id & INT32_MAX;
	if (c->more)
		h->left[id] += c->bytes;
	else
		h->left[id] -= c->bytes < h->left[id] ? c->bytes : h->left[id];
	c->last = !c->more && !h->left[id];
}

static int compare_changes(const void *a, const void *b)
{
	const struct history_change *x = a, *y = b;

	if (x->memory != y->memory)
		return x->memory > y->memory ? 1 : -1;
	if (x->object != y->object)
		return x->object > y->object ? 1 : -1;
	if (x->last != y->last)
		return x->last ? 1 : -1;
	return (x->bytes > y->bytes) - (x->bytes < y->bytes);
}

void export_history_end(struct export_history *h)
{
	if (h->nr > h->nr_told)
		qsort(h->changes + h->nr_told, h->nr - h->nr_told, sizeof(*h->changes),
		      compare_changes);
}

void export_history_moment(struct export_history *h, const struct history_moment *moment)
{
	if (h->nr_moments >= HISTORY_MOMENTS_MAX)
		h->moments_left_out++;
	else if (array_reserve(&h->moments, &h->moments_capacity, h->nr_moments + 1,
			       sizeof(*moment)))
		h->failed = true;
	else
		h->moments[h->nr_moments++] = *moment;
}

int export_history_rows(struct export_history *h, enum memory memory,
			const uint32_t *rows, size_t nr, uint32_t nr_table)
{
	uint32_t *copy = malloc((nr + 1) * sizeof(*copy));

	if (!copy)
		return -ENOMEM;
	memcpy(copy, rows, nr * sizeof(*copy));
	free(h->rows[memory]);
	h->rows[memory] = copy;
	h->nr_rows[memory] = nr;
	for (int later = (int)memory + 1; later < MEMORY_KINDS; later++)
		h->first_row[later] = h->first_row[memory] + nr_table;
	return 0;
}

uint32_t history_row(const struct export_history *h, const struct history_change *c)
{
	uint32_t row =
		c->row < h->nr_rows[c->memory] ? h->rows[c->memory][c->row] : UINT32_MAX;

	return row == UINT32_MAX ? UINT32_MAX : h->first_row[c->memory] + row;
}

void export_history_free(struct export_history *h)
{
	free(h->changes);
	free(h->moments);
	intern_free(&h->objects);
	u64_map_free(&h->latest);
	free(h->left);
	for (int i = 0; i < MEMORY_KINDS; i++)
		free(h->rows[i]);
	*h = (struct export_history){ 0 };
}

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
	uint32_t id = KEYED_ID(&h->objects, key), *latest;

	latest = id ? u64_map_insert(&h->latest, latest_key(key), id) : NULL;
	if (!latest || id > INT32_MAX)
		return 0;
	*latest = id;
	return id;
}

/* Returns the object's number; 0: not known. */
static uint32_t find_object(const struct export_history *h, const struct object_key *key)
{
	uint32_t id = intern_find(&h->objects.keys, key, sizeof(*key));
	const uint32_t *latest = id ? &id : u64_map_find(&h->latest, latest_key(key));

	return latest ? *latest : 0;
}

void export_history_add(struct export_history *h, const struct history_change *change,
			uint64_t at, uint64_t begin)
{
	const struct object_key key = { at, begin, change->memory };
	uint32_t id = change->more ? begin_object(h, &key) : find_object(h, &key);
	struct history_change *c;
	uint64_t *left;

	if (!change->more && !id)
		return;
	if (!id || array_grow(&h->changes, h->nr)) {
		h->failed = true;
		return;
	}
	c = &h->changes[h->nr++];
	*c = *change;
	c->object = id & INT32_MAX;
	left = &h->objects.of[id - 1];
	if (c->more)
		*left += c->bytes;
	else
		*left = less(*left, c->bytes);
	c->last = !c->more && !*left;
}

ORDER(compare_changes, struct history_change,
      UP(memory) ?: UP(object) ?: UP(last) ?: UP(bytes))

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
	else
		h->failed |= ARRAY_ADD(h->moments, h->nr_moments, *moment) != 0;
}

void export_history_rows(struct export_history *h, enum memory memory, uint32_t *rows,
			 size_t nr, uint32_t nr_table)
{
	free(h->rows[memory]);
	h->rows[memory] = rows;
	h->nr_rows[memory] = nr;
	for (int later = (int)memory + 1; later < MEMORY_KINDS; later++)
		h->first_row[later] = h->first_row[memory] + nr_table;
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
	KEYED_FREE(&h->objects);
	u64_map_free(&h->latest);
	for (int i = 0; i < MEMORY_KINDS; i++)
		free(h->rows[i]);
	*h = (struct export_history){ 0 };
}

// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * account: the union of the parts' rows.
 * In: each part's rows, their keys and first events. Out: one row for each key, in the order of
 * the first event of each.
 */
#include "account/row_union.h"

#include <errno.h>
#include <stdlib.h>

#include "base/array.h"

int row_union_add(struct row_union *u, unsigned int part, const void *key, size_t size,
		  const struct event_place *first)
{
	uint32_t before = u->keys.count, id = intern_id(&u->keys, key, size);

	if (!id ||
	    array_reserve(&u->firsts, &u->firsts_capacity, id, sizeof(*u->firsts)) ||
	    array_reserve(&u->of[part], &u->capacity[part], u->nr[part] + 1,
			  sizeof(*u->of[part])))
		return -ENOMEM;
	if (id > before || event_place_compare(first, &u->firsts[id - 1]) < 0)
		u->firsts[id - 1] = *first;
	u->of[part][u->nr[part]++] = id - 1;
	return 0;
}

static int compare(const void *a, const void *b, void *ctx)
{
	const struct event_place *firsts = ctx;

	return event_place_compare(&firsts[*(const uint32_t *)a],
				   &firsts[*(const uint32_t *)b]);
}

int row_union_number(struct row_union *u, struct intern *keys)
{
	uint32_t nr = u->keys.count, i;
	uint32_t *order = calloc(nr + 1UL, sizeof(*order));
	uint32_t *row_of = calloc(nr + 1UL, sizeof(*row_of));
	int ret = order && row_of ? 0 : -ENOMEM;
	unsigned int part;
	size_t row;

	for (i = 0; i < nr && !ret; i++)
		order[i] = i;
	if (!ret)
		qsort_r(order, nr, sizeof(*order), compare, u->firsts);
	for (i = 0; i < nr && !ret; i++) {
		size_t size = 0;
		const void *key = intern_get(&u->keys, order[i] + 1, &size);

		row_of[order[i]] = i;
		ret = intern_id(keys, key, size) ? 0 : -ENOMEM;
	}
	for (part = 0; part < EVENT_PARTS && !ret; part++) {
		for (row = 0; row < u->nr[part]; row++)
			u->of[part][row] = row_of[u->of[part][row]];
	}
	free(order);
	free(row_of);
	return ret;
}

static int compare_firsts(const void *a, const void *b)
{
	return event_place_compare(a, b);
}

struct event_place *row_union_take_firsts(struct row_union *u)
{
	struct event_place *firsts = u->firsts;

	/* Rows are in this order. */
	if (firsts)
		qsort(firsts, u->keys.count, sizeof(*firsts), compare_firsts);
	u->firsts = NULL;
	return firsts;
}

void row_union_free(struct row_union *u)
{
	unsigned int part;

	intern_free(&u->keys);
	free(u->firsts);
	for (part = 0; part < EVENT_PARTS; part++)
		free(u->of[part]);
	*u = (struct row_union){ 0 };
}

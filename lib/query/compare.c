// SPDX-License-Identifier: GPL-2.0-or-later
#include "query/compare.h"

#ifdef HAVE_SQLITE
#include <math.h>

#include "base/array.h"
#include "base/hash.h"
#include "base/strbuf.h"
#include "report/stats.h"

/* @group: its number in struct comparison. */
struct item {
	double value;
	sqlite3_int64 host;
	uint32_t group, side;
};

/* @groups: their names */
struct comparison {
	struct item *items;
	size_t nr, capacity;
	struct intern groups;
	bool failed;
};

/* The hosts' values of both sides, and the same divided by the median of their group. */
struct sides {
	double *values[2], *parts[2];
	size_t nr[2];
};

void query_compare_step(sqlite3_context *ctx, int nr, sqlite3_value **values)
{
	struct comparison *c = sqlite3_aggregate_context(ctx, sizeof(*c));
	uint32_t group;

	for (int i = 0; i < nr; i++) {
		if (sqlite3_value_type(values[i]) == SQLITE_NULL)
			return;
	}
	if (!c)
		return;
	group = intern_id(&c->groups, sqlite3_value_text(values[3]),
			  (size_t)sqlite3_value_bytes(values[3]));
	if (!group ||
	    array_reserve(&c->items, &c->capacity, c->nr + 1, sizeof(*c->items))) {
		c->failed = true;
		return;
	}
	c->items[c->nr++] = (struct item){ sqlite3_value_double(values[1]),
					   sqlite3_value_int64(values[2]), group,
					   sqlite3_value_int64(values[0]) != 0 };
}

static int by_group(const void *a, const void *b)
{
	const struct item *x = a, *y = b;

	if (x->group != y->group)
		return x->group < y->group ? -1 : 1;
	if (x->host != y->host)
		return x->host < y->host ? -1 : 1;
	if (x->side != y->side)
		return x->side < y->side ? -1 : 1;
	return (x->value > y->value) - (x->value < y->value);
}

/* Replaces a host's values on a side by their median. @scratch: room for all values. */
static void take_medians(struct comparison *c, double *scratch)
{
	size_t to = 0;

	for (size_t i = 0, nr; i < c->nr; i += nr) {
		const struct item *first = &c->items[i];

		for (nr = 0; i + nr < c->nr && c->items[i + nr].group == first->group &&
			     c->items[i + nr].host == first->host &&
			     c->items[i + nr].side == first->side;
		     nr++)
			scratch[nr] = c->items[i + nr].value;
		c->items[to] = *first;
		c->items[to++].value = values_quantile(scratch, nr, 0.5);
	}
	c->nr = to;
}

/* Divides each group by its median. */
static void divide(const struct comparison *c, struct sides *s, double *scratch)
{
	for (size_t i = 0, nr; i < c->nr; i += nr) {
		double middle;

		for (nr = 0;
		     i + nr < c->nr && c->items[i + nr].group == c->items[i].group; nr++)
			scratch[nr] = c->items[i + nr].value;
		values_sort(scratch, nr);
		middle = values_quantile(scratch, nr, 0.5);
		for (size_t k = i; k < i + nr && middle != 0; k++) {
			uint32_t side = c->items[k].side;

			s->values[side][s->nr[side]] = c->items[k].value;
			s->parts[side][s->nr[side]++] = c->items[k].value / middle;
		}
	}
}

static void put_number(struct strbuf *json, const char *name, double value)
{
	strbuf_printf(json, ",\"%s\":", name);
	if (isfinite(value))
		strbuf_printf(json, "%.17g", value);
	else
		strbuf_puts(json, "null");
}

static int put_outcome(struct strbuf *json, struct sides *s)
{
	struct mann_whitney test = { .p = NAN };
	double medians[2] = { NAN, NAN }, parts[2] = { NAN, NAN };
	int err = mann_whitney_test(s->parts[0], s->nr[0], s->parts[1], s->nr[1], &test);

	if (err == -ENOMEM)
		return err;
	for (int side = 0; side < 2; side++) {
		if (!s->nr[side])
			continue;
		values_sort(s->values[side], s->nr[side]);
		values_sort(s->parts[side], s->nr[side]);
		medians[side] = values_quantile(s->values[side], s->nr[side], 0.5);
		parts[side] = values_quantile(s->parts[side], s->nr[side], 0.5);
	}
	strbuf_printf(json, "{\"hosts_old\":%zu,\"hosts_new\":%zu", s->nr[0], s->nr[1]);
	put_number(json, "old", medians[0]);
	put_number(json, "new", medians[1]);
	put_number(json, "times", parts[1] / parts[0]);
	put_number(json, "p", err ? NAN : test.p);
	strbuf_puts(json, "}");
	return json->failed ? -ENOMEM : 0;
}

static int compare(struct comparison *c, struct strbuf *json)
{
	double *room = calloc(c->nr + 1, 5 * sizeof(*room));
	struct sides s = { 0 };
	int err;

	if (!room)
		return -ENOMEM;
	for (int side = 0; side < 2; side++) {
		s.values[side] = room + (1 + side) * c->nr;
		s.parts[side] = room + (3 + side) * c->nr;
	}
	if (c->nr)
		qsort(c->items, c->nr, sizeof(*c->items), by_group);
	take_medians(c, room);
	divide(c, &s, room);
	err = put_outcome(json, &s);
	free(room);
	return err;
}

void query_compare_end(sqlite3_context *ctx)
{
	struct comparison *c = sqlite3_aggregate_context(ctx, 0);
	struct strbuf __auto_free json = { 0 };

	if (!c)
		return;
	if (c->failed || compare(c, &json))
		sqlite3_result_error_nomem(ctx);
	else
		sqlite3_result_text(ctx, strbuf_text(&json), -1, SQLITE_TRANSIENT);
	intern_free(&c->groups);
	free(c->items);
}
#endif

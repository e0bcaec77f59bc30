// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * report: the order of a table's rows.
 * In: a table and sort keys. Out: its rows rearranged in place.
 */

#include "base/array.h"
#include "base/strbuf.h"
#include "report/table.h"
#include "report/tree.h"

int sort_keys_parse(struct sort_keys *out, const char *text)
{
	char *left;

	*out = (struct sort_keys){ .text = strdup(text) };
	if (!out->text)
		return -ENOMEM;
	for (left = out->text; left;) {
		struct sort_key key = { .name = text_next_word(&left) };

		if (*key.name == '+' || *key.name == '-')
			key.direction =
				*key.name++ == '+' ? SORT_ASCENDING : SORT_DESCENDING;
		if (!*key.name || out->nr == SORT_KEYS_MAX) {
			int err = *key.name ? -E2BIG : -EINVAL;

			sort_keys_free(out);
			return err;
		}
		out->keys[out->nr++] = key;
	}
	return 0;
}

void sort_keys_free(struct sort_keys *keys)
{
	free(keys->text);
	*keys = (struct sort_keys){ 0 };
}

/* Data for compare_rows(): the known keys, as column indices. */
struct sort_order {
	const struct table *t;
	size_t column[SORT_KEYS_MAX];
	bool descending[SORT_KEYS_MAX];
	size_t nr;
};

static long double cell_number(const struct cell *c)
{
	switch (c->type) {
	case CELL_INT:
		return c->i;
	case CELL_REAL:
		return c->f;
	default:
		return c->u;
	}
}

/* Ascending order of two non-empty cells: numbers before texts. */
static int compare_values(const struct cell *a, const struct cell *b)
{
	long double x, y;

	if (a->type == CELL_TEXT || b->type == CELL_TEXT) {
		if (a->type != b->type)
			return a->type == CELL_TEXT ? 1 : -1;
		return a->s == b->s ? 0 : strcmp(a->s, b->s);
	}
	if (a->type == b->type && (a->type == CELL_UINT || a->type == CELL_ADDRESS))
		return COMPARE(a->u, b->u);
	if (a->type == CELL_INT && b->type == CELL_INT)
		return COMPARE(a->i, b->i);
	x = cell_number(a);
	y = cell_number(b);
	if (x != x || y != y) /* a NaN comes after every number */
		return (x != x) - (y != y);
	return COMPARE(x, y);
}

static int compare_rows(const void *pa, const void *pb, void *ctx)
{
	const struct sort_order *order = ctx;
	size_t row_a = *(const size_t *)pa, row_b = *(const size_t *)pb;
	const struct cell *a = order->t->cells + row_a * order->t->nr_columns;
	const struct cell *b = order->t->cells + row_b * order->t->nr_columns;
	int cmp;

	for (size_t i = 0; i < order->nr; i++) {
		const struct cell *ca = a + order->column[i], *cb = b + order->column[i];

		if (ca->type == CELL_NONE || cb->type == CELL_NONE) {
			cmp = (ca->type == CELL_NONE) - (cb->type == CELL_NONE);
			if (cmp)
				return cmp;
			continue;
		}
		cmp = compare_values(ca, cb);
		if (cmp)
			return order->descending[i] ? -cmp : cmp;
	}
	return COMPARE(row_a, row_b); /* stable */
}

/* Numbers default to descending, names and addresses to ascending order. */
static bool default_descending(const struct table *t, size_t column)
{
	enum column_unit unit = t->columns[column].unit;

	if (unit == UNIT_PFN || unit == UNIT_ADDRESS)
		return false;
	for (size_t row = 0; row < t->nr_rows; row++) {
		enum cell_type type = t->cells[row * t->nr_columns + column].type;

		if (type != CELL_NONE)
			return type != CELL_TEXT && type != CELL_ADDRESS;
	}
	return false;
}

/* Keeps those of @keys that name a column, and lists them in t->sorted_by. */
static int sort_order_init(struct sort_order *order, struct table *t,
			   const struct sort_key *keys, size_t nr_keys)
{
	struct strbuf text = { 0 };

	*order = (struct sort_order){ .t = t };
	for (size_t i = 0; i < nr_keys && order->nr < SORT_KEYS_MAX; i++) {
		int column = table_key_column(t, keys[i].name);
		bool usual, down;

		if (column < 0)
			continue;
		usual = default_descending(t, (size_t)column);
		down = keys[i].direction == SORT_DEFAULT
			       ? usual
			       : keys[i].direction == SORT_DESCENDING;
		order->column[order->nr] = (size_t)column;
		order->descending[order->nr++] = down;
		strbuf_printf(&text, "%s%s%s", order->nr > 1 ? ", " : "",
			      down == usual ? ""
			      : down	    ? "-"
					    : "+",
			      keys[i].said ? keys[i].said : t->columns[column].name);
	}
	if (!order->nr)
		return 0;
	t->sorted_by = cell_strbuf(t, &text).s;
	return t->sorted_by ? 0 : -ENOMEM;
}

/* Moves row order[i] to place i, for every i. */
static int permute_rows(struct table *t, const size_t *order)
{
	size_t row_size = t->nr_columns * sizeof(struct cell);
	struct cell *cells = malloc(t->nr_rows * row_size);

	if (!cells)
		return -ENOMEM;
	for (size_t i = 0; i < t->nr_rows; i++)
		memcpy(cells + i * t->nr_columns, t->cells + order[i] * t->nr_columns,
		       row_size);
	free(t->cells);
	t->cells = cells;
	t->rows_capacity = t->nr_rows;
	return 0;
}

int table_sort(struct table *t, const struct sort_key *keys, size_t nr_keys)
{
	struct sort_order how;
	size_t *order __auto_mem = NULL;
	int err;

	if (!t->by)
		return 0;
	err = sort_order_init(&how, t, keys, nr_keys);
	if (err || !how.nr || t->nr_rows < 2)
		return err;
	order = calloc(t->nr_rows, sizeof(*order));
	if (!order)
		return -ENOMEM;
	for (size_t i = 0; i < t->nr_rows; i++)
		order[i] = i;
	qsort_r(order, t->nr_rows, sizeof(*order), compare_rows, &how);
	err = t->tree ? tree_order(t, order) : 0;
	return err ?: permute_rows(t, order);
}

int table_sort_usual(struct table *t)
{
	struct sort_keys keys;
	int err = t->usual_sort ? sort_keys_parse(&keys, t->usual_sort) : -EINVAL;

	if (err) /* no keys, or a syntax error: the rows keep their order */
		return err == -ENOMEM ? err : 0;
	err = table_sort(t, keys.keys, keys.nr);
	sort_keys_free(&keys);
	return err;
}

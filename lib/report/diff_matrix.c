// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * report: matrices of several runs, as their difference.
 * In: the same matrix of old and of new runs. Out: a matrix of what changed.
 */

#include "base/hash.h"
#include "report/diff_rows.h"
#include "report/stats.h"

/* Maximum number of rows, because a hostile recording may have any order. */
#define ROWS_MAX 1024

struct matrices {
	const struct diff_sides *sides;
	struct intern names; /* names of the columns except the first */
	size_t nr_rows;
	double *values; /* of one cell, by run */
};

static int collect(struct matrices *m)
{
	for (size_t run = 0; run < m->sides->nr; run++) {
		const struct table *t = m->sides->runs[run].table;

		for (size_t i = 1; i < t->nr_columns; i++) {
			const char *name = t->columns[i].name;

			if (!intern_id(&m->names, name, strlen(name)))
				return -ENOMEM;
		}
		for (size_t i = 0; i < t->nr_rows; i++) {
			const struct cell *key = &t->cells[i * t->nr_columns];

			if (key->type != CELL_UINT || key->u >= ROWS_MAX)
				return -EINVAL;
			m->nr_rows = LARGER(m->nr_rows, (size_t)key->u + 1);
		}
	}
	m->values = calloc(m->sides->nr, sizeof(*m->values));
	return m->values ? 0 : -ENOMEM;
}

/* Reads the cell of row @row in column @name of every run. */
static void read_cell(const struct matrices *m, size_t row, const char *name)
{
	for (size_t run = 0; run < m->sides->nr; run++) {
		const struct diff_run *r = &m->sides->runs[run];
		int column = table_column(r->table, name);

		m->values[run] = 0;
		for (size_t i = 0; i < r->table->nr_rows; i++) {
			if (table_uint(r->table, i, 0) == row)
				m->values[run] +=
					(double)table_uint(r->table, i, column) /
					r->divisor;
		}
	}
}

static struct table *make_table(const struct matrices *m)
{
	const struct table *first = m->sides->runs[0].table;
	struct table *t = table_new(first->name, first->title);

	if (!t)
		return NULL;
	table_add_column(t, &first->columns[0]);
	for (size_t i = 0; i < m->names.count; i++) {
		const char *name = intern_get(&m->names, (uint32_t)i + 1, NULL);
		char hidden[96];
		struct column col = { .name = name, .unit = UNIT_COUNT, .change = true };

		table_add_column(t, &col);
		col = (struct column){ .name = hidden,
				       .unit = UNIT_COUNT,
				       .hidden = true };
		snprintf(hidden, sizeof(hidden), "%s_old", name);
		table_add_column(t, &col);
		snprintf(hidden, sizeof(hidden), "%s_new", name);
		table_add_column(t, &col);
	}
	return t;
}

static void fill(const struct matrices *m, struct table *t)
{
	size_t nr_old = m->sides->nr_old, nr_new = m->sides->nr - nr_old;

	for (size_t row = 0; row < m->nr_rows; row++) {
		struct cell *cells = table_add_row(t);

		if (!cells)
			return;
		*cells++ = cell_uint(row);
		for (uint32_t i = 0; i < m->names.count; i++) {
			double old, new;

			read_cell(m, row, intern_get(&m->names, i + 1, NULL));
			old = runs_summarise(m->values, nr_old).median;
			new = runs_summarise(m->values + nr_old, nr_new).median;
			*cells++ = diff_cell(new - old, true);
			*cells++ = diff_cell(old, false);
			*cells++ = diff_cell(new, false);
		}
	}
}

int diff_matrices(const struct diff_sides *sides, struct table **out)
{
	struct matrices m = { .sides = sides };
	int err = !sides->nr_old || sides->nr_old >= sides->nr ? -EINVAL : collect(&m);

	*out = NULL;
	if (!err) {
		*out = make_table(&m);
		err = *out ? 0 : -ENOMEM;
	}
	if (!err)
		fill(&m, *out);
	intern_free(&m.names);
	free(m.values);
	return err;
}

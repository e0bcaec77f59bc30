// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * report: the rows of a comparison for a page.
 * In: a table of diff_tables(). Out: plain rows, as many as fit into a page.
 */
#include "report/web/web_diff.h"

#include <math.h>

#include "base/array.h"

/* A row of the table; @weight: the larger of both sides. */
struct weighed {
	double weight;
	size_t row;
};

struct making {
	struct web_diff_rows *rows;
	const struct table *t;
	const struct diff_options *o;
	struct web_report *names;
	int at[DIFF_METRICS_MAX][WEB_DIFF_FIGURES]; /* the table's columns */
	int by;
	struct u64_map rest; /* maps a node to its row + 1 */
};

const char *const web_diff_figures[] = { "old", "new", "uncertainty", "q", "mark" };

static struct web_diff_value value_of(const struct making *m, size_t row, size_t metric)
{
	const int *at = m->at[metric];
	const char *mark = table_text(m->t, row, at[WEB_DIFF_FIGURES - 1]);
	struct web_diff_value v;

	for (size_t i = 0; i < WEB_DIFF_FIGURES; i++) {
		const struct cell *c = table_cell(m->t, row, at[i]);

		v.of[i] = c ? cell_as_real(c) : NAN;
	}
	/* A cell without a number means that it is unbounded. */
	if (isnan(v.uncertainty) && !isnan(v.old))
		v.uncertainty = INFINITY;
	v.mark = !strcmp(mark, "~")   ? WEB_DIFF_CHANCE
		 : !strcmp(mark, "?") ? WEB_DIFF_TOO_FEW
				      : WEB_DIFF_PLAIN;
	return v;
}

/* The heaviest first; then in the table's order. */
ORDER_LARGEST(by_weight, struct weighed, weight, row)

/* Adds a row with that name. Returns its values; NULL: no memory. */
static struct web_diff_value *add_row(struct web_diff_rows *r, uint32_t of)
{
	size_t nr = (r->nr + 1) * r->nr_metrics;

	if (array_grow(&r->of, r->nr) ||
	    array_reserve(&r->values, &r->values_capacity, nr))
		return NULL;
	r->of[r->nr++] = of;
	return &r->values[nr - r->nr_metrics];
}

static void add_up(struct web_diff_value *to, const struct web_diff_value *from)
{
	to->old += from->old;
	to->new += from->new;
	to->uncertainty += from->uncertainty;
}

/* Adds row @row to the sum of its callsite's rows that do not fit into the page. */
static int add_to_rest(struct making *m, size_t row, const char *name)
{
	struct strbuf __auto_free folded = { 0 };
	struct web_diff_value *values;
	uint32_t node, *known;

	strbuf_add(&folded, name, (size_t)(strchrnul(name, ';') - name));
	strbuf_puts(&folded, ";[other callchains]");
	node = web_report_chain(m->names, strbuf_text(&folded));
	m->names->failed |= folded.failed;
	known = u64_map_insert(&m->rest, node, 0);
	if (m->names->failed || !known)
		return -ENOMEM;
	values = *known ? &m->rows->values[(*known - 1) * m->rows->nr_metrics]
			: add_row(m->rows, node);
	if (!values)
		return -ENOMEM;
	for (size_t i = 0; i < m->rows->nr_metrics; i++) {
		struct web_diff_value value = value_of(m, row, i);

		if (*known) {
			add_up(&values[i], &value);
			continue;
		}
		value.q = NAN;
		value.mark = WEB_DIFF_ADDED_UP;
		values[i] = value;
	}
	if (!*known)
		*known = (uint32_t)m->rows->nr;
	return 0;
}

static int take(struct making *m, size_t row, bool alone)
{
	const struct cell *c = table_cell(m->t, row, m->by);
	const char *name = c && c->type == CELL_TEXT ? c->s : "";
	struct web_diff_value *values;

	if (!alone && m->rows->stacks)
		return add_to_rest(m, row, name);
	if (!alone) {
		m->rows->left_out++;
		return 0;
	}
	values = add_row(m->rows, m->rows->stacks ? web_report_chain(m->names, name)
						  : web_report_name(m->names, name));
	if (!values || m->names->failed)
		return -ENOMEM;
	for (size_t i = 0; i < m->rows->nr_metrics; i++)
		values[i] = value_of(m, row, i);
	return 0;
}

static void find_columns(struct making *m)
{
	char name[64];

	m->by = m->t->by ? table_column(m->t, m->t->by) : -1;
	for (size_t i = 0; i < m->o->nr_metrics * WEB_DIFF_FIGURES; i++) {
		size_t metric = i / WEB_DIFF_FIGURES, figure = i % WEB_DIFF_FIGURES;

		snprintf(name, sizeof(name), "%s_%s", m->o->metrics[metric].name,
			 web_diff_figures[figure]);
		m->at[metric][figure] = table_column(m->t, name);
	}
}

int web_diff_rows_init(struct web_diff_rows *r, const struct table *t,
		       const struct diff_options *o, struct web_report *names)
{
	struct making m = { .rows = r, .t = t, .o = o, .names = names };
	struct weighed *order __auto_mem = calloc(t->nr_rows + 1, sizeof(*order));
	int ret = order ? 0 : -ENOMEM;

	*r = (struct web_diff_rows){ .nr_metrics = o->nr_metrics,
				     .stacks = t->by && !strcmp(t->by, "stack") };
	find_columns(&m);
	for (size_t i = 0; i < t->nr_rows && !ret; i++) {
		const struct web_diff_value first = value_of(&m, i, o->shown[0]);

		order[i].weight = fmax(first.old, first.new);
		order[i].row = i;
	}
	if (!ret)
		qsort(order, t->nr_rows, sizeof(*order), by_weight);
	for (size_t i = 0; i < t->nr_rows && !ret; i++)
		ret = take(&m, order[i].row, i < WEB_DIFF_ROWS);
	u64_map_free(&m.rest);
	return ret;
}

void web_diff_rows_free(struct web_diff_rows *r)
{
	free(r->of);
	free(r->values);
	*r = (struct web_diff_rows){ 0 };
}

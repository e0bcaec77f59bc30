// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * analysis: the order x migratetype matrix of page allocations.
 * In: page accounts. Out: table "page_matrix".
 */
#include "analysis/stat/account_report.h"

/* Migratetypes past these share one column: a kernel has six. */
#define MATRIX_TYPES MIGRATETYPE_MAX
#define MATRIX_OTHER MATRIX_TYPES

struct matrix {
	uint64_t hits[PAGE_ORDER_LIMIT + 1][MATRIX_TYPES + 1];
	unsigned int nr_orders, nr_types;
	bool other;
};

static void matrix_add(struct matrix *m, const struct page_key *key, uint64_t hit)
{
	unsigned int type = key->migratetype >= 0 && key->migratetype < MATRIX_TYPES
				    ? (unsigned int)key->migratetype
				    : MATRIX_OTHER;

	if (!hit || key->order > PAGE_ORDER_LIMIT)
		return;
	m->hits[key->order][type] += hit;
	if (key->order >= m->nr_orders)
		m->nr_orders = key->order + 1;
	if (type == MATRIX_OTHER)
		m->other = true;
	else if (type >= m->nr_types)
		m->nr_types = type + 1;
}

static const struct column_type columns[] = {
	{ COLUMN("order", "Order", UNIT_NONE, "Blocks of 2^order pages."),
	  .fill = cell_of_u32 },
	{ COLUMN("MIGRATETYPE", NULL, UNIT_COUNT,
		 "One column each: allocations that requested it; other: an unknown one."),
	  .many = true },
	COLUMNS_END,
};

const struct table_type page_matrix_type = {
	.name = "page_matrix",
	.help = "page allocations by order and migratetype",
	.columns = columns,
};

static void matrix_columns(struct matrix *m, const struct migratetypes *names,
			   struct table *t)
{
	/* Show the three types that every kernel has even if they are not used. */
	m->nr_types = LARGER(m->nr_types, 3U);
	for (unsigned int type = 0; type < m->nr_types; type++) {
		const char *name = migratetype_name(names, (int)type);
		struct column column = { .unit = UNIT_COUNT };
		char number[16];

		snprintf(number, sizeof(number), "%u", type);
		column.name = column.title = name ? name : number;
		table_add_column(t, &column);
	}
	if (m->other)
		table_add_column(t, &(struct column){ .name = "other",
						      .title = "other",
						      .unit = UNIT_COUNT });
}

static const char *matrix_origin(enum migratetype_origin origin)
{
	switch (origin) {
	case MIGRATETYPE_FROM_PAGETYPEINFO:
		return "that kernel's pagetypeinfo";
	case MIGRATETYPE_FROM_RELEASE:
		return "the kernel's release, as the recording has no pagetypeinfo";
	default:
		return "today's kernels, as the recording names none";
	}
}

int page_matrix(const struct page_lives *acc, const struct analysis_env *env, bool live,
		struct report *report)
{
	struct table *t = table_begin(report, &page_matrix_type,
				      live ? "Live page blocks by order and migratetype"
					   : "Page allocations by order and migratetype",
				      SUBJECT_NONE, live);
	struct matrix *m __auto_mem = calloc(1, sizeof(*m));

	if (!m)
		return -ENOMEM;
	for (size_t i = 0; i < lives_rows(&acc->any); i++)
		matrix_add(m, page_lives_key(acc, i),
			   (live ? acc->any.rows[i].live_hit : acc->any.rows[i].hit) *
				   lives_weight(&acc->any, i));
	matrix_columns(m, env->migratetypes, t);
	table_add_note(t, "Migratetypes are the requested ones; named by %s.",
		       matrix_origin(env->migratetypes->origin));
	for (unsigned int order = 0; order < m->nr_orders; order++) {
		struct cell *row;

		if (!table_put_row(t, &order))
			break;
		row = t->cells + (t->nr_rows - 1) * t->nr_columns;
		for (unsigned int type = 0; type < m->nr_types; type++)
			row[type + 1] = cell_uint(m->hits[order][type]);
		if (m->other)
			row[m->nr_types + 1] = cell_uint(m->hits[order][MATRIX_OTHER]);
	}
	return 0;
}

// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * analysis: the columns of a comparison's tables.
 * In: sums. Out: cells.
 */
#include "analysis/comparison_columns.h"

#include <string.h>

#include "analysis/slab_report.h"

static struct cell cell_name(const void *row, struct table *t)
{
	const struct comparison_row *r = row;

	return cell_text(t, r->name);
}

static struct cell cell_bytes(const void *row, struct table *t)
{
	const struct comparison_row *r = row;

	return cell_uint(r->group->bytes);
}

static struct cell cell_hit(const void *row, struct table *t)
{
	const struct comparison_row *r = row;

	return cell_uint(r->group->hit);
}

static struct cell cell_net(const void *row, struct table *t)
{
	const struct comparison_row *r = row;

	return cell_uint(r->group->live);
}

static struct cell cell_net_min(const void *row, struct table *t)
{
	const struct comparison_row *r = row;

	return cell_uint(r->group->net_min);
}

static struct cell cell_waste(const void *row, struct table *t)
{
	const struct comparison_row *r = row;

	return cell_uint(slab_waste(r->group->bytes, r->group->bytes_req));
}

/* An allocation of pages is as large as asked for. */
static struct cell cell_no_waste(const void *row, struct table *t)
{
	return (struct cell){ .type = CELL_NONE };
}

static struct cell cell_peak(const void *row, struct table *t)
{
	const struct comparison_row *r = row;

	return cell_uint(r->group->peak);
}

static struct cell cell_largest(const void *row, struct table *t)
{
	const struct comparison_row *r = row;

	return cell_uint(r->group->largest);
}

/* The column that names the row. */
#define NAME(word, heading, which, text)         \
	{                                        \
		.column = { .name = word,        \
			    .title = heading,    \
			    .last = true,        \
			    .help = text },      \
		.rows = which, .fill = cell_name \
	}
#define NAME_CALLSITE                                \
	NAME("callsite", "Callsite", ROWS(CALLSITE), \
	     "The function that allocated, without what a build adds to its name.")
#define NAME_STACK \
	NAME("stack", "Callchain", ROWS(STACK), "The callsite and its callers outward.")
#define NAME_MODULE \
	NAME("module", "Module", ROWS(MODULE), "The callsite's module, or [kernel].")
#define NAME_DIR                            \
	NAME("dir", "Directory", ROWS(DIR), \
	     "The directory of the kernel's source that the callsite is in.")
#define NAME_CACHE NAME("cache", "Cache", ROWS(CACHE), "The slab cache.")
/* Those that are compared and not hidden are what diff shows usually. */
#define FIGURES(fill_waste)                                                    \
	{ .column = { .name = "bytes",                                         \
		      .title = "Bytes",                                        \
		      .unit = UNIT_BYTES,                                      \
		      .help = "Bytes allocated." },                            \
	  .use = COLUMN_SUM,                                                   \
	  .fill = cell_bytes },                                                \
		{ .column = { .name = "hit",                                   \
			      .title = "Hit",                                  \
			      .unit = UNIT_COUNT,                              \
			      .help = "Allocations." },                        \
		  .use = COLUMN_EVENTS,                                        \
		  .fill = cell_hit },                                          \
		{ .column = { .name = "net",                                   \
			      .title = "Net",                                  \
			      .unit = UNIT_BYTES,                              \
			      .live = true,                                    \
			      .help = "Bytes allocated and not seen freed." }, \
		  .use = COLUMN_SUM,                                           \
		  .fill = cell_net },                                          \
		{ .column = { .name = "net_min",                               \
			      .unit = UNIT_BYTES,                              \
			      .hidden = true,                                  \
			      .range_of = "net",                               \
			      .live = true,                                    \
			      .help = "Of these, those that are certain." },   \
		  .fill = cell_net_min },                                      \
		{ .column = { .name = "waste",                                 \
			      .title = "Waste",                                \
			      .unit = UNIT_BYTES,                              \
			      .hidden = true,                                  \
			      .help = "Bytes allocated beyond the request." }, \
		  .use = COLUMN_SUM,                                           \
		  .fill = fill_waste },                                        \
		{ .column = { .name = "peak",                                  \
			      .title = "Peak",                                 \
			      .unit = UNIT_BYTES,                              \
			      .hidden = true,                                  \
			      .live = true,                                    \
			      .help = "The most bytes live at one time." },    \
		  .use = COLUMN_HEIGHT,                                        \
		  .fill = cell_peak },                                         \
		{ .column = { .name = "largest",                               \
			      .unit = UNIT_BYTES,                              \
			      .hidden = true,                                  \
			      .help = "Bytes of the largest allocation." },    \
		  .use = COLUMN_LARGEST,                                       \
		  .fill = cell_largest },                                      \
		COLUMNS_END

const struct column_type comparison_slab_columns[] = {
	NAME_CALLSITE, NAME_STACK, NAME_MODULE, NAME_DIR, FIGURES(cell_waste),
};

const struct column_type comparison_cache_columns[] = {
	NAME_CACHE,
	FIGURES(cell_waste),
};

const struct column_type comparison_page_columns[] = {
	NAME_CALLSITE, NAME_STACK, NAME_MODULE, NAME_DIR, FIGURES(cell_no_waste),
};

static const char *least_of(const char *name)
{
	const struct column_type *col;

	for (col = comparison_slab_columns; col->column.name; col++) {
		if (col->column.range_of && !strcmp(col->column.range_of, name))
			return col->column.name;
	}
	return NULL;
}

void comparison_metrics(struct comparison_metrics *m)
{
	const struct column_type *col;

	*m = (struct comparison_metrics){ .nr = 0 };
	for (col = comparison_slab_columns; col->column.name; col++) {
		const struct column *c = &col->column;

		if (col->use == COLUMN_LARGEST)
			m->largest = c->name;
		if (col->use == COLUMN_NOT_COMPARED || col->use == COLUMN_LARGEST ||
		    m->nr == DIFF_METRICS_MAX)
			continue;
		if (col->use == COLUMN_EVENTS)
			m->count = m->nr;
		m->usual[m->nr] = !c->hidden;
		m->items[m->nr++] = (struct diff_metric){ c->name, c->title, c->unit,
							  col->use == COLUMN_HEIGHT,
							  least_of(c->name) };
	}
}

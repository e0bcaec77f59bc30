// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * analysis: the columns of a comparison's tables.
 * In: sums. Out: cells.
 */
#include "analysis/comparison_columns.h"

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
#define FIGURES(fill_waste)                                                              \
	{ .column = { .name = "bytes", .unit = UNIT_BYTES, .help = "Bytes allocated." }, \
	  .fill = cell_bytes },                                                          \
		{ .column = { .name = "hit",                                             \
			      .unit = UNIT_COUNT,                                        \
			      .help = "Allocations." },                                  \
		  .fill = cell_hit },                                                    \
		{ .column = { .name = "net",                                             \
			      .unit = UNIT_BYTES,                                        \
			      .live = true,                                              \
			      .help = "Bytes allocated and not seen freed." },           \
		  .fill = cell_net },                                                    \
		{ .column = { .name = "net_min",                                         \
			      .unit = UNIT_BYTES,                                        \
			      .hidden = true,                                            \
			      .live = true,                                              \
			      .help = "Of these, those that events make sure." },        \
		  .fill = cell_net_min },                                                \
		{ .column = { .name = "waste",                                           \
			      .unit = UNIT_BYTES,                                        \
			      .help = "Bytes given over what was asked for." },          \
		  .fill = fill_waste },                                                  \
		{ .column = { .name = "peak",                                            \
			      .unit = UNIT_BYTES,                                        \
			      .live = true,                                              \
			      .help = "The most bytes that lived at a time." },          \
		  .fill = cell_peak },                                                   \
		{ .column = { .name = "largest",                                         \
			      .unit = UNIT_BYTES,                                        \
			      .hidden = true,                                            \
			      .help = "Bytes of the largest allocation." },              \
		  .fill = cell_largest },                                                \
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

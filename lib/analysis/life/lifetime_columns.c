// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * analysis: the columns of the tables of lifetimes.
 * In: rows. Out: cells.
 */
#include "analysis/life/lifetime.h"

#include <inttypes.h>

static struct cell cell_short_part(const void *row, struct table *t)
{
	const struct lifetime_view_row *r = row;

	if (!r->v->a->ns || !r->group->nr)
		return (struct cell){ 0 };
	return cell_real(100.0 * (double)r->group->row.nr_short / (double)r->group->nr);
}

static struct cell cell_untimed(const void *row, struct table *t)
{
	const struct lifetime_view_row *r = row;

	return cell_uint(r->sum->all - r->sum->live - r->group->nr);
}

static struct cell cell_histogram(const void *row, struct table *t)
{
	const struct lifetime_view_row *r = row;
	uint64_t octaves[LIFETIME_OCTAVES];
	unsigned int nr = lifetime_octaves(
		&r->v->groups, (size_t)(r->group - r->v->groups.groups), octaves);

	return cell_numbers(t, octaves, nr);
}

/* @things: objects or pages, of @count_unit. */
#define LIFETIME_COLUMNS(things, count_unit)                                             \
	{ COLUMN("short", "Short", count_unit,                                           \
		 "Those freed within 10 us (--short) on the CPU that "                   \
		 "allocated them.",                                                      \
		 .share = true),                                                         \
	  MEMBER_OF(struct lifetime_view_row, timed, row.nr_short) },                    \
		{ COLUMN("short_pct", "Short/Freed", UNIT_PERCENT,                       \
			 "Their part of the freed ones.", .leaves = 70),                 \
		  .fill = cell_short_part },                                             \
		{ COLUMN("short_bytes", "Short_bytes", UNIT_BYTES,                       \
			 "Bytes allocated for them.", .hidden = true, .leaves = 75),     \
		  MEMBER_OF(struct lifetime_view_row, timed, row.bytes_short) },         \
		{ COLUMN("freed", "Freed", count_unit,                                   \
			 "Freed " things ", whose lifetime is known.", .leaves = 20),    \
		  MEMBER_OF(struct lifetime_view_row, group, nr) },                      \
		{ COLUMN("freed_low", "Freed_low", count_unit,                           \
			 "For a sample: the lower end of the 95 % confidence "           \
			 "interval of how many ended.",                                  \
			 .level = true, .leaves = 22),                                   \
		  .estimated = true,                                                     \
		  MEMBER_OF(struct lifetime_view_row, sum, interval.low) },              \
		{ COLUMN("freed_high", "Freed_high", count_unit,                         \
			 "For a sample: the upper end of this interval.", .level = true, \
			 .leaves = 22),                                                  \
		  .estimated = true,                                                     \
		  MEMBER_OF(struct lifetime_view_row, sum, interval.high) },             \
		{ COLUMN("median", "Median", UNIT_NS,                                    \
			 "The time that half of them did not outlive; at most "          \
			 "1/32 off.",                                                    \
			 .level = true, .leaves = 30),                                   \
		  MEMBER_OF(struct lifetime_view_row, ended, median) },                  \
		{ COLUMN("p99", "99 %", UNIT_NS,                                         \
			 "The time that 99 % of them did not outlive; at most "          \
			 "1/32 off.",                                                    \
			 .level = true, .leaves = 40),                                   \
		  MEMBER_OF(struct lifetime_view_row, ended, p99) },                     \
		{ COLUMN("longest", "Longest", UNIT_NS, "The longest lifetime.",         \
			 .level = true, .leaves = 60),                                   \
		  MEMBER_OF(struct lifetime_view_row, ended, row.longest) },             \
		{ COLUMN("untimed", "Untimed", count_unit,                               \
			 "Those that ended at an unknown time, as no event said "        \
			 "so.",                                                          \
			 .leaves = 90),                                                  \
		  .fill = cell_untimed },                                                \
		{ COLUMN("live", "Live", count_unit, "Those that live at the end.",      \
			 .live = true, .leaves = 80),                                    \
		  MEMBER_OF(struct lifetime_view_row, sum, live) },                      \
	{                                                                                \
		COLUMN("lifetimes", "Lifetimes", UNIT_NS,                                \
		       "How many lived for 0 or 1 ns, and from 2, 4, 8, ... "            \
		       "ns on; in text a line of marks.",                                \
		       .histogram = true, .leaves = 5),                                  \
			.fill = cell_histogram                                           \
	}

static const struct column_type slab_columns[] = {
	LIFETIME_COLUMNS("objects", UNIT_COUNT),
	SUBJECT_COLUMNS,
	SUBJECT_COLUMN_NODE,
	SUBJECT_COLUMN_CACHE,
	SHARE_COLUMNS,
	COLUMNS_END,
};

const struct table_type lifetime_type = {
	.name = "lifetime",
	.help = "lifetimes of slab objects by callsite, or what --by says (--lifetime)",
	.sort = "short,freed",
	.columns = slab_columns,
};

static const struct column_type page_columns[] = {
	LIFETIME_COLUMNS("pages", UNIT_PAGES),
	SUBJECT_COLUMNS,
	SUBJECT_COLUMN_PAGE_NODE,
	SHARE_COLUMNS,
	COLUMNS_END,
};

const struct table_type lifetime_page_type = {
	.name = "lifetime_page",
	.help = "lifetimes of pages by callsite, or what --by says (--lifetime)",
	.sort = "short,freed",
	.columns = page_columns,
};

static const struct column_type area_columns[] = {
	LIFETIME_COLUMNS("areas or allocations", UNIT_COUNT),
	SUBJECT_COLUMNS,
	SHARE_COLUMNS,
	COLUMNS_END,
};

const struct table_type lifetime_vmalloc_type = {
	.name = "lifetime_vmalloc",
	.help = "lifetimes of areas of vmalloc by callsite, or what --by says (--lifetime)",
	.sort = "short,freed",
	.columns = area_columns,
};

const struct table_type lifetime_percpu_memory_type = {
	.name = "lifetime_percpu_memory",
	.help = "lifetimes of per-CPU memory by callsite, or what --by says (--lifetime)",
	.sort = "short,freed",
	.columns = area_columns,
};

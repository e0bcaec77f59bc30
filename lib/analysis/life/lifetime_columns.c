// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * analysis: the columns of the tables of lifetimes.
 * In: rows. Out: cells.
 */
#include "analysis/life/lifetime.h"

#include <inttypes.h>

#include "base/strbuf.h"

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
#define LIFETIME_COLUMNS(things, count_unit)                                                   \
	{ .column = { .name = "short",                                                         \
		      .title = "Short",                                                        \
		      .unit = count_unit,                                                      \
		      .share = true,                                                           \
		      .help = "Those freed within 10 us (--short) on the CPU that "            \
			      "allocated them." },                                             \
	  MEMBER_OF(struct lifetime_view_row, timed, row.nr_short) },                          \
		{ .column = { .name = "short_pct",                                             \
			      .title = "Short/Freed",                                          \
			      .unit = UNIT_PERCENT,                                            \
			      .leaves = 70,                                                    \
			      .help = "Their part of the freed ones." },                       \
		  .fill = cell_short_part },                                                   \
		{ .column = { .name = "short_bytes",                                           \
			      .title = "Short_bytes",                                          \
			      .unit = UNIT_BYTES,                                              \
			      .hidden = true,                                                  \
			      .leaves = 75,                                                    \
			      .help = "Bytes allocated for them." },                           \
		  MEMBER_OF(struct lifetime_view_row, timed, row.bytes_short) },               \
		{ .column = { .name = "freed",                                                 \
			      .title = "Freed",                                                \
			      .unit = count_unit,                                              \
			      .leaves = 20,                                                    \
			      .help = "Freed " things ", whose lifetime is known." },          \
		  MEMBER_OF(struct lifetime_view_row, group, nr) },                            \
		{ .column = { .name = "freed_low",                                             \
			      .title = "From",                                                 \
			      .unit = count_unit,                                              \
			      .level = true,                                                   \
			      .leaves = 22,                                                    \
			      .help = "For a sample: the lower end of the 95 % confidence "    \
				      "interval of how many ended." },                         \
		  .estimated = true,                                                           \
		  MEMBER_OF(struct lifetime_view_row, sum, interval.low) },                    \
		{ .column = { .name = "freed_high",                                            \
			      .title = "To",                                                   \
			      .unit = count_unit,                                              \
			      .level = true,                                                   \
			      .leaves = 22,                                                    \
			      .help = "For a sample: the upper end of this interval." },       \
		  .estimated = true,                                                           \
		  MEMBER_OF(struct lifetime_view_row, sum, interval.high) },                   \
		{ .column = { .name = "median",                                                \
			      .title = "Median",                                               \
			      .unit = UNIT_NS,                                                 \
			      .level = true,                                                   \
			      .leaves = 30,                                                    \
			      .help = "The time that half of them did not outlive; at most "   \
				      "1/32 off." },                                           \
		  MEMBER_OF(struct lifetime_view_row, ended, median) },                        \
		{ .column = { .name = "p99",                                                   \
			      .title = "99 %",                                                 \
			      .unit = UNIT_NS,                                                 \
			      .level = true,                                                   \
			      .leaves = 40,                                                    \
			      .help = "The time that 99 % of them did not outlive; at most "   \
				      "1/32 off." },                                           \
		  MEMBER_OF(struct lifetime_view_row, ended, p99) },                           \
		{ .column = { .name = "longest",                                               \
			      .title = "Longest",                                              \
			      .unit = UNIT_NS,                                                 \
			      .level = true,                                                   \
			      .leaves = 60,                                                    \
			      .help = "The longest lifetime." },                               \
		  MEMBER_OF(struct lifetime_view_row, ended, row.longest) },                   \
		{ .column = { .name = "untimed",                                               \
			      .title = "Untimed",                                              \
			      .unit = count_unit,                                              \
			      .leaves = 90,                                                    \
			      .help = "Those that ended at an unknown time, as no event said " \
				      "so." },                                                 \
		  .fill = cell_untimed },                                                      \
		{ .column = { .name = "live",                                                  \
			      .title = "Live",                                                 \
			      .unit = count_unit,                                              \
			      .live = true,                                                    \
			      .leaves = 80,                                                    \
			      .help = "Those that live at the end." },                         \
		  MEMBER_OF(struct lifetime_view_row, sum, live) },                            \
	{                                                                                      \
		.column = { .name = "lifetimes",                                               \
			    .title = "Lifetimes",                                              \
			    .unit = UNIT_NS,                                                   \
			    .histogram = true,                                                 \
			    .leaves = 5,                                                       \
			    .help = "How many lived for 0 or 1 ns, and from 2, 4, 8, ... "     \
				    "ns on; in text a line of marks." },                       \
		.fill = cell_histogram                                                         \
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
	SHARE_COLUMNS,
	COLUMNS_END,
};

const struct table_type lifetime_page_type = {
	.name = "lifetime_page",
	.help = "lifetimes of pages by callsite, or what --by says (--lifetime)",
	.sort = "short,freed",
	.columns = page_columns,
};

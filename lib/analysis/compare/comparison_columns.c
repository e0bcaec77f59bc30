// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * analysis: the columns of a comparison's tables.
 * In: sums. Out: cells.
 */
#include "analysis/compare/comparison_columns.h"

#include "analysis/stat/account_report.h"

CELL(cell_waste, struct comparison_row,
     cell_uint(slab_waste(r->group->bytes, r->group->bytes_req)))

/* @value scaled by @end / bytes: the figure is as uncertain as the bytes. If no bytes are in the
 * sample, the figure may be as large as what the sample may lack.
 */
static struct cell scaled(uint64_t value, uint64_t end, const struct comparison_row *r)
{
	uint64_t bytes = r->in->of[FIGURE_BYTES].value;
	double off;

	if (!value || !bytes)
		return cell_uint(less(end, bytes));
	off = (double)value * ((double)end / (double)bytes);
	return cell_uint(off < 0x1p63 ? (uint64_t)off : UINT64_MAX);
}

#define SCALED_CELL(name, value, end)            \
	CELL(cell_##name, struct comparison_row, \
	     scaled(value, r->in->of[FIGURE_BYTES].end, r))
SCALED_CELL(waste_low, slab_waste(r->group->bytes, r->group->bytes_req), low)
SCALED_CELL(waste_high, slab_waste(r->group->bytes, r->group->bytes_req), high)
SCALED_CELL(peak_low, r->group->peak, low)
SCALED_CELL(peak_high, r->group->peak, high)

#define GROUP(member) MEMBER_OF(struct comparison_row, group, member)
#define IN(figure, member) \
	MEMBER_OF(struct comparison_row, in, of[FIGURE_##figure].member)

/* The column that names the row. */
#define NAME(word, heading, which, text)                                   \
	{                                                                  \
		COLUMN(word, heading, UNIT_NONE, text, .last = true),      \
			.rows = which, MEMBER(struct comparison_row, name) \
	}
#define NAMES                                                                          \
	NAME("callsite", "Callsite", ROWS(CALLSITE),                                   \
	     "The function that allocated, without what a build adds to its name."),   \
		NAME("stack", "Callchain", ROWS(STACK),                                \
		     "The callsite and its callers outward."),                         \
		NAME("module", "Module", ROWS(MODULE),                                 \
		     "The callsite's module, or [kernel]."),                           \
		NAME("dir", "Directory", ROWS(DIR),                                    \
		     "The directory of the kernel's source that the callsite is in."), \
		NAME("function", "Function", ROWS(FUNCTION),                           \
		     "The callsite's function, whatever its file."),                   \
		NAME("file", "File", ROWS(FILE),                                       \
		     "The source file that the callsite is in."),                      \
		NAME("line", "Line", ROWS(LINE),                                       \
		     "The callsite's line in its source file."),                       \
		NAME("entry", "Entry", ROWS(ENTRY), "How the kernel was entered."),    \
		NAME("comm", "Command", ROWS(COMM), "The name of the task that ran."), \
		NAME("process", "Program", ROWS(PROCESS),                              \
		     "The name of the process, whatever its number."),                 \
		NAME("cgroup", "Control group", ROWS(CGROUP),                          \
		     "The control group of the process at that moment; "               \
		     "[interrupt], [kernel threads], [unknown].")
/* diff shows those that are compared and not hidden by default. */
#define FIGURES(fill_waste)                                                              \
	{ COLUMN("bytes", "Bytes", UNIT_BYTES, "Bytes allocated."), .use = COLUMN_SUM,   \
	  GROUP(bytes) },                                                                \
		{ COLUMN("hit", "Hit", UNIT_COUNT, "Allocations."),                      \
		  .use = COLUMN_EVENTS, GROUP(hit) },                                    \
		{ COLUMN("net", "Net", UNIT_BYTES,                                       \
			 "The best estimate of the bytes that are live at the end.",     \
			 .live = true),                                                  \
		  .use = COLUMN_SUM, GROUP(likely) },                                    \
		{ COLUMN("net_min", NULL, UNIT_BYTES,                                    \
			 "Of these, those that are certain.", .hidden = true,            \
			 .range_of = "net", .live = true),                               \
		  GROUP(net_min) },                                                      \
		{ COLUMN("waste", "Waste", UNIT_BYTES,                                   \
			 "Bytes allocated beyond the request.", .hidden = true),         \
		  .use = COLUMN_SUM, .fill = fill_waste },                               \
		{ COLUMN("peak", "Peak", UNIT_BYTES, "The most bytes live at one time.", \
			 .hidden = true, .live = true),                                  \
		  .use = COLUMN_HEIGHT, GROUP(peak) },                                   \
		{ COLUMN("net_seen", "Seen", UNIT_BYTES,                                 \
			 "Bytes allocated and not seen freed.", .hidden = true,          \
			 .live = true),                                                  \
		  .use = COLUMN_SUM, GROUP(live) },                                      \
		{ COLUMN("largest", NULL, UNIT_BYTES,                                    \
			 "Bytes of the largest allocation.", .hidden = true),            \
		  .use = COLUMN_LARGEST, GROUP(largest) },                               \
		INTERVALS, COLUMNS_END

/* In a sample: how far the figures may be off; waste and peak as far as the bytes. */
#define INTERVAL(of, of_unit, lives, least, most)                                     \
	{ COLUMN(#of "_low", NULL, of_unit,                                           \
		 "Of a sample, with 95 % confidence: at least.", .hidden = true,      \
		 .live = lives),                                                      \
	  .estimated = true, least },                                                 \
	{                                                                             \
		COLUMN(#of "_high", NULL, of_unit,                                    \
		       "Of a sample, with 95 % confidence: at most.", .hidden = true, \
		       .live = lives),                                                \
			.estimated = true, most                                       \
	}
#define INTERVALS                                                              \
	INTERVAL(bytes, UNIT_BYTES, false, IN(BYTES, low), IN(BYTES, high)),   \
		INTERVAL(hit, UNIT_COUNT, false, IN(HIT, low), IN(HIT, high)), \
		INTERVAL(net, UNIT_BYTES, true, IN(NET, low), IN(NET, high)),  \
		INTERVAL(waste, UNIT_BYTES, false, .fill = cell_waste_low,     \
			 .fill = cell_waste_high),                             \
		INTERVAL(peak, UNIT_BYTES, true, .fill = cell_peak_low,        \
			 .fill = cell_peak_high)

const struct column_type comparison_slab_columns[] = {
	NAMES,
	FIGURES(cell_waste),
};

const struct column_type comparison_cache_columns[] = {
	NAME("cache", "Cache", ROWS(CACHE), "The slab cache."),
	FIGURES(cell_waste),
};

const struct column_type comparison_page_columns[] = {
	NAMES,
	FIGURES(cell_none),
};

static const char *least_of(const char *name)
{
	for (const struct column_type *col = comparison_slab_columns; col->column.name;
	     col++) {
		if (col->column.range_of && !strcmp(col->column.range_of, name))
			return col->column.name;
	}
	return NULL;
}

/* The column with the low end of @name's interval, which the high end follows; NULL: none. */
static const struct column_type *low_of(const char *name)
{
	size_t len = strlen(name);

	for (const struct column_type *col = comparison_slab_columns; col->column.name;
	     col++) {
		if (!strncmp(col->column.name, name, len) &&
		    !strcmp(col->column.name + len, "_low"))
			return col;
	}
	return NULL;
}

/* The summary's name for what a row missing in the table may have; waste and peak use the bytes. */
static const char *missing_of(const char *name)
{
	if (!strcmp(name, "hit"))
		return "hit_missing";
	return strcmp(name, "net") ? "bytes_missing" : "net_missing";
}

void comparison_add_missing(const struct comparison_intervals *all, struct table *t)
{
	const struct summary_item items[] = {
		{ .name = missing_of("bytes"),
		  .unit = UNIT_BYTES,
		  .value = cell_uint(all->of[FIGURE_BYTES].missing) },
		{ .name = missing_of("hit"),
		  .unit = UNIT_COUNT,
		  .value = cell_uint(all->of[FIGURE_HIT].missing) },
		{ .name = missing_of("net"),
		  .unit = UNIT_BYTES,
		  .value = cell_uint(all->of[FIGURE_NET].missing),
		  .live = true },
	};

	table_add_summary_items(t, items, ARRAY_SIZE(items));
}

void comparison_metrics(struct comparison_metrics *m)
{
	*m = (struct comparison_metrics){ .nr = 0 };
	for (const struct column_type *col = comparison_slab_columns; col->column.name;
	     col++) {
		const struct column *c = &col->column;
		const struct column_type *low = low_of(c->name);

		if (col->use == COLUMN_LARGEST)
			m->largest = c->name;
		if (col->use == COLUMN_NOT_COMPARED || col->use == COLUMN_LARGEST ||
		    m->nr == DIFF_METRICS_MAX)
			continue;
		if (col->use == COLUMN_EVENTS)
			m->count = m->nr;
		m->usual[m->nr] = !c->hidden;
		m->items[m->nr++] = (struct diff_metric){
			c->name,
			c->title,
			c->unit,
			col->use == COLUMN_HEIGHT,
			least_of(c->name),
			low ? low->column.name : NULL,
			low ? low[1].column.name : NULL,
			low ? missing_of(c->name) : NULL,
		};
	}
}

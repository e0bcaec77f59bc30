// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * analysis: the columns of a comparison's tables, and the intervals of a sample's figures.
 * In: sums. Out: cells, intervals.
 */
#include "analysis/compare/comparison_columns.h"

#include "analysis/compare/comparison.h"
#include "analysis/stat/slab_report.h"

struct sampled_row sampled_row(const struct lives *of, uint32_t row)
{
	uint32_t unit = lives_value(of, row, DIMENSION_UNIT);

	return (struct sampled_row){ lives_weight(of, row),
				     unit ? unit : SAMPLE_CERTAIN };
}

int comparison_sample_add(struct comparison_sample *s, uint32_t group, uint64_t unit,
			  uint64_t bytes)
{
	int ret = unit_pieces_add(&s->bytes, group, unit, bytes);

	return ret ?: unit_pieces_add(&s->hits, group, unit, 1);
}

/* Computes the intervals of @nr groups; @groups maps the added pieces to them. @flows: the rule for
 * allocated bytes.
 */
static int find(const struct comparison_sample *s, const struct estimate_rule *flows,
		const uint32_t *groups, struct comparison_intervals *to, size_t nr)
{
	const struct estimate_rule lives = { flows->sample, flows->of == ESTIMATE_PAGES
								    ? ESTIMATE_PAGES
								    : ESTIMATE_LIVING };
	struct estimate *e __auto_mem = calloc(nr + 1, sizeof(*e));
	int ret = e ? unit_pieces_estimate(&s->bytes, flows, groups, e, nr) : -ENOMEM;

	for (size_t i = 0; i < nr && !ret; i++)
		to[i].bytes = e[i];
	ret = ret ?: unit_pieces_estimate(&s->hits, flows, groups, e, nr);
	for (size_t i = 0; i < nr && !ret; i++)
		to[i].hit = e[i];
	ret = ret ?: unit_pieces_estimate(&s->net, &lives, groups, e, nr);
	for (size_t i = 0; i < nr && !ret; i++)
		to[i].net = e[i];
	return ret;
}

int comparison_sample_end(struct comparison_sample *s, const struct sample *sample,
			  enum estimate_of what, size_t nr)
{
	const struct estimate_rule rows = { sample, what };
	const struct estimate_rule all = { sample, what == ESTIMATE_PAGES
							   ? ESTIMATE_PAGES
							   : ESTIMATE_SHARED };
	uint32_t *groups __auto_mem = calloc(nr + 1, sizeof(*groups));
	int ret;

	s->of = calloc(nr + 1, sizeof(*s->of));
	ret = groups && s->of ? find(s, &all, groups, &s->all, 1) : -ENOMEM;
	for (size_t i = 0; i < nr && !ret; i++)
		groups[i] = (uint32_t)i;
	return ret ?: find(s, &rows, groups, s->of, nr);
}

void comparison_sample_free(struct comparison_sample *s)
{
	unit_pieces_free(&s->bytes);
	unit_pieces_free(&s->hits);
	unit_pieces_free(&s->net);
	free(s->of);
}

CELL(cell_waste, struct comparison_row,
     cell_uint(slab_waste(r->group->bytes, r->group->bytes_req)))

/* @value scaled by @end / bytes->value: the figure is as uncertain as the bytes. If no bytes are in
 * the sample, the figure may be as large as what the sample may lack.
 */
static struct cell scaled(uint64_t value, uint64_t end, const struct estimate *bytes)
{
	double off;

	if (!value || !bytes->value)
		return cell_uint(end > bytes->value ? end - bytes->value : 0);
	off = (double)value * ((double)end / (double)bytes->value);
	return cell_uint(off < 0x1p63 ? (uint64_t)off : UINT64_MAX);
}

CELL(cell_waste_low, struct comparison_row,
     scaled(slab_waste(r->group->bytes, r->group->bytes_req), r->in->bytes.low,
	    &r->in->bytes))
CELL(cell_waste_high, struct comparison_row,
     scaled(slab_waste(r->group->bytes, r->group->bytes_req), r->in->bytes.high,
	    &r->in->bytes))
CELL(cell_peak_low, struct comparison_row,
     scaled(r->group->peak, r->in->bytes.low, &r->in->bytes))
CELL(cell_peak_high, struct comparison_row,
     scaled(r->group->peak, r->in->bytes.high, &r->in->bytes))

#define GROUP(member) MEMBER_OF(struct comparison_row, group, member)
#define IN(member)    MEMBER_OF(struct comparison_row, in, member)

/* The column that names the row. */
#define NAME(word, heading, which, text)                                   \
	{                                                                  \
		COLUMN(word, heading, UNIT_NONE, text, .last = true),      \
			.rows = which, MEMBER(struct comparison_row, name) \
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
#define NAME_FUNCTION                                \
	NAME("function", "Function", ROWS(FUNCTION), \
	     "The callsite's function, whatever its file.")
#define NAME_FILE \
	NAME("file", "File", ROWS(FILE), "The source file that the callsite is in.")
#define NAME_LINE \
	NAME("line", "Line", ROWS(LINE), "The callsite's line in its source file.")
#define NAME_ENTRY NAME("entry", "Entry", ROWS(ENTRY), "How the kernel was entered.")
#define NAME_COMM  NAME("comm", "Command", ROWS(COMM), "The name of the task that ran.")
#define NAME_PROCESS                              \
	NAME("process", "Program", ROWS(PROCESS), \
	     "The name of the process, whatever its number.")
#define NAME_CGROUP                                              \
	NAME("cgroup", "Control group", ROWS(CGROUP),            \
	     "The control group of the process at that moment; " \
	     "[interrupt], [kernel threads], [unknown].")
#define NAME_CACHE NAME("cache", "Cache", ROWS(CACHE), "The slab cache.")
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
#define INTERVALS                                                            \
	INTERVAL(bytes, UNIT_BYTES, false, IN(bytes.low), IN(bytes.high)),   \
		INTERVAL(hit, UNIT_COUNT, false, IN(hit.low), IN(hit.high)), \
		INTERVAL(net, UNIT_BYTES, true, IN(net.low), IN(net.high)),  \
		INTERVAL(waste, UNIT_BYTES, false, .fill = cell_waste_low,   \
			 .fill = cell_waste_high),                           \
		INTERVAL(peak, UNIT_BYTES, true, .fill = cell_peak_low,      \
			 .fill = cell_peak_high)

const struct column_type comparison_slab_columns[] = {
	NAME_CALLSITE, NAME_STACK,   NAME_MODULE, NAME_DIR,
	NAME_FUNCTION, NAME_FILE,    NAME_LINE,	  NAME_ENTRY,
	NAME_COMM,     NAME_PROCESS, NAME_CGROUP, FIGURES(cell_waste),
};

const struct column_type comparison_cache_columns[] = {
	NAME_CACHE,
	FIGURES(cell_waste),
};

const struct column_type comparison_page_columns[] = {
	NAME_CALLSITE, NAME_STACK,   NAME_MODULE, NAME_DIR,
	NAME_FUNCTION, NAME_FILE,    NAME_LINE,	  NAME_ENTRY,
	NAME_COMM,     NAME_PROCESS, NAME_CGROUP, FIGURES(cell_none),
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
		  .value = cell_uint(all->bytes.missing) },
		{ .name = missing_of("hit"),
		  .unit = UNIT_COUNT,
		  .value = cell_uint(all->hit.missing) },
		{ .name = missing_of("net"),
		  .unit = UNIT_BYTES,
		  .value = cell_uint(all->net.missing),
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

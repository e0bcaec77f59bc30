// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/diff.h"

#include <math.h>

#include "report/diff_rows.h"
#include "report/json.h"
#include "report/text_cell.h"

static bool several(const struct diff_sides *sides)
{
	return sides->nr > 2;
}

/* The columns of a metric. */
enum part {
	PART_OLD,
	PART_OLD_SPREAD,
	PART_NEW,
	PART_NEW_SPREAD,
	PART_DELTA,
	PART_PCT,
	PART_P,
	PART_Q,
	PART_UNCERTAINTY,
	PART_NEW_UNCERTAINTY,
	PART_MARK,
	NR_PARTS,
};

/* @name: suffix of the column's name; @title: suffix of its title, or all of it if @alone;
 * @several: needs several runs per side; @hidden: not in text; @plain: has no unit; @drop:
 * column.drop of the main metric
 */
static const struct {
	const char *name, *title;
	bool alone, several, hidden, plain;
	unsigned char drop;
} parts[NR_PARTS] = {
	[PART_OLD] = { "old", "old", .drop = 40 },
	[PART_OLD_SPREAD] = { "old_spread", "+/-", true, true, .drop = 95 },
	[PART_NEW] = { "new", "new", .drop = 20 },
	[PART_NEW_SPREAD] = { "new_spread", "+/-", true, true, .drop = 94 },
	[PART_DELTA] = { "delta", "chg" },
	[PART_PCT] = { "pct", "%", true, .drop = 30 },
	[PART_P] = { "p", "", false, true, true, true },
	[PART_Q] = { "q", "q", true, true, false, true, .drop = 50 },
	[PART_UNCERTAINTY] = { "uncertainty", "", .hidden = true },
	[PART_NEW_UNCERTAINTY] = { "new_uncertainty", "", .hidden = true },
	[PART_MARK] = { "mark", "", false, true, true, true },
};

/* The main metric's change without its sign. */
static const char column_abs[] = "abs";

size_t diff_sort_words(const struct diff_options *o, const char **words, size_t max)
{
	const char *const changes[] = { parts[PART_DELTA].name, parts[PART_PCT].name,
					column_abs };
	size_t nr = 0;

	for (size_t i = 0; i < ARRAY_SIZE(changes) && nr < max; i++)
		words[nr++] = changes[i];
	for (size_t i = 0; i < o->nr_metrics && nr < max; i++)
		words[nr++] = o->metrics[i].name;
	return nr;
}

bool diff_sort_column(const struct diff_options *o, const char *word,
		      struct strbuf *column)
{
	if (!strcmp(word, column_abs)) {
		strbuf_puts(column, word);
		return true;
	}
	if (!strcmp(word, parts[PART_DELTA].name) ||
	    !strcmp(word, parts[PART_PCT].name)) {
		strbuf_printf(column, "%s_%s", o->metrics[o->shown[0]].name, word);
		return true;
	}
	if (!ANY(i, o->nr_metrics, !strcmp(word, o->metrics[i].name)))
		return false;
	strbuf_printf(column, "%s_%s", word, parts[PART_NEW].name);
	return true;
}

static bool part_wanted(const struct diff_sides *sides, enum part part)
{
	return several(sides) || !parts[part].several;
}

/* The index of metric @m among the shown ones; their number if it is not shown. */
static size_t shown_at(const struct diff_options *o, size_t m)
{
	size_t i = 0;

	while (i < o->nr_shown && o->shown[i] != m)
		i++;
	return i;
}

/* All metrics in the order of the columns: the shown ones first. */
static void order_metrics(const struct diff_options *o, size_t order[DIFF_METRICS_MAX])
{
	size_t nr = o->nr_shown;

	memcpy(order, o->shown, nr * sizeof(*order));
	for (size_t m = 0; m < o->nr_metrics; m++)
		if (shown_at(o, m) == o->nr_shown)
			order[nr++] = m;
}

/* Does text show this part? */
static bool part_shown(const struct diff_rows *d, size_t m, enum part part)
{
	size_t i = shown_at(d->o, m);

	if (d->missing[m] || i == d->o->nr_shown)
		return false;
	if (part == PART_DELTA)
		return true;
	return !i && !parts[part].hidden && (part != PART_Q || diff_can_tell(d->sides));
}

static void add_metric_columns(const struct diff_rows *d, size_t m, struct table *t)
{
	const struct diff_metric *metric = &d->o->metrics[m];
	size_t shown = shown_at(d->o, m);
	enum part part;

	for (part = 0; part < NR_PARTS; part++) {
		char name[64], title[64], mark[64];
		struct column col = { .name = name, .title = title };

		if (!part_wanted(d->sides, part))
			continue;
		snprintf(name, sizeof(name), "%s_%s", metric->name, parts[part].name);
		snprintf(title, sizeof(title), "%s%s%s",
			 parts[part].alone ? "" : metric->title,
			 parts[part].alone ? "" : " ", parts[part].title);
		/* The main metric's mark has its own column. */
		snprintf(mark, sizeof(mark), "%s_%s", metric->name,
			 parts[PART_MARK].name);
		if (part == PART_DELTA && m != d->o->shown[0])
			col.mark = mark;
		col.unit = part == PART_PCT    ? UNIT_PERCENT
			   : parts[part].plain ? UNIT_NONE
					       : metric->unit;
		col.change = part == PART_DELTA || part == PART_PCT;
		col.hidden = !part_shown(d, m, part);
		/* The other metrics leave the line before the parts of the main one. */
		col.drop = shown ? 60 + (unsigned char)shown : parts[part].drop;
		table_add_column(t, &col);
	}
}

/* An empty cell for NAN. */
static struct cell cell_if_known(double f)
{
	struct cell none = { .type = CELL_NONE };

	return isnan(f) ? none : cell_real(f);
}

/* "~": the runs differ, but not significantly; "?": too few runs; else "". */
static const char *significance_mark(const struct diff_rows *d,
				     const struct diff_value *v)
{
	if (!several(d->sides) || v->same)
		return "";
	if (!diff_can_tell(d->sides))
		return "?";
	return v->q <= d->o->alpha ? "" : "~";
}

static size_t fill_metric(const struct diff_rows *d, size_t row, size_t m,
			  struct table *t, struct cell *cells)
{
	const struct diff_value *v = diff_rows_value(d, row, m);
	const struct cell part_cells[NR_PARTS] = {
		[PART_OLD] = diff_cell(v->old, false),
		[PART_OLD_SPREAD] = diff_cell(v->old_spread, false),
		[PART_NEW] = diff_cell(v->new, false),
		[PART_NEW_SPREAD] = diff_cell(v->new_spread, false),
		[PART_DELTA] = diff_cell(v->new - v->old, true),
		[PART_PCT] = cell_if_known(v->old > 0 ? 100 * (v->new - v->old) / v->old
						      : NAN),
		[PART_P] = cell_if_known(v->p),
		[PART_Q] = cell_if_known(v->q),
		[PART_UNCERTAINTY] = diff_cell(v->uncertainty, false),
		[PART_NEW_UNCERTAINTY] = diff_cell(v->new_uncertainty, false),
		[PART_MARK] = cell_text(t, significance_mark(d, v)),
	};
	enum part part;
	size_t nr = 0;

	for (part = 0; part < NR_PARTS; part++) {
		if (!part_wanted(d->sides, part))
			continue;
		cells[nr] = part_cells[part];
		if (d->missing[m])
			cells[nr].type = CELL_NONE;
		nr++;
	}
	return nr;
}

static const char *row_status(const struct diff_rows *d, size_t row)
{
	if (!d->rows[row].in_old)
		return "new";
	if (!d->rows[row].in_new)
		return "gone";
	return ANY(m, d->o->nr_metrics, !diff_rows_value(d, row, m)->same) ? "changed"
									   : "same";
}

/* Did a metric that text shows change in the row? Several runs can differ but have the same median,
 * which is no change.
 */
static bool row_changed(const struct diff_rows *d, size_t row)
{
	if (!d->rows[row].in_old || !d->rows[row].in_new)
		return true;
	for (size_t i = 0; i < d->o->nr_shown; i++) {
		const struct diff_value *v = diff_rows_value(d, row, d->o->shown[i]);

		if (v->new != v->old && !d->missing[d->o->shown[i]])
			return true;
	}
	return false;
}

/* How reliable the main metric's difference is. */
static void row_mark(const struct diff_rows *d, size_t row, struct strbuf *sb)
{
	const struct diff_value *v = diff_rows_value(d, row, d->o->shown[0]);
	const char *status = row_status(d, row), *mark = significance_mark(d, v);

	if (!strcmp(status, "new") || !strcmp(status, "gone"))
		strbuf_printf(sb, "%s ", status);
	if (*mark)
		strbuf_printf(sb, "%s ", mark);
	if (v->uncertainty > 0 && fabs(v->new - v->old) <= v->uncertainty)
		strbuf_puts(sb, "* ");
	if (sb->size) /* drop the last space */
		sb->data[--sb->size] = '\0';
}

/* "12 14 13 | 12 12 15": the runs, in order. */
static void row_values(const struct diff_rows *d, size_t row, struct strbuf *sb)
{
	for (size_t run = 0; run < d->sides->nr; run++) {
		if (run)
			strbuf_puts(sb, run == d->sides->nr_old ? " | " : " ");
		real_format(sb, diff_rows_raw(d, row, d->o->shown[0], run));
	}
}

static void add_columns(const struct diff_rows *d, struct table *t)
{
	const struct table *first = d->sides->runs[0].table;
	const struct column *by = &first->columns[table_column(first, first->by)];
	bool few = several(d->sides) && !diff_can_tell(d->sides);
	size_t order[DIFF_METRICS_MAX];

	order_metrics(d->o, order);
	for (size_t i = 0; i < d->o->nr_metrics; i++)
		add_metric_columns(d, order[i], t);
	TABLE_COLUMNS(t,
		      { .name = column_abs,
			.title = "the change",
			.sort_title = "absolute change",
			.hidden = true,
			.share = true },
		      { .name = "values", .title = "Runs", .hidden = !few, .drop = 90 },
		      { .name = "status", .hidden = true },
		      { .name = "mark", .title = "Mark" },
		      { .name = by->name, .title = by->title, .last = true });
}

static void fill_row(const struct diff_rows *d, size_t row, struct table *t)
{
	const struct diff_value *v = diff_rows_value(d, row, d->o->shown[0]);
	struct cell *cells = table_add_row(t);
	struct strbuf __auto_free sb = { 0 };
	size_t order[DIFF_METRICS_MAX], at = 0;

	if (!cells)
		return;
	order_metrics(d->o, order);
	for (size_t i = 0; i < d->o->nr_metrics; i++)
		at += fill_metric(d, row, order[i], t, cells + at);
	cells[at++] = diff_cell(fabs(v->new - v->old), false);
	if (several(d->sides))
		row_values(d, row, &sb);
	if (several(d->sides))
		cells[at] = cell_text(t, strbuf_text(&sb));
	at++;
	cells[at++] = cell_text(t, row_status(d, row));
	strbuf_reset(&sb);
	row_mark(d, row, &sb);
	cells[at++] = cell_text(t, strbuf_text(&sb));
	cells[at] = cell_text(t, intern_get(&d->keys, (uint32_t)row + 1, NULL));
	t->failed |= sb.failed;
}

/* Counts rows by status, and sums by how much the main metric went up and down. */
struct diff_counts {
	uint64_t added, removed, grown, shrunk, same, significant;
	double up, down;
};

static struct diff_counts count_rows(const struct diff_rows *d)
{
	struct diff_counts c = { 0 };

	for (size_t row = 0; row + 1 < d->nr; row++) {
		const struct diff_value *v = diff_rows_value(d, row, d->o->shown[0]);
		double delta = v->new - v->old;

		if (!d->rows[row].in_old)
			c.added++;
		else if (!d->rows[row].in_new)
			c.removed++;
		else if (delta > 0)
			c.grown++;
		else if (delta < 0)
			c.shrunk++;
		else
			c.same++;
		c.significant += v->q <= d->o->alpha;
		*(delta > 0 ? &c.up : &c.down) += delta;
	}
	return c;
}

static void add_summary(const struct diff_rows *d, struct table *t)
{
	const struct diff_counts c = count_rows(d);
	size_t main = d->o->shown[0];
	enum column_unit unit = d->o->metrics[main].unit;
	char name[64];

	TABLE_SUMMARY(t, false, { "rows_added", NULL, UNIT_COUNT, c.added },
		      { "rows_removed", NULL, UNIT_COUNT, c.removed },
		      { "rows_grown", NULL, UNIT_COUNT, c.grown },
		      { "rows_shrunk", NULL, UNIT_COUNT, c.shrunk },
		      { "rows_same", NULL, UNIT_COUNT, c.same });
	table_add_summary(t, "up", NULL, unit, diff_cell(c.up, true), false);
	table_add_summary(t, "down", NULL, unit, diff_cell(c.down, true), false);
	if (diff_can_tell(d->sides))
		TABLE_SUMMARY(t, false, { "rows_tested", NULL, UNIT_COUNT, d->nr_tests },
			      { "rows_significant", NULL, UNIT_COUNT, c.significant });
	for (size_t m = 0; m < d->o->nr_metrics; m++) {
		struct cell cells[NR_PARTS], *cell = cells;
		enum part part;

		fill_metric(d, d->nr - 1, m, t, cells);
		for (part = 0; part < PART_MARK; part++) { /* only numbers */
			if (!part_wanted(d->sides, part))
				continue;
			snprintf(name, sizeof(name), "total_%s_%s", d->o->metrics[m].name,
				 parts[part].name);
			table_add_summary(t, name, NULL, d->o->metrics[m].unit, *cell++,
					  false);
		}
	}
	t->summary_hidden = true; /* text shows a headline instead */
}

int diff_tables(const struct diff_sides *sides, const struct diff_options *o,
		struct table **out)
{
	const struct table *first = sides->runs[0].table;
	struct diff_rows d;
	struct table *t;
	int err;

	*out = NULL;
	err = diff_rows_init(&d, sides, o);
	t = err ? NULL : table_new(first->name, first->title);
	if (!err && !t)
		err = -ENOMEM;
	if (err)
		goto out;
	table_set_by(t, first->by);
	add_columns(&d, t);
	for (size_t row = 0; row + 1 < d.nr; row++) {
		if (o->all || row_changed(&d, row))
			fill_row(&d, row, t);
	}
	add_summary(&d, t);
	*out = t;
out:
	diff_rows_free(&d);
	return err;
}

void diff_headline(const struct table *t, struct strbuf *out)
{
	static const char *const pieces[][2] = {
		{ "add/remove: ", "rows_added" },
		{ "/", "rows_removed" },
		{ " grow/shrink: ", "rows_grown" },
		{ "/", "rows_shrunk" },
		{ " same: ", "rows_same" },
		{ " up/down: ", "up" },
		{ "/", "down" },
	};
	double change =
		cell_as_real(table_sum(t, "up")) + cell_as_real(table_sum(t, "down"));
	struct cell net = diff_cell(change, true);

	for_each(piece, pieces, ARRAY_SIZE(pieces)) {
		strbuf_puts(out, (*piece)[0]);
		text_cell(out, table_sum(t, (*piece)[1]), UNIT_COUNT, false, "");
	}
	strbuf_puts(out, change >= 0 ? " (+" : " (");
	text_cell(out, &net, UNIT_COUNT, false, "");
	strbuf_puts(out, ")");
}

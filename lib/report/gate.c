// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/gate.h"

#include <fnmatch.h>
#include <math.h>

#include "base/strbuf.h"
#include "report/diff_rows.h"

/* The numbers of a row, or of a sum, for one rule. */
struct gate_value {
	double old, new, bytes; /* bytes: new ones, the base of percentages */
	double q;		/* NAN: not tested */
	double off, new_off;	/* how far the difference and @new may be off */
};

struct gate {
	const struct gate_rule *rule;
	const struct table *t; /* the table being checked */
	double alpha;
	struct gate_result *out;
	size_t nr_judged;
	bool broken, undecided; /* status of the rule */
};

#define SUM SIZE_MAX

/* The cell METRIC_PART of row @row, or of the sum of the table; NULL: the table lacks it. */
static const struct cell *find(const struct gate *g, size_t row, const char *metric,
			       const char *part)
{
	char name[64];

	snprintf(name, sizeof(name), "%s%s_%s", row == SUM ? "total_" : "", metric, part);
	return row == SUM ? table_sum(g->t, name)
			  : table_cell(g->t, row, table_column(g->t, name));
}

static double number(const struct gate *g, size_t row, const char *metric,
		     const char *part)
{
	const struct cell *c = find(g, row, metric, part);

	return c ? cell_as_real(c) : NAN;
}

/* An uncertainty without a number is unbounded; without a cell the table is exact. */
static double bound(const struct gate *g, size_t row, const char *part)
{
	const struct cell *c = find(g, row, g->rule->metric, part);
	double off = c ? cell_as_real(c) : 0;

	return isnan(off) ? INFINITY : off;
}

static struct gate_value value_of(const struct gate *g, size_t row)
{
	const char *metric = g->rule->metric;

	return (struct gate_value){
		number(g, row, metric, "old"),	number(g, row, metric, "new"),
		number(g, row, "bytes", "new"), number(g, row, metric, "q"),
		bound(g, row, "uncertainty"),	bound(g, row, "new_uncertainty"),
	};
}

/* The value that a limit is compared with. Growth from zero exceeds every percentage. */
static double measure(const struct gate_value *v, const struct gate_limit *limit)
{
	double delta = v->new - v->old;

	if (!limit->change)
		return limit->percent ? (v->bytes > 0 ? 100 * v->new / v->bytes : 0)
				      : v->new;
	if (!limit->percent)
		return delta;
	if (v->old > 0)
		return 100 * delta / v->old;
	return delta > 0 ? INFINITY : 0;
}

/* @by: -1, 0 or 1 times the uncertainty is added to the new value. */
static bool passes(const struct gate_rule *rule, const struct gate_value *v,
		   const struct gate_limit *limit, int by)
{
	struct gate_value moved = *v;
	double x;

	if (by)
		moved.new += by *(limit->change ? v->off : v->new_off);
	x = measure(&moved, limit);
	return rule->op == '>' ? x > limit->value : x < limit->value;
}

static bool breaks(const struct gate_rule *rule, const struct gate_value *v, int by)
{
	bool all = !ANY(i, rule->nr_limits, !passes(rule, v, &rule->limits[i], by));

	return rule->budget ? !all : all;
}

static bool about_change(const struct gate_rule *rule)
{
	return ANY(i, rule->nr_limits, rule->limits[i].change);
}

static void note_row(struct gate *g, const struct gate_value *v, const char *name,
		     const char *verdict)
{
	struct table *t = g->out->broken;

	TABLE_ROW(t, cell_text(t, g->rule->text), cell_text(t, g->t->name),
		  diff_cell(v->old, true), diff_cell(v->new, true),
		  diff_cell(v->new - v->old, true),
		  v->old > 0 ? cell_real(100 * (v->new - v->old) / v->old)
			     : (struct cell){ .type = CELL_NONE },
		  diff_cell(about_change(g->rule) ? v->off : v->new_off, true),
		  cell_text(t, verdict), cell_text(t, name));
}

/* A row breaks a rule only if it does so at both ends of its uncertainty. */
static void judge(struct gate *g, const struct gate_value *v, const char *name)
{
	bool sure;

	if (isnan(v->old) || isnan(v->new)) /* the table has no such metric */
		return;
	g->nr_judged++;
	if (!breaks(g->rule, v, 0))
		return;
	if (about_change(g->rule) && v->q > g->alpha) {
		g->out->nr_noise++;
		return;
	}
	sure = breaks(g->rule, v, -1) && breaks(g->rule, v, 1);
	*(sure ? &g->broken : &g->undecided) = true;
	note_row(g, v, name, sure ? "broken" : "undecided");
}

static const char *row_name(const struct gate *g, size_t row)
{
	const struct cell *c = table_cell(g->t, row, table_column(g->t, g->t->by));

	return c && c->type == CELL_TEXT ? c->s : NULL;
}

static bool by_directory(const struct table *t)
{
	return !strcmp(t->by, "dir");
}

/* Does @t have the directories of another table, which is also checked? */
static bool is_extra(const struct table *t)
{
	return text_ends(t->name, "_dir");
}

/* Does @rule apply to @t? */
static bool is_about(const struct gate_rule *rule, const struct table *t)
{
	size_t size = strlen(t->name) - (is_extra(t) ? strlen("_dir") : 0);

	if (!t->by || (rule->directory && !by_directory(t)))
		return false;
	if (is_extra(t) && (!rule->budget || !strcmp(rule->subject, "total") ||
			    (!rule->directory && strpbrk(rule->subject, "*?["))))
		return false;
	return !rule->table ||
	       (strlen(rule->table) == size && !memcmp(rule->table, t->name, size));
}

/* "[ext4]" names the rows "function [ext4]", and the row "ext4" of modules; "fs" names the
 * directories "fs" and "fs/ext4".
 */
static bool subject_fits(const struct gate *g, const char *name)
{
	const char *subject = g->rule->subject;
	size_t size = strlen(subject), length = strlen(name);

	if (!strcmp(subject, name))
		return true;
	if (by_directory(g->t))
		return !fnmatch(subject, name, FNM_LEADING_DIR);
	if (subject[0] != '[' || subject[size - 1] != ']')
		return !fnmatch(subject, name, 0);
	if (!strcmp(g->t->by, "module"))
		return length + 2 == size && !memcmp(name, subject + 1, length);
	return text_ends(name, subject);
}

/* Adds up the rows that the budget names. Returns their number. */
static size_t check_budget(struct gate *g)
{
	struct gate_value sum = { .q = NAN }, all = value_of(g, SUM);
	size_t nr = 0;

	if (!strcmp(g->rule->subject, "total")) {
		judge(g, &all, "total");
		return 1;
	}
	for (size_t row = 0; row < g->t->nr_rows; row++) {
		const char *name = row_name(g, row);
		struct gate_value v;

		if (!name || !subject_fits(g, name))
			continue;
		v = value_of(g, row);
		sum.old += v.old;
		sum.new += v.new;
		sum.bytes += v.bytes;
		sum.off += v.off;
		sum.new_off += v.new_off;
		sum.q = nr++ ? NAN : v.q;
	}
	/* A lost event may belong to any row, but only to one: the sum is not more uncertain than
	 * the total.
	 */
	if (!isnan(all.new)) {
		sum.off = fmin(sum.off, all.off);
		sum.new_off = fmin(sum.new_off, all.new_off);
	}
	if (nr)
		judge(g, &sum, g->rule->subject);
	return nr;
}

static void check_rows(struct gate *g)
{
	struct gate_value v;

	for (size_t row = 0; row < g->t->nr_rows; row++) {
		const char *name = row_name(g, row);

		v = value_of(g, row);
		judge(g, &v, name ? name : "?");
	}
	v = value_of(g, SUM);
	judge(g, &v, "total");
}

static struct table *make_table(void)
{
	const struct column columns[] = {
		{ .name = "rule", .title = "Rule", .drop = 10 },
		{ .name = "table", .title = "Table", .drop = 40 },
		{ .name = "old", .title = "Old", .drop = 60 },
		{ .name = "new", .title = "New", .drop = 30 },
		{ .name = "delta", .title = "Change", .change = true },
		{ .name = "pct",
		  .title = "%",
		  .unit = UNIT_PERCENT,
		  .change = true,
		  .drop = 50 },
		{ .name = "uncertainty",
		  .title = "Uncertain",
		  .hidden = true,
		  .drop = 70 },
		{ .name = "verdict", .title = "Verdict", .hidden = true, .drop = 20 },
		{ .name = "row", .title = "Row", .last = true },
	};
	struct table *t = table_new("gate", "Rows that break a rule");

	if (t)
		table_add_columns(t, columns, ARRAY_SIZE(columns));
	return t;
}

/* Shows the verdict in text if any row is undecided. */
static void show_undecided(struct table *t)
{
	int verdict = table_column(t, "verdict");

	if (!ANY(i, t->nr_rows, !strcmp(table_text(t, i, verdict), "undecided")))
		return;
	table_show_column(t, "verdict");
	table_show_column(t, "uncertainty");
	table_set_title(t, "Rows that break a rule, or may");
}

int gate_check(const struct gate_rules *rules, struct table *const *tables, size_t nr,
	       double alpha, struct gate_result *out)
{
	*out = (struct gate_result){ .broken = make_table() };
	if (!out->broken)
		return -ENOMEM;
	for_each(rule, rules->rules, rules->nr) {
		struct gate g = { .rule = rule, .alpha = alpha, .out = out };
		size_t nr_rows = 0;
		bool about = false;

		for (size_t k = 0; k < nr; k++) {
			g.t = tables[k];
			if (!is_about(rule, g.t))
				continue;
			about = true;
			if (rule->budget)
				nr_rows += check_budget(&g);
			else
				check_rows(&g);
		}
		if (!g.nr_judged && rule->budget && !nr_rows && about) {
			table_add_note(out->broken, "!'%s' holds: no row has this name",
				       rule->text);
		} else if (!g.nr_judged) {
			table_add_note(out->broken,
				       "!'%s' was not checked: no table has its numbers",
				       rule->text);
			out->nr_unchecked++;
		}
		out->nr_broken += g.broken;
		out->nr_undecided += !g.broken && g.undecided;
	}
	show_undecided(out->broken);
	return table_ok(out->broken) ? 0 : -ENOMEM;
}

// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * tests: compares tables of several runs, report/diff.c.
 */
#include <check.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/diff.h"
#include "report/gate.h"

static const struct diff_metric metrics[] = {
	{ "bytes", "Bytes", UNIT_BYTES, false, NULL, NULL, NULL, NULL },
	{ "hit", "Hit", UNIT_COUNT, false, NULL, NULL, NULL, NULL },
	{ "net", "Net", UNIT_BYTES, false, "net_min", NULL, NULL, NULL },
	{ "peak", "Peak", UNIT_BYTES, true, NULL, NULL, NULL, NULL },
};

static const struct diff_options options = {
	.metrics = metrics,
	.nr_metrics = 4,
	.count = 1,
	.largest = "largest",
	.shown = { 0, 1 },
	.nr_shown = 2,
	.alpha = 0.05,
	.all = true,
};

static const char *const gate_tables[] = { "slab" };
static const struct gate_words rule_words = { metrics, 4, gate_tables, 1 };

/* Bytes of the largest allocation of each row. */
#define LARGEST 10

/* The bytes that a row missing from a sample may have. */
#define MISSING 45

/* One row of a run; NULL name: the end. */
struct row {
	const char *name;
	uint64_t bytes, hit, net, net_min;
};

/* Intervals of bytes: how far below and above. */
struct interval {
	uint64_t below, above;
};

/* @in: intervals of a sample, or NULL if there is no sample. The last row has none. */
static struct table *make_sampled(const struct row *rows, const struct interval *in)
{
	struct table *t = table_new("slab", "Slab");
	struct row sum = { 0 };

	table_set_by(t, "callsite");
	table_add_column(t, &(struct column){ .name = "callsite", .last = true });
	table_add_column(t, &(struct column){ .name = "bytes" });
	table_add_column(t, &(struct column){ .name = "hit" });
	table_add_column(t, &(struct column){ .name = "net" });
	table_add_column(t, &(struct column){ .name = "net_min" });
	table_add_column(t, &(struct column){ .name = "peak" });
	table_add_column(t, &(struct column){ .name = "largest" });
	if (in) {
		table_add_column(t, &(struct column){ .name = "bytes_low" });
		table_add_column(t, &(struct column){ .name = "bytes_high" });
	}
	for (; rows->name; rows++) {
		struct cell *c = table_add_row(t);

		c[0] = cell_text(t, rows->name);
		c[1] = cell_uint(rows->bytes);
		c[2] = cell_uint(rows->hit);
		c[3] = cell_uint(rows->net);
		c[4] = cell_uint(rows->net_min);
		c[5] = cell_uint(rows->bytes);
		c[6] = cell_uint(LARGEST);
		if (in && rows[1].name) {
			c[7] = cell_uint(rows->bytes - in->below);
			c[8] = cell_uint(rows->bytes + in->above);
		}
		sum.bytes += rows->bytes;
		sum.hit += rows->hit;
		sum.net += rows->net;
		sum.net_min += rows->net_min;
	}
	table_add_summary(t, "bytes", NULL, UNIT_BYTES, cell_uint(sum.bytes), false);
	table_add_summary(t, "hit", NULL, UNIT_COUNT, cell_uint(sum.hit), false);
	table_add_summary(t, "net", NULL, UNIT_BYTES, cell_uint(sum.net), false);
	table_add_summary(t, "net_min", NULL, UNIT_BYTES, cell_uint(sum.net_min), false);
	table_add_summary(t, "peak", NULL, UNIT_BYTES, cell_uint(sum.bytes), false);
	table_add_summary(t, "largest", NULL, UNIT_BYTES, cell_uint(LARGEST), false);
	if (in)
		table_add_summary(t, "bytes_missing", NULL, UNIT_BYTES,
				  cell_uint(MISSING), false);
	return t;
}

static struct table *make(const struct row *rows)
{
	return make_sampled(rows, NULL);
}

/* The cell of the row called @name. */
static const struct cell *at(const struct table *t, const char *name, const char *column)
{
	int by = table_column(t, t->by), c = table_column(t, column);
	size_t i;

	ck_assert_msg(c >= 0, "no column %s", column);
	for (i = 0; i < t->nr_rows; i++) {
		const struct cell *row = &t->cells[i * t->nr_columns];

		if (!strcmp(row[by].s, name))
			return &row[c];
	}
	ck_abort_msg("no row %s", name);
	return NULL;
}

static double value(const struct cell *c)
{
	return c->type == CELL_INT    ? (double)c->i
	       : c->type == CELL_REAL ? c->f
	       : c->type == CELL_UINT ? (double)c->u
				      : NAN;
}

static const struct cell *sum(const struct table *t, const char *name)
{
	size_t i;

	for (i = 0; i < t->nr_summary; i++) {
		if (!strcmp(t->summary[i].name, name))
			return &t->summary[i].value;
	}
	ck_abort_msg("no summary %s", name);
	return NULL;
}

static const struct row old_rows[] = { { "gone", 10, 1, 0, 0 },
				       { "grows", 100, 10, 40, 40 },
				       { "same", 7, 7, 7, 7 },
				       { "shrinks", 50, 5, 20, 20 },
				       { NULL } };
static const struct row new_rows[] = { { "shrinks", 40, 4, 20, 10 },
				       { "new", 30, 3, 0, 0 },
				       { "grows", 150, 15, 40, 40 },
				       { "same", 7, 7, 7, 7 },
				       { NULL } };

START_TEST(two_runs)
{
	struct diff_run runs[] = { { make(old_rows), 1, 0 }, { make(new_rows), 1, 0 } };
	const struct diff_sides sides = { runs, 1, 2 };
	struct strbuf line = { 0 };
	struct table *t;

	ck_assert_int_eq(diff_tables(&sides, &options, &t), 0);
	ck_assert(table_ok(t));
	ck_assert_uint_eq(t->nr_rows, 5);
	ck_assert(value(at(t, "grows", "bytes_delta")) == 50);
	ck_assert(value(at(t, "grows", "bytes_pct")) == 50);
	ck_assert(value(at(t, "shrinks", "hit_delta")) == -1);
	ck_assert(value(at(t, "shrinks", "abs")) == 10);
	ck_assert(at(t, "new", "bytes_pct")->type == CELL_NONE);
	ck_assert(value(at(t, "gone", "bytes_new")) == 0);
	ck_assert_str_eq(at(t, "new", "mark")->s, "new");
	ck_assert_str_eq(at(t, "gone", "mark")->s, "gone");
	ck_assert_str_eq(at(t, "grows", "mark")->s, "");
	ck_assert_str_eq(at(t, "same", "status")->s, "same");
	/* Ten bytes of the new net are uncertain. */
	ck_assert(value(at(t, "shrinks", "net_uncertainty")) == 10);
	ck_assert(table_column(t, "bytes_p") < 0);
	ck_assert(value(sum(t, "up")) == 80 && value(sum(t, "down")) == -20);
	ck_assert(value(sum(t, "rows_same")) == 1);
	ck_assert(value(sum(t, "total_bytes_delta")) == 60);
	diff_headline(t, &line);
	ck_assert_str_eq(
		strbuf_text(&line),
		"add/remove: 1/1 grow/shrink: 1/1 same: 1 up/down: 80/-20 (+60)");
	strbuf_free(&line);
	table_free(t);
	table_free((struct table *)runs[0].table);
	table_free((struct table *)runs[1].table);
}
END_TEST

/* Compares two samples, and a sample with a full recording, by their intervals. */
START_TEST(samples)
{
	const struct row old[] = { { "grows", 1000, 1, 0, 0 },
				   { "shrinks", 1000, 1, 0, 0 },
				   { "gone", 500, 1, 0, 0 },
				   { "certain", 800, 1, 0, 0 },
				   { NULL, 0, 0, 0, 0 } };
	const struct row new[] = { { "grows", 2000, 1, 0, 0 },
				   { "shrinks", 500, 1, 0, 0 },
				   { "certain", 700, 1, 0, 0 },
				   { NULL, 0, 0, 0, 0 } };
	const struct row none[] = { { NULL, 0, 0, 0, 0 } };
	const struct interval of_old = { 20, 40 }, of_new = { 30, 70 }, exact = { 0, 5 };
	struct diff_metric sampled[4];
	struct diff_options o = options;
	struct diff_run runs[] = { { make(old), 1, 0 },
				   { make_sampled(new, &of_new), 1, 0 } };
	const struct diff_sides sides = { runs, 1, 2 };
	struct table *t;

	memcpy(sampled, metrics, sizeof(metrics));
	sampled[0].low = "bytes_low";
	sampled[0].high = "bytes_high";
	sampled[0].missing = "bytes_missing";
	o.metrics = sampled;
	ck_assert_int_eq(diff_tables(&sides, &o, &t), 0);
	ck_assert(value(at(t, "grows", "bytes_uncertainty")) == 30);
	ck_assert(value(at(t, "shrinks", "bytes_uncertainty")) == 70);
	/* The sample lacks the row, or has only allocations that are in every sample. */
	ck_assert(value(at(t, "gone", "bytes_uncertainty")) == 500);
	ck_assert(value(at(t, "certain", "bytes_uncertainty")) == 800);
	table_free(t);
	table_free((struct table *)runs[0].table);
	runs[0].table = make_sampled(old, &of_old);
	ck_assert_int_eq(diff_tables(&sides, &o, &t), 0);
	ck_assert(value(at(t, "grows", "bytes_uncertainty")) == 50);
	ck_assert(value(at(t, "shrinks", "bytes_uncertainty")) == hypot(20, 70));
	ck_assert(value(at(t, "gone", "bytes_uncertainty")) == hypot(20, MISSING));
	table_free(t);
	/* A row that is new in a sample may have existed before, however certain it is now. */
	table_free((struct table *)runs[0].table);
	runs[0].table = make_sampled(none, &of_old);
	ck_assert_int_eq(diff_tables(&sides, &o, &t), 0);
	ck_assert(value(at(t, "grows", "bytes_uncertainty")) == hypot(30, 70));
	table_free(t);
	table_free((struct table *)runs[1].table);
	runs[1].table = make_sampled(new, &exact);
	ck_assert_int_eq(diff_tables(&sides, &o, &t), 0);
	ck_assert(value(at(t, "grows", "bytes_uncertainty")) == MISSING);
	table_free(t);
	table_free((struct table *)runs[0].table);
	table_free((struct table *)runs[1].table);
}
END_TEST

START_TEST(divided)
{
	struct diff_run runs[] = { { make(old_rows), 2, 0 }, { make(new_rows), 4, 0 } };
	const struct diff_sides sides = { runs, 1, 2 };
	struct diff_options some = options;
	struct table *t;

	some.all = false;
	ck_assert_int_eq(diff_tables(&sides, &some, &t), 0);
	ck_assert(value(at(t, "grows", "bytes_old")) == 50);
	ck_assert(value(at(t, "grows", "bytes_new")) == 37.5);
	ck_assert(value(at(t, "grows", "peak_new")) == 150);  /* a peak */
	ck_assert(value(at(t, "same", "bytes_new")) == 1.75); /* no longer the same */
	table_free(t);
	table_free((struct table *)runs[0].table);
	table_free((struct table *)runs[1].table);
}
END_TEST

START_TEST(losses)
{
	struct diff_run runs[] = { { make(old_rows), 1, 2 }, { make(new_rows), 1, 3 } };
	const struct diff_sides sides = { runs, 1, 2 };
	struct table *t;

	/* "grows" may lack five events of ten bytes each. */
	ck_assert_int_eq(diff_tables(&sides, &options, &t), 0);
	ck_assert(value(at(t, "grows", "bytes_uncertainty")) == 50);
	ck_assert(value(at(t, "grows", "hit_uncertainty")) == 5);
	ck_assert_str_eq(at(t, "grows", "mark")->s, "*");
	ck_assert_str_eq(at(t, "new", "mark")->s, "new *");
	table_free(t);
	runs[1].lost = INFINITY;
	ck_assert_int_eq(diff_tables(&sides, &options, &t), 0);
	ck_assert(at(t, "grows", "bytes_uncertainty")->type == CELL_NONE);
	ck_assert_str_eq(at(t, "grows", "mark")->s, "*");
	table_free(t);
	runs[0].lost = runs[1].lost = 1;
	ck_assert_int_eq(diff_tables(&sides, &options, &t), 0);
	ck_assert_str_eq(at(t, "grows", "mark")->s, "");
	table_free(t);
	table_free((struct table *)runs[0].table);
	table_free((struct table *)runs[1].table);
}
END_TEST

static void check_headline(const struct row *old, const struct row *new, double new_count,
			   const char *text)
{
	struct diff_run runs[] = { { make(old), 1, 0 }, { make(new), new_count, 0 } };
	const struct diff_sides sides = { runs, 1, 2 };
	struct strbuf line = { 0 };
	struct table *t;

	ck_assert_int_eq(diff_tables(&sides, &options, &t), 0);
	diff_headline(t, &line);
	ck_assert_str_eq(strbuf_text(&line), text);
	strbuf_free(&line);
	table_free(t);
	table_free((struct table *)runs[0].table);
	table_free((struct table *)runs[1].table);
}

/* If nothing shrank: 0 without a sign. Halves have one decimal. */
START_TEST(headlines)
{
	const struct row more[] = { { "same", 9, 7, 7, 7 }, { NULL } };
	const struct row same[] = { { "same", 7, 7, 7, 7 }, { NULL } };

	check_headline(same, same, 1,
		       "add/remove: 0/0 grow/shrink: 0/0 same: 1 up/down: 0/0 (+0)");
	check_headline(same, more, 1,
		       "add/remove: 0/0 grow/shrink: 1/0 same: 0 up/down: 2/0 (+2)");
	check_headline(same, more, 2,
		       "add/remove: 0/0 grow/shrink: 0/1 same: 0 up/down: 0/-2.5 (-2.5)");
	check_headline(
		same, more, 4,
		"add/remove: 0/0 grow/shrink: 0/1 same: 0 up/down: 0/-4.750 (-4.750)");
}
END_TEST

/* @nr runs per side: "steady" goes from 100 to 200, "noisy" varies, "still" stays. */
static struct table *compare_runs(size_t nr)
{
	struct diff_run runs[16];
	const struct diff_sides sides = { runs, nr, 2 * nr };
	struct table *t;
	size_t i;

	for (i = 0; i < 2 * nr; i++) {
		const struct row rows[] = {
			{ "steady", (i < nr ? 100 : 200) + i % 3, 1 + i % 2, 0, 0 },
			{ "noisy", 50 + 10 * (i % 2), 1, 0, 0 },
			{ "still", 5, 1, 0, 0 },
			{ NULL },
		};

		runs[i] = (struct diff_run){ make(rows), 1, 0 };
	}
	ck_assert_int_eq(diff_tables(&sides, &options, &t), 0);
	for (i = 0; i < 2 * nr; i++)
		table_free((struct table *)runs[i].table);
	return t;
}

START_TEST(enough_runs)
{
	struct table *t = compare_runs(6);

	ck_assert(value(at(t, "steady", "bytes_old")) == 101);
	ck_assert(value(at(t, "steady", "bytes_old_spread")) == 1);
	ck_assert(fabs(value(at(t, "steady", "bytes_p")) - 2.0 / 924) < 1e-12);
	/* Two rows were tested; the third is the same in all runs. */
	ck_assert(fabs(value(at(t, "steady", "bytes_q")) - 4.0 / 924) < 1e-12);
	ck_assert(at(t, "still", "bytes_p")->type == CELL_NONE);
	ck_assert_str_eq(at(t, "steady", "mark")->s, "");
	ck_assert_str_eq(at(t, "noisy", "mark")->s, "~");
	ck_assert_str_eq(at(t, "still", "mark")->s, "");
	/* Each metric has a mark of its own. */
	ck_assert_str_eq(at(t, "steady", "bytes_mark")->s, "");
	ck_assert_str_eq(at(t, "steady", "hit_mark")->s, "~");
	ck_assert_str_eq(at(t, "noisy", "bytes_mark")->s, "~");
	ck_assert_str_eq(at(t, "noisy", "hit_mark")->s, "");
	ck_assert_str_eq(at(t, "still", "hit_mark")->s, "");
	ck_assert(t->columns[table_column(t, "hit_mark")].hidden);
	ck_assert_str_eq(t->columns[table_column(t, "hit_delta")].mark, "hit_mark");
	ck_assert_ptr_null(t->columns[table_column(t, "bytes_delta")].mark);
	ck_assert(value(sum(t, "rows_tested")) == 2);
	ck_assert(value(sum(t, "rows_significant")) == 1);
	table_free(t);
}
END_TEST

/* Six runs per side, one of which has @unsure uncertain bytes. @apart: the sides differ. */
static struct table *compare_unsure(bool apart, size_t unsure_run, uint64_t unsure)
{
	struct diff_run runs[12];
	const struct diff_sides sides = { runs, 6, 12 };
	struct table *t;
	size_t i;

	for (i = 0; i < 12; i++) {
		uint64_t net = 1000 + 10 * (i % 6) + (apart && i >= 6 ? 500 : 0);
		uint64_t least = net - (i == unsure_run ? unsure : 0);
		struct row rows[] = { { "f", 5000, 50, net, least }, { NULL } };

		/* Every second run is larger, which is random. */
		if (!apart && i % 2)
			rows[0].net += i < 6 ? 400 : 900;
		runs[i] = (struct diff_run){ make(rows), 1, 0 };
	}
	ck_assert_int_eq(diff_tables(&sides, &options, &t), 0);
	for (i = 0; i < 12; i++)
		table_free((struct table *)runs[i].table);
	return t;
}

static const struct {
	bool apart;
	size_t unsure_run;
	uint64_t unsure;
	size_t broken, undecided, noise;
} gates[] = {
	{ true, 0, 0, 1, 0, 0 },   /* 500 more in every run */
	{ true, 3, 300, 1, 0, 0 }, /* at least 200 more */
	{ true, 3, 450, 0, 1, 0 }, /* one old run may have 450 fewer */
	{ true, 9, 450, 0, 1, 0 }, /* one new run may have 450 fewer */
	{ false, 3, 450, 0, 0, 2 },
};

/* The least certain run decides for its side; insignificant differences are not undecided. */
START_TEST(gate_of_several_runs)
{
	struct table *t =
		compare_unsure(gates[_i].apart, gates[_i].unsure_run, gates[_i].unsure);
	struct gate_rules rules = { .words = &rule_words };
	struct strbuf error = { 0 };
	struct gate_result r;

	ck_assert_int_eq(gate_add(&rules, "net>+100", &error), 0);
	ck_assert_int_eq(gate_check(&rules, &t, 1, 0.05, &r), 0);
	ck_assert_uint_eq(r.nr_broken, gates[_i].broken);
	ck_assert_uint_eq(r.nr_undecided, gates[_i].undecided);
	ck_assert_uint_eq(r.nr_noise, gates[_i].noise);
	strbuf_free(&error);
	table_free(r.broken);
	table_free(t);
	gate_free(&rules);
}
END_TEST

START_TEST(too_few_runs)
{
	struct table *t = compare_runs(3);

	ck_assert_str_eq(at(t, "steady", "mark")->s, "?");
	ck_assert_str_eq(at(t, "steady", "hit_mark")->s, "?");
	ck_assert_str_eq(at(t, "still", "hit_mark")->s, "");
	ck_assert_str_eq(at(t, "steady", "values")->s, "100 101 102 | 200 201 202");
	ck_assert(at(t, "steady", "bytes_p")->type == CELL_NONE);
	ck_assert(!t->columns[table_column(t, "values")].hidden);
	table_free(t);
}
END_TEST

static struct table *make_matrix(const char *second, uint64_t a, uint64_t b)
{
	struct table *t = table_new("page_matrix", NULL);
	struct cell *row;

	table_add_column(t, &(struct column){ .name = "order" });
	table_add_column(t, &(struct column){ .name = "MOVABLE" });
	table_add_column(t, &(struct column){ .name = second });
	row = table_add_row(t);
	row[0] = cell_uint(0);
	row[1] = cell_uint(a);
	row[2] = cell_uint(b);
	return t;
}

START_TEST(matrices)
{
	struct table *old = make_matrix("UNMOVABLE", 10, 4), *t;
	struct table *new = make_matrix("CMA", 7, 2);
	struct diff_run runs[] = { { old, 1, 0 }, { new, 1, 0 } };
	const struct diff_sides sides = { runs, 1, 2 };

	ck_assert_int_eq(diff_matrices(&sides, &t), 0);
	ck_assert_uint_eq(t->nr_rows, 1);
	ck_assert(value(&t->cells[table_column(t, "MOVABLE")]) == -3);
	ck_assert(value(&t->cells[table_column(t, "UNMOVABLE")]) == -4);
	ck_assert(value(&t->cells[table_column(t, "CMA")]) == 2);
	ck_assert(value(&t->cells[table_column(t, "CMA_new")]) == 2);
	table_free(t);
	old->cells[0] = cell_uint(UINT64_MAX); /* row number of a damaged file */
	ck_assert_int_eq(diff_matrices(&sides, &t), -EINVAL);
	table_free(old);
	table_free(new);
}
END_TEST

START_TEST(sort_keys_of_users)
{
	static const struct {
		const char *word, *column;
	} keys[] = { { "delta", "bytes_delta" }, { "pct", "bytes_pct" },
		     { "abs", "abs" },		 { "bytes", "bytes_new" },
		     { "hit", "hit_new" },	 { "net", "net_new" },
		     { "peak", "peak_new" } };
	const char *words[8];
	struct strbuf column = { 0 };
	struct row old[] = { { "a", 10, 1, 0, 0 }, { NULL } };
	struct diff_run runs[] = { { make(old), 1, 0 }, { make(old), 1, 0 } };
	const struct diff_sides sides = { runs, 1, 2 };
	struct table *t;
	size_t i;

	ck_assert_int_eq(diff_tables(&sides, &options, &t), 0);
	ck_assert_uint_eq(diff_sort_words(&options, words, 8), ARRAY_SIZE(keys));
	ck_assert_uint_eq(diff_sort_words(&options, words, 4), 4);
	for (i = 0; i < ARRAY_SIZE(keys); i++) {
		if (i < 4)
			ck_assert_str_eq(words[i], keys[i].word);
		strbuf_reset(&column);
		ck_assert(diff_sort_column(&options, keys[i].word, &column));
		ck_assert_str_eq(strbuf_text(&column), keys[i].column);
		ck_assert_int_ge(table_column(t, keys[i].column), 0);
	}
	ck_assert(!diff_sort_column(&options, "callsite", &column));
	ck_assert(!diff_sort_column(&options, "bytes_old", &column));
	strbuf_free(&column);
	table_free(t);
	table_free((struct table *)runs[0].table);
	table_free((struct table *)runs[1].table);
}
END_TEST

START_TEST(odd_tables)
{
	struct diff_run runs[] = { { make(old_rows), 1, 0 }, { make(new_rows), 1, 0 } };
	struct diff_sides sides = { runs, 2, 2 };
	struct table *t;

	ck_assert_int_eq(diff_tables(&sides, &options, &t), -EINVAL);
	ck_assert_ptr_null(t);
	sides.nr_old = 1;
	table_set_by((struct table *)runs[1].table, "hit"); /* not a text */
	ck_assert_int_eq(diff_tables(&sides, &options, &t), -EINVAL);
	table_free((struct table *)runs[0].table);
	table_free((struct table *)runs[1].table);
}
END_TEST

Suite *test_diff_suite(void)
{
	Suite *suite = suite_create("report/diff");
	TCase *tc = tcase_create("diff");

	tcase_add_test(tc, two_runs);
	tcase_add_test(tc, samples);
	tcase_add_test(tc, divided);
	tcase_add_test(tc, headlines);
	tcase_add_test(tc, losses);
	tcase_add_test(tc, enough_runs);
	tcase_add_loop_test(tc, gate_of_several_runs, 0, (int)ARRAY_SIZE(gates));
	tcase_add_test(tc, too_few_runs);
	tcase_add_test(tc, matrices);
	tcase_add_test(tc, sort_keys_of_users);
	tcase_add_test(tc, odd_tables);
	suite_add_tcase(suite, tc);
	return suite;
}

// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * tests: the rules of a gate, report/gate.c and gate_parse.c.
 */
#include <check.h>
#include <errno.h>
#include <math.h>
#include <string.h>

#include "report/gate.h"

static const struct diff_metric gate_metrics[] = { { .name = "bytes" },
						   { .name = "hit" },
						   { .name = "net" },
						   { .name = "waste" },
						   { .name = "peak" } };
static const char *const gate_tables[] = { "slab", "slab_cache", "page" };
static const struct gate_words words = { gate_metrics, 5, gate_tables, 3 };

START_TEST(reads_rules)
{
	struct gate_rules rules = { .words = &words };
	struct strbuf error = { 0 };
	const struct gate_rule *r;

	ck_assert_int_eq(gate_add(&rules, "net>+5%&+64K", &error), 0);
	ck_assert_int_eq(gate_add(&rules, " page.bytes > +1.5MiB ", &error), 0);
	ck_assert_int_eq(gate_add(&rules, "slab_cache.waste>10%", &error), 0);
	ck_assert_int_eq(gate_add(&rules, "hit<-3", &error), 0);
	ck_assert_uint_eq(rules.nr, 4);
	r = &rules.rules[0];
	ck_assert(!r->table && !r->subject && r->op == '>' && r->nr_limits == 2);
	ck_assert_str_eq(r->metric, "net");
	ck_assert(r->limits[0].change && r->limits[0].percent && r->limits[0].value == 5);
	ck_assert(r->limits[1].change && !r->limits[1].percent &&
		  r->limits[1].value == 65536);
	r = &rules.rules[1];
	ck_assert_str_eq(r->table, "page");
	ck_assert(r->limits[0].value == 1572864);
	ck_assert(!rules.rules[2].limits[0].change && rules.rules[2].limits[0].percent);
	ck_assert(rules.rules[3].op == '<' && rules.rules[3].limits[0].value == -3);
	gate_free(&rules);
	strbuf_free(&error);
}
END_TEST

static const char *const wrong[] = {
	"",
	"net",
	"net>",
	"net>+",
	"net>+5%&",
	"nets>5",
	"net=5",
	"net>5%",
	"net>+5K5",
	"pages.net>+1",
	"net>+1&+1&+1&+1&+1",
	"net>+.",
	"net > + 5 6",
	"net>-",
	"net>5X",
};

START_TEST(refuses_others)
{
	struct gate_rules rules = { .words = &words };
	struct strbuf error = { 0 };

	ck_assert_msg(gate_add(&rules, wrong[_i], &error) == -EINVAL, "'%s'", wrong[_i]);
	ck_assert_msg(error.size > 0, "'%s' without a reason", wrong[_i]);
	ck_assert_uint_eq(rules.nr, 0);
	gate_free(&rules);
	strbuf_free(&error);
}
END_TEST

START_TEST(reads_budgets)
{
	struct gate_rules rules = { .words = &words };
	struct strbuf error = { 0 };

	ck_assert_int_eq(gate_add_budget(&rules,
					 "# ours\n\nkmalloc-64 waste < 10%\n"
					 "  page:total bytes < 5M & +10%  # pages\n"
					 "'with space [ext4]' net<2M",
					 &error),
			 0);
	ck_assert_uint_eq(rules.nr, 3);
	ck_assert_str_eq(rules.rules[0].subject, "kmalloc-64");
	ck_assert_str_eq(rules.rules[0].text, "kmalloc-64 waste < 10%");
	ck_assert(rules.rules[0].budget);
	ck_assert_str_eq(rules.rules[1].table, "page");
	ck_assert_uint_eq(rules.rules[1].nr_limits, 2);
	ck_assert_str_eq(rules.rules[2].subject, "with space [ext4]");
	ck_assert_int_eq(gate_add_budget(&rules, "a net < 1\n\nb nett < 1\n", &error),
			 -EINVAL);
	ck_assert_ptr_nonnull(strstr(strbuf_text(&error), "line 3"));
	strbuf_reset(&error);
	gate_free(&rules);
	strbuf_free(&error);
}
END_TEST

START_TEST(reads_directories)
{
	static const char *const wrong_ones[] = {
		"/fs net < 1",
		"slab_cache:fs/ net < 1",
		"fs/ slab_cache.net < 1",
		"slab:fs/ page.net < 1",
		"fs/ slabs.net < 1",
	};
	struct gate_rules rules = { .words = &words };
	struct strbuf error = { 0 };
	size_t i;

	ck_assert_int_eq(gate_add_budget(&rules, "total net < 2M\nfs net < 1\n", &error),
			 0);
	ck_assert_ptr_null(gate_directory_rule(&rules));
	ck_assert_int_eq(gate_add_budget(&rules,
					 "fs// net < 2M\nnet/core slab.net < 1M\n"
					 "page:mm/ bytes < 1\n",
					 &error),
			 0);
	ck_assert_str_eq(rules.rules[2].subject, "fs");
	ck_assert(rules.rules[2].directory && !rules.rules[2].table);
	ck_assert(gate_directory_rule(&rules) == &rules.rules[2]);
	ck_assert_str_eq(rules.rules[3].subject, "net/core");
	ck_assert_str_eq(rules.rules[3].table, "slab");
	ck_assert_str_eq(rules.rules[4].table, "page");
	for (i = 0; i < ARRAY_SIZE(wrong_ones); i++) {
		ck_assert_msg(gate_add_budget(&rules, wrong_ones[i], &error) == -EINVAL,
			      "'%s'", wrong_ones[i]);
		ck_assert_msg(error.size > 0, "'%s' without a reason", wrong_ones[i]);
		strbuf_reset(&error);
	}
	gate_free(&rules);
	strbuf_free(&error);
}
END_TEST

/* A table like that of diff_tables(), without columns that rules do not use. */
static struct table *make(void)
{
	static const struct {
		const char *name;
		double old, new, q;
	} rows[] = {
		{ "grows", 1000, 2000, NAN },
		{ "a_little", 1000000, 1040000, NAN },
		{ "new [ext4]", 0, 300, NAN },
		{ "noise [ext4]", 1000, 3000, 0.4 },
		{ "sure [ext4]", 1000, 3000, 0.001 },
		{ "shrinks", 500, 100, NAN },
	};
	struct table *t = table_new("slab", NULL);
	size_t i;

	table_set_by(t, "callsite");
	table_add_column(t, &(struct column){ .name = "bytes_old" });
	table_add_column(t, &(struct column){ .name = "bytes_new" });
	table_add_column(t, &(struct column){ .name = "bytes_q" });
	table_add_column(t, &(struct column){ .name = "waste_old" });
	table_add_column(t, &(struct column){ .name = "waste_new" });
	table_add_column(t, &(struct column){ .name = "callsite" });
	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		struct cell *c = table_add_row(t);

		c[0] = cell_real(rows[i].old);
		c[1] = cell_real(rows[i].new);
		if (!isnan(rows[i].q))
			c[2] = cell_real(rows[i].q);
		c[3] = cell_uint(0);
		c[4] = cell_uint(50);
		c[5] = cell_text(t, rows[i].name);
	}
	table_add_summary(t, "total_bytes_old", NULL, UNIT_BYTES, cell_uint(1003500),
			  false);
	table_add_summary(t, "total_bytes_new", NULL, UNIT_BYTES, cell_uint(1048400),
			  false);
	return t;
}

/* The same table's rows by directory. */
static struct table *make_directories(const char *name)
{
	static const struct {
		const char *name;
		unsigned int old, new;
	} rows[] = {
		{ "fs", 1000, 1000 },	    { "fs/ext4", 100, 500 },
		{ "fs/ext4/deep", 10, 20 }, { "fs2", 7000, 7000 },
		{ "net/core", 300, 290 },   { "(unknown)", 90, 90 },
	};
	struct table *t = table_new(name, NULL);
	size_t i;

	table_set_by(t, "dir");
	table_add_column(t, &(struct column){ .name = "bytes_old" });
	table_add_column(t, &(struct column){ .name = "bytes_new" });
	table_add_column(t, &(struct column){ .name = "dir" });
	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		struct cell *c = table_add_row(t);

		c[0] = cell_uint(rows[i].old);
		c[1] = cell_uint(rows[i].new);
		c[2] = cell_text(t, rows[i].name);
	}
	table_add_summary(t, "total_bytes_old", NULL, UNIT_BYTES, cell_uint(8500), false);
	table_add_summary(t, "total_bytes_new", NULL, UNIT_BYTES, cell_uint(8900), false);
	return t;
}

static struct gate_result check_rule(struct gate_rules *rules, const char *rule,
				     bool budget, struct table *const *tables, size_t nr)
{
	struct strbuf error = { 0 };
	struct gate_result r;

	ck_assert_int_eq(budget ? gate_add_budget(rules, rule, &error)
				: gate_add(rules, rule, &error),
			 0);
	ck_assert_int_eq(gate_check(rules, tables, nr, 0.05, &r), 0);
	strbuf_free(&error);
	return r;
}

/* @expected: for each row, the columns @first (unless NULL) and @second, each followed by a comma.
 */
static void expect_broken(const char *rule, const struct gate_result *r,
			  const char *first, const char *second, const char *expected)
{
	const struct table *t = r->broken;
	struct strbuf text = { 0 };

	for (size_t i = 0; i < t->nr_rows; i++) {
		const struct cell *row = &t->cells[i * t->nr_columns];

		if (first)
			strbuf_printf(&text, "%s ", row[table_column(t, first)].s);
		strbuf_printf(&text, "%s,", row[table_column(t, second)].s);
	}
	ck_assert_msg(!strcmp(strbuf_text(&text), expected), "%s: %s, not %s", rule,
		      strbuf_text(&text), expected);
	strbuf_free(&text);
}

struct expectation {
	const char *rule;
	bool budget;
	const char *rows; /* rows that break it, each followed by a comma */
	uint64_t noise;
};

static const struct expectation expectations[] = {
	{ "bytes>+5%&+500", false, "grows,sure [ext4],", 1 },
	{ "bytes>+5%", false, "grows,new [ext4],sure [ext4],", 1 },
	{ "bytes>+2%&+30K", false, "a_little,total,", 0 },
	{ "bytes>1M", false, "", 0 },
	{ "bytes>1040000", false, "total,", 0 },
	{ "bytes<-10%", false, "shrinks,", 0 },
	{ "waste>20%", false, "shrinks,", 0 },
	{ "net>0", false, "", 0 }, /* no such column */
	{ "page.bytes>0", false, "", 0 },
	{ "grows bytes < 2000", true, "grows,", 0 },
	{ "grows bytes < 2001", true, "", 0 },
	{ "[ext4] bytes < 6K", true, "[ext4],", 0 },
	{ "[ext4] bytes < 7K", true, "", 0 },
	{ "s* bytes < 3200 & +10%", true, "s*,", 0 },
	{ "noise* bytes < +10%", true, "", 1 },
	{ "total bytes < +1%", true, "total,", 0 },
	{ "new* waste < 10%", true, "new*,", 0 },
	{ "nobody bytes < 1", true, "", 0 },
};

START_TEST(judges)
{
	const struct expectation *e = &expectations[_i];
	struct gate_rules rules = { .words = &words };
	struct table *t = make();
	struct gate_result r;
	bool unchecked;

	r = check_rule(&rules, e->rule, e->budget, &t, 1);
	expect_broken(e->rule, &r, NULL, "row", e->rows);
	ck_assert_uint_eq(r.nr_broken, *e->rows != '\0');
	ck_assert_uint_eq(r.nr_noise, e->noise);
	/* Says what could not be checked. */
	unchecked = !strncmp(e->rule, "page", 4) || !strncmp(e->rule, "net", 3);
	ck_assert_uint_eq(r.nr_unchecked, unchecked);
	ck_assert_uint_eq(r.broken->nr_notes,
			  unchecked || !strncmp(e->rule, "nobody", 6));
	table_free(r.broken);
	table_free(t);
	gate_free(&rules);
}
END_TEST

/* A table with old and new values, and how far the change and the new value may be off. */
static struct table *make_uncertain(void)
{
	static const struct {
		const char *name;
		double old, new, off, new_off; /* -1: no bound */
	} rows[] = {
		{ "exact", 1000, 1200, 0, 0 },	   { "sure", 1000, 1200, 100, 60 },
		{ "maybe", 1000, 1200, 200, 150 }, { "open", 1000, 1200, -1, -1 },
		{ "still", 1000, 1000, -1, -1 },
	};
	const struct column columns[] = {
		{ .name = "callsite" },	       { .name = "net_old" },
		{ .name = "net_new" },	       { .name = "bytes_new" },
		{ .name = "net_uncertainty" }, { .name = "net_new_uncertainty" },
	};
	struct table *t = table_new("slab", "t");
	size_t i;

	table_set_by(t, "callsite");
	table_add_columns(t, columns, ARRAY_SIZE(columns));
	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		struct cell *row = table_add_row(t);

		row[0] = cell_text(t, rows[i].name);
		row[1] = cell_real(rows[i].old);
		row[2] = cell_real(rows[i].new);
		row[3] = cell_real(10000);
		if (rows[i].off >= 0) {
			row[4] = cell_real(rows[i].off);
			row[5] = cell_real(rows[i].new_off);
		}
	}
	return t;
}

static const struct {
	const char *rule;
	bool budget;
	const char *rows; /* rows with the verdict */
	size_t broken, undecided;
} uncertain_cases[] = {
	{ "net>+5%&+50", false,
	  "exact broken,sure broken,maybe undecided,open undecided,", 1, 0 },
	{ "net>+150", false,
	  "exact broken,sure undecided,maybe undecided,open undecided,", 1, 0 },
	{ "net>1100", false, "exact broken,sure broken,maybe undecided,open undecided,",
	  1, 0 },
	{ "net>+300", false, "", 0, 0 },
	{ "exact net < +100", true, "exact broken,", 1, 0 },
	{ "sure net < +99", true, "sure broken,", 1, 0 },
	{ "sure net < +150", true, "sure undecided,", 0, 1 },
	{ "sure net < 1139", true, "sure broken,", 1, 0 },
	{ "sure net < 1150", true, "sure undecided,", 0, 1 },
	{ "maybe net < +10%", true, "maybe undecided,", 0, 1 },
	{ "open net < 1100", true, "open undecided,", 0, 1 },
	{ "open net < 1300", true, "", 0, 0 },
	{ "still net < +5%", true, "", 0, 0 },
	/* sums: uncertainties add up */
	{ "[sm]*e net < +99", true, "[sm]*e broken,", 1, 0 }, /* 400 +- 300 */
	{ "[sm]*e net < +101", true, "[sm]*e undecided,", 0, 1 },
	{ "[sm]*e net < +401", true, "", 0, 0 },
};

/* A change within its own uncertainty neither breaks nor satisfies a rule. */
START_TEST(is_undecided)
{
	struct gate_rules rules = { .words = &words };
	struct table *t = make_uncertain();
	struct gate_result r;

	r = check_rule(&rules, uncertain_cases[_i].rule, uncertain_cases[_i].budget, &t,
		       1);
	expect_broken(uncertain_cases[_i].rule, &r, "row", "verdict",
		      uncertain_cases[_i].rows);
	ck_assert_uint_eq(r.nr_broken, uncertain_cases[_i].broken);
	ck_assert_uint_eq(r.nr_undecided, uncertain_cases[_i].undecided);
	table_free(r.broken);
	table_free(t);
	gate_free(&rules);
}
END_TEST

static const struct {
	const char *rule;
	bool budget;
	const char *rows;
	size_t unchecked, notes;
} directory_cases[] = {
	{ "fs/ext4 bytes < 520", true, "slab_dir fs/ext4,", 0, 0 },
	{ "fs/ext4 bytes < 521", true, "", 0, 0 },
	{ "fs/ext4/ bytes < +10%", true, "slab_dir fs/ext4,", 0, 0 },
	{ "fs/ bytes < 1520", true, "slab_dir fs,", 0, 0 },
	{ "fs/ bytes < 1521", true, "", 0, 0 },
	{ "fs bytes < 1520", true, "slab_dir fs,", 0, 0 },
	{ "fs/* bytes < 520", true, "slab_dir fs/*,", 0, 0 },
	{ "net/core bytes < +0", true, "", 0, 0 },
	{ "net/core slab.bytes < 1", true, "slab_dir net/core,", 0, 0 },
	{ "slab:net/ bytes < 1", true, "slab_dir net,", 0, 0 },
	{ "page:net/ bytes < 1", true, "", 1, 1 },
	{ "drivers/ bytes < 1", true, "", 0, 1 },
	{ "(unknown) bytes < 90", true, "slab_dir (unknown),", 0, 0 },
	/* unless it is a directory, it is not searched twice */
	{ "total bytes < 1", true, "slab total,", 0, 0 },
	{ "* bytes < 1", true, "slab *,", 0, 0 },
	{ "bytes>6000", false, "slab a_little,slab total,", 0, 0 },
};

START_TEST(judges_directories)
{
	struct table *tables[] = { make(), make_directories("slab_dir") };
	struct gate_rules rules = { .words = &words };
	struct gate_result r;

	r = check_rule(&rules, directory_cases[_i].rule, directory_cases[_i].budget,
		       tables, 2);
	expect_broken(directory_cases[_i].rule, &r, "table", "row",
		      directory_cases[_i].rows);
	ck_assert_uint_eq(r.nr_unchecked, directory_cases[_i].unchecked);
	ck_assert_uint_eq(r.broken->nr_notes, directory_cases[_i].notes);
	table_free(r.broken);
	table_free(tables[0]);
	table_free(tables[1]);
	gate_free(&rules);
}
END_TEST

Suite *test_gate_suite(void)
{
	Suite *suite = suite_create("report/gate");
	TCase *tc = tcase_create("gate");

	tcase_add_test(tc, reads_rules);
	tcase_add_loop_test(tc, refuses_others, 0, ARRAY_SIZE(wrong));
	tcase_add_test(tc, reads_budgets);
	tcase_add_loop_test(tc, is_undecided, 0, ARRAY_SIZE(uncertain_cases));
	tcase_add_loop_test(tc, judges, 0, ARRAY_SIZE(expectations));
	tcase_add_test(tc, reads_directories);
	tcase_add_loop_test(tc, judges_directories, 0, ARRAY_SIZE(directory_cases));
	suite_add_tcase(suite, tc);
	return suite;
}

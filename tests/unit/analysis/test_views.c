// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * tests: analysis/pass/analyze.h: tables can be made repeatedly at any moment of a stream without
 * changing later results.
 */
#include <check.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/strbuf.h"
#include "often.h"
#include "opened.h"
#include "report/render.h"

/* Events between two views, and events in a batch. */
#define PERIOD 2499
#define BATCH  100

struct fixture {
	struct opened in;
	struct kmem_event *events; /* events so far */
	size_t nr, capacity;
};

static void set_up(struct fixture *f, const char *path)
{
	*f = (struct fixture){ 0 };
	opened_open(&f->in, path);
}

static void tear_down(struct fixture *f)
{
	opened_close(&f->in);
	free(f->events);
}

static int add(void *ctx, const char *data, size_t size)
{
	strbuf_add(ctx, data, size);
	return 0;
}

/* Returns the JSON of what @all shows now; the caller frees it. */
static char *look(const struct analyses *all)
{
	const struct render_options opts = { 0 };
	struct report *report = report_new();
	struct strbuf sb = { 0 };
	const struct render_out out = { add, &sb };

	ck_assert(!analyses_view(all, report));
	ck_assert(!render_json(report, &opts, &out));
	report_free(report);
	strbuf_puts(&sb, "");
	return strbuf_detach(&sb);
}

/* Takes a batch from the stream. False at its end. */
static bool take(struct fixture *f)
{
	int i, nr;

	ck_assert(!array_reserve(&f->events, &f->capacity, f->nr + BATCH,
				 sizeof(*f->events)));
	nr = event_stream_next_batch(f->in.stream, f->events + f->nr, BATCH);
	ck_assert_int_ge(nr, 0);
	for (i = 0; i < nr; i++)
		f->events[f->nr + (size_t)i].data = NULL; /* belongs to the next batch */
	f->nr += (size_t)nr;
	return nr > 0;
}

/* The JSON of all tables if the stream ended here. */
static char *look_at_end(const struct fixture *f, const struct analysis_set *set)
{
	struct analyses *all;
	char *seen;

	ck_assert(!analyses_new(&all, &f->in.env, set));
	analyses_observe(all, f->events, f->nr);
	analyses_end(all);
	seen = look(all);
	analyses_free(all);
	return seen;
}

static void ck_same(char *seen, const char *wanted)
{
	ck_assert_str_eq(seen, wanted);
	free(seen);
}

/* Makes tables now and then during @file's events; returns how often. */
static unsigned int check_views(const char *file, const struct analysis_set *set)
{
	unsigned int nr_views = 0;
	struct analyses *all;
	size_t next = PERIOD, known;
	struct fixture f;
	char *wanted;

	set_up(&f, file);
	ck_assert(!analyses_new(&all, &f.in.env, set));
	for (known = 0; take(&f); known = f.nr) {
		analyses_observe(all, f.events + known, f.nr - known);
		if (f.nr < next)
			continue;
		next = f.nr + PERIOD;
		wanted = look_at_end(&f, set);
		ck_same(look(all), wanted);
		ck_same(look(all), wanted);
		free(wanted);
		nr_views++;
	}
	wanted = look_at_end(&f, set);
	ck_same(look(all), wanted); /* before the end is known */
	analyses_end(all);
	ck_same(look(all), wanted);
	ck_same(look(all), wanted);
	ck_assert_uint_gt(strlen(wanted), 1000);
	free(wanted);
	analyses_free(all);
	tear_down(&f);
	return nr_views;
}

static const char *const files[] = {
	"data/trixie-amd64-small-stack.v7.dat",
	"data/bookworm-amd64-small-overflow.v7.dat", /* has lost events */
	"data/bookworm-s390x-small-stack.v7.dat",
	"data/bookworm-armhf-small-plain.v6.dat",
	"data/boot-bookworm-amd64.v7.dat",
	"data/pressure-bookworm-amd64.v7.dat",
	"data/variants-amd64-instance.v6.dat",
};

/* Every analysis of the registry with rows by @by that runs together with others; directories are
 * unknown here.
 */
static size_t all_analyses(const struct analysis **chosen, enum subject_kind by)
{
	const struct analysis *analysis;
	size_t i, nr = 0;

	for (i = 0; (analysis = analysis_at(i)); i++) {
		if (analysis->rows == ROWS(DIR) || analysis->use == ANALYSIS_COMMAND ||
		    (by && analysis->rows && !(analysis->rows >> by & 1)))
			continue;
		chosen[nr++] = analysis;
	}
	return nr;
}

static void check_file(const char *file, const struct analysis_options *opts)
{
	const struct analysis *chosen[ANALYSES_MAX];
	const struct analysis_set set = { .analyses = chosen,
					  .nr = all_analyses(chosen, opts->by),
					  .opts = opts };

	ck_assert_uint_gt(check_views(file, &set), 0);
}

static void check_command(const char *file, const char *name,
			  const struct analysis_options *opts)
{
	const struct analysis *chosen = analysis_find(name);
	const struct analysis_set set = { .analyses = &chosen, .nr = 1, .opts = opts };

	ck_assert_ptr_nonnull(chosen);
	ck_assert_uint_gt(check_views(file, &set), 0);
}

START_TEST(test_commands)
{
	const struct analysis_options by_callsite = { .by_caller = true,
						      .by_cache = true },
				      by_two = { .by = SUBJECT_CPU |
						       SUBJECT_PID << SUBJECT_PART_BITS,
						 .older_ns = 1000000,
						 .bins = 20 },
				      by_labels = { .by = SUBJECT_STACK |
							  SUBJECT_COMM
								  << SUBJECT_PART_BITS,
						    .by_cache = true },
				      by_stack = { .by = SUBJECT_STACK };

	check_command(files[_i], "leaks", &by_callsite);
	check_command(files[_i], "leaks", &by_two);
	check_command(files[_i], "peak", &by_callsite);
	check_command(files[_i], "peak", &by_two);
	check_command(files[_i], "export", &by_stack);
	check_command(files[_i], "export", &by_labels);
	check_command(files[_i], "owners", &by_callsite);
	check_command(files[_i], "owners", &by_two);
	check_command(files[_i], "summary", &by_callsite);
	check_command(files[_i], "summary", &by_two);
	check_command(files[_i], "advise", &by_callsite);
	check_command(files[_i], "percpu_cross", &by_callsite);
	check_command(files[_i], "percpu_cross", &by_two);
}
END_TEST

/* Only few recordings have such events. */
START_TEST(test_zones)
{
	const struct analysis_options opts = { .by = SUBJECT_PID, .bins = 7 };

	check_command("data/boot-bookworm-amd64.v7.dat", "frag", &opts);
	check_command("data/pressure-bookworm-amd64.v7.dat", "frag", &opts);
	check_command("data/boot-bookworm-amd64.v7.dat", "percpu", &opts);
	check_command("data/pressure-bookworm-amd64.v7.dat", "percpu", &opts);
	check_command("data/bookworm-amd64-small-overflow.v7.dat", "percpu", &opts);
}
END_TEST

START_TEST(test_all_tables)
{
	const struct analysis_options opts = { .by_caller = true,
					       .by_address = true,
					       .by_cache = true,
					       .by = SUBJECT_PID,
					       .unmatched = true };

	check_file(files[_i], &opts);
}
END_TEST

START_TEST(test_usual)
{
	const struct analysis_options opts = { .by_caller = true };

	check_file(files[_i], &opts);
}
END_TEST

START_TEST(test_live_by_stack)
{
	const struct analysis_options opts = { .by = SUBJECT_STACK, .live = true };

	check_file(files[_i], &opts);
}
END_TEST

START_TEST(test_tree)
{
	const struct analysis_options opts = {
		.tree = { .roots = TREE_CALLER, .depth = 5, .min_share = 10000 }
	};

	check_file(files[_i], &opts);
}
END_TEST

/* Rows have three dimensions already: there is no room for callchains, which is not -ENOMEM. */
START_TEST(no_room_for_more)
{
	const struct dimensions full = { .of = { DIMENSION_PID, DIMENSION_CPU,
						 DIMENSION_NODE } };
	const struct analysis_options opts = { .by = SUBJECT_STACK };
	const struct analysis *analysis;
	unsigned int nr = 0;
	struct fixture f;
	void *self;

	set_up(&f, "data/trixie-amd64-small-stack.v7.dat");
	for (size_t i = 0; (analysis = analysis_at(i)); i++) {
		struct accounts accounts = { .rec = f.in.rec, .page_size = 4096 };
		struct slab_account *slab;
		struct page_account *page;
		int ret;

		ck_assert_int_eq(accounts_slab(&accounts, &full, &slab), 0);
		ck_assert_int_eq(accounts_page(&accounts, &full, &page), 0);
		f.in.env.accounts = &accounts;
		ret = analysis->create(&f.in.env, &opts, &self);
		ck_assert_msg(!ret || ret == -EOVERFLOW, "%s: %d", analysis->name, ret);
		ck_assert_ptr_nonnull(self);
		nr += ret == -EOVERFLOW;
		analysis->destroy(self);
		accounts_free(&accounts);
	}
	ck_assert_uint_ge(nr, 8);
	tear_down(&f);
}
END_TEST

Suite *test_views_suite(void);

Suite *test_views_suite(void)
{
	Suite *s = suite_create("analysis/views");
	TCase *tc = tcase_create("views");
	/* The first three files include losses and both byte orders. */
	int nr = long_tests() ? ARRAY_SIZE(files) : 3;

	tcase_add_loop_test(tc, test_all_tables, 0, nr);
	tcase_add_loop_test(tc, test_usual, 0, nr);
	tcase_add_loop_test(tc, test_tree, 0, nr);
	tcase_add_loop_test(tc, test_live_by_stack, 0, nr);
	tcase_add_test(tc, test_zones);
	tcase_add_loop_test(tc, test_commands, 0, nr);
	tcase_add_test(tc, no_room_for_more);
	suite_add_tcase(s, tc);
	return s;
}

// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * tests: analysis/pass/analyze.h: every analysis makes the same tables of the same events, however
 * they are divided into batches.
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

#define BATCH 100

struct fixture {
	struct opened in;
	struct kmem_event *events;
	size_t nr, capacity;
};

/* Adds a batch of the stream. False at the stream's end. */
static bool take(struct fixture *f)
{
	int i, nr;

	ck_assert(!array_reserve(&f->events, &f->capacity, f->nr + BATCH));
	nr = event_stream_next_batch(f->in.stream, f->events + f->nr, BATCH);
	ck_assert_int_ge(nr, 0);
	for (i = 0; i < nr; i++)
		f->events[f->nr + (size_t)i].data = NULL; /* belongs to the next batch */
	f->nr += (size_t)nr;
	return nr > 0;
}

static void set_up(struct fixture *f, const char *path)
{
	*f = (struct fixture){ 0 };
	opened_open(&f->in, path);
	while (take(f))
		;
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

/* The JSON of the tables of the first @nr events, in batches of @batch. The caller frees it. */
static char *tables_of(const struct fixture *f, const struct analysis_set *set, size_t nr,
		       size_t batch)
{
	const struct render_options opts = { 0 };
	struct report *report = report_new();
	struct strbuf sb = { 0 };
	const struct render_out out = { add, &sb };
	struct analyses *all;
	size_t i;

	ck_assert(!analyses_new(&all, &f->in.env, set));
	for (i = 0; i < nr; i += batch)
		analyses_observe(all, f->events + i, nr - i < batch ? nr - i : batch);
	ck_assert(!analyses_view(all, report));
	ck_assert(!render_json(report, &opts, &out));
	analyses_free(all);
	report_free(report);
	strbuf_puts(&sb, "");
	return strbuf_detach(&sb);
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

struct own {
	uint64_t words[ANALYSIS_OWN_SIZE / sizeof(uint64_t)];
};

/* Sets all of @analysis' own options: flags to true, times to a millisecond. */
static void set_own(struct own *own, const struct analysis *analysis)
{
	const struct analysis_option *opt = analysis->options;

	for (; opt && opt->name; opt++) {
		char *value = (char *)own->words + opt->at;

		if (opt->type == ANALYSIS_FLAG)
			*(bool *)value = true;
		else
			*(uint64_t *)value = 1000000;
	}
}

/* Checks the analysis @name, or all, with a stream that ends in the middle and with the whole one.
 * @own: with their own options.
 */
static void check(const char *file, const char *name, const struct analysis_options *opts,
		  bool own)
{
	struct own owns[ANALYSES_MAX] = { 0 };
	const void *set_owns[ANALYSES_MAX];
	const struct analysis *chosen[ANALYSES_MAX] = { name ? analysis_find(name)
							     : NULL };
	const struct analysis_set set = { .analyses = chosen,
					  .nr = name ? 1 : all_analyses(chosen, opts->by),
					  .opts = opts,
					  .own = set_owns };
	struct fixture f;
	size_t nr;

	ck_assert_ptr_nonnull(chosen[0]);
	for (nr = 0; nr < set.nr; nr++) {
		if (own)
			set_own(&owns[nr], chosen[nr]);
		set_owns[nr] = &owns[nr];
	}
	set_up(&f, file);
	for (nr = f.nr / 2; nr <= f.nr; nr += f.nr - f.nr / 2) {
		char *seen = tables_of(&f, &set, nr, BATCH);
		char *wanted = tables_of(&f, &set, nr, nr);

		ck_assert_msg(!strcmp(seen, wanted), "%s of %s: other tables in batches",
			      name ? name : "all", file);
		ck_assert_uint_gt(strlen(wanted), 1000);
		free(seen);
		free(wanted);
	}
	tear_down(&f);
}

#define TWO(a, b) ((a) | (b) << SUBJECT_PART_BITS)
#define BY_CALLSITE                                 \
	{                                           \
		.by_caller = true, .by_cache = true \
	}
#define BY_TWO                                                  \
	{                                                       \
		.by = TWO(SUBJECT_CPU, SUBJECT_PID), .bins = 20 \
	}

/* @name: NULL: all analyses that run together. */
static const struct {
	const char *name;
	struct analysis_options opts;
	bool own;
} cases[] = {
	{ NULL, { .by_caller = true }, false },
	{ NULL,
	  { .by_caller = true, .by_address = true, .by_cache = true, .by = SUBJECT_PID },
	  true },
	{ NULL, { .by = SUBJECT_STACK, .live = true }, false },
	{ NULL,
	  { .tree = { .roots = TREE_CALLER, .depth = 5, .min_share = 10000 } },
	  false },
	{ "leaks", BY_CALLSITE, false },
	{ "leaks", BY_TWO, true },
	{ "peak", BY_CALLSITE, false },
	{ "peak", BY_TWO, false },
	{ "export", { .by = SUBJECT_STACK }, false },
	{ "export", { .by = TWO(SUBJECT_STACK, SUBJECT_COMM), .by_cache = true }, false },
	{ "owners", BY_CALLSITE, false },
	{ "owners", BY_TWO, false },
	{ "summary", BY_CALLSITE, false },
	{ "summary", BY_TWO, false },
	{ "advise", BY_CALLSITE, false },
	{ "percpu_cross", BY_CALLSITE, false },
	{ "percpu_cross", BY_TWO, false },
};

START_TEST(test_batches)
{
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		check(files[_i], cases[i].name, &cases[i].opts, cases[i].own);
}
END_TEST

/* Few recordings have such events. */
START_TEST(test_zones)
{
	const struct analysis_options opts = { .by = SUBJECT_PID, .bins = 7 };

	check("data/boot-bookworm-amd64.v7.dat", "frag", &opts, false);
	check("data/pressure-bookworm-amd64.v7.dat", "frag", &opts, false);
	check("data/boot-bookworm-amd64.v7.dat", "percpu", &opts, false);
	check("data/pressure-bookworm-amd64.v7.dat", "percpu", &opts, false);
	check("data/bookworm-amd64-small-overflow.v7.dat", "percpu", &opts, false);
}
END_TEST

/* Rows have three dimensions already: there is no room for callchains, which is not -ENOMEM. */
START_TEST(no_room_for_more)
{
	const struct dimensions full = { .of = { DIMENSION_PID, DIMENSION_CPU,
						 DIMENSION_NODE, DIMENSION_COMM,
						 DIMENSION_CGROUP } };
	const struct analysis_options opts = { .by = SUBJECT_STACK };
	const struct analysis *analysis;
	unsigned int nr = 0;
	struct fixture f;
	void *self;

	set_up(&f, "data/trixie-amd64-small-stack.v7.dat");
	for (size_t i = 0; (analysis = analysis_at(i)); i++) {
		struct accounts accounts = { .rec = f.in.rec, .page_size = 4096 };
		struct slab_lives *slab;
		struct page_lives *page;
		int ret;

		ck_assert_int_eq(accounts_of_memory(&accounts, MEMORY_SLAB, &full, &slab),
				 0);
		ck_assert_int_eq(accounts_of_memory(&accounts, MEMORY_PAGE, &full, &page),
				 0);
		f.in.env.accounts = &accounts;
		ret = analysis_new(analysis, &f.in.env, &opts, &self);
		ck_assert_msg(!ret || ret == -EOVERFLOW, "%s: %d", analysis->name, ret);
		/* An analysis may have nothing to do in this recording. */
		ck_assert_msg(self || !ret, "%s: %d", analysis->name, ret);
		nr += ret == -EOVERFLOW;
		analysis_free(analysis, self);
		accounts_free(&accounts);
	}
	ck_assert_uint_ge(nr, 8);
	tear_down(&f);
}
END_TEST

Suite *test_batches_suite(void);

Suite *test_batches_suite(void)
{
	Suite *s = suite_create("analysis/batches");
	TCase *tc = tcase_create("batches");
	/* The first three files include losses and both byte orders. */
	int nr = long_tests() ? ARRAY_SIZE(files) : 3;

	tcase_add_loop_test(tc, test_batches, 0, nr);
	tcase_add_test(tc, test_zones);
	tcase_add_test(tc, no_room_for_more);
	suite_add_tcase(s, tc);
	return s;
}

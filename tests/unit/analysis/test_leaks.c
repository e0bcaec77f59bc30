// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * tests: analysis/life/leaks.h: rows that look like leaks if only allocations and frees are
 * counted, and a real leak.
 */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/life/leaks.h"
#include "cells.h"
#include "opened.h"

/* Events made by the test; the recording provides symbols, time and event types. */
struct fixture {
	struct opened in;
	struct kmem_event *evs;
	size_t nr;
	uint64_t first, span;
};

enum { MOST_EVENTS = 4000, SIZE = 64 };

static void set_up(struct fixture *f)
{
	const struct event_stream_stats *stats;

	*f = (struct fixture){ .evs = calloc(MOST_EVENTS, sizeof(*f->evs)) };
	opened_lends(&f->in, "data/bookworm-amd64-small-stack.v7.dat");
	stats = event_stream_stats(f->in.stream);
	f->first = stats->first_ts;
	f->span = stats->last_ts - stats->first_ts;
	f->in.env.raw_ip = true;
	f->in.env.first_ts = stats->first_ts;
	f->in.env.last_ts = stats->last_ts;
}

static void tear_down(struct fixture *f)
{
	opened_close(&f->in);
	free(f->evs);
}

/* An event at @part thousandths of the time. */
static struct kmem_event *event(struct fixture *f, uint8_t type, uint64_t ptr,
				unsigned int part)
{
	struct kmem_event *ev = &f->evs[f->nr++];

	ck_assert_uint_le(f->nr, MOST_EVENTS);
	ev->type = type;
	ev->pid = 7;
	ev->ts = f->first + f->span / 1000 * part;
	if (type == KMEM_KMALLOC) {
		ev->slab_alloc.ptr = ptr;
		ev->slab_alloc.callsite = 0xca11;
		ev->slab_alloc.bytes_req = ev->slab_alloc.bytes_alloc = SIZE;
	} else {
		ev->slab_free.ptr = ptr;
		ev->slab_free.callsite = 0xf4ee;
	}
	return ev;
}

static uint64_t pointer(unsigned int i)
{
	return 0xffff888000000000ULL + i * 64ULL;
}

/* The table of the events of @f, if it has one row; NULL if it has none. */
static const struct table *leaks_of(struct fixture *f, uint64_t older_ns)
{
	const struct analysis *chosen = analysis_find("leaks");
	const struct leaks_options own = { .older_ns = older_ns };
	const struct analysis_options opts = { .needs = NEEDS_SLAB, .own = &own };
	const struct analysis_set set = { .analyses = &chosen, .nr = 1, .opts = &opts };
	struct analyses *all;

	ck_assert(!analyses_new(&all, &f->in.env, &set));
	analyses_observe(all, f->evs, f->nr);
	ck_assert(!analyses_view(all, f->in.report));
	analyses_free(all);
	ck_assert_uint_eq(f->in.report->nr_tables, 1);
	ck_assert_uint_le(f->in.report->tables[0]->nr_rows, 1);
	return f->in.report->tables[0];
}

/* The cell of the only row. */
static const struct cell *only(const struct table *t, const char *name)
{
	ck_assert_uint_eq(t->nr_rows, 1);
	return cell(t, 0, name);
}

static bool has_note(const struct table *t, const char *begin)
{
	size_t i;

	for (i = 0; i < t->nr_notes; i++) {
		if (!strncmp(t->notes[i], begin, strlen(begin)))
			return true;
	}
	return false;
}

START_TEST(one_in_a_while_stays)
{
	const struct table *t;
	struct fixture f;
	unsigned int i;

	set_up(&f);
	for (i = 0; i < 1000; i++) {
		event(&f, KMEM_KMALLOC, pointer(i), i);
		if (i % 5)
			event(&f, KMEM_KFREE, pointer(i), i);
	}
	t = leaks_of(&f, f.span / 100);
	ck_assert_str_eq(only(t, "verdict")->s, "grows");
	ck_assert_uint_eq(only(t, "objects")->u, 199);
	ck_assert_uint_eq(only(t, "bytes")->u, 199 * SIZE);
	ck_assert_uint_eq(only(t, "young")->u, 1);
	ck_assert_int_le(only(t, "growth_min")->i, only(t, "growth")->i);
	/* 200 objects in all that time */
	ck_assert_double_eq_tol((double)only(t, "growth")->i * (double)f.span / 1e9,
				200.0 * SIZE, 20.0 * SIZE);
	ck_assert_uint_eq(only(t, "tasks")->u, 1);
	ck_assert(strstr(only(t, "task")->s, "-7"));
	tear_down(&f);
}
END_TEST

/* Requests that are still being served are not leaks. */
START_TEST(what_is_in_flight)
{
	const struct table *t;
	struct fixture f;
	unsigned int i;

	set_up(&f);
	for (i = 0; i < 1000; i++) {
		event(&f, KMEM_KMALLOC, pointer(i), i);
		if (i >= 20)
			event(&f, KMEM_KFREE, pointer(i - 20), i);
	}
	t = leaks_of(&f, 0);
	ck_assert_uint_eq(t->nr_rows, 0);
	ck_assert_uint_eq(summary(t, "bytes_young"), 20 * SIZE);
	ck_assert_uint_eq(summary(t, "bytes_live"), 20 * SIZE);
	tear_down(&f);
}
END_TEST

/* If objects usually live long, old ones may still be in use. */
START_TEST(what_usually_lives_long)
{
	const struct table *t;
	struct fixture f;
	unsigned int i;

	set_up(&f);
	for (i = 0; i < 1000; i++) {
		event(&f, KMEM_KMALLOC, pointer(i), i);
		if (i >= 380)
			event(&f, KMEM_KFREE, pointer(i - 380), i);
	}
	for (i = 620; i < 622; i++) /* the last event comes more than a part later */
		event(&f, KMEM_KFREE, pointer(i), 999);
	t = leaks_of(&f, 0);
	ck_assert_uint_eq(t->nr_rows, 0);
	ck_assert_uint_eq(summary(t, "bytes_young"), 378 * SIZE);
	tear_down(&f);
}
END_TEST

START_TEST(a_cache_that_filled)
{
	const struct table *t;
	struct fixture f;
	unsigned int i;

	set_up(&f);
	for (i = 0; i < 300; i++)
		event(&f, KMEM_KMALLOC, pointer(i), i);
	for (; i < 1000; i++) {
		event(&f, KMEM_KFREE, pointer(i % 300), i);
		event(&f, KMEM_KMALLOC, pointer(i % 300), i);
	}
	t = leaks_of(&f, 1);
	ck_assert_str_eq(only(t, "verdict")->s, "filled");
	ck_assert_uint_eq(only(t, "objects")->u, 300);
	ck_assert_uint_le(only(t, "outlived")->u, SIZE); /* replaced one by one */
	ck_assert(!has_note(t, "Outlived:"));
	tear_down(&f);
}
END_TEST

/* One request in four leaks, but only at first: the row neither grows nor is a cache. */
START_TEST(leaked_at_once)
{
	const struct table *t;
	struct fixture f;
	unsigned int i;

	set_up(&f);
	for (i = 0; i < 400; i++) {
		event(&f, KMEM_KMALLOC, pointer(i), 0);
		if (i % 4)
			event(&f, KMEM_KFREE, pointer(i), 1);
	}
	for (i = 400; i < 1000; i++) { /* the other requests continue */
		event(&f, KMEM_KMALLOC, pointer(i), i);
		event(&f, KMEM_KFREE, pointer(i), i + 2);
	}
	t = leaks_of(&f, 0);
	ck_assert_str_eq(only(t, "verdict")->s, "steady");
	ck_assert_uint_eq(only(t, "bytes")->u, 100 * SIZE);
	ck_assert_uint_eq(only(t, "outlived")->u, 100 * SIZE);
	ck_assert(has_note(t, "Outlived:"));
	tear_down(&f);
}
END_TEST

/* kfree_rcu() in batches: an address is allocated again without a free event. */
START_TEST(frees_without_an_event)
{
	const struct table *t;
	struct fixture f;
	unsigned int i;

	set_up(&f);
	for (i = 0; i < 1000; i++)
		event(&f, KMEM_KMALLOC, pointer(i % 10), i);
	t = leaks_of(&f, 1);
	ck_assert_uint_eq(only(t, "objects")->u, 10);
	ck_assert_str_ne(only(t, "verdict")->s, "grows");
	ck_assert_str_eq(only(t, "net_reason")->s, "implicit");
	ck_assert_uint_eq(only(t, "net_min")->u, 0);
	tear_down(&f);
}
END_TEST

/* One in @one_in objects ends without an event, as its address is allocated again. */
static void check_late(unsigned int one_in, const char *verdict)
{
	const struct table *t;
	struct fixture f;
	unsigned int i;

	set_up(&f);
	for (i = 0; i < 1000; i++)
		event(&f, KMEM_KMALLOC, pointer(i % one_in ? i : i + 1), i);
	t = leaks_of(&f, 1);
	ck_assert_str_eq(only(t, "verdict")->s, verdict);
	ck_assert_uint_eq(only(t, "bytes_grows")->u,
			  strcmp(verdict, "grows") ? 0 : only(t, "bytes_kept")->u);
	tear_down(&f);
}

/* A few objects live long; leaked ones that are as many are not taken for requests in flight. */
START_TEST(more_than_is_in_flight)
{
	const struct table *t;
	struct fixture f;
	unsigned int i;

	set_up(&f);
	for (i = 0; i < 1000; i++) {
		event(&f, KMEM_KMALLOC, pointer(i), i);
		if (i >= 700 && i < 710)
			event(&f, KMEM_KFREE, pointer(i - 700), i);
	}
	t = leaks_of(&f, 0);
	ck_assert_uint_gt(only(t, "young")->u, 2 * only(t, "objects")->u);
	ck_assert_str_eq(only(t, "verdict")->s, "grows");
	tear_down(&f);
}
END_TEST

/* RCU may free all live objects at once. A few such frees say nothing about the other objects. */
START_TEST(late_frees_without_an_event)
{
	check_late(5, "too short to tell");
	check_late(50, "grows");
}
END_TEST

/* Each object is freed on another CPU than it was allocated on. */
START_TEST(freed_on_another_cpu)
{
	struct fixture f;
	unsigned int i;

	set_up(&f);
	for (i = 0; i < 1000; i++) {
		event(&f, KMEM_KMALLOC, pointer(i), i)->cpu = i % 2;
		if (i >= 5)
			event(&f, KMEM_KFREE, pointer(i - 5), i)->cpu = i % 2;
	}
	ck_assert_uint_eq(leaks_of(&f, 0)->nr_rows, 0);
	tear_down(&f);
}
END_TEST

/* krealloc(): growth allocates first and then frees the old object, at another callsite; a size
 * that fits in place has no event.
 */
START_TEST(reallocated)
{
	const struct table *t;
	struct kmem_event *ev;
	struct fixture f;
	unsigned int i;

	set_up(&f);
	for (i = 0; i < 1000; i++) {
		ev = event(&f, KMEM_KMALLOC, pointer(i % 2), i);
		ev->slab_alloc.bytes_req = SIZE / 2 + i % (SIZE / 2);
		if (i)
			event(&f, KMEM_KFREE, pointer((i + 1) % 2), i);
	}
	t = leaks_of(&f, 0);
	ck_assert_uint_eq(t->nr_rows, 0);
	ck_assert_uint_eq(summary(t, "bytes_live"), SIZE);
	tear_down(&f);
}
END_TEST

/* kfree_rcu() of single objects: the free event comes after a grace period. */
START_TEST(freed_after_a_grace_period)
{
	const struct table *t;
	struct fixture f;
	unsigned int i, k;

	set_up(&f);
	for (i = 0; i < 1000; i++) {
		event(&f, KMEM_KMALLOC, pointer(i), i);
		if (i % 50 != 49 || i < 99)
			continue;
		for (k = i - 99; k <= i - 50; k++)
			event(&f, KMEM_KFREE, pointer(k), i);
	}
	t = leaks_of(&f, 0);
	ck_assert_uint_eq(t->nr_rows, 0);
	ck_assert_uint_le(summary(t, "bytes_young"), 100 * SIZE);
	tear_down(&f);
}
END_TEST

/* Frees of objects allocated before the recording, double frees and kfree(NULL) do not make any
 * allocation lack its free.
 */
START_TEST(frees_alone)
{
	struct fixture f;
	unsigned int i;

	set_up(&f);
	event(&f, KMEM_KMALLOC, pointer(0), 0);
	for (i = 0; i < 500; i++) {
		event(&f, KMEM_KFREE, pointer(i), i);
		event(&f, KMEM_KFREE, i % 2 ? 0 : pointer(i), i);
	}
	ck_assert_uint_eq(leaks_of(&f, 1)->nr_rows, 0);
	tear_down(&f);
}
END_TEST

/* The clocks of two CPUs differ (the recording has the local clock): the free comes before the
 * allocation.
 */
START_TEST(freed_before_by_the_clocks)
{
	struct fixture f;
	unsigned int i;

	set_up(&f);
	for (i = 0; i < 900; i++) {
		event(&f, KMEM_KFREE, pointer(i), i)->cpu = 1;
		event(&f, KMEM_KMALLOC, pointer(i), i)->ts += 500;
	}
	ck_assert_uint_eq(leaks_of(&f, 1)->nr_rows, 0);
	tear_down(&f);
}
END_TEST

/* An object exactly as old as --older is old; one exactly as old as the longest completed life has
 * not outlived it.
 */
START_TEST(ages_at_the_limits)
{
	const struct table *t;
	struct fixture f;
	uint64_t age;

	set_up(&f);
	age = f.span / 1000 * 400;
	event(&f, KMEM_KMALLOC, pointer(0), 0);
	event(&f, KMEM_KFREE, pointer(0), 400);
	event(&f, KMEM_KMALLOC, pointer(1), 0)->ts = f.first + f.span - age;
	event(&f, KMEM_KMALLOC, pointer(2), 999);
	t = leaks_of(&f, age);
	ck_assert_uint_eq(only(t, "objects")->u, 1);
	ck_assert_uint_eq(only(t, "young")->u, 1);
	ck_assert_uint_eq(only(t, "outlived")->u, 0);
	tear_down(&f);
}
END_TEST

/* The memory for growth and lifetimes depends on the number of callsites, not on that of tasks. */
static size_t series_of_tasks(struct fixture *f, enum subject_kind by, unsigned int tasks)
{
	const struct analysis *analysis = analysis_find("leaks");
	const struct analysis_options opts = { .needs = NEEDS_SLAB, .by = by };
	struct accounts accounts = { .rec = f->in.rec, .page_size = 4096 };
	const struct leaks *l;
	void *self;
	unsigned int i;
	size_t nr;

	f->in.env.accounts = &accounts;
	ck_assert_int_eq(analysis_new(analysis, &f->in.env, &opts, &self), 0);
	l = self;
	for (i = 0; i < 900; i++) {
		event(f, KMEM_KMALLOC, pointer(i), i)->pid = 100 + (int)(i % tasks);
		if (i % 5)
			event(f, KMEM_KFREE, pointer(i), i)->pid = 5;
	}
	accounts_events(&accounts, f->evs, f->nr);
	accounts_finish(&accounts);
	nr = l->sides[MEMORY_SLAB].growth.nr;
	ck_assert_uint_eq(l->sides[MEMORY_SLAB].times.nr_rows, nr);
	analysis_free(analysis, self);
	accounts_free(&accounts);
	return nr;
}

START_TEST(many_tasks)
{
	const struct table *t;
	struct fixture f;

	set_up(&f);
	ck_assert_uint_eq(series_of_tasks(&f, SUBJECT_NONE, 50), 1);
	t = leaks_of(&f, 1);
	ck_assert_str_eq(only(t, "verdict")->s, "grows");
	ck_assert_uint_eq(only(t, "objects")->u, 180);
	ck_assert_uint_eq(only(t, "tasks")->u, 10);
	f.nr = 0;
	ck_assert_uint_eq(series_of_tasks(&f, SUBJECT_PID, 50), 50);
	tear_down(&f);
}
END_TEST

/* More bytes per second than 64 bits can hold. */
START_TEST(a_flood)
{
	const struct analysis *chosen = analysis_find("leaks");
	const struct leaks_options own = { .older_ns = 1 };
	const struct analysis_options opts = { .needs = NEEDS_PAGE, .own = &own };
	const struct analysis_set set = { .analyses = &chosen, .nr = 1, .opts = &opts };
	struct analyses *all;
	struct fixture f;
	unsigned int i;

	set_up(&f);
	f.in.env.page_size = 1U << 20;
	for (i = 0; i < MOST_EVENTS; i++) {
		struct kmem_event *ev = event(&f, KMEM_PAGE_ALLOC, 0, 0);

		ev->ts = f.first + f.span - MOST_EVENTS * 8 + i * 8ULL;
		ev->page_alloc.pfn = (uint64_t)i << 18;
		ev->page_alloc.order = 18;
	}
	ck_assert(!analyses_new(&all, &f.in.env, &set));
	analyses_observe(all, f.evs, f.nr);
	ck_assert(!analyses_view(all, f.in.report));
	analyses_free(all);
	ck_assert_int_eq(only(f.in.report->tables[0], "growth")->i, INT64_MAX);
	tear_down(&f);
}
END_TEST

Suite *test_leaks_suite(void);

Suite *test_leaks_suite(void)
{
	Suite *s = suite_create("analysis/leaks");
	TCase *tc = tcase_create("all");

	tcase_add_test(tc, one_in_a_while_stays);
	tcase_add_test(tc, what_is_in_flight);
	tcase_add_test(tc, what_usually_lives_long);
	tcase_add_test(tc, a_cache_that_filled);
	tcase_add_test(tc, leaked_at_once);
	tcase_add_test(tc, frees_without_an_event);
	tcase_add_test(tc, late_frees_without_an_event);
	tcase_add_test(tc, more_than_is_in_flight);
	tcase_add_test(tc, freed_on_another_cpu);
	tcase_add_test(tc, reallocated);
	tcase_add_test(tc, freed_after_a_grace_period);
	tcase_add_test(tc, frees_alone);
	tcase_add_test(tc, freed_before_by_the_clocks);
	tcase_add_test(tc, ages_at_the_limits);
	tcase_add_test(tc, many_tasks);
	tcase_add_test(tc, a_flood);
	suite_add_tcase(s, tc);
	return s;
}

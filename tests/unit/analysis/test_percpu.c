// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * tests: analysis/kernel/percpu.c: which events happen under one lock, and where pages go.
 */
#include <check.h>
#include <string.h>

#include "base/compiler.h"
#include "cells.h"
#include "opened.h"

#define FILE_PATH "data/pressure-bookworm-amd64.v7.dat"

struct fixture {
	struct opened in;
	struct analysis_options opts;
	const struct analysis *analysis;
	void *self;
};

static void set_up(struct fixture *f)
{
	*f = (struct fixture){ .analysis = analysis_find("percpu") };
	opened_open(&f->in, FILE_PATH);
	ck_assert_int_eq(analysis_new(f->analysis, &f->in.env, &f->opts, &f->self), 0);
}

static void tear_down(struct fixture *f)
{
	analysis_free(f->analysis, f->self);
	opened_close(&f->in);
}

static struct kmem_event locked(uint32_t cpu, uint64_t pfn, uint32_t order,
				uint64_t refill)
{
	return (struct kmem_event){
		.type = KMEM_PAGE_ALLOC_ZONE_LOCKED,
		.cpu = cpu,
		.page_alloc = { .pfn = pfn, .refill = refill, .order = order }
	};
}

static struct kmem_event drain(uint32_t cpu, uint64_t pfn, uint32_t order)
{
	return (struct kmem_event){ .type = KMEM_PAGE_PCPU_DRAIN,
				    .cpu = cpu,
				    .page_alloc = { .pfn = pfn, .order = order } };
}

static struct kmem_event other(uint32_t cpu, enum kmem_event_type type)
{
	return (struct kmem_event){ .type = (uint8_t)type, .cpu = cpu };
}

static void view(struct fixture *f)
{
	ck_assert(!f->analysis->view(f->self, f->in.report));
	ck_assert(report_ok(f->in.report));
}

static const struct table *table(const struct fixture *f, const char *name)
{
	return report_table(f->in.report, name);
}

static uint64_t number(const struct table *t, uint32_t cpu, const char *name)
{
	size_t row;

	for (row = 0; cell(t, row, "cpu")->u != cpu; row++)
		;
	return cell(t, row, name)->u;
}

START_TEST(runs)
{
	struct kmem_event evs[] = {
		locked(0, 1, 0, 1),
		locked(1, 11, 0, 1),
		locked(0, 2, 0, 1), /* continues: the previous one was elsewhere */
		other(0, KMEM_PAGE_ALLOC_EXTFRAG),
		other(0, KMEM_KERNEL_STACK),
		locked(0, 3, 0, 1),
		locked(0, 4, 1, 1), /* another order */
		locked(0, 6, 1, 1), /* another migratetype */
		locked(0, 8, 1, 1), /* another task */
		other(0, KMEM_PAGE_ALLOC),
		locked(0, 10, 1, 1),
		other(0, KMEM_LOSS),
		locked(0, 12, 1, 1),
		locked(0, 512, 9, 0),
		locked(0, 1024, 9, 0),
		drain(0, 1, 0),
		drain(0, 4, 1),
		other(0, KMEM_OTHER),
		drain(0, 2, 0),
	};
	const struct table *t;
	struct fixture f;

	for (size_t i = 7; i < ARRAY_SIZE(evs); i++)
		evs[i].page_alloc.migratetype = 1;
	for (size_t i = 8; i < ARRAY_SIZE(evs); i++)
		evs[i].pid = 77;
	evs[16].page_alloc.migratetype = 2; /* a drain takes all migratetypes */
	set_up(&f);
	f.analysis->observe(f.self, evs, ARRAY_SIZE(evs));
	view(&f);
	t = table(&f, "percpu");
	ck_assert_uint_eq(number(t, 0, "refills"), 6);
	ck_assert_uint_eq(number(t, 0, "refill_pages"), 3 + 5 * 2);
	ck_assert_uint_eq(number(t, 0, "direct"), 2);
	ck_assert_uint_eq(number(t, 0, "direct_pages"), 1024);
	ck_assert_uint_eq(number(t, 0, "drains"), 2);
	ck_assert_uint_eq(number(t, 0, "drain_pages"), 4);
	ck_assert_uint_eq(number(t, 0, "locks"), 10);
	ck_assert_uint_eq(number(t, 1, "refills"), 1);
	ck_assert_uint_eq(summary(t, "locks"), 11);
	ck_assert_uint_eq(summary(t, "pages_here"), 4);
	tear_down(&f);
}
END_TEST

START_TEST(moves)
{
	struct kmem_event evs[] = {
		locked(3, 1, 0, 1),
		locked(3, 8, 3, 1),
		locked(0, 2, 0, 1),
		drain(5, 1, 0),
		drain(5, 8, 3),
		drain(5, 1, 0), /* its return was not seen */
		drain(3, 2, 0),
		locked(0, 1, 0, 1),
		locked(5, 1, 0, 1),
		drain(5, 1, 0), /* the last allocation counts */
		drain(5, UINT64_MAX, 0),
		drain(5, 7, 31),
		locked(5, 7, UINT32_MAX, 1),
	};
	const struct table *t;
	struct fixture f;
	size_t i;

	set_up(&f);
	f.analysis->observe(f.self, evs, ARRAY_SIZE(evs));
	view(&f);
	t = table(&f, "percpu_matrix");
	ck_assert_uint_eq(t->nr_rows, 3);
	for (i = 0; i < t->nr_rows; i++) {
		uint64_t from = cell(t, i, "refill_cpu")->u,
			 to = cell(t, i, "drain_cpu")->u;
		uint64_t pages = cell(t, i, "pages")->u;

		ck_assert((from == 3 && to == 5 && pages == 9) ||
			  (from == 0 && to == 3 && pages == 1) ||
			  (from == 5 && to == 5 && pages == 1));
	}
	t = table(&f, "percpu");
	ck_assert_uint_eq(summary(t, "pages_here"), 1);
	ck_assert_uint_eq(summary(t, "pages_elsewhere"), 10);
	ck_assert_uint_eq(summary(t, "pages_unknown"), 1);
	tear_down(&f);
}
END_TEST

Suite *test_percpu_suite(void)
{
	Suite *s = suite_create("analysis/percpu");
	TCase *tc = tcase_create("percpu");

	tcase_add_test(tc, runs);
	tcase_add_test(tc, moves);
	suite_add_tcase(s, tc);
	return s;
}

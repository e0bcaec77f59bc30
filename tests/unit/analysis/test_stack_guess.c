// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * tests: analysis/filter/stack_guess.h.
 * In: events made here. Out: checks.
 */
#include <check.h>
#include <string.h>

#include "analysis/filter/stack_guess.h"

Suite *test_stack_guess_suite(void);

#define EVENTS 4096
#define BARE   0

static struct kmem_event evs[EVENTS];
static size_t nr;
static struct stack_guess g;

static void setup(void)
{
	struct sample rule;

	sample_init(&rule, 16, 3, 4096);
	stack_guess_init(&g, &rule);
	nr = 0;
}

static void teardown(void)
{
	stack_guess_free(&g);
}

/* Allocates 64 bytes at an address that only some samples contain. */
static struct kmem_event *alloc(uint64_t callsite, uint64_t number, uint32_t stack)
{
	struct kmem_event *ev = &evs[nr++];

	ck_assert_uint_le(nr, EVENTS);
	*ev = (struct kmem_event){ .type = KMEM_KMALLOC, .stack = stack };
	ev->slab_alloc.callsite = callsite;
	ev->slab_alloc.ptr = 0x100000 + (number << 6) + 0x20;
	ev->slab_alloc.bytes_req = 60;
	ev->slab_alloc.bytes_alloc = 64;
	return ev;
}

static void release(uint64_t number)
{
	struct kmem_event *ev = &evs[nr++];

	ck_assert_uint_le(nr, EVENTS);
	*ev = (struct kmem_event){ .type = KMEM_KFREE };
	ev->slab_free.ptr = 0x100000 + (number << 6) + 0x20;
}

static void run(void)
{
	stack_guess_learn(&g, evs, nr);
	ck_assert_int_eq(stack_guess_learned(&g), 0);
	stack_guess_give(&g, evs, nr);
	stack_guess_count(&g, evs, nr);
}

/* Counts allocations of @callsite with @stack among events @from to @to. */
static size_t with_stack(uint64_t callsite, uint32_t stack, size_t from, size_t to)
{
	size_t i, found = 0;

	for (i = from; i < to; i++)
		found += kmem_is_slab_alloc(evs[i].type) &&
			 evs[i].slab_alloc.callsite == callsite && evs[i].stack == stack;
	return found;
}

/* Three of four sampled objects are from one callchain, and so are exactly three of four others, at
 * any time.
 */
START_TEST(shares_are_those_of_the_sample)
{
	size_t i, part, left;

	for (i = 0; i < 8; i++) {
		alloc(1, i, i % 4 ? 7 : 9);
		release(i);
	}
	for (i = 0; i < 1000; i++) {
		alloc(1, 8, BARE);
		release(8);
	}
	run();
	ck_assert_uint_eq(with_stack(1, 7, 0, nr), 6 + 750);
	ck_assert_uint_eq(with_stack(1, 9, 0, nr), 2 + 250);
	for (part = 0; part < 10; part++) {
		left = with_stack(1, 7, 16 + part * 200, 16 + part * 200 + 200);
		ck_assert_uint_ge(left, 70);
		ck_assert_uint_le(left, 80);
	}
	ck_assert_uint_eq(g.known.objects, 8);
	ck_assert_uint_eq(g.guessed.objects, 1000);
	ck_assert_uint_eq(g.guessed.bytes, 64000);
	ck_assert_uint_eq(g.none.objects, 0);
}
END_TEST

/* Two objects in a sample of one in 16 cannot stand for a thousand: each stands for 8 x 16. */
START_TEST(few_do_not_stand_for_many)
{
	size_t i, part, left;

	for (i = 0; i < 2; i++) {
		alloc(1, i, i ? 7 : 9);
		release(i);
	}
	for (i = 0; i < 1000; i++) {
		alloc(1, 8, BARE);
		release(8);
	}
	run();
	ck_assert_uint_eq(with_stack(1, 7, 0, nr), 1 + 128);
	ck_assert_uint_eq(with_stack(1, 9, 0, nr), 1 + 128);
	for (part = 0; part < 10; part++) {
		left = with_stack(1, BARE, 4 + part * 200, 4 + part * 200 + 200);
		ck_assert_uint_ge(left, 70);
		ck_assert_uint_le(left, 79);
	}
	ck_assert_uint_eq(g.guessed.objects, 256);
	ck_assert_uint_eq(g.none.objects, 744);
	ck_assert_uint_eq(g.none.bytes, 744 * 64);
}
END_TEST

/* Live objects get the callchains of sampled live objects, however rare those are. */
START_TEST(leaks_are_told_from_the_rest)
{
	size_t i;

	for (i = 0; i < 50; i++) {
		alloc(1, i, 7);
		release(i);
	}
	alloc(1, 50, 9);
	for (i = 100; i < 400; i++) {
		alloc(1, i, BARE);
		if (i % 3)
			release(i);
	}
	run();
	ck_assert_uint_eq(with_stack(1, 9, 0, nr), 101);
	ck_assert_uint_eq(with_stack(1, 7, 0, nr), 250);
}
END_TEST

/* An address that is allocated again has ended. */
START_TEST(an_end_without_an_event)
{
	size_t i;

	alloc(1, 0, 7);
	alloc(1, 0, 9);
	for (i = 0; i < 10; i++)
		alloc(1, 1, BARE);
	run();
	ck_assert_uint_eq(with_stack(1, 7, 0, nr), 10);
	ck_assert_uint_eq(with_stack(1, 9, 0, nr), 2);
}
END_TEST

START_TEST(sizes_are_told_apart_where_the_sample_has_them)
{
	size_t i;

	alloc(1, 0, 7);
	alloc(1, 1, 9)->slab_alloc.bytes_req = 61;
	for (i = 10; i < 20; i++)
		alloc(1, i, BARE);
	for (i = 20; i < 30; i++)
		alloc(1, i, BARE)->slab_alloc.bytes_req = 61;
	for (i = 30; i < 40; i++)
		alloc(1, i, BARE)->slab_alloc.bytes_req = 50;
	run();
	ck_assert_uint_eq(with_stack(1, 7, 0, 22), 11);
	ck_assert_uint_eq(with_stack(1, 9, 0, 22), 11);
	/* The sample has none of this size: uses all sizes. */
	ck_assert_uint_eq(with_stack(1, 7, 22, nr), 5);
	ck_assert_uint_eq(with_stack(1, 9, 22, nr), 5);
}
END_TEST

START_TEST(what_has_nobody_like_it_stays_without)
{
	struct kmem_event *ev;

	alloc(1, 0, 7);
	alloc(2, 1, BARE); /* another callsite */
	alloc(1, 2, BARE); /* freed */
	release(2);
	ev = alloc(1, 3, BARE); /* another cache */
	ev->type = KMEM_CACHE_ALLOC;
	ev->slab_alloc.cache = 5;
	ev = alloc(3, 0, 8); /* in every sample */
	ev->slab_alloc.ptr = 0x7ff0000;
	alloc(3, 4, BARE);
	ev = alloc(1, 0, BARE); /* failed */
	ev->slab_alloc.ptr = 0;
	run();
	ck_assert_uint_eq(with_stack(1, 7, 0, nr), 1);
	ck_assert_uint_eq(with_stack(2, BARE, 0, nr), 1);
	ck_assert_uint_eq(with_stack(3, BARE, 0, nr), 1);
	ck_assert_uint_eq(with_stack(3, 8, 0, nr), 1);
	ck_assert_uint_eq(g.none.objects, 4);
	ck_assert_uint_eq(g.known.objects, 2);
	ck_assert_uint_eq(g.guessed.objects, 0);
}
END_TEST

/* Rounding neither loses objects nor favours the last callchain. */
START_TEST(few_objects_for_many_callchains)
{
	size_t i;

	for (i = 0; i < 99; i++)
		alloc(1, i, 7);
	alloc(1, 99, 9);
	alloc(1, 100, BARE);
	run();
	ck_assert_uint_eq(with_stack(1, 7, 0, nr), 100);
	ck_assert_uint_eq(with_stack(1, 9, 0, nr), 1);
}
END_TEST

START_TEST(hidden_ones_are_not_counted)
{
	alloc(1, 0, 7)->hidden = true;
	alloc(1, 1, BARE);
	alloc(1, 2, BARE)->hidden = true;
	run();
	ck_assert_uint_eq(with_stack(1, 7, 0, nr), 3);
	ck_assert_uint_eq(g.known.objects, 0);
	ck_assert_uint_eq(g.guessed.objects, 1);
	/* The results remain valid after the sample is freed. */
	stack_guess_free(&g);
	ck_assert_uint_eq(g.guessed.objects, 1);
	ck_assert(stack_guess_any(&g));
}
END_TEST

/* The second pass has more events than the first, so that it is unknown whether those objects are
 * freed.
 */
START_TEST(another_second_pass)
{
	size_t i;

	alloc(1, 0, 7);
	alloc(1, 1, BARE);
	stack_guess_learn(&g, evs, nr);
	ck_assert_int_eq(stack_guess_learned(&g), 0);
	for (i = 0; i < 100; i++)
		alloc(1, 2, BARE);
	stack_guess_give(&g, evs, nr);
	ck_assert_uint_eq(with_stack(1, 7, 0, nr), 2);
}
END_TEST

Suite *test_stack_guess_suite(void)
{
	Suite *s = suite_create("stack_guess");
	TCase *tc = tcase_create("stack_guess");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, shares_are_those_of_the_sample);
	tcase_add_test(tc, few_do_not_stand_for_many);
	tcase_add_test(tc, leaks_are_told_from_the_rest);
	tcase_add_test(tc, an_end_without_an_event);
	tcase_add_test(tc, sizes_are_told_apart_where_the_sample_has_them);
	tcase_add_test(tc, what_has_nobody_like_it_stays_without);
	tcase_add_test(tc, few_objects_for_many_callchains);
	tcase_add_test(tc, hidden_ones_are_not_counted);
	tcase_add_test(tc, another_second_pass);
	suite_add_tcase(s, tc);
	return s;
}

// SPDX-License-Identifier: GPL-2.0-or-later
/* tests: analysis/life/curve_growth.h: what a cache can have gained by the kernel's curve. */
#include <check.h>
#include <string.h>

#include "analysis/life/curve_growth.h"

#define SECOND 1000000000ULL

/* A curve of @nr moments, a second apart, with @at(i) objects of @cache at moment i. */
static void add_curve(struct kernel_curve *c, unsigned int nr, const char *cache,
		      uint64_t (*at)(unsigned int i))
{
	unsigned int i;

	for (i = 0; i < nr; i++) {
		ck_assert(kernel_curve_begin(c, (i + 5) * SECOND));
		ck_assert(!kernel_curve_add(c, KERNEL_SLAB, cache, strlen(cache), at(i)));
	}
}

static struct curve_growth growth_of(unsigned int nr, uint64_t (*at)(unsigned int i),
				     uint64_t slack)
{
	struct kernel_curve c = { 0 };
	struct curve_growth g;

	add_curve(&c, nr, "filp", at);
	g = curve_growth(&c, kernel_curve_find(&c, KERNEL_SLAB, "filp"), slack);
	kernel_curve_free(&c);
	return g;
}

static uint64_t constant(unsigned int i)
{
	return 700;
}

static uint64_t empty(unsigned int i)
{
	return 0;
}

/* Ten a second, unevenly. */
static uint64_t leak(unsigned int i)
{
	return 1000 + 10 * i + (i * 7919 + 13) % 31;
}

static uint64_t noise(unsigned int i)
{
	return 5000 + (i * 7919 + 13) % 31 * 10;
}

static uint64_t shrinking(unsigned int i)
{
	return 9000 - 20 * i;
}

/* All at once, near the end. */
static uint64_t burst(unsigned int i)
{
	return i > 20 ? 4000 : 0;
}

START_TEST(nothing_gained)
{
	struct curve_growth g = growth_of(24, constant, 0);

	ck_assert(g.known);
	ck_assert_uint_eq(g.first, 700);
	ck_assert_uint_eq(g.last, 700);
	ck_assert_uint_eq(g.span, 23 * SECOND);
	ck_assert_uint_eq(g.most_gain, 0);
	ck_assert(curve_growth_allows(&g, 0));
	ck_assert(!curve_growth_allows(&g, 1));
	/* What the count may hide is possible. */
	g = growth_of(24, constant, 64);
	ck_assert(curve_growth_allows(&g, 64));
	ck_assert(!curve_growth_allows(&g, 65));
	g = growth_of(24, empty, 0);
	ck_assert(g.known);
	ck_assert_uint_eq(g.most_gain, 0);
	g = growth_of(24, shrinking, 0);
	ck_assert_uint_eq(g.most_gain, 0);
	ck_assert_uint_eq(g.min, 9000 - 20 * 23);
	ck_assert_uint_eq(g.max, 9000);
}
END_TEST

/* The leaked objects are possible, many more are not; with more moments than growth.h has windows,
 * too.
 */
START_TEST(gained)
{
	static const unsigned int moments[] = { 16, 31, 32, 33, 47, 64 };
	size_t i;

	for (i = 0; i < ARRAY_SIZE(moments); i++) {
		unsigned int nr = moments[i];
		struct curve_growth g = growth_of(nr, leak, 0);

		ck_assert_int_eq(g.fit.verdict, GROWTH_GROWS);
		ck_assert_double_eq_tol(g.fit.slope * SECOND, 10, 2);
		ck_assert(curve_growth_allows(&g, 10 * (nr - 1)));
		ck_assert(!curve_growth_allows(&g, 20 * nr));
		ck_assert_uint_eq(g.last, leak(nr - 1));
		ck_assert_uint_eq(g.span, (nr - 1) * SECOND);
	}
}
END_TEST

START_TEST(noise_is_no_gain)
{
	struct curve_growth g = growth_of(32, noise, 0);

	ck_assert_int_ne(g.fit.verdict, GROWTH_GROWS);
	ck_assert(!curve_growth_allows(&g, 1000));
	/* A curve that rises at once may be what its row does. */
	g = growth_of(24, burst, 0);
	ck_assert(curve_growth_allows(&g, 4000));
}
END_TEST

START_TEST(too_short)
{
	struct curve_growth g = growth_of(7, constant, 0);

	ck_assert(!g.known);
	ck_assert(curve_growth_allows(&g, UINT64_MAX));
}
END_TEST

/* The caches of a class count together; a class without a cache in the curve is unknown. */
START_TEST(of_a_class)
{
	struct census_cache caches[] = { { .of = 0, .next = 2 },
					 { .of = 1, .next = UINT32_MAX },
					 { .of = 0, .next = UINT32_MAX } };
	struct census_class classes[] = { { .caches = 0, .slack = 7 }, { .caches = 1 } };
	struct census census = {
		.caches = caches, .nr_caches = 3, .classes = classes, .nr_classes = 2
	};
	static const char *const names[] = { "kmalloc-64", "filp", "kmalloc-cg-64" };
	struct kernel_curve c = { 0 };
	struct curve_growth g;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(names); i++)
		ck_assert_uint_eq(intern_id(&census.names, names[i], strlen(names[i])),
				  i + 1);
	add_curve(&c, 20, "kmalloc-64", constant);
	for (i = 0; i < 5; i++)
		ck_assert(!kernel_curve_add(&c, KERNEL_SLAB, "kmalloc-cg-64", 13, 1));
	g = curve_growth_class(&c, &census, 0);
	ck_assert(g.known);
	ck_assert_uint_eq(g.first, 700);
	ck_assert_uint_eq(g.last, 705);
	ck_assert_uint_eq(g.most_gain, 7 + 5);
	ck_assert(!curve_growth_class(&c, &census, 1).known);
	ck_assert(!curve_growth_class(&c, &census, UINT32_MAX).known);
	kernel_curve_free(&c);
	intern_free(&census.names);
}
END_TEST

Suite *test_curve_growth_suite(void)
{
	Suite *s = suite_create("analysis/curve_growth");
	TCase *tc = tcase_create("all");

	tcase_add_test(tc, nothing_gained);
	tcase_add_test(tc, gained);
	tcase_add_test(tc, noise_is_no_gain);
	tcase_add_test(tc, too_short);
	tcase_add_test(tc, of_a_class);
	suite_add_tcase(s, tc);
	return s;
}

// SPDX-License-Identifier: GPL-2.0-or-later
/* tests: analysis/balance/balance.h: frees of pages allocated before the recording. */
#include <check.h>
#include <string.h>

#include "analysis/balance/balance.h"
#include "opened.h"

#define PAGE 4096

static struct opened in;
static struct recording rec;
static struct recording_text meta;
static struct page_uses uses;

/* Frames 16 to 31 are anonymous, 32 of page tables, 40 of an unknown line, 41 of a slab. */
static char text[] =
	"=anonymous\n10 10 1\n=page_tables\n0 1 2\n=of-later-kernels\n7 1 3\n"
	"=0xcc0 post_alloc_hook new_slab kmem_cache_alloc_noprof mine\n0 1 4\n";

static void setup(void)
{
	opened_open(&in, "data/trixie-amd64-small-stack.v7.dat");
	meta = (struct recording_text){ (char *)RECORDING_META_OPENING ".before", text,
					strlen(text) };
	rec = *in.rec;
	rec.meta = &meta;
	rec.nr_meta = 1;
	in.env.rec = &rec;
	ck_assert_int_eq(page_uses_init(&uses, &in.env), 0);
}

static void teardown(void)
{
	page_uses_free(&uses);
	opened_close(&in);
}

static struct kmem_event alloced(uint64_t pfn, uint32_t order)
{
	return (struct kmem_event){ .type = KMEM_PAGE_ALLOC,
				    .page_alloc = { .pfn = pfn, .order = order } };
}

static struct kmem_event freed(uint64_t pfn, uint32_t order)
{
	return (struct kmem_event){ .type = KMEM_PAGE_FREE,
				    .page_free = { .pfn = pfn, .order = order } };
}

START_TEST(first_event)
{
	const struct kmem_event evs[] = {
		alloced(17, 0),
		freed(17, 0), /* was free, whatever was read before */
		freed(16, 0),
		alloced(16, 0),
		freed(16, 0), /* once */
		freed(20, 3), /* 20 to 27 */
		freed(32, 0),
		freed(40, 0),
		freed(41, 0),
		freed(50, 0),
		alloced(KMEM_NO_PFN, 0),
		freed(UINT64_MAX - 1, UINT32_MAX),
	};
	struct everything all = { .env = &in.env };
	int64_t bytes[USE_NR] = { 0 }, left = 0;
	struct older o = { 0 };
	struct report *report = report_new();

	ck_assert_int_eq(older_init(&o, &in.env), 0);
	older_events(&o, evs, sizeof(evs) / sizeof(*evs));
	ck_assert(!o.failed);
	ck_assert_uint_eq(older_sum(&o, &uses, bytes), 11 * PAGE);
	ck_assert_int_eq(bytes[USE_ANONYMOUS], 9 * PAGE);
	ck_assert_int_eq(bytes[USE_PAGE_TABLE], PAGE);
	ck_assert_int_eq(bytes[USE_SLAB_UNRECLAIMABLE], PAGE);
	ck_assert_int_eq(older_report(&o, &uses, false, report), 0);
	ck_assert_uint_eq(report->nr_tables, 1);
	ck_assert_uint_eq(report->tables[0]->nr_rows, 3);
	/* Ten of frames 16 to 31 had an event. */
	ck_assert_int_eq(older_left(&o, &uses, &all), 0);
	for (size_t i = 0; i < all.rows.rows.nr; i++)
		left += all.rows.rows.of[i].bytes / PAGE;
	ck_assert_int_eq(left, 6);
	report_free(report);
	everything_free(&all);
	older_free(&o);
}
END_TEST

/* Each page of a block counts for what it was. */
START_TEST(block_of_several_uses)
{
	const struct kmem_event ev = freed(30, 2); /* 30 and 31, 32, and a free one */
	int64_t bytes[USE_NR] = { 0 };
	struct older o = { 0 };

	ck_assert_int_eq(older_init(&o, &in.env), 0);
	older_events(&o, &ev, 1);
	ck_assert_uint_eq(older_sum(&o, &uses, bytes), 3 * PAGE);
	ck_assert_int_eq(bytes[USE_ANONYMOUS], 2 * PAGE);
	ck_assert_int_eq(bytes[USE_PAGE_TABLE], PAGE);
	older_free(&o);
}
END_TEST

/* Recordings of older versions. */
START_TEST(not_recorded)
{
	const struct kmem_event ev = freed(16, 0);
	int64_t bytes[USE_NR] = { 0 };
	struct older o = { 0 };
	struct report *report = report_new();

	rec.nr_meta = 0;
	ck_assert_int_eq(older_init(&o, &in.env), 0);
	older_events(&o, &ev, 1);
	ck_assert_uint_eq(older_sum(&o, &uses, bytes), 0);
	ck_assert_int_eq(older_report(&o, &uses, false, report), 0);
	ck_assert_uint_eq(report->nr_tables, 0);
	ck_assert_int_eq(older_report(&o, &uses, true, report), 0);
	ck_assert_uint_eq(report->nr_tables, 1);
	report_free(report);
	older_free(&o);
}
END_TEST

Suite *test_older_suite(void)
{
	Suite *s = suite_create("analysis/older");
	TCase *tc = tcase_create("all");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, first_event);
	tcase_add_test(tc, block_of_several_uses);
	tcase_add_test(tc, not_recorded);
	suite_add_tcase(s, tc);
	return s;
}

// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * tests: account/accounts.h: areas of vmalloc and per-CPU memory.
 */
#include <check.h>
#include <string.h>

#include "account/accounts.h"

static struct recording rec;
static struct accounts accounts;
static struct lives *of[MEMORY_KINDS];

static void open_accounts(void)
{
	static const struct dimensions none[MEMORY_KINDS];

	accounts = (struct accounts){ .rec = &rec, .page_size = 4096 };
	ck_assert_int_eq(accounts_ask(&accounts, none, of), 0);
}

static void close_accounts(void)
{
	accounts_free(&accounts);
}

static void take(unsigned int type, uint64_t ptr, uint64_t bytes, uint32_t stack)
{
	struct kmem_event ev = { .type = (uint8_t)type, .stack = stack };

	ev.slab_alloc.ptr = ptr;
	if (kmem_is_area_alloc(type))
		ev.slab_alloc.bytes_req = ev.slab_alloc.bytes_alloc = bytes;
	accounts_area_events(&accounts, &ev, 1);
}

static const struct slab_totals *totals(enum memory memory)
{
	return &accounts_of_slab(of[memory])->totals;
}

START_TEST(each_kind_has_its_addresses)
{
	take(KMEM_VMALLOC_ALLOC, 0x1000, 16384, 1);
	take(KMEM_PERCPU_ALLOC, 0x1000, 64, 1);
	take(KMEM_VMALLOC_FREE, 0x1000, 0, 0);
	take(KMEM_PERCPU_FREE, 0x2000, 0, 0);
	accounts_finish(&accounts);
	ck_assert_uint_eq(totals(MEMORY_VMALLOC)->allocs, 1);
	ck_assert_uint_eq(totals(MEMORY_VMALLOC)->bytes_freed, 16384);
	ck_assert_uint_eq(totals(MEMORY_VMALLOC)->live, 0);
	ck_assert_uint_eq(totals(MEMORY_PERCPU)->live_alloc, 64);
	ck_assert_uint_eq(totals(MEMORY_PERCPU)->unmatched, 1);
	ck_assert_uint_eq(totals(MEMORY_SLAB)->allocs, 0);
}
END_TEST

START_TEST(rows_differ_by_callchain)
{
	take(KMEM_VMALLOC_ALLOC, 0x1000, 16384, 1);
	take(KMEM_VMALLOC_ALLOC, 0x8000, 16384, 2);
	take(KMEM_VMALLOC_ALLOC, 0x10000, 16384, 1);
	accounts_finish(&accounts);
	ck_assert_uint_eq(lives_rows(of[MEMORY_VMALLOC]), 2);
	ck_assert_uint_eq(lives_stack(of[MEMORY_VMALLOC], 0), 1);
	ck_assert_uint_eq(lives_sums(of[MEMORY_VMALLOC], 0).live_alloc, 32768);
	ck_assert_uint_eq(lives_stack(of[MEMORY_VMALLOC], 1), 2);
}
END_TEST

START_TEST(failed_and_impossible_ones_are_counted)
{
	take(KMEM_VMALLOC_ALLOC, 0, 16384, 1);
	take(KMEM_VMALLOC_ALLOC, 0x1000, 1ULL << 32, 1);
	accounts_finish(&accounts);
	ck_assert_uint_eq(totals(MEMORY_VMALLOC)->failed, 1);
	ck_assert_uint_eq(totals(MEMORY_VMALLOC)->implausible, 1);
	ck_assert_uint_eq(totals(MEMORY_VMALLOC)->allocs, 0);
}
END_TEST

START_TEST(a_loss_makes_live_areas_unsure)
{
	struct kmem_event loss = { .type = KMEM_LOSS, .ts = 5 };

	take(KMEM_VMALLOC_ALLOC, 0x1000, 16384, 1);
	accounts_area_events(&accounts, &loss, 1);
	take(KMEM_VMALLOC_ALLOC, 0x8000, 16384, 1);
	accounts_finish(&accounts);
	ck_assert_uint_eq(totals(MEMORY_VMALLOC)->losses, 1);
	ck_assert_uint_eq(totals(MEMORY_PERCPU)->losses, 1);
	ck_assert_uint_eq(of[MEMORY_VMALLOC]->rows[0].live, 2);
	ck_assert_uint_eq(of[MEMORY_VMALLOC]->rows[0].sure, 1);
}
END_TEST

Suite *test_areas_suite(void);

Suite *test_areas_suite(void)
{
	Suite *s = suite_create("areas");
	TCase *tc = tcase_create("account");

	tcase_add_checked_fixture(tc, open_accounts, close_accounts);
	tcase_add_test(tc, each_kind_has_its_addresses);
	tcase_add_test(tc, rows_differ_by_callchain);
	tcase_add_test(tc, failed_and_impossible_ones_are_counted);
	tcase_add_test(tc, a_loss_makes_live_areas_unsure);
	suite_add_tcase(s, tc);
	return s;
}

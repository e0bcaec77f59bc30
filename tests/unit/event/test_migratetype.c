// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * tests: event/migratetype.h.
 */
#include <check.h>
#include <stdio.h>
#include <string.h>

#include "event/migratetype.h"

/* Linux 6.1 with CMA: two zones, then the block counts. */
static const char with_cma[] =
	"Page block order: 9\n"
	"Pages per block:  512\n"
	"\n"
	"Free pages count per migrate type at order       0      1 \n"
	"Node    0, zone      DMA, type    Unmovable      0      0 \n"
	"Node    0, zone      DMA, type      Movable      0      0 \n"
	"Node    0, zone      DMA, type  Reclaimable      0      0 \n"
	"Node    0, zone      DMA, type   HighAtomic      0      0 \n"
	"Node    0, zone      DMA, type          CMA      0      0 \n"
	"Node    0, zone      DMA, type      Isolate      0      0 \n"
	"Node    0, zone   Normal, type    Unmovable    228     92 \n"
	"Node    0, zone   Normal, type      Movable      0      0 \n"
	"\n"
	"Number of blocks type     Unmovable      Movable  Reclaimable \n"
	"Node 0, zone      DMA            1            7            0 \n";

static struct migratetypes mt;

static void check_names(const char *all)
{
	char joined[512] = "";
	int i;

	for (i = -1; i <= MIGRATETYPE_MAX; i++) {
		const char *name = migratetype_name(&mt, i);

		if (name)
			snprintf(joined + strlen(joined), sizeof(joined) - strlen(joined),
				 "%d %s ", i, name);
	}
	ck_assert_str_eq(joined, all);
}

START_TEST(rows_of_pagetypeinfo_are_the_indexes)
{
	migratetypes_init(&mt, with_cma, "3.10.0");
	check_names("0 UNMOVABLE 1 MOVABLE 2 RECLAIMABLE 3 HIGHATOMIC 4 CMA 5 ISOLATE ");
	ck_assert_int_eq(mt.origin, MIGRATETYPE_FROM_PAGETYPEINFO);
}
END_TEST

START_TEST(release_decides_without_rows)
{
	static const char today[] = "0 UNMOVABLE 1 MOVABLE 2 RECLAIMABLE 3 HIGHATOMIC ";

	migratetypes_init(&mt, NULL, "4.3.0-1-amd64");
	check_names("0 UNMOVABLE 1 RECLAIMABLE 2 MOVABLE 3 RESERVE ");
	ck_assert_int_eq(mt.origin, MIGRATETYPE_FROM_RELEASE);
	migratetypes_init(&mt, "", "4.4.0");
	check_names(today);
	migratetypes_init(&mt, "Page block order: 9\n\n", "6.1.0-50-armmp");
	check_names(today);
	ck_assert_int_eq(mt.origin, MIGRATETYPE_FROM_RELEASE);
	migratetypes_init(&mt, NULL, "10.2");
	check_names(today);
	migratetypes_init(&mt, NULL, NULL);
	check_names(today);
	ck_assert_int_eq(mt.origin, MIGRATETYPE_ASSUMED);
	migratetypes_init(&mt, NULL, "unknown");
	ck_assert_int_eq(mt.origin, MIGRATETYPE_ASSUMED);
}
END_TEST

START_TEST(hostile_rows_stay_in_bounds)
{
	static char text[4096];
	int i;

	for (i = 0; i < 40; i++)
		snprintf(text + strlen(text), 64, "Node 0, zone DMA, type T%d 0 0\n", i);
	migratetypes_init(&mt, text, NULL);
	ck_assert_int_eq(mt.count, MIGRATETYPE_MAX);
	ck_assert_str_eq(migratetype_name(&mt, 15), "T15");
	ck_assert_ptr_null(migratetype_name(&mt, 16));
	migratetypes_init(&mt, "Node 0, zone A, type abcdefghijklmnopqrstuvwxyz 1", NULL);
	ck_assert_str_eq(migratetype_name(&mt, 0), "ABCDEFGHIJKLMNO");
	migratetypes_init(&mt, "Node 0, zone A, type ", "6.1");
	ck_assert_int_eq(mt.origin, MIGRATETYPE_FROM_RELEASE);
}
END_TEST

Suite *test_migratetype_suite(void)
{
	Suite *s = suite_create("event/migratetype");
	TCase *tc = tcase_create("all");

	tcase_add_test(tc, rows_of_pagetypeinfo_are_the_indexes);
	tcase_add_test(tc, release_decides_without_rows);
	tcase_add_test(tc, hostile_rows_stay_in_bounds);
	suite_add_tcase(s, tc);
	return s;
}

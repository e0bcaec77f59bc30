// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * tests: recording/snapshot.h: texts of the kernel: whole, truncated and damaged.
 */
#include <check.h>
#include <inttypes.h>
#include <string.h>

#include "recording/snapshot.h"

START_TEST(buddyinfo)
{
	const char *text =
		"Node 0, zone      DMA    404      7      1 \n"
		"per-node stats\n"
		"Node 1, zone   Normal 99999999999999999999 1\n"
		"Node 0\n"
		"Node 12, zone DMA32 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 "
		"18 19 20 21 22\n"
		"Node 3, zone  HighMem   1 x";
	struct buddy_line line;

	ck_assert(buddyinfo_next(&text, &line));
	ck_assert_uint_eq(line.node, 0);
	ck_assert_uint_eq(line.zone_len, 3);
	ck_assert(!memcmp(line.zone, "DMA", 3));
	ck_assert_uint_eq(line.nr, 3);
	ck_assert_uint_eq(line.blocks[0], 404);
	ck_assert_uint_eq(line.blocks[2], 1);
	ck_assert(buddyinfo_next(&text, &line));
	ck_assert_uint_eq(line.node, 12);
	ck_assert_uint_eq(line.nr, BUDDY_ORDERS_MAX);
	ck_assert_uint_eq(line.blocks[BUDDY_ORDERS_MAX - 1], BUDDY_ORDERS_MAX);
	ck_assert(buddyinfo_next(&text, &line));
	ck_assert_uint_eq(line.nr, 1);
	ck_assert(!buddyinfo_next(&text, &line));
	ck_assert(!buddyinfo_next(&text, &line));
}
END_TEST

START_TEST(watermarks)
{
	static const char text[] = "Node 0, zone      DMA\n"
				   "  per-node stats\n"
				   "      nr_inactive_anon 12\n"
				   "  pages free     3000\n"
				   "        boost    0\n"
				   "        min      701\n"
				   "        low      876\n"
				   "Node 0, zone    DMA32\n"
				   "        boost    100\n"
				   "        min      2658\n"
				   "        min      5\n"
				   "Node 0, zone  HighMem\n"
				   "        min      512\n"
				   "Node 1, zone  Normal\n"
				   "        boost    10\n"
				   "        min      7\n"
				   "Node 1, zone  Movable\n"
				   "        min      32\n";
	uint64_t pages, nodes;

	ck_assert(zoneinfo_min(text, &pages, &nodes));
	ck_assert_uint_eq(pages, 701 + 2558);
	ck_assert_uint_eq(nodes, 2);
	ck_assert(zoneinfo_min("Node 0, zone DMA\nmin 1099511627776\n", &pages, &nodes));
	ck_assert_uint_eq(pages, 1099511627776);
	ck_assert(!zoneinfo_min("", &pages, &nodes));
	ck_assert(!zoneinfo_min("min 7\n", &pages, &nodes));
	ck_assert(!zoneinfo_min("Node 0, zone DMA\nmin 1099511627776\n"
				"Node 0, zone Normal\nmin 1\n",
				&pages, &nodes));
}
END_TEST

START_TEST(nodes_of_frames)
{
	/* Frames 2000 to 2999 of node 0's zone belong to node 1. */
	static const char text[] = "Node 0, zone      DMA\n"
				   "        spanned  99\n"
				   "  start_pfn:           1\n"
				   "Node 0, zone   Normal\n"
				   "        spanned  9000\n"
				   "  start_pfn:           1000\n"
				   "Node 1, zone   Normal\n"
				   "        spanned  1000\n"
				   "  start_pfn:           2000\n"
				   "Node 1, zone  Movable\n"
				   "        spanned  0\n"
				   "  start_pfn:           0\n"
				   "  start_pfn:           500\n";
	static const struct {
		uint64_t pfn;
		uint32_t node;
	} cases[] = {
		{ 0, UINT32_MAX },   { 1, 0 },	  { 99, 0 },   { 100, UINT32_MAX },
		{ 500, UINT32_MAX }, { 1000, 0 }, { 1999, 0 }, { 2000, 1 },
		{ 2999, 1 },	     { 3000, 0 }, { 9999, 0 }, { 10000, UINT32_MAX }
	};
	struct node_map map = { 0 };
	size_t i;

	ck_assert_int_eq(node_map_read(&map, text), 0);
	ck_assert_uint_eq(map.nr, 3);
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		ck_assert_msg(node_map_find(&map, cases[i].pfn) == cases[i].node,
			      "frame %" PRIu64, cases[i].pfn);
	node_map_free(&map);
	ck_assert_int_eq(node_map_read(&map, "spanned 5\nstart_pfn: 1\n"), 0);
	ck_assert_uint_eq(node_map_find(&map, 3), UINT32_MAX);
	node_map_free(&map);
	ck_assert_int_eq(node_map_read(&map, ""), 0);
	ck_assert_uint_eq(node_map_find(&map, 3), UINT32_MAX);
	node_map_free(&map);
}
END_TEST

/* Counters of zones and nodes; several blanks between words count as one. */
START_TEST(counters)
{
	static const char *const names[] = { "pages free", "nr_shmem", "count:" };
	static const struct {
		uint32_t node;
		size_t name;
		uint64_t value;
	} cases[] = { { 0, 0, 300 },
		      { 0, 1, 7 },
		      { 0, 2, 4 },
		      { 3, 0, 9 },
		      { UINT32_MAX - 1, 1, 1 },
		      { UINT32_MAX, 1, 2 },
		      { UINT32_MAX, 1, 3 } };
	const char *text = "Node 0, zone   Normal\n"
			   "  pages free     300\n"
			   "  pages low      5\n"
			   "      nr_shmem     7\n"
			   "      nr_shmem_pmdmapped 8\n"
			   "      nr_shmem9\n"
			   "      nr_shmem x\n"
			   "              count:    4\n"
			   "Node 3, zone   Normal\n"
			   "  pages\t free 9\n"
			   "Node 4294967294, zone Normal\nnr_shmem 1\n"
			   "Node 4294967295, zone Normal\nnr_shmem 2\n"
			   "Node 4294967296, zone Normal\nnr_shmem 3";
	struct zone_stat stat = { 0 };

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		ck_assert(zoneinfo_next(&text, names, 3, &stat));
		ck_assert_uint_eq(stat.node, cases[i].node);
		ck_assert_uint_eq(stat.name, cases[i].name);
		ck_assert_uint_eq(stat.value, cases[i].value);
	}
	ck_assert(!zoneinfo_next(&text, names, 3, &stat));
}
END_TEST

START_TEST(setting)
{
	uint64_t kbytes;

	ck_assert(min_free_kbytes_value("67584\n", &kbytes));
	ck_assert_uint_eq(kbytes, 67584);
	ck_assert(min_free_kbytes_value("0", &kbytes));
	ck_assert_uint_eq(kbytes, 0);
	ck_assert(!min_free_kbytes_value("", &kbytes));
	ck_assert(!min_free_kbytes_value("-1\n", &kbytes));
	ck_assert(!min_free_kbytes_value("12x\n", &kbytes));
	ck_assert(!min_free_kbytes_value("1099511627777\n", &kbytes));
}
END_TEST

START_TEST(block_order)
{
	unsigned int order = 0;

	ck_assert(pagetypeinfo_block_order("Page block order: 9\nPages per block:  512\n",
					   &order));
	ck_assert_uint_eq(order, 9);
	ck_assert(pagetypeinfo_block_order("x\nPage block order: 13", &order));
	ck_assert_uint_eq(order, 13);
	ck_assert(!pagetypeinfo_block_order("Page block order: 21\n", &order));
	ck_assert(!pagetypeinfo_block_order("Page block order: -1\n", &order));
	ck_assert(!pagetypeinfo_block_order("Pages per block:  512\n", &order));
}
END_TEST

Suite *test_zones_suite(void)
{
	Suite *s = suite_create("recording/zones");
	TCase *tc = tcase_create("zones");

	tcase_add_test(tc, buddyinfo);
	tcase_add_test(tc, watermarks);
	tcase_add_test(tc, nodes_of_frames);
	tcase_add_test(tc, counters);
	tcase_add_test(tc, setting);
	tcase_add_test(tc, block_order);
	suite_add_tcase(s, tc);
	return s;
}

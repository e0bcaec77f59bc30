// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * tests: recording/snapshot.h: texts of the kernel: whole, truncated and damaged.
 */
#include <check.h>
#include <stdio.h>
#include <string.h>

#include "recording/snapshot.h"

START_TEST(slabinfo_lines)
{
	const char *text = "slabinfo - version: 2.1\n"
			   "# name <active_objs> <num_objs> <objsize> ...\n"
			   "filp 885 903 192 21 1 : tunables 54 27 8 : slabdata 43 43 0\n"
			   "cut 1 2 3\n"
			   "negative -1 2 3 4 5 : tunables\n"
			   "huge 99999999999999999999 2 3 4 5\n"
			   "word 1x 2 3 4 5\n"
			   "\n"
			   "kmalloc-8k 1 4 8192 4 8";
	struct slabinfo_line line;

	ck_assert(slabinfo_next(&text, &line));
	ck_assert_uint_eq(line.name_len, 4);
	ck_assert(!memcmp(line.name, "filp", 4));
	ck_assert_uint_eq(line.active, 885);
	ck_assert_uint_eq(line.total, 903);
	ck_assert_uint_eq(line.size, 192);
	ck_assert_uint_eq(line.per_slab, 21);
	ck_assert_uint_eq(line.pages, 1);
	ck_assert_uint_eq(line.cpu_limit, 54);
	ck_assert(slabinfo_next(&text, &line));
	ck_assert(!memcmp(line.name, "kmalloc-8k", line.name_len));
	ck_assert_uint_eq(line.pages, 8);
	ck_assert_uint_eq(line.cpu_limit, 0);
	ck_assert(!slabinfo_next(&text, &line));
	ck_assert(!slabinfo_next(&text, &line));
}
END_TEST

START_TEST(vmstat_numbers)
{
	const char *text = "nr_free_pages 1234\npgalloc_dma 1\npgalloc_normal 20\n"
			   "pgalloc 300\npgfree 18446744073709551616\npgfree_x 1\nlast 7";
	uint64_t v;

	ck_assert(vmstat_value(text, "nr_free_pages", &v));
	ck_assert_uint_eq(v, 1234);
	ck_assert(vmstat_value(text, "last", &v));
	ck_assert_uint_eq(v, 7);
	ck_assert(vmstat_sum(text, "pgalloc_", &v));
	ck_assert_uint_eq(v, 21);
	ck_assert(!vmstat_value(text, "pgfree", &v)); /* a number without digits */
	ck_assert(!vmstat_value(text, "nr_free", &v));
	ck_assert(!vmstat_sum(text, "absent_", &v));
	ck_assert(!vmstat_sum("", "", &v));
}
END_TEST

START_TEST(free_pages)
{
	const char *text = "Node 0, zone      DMA      1      0      2\n"
			   "Node 0, zone   Normal      3      1      0      1";
	uint64_t v;

	ck_assert(buddyinfo_pages(text, &v));
	ck_assert_uint_eq(v, 1 + 2 * 4 + 3 + 2 + 8);
	ck_assert(!buddyinfo_pages("Node 0, zone\n", &v));
	ck_assert(!buddyinfo_pages("a b c d 1099511627776 1099511627776\n", &v));
	ck_assert(zoneinfo_pcp_pages("Node 0, zone DMA\n  pagesets\n    cpu: 0\n"
				     "              count:    11\n"
				     "              high:     99\n    cpu: 1\n"
				     "              count:    2\n",
				     &v));
	ck_assert_uint_eq(v, 13);
	ck_assert(!zoneinfo_pcp_pages("count: many\n", &v));
}
END_TEST

START_TEST(counts)
{
	const char *text = "filp 700 3 0 1 10 20 30\nbroken 1 2 3 0 1 2\n"
			   "late 1 2 3 0 30 20 40\nmaple_node 9 0 32 0 5 5 7";
	struct slab_count_line line;

	ck_assert(slab_count_next(&text, &line));
	ck_assert_uint_eq(line.objects, 700);
	ck_assert_uint_eq(line.held, 3);
	ck_assert(line.shrunk);
	ck_assert_uint_eq(line.begin, 10);
	ck_assert_uint_eq(line.read, 20);
	ck_assert_uint_eq(line.end, 30);
	ck_assert(slab_count_next(&text, &line));
	ck_assert(!strncmp(line.name, "maple_node ", 11));
	ck_assert_uint_eq(line.sheaf, 32);
	ck_assert(!line.shrunk);
	ck_assert(!slab_count_next(&text, &line));
}
END_TEST

START_TEST(what_cpus_hold)
{
	const char *text = "filp 16 0\nmaple_node 7 32\nbroken 1\n\nx y z\n";
	const char *slab = "a 1 2 3 4 1 : tunables 120 60 8 : slabdata 1 1 0\n"
			   "b 1 2 3 4 1 : tunables 0 0 0\nc 1 2 3 4 1\n";
	struct slabinfo_line info;
	struct slab_cpu_line line;

	ck_assert(slab_cpu_next(&text, &line));
	ck_assert_uint_eq(line.name_len, 4);
	ck_assert_uint_eq(line.slabs, 16);
	ck_assert(slab_cpu_next(&text, &line));
	ck_assert_uint_eq(line.sheaf, 32);
	ck_assert(!slab_cpu_next(&text, &line));

	ck_assert(slabinfo_next(&slab, &info));
	ck_assert_uint_eq(info.cpu_limit, 120); /* a column of SLAB only */
	ck_assert(slabinfo_next(&slab, &info));
	ck_assert_uint_eq(info.cpu_limit, 0);
	ck_assert(slabinfo_next(&slab, &info));
	ck_assert_uint_eq(info.cpu_limit, 0);
}
END_TEST

START_TEST(aliases)
{
	const char *text = "filp :A-1\n:A-1\nkey :1\nbio :1\nlone\nbip :1\n";
	struct strbuf sb = { 0 };

	slab_aliases_of(text, "bio", &sb);
	ck_assert_str_eq(strbuf_text(&sb), "key,bip");
	strbuf_reset(&sb);
	slab_aliases_of(text, "filp", &sb);
	slab_aliases_of(text, "lone", &sb);
	slab_aliases_of("", "", &sb);
	ck_assert_str_eq(strbuf_text(&sb), "");
	strbuf_free(&sb);
}
END_TEST

/* A header, callsites of the kernel and of modules, words that newer kernels add, and malformed
 * lines.
 */
START_TEST(reads_allocinfo)
{
	const char *text =
		"allocinfo - version: 1.0\n"
		"#     <size>  <calls> <tag info>\n"
		"       12288        3 mm/slub.c:2312 func:alloc_slab_page\n"
		"64 1 net/a.c:7 [sunrpc] func:rpc_new accurate:no\n"
		"-1 1 a.c:1 func:f\n1 a.c:1 func:f\n1 2 a.c:1\n1 2 a.c:1 func:\n"
		"1 99999999999999999999 a.c:1 func:f\n";
	struct allocinfo_line line;

	ck_assert(allocinfo_next(&text, &line));
	ck_assert_uint_eq(line.bytes, 12288);
	ck_assert_uint_eq(line.calls, 3);
	ck_assert_uint_eq(line.module_len, 0);
	ck_assert_int_eq(strncmp(line.place, "mm/slub.c:2312", line.place_len), 0);
	ck_assert_uint_eq(line.function_len, strlen("alloc_slab_page"));
	ck_assert(allocinfo_next(&text, &line));
	ck_assert_int_eq(strncmp(line.module, "sunrpc", line.module_len), 0);
	ck_assert_int_eq(strncmp(line.function, "rpc_new", line.function_len), 0);
	ck_assert(!allocinfo_next(&text, &line));
}
END_TEST

/* The readers of lists, each with the part of a line that follows or precedes the name. */
static bool next_info(const char *text)
{
	return slabinfo_next(&text, &(struct slabinfo_line){ 0 });
}

static bool next_cpu(const char *text)
{
	return slab_cpu_next(&text, &(struct slab_cpu_line){ 0 });
}

static bool next_count(const char *text)
{
	return slab_count_next(&text, &(struct slab_count_line){ 0 });
}

static bool next_reclaim(const char *text)
{
	return slab_reclaim_next(&text, &(struct slab_reclaim_line){ 0 });
}

static bool next_alias(const char *text)
{
	return slab_alias_next(&text, &(struct slab_alias){ 0 });
}

static bool next_area(const char *text)
{
	return vmallocinfo_next(&text, &(struct vmallocinfo_line){ 0 });
}

static bool next_allocinfo(const char *text)
{
	return allocinfo_next(&text, &(struct allocinfo_line){ 0 });
}

/* A name has at most 255 characters. */
START_TEST(names_are_limited)
{
	static const struct {
		bool (*next)(const char *text);
		const char *before, *after;
	} readers[] = { { next_info, "", " 1 2 3 4 5" },
			{ next_cpu, "", " 1 2" },
			{ next_count, "", " 1 2 3 4 5 6 7" },
			{ next_reclaim, "", " 1" },
			{ next_alias, "", " a" },
			{ next_alias, "a ", "" },
			{ next_area, "1 2 ", "" },
			{ next_allocinfo, "1 2 ", " func:f" } };
	char line[300];

	for (size_t i = 0; i < sizeof(readers) / sizeof(readers[0]); i++) {
		for (int size = 254; size <= 256; size++) {
			snprintf(line, sizeof(line), "%s%0*d%s", readers[i].before, size,
				 0, readers[i].after);
			ck_assert_int_eq(readers[i].next(line), size <= 255);
		}
	}
	ck_assert(!next_info("# 1 2 3 4 5\n"));
	ck_assert(next_info("a# 1 2 3 4 5\n"));
	ck_assert(!next_reclaim("a 2\n"));
}
END_TEST

/* Numbers beyond all memory of a machine are damage. */
START_TEST(numbers_are_limited)
{
	uint64_t v;

	ck_assert(vmstat_value("a 1099511627776", "a", &v));
	ck_assert_uint_eq(v, SNAPSHOT_MAX);
	ck_assert(!vmstat_value("a 1099511627777", "a", &v));
	ck_assert(vmstat_sum("a_x 1\na_y 1099511627775", "a_", &v));
	ck_assert_uint_eq(v, SNAPSHOT_MAX);
	ck_assert(!vmstat_sum("a_x 1\na_y 1099511627776", "a_", &v));
	ck_assert(buddyinfo_pages("Node 0, zone a 0 549755813888\n", &v));
	ck_assert_uint_eq(v, SNAPSHOT_MAX);
	ck_assert(!buddyinfo_pages("Node 0, zone a 1 549755813888\n", &v));
	ck_assert(zoneinfo_pcp_pages("count: 1\ncount: 1099511627775", &v));
	ck_assert_uint_eq(v, SNAPSHOT_MAX);
	ck_assert(!zoneinfo_pcp_pages("count: 2\ncount: 1099511627775", &v));
	ck_assert(next_count("a 1 2 3 0 1073741824000000000 1073741824000000000 "
			     "1073741824000000000"));
	ck_assert(!next_count("a 1 2 3 0 1 2 1073741824000000001"));
	ck_assert(!next_count("a 1 2 3 0 1 3 2"));
	ck_assert(!next_count("a 1 2 3 0 3 2 3"));
}
END_TEST

START_TEST(pages_with_owners)
{
	const char *text = "0 0xcc0 a b\n1x 0xcc0 a\n3 xcc0 a\n4 0x\n7 0x14 c\n"
			   "1099511627777000000 0x1 a\n8 0x0";
	struct page_owner_line line;

	ck_assert(page_owner_next(&text, &line));
	ck_assert_uint_eq(line.pages, 0);
	ck_assert_uint_eq(line.gfp_flags, 0xcc0);
	ck_assert_uint_eq(line.len, 3);
	ck_assert(!memcmp(line.names, "a b", 3));
	ck_assert(page_owner_next(&text, &line));
	ck_assert_uint_eq(line.pages, 7);
	ck_assert_uint_eq(line.gfp_flags, 0x14);
	ck_assert_uint_eq(line.len, 1);
	ck_assert(page_owner_next(&text, &line));
	ck_assert_uint_eq(line.pages, 8);
	ck_assert_uint_eq(line.gfp_flags, 0);
	ck_assert_uint_eq(line.len, 0);
	ck_assert(!page_owner_next(&text, &line));
}
END_TEST

START_TEST(objects_with_owners)
{
	const char *text =
		"filp 12 alloc_empty_file\nfilp x f\nfilp 3\nnfs_inode 1 nfs_alloc [nfs]\n";
	struct alloc_trace_line line;

	ck_assert(alloc_trace_next(&text, &line));
	ck_assert_uint_eq(line.objects, 12);
	ck_assert_uint_eq(line.cache_len, 4);
	ck_assert(!memcmp(line.name, "alloc_empty_file\n", line.name_len + 1));
	ck_assert(alloc_trace_next(&text, &line));
	ck_assert_uint_eq(line.cache_len, 9);
	ck_assert(!memcmp(line.name, "nfs_alloc [nfs]\n", line.name_len + 1));
	ck_assert(!alloc_trace_next(&text, &line));
}
END_TEST

/* Linux 6.18, cut to two chunks. */
static const char percpu[] = "Percpu Memory Statistics\n"
			     "Allocation Info:\n"
			     "----------------------------------------\n"
			     "  unit_size           :      1048576\n"
			     "  static_size         :       186136\n"
			     "  reserved_size       :            0\n"
			     "  dyn_size            :        30952\n"
			     "  atom_size           :      2097152\n"
			     "  alloc_size          :      2097152\n"
			     "\n"
			     "Global Stats:\n"
			     "----------------------------------------\n"
			     "  nr_alloc            :      1111154\n"
			     "  nr_dealloc          :      1109997\n"
			     "  nr_cur_alloc        :         1157\n"
			     "  nr_max_alloc        :         9325\n"
			     "  nr_chunks           :            2\n"
			     "  nr_max_chunks       :            6\n"
			     "  min_alloc_size      :            4\n"
			     "  max_alloc_size      :         8192\n"
			     "  empty_pop_pages     :          231\n"
			     "\n"
			     "Per Chunk Stats:\n"
			     "----------------------------------------\n"
			     "Chunk: <- First Chunk\n"
			     "  nr_alloc            :          519\n"
			     "  empty_pop_pages     :            0\n"
			     "  free_bytes          :           16\n"
			     "  contig_bytes        :            0\n"
			     "\n"
			     "Chunk:\n"
			     "  nr_alloc            :          638\n"
			     "  empty_pop_pages     :          231\n"
			     "  free_bytes          :       976468\n"
			     "  contig_bytes        :       906736\n"
			     "\n";

START_TEST(percpu_statistics)
{
	struct percpu_stats stats;

	ck_assert(percpu_stats_read(&stats, percpu));
	ck_assert_uint_eq(stats.statics, 186136);
	ck_assert_uint_eq(stats.areas, 1157);
	ck_assert_uint_eq(stats.chunks, 2);
	ck_assert_uint_eq(stats.addresses, 2 * 1048576);
	ck_assert_uint_eq(stats.empty_pages, 231);
	ck_assert_uint_eq(stats.allocated, 30952 - 16 + 1048576 - 976468);
}
END_TEST

/* Made after mm/percpu-stats.c: chunks that test machines do not have. */
START_TEST(percpu_chunks)
{
	struct percpu_stats stats;

	ck_assert(percpu_stats_read(&stats, "Allocation Info:\n-\n"
					    "  unit_size           :        32768\n"
					    "  reserved_size       :         8192\n"
					    "  dyn_size            :        20480\n"
					    "Global Stats:\n-\n"
					    "  nr_chunks           :            3\n"
					    "Per Chunk Stats:\n-\n"
					    "Chunk: <- Reserved Chunk\n"
					    "  free_bytes          :         8000\n"
					    "\n"
					    "Chunk (to_depopulate)\n"
					    "  free_bytes          :        32000\n"
					    "\n"));
	ck_assert_uint_eq(stats.allocated, 192 + 768);
}
END_TEST

START_TEST(percpu_damaged)
{
	static const char *const texts[] = {
		"",
		"Allocation Info:\n  unit_size : 4096\n", /* no chunks */
		"Global Stats:\n  nr_chunks : 1\n",	  /* without their size */
		"Allocation Info:\n  unit_size : x\nGlobal Stats:\n  nr_chunks : 1\n",
		"Allocation Info:\n  unit_size : 4096\nGlobal Stats:\n  nr_chunks : -1\n",
		"Allocation Info:\n  unit_size : 1099511627776\nGlobal Stats:\n  nr_chunks : 2\n",
		/* more free than there is */
		"Allocation Info:\n  unit_size : 4096\nGlobal Stats:\n  nr_chunks : 1\n"
		"Chunk:\n  free_bytes : 4097\n",
	};
	struct percpu_stats stats;

	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++)
		ck_assert_msg(!percpu_stats_read(&stats, texts[i]), "text %zu", i);
}
END_TEST

Suite *test_snapshot_suite(void)
{
	Suite *s = suite_create("recording/snapshot");
	TCase *tc = tcase_create("snapshot");

	tcase_add_test(tc, slabinfo_lines);
	tcase_add_test(tc, vmstat_numbers);
	tcase_add_test(tc, free_pages);
	tcase_add_test(tc, counts);
	tcase_add_test(tc, what_cpus_hold);
	tcase_add_test(tc, aliases);
	tcase_add_test(tc, reads_allocinfo);
	tcase_add_test(tc, names_are_limited);
	tcase_add_test(tc, numbers_are_limited);
	tcase_add_test(tc, pages_with_owners);
	tcase_add_test(tc, objects_with_owners);
	tcase_add_test(tc, percpu_statistics);
	tcase_add_test(tc, percpu_chunks);
	tcase_add_test(tc, percpu_damaged);
	suite_add_tcase(s, tc);
	return s;
}

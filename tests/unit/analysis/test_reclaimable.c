// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * tests: analysis/bounds/reclaimable.h: pages and objects of a real recording and of made-up keys.
 */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/bounds/reclaimable.h"
#include "opened.h"
#include "source_file.h"

static const char kallsyms[] = "ffffffff81000000 T do_wp_page\n"
			       "ffffffff81001000 T __filemap_get_folio\n"
			       "ffffffff81002000 T page_cache_ra_order\n"
			       "ffffffff81003000 T shmem_alloc_folio\n"
			       "ffffffff81004000 T do_timer_create\n"
			       "ffffffff81005000 T alloc_vmap_area\n"
			       "ffffffff81006000 T vm_area_alloc\n";

START_TEST(pages)
{
	static const struct log silent = { 0 };
	static const struct {
		uint64_t callsite;
		bool cache;
	} cases[] = { { 0xffffffff81000010, false },
		      { 0xffffffff81001010, true },
		      { 0xffffffff81002010, true },
		      { 0xffffffff81003010, false },
		      { 0, false } };
	struct migratetypes types;
	struct symbols *syms = NULL;
	struct analysis_env env = { .migratetypes = &types };
	struct reclaimable r = { .env = &env, .flag = 0x10 };
	struct page_key key = { .gfp_flags = 0xc0 };
	size_t i;

	migratetypes_init(&types, NULL, "6.18.0");
	ck_assert_int_eq(symbols_new(&syms, kallsyms, strlen(kallsyms), &silent), 0);
	env.syms = syms;
	for (i = 0; i < ARRAY_SIZE(cases); i++)
		ck_assert_int_eq(reclaimable_page(&r, &key, cases[i].callsite),
				 cases[i].cache);
	key.gfp_flags |= r.flag;
	ck_assert(reclaimable_page(&r, &key, 0));
	key = (struct page_key){ .migratetype = 2 };
	ck_assert(reclaimable_page(&r, &key, 0));
	key.migratetype = 1;
	ck_assert(!reclaimable_page(&r, &key, 0));
	symbols_free(syms);
}
END_TEST

/* On older kernels allocations do not name the cache, but the size identifies it. */
START_TEST(caches_without_a_name)
{
	static const struct log silent = { 0 };
	const struct event_stream_options opts = { .stop_ts = UINT64_MAX };
	struct recording_text meta[] = {
		{ .name = (char *)"slabinfo.after",
		  .text = (char *)"dentry 9 9 192 21 1 :\ninode_cache 9 9 632 9 1 :\n"
				  "filp 9 9 256 16 1 :\n" },
		{ .name = (char *)RECORDING_META_SLAB_RECLAIM,
		  .text = (char *)"dentry 1\ninode_cache 1\nfilp 0\n" },
	};
	struct recording rec = { .meta = meta, .nr_meta = ARRAY_SIZE(meta) }, *file;
	struct analysis_env env = { .rec = &rec };
	struct slab_lives *lives = calloc(1, sizeof(*lives));
	struct kmem_event ev = { .type = KMEM_CACHE_ALLOC };
	static const uint64_t sizes[] = { 192, 256, 632, 200 };
	struct event_formats *fmts;
	struct event_stream *stream;
	struct reclaimable r = { 0 };
	struct source src;
	size_t i;

	ck_assert(!source_open_file(&src, "data/trixie-amd64-small-stack.v7.dat"));
	ck_assert(!recording_open(&file, &src, "fixture", &silent));
	ck_assert(!event_formats_new(&fmts, file, &silent));
	ck_assert(!event_stream_open(&stream, file, fmts, &opts, &silent));
	env.stream = stream;
	env.fmts = fmts;
	for (i = 0; i < ARRAY_SIZE(sizes); i++) {
		ev.slab_alloc.ptr = 0x10000 * (i + 1);
		ev.slab_alloc.callsite = 0xca110 + i;
		ev.slab_alloc.bytes_alloc = sizes[i];
		slab_lives_events(lives, &ev, 1);
	}
	ck_assert(!reclaimable_init(&r, &env));
	for (i = 0; i < ARRAY_SIZE(sizes); i++)
		ck_assert_int_eq(reclaimable_slab(&r, &lives->any, i), i % 2 == 0);
	reclaimable_free(&r);
	slab_lives_free(lives);
	free(lives);
	event_stream_close(stream);
	event_formats_free(fmts);
	recording_close(file);
}
END_TEST

/* What a function allocates with kmalloc() belongs to the reclaimable objects that it allocates. */
START_TEST(kmallocs_of_the_same_function)
{
	static const struct log silent = { 0 };
	static const struct {
		uint64_t callsite, bytes;
		bool kmalloc, reclaimable;
	} rows[] = { { 0xffffffff81000010, 192, false, true },
		     { 0xffffffff81000020, 64, true, true },
		     { 0xffffffff81001010, 256, false, false },
		     { 0xffffffff81001020, 64, true, false },
		     { 0xffffffff81002010, 64, true, false },
		     { 0x10, 192, false, true }, /* a function without a name */
		     { 0x20, 64, true, false } };
	struct recording_text meta[] = {
		{ .name = (char *)"slabinfo.after",
		  .text = (char *)"dentry 9 9 192 21 1 :\nfilp 9 9 256 16 1 :\n" },
		{ .name = (char *)RECORDING_META_SLAB_RECLAIM,
		  .text = (char *)"dentry 1\nfilp 0\n" },
	};
	struct slab_lives *lives = calloc(1, sizeof(*lives));
	struct reclaimable r = { 0 };
	struct analysis_env env;
	struct recording rec;
	struct symbols *syms;
	struct opened in;

	opened_lends(&in, "data/bookworm-amd64-small-stack.v7.dat");
	ck_assert_int_eq(symbols_new(&syms, kallsyms, strlen(kallsyms), &silent), 0);
	env = in.env;
	rec = *env.rec;
	rec.meta = meta;
	rec.nr_meta = ARRAY_SIZE(meta);
	env.rec = &rec;
	env.syms = syms;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct kmem_event ev = { .type = rows[i].kmalloc ? KMEM_KMALLOC
								 : KMEM_CACHE_ALLOC };

		ev.slab_alloc.ptr = 0x10000 * (i + 1);
		ev.slab_alloc.callsite = rows[i].callsite;
		ev.slab_alloc.bytes_alloc = rows[i].bytes;
		slab_lives_events(lives, &ev, 1);
	}
	ck_assert(!reclaimable_init(&r, &env));
	ck_assert(!reclaimable_slab(&r, &lives->any, 4));
	ck_assert(!reclaimable_learn(&r, &lives->any));
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		ck_assert_int_eq(reclaimable_slab(&r, &lives->any, i),
				 rows[i].reclaimable);
	reclaimable_free(&r);
	slab_lives_free(lives);
	free(lives);
	symbols_free(syms);
	opened_close(&in);
}
END_TEST

START_TEST(freed_in_batches)
{
	static const struct log silent = { 0 };
	static const struct {
		const char *uname;
		uint64_t callsite;
		bool late;
	} cases[] = { { "Linux host 6.18.1 x86_64", 0xffffffff81004010, true },
		      { "Linux host 6.6.0 x86_64", 0xffffffff81004010, false },
		      { "Linux host 6.6.0 x86_64", 0xffffffff81005010, true },
		      { "Linux host 6.18.1 x86_64", 0xffffffff81006010, false } };
	struct reclaimable r = { 0 };
	struct symbols *syms = NULL;
	struct analysis_env env;
	struct recording rec;
	struct opened in;
	size_t i;

	opened_lends(&in, "data/bookworm-amd64-small-stack.v7.dat");
	ck_assert_int_eq(symbols_new(&syms, kallsyms, strlen(kallsyms), &silent), 0);
	env = in.env;
	rec = *env.rec;
	env.rec = &rec;
	env.syms = syms;
	r.env = &env;
	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		struct slab_key key = { .callsite = cases[i].callsite };

		rec.uname = (char *)cases[i].uname;
		ck_assert_int_eq(reclaimable_late(&r, &key), cases[i].late);
		key.kmalloc = 1;
		ck_assert(!reclaimable_late(&r, &key));
	}
	symbols_free(syms);
	opened_close(&in);
}
END_TEST

START_TEST(names_of_caches)
{
	struct recording_text meta = { .name = (char *)"slab_aliases",
				       .text = (char *)"mm_struct :1\nfs_cache :1\n" };
	static const struct {
		const char *release, *name;
		uint64_t capacity;
	} sheaves[] = {
		{ "5.10.0", "maple_node", 0 },	    { "6.17.9", "maple_node", 0 },
		{ "6.18.0", "maple_node", 32 },	    { "6.18.0", "maple_node2", 0 },
		{ "6.18.0", "vm_area_struct", 32 }, { "6.18.0", "filp", 0 },
		{ "6.19.0", "filp", 60 },	    { "7.0.0", "filp", 60 },
	};
	struct recording rec = { .meta = &meta, .nr_meta = 1 };
	char uname[64];

	ck_assert_int_eq(census_kmalloc_type("kmalloc-8"), KMALLOC_NORMAL);
	ck_assert_int_eq(census_kmalloc_type("kmalloc-rnd-03-8"), KMALLOC_NORMAL);
	ck_assert_int_eq(census_kmalloc_type("memdup_user-8"), KMALLOC_NORMAL);
	ck_assert_int_eq(census_kmalloc_type("kmalloc-cg-8"), KMALLOC_CGROUP);
	ck_assert_int_eq(census_kmalloc_type("msg_msg-8"), KMALLOC_CGROUP);
	ck_assert_int_eq(census_kmalloc_type("kmalloc-rcl-8"), KMALLOC_RECLAIM);
	ck_assert_int_eq(census_kmalloc_type("dma-kmalloc-8"), KMALLOC_DMA);
	ck_assert_int_eq(census_kmalloc_type("kmalloc-x"), KMALLOC_NR_TYPES);
	ck_assert_int_eq(census_kmalloc_type("filp"), KMALLOC_NR_TYPES);
	ck_assert(cache_comes_unseen("bio-120"));
	ck_assert(!cache_comes_unseen("filp"));
	ck_assert(cache_has_all_events("vm_area_struct"));
	ck_assert(!cache_has_all_events("maple_node"));
	ck_assert(cache_is_of_tasks(&rec, "pid"));
	ck_assert(cache_is_of_tasks(&rec, "task_struct"));
	ck_assert(!cache_is_of_tasks(&rec, "pid_2"));
	ck_assert(!cache_is_of_tasks(&rec, "mm_struct")); /* merged */
	for (size_t i = 0; i < ARRAY_SIZE(sheaves); i++) {
		snprintf(uname, sizeof(uname), "Linux host %s x86_64",
			 sheaves[i].release);
		rec.uname = uname;
		ck_assert_uint_eq(cache_sheaf_capacity(&rec, sheaves[i].name),
				  sheaves[i].capacity);
	}
}
END_TEST

Suite *test_reclaimable_suite(void);

Suite *test_reclaimable_suite(void)
{
	Suite *s = suite_create("analysis/reclaimable");
	TCase *tc = tcase_create("all");

	tcase_add_test(tc, pages);
	tcase_add_test(tc, caches_without_a_name);
	tcase_add_test(tc, kmallocs_of_the_same_function);
	tcase_add_test(tc, freed_in_batches);
	tcase_add_test(tc, names_of_caches);
	suite_add_tcase(s, tc);
	return s;
}

// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * tests: analysis/filter/alloc_filter.h.
 */
#include <check.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/filter/alloc_filter.h"
#include "opened.h"

static struct gfp_names names;

static void setup(void)
{
	ck_assert_int_eq(gfp_names_add(&names, 0xcc0, "GFP_KERNEL"), 0);
	ck_assert_int_eq(gfp_names_add(&names, 0x100, "__GFP_ZERO"), 0);
}

static void teardown(void)
{
	gfp_names_free(&names);
}

START_TEST(flags_are_bits_or_names)
{
	static const struct {
		const char *word;
		int err;
		struct filter_gfp gfp;
	} cases[] = {
		{ "GFP_KERNEL", 0, { .names = 1 } },
		{ "K", 0, { .names = 1 } },
		{ "__GFP_ZERO", 0, { .bits = 0x100 } },
		{ "Z", 0, { .bits = 0x100 } },
		{ "K|Z|0x4001", 0, { .bits = 0x4101, .names = 1 } },
		{ "none", 0, { .none = true } },
		{ "", -EINVAL, { 0 } },
		{ "K|", -EINVAL, { 0 } },
		{ "|K", -EINVAL, { 0 } },
		{ "0x", -ENOENT, { 0 } },
		{ "0xg", -EINVAL, { 0 } },
		{ "0x10000000000000000", -EINVAL, { 0 } },
		{ "GFP_KERNE", -ENOENT, { 0 } },
		{ "GFP_KERNELS", -ENOENT, { 0 } },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		struct alloc_filter f = { 0 };

		ck_assert_int_eq(alloc_filter_add_gfp(&f, cases[i].word, &names),
				 cases[i].err);
		ck_assert_uint_eq(f.nr_gfps, !cases[i].err);
		if (f.nr_gfps) {
			ck_assert_uint_eq(f.gfps[0].bits, cases[i].gfp.bits);
			ck_assert_uint_eq(f.gfps[0].names, cases[i].gfp.names);
			ck_assert_int_eq(f.gfps[0].none, cases[i].gfp.none);
		}
		alloc_filter_free(&f);
	}
}
END_TEST

START_TEST(nodes_caches_and_orders_are_checked)
{
	struct alloc_filter f = { 0 };

	ck_assert_int_eq(alloc_filter_add_node(&f, "0-1"), 0);
	ck_assert_int_eq(alloc_filter_add_node(&f, "-1"), 0);
	ck_assert_int_eq(alloc_filter_add_node(&f, "4"), 0);
	ck_assert_uint_eq(f.nodes.nr, 3);
	ck_assert_uint_eq(f.nodes.items[0].first, 1);
	ck_assert_uint_eq(f.nodes.items[0].last, 2);
	ck_assert_uint_eq(f.nodes.items[1].first, 0);
	ck_assert_uint_eq(f.nodes.items[1].last, 0);
	ck_assert_uint_eq(f.nodes.items[2].first, 5);
	ck_assert_int_eq(alloc_filter_add_node(&f, "-2"), -EINVAL);
	ck_assert_int_eq(alloc_filter_add_node(&f, ""), -EINVAL);
	ck_assert_int_eq(filter_ranges_add(&f.orders, "3-10"), 0);
	ck_assert_int_eq(filter_ranges_add(&f.orders, "10-3"), -EINVAL);
	ck_assert_int_eq(filter_ranges_add(&f.orders, "x"), -EINVAL);
	ck_assert_int_eq(alloc_filter_add_cache(&f, "kmalloc-*"), 0);
	ck_assert_int_eq(alloc_filter_add_cache(&f, ""), -EINVAL);
	ck_assert_int_eq(alloc_filter_add_cache(&f, "--csv"), -EINVAL);
	ck_assert_uint_eq(f.caches.nr, 1);
	ck_assert_int_eq(alloc_filter_add_dir(&f, "fs/ext4//"), 0);
	ck_assert_str_eq(f.dirs.items[0], "fs/ext4");
	ck_assert_int_eq(alloc_filter_add_dir(&f, ""), -EINVAL);
	ck_assert_int_eq(alloc_filter_add_dir(&f, "/"), -EINVAL);
	ck_assert_int_eq(alloc_filter_add_dir(&f, "/usr/src"), -EINVAL);
	ck_assert_int_eq(alloc_filter_add_dir(&f, "--csv"), -EINVAL);
	ck_assert_uint_eq(f.dirs.nr, 1);
	alloc_filter_free(&f);
}
END_TEST

START_TEST(ranges_include_their_ends)
{
	static const char *const wrong[] = { "",    "-",    "x",   "3-",  "-3",
					     "5-3", "3-5x", "3,4", "0x3", "4294967296" };
	struct filter_ranges r = { 0 };
	size_t i;

	for (i = 0; i < ARRAY_SIZE(wrong); i++)
		ck_assert_int_eq(filter_ranges_add(&r, wrong[i]), -EINVAL);
	ck_assert(filter_ranges_has(&r, 7)); /* no ranges: everything */
	ck_assert_int_eq(filter_ranges_add(&r, "3-5"), 0);
	ck_assert_int_eq(filter_ranges_add(&r, "9"), 0);
	ck_assert_int_eq(filter_ranges_add(&r, "4294967295"), 0);
	ck_assert(!filter_ranges_has(&r, 2));
	ck_assert(filter_ranges_has(&r, 3));
	ck_assert(filter_ranges_has(&r, 5));
	ck_assert(!filter_ranges_has(&r, 6));
	ck_assert(!filter_ranges_has(&r, 8));
	ck_assert(filter_ranges_has(&r, 9));
	ck_assert(!filter_ranges_has(&r, 10));
	ck_assert(filter_ranges_has(&r, UINT32_MAX));
	free(r.items);
}
END_TEST

START_TEST(events_have_a_system)
{
	static const struct {
		const char *word;
		int ret;
		bool alloc, free;
	} cases[] = {
		{ "kmem:kmalloc", 0, true, false },
		{ "kmalloc", 0, true, false },
		{ "kmem:k*", 0, true, true },
		{ "k*m:kfree", 0, false, true },
		{ "km:kmalloc", -ENOENT, false, false },
		{ "kmem:kmallo", -ENOENT, false, false },
		{ "kmem", -ENOENT, false, false },
	};
	struct opened o;
	size_t i, k;

	opened_open(&o, "data/bookworm-amd64-small-plain.v6.dat");
	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		struct alloc_filter f = { 0 };

		ck_assert_int_eq(alloc_filter_add_event(&f, cases[i].word, o.fmts),
				 cases[i].ret);
		for (k = 0; k < o.fmts->count; k++) {
			const struct event_format *fmt = event_formats_at(o.fmts, k);

			if (!strcmp(fmt->name, "kmalloc"))
				ck_assert_int_eq(f.ids[fmt->id], cases[i].alloc);
			if (!strcmp(fmt->name, "kfree"))
				ck_assert_int_eq(f.ids[fmt->id], cases[i].free);
		}
		alloc_filter_free(&f);
	}
	opened_close(&o);
}
END_TEST

START_TEST(addresses_are_hexadecimal)
{
	static const struct {
		const char *word;
		int err;
		uint64_t address;
	} cases[] = {
		{ "0x10", 0, 0x10 },	{ "0X1f", 0, 0x1f },   { "10", 0, 0x10 },
		{ "01", 0, 1 },		{ "0", 0, 0 },	       { "aF", 0, 0xaf },
		{ "0x", -EINVAL, 0 },	{ "0y1", -EINVAL, 0 }, { "1x10", -EINVAL, 0 },
		{ "0x1g", -EINVAL, 0 }, { "", -EINVAL, 0 },    { "00x1", -EINVAL, 0 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct alloc_filter f = { 0 };

		ck_assert_int_eq(alloc_filter_add_ptr(&f, cases[i].word), cases[i].err);
		ck_assert_uint_eq(f.ptrs.nr, !cases[i].err);
		if (f.ptrs.nr)
			ck_assert_uint_eq(f.ptrs.items[0].first, cases[i].address);
		alloc_filter_free(&f);
	}
}
END_TEST

/* What a filter passes. Allocations: a kmalloc of 64 bytes, an object of a cache, four pages. */
enum { KMALLOC, CACHE_ALLOC, PAGES, KFREE, CACHE_FREE, PAGES_FREE, PAGE_FREE, LOSS, NR };

static void make_events(struct kmem_event evs[NR])
{
	static const enum kmem_event_type types[NR] = { KMEM_KMALLOC,	 KMEM_CACHE_ALLOC,
							KMEM_PAGE_ALLOC, KMEM_KFREE,
							KMEM_CACHE_FREE, KMEM_PAGE_FREE,
							KMEM_PAGE_FREE,	 KMEM_LOSS };

	memset(evs, 0, NR * sizeof(*evs));
	for (int i = 0; i < NR; i++) {
		evs[i].type = (uint8_t)types[i];
		evs[i].pid = 7 + i % 2;
		evs[i].cpu = (uint32_t)i % 3;
	}
	evs[KMALLOC].slab_alloc.ptr = evs[KFREE].slab_free.ptr = 0x1000;
	evs[KMALLOC].slab_alloc.callsite = 0xca11;
	evs[KMALLOC].slab_alloc.bytes_alloc = 64;
	evs[KMALLOC].slab_alloc.gfp_flags = 0xcc0;
	evs[CACHE_ALLOC].slab_alloc.ptr = evs[CACHE_FREE].slab_free.ptr = 0x2000;
	evs[CACHE_ALLOC].slab_alloc.callsite = 0xca12;
	evs[CACHE_ALLOC].slab_alloc.bytes_alloc = 192;
	evs[CACHE_ALLOC].slab_alloc.gfp_flags = 0xdc0;
	evs[CACHE_ALLOC].slab_alloc.node = 1;
	evs[CACHE_ALLOC].slab_alloc.cache = evs[CACHE_FREE].slab_free.cache = 1;
	evs[KFREE].slab_free.callsite = evs[CACHE_FREE].slab_free.callsite = 0xf1;
	evs[PAGES].page_alloc.pfn = evs[PAGES_FREE].page_free.pfn = 0x100;
	evs[PAGES].page_alloc.order = evs[PAGES_FREE].page_free.order = 2;
	evs[PAGES].page_alloc.gfp_flags = 0x100;
	evs[PAGE_FREE].page_free.pfn = 0x200;
}

#define EV(name) (1U << (name))

/* A loss passes every filter except those by CPU. */
static const struct passes {
	char kind;
	const char *word; /* NULL: the cache of the events */
	unsigned int pass;
} passes[] = {
	{ 'k', NULL, EV(CACHE_ALLOC) | EV(CACHE_FREE) | EV(LOSS) },
	{ 'k', "kmalloc-64", EV(KMALLOC) | EV(LOSS) },
	{ 'k', "kmalloc-96", EV(LOSS) },
	{ 'k', "[kmalloc]", EV(KMALLOC) | EV(LOSS) },
	{ 'k', "[unnamed]", EV(LOSS) },
	{ 'o', "2", EV(PAGES) | EV(PAGES_FREE) | EV(LOSS) },
	{ 'o', "0-1", EV(PAGE_FREE) | EV(LOSS) },
	{ 'n', "1", EV(CACHE_ALLOC) | EV(LOSS) },
	{ 'g', "GFP_KERNEL", EV(KMALLOC) | EV(CACHE_ALLOC) | EV(LOSS) },
	{ 'g', "__GFP_ZERO", EV(CACHE_ALLOC) | EV(PAGES) | EV(LOSS) },
	{ 'g', "GFP_KERNEL|__GFP_ZERO", EV(CACHE_ALLOC) | EV(LOSS) },
	{ 's', "0xca11", EV(KMALLOC) | EV(LOSS) },
	{ 's', "0xf1", EV(KFREE) | EV(CACHE_FREE) | EV(LOSS) },
	{ 's', "0xca13", EV(LOSS) },
	{ 'p', "0x1000", EV(KMALLOC) | EV(KFREE) | EV(LOSS) },
	{ 't', "8", EV(CACHE_ALLOC) | EV(KFREE) | EV(PAGES_FREE) | EV(LOSS) },
	{ 't', "7-8", EV(NR) - 1 },
	{ 'c', "0", EV(KMALLOC) | EV(KFREE) | EV(PAGE_FREE) },
	{ 'c', "1-2",
	  EV(CACHE_ALLOC) | EV(PAGES) | EV(CACHE_FREE) | EV(PAGES_FREE) | EV(LOSS) },
};

static int add_word(struct alloc_filter *f, char kind, const char *word,
		    const struct opened *in)
{
	switch (kind) {
	case 'k':
		return alloc_filter_add_cache(f, word);
	case 'o':
		return filter_ranges_add(&f->orders, word);
	case 'n':
		return alloc_filter_add_node(f, word);
	case 'g':
		return alloc_filter_add_gfp(f, word, &in->fmts->gfp);
	case 's':
		return alloc_filter_add_site(f, word);
	case 'p':
		return alloc_filter_add_ptr(f, word);
	case 't':
		return filter_ranges_add(&f->pids, word);
	default:
		return filter_ranges_add(&f->cpus, word);
	}
}

START_TEST(what_passes)
{
	struct opened in;

	opened_lends(&in, "data/trixie-amd64-small-stack.v7.dat");
	for (size_t i = 0; i < ARRAY_SIZE(passes); i++) {
		const char *word = passes[i].word ? passes[i].word
						  : event_stream_cache(in.stream, 1);
		unsigned int slab = passes[i].pass & (EV(KMALLOC) | EV(CACHE_ALLOC));
		struct alloc_filter f = { 0 };
		struct kmem_event evs[NR];

		make_events(evs);
		ck_assert_int_eq(add_word(&f, passes[i].kind, word, &in), 0);
		ck_assert_int_eq(alloc_filter_begin(&f, &in.env), 0);
		for (int k = 0; k < NR; k++)
			ck_assert_msg(alloc_filter_pass(&f, &evs[k]) ==
					      (passes[i].pass >> k & 1),
				      "%c %s, event %d", passes[i].kind, word, k);
		/* Allocations that do not pass are hidden; the others are counted. */
		alloc_filter_mark(&f, evs, NR);
		for (int k = KMALLOC; k <= PAGES; k++)
			ck_assert_int_eq(evs[k].hidden, !(passes[i].pass >> k & 1));
		ck_assert_uint_eq(f.nr[MEMORY_SLAB], (uint64_t)__builtin_popcount(slab));
		ck_assert_uint_eq(f.nr[MEMORY_PAGE], passes[i].pass >> PAGES & 1);
		alloc_filter_free(&f);
	}
	opened_close(&in);
}
END_TEST

Suite *test_alloc_filter_suite(void)
{
	Suite *s = suite_create("analysis/alloc_filter");
	TCase *tc = tcase_create("all");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, flags_are_bits_or_names);
	tcase_add_test(tc, nodes_caches_and_orders_are_checked);
	tcase_add_test(tc, ranges_include_their_ends);
	tcase_add_test(tc, events_have_a_system);
	tcase_add_test(tc, addresses_are_hexadecimal);
	tcase_add_test(tc, what_passes);
	suite_add_tcase(s, tc);
	return s;
}

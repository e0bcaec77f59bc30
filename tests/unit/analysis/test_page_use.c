// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * tests: analysis/balance/page_use.h: a recorded callchain whose functions are given other names.
 */
#include <check.h>
#include <inttypes.h>
#include <string.h>

#include "analysis/balance/page_use.h"
#include "opened.h"

#define FRAMES 3
/* Flags of the fixture's kernel: GFP_KERNEL, GFP_HIGHUSER_MOVABLE. */
#define KERNEL 0xcc0
#define USER   0x100cca

static struct opened in;
static const uint64_t *frames;
static uint32_t stack;
static struct page_uses uses;
static struct recording rec;

/* The first callchain of the recording that is long enough. */
static void setup(void)
{
	struct kmem_event ev;
	uint32_t nr = 0;

	opened_open(&in, "data/trixie-amd64-small-stack.v7.dat");
	while (event_stream_next(in.stream, &ev) > 0)
		if (!stack && ev.type == KMEM_PAGE_ALLOC && ev.stack) {
			frames = event_stream_stack(in.stream, ev.stack, &nr);
			stack = nr > FRAMES ? ev.stack : 0;
		}
	ck_assert_uint_ne(stack, 0);
	frames = event_stream_stack(in.stream, stack, &nr);
	rec = *in.rec;
	in.env.rec = &rec;
	ck_assert_int_eq(page_uses_init(&uses, &in.env), 0);
}

static void teardown(void)
{
	page_uses_free(&uses);
	opened_close(&in);
	stack = 0;
}

/* Names the innermost functions of the callchain; NULL: it has no name. */
static void name_frames(const char *const names[FRAMES])
{
	struct strbuf text = { 0 };

	for (size_t i = 0; i < FRAMES; i++)
		if (names[i])
			strbuf_printf(&text, "%016" PRIx64 " T %s\n", frames[i],
				      names[i]);
	/* Addresses after the others have a name, too. */
	strbuf_puts(&text, "ffffffffffff0000 T last\n");
	symbols_free(in.syms);
	ck_assert_int_eq(symbols_new(&in.syms, strbuf_text(&text), text.size, NULL), 0);
	in.env.syms = in.syms;
	strbuf_free(&text);
}

static enum page_use use_of(const char *inner, const char *middle, const char *outer,
			    uint64_t gfp)
{
	const struct page_key key = { .stack = stack, .gfp_flags = gfp };

	name_frames((const char *[]){ inner, middle, outer });
	return page_use(&uses, &key, frames[0]);
}

START_TEST(functions)
{
	static const struct {
		const char *inner, *middle, *outer;
		enum page_use use;
	} cases[] = {
		{ "allocate_slab", "copy_process", "x", USE_SLAB_UNRECLAIMABLE },
		{ "x", "kmalloc_large_node_noprof", "y", USE_SLAB_UNRECLAIMABLE },
		{ "x", "___kmalloc_large_node", "y", USE_SLAB_UNRECLAIMABLE },
		{ "pte_alloc_one", "__pte_alloc", "x", USE_PAGE_TABLE },
		{ "x", "y", "__pmd_alloc", USE_PAGE_TABLE },
		{ "pcpu_alloc_pages.constprop.0", "x", "y", USE_PERCPU },
		{ "vm_area_alloc_pages", "__vmalloc_node_range_noprof", "x",
		  USE_VMALLOC },
		{ "vm_area_alloc_pages", "__vmalloc_node_range_noprof", "copy_process",
		  USE_STACK },
		{ "alloc_thread_stack_node", "x", "y", USE_STACK },
		{ "shmem_alloc_folio", "x", "y", USE_SHMEM },
		{ "alloc_buddy_hugetlb_folio", "x", "y", USE_HUGETLB },
		/* The innermost function that has a use decides. */
		{ "allocate_slab", "vm_area_alloc_pages", "shmem_alloc_folio",
		  USE_SLAB_UNRECLAIMABLE },
		{ "packet_set_ring", "x", "y", USE_UNCOUNTED },
		/* A longer name is another function. */
		{ "allocate_slabs", "pmd_alloc_one_map", "x", USE_UNCOUNTED },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		ck_assert_msg(use_of(cases[i].inner, cases[i].middle, cases[i].outer,
				     KERNEL) == cases[i].use,
			      "%s", cases[i].inner);
}
END_TEST

/* The top level of page tables counts as page tables from 6.14 on. */
START_TEST(by_kernel)
{
	rec.uname = (char *)"Linux host 6.13.9 x86_64";
	ck_assert_int_eq(use_of("pgd_alloc", "x", "y", KERNEL), USE_UNCOUNTED);
	rec.uname = (char *)"Linux host 6.14.0 x86_64";
	ck_assert_int_eq(use_of("pgd_alloc", "x", "y", KERNEL), USE_PAGE_TABLE);
}
END_TEST

/* If no function determines the use, the GFP flags decide. */
START_TEST(by_flags)
{
	struct page_key key = { .gfp_flags = USER };

	ck_assert_int_eq(use_of("do_anonymous_page", "x", "y", USER), USE_ANONYMOUS);
	ck_assert_int_eq(use_of("do_anonymous_page", "x", "y", KERNEL), USE_UNCOUNTED);
	/* Movable, but not of processes: balloons. */
	ck_assert_int_eq(use_of("x", "y", "z", USER & ~0x100000ULL), USE_UNCOUNTED);
	ck_assert_int_eq(use_of("__filemap_get_folio", "x", "y", USER), USE_PAGE_CACHE);
	ck_assert_int_eq(use_of("allocate_slab", "x", "y", KERNEL | 0x10),
			 USE_SLAB_RECLAIMABLE);
	ck_assert_int_eq(page_use(&uses, &key, 0), USE_ANONYMOUS);
}
END_TEST

START_TEST(areas)
{
	name_frames(
		(const char *[]){ "__vmalloc_node_range_noprof", "copy_process", NULL });
	ck_assert_int_eq(page_use_area(&uses, stack), USE_STACK);
	name_frames((const char *[]){ "__vmalloc_node_range", "bpf_prog_alloc", NULL });
	ck_assert_int_eq(page_use_area(&uses, stack), USE_VMALLOC);
	name_frames((const char *[]){ "__ioremap_caller", "copy_process", NULL });
	ck_assert_int_eq(page_use_area(&uses, stack), USE_NR);
	ck_assert_int_eq(page_use_area(&uses, 0), USE_NR);
	ck_assert(page_use_forks("kernel_clone.constprop.0"));
	ck_assert(page_use_forks("copy_process"));
	ck_assert(!page_use_forks("bpf_prog_alloc"));
}
END_TEST

/* A callchain as page_owner has it: names only. */
START_TEST(named)
{
	static const struct {
		const char *names;
		uint64_t gfp;
		enum page_use use;
	} cases[] = {
		{ "post_alloc_hook vm_area_alloc_pages __vmalloc_node_range_noprof copy_process",
		  KERNEL, USE_STACK },
		{ "post_alloc_hook vm_area_alloc_pages bpf_map_area_alloc", KERNEL,
		  USE_VMALLOC },
		{ "post_alloc_hook pte_alloc_one copy_process", KERNEL, USE_PAGE_TABLE },
		{ "post_alloc_hook folio_prealloc.constprop.0", USER, USE_ANONYMOUS },
		{ "post_alloc_hook __filemap_get_folio", USER, USE_PAGE_CACHE },
		{ "post_alloc_hook pipe_write", KERNEL, USE_UNCOUNTED },
		{ "", KERNEL, USE_UNCOUNTED },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
		ck_assert_msg(page_use_named(&uses, cases[i].gfp, cases[i].names,
					     strlen(cases[i].names)) == cases[i].use,
			      "%s", cases[i].names);
}
END_TEST

Suite *test_page_use_suite(void);

Suite *test_page_use_suite(void)
{
	Suite *s = suite_create("analysis/page_use");
	TCase *tc = tcase_create("all");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, functions);
	tcase_add_test(tc, by_kernel);
	tcase_add_test(tc, by_flags);
	tcase_add_test(tc, areas);
	tcase_add_test(tc, named);
	suite_add_tcase(s, tc);
	return s;
}

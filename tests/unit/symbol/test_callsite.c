// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * tests: symbol/callsite.h.
 */
#include <check.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/compiler.h"
#include "symbol/callsite.h"

static const char *const stripped[] = {
	/* Functions of the page allocator, 3.19 to 7.x. */
	"__alloc_pages_nodemask",
	"alloc_pages_current",
	"alloc_pages_vma",
	"alloc_page_interleave",
	"alloc_kmem_pages",
	"alloc_kmem_pages_node",
	"__page_cache_alloc",
	"page_cache_alloc",
	"__vmalloc_node_range_noprof",
	"__vmalloc_area_node",
	"vmalloc_huge_node_noprof",
	"vmalloc_32_user",
	"kvrealloc_node_align_noprof",
	"alloc_vmap_area",
	"__get_vm_area_caller",
	"ioremap_prot",
	"pcpu_alloc_noprof",
	"__alloc_page_frag",
	"page_frag_alloc",
	"__page_frag_cache_refill",
	"page_frag_alloc_align",
	"__page_frag_alloc_align",
	"__alloc_pages",
	"alloc_pages",
	"__alloc_pages_bulk",
	"alloc_pages_bulk_array",
	"alloc_pages_bulk_array_mempolicy",
	"alloc_pages_preferred_many",
	"folio_alloc",
	"__folio_alloc",
	"vma_alloc_folio",
	"alloc_pages_mpol",
	"alloc_pages_mpol_noprof",
	"alloc_pages_noprof",
	"__alloc_pages_noprof",
	"folio_alloc_noprof",
	"folio_alloc_mpol_noprof",
	"vma_alloc_folio_noprof",
	"get_free_pages_noprof",
	"get_zeroed_page_noprof",
	"alloc_pages_bulk_noprof",
	"__alloc_frozen_pages_noprof",
	"alloc_frozen_pages_noprof",
	"try_alloc_pages_noprof",
	"alloc_pages_nolock_noprof",
	"alloc_frozen_pages_nolock_noprof",
	"__get_free_pages",
	"get_zeroed_page",
	"__get_dma_pages",
	"get_page_from_freelist",
	"__alloc_pages_slowpath",
	"__alloc_pages_direct_compact",
	"__alloc_pages_direct_reclaim",
	"__alloc_pages_may_oom",
	"__alloc_pages_cpuset_fallback",
	"__alloc_pages_high_priority",
	"alloc_pages_exact",
	"alloc_pages_exact_nid",
	"alloc_pages_node",
	"__alloc_pages_node",
	"___alloc_pages",
	"alloc_page",
	"vma_alloc_zeroed_movable_folio",
	"alloc_zeroed_user_highpage_movable",
	"alloc_hugepage_vma",
	"filemap_alloc_folio",
	"filemap_alloc_folio_noprof",
	"__folio_alloc_node",
	"__folio_alloc_node_noprof",
	"alloc_pages_internal",
	/* With suffixes that compilers add. */
	"__alloc_pages_slowpath.constprop.0",
	"get_page_from_freelist.isra.0",
	"__alloc_pages_slowpath.constprop.0.isra.0",
	"__alloc_pages.part.0",
	"__alloc_pages.cold",
	"alloc_pages_mpol_noprof.llvm.1234567890abcdef",
	"__alloc_pages_noprof.lto_priv.0",
	"__alloc_frozen_pages_noprof.cold",
	/* Functions of the tracer. */
	"__traceiter_mm_page_alloc",
	"__probestub_mm_page_alloc",
	"perf_trace_mm_page_alloc",
	"trace_event_raw_event_mm_page_alloc",
	"trace_event_buffer_commit",
	"__bpf_trace_mm_page_alloc",
	"bpf_trace_run6",
	"ftrace_call",
	"ftrace_caller",
	"ftrace_regs_caller",
	"ftrace_graph_caller",
	"ftrace_stub",
	"ftrace_trampoline",
	"ftrace_ops_list_func",
	"ftrace_trace_stack",
	"__ftrace_trace_stack",
	"__ftrace_trace_stack.constprop.0",
	"trampoline_handler",
	"trace_event_raw_event_mm_page_alloc.isra.0",
};

static const char *const kept[] = {
	"alloc_page_buffers",
	"dma_alloc_pages",
	"folio_alloc_swap",
	"do_anonymous_page",
	"page_cache_ra_order",
	"pte_alloc_one",
	"allocate_slab",
	"new_slab",
	"__filemap_get_folio",
	"alloc_pages_exactly",
	"alloc_pages_bulky",
	"my_alloc_pages",
	"alloc_page_table",
	"vma_alloc_folio_pmd",
	"kmalloc_large",
	"alloc_page_buffers.cold",
	"__vmalloc_area_noprof",
	"vmalloc_init",
	"vmalloc_info_show",
	"alloc_pages_2",
	"get_free_page_count",
	"____alloc_pages",
	"xtrace_event_raw_event_x",
	"",
	".",
	"_noprof",
	"alloc_pages.other",
	"alloc_pagesX",
	"page_frag_free",
	"vma_alloc_anon_folio_pmd",
	"trace_event_other",
	"bpf_prog_1",
	"folio_alloc_gigantic",
	/* The tracer's own memory. */
	"ftrace_free_mem",
	"ftrace_process_locs",
	"ftrace_process_locs.cold",
	"ftrace_graph_exit_task",
	"ftrace_set_clr_event",
	"__ftrace_event_enable_disable",
	"ftrace_trace_stacks",
	"ftrace_call_sites",
};

static struct callsite_rule *rule;

static void setup(void)
{
	ck_assert_int_eq(callsite_rule_new(&rule, NULL, 0, NULL), 0);
}

static void teardown(void)
{
	callsite_rule_free(rule);
}

START_TEST(allocator_and_tracer_are_skipped)
{
	int round;
	size_t i;

	for (round = 0; round < 2; round++) { /* the second time from the cache */
		for (i = 0; i < ARRAY_SIZE(stripped); i++)
			ck_assert_msg(callsite_rule_skips(rule, stripped[i]),
				      "%s is kept", stripped[i]);
	}
}
END_TEST

START_TEST(lookalikes_are_kept)
{
	int round;
	size_t i;

	for (round = 0; round < 2; round++) {
		for (i = 0; i < ARRAY_SIZE(kept); i++)
			ck_assert_msg(!callsite_rule_skips(rule, kept[i]),
				      "%s is skipped", kept[i]);
	}
	ck_assert_ptr_null(callsite_rule_skipped(rule, 0));
}
END_TEST

START_TEST(skipped_names_are_listed_once)
{
	callsite_rule_skips(rule, "__alloc_pages_noprof");
	callsite_rule_skips(rule, "do_anonymous_page");
	callsite_rule_skips(rule, "__alloc_pages.cold");
	callsite_rule_skips(rule, "folio_alloc_noprof");
	ck_assert_str_eq(callsite_rule_skipped(rule, 0), "__alloc_pages");
	ck_assert_str_eq(callsite_rule_skipped(rule, 1), "folio_alloc");
	ck_assert_ptr_null(callsite_rule_skipped(rule, 2));
	ck_assert_ptr_null(callsite_rule_skipped(rule, UINT32_MAX));
}
END_TEST

START_TEST(user_adds_expressions)
{
	static const char *const skip[] = { "^allocate_slab$", "kmalloc|_swap" };
	static const char *const wrong[] = { "^ok$", "(unclosed" };
	struct callsite_rule *mine;
	struct strbuf error = { 0 };

	ck_assert_int_eq(callsite_rule_new(&mine, skip, 2, &error), 0);
	ck_assert(callsite_rule_skips(mine, "allocate_slab"));
	ck_assert(callsite_rule_skips(mine, "allocate_slab.isra.0"));
	ck_assert(!callsite_rule_skips(mine, "allocate_slabs"));
	ck_assert(callsite_rule_skips(mine, "__kmalloc_node"));
	ck_assert(callsite_rule_skips(mine, "folio_alloc_swap"));
	ck_assert(callsite_rule_skips(mine, "alloc_pages"));
	callsite_rule_free(mine);
	ck_assert_uint_eq(error.size, 0);
	ck_assert_int_eq(callsite_rule_new(&mine, wrong, 2, &error), -EINVAL);
	ck_assert_ptr_nonnull(strstr(strbuf_text(&error), "(unclosed"));
	strbuf_free(&error);
}
END_TEST

/* Functions that allocate for their callers are skipped, besides those the user names, but not
 * functions that use their allocations.
 */
START_TEST(wrappers_by_their_word)
{
	static const char *const skip[] = { CALLSITE_WRAPPERS, "^mine$" };
	static const char *const names[] = {
		"kmemdup",
		"kmemdup_noprof",
		"kstrdup",
		"kvasprintf",
		"getname_flags",
		"alloc_empty_file",
		"mas_alloc_nodes",
		"__alloc_skb",
		"sk_prot_alloc",
		"__kvmalloc_node",
		"kvmalloc_node",
		"vm_area_dup",
		"alloc_inode",
		"__d_alloc",
		"d_alloc_pseudo",
		"alloc_pages",
		"mine",
		"memdup_user",
		"mempool_alloc",
		"sock_alloc_send_pskb",
		"alloc_skb_with_frags",
		"__vmalloc_node_range",
		"__kmalloc_large_node",
		"kstrdup.isra.0",
		"__vmalloc",
		"vzalloc",
	};
	static const char *const others[] = {
		"copy_process", "do_sys_openat2",  "vfs_statx", "wrappers",
		"kmemdup_all",	"allocate_slab",   "alloc_pid", "alloc_fdtable",
		"my_kstrdup",	"sock_alloc_file",
	};
	struct callsite_rule *mine;
	size_t i;

	ck_assert(!callsite_rule_wrappers(rule));
	ck_assert(!callsite_rule_wrappers(NULL));
	ck_assert_int_eq(callsite_rule_new(&mine, skip, 2, NULL), 0);
	ck_assert(callsite_rule_wrappers(mine));
	ck_assert(callsite_rule_extended(mine));
	ck_assert_str_eq(callsite_rule_added(mine, 0), CALLSITE_WRAPPERS);
	ck_assert_str_eq(callsite_rule_added(mine, 1), "^mine$");
	ck_assert_ptr_null(callsite_rule_added(mine, 2));
	ck_assert_ptr_null(callsite_rule_added(rule, 0));
	ck_assert_ptr_null(callsite_rule_added(NULL, 0));
	for (i = 0; i < ARRAY_SIZE(names); i++)
		ck_assert_msg(callsite_rule_skips(mine, names[i]), "%s", names[i]);
	for (i = 0; i < ARRAY_SIZE(others); i++)
		ck_assert_msg(!callsite_rule_skips(mine, others[i]), "%s", others[i]);
	callsite_rule_free(mine);
}
END_TEST

START_TEST(many_names_and_long_ones)
{
	char name[600];
	int i;

	for (i = 0; i < 2000; i++) {
		snprintf(name, sizeof(name), "%s_%d", i % 2 ? "__traceiter" : "other", i);
		ck_assert_int_eq(callsite_rule_skips(rule, name), i % 2);
	}
	memset(name, 'x', sizeof(name) - 1);
	name[sizeof(name) - 1] = '\0';
	ck_assert(!callsite_rule_skips(rule, name));
}
END_TEST

START_TEST(callsite_in_a_stack)
{
	static const char map[] = "1000 T alloc_pages_noprof\n2000 t allocate_slab\n"
				  "3000 T __alloc_frozen_pages_noprof\n4000 T getname\n"
				  "5000 t __traceiter_mm_page_alloc\n6000 T end\n";
	static const uint64_t frames[] = { 0x5010, 0x3020, 0x1030, 0x2040, 0x4050 };
	static const uint64_t unknown[] = { 0x10, 0x1030 };
	static const uint64_t gap[] = { 0x5010, 0, 0x1030, 0x4050 };
	struct symbols *syms, *none;

	ck_assert_int_eq(symbols_new(&syms, map, sizeof(map) - 1, NULL), 0);
	ck_assert_int_eq(symbols_new(&none, NULL, 0, NULL), 0);
	ck_assert_int_eq(callsite_find(rule, syms, frames, 5), 3);
	ck_assert_int_eq(callsite_find(rule, syms, frames + 4, 1), 0);
	ck_assert_int_eq(callsite_find(rule, syms, frames, 3), 2);
	ck_assert_int_eq(callsite_find(rule, syms, frames, 0), -1);
	ck_assert_int_eq(callsite_find(rule, syms, unknown, 2), 0);
	ck_assert_int_eq(callsite_find(rule, syms, gap, 4), 3);
	ck_assert_int_eq(callsite_find(rule, none, frames, 5), 0);
	ck_assert_int_eq(callsite_find(rule, none, gap + 1, 3), 1);
	symbols_free(syms);
	symbols_free(none);
}
END_TEST

Suite *test_callsite_suite(void)
{
	Suite *s = suite_create("symbol/callsite");
	TCase *tc = tcase_create("all");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, allocator_and_tracer_are_skipped);
	tcase_add_test(tc, lookalikes_are_kept);
	tcase_add_test(tc, skipped_names_are_listed_once);
	tcase_add_test(tc, user_adds_expressions);
	tcase_add_test(tc, wrappers_by_their_word);
	tcase_add_test(tc, many_names_and_long_ones);
	tcase_add_test(tc, callsite_in_a_stack);
	suite_add_tcase(s, tc);
	return s;
}

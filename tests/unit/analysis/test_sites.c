// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * tests: analysis/row/sites.h: functions, the parts that compilers split off, their names, and
 * where callchains begin; names that are also valid in another build.
 */
#include <check.h>
#include <string.h>

#include "analysis/row/sites.h"
#include "opened.h"

static const char map[] = "1000 t foo.part.0\n2000 T foo\n3000 t foo.isra.0.cold\n"
			  "4000 t twice\n5000 t twice\n6000 t mempool_alloc_noprof\n"
			  "7000 t only.constprop.0\n"
			  "8000 t foo\t[m]\n9000 t foo.part.0\t[m]\na000 T end\n";

/* The group of the function at @addr must be called @want. Returns its number. */
static uint32_t expect(struct sites *s, uint64_t addr, const char *want)
{
	uint32_t group = sites_group(s, addr + 4);
	struct strbuf name = { 0 };

	ck_assert_uint_ne(group, UINT32_MAX);
	sites_name(s, group, &name);
	ck_assert_str_eq(strbuf_text(&name), want);
	strbuf_free(&name);
	return group;
}

static void group_all(struct sites *s)
{
	uint64_t addr;

	for (addr = 0x1000; addr < 0xa000; addr += 0x1000)
		ck_assert_uint_ne(sites_group(s, addr + 4), UINT32_MAX);
}

START_TEST(parts_and_clones_are_the_function)
{
	struct analysis_env env = { 0 };
	struct symbols *syms;
	struct sites s;
	uint32_t foo;

	ck_assert_int_eq(symbols_new(&syms, map, sizeof(map) - 1, NULL), 0);
	env.syms = syms;
	sites_init(&s, &env);
	group_all(&s);
	foo = expect(&s, 0x1000, "foo");
	ck_assert_uint_eq(expect(&s, 0x2000, "foo"), foo);
	ck_assert_uint_eq(expect(&s, 0x3000, "foo"), foo);
	/* Two functions with one name stay separate, as does one of a module. */
	ck_assert_uint_ne(expect(&s, 0x4000, "twice+0x4"),
			  expect(&s, 0x5000, "twice+0x4"));
	ck_assert_uint_eq(expect(&s, 0x8000, "foo [m]"), expect(&s, 0x9000, "foo [m]"));
	expect(&s, 0x6000, "mempool_alloc");
	expect(&s, 0x7000, "only");
	sites_free(&s);
	symbols_free(syms);
}
END_TEST

START_TEST(raw_names_are_the_symbols)
{
	struct analysis_env env = { .raw_names = true };
	struct symbols *syms;
	struct sites s;

	ck_assert_int_eq(symbols_new(&syms, map, sizeof(map) - 1, NULL), 0);
	env.syms = syms;
	sites_init(&s, &env);
	group_all(&s);
	expect(&s, 0x1000, "foo.part.0");
	expect(&s, 0x3000, "foo.isra.0.cold");
	expect(&s, 0x4000, "twice+0x4");
	expect(&s, 0x6000, "mempool_alloc_noprof");
	expect(&s, 0x7000, "only.constprop.0");
	sites_free(&s);
	symbols_free(syms);
}
END_TEST

static const char calls[] = "1000 T memdup\n2000 T probe\n3000 T add\n4000 T init\n"
			    "5000 T get_zeroed_page\n6000 T end\n";

static void expect_chain(const struct analysis_env *env, const uint64_t *frames,
			 uint32_t nr, uint64_t callsite, const char *want)
{
	struct sites_chain chain = sites_chain(env, frames, nr, callsite);
	struct strbuf text = { 0 };
	uint32_t i;

	symbols_format(env->syms, chain.first, &text);
	for (i = 0; i < chain.nr; i++) {
		strbuf_puts(&text, ";");
		symbols_format(env->syms, chain.callers[i], &text);
	}
	ck_assert_str_eq(strbuf_text(&text), want);
	strbuf_free(&text);
}

/* The unwinder of 32-bit ARM starts at the caller. */
START_TEST(the_callsite_is_the_leaf)
{
	static const uint64_t whole[] = { 0x5010, 0x2010, 0x3010, 0x4010 };
	static const uint64_t callers[] = { 0x3010, 0x2020, 0x4010, 0 };
	struct analysis_env env = { 0 };
	struct symbols *syms;

	ck_assert_int_eq(symbols_new(&syms, calls, sizeof(calls) - 1, NULL), 0);
	ck_assert_int_eq(callsite_rule_new(&env.rule, NULL, 0, NULL), 0);
	env.syms = syms;
	expect_chain(&env, whole, 4, 0x2010, "probe+0x10;add+0x10;init+0x10");
	expect_chain(&env, callers, 3, 0x2010,
		     "probe+0x10;add+0x10;probe+0x20;init+0x10");
	expect_chain(&env, callers, 1, 0x2010, "probe+0x10;add+0x10");
	expect_chain(&env, callers, 3, 0x2020, "probe+0x20;init+0x10");
	expect_chain(&env, callers, 3, 0x9010,
		     "end+0x3010;add+0x10;probe+0x20;init+0x10");
	/* Page events have no callsite; the 0 that ends the frames is not one either. */
	expect_chain(&env, whole, 4, 0, "probe+0x10;add+0x10;init+0x10");
	expect_chain(&env, callers, 4, 0, "add+0x10;probe+0x20;init+0x10;0x0");
	callsite_rule_free(env.rule);
	symbols_free(syms);
}
END_TEST

START_TEST(a_skipped_callsite_is_not_the_leaf)
{
	static const char *const skip[] = { "memdup" };
	static const uint64_t whole[] = { 0x1010, 0x2010, 0x3010 };
	static const uint64_t callers[] = { 0x2010, 0x3010 };
	struct analysis_env env = { 0 };
	struct symbols *syms;

	ck_assert_int_eq(symbols_new(&syms, calls, sizeof(calls) - 1, NULL), 0);
	ck_assert_int_eq(callsite_rule_new(&env.rule, skip, 1, NULL), 0);
	env.syms = syms;
	expect_chain(&env, whole, 3, 0x1010, "probe+0x10;add+0x10");
	expect_chain(&env, callers, 2, 0x1010, "probe+0x10;add+0x10");
	expect_chain(&env, callers, 2, 0x4010, "init+0x10;probe+0x10;add+0x10");
	/* If all frames belong to the allocator, the outermost one remains. */
	expect_chain(&env, whole, 1, 0x1010, "memdup+0x10");
	callsite_rule_free(env.rule);
	symbols_free(syms);
}
END_TEST

START_TEST(kmallocs_have_the_names_of_their_caches)
{
	static const struct {
		uint64_t size;
		const char *name;
	} cases[] = {
		{ 0, "[kmalloc of 0]" },    { 4, "[kmalloc of 4]" },
		{ 8, "kmalloc-8" },	    { 64, "kmalloc-64" },
		{ 72, "[kmalloc of 72]" },  { 96, "kmalloc-96" },
		{ 192, "kmalloc-192" },	    { 512, "kmalloc-512" },
		{ 1024, "kmalloc-1k" },	    { 1536, "[kmalloc of 1536]" },
		{ 8192, "kmalloc-8k" },	    { 8193, "kmalloc-large" },
		{ 16384, "kmalloc-large" },
	};
	const struct analysis_env env = { .page_size = 4096 };
	size_t i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		struct strbuf name = { 0 };

		comparison_name_kmalloc(&env, cases[i].size, &name);
		ck_assert_str_eq(strbuf_text(&name), cases[i].name);
		strbuf_free(&name);
	}
}
END_TEST

/* In callchains of pages the callsite may be the first function, as the unwinder may leave out the
 * allocator's own.
 */
START_TEST(callsites_of_callchains)
{
	unsigned int known = 0, first = 0, nr;
	struct sites sites;
	struct opened in;

	opened_open(&in, "data/bookworm-armhf-small-stack.v7.dat");
	sites_init(&sites, &in.env);
	for (struct kmem_event ev; event_stream_next(in.stream, &ev) > 0;) {
		const uint64_t *frames = event_stream_stack(in.stream, ev.stack, &nr);
		uint64_t callsite = sites_of_stack(&sites, ev.stack);
		uint32_t at = 0;

		if (!frames || !nr) {
			ck_assert_uint_eq(callsite, 0);
			continue;
		}
		while (at < nr && frames[at] != callsite)
			at++;
		known += at < nr;
		first += !at;
		ck_assert(at < nr || !callsite);
	}
	ck_assert_uint_gt(first, 0);
	ck_assert_uint_gt(known, first);
	opened_close(&in);
}
END_TEST

/* Each frame has a name, even if it is only a name for unknown ones. */
START_TEST(frames_without_a_symbol)
{
	static const uint32_t no_stack = 0;
	struct strbuf name = { 0 };
	unsigned int nr = 0, parts = 1;
	struct opened in;

	opened_lends(&in, "data/bookworm-amd64-small-stack.v7.dat");
	(void)event_stream_stack(in.stream, 1, &nr);
	ck_assert_uint_gt(nr, 1);
	comparison_name_stack(&in.env, 1, 0, &name);
	for (const char *at = strbuf_text(&name); *at; at++)
		parts += *at == ';';
	ck_assert_int_eq(strncmp(strbuf_text(&name), "[unknown];[unknown]", 19), 0);
	ck_assert_uint_eq(name.size, parts * strlen("[unknown];") - 1);
	strbuf_reset(&name);
	comparison_name_stack(&in.env, no_stack, 0, &name);
	ck_assert_str_eq(strbuf_text(&name), "[no stack]");
	strbuf_reset(&name);
	comparison_name_stack(&in.env, no_stack, 0x1000, &name);
	ck_assert_str_eq(strbuf_text(&name), "[unknown];[no stack]");
	strbuf_free(&name);
	opened_close(&in);
}
END_TEST

START_TEST(code_without_a_symbol_has_one_name)
{
	struct analysis_env env = { 0 };
	struct strbuf name = { 0 };
	struct symbols *syms;

	ck_assert_int_eq(symbols_new(&syms, map, sizeof(map) - 1, NULL), 0);
	env.syms = syms;
	comparison_name_by(&env, SUBJECT_CALLSITE, 0x8004, 0, &name);
	strbuf_puts(&name, ", ");
	comparison_name_by(&env, SUBJECT_CALLSITE, 0x10, 0, &name);
	strbuf_puts(&name, ", ");
	comparison_name_by(&env, SUBJECT_FUNCTION, 0x8004, 0, &name);
	strbuf_puts(&name, ", ");
	comparison_name_by(&env, SUBJECT_MODULE, 0x8004, 0, &name);
	strbuf_puts(&name, ", ");
	comparison_name_by(&env, SUBJECT_MODULE, 0x2004, 0, &name);
	ck_assert_str_eq(strbuf_text(&name), "foo [m], [unknown], foo, m, [kernel]");
	strbuf_free(&name);
	symbols_free(syms);
}
END_TEST

Suite *test_sites_suite(void)
{
	Suite *s = suite_create("analysis/sites");
	TCase *tc = tcase_create("all");

	tcase_add_test(tc, parts_and_clones_are_the_function);
	tcase_add_test(tc, raw_names_are_the_symbols);
	tcase_add_test(tc, the_callsite_is_the_leaf);
	tcase_add_test(tc, a_skipped_callsite_is_not_the_leaf);
	tcase_add_test(tc, kmallocs_have_the_names_of_their_caches);
	tcase_add_test(tc, code_without_a_symbol_has_one_name);
	tcase_add_test(tc, callsites_of_callchains);
	tcase_add_test(tc, frames_without_a_symbol);
	suite_add_tcase(s, tc);
	return s;
}

// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * tests: functions and lines of a recording's addresses, symbol/source_lines.c, and the rule that
 * finds the callsite among them. The files are those of fuzz_dwarf: at offset 0x18 outer() calls
 * through the inlined middle() the inlined wrap() of a header.
 */
#include <check.h>
#include <string.h>

#include "symbol/callsite.h"
#include "symbol/source_lines.h"

#define FILES "fuzz/corpus/fuzz_dwarf"

static const char symbols_text[] = "ffffffff81001000 T outer\n"
				   "ffffffff81001040 T beyond\n"
				   "ffffffffc0002000 t outer\t[module]\n"
				   "ffffffffc0003000 t outer\t[elsewhere]\n"
				   "ffffffffc0004000 t outer\t[module_id]\n";

#define OFFSET 0xffffffff81000000
#define KERNEL (OFFSET + 0x1000)
#define MODULE 0xffffffffc0002000

/* The data of the tests. */
struct world {
	struct directory_sources sources;
	struct symbols *syms;
	struct source_lines *lines;
	struct callsite_rule *rule;
};

static void make_world(struct world *w, const char *skip)
{
	*w = (struct world){ 0 };
	ck_assert_int_eq(debug_units_open(&w->sources.vmlinux, FILES "/dwarf5"), 0);
	ck_assert_int_eq(module_files_open(&w->sources.modules, FILES), 0);
	ck_assert_int_eq(symbols_new(&w->syms, symbols_text, strlen(symbols_text), NULL),
			 0);
	ck_assert_int_eq(source_lines_new(&w->lines, &w->sources, w->syms, OFFSET), 0);
	ck_assert_int_eq(callsite_rule_new(&w->rule, &skip, skip ? 1 : 0, NULL), 0);
	callsite_rule_use(w->rule, w->lines);
}

static void free_world(struct world *w)
{
	callsite_rule_free(w->rule);
	source_lines_free(w->lines);
	symbols_free(w->syms);
	directory_sources_free(&w->sources);
}

static void check_chain(struct world *w, uint64_t addr)
{
	const struct source_frame *frames;

	ck_assert_uint_eq(source_lines_find(w->lines, addr, &frames), 3);
	ck_assert_str_eq(frames[0].function, "wrap");
	ck_assert_str_eq(frames[0].file, "include/wrap.h");
	ck_assert_uint_eq(frames[0].line, 3);
	ck_assert_str_eq(frames[1].function, "middle");
	ck_assert_str_eq(frames[2].function, "outer");
	ck_assert_str_eq(frames[2].file, "fs/a.c");
	ck_assert(frames[1].inlined && !frames[2].inlined);
}

START_TEST(addresses_have_frames)
{
	const struct source_frame *frames, *again;
	struct source_line_counts counts;
	struct world w;

	if (!debug_units_built_in())
		return;
	make_world(&w, NULL);
	check_chain(&w, KERNEL + 0x1d);
	check_chain(&w, KERNEL + 0x1d);
	check_chain(&w, MODULE + 0x1d);
	/* No instruction precedes the first one, so it must be an interrupted address. */
	ck_assert_uint_eq(source_lines_find(w.lines, KERNEL, &frames), 1);
	ck_assert_uint_eq(frames[0].line, 9);
	ck_assert_uint_eq(source_lines_find(w.lines, KERNEL, &again), 1);
	ck_assert_ptr_eq(frames, again);
	ck_assert_uint_eq(source_lines_find(w.lines, KERNEL + 0x50, &frames), 0);
	ck_assert_ptr_null(frames);
	ck_assert_uint_eq(source_lines_find(w.lines, MODULE + 0x1010, &frames), 0);
	ck_assert_uint_eq(source_lines_find(w.lines, 0, &frames), 0);
	counts = source_lines_counts(w.lines);
	ck_assert_uint_eq(counts.all, 6);
	ck_assert_uint_eq(counts.unknown, 3);
	ck_assert(!counts.given_up && !source_lines_failed(w.lines));
	free_world(&w);
}
END_TEST

/* Module module_id has the build ID 0123456789abcdef, module has none. */
START_TEST(modules_of_another_build_are_not_read)
{
	static const struct {
		const char *ids;
		size_t plain, with_id;
	} cases[] = {
		{ NULL, 3, 3 },
		{ "", 3, 3 },
		{ "module_i 00\nmodule_id 0123456789abcdef\n", 3, 3 },
		{ "module_id 0123456789ABCDEF", 3, 3 },
		{ "module_id 1123456789abcdef\n", 3, 0 },
		{ "module_id 0123456789abcde\n", 3, 0 },
		{ "module_id \nmodule_id 0123456789abcdef\n", 3, 0 },
		{ "x y\nmodule 0123456789abcdef\n", 0, 3 },
	};
	const struct source_frame *frames;
	struct world w;

	if (!debug_units_built_in())
		return;
	make_world(&w, NULL);
	module_files_expect(w.sources.modules,
			    &(struct module_places){ .ids = cases[_i].ids });
	ck_assert_uint_eq(source_lines_find(w.lines, MODULE + 0x1d, &frames),
			  cases[_i].plain);
	ck_assert_uint_eq(source_lines_find(w.lines, MODULE + 0x201d, &frames),
			  cases[_i].with_id);
	free_world(&w);
}
END_TEST

static const struct rule_case {
	const char *skip;
	uint64_t addr;
	const char *function;
	bool skipped;
} rule_cases[] = {
	{ NULL, KERNEL + 0x1d, "middle", false },
	{ NULL, MODULE + 0x1d, "middle", false },
	{ NULL, KERNEL + 6, "outer", false },
	{ NULL, KERNEL + 0x50, "beyond", false },
	{ NULL, 0x10, NULL, false },
	{ "^middle$", KERNEL + 0x1d, "outer", false },
	{ "^wrap$", KERNEL + 0x1d, "middle", false },
	{ "^outer$", KERNEL + 0x1d, "outer", true },
	{ "^beyond$", KERNEL + 0x50, "beyond", true },
};

START_TEST(the_rule_sees_inlined_functions)
{
	const struct rule_case *c = &rule_cases[_i];
	const uint64_t frames[] = { 0, c->addr, 0x10 };
	struct callsite_place place;
	struct world w;

	if (!debug_units_built_in())
		return;
	make_world(&w, c->skip);
	ck_assert(callsite_look(w.rule, w.syms, c->addr, &place) == !c->skipped);
	ck_assert_pstr_eq(place.function, c->function);
	ck_assert_int_eq(callsite_find(w.rule, w.syms, frames, 3), c->skipped ? 2 : 1);
	free_world(&w);
}
END_TEST

Suite *test_source_lines_suite(void);
Suite *test_source_lines_suite(void)
{
	Suite *s = suite_create("symbol/source_lines");
	TCase *tc = tcase_create("source_lines");

	tcase_add_test(tc, addresses_have_frames);
	tcase_add_loop_test(tc, modules_of_another_build_are_not_read, 0, 8);
	tcase_add_loop_test(tc, the_rule_sees_inlined_functions, 0,
			    sizeof(rule_cases) / sizeof(rule_cases[0]));
	suite_add_tcase(s, tc);
	return s;
}

// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * tests: inlined functions and lines, symbol/debug_frames.c, with this program's own debug
 * information, if it has any.
 */
#include <check.h>
#include <link.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "symbol/debug_units.h"

#define FILE_NAME "tests/unit/symbol/test_debug_frames.c"

/* The return addresses of the chain. */
struct places {
	uintptr_t return_addr;
	uint32_t inner, middle, outer;
};

/* Must not be inlined, nor be a tail call. */
static __attribute__((noinline)) void note_caller(struct places *p)
{
	p->return_addr =
		(uintptr_t)__builtin_extract_return_addr(__builtin_return_address(0));
	__asm__ volatile("" : : "r"(p) : "memory");
}

static inline __attribute__((always_inline)) void inner_call(struct places *p)
{
	p->inner = __LINE__ + 1;
	note_caller(p);
	__asm__ volatile("" : : : "memory");
}

static inline __attribute__((always_inline)) void middle_call(struct places *p)
{
	if (p) {
		struct places *q = p;

		p->middle = __LINE__ + 1;
		inner_call(q);
	}
}

static __attribute__((noinline)) void outer_call(struct places *p)
{
	p->outer = __LINE__ + 1;
	middle_call(p);
	__asm__ volatile("" : : : "memory");
}

/* The load address of this program, which is the first object. */
static int take_base(struct dl_phdr_info *info, size_t size, void *base)
{
	*(uintptr_t *)base = info->dlpi_addr;
	return 1;
}

static void check_frame(const struct source_frame *frame, const char *function,
			uint32_t line, bool inlined)
{
	ck_assert_pstr_eq(frame->function, function);
	ck_assert_pstr_eq(frame->file, FILE_NAME);
	ck_assert_uint_eq(frame->line, line);
	ck_assert(frame->inlined == inlined);
}

START_TEST(inlined_functions_are_told_apart)
{
	struct source_frame frames[SOURCE_FRAMES_MAX];
	struct debug_units *units;
	struct places p = { 0 };
	uintptr_t base = 0;
	size_t nr, i;

	if (debug_units_open(&units, "/proc/self/exe"))
		return;
	dl_iterate_phdr(take_base, &base);
	outer_call(&p);
	for (i = 0; i < 2; i++) { /* the second time from the cache */
		ck_assert_int_eq(
			debug_units_frames(units, p.return_addr - base - 1, frames, &nr),
			0);
		ck_assert_uint_eq(nr, 3);
		check_frame(&frames[0], "inner_call", p.inner, true);
		check_frame(&frames[1], "middle_call", p.middle, true);
		check_frame(&frames[2], "outer_call", p.outer, false);
	}
	ck_assert_int_eq(debug_units_frames(units, 1, frames, &nr), 0);
	ck_assert_uint_eq(nr, 0);
	ck_assert_int_eq(debug_units_frames(units, UINT64_MAX, frames, &nr), 0);
	ck_assert_uint_eq(nr, 0);
	debug_units_free(units);
}
END_TEST

/* outer() of fs/a.c calls at offset 0x18, through middle() and wrap() of a header. */
static const struct program {
	const char *path;
	uint64_t addr;
} programs[] = {
	{ "dwarf3-packed", 0x1000 }, { "dwarf4", 0x1000 },
	{ "dwarf4-packed", 0x1000 }, { "dwarf5", 0x1000 },
	{ "dwarf5-64bit", 0x1000 },  { "module.ko", 0x10000 },
};

static void expect_frame(const struct source_frame *frame, const char *function,
			 const char *file, uint32_t line)
{
	ck_assert_str_eq(frame->function, function);
	ck_assert_str_eq(frame->file, file);
	ck_assert_uint_eq(frame->line, line);
}

START_TEST(every_version_of_dwarf_is_read)
{
	const struct program *program = &programs[_i];
	struct source_frame frames[SOURCE_FRAMES_MAX];
	struct debug_units *units;
	char path[128];
	size_t nr;

	if (!debug_units_built_in())
		return;
	snprintf(path, sizeof(path), "fuzz/corpus/fuzz_dwarf/%s", program->path);
	ck_assert_int_eq(debug_units_open(&units, path), 0);
	ck_assert_int_eq(debug_units_frames(units, program->addr + 0x18, frames, &nr), 0);
	ck_assert_uint_eq(nr, 3);
	expect_frame(&frames[0], "wrap", "include/wrap.h", 3);
	expect_frame(&frames[1], "middle", "fs/a.c", 5);
	expect_frame(&frames[2], "outer", "fs/a.c", 10);
	ck_assert_int_eq(debug_units_frames(units, program->addr + 6, frames, &nr), 0);
	ck_assert_uint_eq(nr, 1);
	expect_frame(&frames[0], "outer", "fs/a.c", 9);
	debug_units_free(units);
}
END_TEST

/* A file of this size may take a second. The time between two lookups, when the recording is read,
 * does not count, even if it takes minutes.
 */
START_TEST(time_between_addresses_does_not_count)
{
	struct source_frame frames[SOURCE_FRAMES_MAX];
	const clock_t start = clock();
	struct debug_units *units;
	size_t nr;

	if (debug_units_open(&units, "fuzz/corpus/fuzz_dwarf/dwarf5"))
		return;
	while (clock() - start < CLOCKS_PER_SEC * 11 / 10)
		;
	ck_assert_int_eq(debug_units_frames(units, 0x1018, frames, &nr), 0);
	ck_assert_uint_eq(nr, 3);
	debug_units_free(units);
}
END_TEST

Suite *test_debug_frames_suite(void);
Suite *test_debug_frames_suite(void)
{
	Suite *s = suite_create("symbol/debug_frames");
	TCase *tc = tcase_create("debug_frames");

	tcase_add_test(tc, inlined_functions_are_told_apart);
	tcase_add_loop_test(tc, every_version_of_dwarf_is_read, 0,
			    sizeof(programs) / sizeof(programs[0]));
	tcase_add_test(tc, time_between_addresses_does_not_count);
	suite_add_tcase(s, tc);
	return s;
}

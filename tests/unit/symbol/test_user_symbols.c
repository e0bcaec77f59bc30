// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * tests: names of functions that a process generated (JIT); lines of a program.
 */
#include <check.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "symbol/source_lines.h"
#include "symbol/user_symbols.h"

static struct user_maps maps;
static const char *jit_text;

static void setup(void)
{
	maps = (struct user_maps){ 0 };
	ck_assert_int_eq(
		user_maps_add_proc(
			&maps, 7,
			"10000-20000 rwxp 0 0:0 0\n30000-31000 r-xp 0 0:0 9 /bin/x\n"
			"40000-41000 r-xp 0 0:0 0 [vdso]\n"),
		0);
}

static void teardown(void)
{
	user_maps_free(&maps);
}

static int open_file(void *ctx, const char *path, uint32_t pid)
{
	const uid_t *owner = ctx;
	char name[] = "/tmp/user_symbols.XXXXXX";
	int fd;

	(void)pid;
	if (strcmp(path, "/tmp/perf-7.map") != 0)
		return -ENOENT;
	fd = mkstemp(name);
	ck_assert_int_ge(fd, 0);
	unlink(name);
	ck_assert_int_eq(write(fd, jit_text, strlen(jit_text)), strlen(jit_text));
	if (owner)
		ck_assert_int_eq(fchown(fd, *owner, (gid_t)-1), 0);
	return fd;
}

static uint32_t runs_as_user;

static bool runs_as(uint32_t pid, uint32_t user)
{
	ck_assert_uint_eq(pid, 7);
	return user == runs_as_user;
}

/* Checks the symbols of some addresses of process 7. */
static void check(uid_t *file_owner, uint32_t owner, const uint64_t *addresses,
		  const char *expected)
{
	const struct user_symbols_options opts = {
		.open = open_file, .ctx = file_owner, .owner = owner, .runs_as = runs_as
	};
	struct user_texts out = { 0 };

	for (; *addresses; addresses++)
		ck_assert_uint_ne(user_maps_frame(&maps, 7, 1, *addresses), 0);
	ck_assert_int_eq(user_symbols(&maps, &opts, &out), 0);
	ck_assert_str_eq(strbuf_text(&out.symbols), expected);
	ck_assert_str_eq(strbuf_text(&out.lines), "");
	strbuf_free(&out.symbols);
}

START_TEST(names_by_a_jit_compiler)
{
	jit_text =
		"10000 20 first one\n10100 10 [second]\nx\n10200\n10200 x\n10200 0 none\n"
		"10100 10 newer\n10300 10 \n0x10400 10 hex prefix";
	check(NULL, UINT32_MAX,
	      (uint64_t[]){ 0x10000, 0x1001f, 0x10020, 0x1010f, 0x10200, 0x10300, 0x10405,
			    0x30010, 0x40010, 0 },
	      "4000000000000000 T [unknown]\n"
	      "4002000000000010 T [x+0x10]\n"
	      "4003000000000010 T [vdso+0x10]\n"
	      "4004000000010000 T JIT`first_one\n"
	      "4004000000010020 T [JIT+0x10020]\n"
	      "4004000000010100 T JIT`newer\n"
	      "4004000000010200 T [JIT+0x10200]\n"
	      "4004000000010300 T [JIT+0x10300]\n"
	      "4004000000010400 T JIT`hex_prefix\n");
}
END_TEST

/* Another user could have put the file there. */
START_TEST(names_by_somebody_else)
{
	uid_t other = 12345;

	jit_text = "10000 20 planted\n";
	if (geteuid() != 0)
		return; /* only root can give a file away */
	check(&other, UINT32_MAX, (uint64_t[]){ 0x10000, 0 },
	      "4000000000000000 T [unknown]\n4004000000010000 T [JIT+0x10000]\n");
	check(&other, other, (uint64_t[]){ 0x10000, 0 },
	      "4000000000000000 T [unknown]\n4004000000010000 T JIT`planted\n");
	runs_as_user = other;
	check(&other, UINT32_MAX, (uint64_t[]){ 0x10000, 0 },
	      "4000000000000000 T [unknown]\n4004000000010000 T JIT`planted\n");
}
END_TEST

static int open_with_lines(void *ctx, const char *path, uint32_t pid)
{
	(void)ctx;
	(void)pid;
	ck_assert_str_eq(path, "/bin/lines");
	return open("fuzz/corpus/fuzz_dwarf/dwarf5", O_RDONLY);
}

/* The program's code is at offset 0xb0 of the file, and linked at 0x1000: outer(), into which
 * middle() and wrap() were inlined. The call ends at 0x101d.
 */
START_TEST(lines_of_a_program)
{
	const struct user_symbols_options opts = { .open = open_with_lines,
						   .chosen = true };
	const struct directory_sources none = { 0 };
	const struct source_frame *frames;
	struct source_lines *lines;
	struct user_texts out = { 0 };
	struct symbols *syms;
	uint64_t returned, innermost;

	if (!debug_units_built_in())
		return;
	ck_assert_int_eq(
		user_maps_add_proc(&maps, 7, "50000-51000 r-xp 0 0:0 9 /bin/lines\n"), 0);
	returned = user_maps_frame(&maps, 7, 1, 0x500cd);
	innermost = user_maps_frame(&maps, 7, 1, 0x500b0);
	user_maps_innermost(&maps, innermost);
	ck_assert_int_eq(user_symbols(&maps, &opts, &out), 0);

	ck_assert_int_eq(symbols_new(&syms, NULL, 0, NULL), 0);
	ck_assert_int_eq(
		symbols_add_user(syms, strbuf_text(&out.symbols), out.symbols.size, NULL),
		0);
	ck_assert_int_eq(source_lines_new(&lines, &none, syms, 0), 0);
	ck_assert(!source_lines_of_kernel(lines));
	strbuf_puts(&out.lines, "x\n4001 9 f\nffffffff81000000 9 f kernel.c\n");
	ck_assert_int_eq(source_lines_add_user(lines, strbuf_text(&out.lines)), 0);
	ck_assert_uint_eq(source_lines_find(lines, returned, &frames), 3);
	ck_assert_str_eq(frames[0].function, "lines`wrap");
	ck_assert_str_eq(frames[0].file, "include/wrap.h");
	ck_assert_uint_eq(frames[0].line, 3);
	ck_assert_str_eq(frames[1].function, "lines`middle");
	ck_assert_uint_eq(frames[1].line, 5);
	ck_assert_str_eq(frames[2].function, "lines`outer");
	ck_assert_str_eq(frames[2].file, "fs/a.c");
	ck_assert_uint_eq(frames[2].line, 10);
	ck_assert(frames[1].inlined && !frames[2].inlined);
	ck_assert_uint_eq(source_lines_find(lines, innermost, &frames), 1);
	ck_assert_uint_eq(frames[0].line, 9);
	ck_assert_uint_eq(source_lines_find(lines, 0xffffffff81000000, &frames), 0);
	source_lines_free(lines);
	symbols_free(syms);
	strbuf_free(&out.symbols);
	strbuf_free(&out.lines);
}
END_TEST

Suite *test_user_symbols_suite(void)
{
	Suite *s = suite_create("user_symbols");
	TCase *tc = tcase_create("all");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, names_by_a_jit_compiler);
	tcase_add_test(tc, names_by_somebody_else);
	tcase_add_test(tc, lines_of_a_program);
	suite_add_tcase(s, tc);
	return s;
}

// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * tests: the search for a kernel's debug information, symbol/debug_search.c.
 */
#include <check.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>

#include "build_elf.h"
#include "remove_tree.h"
#include "symbol/debug_search.h"

#define ID    "00112233445566778899aabbccddeeff00112233"
#define OTHER "99112233445566778899aabbccddeeff00112233"

static char top[32];

static void set_up(void)
{
	snprintf(top, sizeof(top), "/tmp/kmemx-test-XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(top));
}

static void tear_down(void)
{
	remove_tree(top);
}

/* Writes a kernel with build ID @id (NULL: none) to @path below the top directory, and makes its
 * directories.
 */
static void put_kernel(const char *path, const char *id)
{
	static const struct elf_symbol symbol = { 0x1000, "f", 0 };
	struct elf_build b = { .is_64 = true,
			       .machine = 62,
			       .symbols = &symbol,
			       .nr_symbols = 1,
			       .code = "",
			       .code_size = 1,
			       .code_addr = 0x1000 };
	char whole[512], *p;
	uint8_t bytes[20];
	int from, to, i;

	for (i = 0; id && i < 20; i++)
		ck_assert_int_eq(sscanf(id + 2 * i, "%2hhx", &bytes[i]), 1);
	b.build_id = id ? bytes : NULL;
	snprintf(whole, sizeof(whole), "%s/%s", top, path);
	for (p = whole + strlen(top) + 1; (p = strchr(p, '/')); *p++ = '/') {
		*p = '\0';
		mkdir(whole, 0700);
	}
	from = build_elf(&b);
	to = open(whole, O_CREAT | O_WRONLY | O_TRUNC | O_CLOEXEC, 0600);
	ck_assert_int_ge(to, 0);
	ck_assert_int_gt(sendfile(to, from, NULL, 1 << 20), 0);
	close(from);
	close(to);
}

static struct debug_wanted wanted(const char *id)
{
	return (struct debug_wanted){ .places.symfs = top,
				      .release = "6.1",
				      .build_id = id };
}

/* Searches, and checks that the file taken is @taken below the top directory (NULL: none). */
static void expect(const struct debug_wanted *w, const char *taken, size_t nr)
{
	struct debug_found found;
	char whole[512];

	ck_assert_int_eq(debug_search(&found, w), 0);
	ck_assert_uint_eq(found.nr, nr);
	if (taken) {
		snprintf(whole, sizeof(whole), "%s/%s", top, taken);
		ck_assert_pstr_eq(found.vmlinux, whole);
		ck_assert_int_eq(found.places[nr - 1].verdict, DEBUG_TAKEN);
	} else {
		ck_assert_ptr_null(found.vmlinux);
		ck_assert_ptr_null(found.modules);
	}
	debug_found_free(&found);
}

START_TEST(the_build_id_decides)
{
	struct debug_wanted w = wanted(ID);
	struct debug_found found;

	expect(&w, NULL, 4);
	put_kernel(
		"usr/lib/debug/.build-id/00/112233445566778899aabbccddeeff00112233.debug",
		ID);
	expect(&w,
	       "usr/lib/debug/.build-id/00/112233445566778899aabbccddeeff00112233.debug",
	       4);
	put_kernel("lib/modules/6.1/build/vmlinux", ID);
	expect(&w, "lib/modules/6.1/build/vmlinux", 3);
	put_kernel("usr/lib/debug/lib/modules/6.1/vmlinux", ID);
	expect(&w, "usr/lib/debug/lib/modules/6.1/vmlinux", 2);
	put_kernel("usr/lib/debug/boot/vmlinux-6.1", OTHER);
	expect(&w, "usr/lib/debug/lib/modules/6.1/vmlinux", 2);
	ck_assert_int_eq(debug_search(&found, &w), 0);
	ck_assert_int_eq(found.places[0].verdict, DEBUG_OTHER_BUILD);
	ck_assert_str_eq(found.places[0].build_id, OTHER);
	ck_assert_ptr_nonnull(strstr(found.modules, "/usr/lib/debug/lib/modules/6.1"));
	debug_found_free(&found);
	put_kernel("usr/lib/debug/boot/vmlinux-6.1", NULL);
	expect(&w, "usr/lib/debug/lib/modules/6.1/vmlinux", 2);
	put_kernel("usr/lib/debug/boot/vmlinux-6.1", ID);
	expect(&w, "usr/lib/debug/boot/vmlinux-6.1", 1);
}
END_TEST

START_TEST(a_tree_is_not_replaced)
{
	struct debug_wanted w = wanted(ID);
	char tree[64];

	put_kernel("usr/lib/debug/boot/vmlinux-6.1", ID);
	put_kernel("tree/vmlinux", OTHER);
	snprintf(tree, sizeof(tree), "%s/tree", top);
	w.places.kernel = tree;
	expect(&w, NULL, 1);
	put_kernel("tree/vmlinux", ID);
	expect(&w, "tree/vmlinux", 1);
}
END_TEST

/* If the recording has no build ID, only files named by the user are used. */
START_TEST(without_a_build_id)
{
	struct debug_wanted w = wanted("");
	struct debug_found found;

	put_kernel("usr/lib/debug/boot/vmlinux-6.1", OTHER);
	expect(&w, "usr/lib/debug/boot/vmlinux-6.1", 1);
	w.places.symfs = NULL;
	w.release = "0.0.no-such-release";
	ck_assert_int_eq(debug_search(&found, &w), 0);
	ck_assert_uint_eq(found.nr, 3);
	ck_assert_int_eq(found.places[0].verdict, DEBUG_MISSING);
	debug_found_free(&found);
}
END_TEST

/* Words from a recording are used neither as paths nor as format strings. */
START_TEST(hostile_words_are_no_paths)
{
	static const char *const releases[] = { "",	      ".",    "..",   "../6.1",
						"6.1/../6.1", "6.1 ", "a\nb", "%s%n" };
	struct debug_wanted w = wanted(ID);
	size_t i;

	put_kernel("usr/lib/debug/boot/vmlinux-6.1", ID);
	for (i = 0; i < sizeof(releases) / sizeof(releases[0]); i++) {
		w.release = releases[i];
		expect(&w, NULL, 1); /* only by the build ID */
	}
	w = wanted("../../../../boot/vmlinux-6.1");
	w.release = "";
	expect(&w, NULL, 0);
	w = wanted("00");
	w.release = "";
	expect(&w, NULL, 0);
}
END_TEST

Suite *test_debug_search_suite(void);
Suite *test_debug_search_suite(void)
{
	Suite *s = suite_create("symbol/debug_search");
	TCase *tc = tcase_create("debug_search");

	tcase_add_checked_fixture(tc, set_up, tear_down);
	tcase_add_test(tc, the_build_id_decides);
	tcase_add_test(tc, a_tree_is_not_replaced);
	tcase_add_test(tc, without_a_build_id);
	tcase_add_test(tc, hostile_words_are_no_paths);
	suite_add_tcase(s, tc);
	return s;
}

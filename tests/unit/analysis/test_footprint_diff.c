// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * tests: analysis/footprint/footprint_diff.c, and the tree of analysis/footprint/footprint.h.
 */
#include "analysis/footprint/footprint.h"

#include <check.h>
#include <string.h>

#include "base/strbuf.h"

static const struct {
	const char *name, *compared; /* NULL: left out */
} names[] = {
	{ "kmalloc", "kmalloc" },
	{ "copy_process.part.0", "copy_process.part" },
	{ "__func__.123", "__func__" },
	{ "a.1.b.22", "a.b" },
	{ "a.cold", "a.cold" },
	{ ".1", "" },
	{ "x.", "x." },
	{ "linux_banner", NULL },
	{ "linux_banner2", "linux_banner2" },
	{ "vermagic", NULL },
	{ "__mod_pci_device_table", NULL },
	{ "__se_sys_read", NULL },
	{ "__se_compat_sys_read", NULL },
	{ "__addressable_f12", NULL },
	{ "__mo", "__mo" },
};

START_TEST(names_are_those_of_two_builds)
{
	struct strbuf got = { 0 };

	ck_assert(footprint_symbol_name(names[_i].name, &got) ==
		  (names[_i].compared != NULL));
	if (names[_i].compared)
		ck_assert_str_eq(strbuf_text(&got), names[_i].compared);
	strbuf_free(&got);
}
END_TEST

/* A small kernel made by hand. */
static struct elf_section sections[] = {
	{ ".text", 0, 1000, 300, ELF_KIND_TEXT, false, false, 1 },
	{ ".init.data", 0, 100, 0, ELF_KIND_DATA, true, false, 2 },
};
static struct elf_item items[] = {
	{ "one", 0, 400, 400, 0, 0, true },	 { "one_alias", 0, 400, 0, 0, 0, true },
	{ "two.5", 400, 100, 100, 0, 0, false }, { "two.7", 500, 200, 200, 0, 0, false },
	{ "command", 0, 100, 100, 1, 0, true },
};
static struct footprint_image image;
static struct footprint_part parts[6];

static struct footprint make(void)
{
	struct footprint fp = { .images = &image, .nr_images = 1 };
	static const char *const paths[] = { "fs/ext4/inode.c", "fs/ext4/namei.c",
					     "Makefile.c", "fs/xfs" };
	static const uint32_t of[] = { 1, 1, 2, 4, 3 };
	size_t i;

	for (i = 0; i < ARRAY_SIZE(paths); i++)
		ck_assert_uint_eq(intern_id(&fp.paths, paths[i], strlen(paths[i])),
				  i + 1);
	for (i = 0; i < ARRAY_SIZE(items); i++)
		parts[i] = (struct footprint_part){
			.item = &items[i],
			.section = &sections[items[i].section],
			.path = of[i],
			.is_file = of[i] != 4,
		};
	parts[i] = (struct footprint_part){ .section = &sections[0] };
	fp.parts = parts;
	fp.nr_parts = ARRAY_SIZE(parts);
	return fp;
}

/* The value of column @column in the row called @name; -1 without such a row. */
static int64_t figure(const struct table *t, const char *name, const char *column)
{
	size_t i;

	for (i = 0; i < t->nr_rows; i++) {
		const struct cell *row = &t->cells[i * t->nr_columns];

		if (!strcmp(row[0].s, name))
			return (int64_t)row[table_column(t, column)].u;
	}
	return -1;
}

START_TEST(symbols_have_their_sizes)
{
	struct footprint fp = make();
	struct table *t = footprint_compared(&fp, FOOTPRINT_BY_SYMBOL, 0);

	ck_assert(table_ok(t));
	ck_assert_uint_eq(t->nr_rows, 4);
	ck_assert_int_eq(figure(t, "one", "bytes"), 400);
	ck_assert_int_eq(figure(t, "one_alias", "bytes"), 400);
	ck_assert_int_eq(figure(t, "two", "text"), 300);
	ck_assert_int_eq(figure(t, "command", "init"), 100);
	ck_assert_int_eq(figure(t, "command", "data"), 100);
	ck_assert_str_eq(t->summary[0].name, "bytes");
	ck_assert_uint_eq(t->summary[0].value.u, 1200);
	table_free(t);
	intern_free(&fp.paths);
}
END_TEST

START_TEST(bytes_of_directories_count_once)
{
	static const struct {
		enum footprint_by by;
		unsigned int depth;
		const char *name;
		int64_t bytes;
	} wanted[] = {
		{ FOOTPRINT_BY_FILE, 0, "fs/ext4/inode.c", 400 },
		{ FOOTPRINT_BY_FILE, 0, "fs/xfs/", 200 },
		{ FOOTPRINT_BY_FILE, 0, "(no symbol)", 300 },
		{ FOOTPRINT_BY_DIR, 0, "fs/ext4", 500 },
		{ FOOTPRINT_BY_DIR, 0, "fs/xfs", 200 },
		{ FOOTPRINT_BY_DIR, 0, ".", 100 },
		{ FOOTPRINT_BY_DIR, 0, "fs", -1 },
		{ FOOTPRINT_BY_DIR, 1, "fs", 700 },
		{ FOOTPRINT_BY_DIR, 2, "fs/ext4", 500 },
		{ FOOTPRINT_BY_DIR, 9, "fs/ext4", 500 },
	};
	struct footprint fp = make();
	size_t i;

	for (i = 0; i < ARRAY_SIZE(wanted); i++) {
		struct table *t = footprint_compared(&fp, wanted[i].by, wanted[i].depth);

		ck_assert_msg(figure(t, wanted[i].name, "bytes") == wanted[i].bytes,
			      "%s of depth %u", wanted[i].name, wanted[i].depth);
		ck_assert_uint_eq(t->summary[0].value.u, 1100);
		table_free(t);
	}
	intern_free(&fp.paths);
}
END_TEST

START_TEST(a_tree_adds_up)
{
	const struct footprint_leaf live = { "fs/ext4/inode.c", true, "one", NULL,
					     NODE_SYMBOL };
	const struct footprint_sums sums = {
		.of = { [SUM_LIVE] = 50, [SUM_TOTAL] = 70, [SUM_HIT] = 3 }
	};
	struct footprint_tree tree = { .attr = FOOTPRINT_CURRENT };
	struct footprint fp = make();
	struct table *t;
	uint64_t roots = 0;
	size_t i;

	ck_assert_int_eq(footprint_tree_static(&tree, &fp), 0);
	ck_assert_int_eq(footprint_tree_add(&tree, &live, &sums), 0);
	t = footprint_table(&tree, &fp, true);
	ck_assert(table_ok(t));
	for (i = 0; i < t->nr_rows; i++) {
		const struct cell *row = &t->cells[i * t->nr_columns];

		if (!row[table_column(t, "depth")].u)
			roots += row[0].u;
		if (!strcmp(row[table_column(t, "name")].s, "one")) {
			ck_assert_uint_eq(row[0].u, 450);
			ck_assert_uint_eq(row[table_column(t, "static")].u, 400);
			ck_assert_uint_eq(row[table_column(t, "current_dynamic")].u, 50);
			ck_assert_str_eq(row[table_column(t, "kind")].s, "symbol");
		}
	}
	ck_assert_uint_eq(roots, 1100 + 50);
	table_free(t);
	/* The tree of the sizes that only a recording has leaves out the rest. */
	tree.attr = FOOTPRINT_TOTAL_DYNAMIC;
	t = footprint_table(&tree, &fp, true);
	ck_assert_uint_eq(t->nr_rows, 4);
	ck_assert_uint_eq(t->cells[0].u, 70);
	table_free(t);
	footprint_tree_free(&tree);
	intern_free(&fp.paths);
}
END_TEST

/* Paths deeper than any source tree are cut at some level. */
START_TEST(a_tree_is_not_deeper_than_a_stack)
{
	struct footprint_tree tree = { .attr = FOOTPRINT_STATIC };
	const struct footprint_sums sums = { .of = { [SUM_TEXT] = 1 } };
	struct footprint_leaf leaf = { NULL, true, "f", NULL, NODE_SYMBOL };
	struct strbuf path = { 0 };
	struct footprint fp = { 0 };
	struct table *t;
	int i;

	for (i = 0; i < 100000; i++)
		strbuf_puts(&path, "a/");
	leaf.path = strbuf_text(&path);
	ck_assert_int_eq(footprint_tree_add(&tree, &leaf, &sums), 0);
	t = footprint_table(&tree, &fp, false);
	ck_assert_uint_lt(t->nr_rows, 100);
	table_free(t);
	footprint_tree_free(&tree);
	strbuf_free(&path);
}
END_TEST

Suite *test_footprint_diff_suite(void);
Suite *test_footprint_diff_suite(void)
{
	Suite *s = suite_create("analysis/footprint_diff");
	TCase *tc = tcase_create("footprint_diff");

	tcase_add_loop_test(tc, names_are_those_of_two_builds, 0, ARRAY_SIZE(names));
	tcase_add_test(tc, symbols_have_their_sizes);
	tcase_add_test(tc, bytes_of_directories_count_once);
	tcase_add_test(tc, a_tree_adds_up);
	tcase_add_test(tc, a_tree_is_not_deeper_than_a_stack);
	suite_add_tcase(s, tc);
	return s;
}

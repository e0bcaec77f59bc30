// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * tests: symbol/footprint.h, with this program in place of a kernel.
 */
#include "symbol/footprint.h"

#include <check.h>
#include <elf.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "build_elf.h"

#define SELF "/proc/self/exe"

/* Symbols that the tests look for. */
extern const char test_footprint_global[];
const char test_footprint_global[] = "a variable that other files can use";
static const char *volatile local_of_this_file = "a variable that they cannot use";

static struct directory_sources open_self(void)
{
	struct directory_sources sources = { 0 };
	int ret = debug_units_open(&sources.vmlinux, SELF);

	ck_assert(!ret || ret == -ENODATA || ret == -EOPNOTSUPP);
	return sources;
}

static const struct footprint_part *part(const struct footprint *fp, const char *name)
{
	size_t i;

	for (i = 0; i < fp->nr_parts; i++) {
		if (fp->parts[i].item && !strcmp(fp->parts[i].item->name, name))
			return &fp->parts[i];
	}
	ck_abort_msg("no symbol %s", name);
	return NULL;
}

START_TEST(parts_add_up_to_sections)
{
	struct directory_sources sources = open_self();
	struct footprint fp = { 0 };
	uint64_t parts = 0, sections = 0;
	size_t i;

	ck_assert_int_eq(footprint_add_kernel(&fp, SELF, &sources), 0);
	for (i = 0; i < fp.nr_parts; i++)
		parts += footprint_part_bytes(&fp.parts[i]);
	for (i = 0; i < fp.images[0].layout.nr_sections; i++)
		sections += fp.images[0].layout.sections[i].size;
	ck_assert_uint_gt(sections, 100000);
	ck_assert_uint_eq(parts, sections);
	footprint_free(&fp);
	directory_sources_free(&sources);
}
END_TEST

START_TEST(symbols_have_files)
{
	static const struct {
		const char *symbol, *file;
	} wanted[] = {
		{ "symbols_find", "lib/symbol/symbols.c" },
		{ "test_footprint_suite", "tests/unit/symbol/test_footprint.c" },
		{ "test_footprint_global", "tests/unit/symbol/test_footprint.c" },
		{ "local_of_this_file", "tests/unit/symbol/test_footprint.c" },
		{ "analysis_slab", "lib/analysis/stat/account_tables.c" },
	};
	struct directory_sources sources = open_self();
	struct footprint fp = { 0 };
	size_t i;

	if (!sources.vmlinux)
		return;
	ck_assert_int_eq(footprint_add_kernel(&fp, SELF, &sources), 0);
	ck_assert_ptr_nonnull(local_of_this_file);
	for (i = 0; i < ARRAY_SIZE(wanted); i++) {
		const struct footprint_part *p = part(&fp, wanted[i].symbol);

		ck_assert_msg(p->is_file, "%s", wanted[i].symbol);
		ck_assert_str_eq(footprint_path(&fp, p->path), wanted[i].file);
	}
	footprint_free(&fp);
	directory_sources_free(&sources);
}
END_TEST

START_TEST(addresses_find_their_part)
{
	struct directory_sources sources = { 0 };
	const struct footprint_part *p, *found;
	struct footprint fp = { 0 };

	ck_assert_int_eq(footprint_add_kernel(&fp, SELF, &sources), 0);
	p = part(&fp, "main");
	found = footprint_find(&fp, p->item->addr + 4);
	ck_assert_ptr_nonnull(found);
	ck_assert_str_eq(found->item->name, "main");
	ck_assert_ptr_null(footprint_find(&fp, 0));
	ck_assert_ptr_null(footprint_find(&fp, UINT64_MAX));
	footprint_free(&fp);
}
END_TEST

static const struct elf_more more[] = {
	{ ".data", SHT_PROGBITS, SHF_ALLOC | SHF_WRITE, 0, 100 },
};

#define LOCAL(type) ELF64_ST_INFO(STB_LOCAL, type)

/* Without debug information, file symbols and neighbours tell the file. */
static const struct elf_sized symbols[] = {
	{ 0, "one.c", LOCAL(STT_FILE), 0, ELF_BUILD_ABS },
	{ 0, "first", LOCAL(STT_FUNC), 10, 0 },
	{ 20, "third", LOCAL(STT_FUNC), 10, 0 },
	{ 0, "static_data", LOCAL(STT_OBJECT), 8, 1 },
	{ 0, "two.c", LOCAL(STT_FILE), 0, ELF_BUILD_ABS },
	{ 40, "fifth", LOCAL(STT_FUNC), 10, 0 },
	{ 10, "second", 0, 10, 0 },
	{ 30, "fourth", 0, 10, 0 },
	{ 50, "last", 0, 10, 0 },
	{ 8, "shared", 0, 8, 1 },
	{ 60, "twice", 0, 4, 0 },
	{ 64, "twice", 0, 4, 0 },
};

/* Makes a module's file and stores its path. */
static int build_module(char path[64])
{
	static const uint8_t code[80];
	const struct elf_build b = {
		.is_64 = true,
		.machine = EM_X86_64,
		.sized = symbols,
		.nr_sized = ARRAY_SIZE(symbols),
		.code = code,
		.code_size = sizeof(code),
		.more = more,
		.nr_more = ARRAY_SIZE(more),
		.relocatable = true,
	};
	int fd = build_elf(&b);

	snprintf(path, 64, "/proc/self/fd/%d", fd);
	return fd;
}

START_TEST(a_modules_files_are_in_its_directory)
{
	static const struct {
		const char *symbol, *path;
		bool is_file;
	} wanted[] = {
		{ "first", "fs/one/one.c", true },
		{ "second", "fs/one/one.c", true }, /* between two of one file */
		{ "fourth", "fs/one", false },	    /* between two files */
		{ "fifth", "fs/one/two.c", true },
		{ "last", "fs/one", false },
		{ "static_data", "fs/one/one.c", true },
		{ "shared", "fs/one", false },
	};
	struct footprint fp = { 0 };
	char path[64];
	int fd = build_module(path);
	size_t i;

	ck_assert_int_eq(footprint_add_module(&fp, path, "one_fs", "fs/one"), 0);
	ck_assert_str_eq(fp.images[0].name, "one_fs");
	for (i = 0; i < ARRAY_SIZE(wanted); i++) {
		const struct footprint_part *p = part(&fp, wanted[i].symbol);

		ck_assert_str_eq(footprint_path(&fp, p->path), wanted[i].path);
		ck_assert(p->is_file == wanted[i].is_file);
	}
	footprint_free(&fp);
	close(fd);
}
END_TEST

START_TEST(functions_of_modules_are_found)
{
	const struct footprint_part *p = NULL;
	struct footprint fp = { 0 };
	char path[64];
	int fd = build_module(path);

	ck_assert_int_eq(footprint_add_module(&fp, path, "one", NULL), 0);
	ck_assert_int_eq(footprint_find_name(&fp, "one", "second", &p), 1);
	ck_assert_str_eq(p->item->name, "second");
	ck_assert_uint_eq(p->path, 0);
	ck_assert_int_eq(footprint_find_name(&fp, "one", "none", &p), 0);
	ck_assert_int_eq(footprint_find_name(&fp, "one", "twice", &p), 0);
	ck_assert_int_eq(footprint_find_name(&fp, "one", "shared", &p), 0);
	ck_assert_int_eq(footprint_find_name(&fp, "two", "second", &p), 0);
	/* This file is not a kernel: no address is known. */
	ck_assert_ptr_null(footprint_find(&fp, 15));
	footprint_free(&fp);
	close(fd);
}
END_TEST

START_TEST(what_is_no_file_of_a_kernel_is_refused)
{
	struct directory_sources sources = { 0 };
	struct footprint fp = { 0 };
	const struct footprint_part *p;

	ck_assert_int_eq(footprint_add_kernel(&fp, "/dev/null", &sources), -ENODEV);
	ck_assert_int_eq(footprint_add_kernel(&fp, "data/README.md", &sources), -ENOEXEC);
	ck_assert_int_eq(footprint_add_module(&fp, "data/none.ko", "none", NULL),
			 -ENOENT);
	ck_assert_int_eq(footprint_find_name(&fp, "none", "f", &p), 0);
	ck_assert_uint_eq(fp.nr_images + fp.nr_parts, 0);
	footprint_free(&fp);
}
END_TEST

Suite *test_footprint_suite(void);
Suite *test_footprint_suite(void)
{
	Suite *s = suite_create("symbol/footprint");
	TCase *tc = tcase_create("footprint");

	tcase_add_test(tc, parts_add_up_to_sections);
	tcase_add_test(tc, symbols_have_files);
	tcase_add_test(tc, addresses_find_their_part);
	tcase_add_test(tc, a_modules_files_are_in_its_directory);
	tcase_add_test(tc, functions_of_modules_are_found);
	tcase_add_test(tc, what_is_no_file_of_a_kernel_is_refused);
	suite_add_tcase(s, tc);
	return s;
}

// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * tests: the directory of a function: symbol/directories.c and its sources.
 */
#include <check.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/strbuf.h"
#include "remove_tree.h"
#include "symbol/directories.h"
#include "symbol/source_path.h"

#define TREE "data/toy-kernel"

struct path_case {
	const char *name, *root, *comp_dir;
	const char *dir; /* NULL: outside */
};

static const struct path_case paths[] = {
	{ "fs/ext4/inode.c", "", "/src/linux", "fs/ext4" },
	{ "../fs/ext4/inode.c", "", "/src/linux/build", "fs/ext4" },
	{ "./../../fs/./ext4//inode.c", "", NULL, "fs/ext4" },
	{ "/src/linux/fs/ext4/inode.c", "/src/linux/", "/build", "fs/ext4" },
	{ "/src/linux/fs/ext4/inode.c", "", "/src/linux", "fs/ext4" },
	{ "/build/kernel/config.c", "/src/linux/", "/build", "kernel" },
	{ "arch/x86/kvm/../../../virt/kvm/kvm_main.c", "", NULL, "virt/kvm" },
	{ "/home/me/module/foo.c", "/src/linux/", "/build", NULL },
	{ "/src/linuxes/fs/a.c", "", "/src/linux", NULL },
	{ "main.c", "", "/src", "." },
	{ "../main.c", "", "/src", "." },
	{ "a/../../b/c.c", "", NULL, "b" },
	{ "", "", NULL, "." },
	{ "/", "", NULL, NULL },
	{ "/a.c", "", "/", NULL },
};

START_TEST(paths_become_directories)
{
	const struct path_case *c = &paths[_i];
	struct strbuf out = { 0 };
	bool ok = source_path_dir(c->name, c->root, c->comp_dir, &out);

	ck_assert_msg(ok == (c->dir != NULL), "'%s'", c->name);
	ck_assert_msg(!ok || !strcmp(strbuf_text(&out), c->dir),
		      "'%s' gave '%s', not '%s'", c->name, strbuf_text(&out), c->dir);
	strbuf_free(&out);
}
END_TEST

START_TEST(paths_become_files)
{
	static const struct {
		const char *name, *root, *comp_dir, *file;
	} files[] = {
		{ "fs/ext4/inode.c", "", "/src/linux", "fs/ext4/inode.c" },
		{ "../../fs/./a.c", "", NULL, "fs/a.c" },
		{ "../../fs/a.c", "../../", NULL, "fs/a.c" },
		{ "/src/linux/a.c", "/src/linux/", NULL, "a.c" },
		{ "/src/linux/fs/x/../a.c", "", "/src/linux", "fs/a.c" },
		{ "/usr/lib/gcc/../b.h", "/src/linux/", "/src/linux", "/usr/lib/b.h" },
		{ "/b.h", "", "/src", "/b.h" },
		{ "", "", NULL, "" },
	};
	struct strbuf out = { 0 };
	size_t i;

	for (i = 0; i < ARRAY_SIZE(files); i++) {
		strbuf_reset(&out);
		source_path_file(files[i].name, files[i].root, files[i].comp_dir, &out);
		ck_assert_str_eq(strbuf_text(&out), files[i].file);
	}
	strbuf_free(&out);
}
END_TEST

struct tree_case {
	const char *name, *module, *arch;
	int ret;
	const char *dir;
};

static const struct tree_case in_tree[] = {
	{ "vm_area_dup", NULL, "x86", 1, "kernel" },
	{ "vm_area_dup_noprof", NULL, "x86", 1, "kernel" },
	{ "getname_flags.part.0", NULL, "x86", 1, "fs" },
	{ "copy_process.isra.0.cold", NULL, "x86", 1, "kernel" },
	{ "__x64_sys_openat", NULL, "x86", 1, "fs" },
	{ "__do_sys_openat", NULL, "x86", 1, "fs" },
	{ "__alloc_file", NULL, "x86", 1, "fs" },
	{ "after_two_braces", NULL, "x86", 1, "fs" },
	{ "kmem_cache_zalloc", NULL, "x86", 0, NULL }, /* from a header */
	{ "comment", NULL, "x86", 0, NULL },
	{ "string", NULL, "x86", 0, NULL },
	{ "prepare_creds", NULL, "x86", 1, "kernel" }, /* not tools/lib */
	{ "alloc_bprm", NULL, "x86", -ENOTUNIQ, NULL },
	{ "dup_fd", NULL, "x86", 1, "arch/x86/kernel" },
	{ "dup_fd", NULL, "arm64", 1, "arch/arm64/kernel" },
	{ "dup_fd", NULL, "arm", 0, NULL },
	{ "dup_fd", NULL, NULL, -ENOTUNIQ, NULL },
	{ "ext4_alloc_inode", "ext4", "x86", 1, "fs/ext4" },
	{ "made_by_a_macro", "ext4", "x86", 1, "fs/ext4" },
	{ "made_by_a_macro", "ext4_inode_test", "x86", 1, "fs/ext4" },
	{ "made_by_a_macro", "elsewhere", "x86", 0, NULL },
	{ "", NULL, "x86", 0, NULL },
};

START_TEST(a_source_tree_knows_its_functions)
{
	const struct tree_case *c = &in_tree[_i];
	struct source_tree *tree;
	const char *dir = NULL;

	ck_assert_int_eq(source_tree_open(&tree, TREE), 0);
	ck_assert_msg(source_tree_find(tree, c->name, c->module, c->arch, &dir) == c->ret,
		      "'%s' [%s] %s", c->name, c->module, c->arch);
	if (c->ret == 1)
		ck_assert_str_eq(dir, c->dir);
	source_tree_free(tree);
}
END_TEST

START_TEST(a_tree_without_functions_is_refused)
{
	char empty[] = "/tmp/kmemx-test-XXXXXX";
	struct source_tree *tree;

	ck_assert_ptr_nonnull(mkdtemp(empty));
	ck_assert_int_eq(source_tree_open(&tree, empty), -ENODATA);
	ck_assert_int_eq(source_tree_open(&tree, TREE "/missing"), -ENOENT);
	ck_assert_int_eq(source_tree_open(&tree, TREE "/Makefile"), -ENOTDIR);
	rmdir(empty);
}
END_TEST

START_TEST(machines_have_an_arch)
{
	static const char *const known[][2] = {
		{ "x86_64", "x86" },	{ "i686", "x86" },    { "aarch64", "arm64" },
		{ "armv7l", "arm" },	{ "s390x", "s390" },  { "ppc64le", "powerpc" },
		{ "riscv64", "riscv" }, { "mips64", "mips" },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(known); i++)
		ck_assert_str_eq(source_tree_arch(known[i][0]), known[i][1]);
	ck_assert_ptr_null(source_tree_arch("ia64"));
	ck_assert_ptr_null(source_tree_arch(""));
}
END_TEST

/* Makes an empty file and its directories. */
static void make_file(const char *top, const char *path)
{
	char whole[512], *p;
	int fd;

	snprintf(whole, sizeof(whole), "%s/%s", top, path);
	for (p = whole + strlen(top) + 1; (p = strchr(p, '/')); *p++ = '/') {
		*p = '\0';
		mkdir(whole, 0700);
	}
	fd = open(whole, O_CREAT | O_WRONLY | O_CLOEXEC, 0600);
	ck_assert_int_ge(fd, 0);
	close(fd);
}

static void check_module(struct module_files *files, const char *module, int ret,
			 const char *dir)
{
	const char *found = NULL;

	ck_assert_msg(module_files_find(files, module, "f", &found) == ret, "%s", module);
	if (ret == 1)
		ck_assert_str_eq(found, dir);
}

START_TEST(a_modules_file_says_its_directory)
{
	char top[] = "/tmp/kmemx-test-XXXXXX", path[512];
	struct module_files *files;

	ck_assert_ptr_nonnull(mkdtemp(top));
	make_file(top, "lib/modules/6.1/kernel/fs/ext4/ext4.ko.xz");
	make_file(top, "lib/modules/6.1/kernel/kernel/time/test-udelay.ko");
	make_file(top, "lib/modules/6.1/updates/dkms/foreign.ko");
	make_file(top, "lib/modules/6.1/kernel/fs/ext4/readme.txt");
	make_file(top, "build/net/core/pktgen.ko");
	snprintf(path, sizeof(path), "%s/lib/modules/6.1", top);
	ck_assert_int_eq(module_files_open(&files, path), 0);
	ck_assert_uint_eq(module_files_count(files), 3);
	check_module(files, "ext4", 1, "fs/ext4");
	check_module(files, "test_udelay", 1, "kernel/time");
	check_module(files, "foreign", 0, NULL);
	check_module(files, "readme", 0, NULL);
	module_files_free(files);
	snprintf(path, sizeof(path), "%s/lib/modules/6.1/kernel/fs", top);
	ck_assert_int_eq(module_files_open(&files, path), 0);
	check_module(files, "ext4", 1, "fs/ext4");
	module_files_free(files);
	snprintf(path, sizeof(path), "%s/build", top);
	ck_assert_int_eq(module_files_open(&files, path), 0);
	check_module(files, "pktgen", 1, "net/core");
	module_files_free(files);
	snprintf(path, sizeof(path), "%s/lib/modules", top);
	ck_assert_int_eq(module_files_open(&files, path), -EINVAL);
	snprintf(path, sizeof(path), "%s/lib/modules/6.1/none", top);
	ck_assert_int_eq(module_files_open(&files, path), -ENOENT);
	remove_tree(top);
}
END_TEST

/* A stripped module with its split debug file next to it; elsewhere a module of the same name. */
START_TEST(the_split_off_file_is_preferred)
{
	static const char *const files_of[][2] = {
		{ "a.ko", "a.ko.debug" },
		{ "a.ko.xz", "a.ko" },
		{ "a.ko.zst", "a.ko.debug" },
	};
	const char *const *pair = files_of[_i / 2];
	char top[] = "/tmp/kmemx-test-XXXXXX", path[512];
	struct module_files *files;
	const char *found;
	size_t length;

	ck_assert_ptr_nonnull(mkdtemp(top));
	/* In both orders, as directories have no defined order. */
	snprintf(path, sizeof(path), "m/%s", pair[_i & 1]);
	make_file(top, path);
	snprintf(path, sizeof(path), "m/%s", pair[!(_i & 1)]);
	make_file(top, path);
	ck_assert_int_eq(module_files_open(&files, top), 0);
	ck_assert_uint_eq(module_files_count(files), 1);
	module_files_state(files, "a", &found);
	length = strlen(found) - strlen(pair[1]);
	ck_assert_str_eq(found + length, pair[1]);
	module_files_free(files);
	remove_tree(top);
}
END_TEST

static const char symbols_text[] = "1000 T vm_area_dup\n"
				   "2000 t alloc_bprm\n"
				   "3000 t unheard_of\n"
				   "9000 t ext4_alloc_inode\t[ext4]\n"
				   "9100 t proc_alloc_inode\n";

START_TEST(addresses_become_directories)
{
	static const struct {
		uint64_t addr;
		unsigned int depth;
		const char *dir;
	} cases[] = {
		{ 0x1010, 0, "kernel" },
		{ 0x2010, 0, DIRECTORY_AMBIGUOUS },
		{ 0x3010, 0, DIRECTORY_UNKNOWN },
		{ 0x10, 0, DIRECTORY_UNKNOWN },
		{ 0, 0, DIRECTORY_UNKNOWN },
		{ 0x9010, 0, "fs/ext4" },
		{ 0x9010, 1, "fs" },
		{ 0x9010, 2, "fs/ext4" },
		{ 0x9010, 9, "fs/ext4" },
		{ 0x9020, 1, "fs" },
		{ 0x9110, 0, "fs/proc" },
	};
	struct directory_sources sources = { 0 };
	struct directory_counts counts;
	struct directories *dirs;
	struct symbols *syms;
	size_t i;

	ck_assert(!directory_sources_any(&sources));
	ck_assert_int_eq(source_tree_open(&sources.tree, TREE), 0);
	ck_assert(directory_sources_any(&sources));
	ck_assert_int_eq(symbols_new(&syms, symbols_text, strlen(symbols_text), NULL), 0);
	ck_assert_int_eq(directories_new(&dirs, &sources, syms, 0, "x86_64"), 0);
	for (i = 0; i < ARRAY_SIZE(cases); i++)
		ck_assert_str_eq(directories_find(dirs, cases[i].addr, cases[i].depth),
				 cases[i].dir);
	counts = directories_counts(dirs);
	ck_assert_uint_eq(counts.all, 7); /* five functions, and two unknown addresses */
	ck_assert_uint_eq(counts.unknown, 3);
	ck_assert_uint_eq(counts.ambiguous, 1);
	directories_free(dirs);
	symbols_free(syms);
	directory_sources_free(&sources);
}
END_TEST

/* This program's own debug information, if it has any. */
START_TEST(debug_information_knows_functions)
{
	struct debug_units *units;
	const char *dir = NULL;
	int ret = debug_units_open(&units, "/proc/self/exe");

	if (!debug_units_built_in()) {
		ck_assert_int_eq(ret, -EOPNOTSUPP);
		return;
	}
	if (ret == -ENODATA)
		return;
	ck_assert_int_eq(ret, 0);
	ck_assert_int_eq(debug_units_function(units, "test_directories_suite", &dir), 1);
	ck_assert_str_eq(dir, "tests/unit/symbol");
	ck_assert_int_eq(debug_units_function(units, "symbols_find", &dir), 1);
	ck_assert_str_eq(dir, "lib/symbol");
	ck_assert_int_eq(debug_units_function(units, "no_such_function", &dir), 0);
	ck_assert_ptr_null(debug_units_at(units, 1));
	ck_assert_ptr_null(debug_units_at(units, UINT64_MAX));
	debug_units_free(units);
}
END_TEST

START_TEST(files_without_it_are_refused)
{
	struct debug_units *units;

	if (!debug_units_built_in())
		return;
	ck_assert_int_eq(debug_units_open(&units, "/dev/null"), -ENODEV);
	ck_assert_int_eq(debug_units_open(&units, TREE "/Makefile"), -ENOEXEC);
	ck_assert_int_eq(debug_units_open(&units, TREE "/missing"), -ENOENT);
	ck_assert_int_lt(debug_units_open(&units, TREE), 0);
	debug_units_free(NULL);
}
END_TEST

Suite *test_directories_suite(void);
Suite *test_directories_suite(void)
{
	Suite *s = suite_create("symbol/directories");
	TCase *tc = tcase_create("directories");

	tcase_add_loop_test(tc, paths_become_directories, 0, ARRAY_SIZE(paths));
	tcase_add_test(tc, paths_become_files);
	tcase_add_loop_test(tc, a_source_tree_knows_its_functions, 0,
			    ARRAY_SIZE(in_tree));
	tcase_add_test(tc, a_tree_without_functions_is_refused);
	tcase_add_test(tc, machines_have_an_arch);
	tcase_add_test(tc, a_modules_file_says_its_directory);
	tcase_add_loop_test(tc, the_split_off_file_is_preferred, 0, 6);
	tcase_add_test(tc, addresses_become_directories);
	tcase_add_test(tc, debug_information_knows_functions);
	tcase_add_test(tc, files_without_it_are_refused);
	suite_add_tcase(s, tc);
	return s;
}

// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * tests: new files in a directory where another user has put links and FIFOs.
 * In: a scratch directory. Out: checks that only our own files are opened.
 */
#include <check.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/new_file.h"

Suite *test_new_file_suite(void);

static char directory[] = "./new-file.XXXXXX";
static int dir;

static void put(const char *name, const char *text)
{
	int fd = openat(dir, name, O_WRONLY | O_CREAT | O_TRUNC, 0644);

	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(write(fd, text, strlen(text)), (int)strlen(text));
	close(fd);
}

static void check(const char *name, const char *text)
{
	char buf[64] = "";
	int fd = openat(dir, name, O_RDONLY);

	ck_assert_msg(fd >= 0, "no %s", name);
	ck_assert_int_ge(read(fd, buf, sizeof(buf) - 1), 0);
	ck_assert_str_eq(buf, text);
	close(fd);
}

/* Returns the number of files in the directory; with @remove deletes them and the directory. */
static int nr_files(bool remove)
{
	DIR *d = opendir(directory);
	struct dirent *entry;
	int nr = 0;

	ck_assert_ptr_nonnull(d);
	while ((entry = readdir(d))) {
		if (!strcmp(entry->d_name, ".") || !strcmp(entry->d_name, ".."))
			continue;
		nr++;
		if (remove)
			unlinkat(dirfd(d), entry->d_name, 0);
	}
	closedir(d);
	return nr;
}

static void set_up(void)
{
	snprintf(directory, sizeof(directory), "./new-file.XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(directory));
	dir = open(directory, O_RDONLY | O_DIRECTORY);
	ck_assert_int_ge(dir, 0);
	put("victim", "victim");
}

static void tear_down(void)
{
	nr_files(true);
	close(dir);
	rmdir(directory);
}

/* An existing file of that name is not opened, whatever its type. */
START_TEST(test_taken)
{
	int fd;

	ck_assert_int_eq(symlinkat("victim", dir, "link"), 0);
	ck_assert_int_eq(symlinkat("missing", dir, "dangling"), 0);
	ck_assert_int_eq(linkat(dir, "victim", dir, "hard", 0), 0);
	ck_assert_int_eq(mkfifoat(dir, "fifo", 0666), 0);
	ck_assert_int_eq(new_file_create(dir, "link"), -EEXIST);
	ck_assert_int_eq(new_file_create(dir, "dangling"), -EEXIST);
	ck_assert_int_eq(new_file_create(dir, "hard"), -EEXIST);
	ck_assert_int_eq(new_file_create(dir, "fifo"), -EEXIST);
	fd = new_file_unnamed(dir, true);
	if (fd >= 0) {
		ck_assert_int_eq(new_file_link(fd, dir, "dangling"), -EEXIST);
		close(fd);
	}
	/* Nor is it mistaken for a file of an earlier process. */
	ck_assert_int_eq(new_file_open_own(dir, "link"), -ELOOP);
	ck_assert_int_eq(new_file_open_own(dir, "hard"), -EPERM);
	ck_assert_int_eq(new_file_open_own(dir, "victim"), -EPERM);
	ck_assert_int_eq(new_file_open_own(dir, "fifo"), -EPERM);
	ck_assert_int_eq(new_file_open_own(dir, "none"), -ENOENT);
	ck_assert(!new_file_is_own(dir, "link"));
	ck_assert(!new_file_is_own(dir, "hard"));
	ck_assert(!new_file_is_own(dir, "fifo"));
	check("victim", "victim");
}
END_TEST

START_TEST(test_own)
{
	struct stat st;
	int fd = new_file_create(dir, "own"), again;

	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(fstat(fd, &st), 0);
	ck_assert_int_eq(st.st_mode & 0777, 0600);
	ck_assert_int_eq(write(fd, "text", 4), 4);
	again = new_file_again(fd);
	ck_assert_int_ge(again, 0);
	ck_assert_int_eq(lseek(again, 0, SEEK_CUR), 0);
	close(again);
	close(fd);
	ck_assert(new_file_is_own(dir, "own"));
	fd = new_file_open_own(dir, "own");
	ck_assert_int_ge(fd, 0);
	if (!geteuid()) {
		ck_assert_int_eq(fchown(fd, 65534, 65534), 0);
		ck_assert_int_eq(new_file_open_own(dir, "own"), -EPERM);
		ck_assert(!new_file_is_own(dir, "own"));
	}
	close(fd);
}
END_TEST

START_TEST(test_own_dir)
{
	struct stat st;
	int fd = new_file_make_dir(dir, "hidden"), file;

	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(faccessat(fd, ".gitignore", R_OK, 0), 0);
	ck_assert_int_eq(fstat(fd, &st), 0);
	ck_assert_int_eq(st.st_mode & 022, 0);
	ck_assert_int_eq(new_file_make_dir(dir, "hidden"), -EEXIST);
	file = new_file_create(fd, "left");
	close(file);
	ck_assert_int_eq(symlinkat("hidden", dir, "to"), 0);
	ck_assert_int_eq(new_file_open_own_dir(dir, "to"), -ENOTDIR);
	ck_assert_int_eq(new_file_open_own_dir(dir, "victim"), -ENOTDIR);
	ck_assert_int_eq(new_file_open_own_dir(dir, "none"), -ENOENT);
	if (!geteuid()) {
		ck_assert_int_eq(fchown(fd, 65534, 65534), 0);
		ck_assert_int_eq(new_file_open_own_dir(dir, "hidden"), -EPERM);
	}
	ck_assert_int_eq(new_file_remove_dir(dir, "hidden", fd), 0);
	close(fd);
	ck_assert_int_eq(faccessat(dir, "hidden", F_OK, 0), -1);
	ck_assert_int_eq(unlinkat(dir, "to", 0), 0);
}
END_TEST

/* Replacing a link leaves its target unchanged. */
START_TEST(test_replace)
{
	static const char *const names[] = { "link", "hard", "fifo", "new" };
	char path[64];
	struct new_file f;
	struct stat st;

	ck_assert_int_eq(symlinkat("victim", dir, "link"), 0);
	ck_assert_int_eq(linkat(dir, "victim", dir, "hard", 0), 0);
	ck_assert_int_eq(mkfifoat(dir, "fifo", 0666), 0);
	for (int hidden = 0; hidden < 2; hidden++) {
		for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
			snprintf(path, sizeof(path), "%s/%s", directory, names[i]);
			ck_assert_int_eq(
				hidden ? new_file_open_at(&f, dir, names[i], ".hidden")
				       : new_file_open(&f, path),
				0);
			ck_assert_int_eq(write(f.fd, "new", 3), 3);
			ck_assert_int_eq(new_file_commit(&f), 0);
			new_file_close(&f);
			check(names[i], "new");
			ck_assert_int_eq(fstatat(dir, names[i], &st, AT_SYMLINK_NOFOLLOW),
					 0);
			ck_assert(S_ISREG(st.st_mode));
			ck_assert_uint_eq(st.st_nlink, 1);
		}
	}
	check("victim", "victim");
	ck_assert_int_eq(nr_files(false), 5);
}
END_TEST

START_TEST(test_given_up)
{
	struct new_file f, second;

	ck_assert_int_eq(new_file_open_at(&f, dir, "new", NULL), 0);
	new_file_close(&f);
	ck_assert_int_eq(new_file_open_at(&f, dir, "new", ".hidden"), 0);
	ck_assert_int_eq(new_file_open_at(&second, dir, "new", ".hidden"), -EEXIST);
	new_file_close(&second);
	new_file_close(&f);
	unlinkat(dir, ".hidden", 0);
	/* A directory cannot be replaced; the attempt leaves no file. */
	ck_assert_int_eq(mkdirat(dir, "directory", 0700), 0);
	ck_assert_int_eq(new_file_open_at(&f, dir, "directory", NULL), 0);
	ck_assert_int_eq(new_file_commit(&f), -EISDIR);
	new_file_close(&f);
	ck_assert_int_eq(unlinkat(dir, "directory", AT_REMOVEDIR), 0);
	ck_assert_int_eq(nr_files(false), 1);
	ck_assert_int_eq(new_file_open(&f, "no/such"), -ENOENT);
	new_file_close(&f);
	ck_assert_int_eq(new_file_open(&f, ""), -EINVAL);
	new_file_close(&f);
	ck_assert_int_eq(new_file_open(&f, "directory/"), -EISDIR);
	new_file_close(&f);
}
END_TEST

START_TEST(test_token)
{
	char a[NEW_FILE_TOKEN], b[NEW_FILE_TOKEN];

	ck_assert_int_eq(new_file_token(a), 0);
	ck_assert_int_eq(new_file_token(b), 0);
	ck_assert_uint_eq(strspn(a, "0123456789abcdef"), NEW_FILE_TOKEN - 1);
	ck_assert_str_ne(a, b);
}
END_TEST

static void expect_dir(const char *path, uid_t other, int expected)
{
	int fd = new_file_open_dir(path, other);
	struct stat st;

	ck_assert_msg(expected ? fd == expected : fd >= 0, "%s: %d", path, fd);
	if (fd < 0)
		return;
	ck_assert_int_eq(fstat(fd, &st), 0);
	ck_assert(S_ISDIR(st.st_mode));
	close(fd);
}

/* Expects "real" to be a directory and all other names in the current directory to be links. */
static void expect_dirs(void)
{
	const uid_t nobody = (uid_t)-1;

	expect_dir("real", nobody, 0);
	expect_dir("b///", nobody, 0);
	expect_dir("./b/in/../../absolute", nobody, 0);
	expect_dir("/", nobody, 0);
	expect_dir("..", nobody, 0);
	expect_dir("", nobody, -ENOENT);
	expect_dir("loop", nobody, -ELOOP);
	expect_dir("dangling", nobody, -ENOENT);
	expect_dir("text", nobody, -ENOTDIR);
	expect_dir("file", nobody, -ENOTDIR);
	if (geteuid())
		return;
	/* A link of another user, and our own link to it. */
	ck_assert_int_eq(lchown("a", 65534, 65534), 0);
	expect_dir("a", nobody, -EPERM);
	expect_dir("a/", nobody, -EPERM);
	expect_dir("b", nobody, -EPERM);
	expect_dir("b", 65533, -EPERM);
	expect_dir("b", 65534, 0);
}

START_TEST(test_directories)
{
	static const char *const links[][2] = { { "real", "a" },
						{ "a/", "b" },
						{ "loop", "loop" },
						{ "nowhere", "dangling" },
						{ "text", "file" } };
	int back = open(".", O_RDONLY);
	char here[4096];
	size_t i;

	ck_assert_int_ge(back, 0);
	ck_assert_int_eq(fchdir(dir), 0);
	ck_assert_ptr_nonnull(getcwd(here, sizeof(here) - 8));
	put("text", "no directory");
	ck_assert_int_eq(mkdir("real", 0700), 0);
	ck_assert_int_eq(mkdir("real/in", 0700), 0);
	memcpy(here + strlen(here), "/real", 6);
	ck_assert_int_eq(symlink(here, "absolute"), 0);
	for (i = 0; i < ARRAY_SIZE(links); i++)
		ck_assert_int_eq(symlink(links[i][0], links[i][1]), 0);
	expect_dirs();
	ck_assert_int_eq(rmdir("real/in"), 0);
	ck_assert_int_eq(rmdir("real"), 0);
	ck_assert_int_eq(fchdir(back), 0);
	close(back);
}
END_TEST

Suite *test_new_file_suite(void)
{
	Suite *s = suite_create("base/new_file");
	TCase *tc = tcase_create("new_file");

	tcase_add_checked_fixture(tc, set_up, tear_down);
	tcase_add_test(tc, test_taken);
	tcase_add_test(tc, test_own);
	tcase_add_test(tc, test_own_dir);
	tcase_add_test(tc, test_replace);
	tcase_add_test(tc, test_given_up);
	tcase_add_test(tc, test_token);
	tcase_add_test(tc, test_directories);
	suite_add_tcase(s, tc);
	return s;
}

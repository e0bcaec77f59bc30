// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * tests: recording/source.h.
 */
#include <check.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "recording/source.h"
#include "source_file.h"

START_TEST(memory_reads_stay_inside)
{
	static const char data[] = "0123456789";
	struct source src;
	char buf[16] = "";

	source_open_memory(&src, data, 10);
	ck_assert_uint_eq(src.size, 10);
	ck_assert_int_eq(source_read(&src, buf, 3, 7), 0);
	ck_assert_int_eq(memcmp(buf, "789", 3), 0);
	ck_assert_int_eq(source_read(&src, buf, 4, 7), -ENODATA);
	ck_assert_int_eq(source_read(&src, buf, 1, 10), -ENODATA);
	ck_assert_int_eq(source_read(&src, buf, 2, UINT64_MAX), -ENODATA);
	ck_assert_int_eq(source_read(&src, buf, 0, 10), 0);
	source_close(&src);
}
END_TEST

START_TEST(file_that_shrinks_is_an_error_not_a_crash)
{
	char path[] = "/tmp/kmemx-test-XXXXXX";
	int fd = mkstemp(path);
	struct source src;
	char buf[8];

	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(write(fd, "abcdefgh", 8), 8);
	ck_assert_int_eq(source_open_file(&src, path), 0);
	ck_assert_uint_eq(src.size, 8);
	ck_assert_int_eq(source_read(&src, buf, 8, 0), 0);
	ck_assert_int_eq(memcmp(buf, "abcdefgh", 8), 0);
	ck_assert_int_eq(ftruncate(fd, 3), 0);
	ck_assert_int_eq(source_read(&src, buf, 8, 0), -ENODATA);
	source_close(&src);
	close(fd);
	unlink(path);
}
END_TEST

START_TEST(only_regular_files_open)
{
	char dir[] = "/tmp/kmemx-test-XXXXXX", fifo[64];
	struct source src;

	ck_assert_ptr_nonnull(mkdtemp(dir));
	snprintf(fifo, sizeof(fifo), "%s/fifo", dir);
	ck_assert_int_eq(mkfifo(fifo, 0600), 0);
	ck_assert_int_eq(source_open_file(&src, dir), -EISDIR);
	ck_assert_int_eq(source_open_file(&src, fifo), -ENODEV);
	unlink(fifo);
	ck_assert_int_eq(source_open_file(&src, fifo), -ENOENT);
	rmdir(dir);
}
END_TEST

START_TEST(holes_are_passed_over)
{
	char path[] = "/tmp/kmemx-test-XXXXXX";
	int fd = mkstemp(path);
	struct source src;

	ck_assert_int_ge(fd, 0);
	unlink(path);
	ck_assert_int_eq(ftruncate(fd, 64 << 20), 0);
	ck_assert_int_eq(pwrite(fd, "data", 4, 32 << 20), 4);
	ck_assert_int_eq(source_open_fd(&src, fd), 0);
	ck_assert_uint_le(source_next_data(&src, 5), 32 << 20);
	ck_assert_uint_eq(source_next_data(&src, (32 << 20) + 2), (32 << 20) + 2);
	ck_assert_uint_eq(source_next_data(&src, 64 << 20), 64 << 20);
	/* Not all filesystems have holes. */
	if (src.ops->next_data && lseek(fd, 0, SEEK_HOLE) == 0) {
		ck_assert_uint_eq(source_next_data(&src, 5), 32 << 20);
		ck_assert_uint_eq(source_next_data(&src, 48 << 20), 64 << 20);
	}
	source_close(&src);
	source_open_memory(&src, path, sizeof(path));
	ck_assert_uint_eq(source_next_data(&src, 3), 3);
	ck_assert_uint_eq(source_next_data(&src, 1000), sizeof(path));
	source_close(&src);
}
END_TEST

Suite *test_source_suite(void)
{
	Suite *s = suite_create("recording/source");
	TCase *tc = tcase_create("all");

	tcase_add_test(tc, memory_reads_stay_inside);
	tcase_add_test(tc, file_that_shrinks_is_an_error_not_a_crash);
	tcase_add_test(tc, only_regular_files_open);
	tcase_add_test(tc, holes_are_passed_over);
	suite_add_tcase(s, tc);
	return s;
}

// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * tests: free space on a disk.
 * In: a file, a pipe. Out: io_room() and the functions that use it.
 */
#include <check.h>
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <unistd.h>

#include "base/io.h"

Suite *test_io_suite(void);

START_TEST(room_of_a_file)
{
	FILE *f = tmpfile();
	uint64_t room;
	int ret;

	ck_assert_ptr_nonnull(f);
	ret = io_room(fileno(f), &room);
	/* -ENODATA: this filesystem does not limit files. */
	ck_assert(ret == 0 || ret == -ENODATA);
	if (!ret) {
		/* Other programs use the disk, but none can use all of UINT64_MAX. */
		ck_assert(io_lacks_room(fileno(f), UINT64_MAX));
		ck_assert(!io_lacks_room(fileno(f), 0));
		ck_assert_uint_eq(io_spare(fileno(f), 4096, 4096), 4096);
		ck_assert_uint_eq(io_spare(fileno(f), 1ULL << 60, UINT64_MAX),
				  1ULL << 60);
		ck_assert_uint_eq(io_spare(fileno(f), 4096, UINT64_MAX) % 4096, 0);
	}
	fclose(f);
}
END_TEST

START_TEST(room_of_a_pipe)
{
	uint64_t room;
	int fds[2];

	ck_assert_int_eq(pipe(fds), 0);
	ck_assert_int_eq(io_room(fds[1], &room), -ENODATA);
	ck_assert(!io_lacks_room(fds[1], UINT64_MAX));
	ck_assert_uint_eq(io_spare(fds[1], 4096, 8192), 4096);
	close(fds[0]);
	close(fds[1]);
	ck_assert_int_eq(io_room(fds[1], &room), -EBADF);
}
END_TEST

Suite *test_io_suite(void)
{
	Suite *s = suite_create("base/io");
	TCase *tc = tcase_create("io");

	tcase_add_test(tc, room_of_a_file);
	tcase_add_test(tc, room_of_a_pipe);
	suite_add_tcase(s, tc);
	return s;
}

// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * tests: reading and closing descriptors, and free space on a disk.
 * In: files, pipes. Out: the functions of base/io.h.
 */
#include <check.h>
#include <errno.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/wait.h>
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

static void ring(int sig)
{
}

/* Reading continues after a signal; a closed descriptor is gone, and a negative errno stays. */
START_TEST(reads_and_closes)
{
	struct sigaction handler = { .sa_handler = ring };
	int fds[2], failed = -EACCES;
	pid_t child;
	char byte;

	ck_assert_int_eq(pipe(fds), 0);
	ck_assert_int_eq(sigaction(SIGUSR1, &handler, NULL), 0);
	child = fork();
	if (!child) {
		for (int i = 0; i < 20; i++) {
			kill(getppid(), SIGUSR1);
			usleep(2000);
		}
		_exit(write(fds[1], "x", 1) != 1);
	}
	ck_assert_int_eq(io_read(fds[0], &byte, 1), 1);
	ck_assert_int_eq(byte, 'x');
	ck_assert_int_eq(waitpid(child, NULL, 0), child);
	io_close(&fds[1]);
	ck_assert_int_eq(fds[1], -1);
	ck_assert_int_eq(io_read(fds[0], &byte, 1), 0);
	io_close(&fds[0]);
	ck_assert_int_eq(io_read(fds[0], &byte, 1), -EBADF);
	io_close(&failed);
	ck_assert_int_eq(failed, -EACCES);
}
END_TEST

/* More than one buffer is copied, and the start of the target is overwritten. */
START_TEST(copies_the_rest)
{
	enum { SIZE = 200000 };
	static char made[SIZE], copied[SIZE];
	FILE *from = tmpfile(), *to = tmpfile();

	ck_assert(from && to);
	for (int i = 0; i < SIZE; i++)
		made[i] = (char)(i % 251);
	ck_assert_int_eq(io_pwrite_all(fileno(from), made, SIZE, 0), 0);
	ck_assert_int_eq(io_pwrite_all(fileno(to), "old", 3, 0), 0);
	ck_assert_int_eq(lseek(fileno(from), 100, SEEK_SET), 100);
	ck_assert_int_eq(io_copy_rest(fileno(from), fileno(to)), 0);
	ck_assert_int_eq(io_pread_all(fileno(to), copied, SIZE - 100, 0), 0);
	ck_assert_mem_eq(copied, made + 100, SIZE - 100);
	ck_assert_int_eq(lseek(fileno(to), 0, SEEK_END), SIZE - 100);
	ck_assert_int_eq(io_copy_rest(-1, fileno(to)), -EBADF);
	fclose(from);
	fclose(to);
}
END_TEST

Suite *test_io_suite(void)
{
	Suite *s = suite_create("base/io");
	TCase *tc = tcase_create("io");

	tcase_add_test(tc, room_of_a_file);
	tcase_add_test(tc, room_of_a_pipe);
	tcase_add_test(tc, reads_and_closes);
	tcase_add_test(tc, copies_the_rest);
	suite_add_tcase(s, tc);
	return s;
}

// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * tests: cmd/script/script.c, with a recording that is truncated while it is read.
 */
#include <check.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cmd/options/command.h"

#define RECORDING "data/bookworm-amd64-small-plain.v6.dat"
#define BAD_PAGE  262144 /* the last page: its warning comes after all others were read */

static char victim[] = "/tmp/kmemx-test-script.XXXXXX";

/* Makes a recording with a page that causes a warning. */
static int damaged_copy(void)
{
	char page[4096];
	int from = open(RECORDING, O_RDONLY), to = mkstemp(victim);
	ssize_t got;

	ck_assert_int_ge(from, 0);
	ck_assert_int_ge(to, 0);
	while ((got = read(from, page, sizeof(page))) > 0)
		ck_assert_int_eq(write(to, page, (size_t)got), got);
	close(from);
	memset(page, 0xff, sizeof(page));
	ck_assert_int_eq(pwrite(to, page, sizeof(page), BAD_PAGE), sizeof(page));
	return to;
}

/* Makes a full pipe, on which a writer waits until someone reads. */
static void full_pipe(int fds[2])
{
	char page[4096] = { 0 };

	ck_assert_int_eq(pipe2(fds, O_NONBLOCK), 0);
	while (write(fds[1], page, sizeof(page)) > 0)
		;
	ck_assert_int_eq(errno, EAGAIN);
	ck_assert_int_eq(fcntl(fds[0], F_SETFL, 0), 0);
	ck_assert_int_eq(fcntl(fds[1], F_SETFL, 0), 0);
}

static void wait_for_sleep(pid_t pid)
{
	char path[64], state = 0;
	int i;

	snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	for (i = 0; i < 5000 && state != 'S'; i++) {
		FILE *f = fopen(path, "r");

		usleep(1000);
		ck_assert_ptr_nonnull(f);
		if (fscanf(f, "%*d (%*[^)]) %c", &state) != 1)
			state = 0;
		fclose(f);
	}
	ck_assert_int_eq(state, 'S');
}

/* Reads all that was written to the pipe after it was filled. */
static void read_messages(int fd, char *text, size_t size)
{
	size_t len = 0;
	char c;

	while (read(fd, &c, 1) == 1)
		if (c && len + 1 < size)
			text[len++] = c;
	text[len] = '\0';
}

/* Short names need two passes over the events. The recording is truncated between them: the first
 * pass waits until then, as its warning goes to the full pipe.
 */
START_TEST(reopening_fails_with_one_message)
{
	char *argv[] = { "script", "--gfp-as", "short", victim, NULL };
	char text[8192], said[256], *last;
	int fd = damaged_copy(), fds[2], status;
	pid_t pid;

	full_pipe(fds);
	pid = fork();
	ck_assert_int_ge(pid, 0);
	if (!pid) {
		dup2(open("/dev/null", O_WRONLY), STDOUT_FILENO);
		dup2(fds[1], STDERR_FILENO);
		close(fds[1]);
		_exit(command_script.run(4, argv));
	}
	close(fds[1]);
	wait_for_sleep(pid);
	ck_assert_int_eq(ftruncate(fd, 0), 0);
	close(fd);
	read_messages(fds[0], text, sizeof(text));
	close(fds[0]);
	unlink(victim);
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	ck_assert(WIFEXITED(status));
	ck_assert_int_eq(WEXITSTATUS(status), EXIT_UNREADABLE);
	snprintf(said, sizeof(said),
		 "kmemx script: cannot read the events of %s: Input/output error\n",
		 victim);
	last = strstr(text, "kmemx script: cannot");
	ck_assert_ptr_nonnull(last);
	ck_assert_str_eq(last, said);
}
END_TEST

Suite *test_script_suite(void)
{
	Suite *s = suite_create("cmd/script");
	TCase *tc = tcase_create("reading");

	tcase_add_test(tc, reopening_fails_with_one_message);
	suite_add_tcase(s, tc);
	return s;
}

// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * tests: cmd/output/output.h, with stderr as a terminal and as a pipe.
 */
#include <check.h>
#include <fcntl.h>
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "cmd/output/output.h"

static int stderr_before = -1;

/* Redirects stderr to @fd until restore(). */
static void redirect(int fd)
{
	fflush(stderr);
	stderr_before = dup(STDERR_FILENO);
	ck_assert_int_ge(stderr_before, 0);
	ck_assert_int_ge(dup2(fd, STDERR_FILENO), 0);
	close(fd);
}

static void restore(void)
{
	fflush(stderr);
	dup2(stderr_before, STDERR_FILENO);
	close(stderr_before);
}

static void wait_ms(long ms)
{
	struct timespec pause = { ms / 1000, ms % 1000 * 1000000 };

	nanosleep(&pause, NULL);
}

/* Reads what has arrived at nonblocking @fd since the last time. A terminal may deliver it later:
 * waits if something must arrive.
 */
static const char *arrived(int fd, bool must)
{
	struct pollfd ready = { .fd = fd, .events = POLLIN };
	static char text[512];
	ssize_t n;

	fflush(stderr);
	poll(&ready, 1, must ? 10000 : 20);
	n = read(fd, text, sizeof(text) - 1);
	text[n > 0 ? n : 0] = 0;
	return text;
}

/* Opens a terminal; @slave is its other end. */
static int terminal(int *slave)
{
	int master = posix_openpt(O_RDWR | O_NOCTTY | O_NONBLOCK);

	ck_assert_int_ge(master, 0);
	ck_assert_int_eq(grantpt(master) || unlockpt(master), 0);
	*slave = open(ptsname(master), O_RDWR | O_NOCTTY);
	ck_assert_int_ge(*slave, 0);
	return master;
}

START_TEST(a_terminal_sees_work_that_takes_long)
{
	struct progress p;
	int slave, master = terminal(&slave);
	double percent, rate, left;
	const char *text;

	redirect(slave);
	progress_start(&p, "decoding");
	progress_show(&p, 10, 100, 1000000);
	ck_assert_str_eq(arrived(master, false), ""); /* less than a second has passed */
	wait_ms(1050);
	progress_show(&p, 25, 100, 4000000);
	text = arrived(master, true);
	ck_assert_msg(sscanf(text, "\r\033[Kdecoding %lf %% %lf M events/s %lf s left",
			     &percent, &rate, &left) == 3,
		      "'%s'", text);
	ck_assert_double_eq(percent, 25);
	/* Four million in 1.05 s, or longer if this process had to wait. */
	ck_assert(rate > 0 && rate <= 3.9);
	ck_assert(left >= 3); /* three quarters are left */
	progress_show(&p, 26, 100, 4000001);
	ck_assert_str_eq(arrived(master, false), ""); /* at most five lines per second */
	wait_ms(210);
	progress_show(&p, 0, 0, 5000000); /* the total may be unknown */
	text = arrived(master, true);
	ck_assert_ptr_nonnull(strstr(text, "M events/s"));
	ck_assert_ptr_null(strchr(text, '%'));
	progress_end(&p);
	ck_assert_str_eq(arrived(master, true), "\r\033[K");
	progress_end(&p);
	ck_assert_str_eq(arrived(master, false), "");
	restore();
	close(master);
}
END_TEST

START_TEST(short_work_leaves_nothing_on_a_terminal)
{
	struct progress p;
	int slave, master = terminal(&slave);

	redirect(slave);
	progress_start(&p, "decoding");
	progress_show(&p, 50, 100, 10);
	progress_end(&p);
	ck_assert_str_eq(arrived(master, false), "");
	restore();
	close(master);
}
END_TEST

START_TEST(a_pipe_sees_none)
{
	struct progress p;
	int ends[2];

	ck_assert_int_eq(pipe2(ends, O_NONBLOCK), 0);
	redirect(ends[1]);
	progress_start(&p, "decoding");
	wait_ms(1050);
	progress_show(&p, 25, 100, 4000000);
	progress_end(&p);
	ck_assert_str_eq(arrived(ends[0], false), "");
	restore();
	close(ends[0]);
}
END_TEST

Suite *test_progress_suite(void)
{
	Suite *s = suite_create("cmd/progress");
	TCase *tc = tcase_create("all");

	tcase_add_test(tc, a_terminal_sees_work_that_takes_long);
	tcase_add_test(tc, short_work_leaves_nothing_on_a_terminal);
	tcase_add_test(tc, a_pipe_sees_none);
	suite_add_tcase(s, tc);
	return s;
}

// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * tests: the progress line of cmd/record/recorder.c, with stderr as a terminal and as a pipe.
 */
#include <check.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "cmd/record/recorder.h"

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

/* Reads what has arrived at nonblocking @fd. A terminal may deliver it in pieces: waits for @size
 * bytes.
 */
static const char *arrived(int fd, size_t size)
{
	struct pollfd ready = { .fd = fd, .events = POLLIN };
	static char text[512];
	size_t len = 0;
	ssize_t n;

	fflush(stderr);
	do {
		poll(&ready, 1, size ? 10000 : 20);
		n = read(fd, text + len, sizeof(text) - 1 - len);
		len += n > 0 ? (size_t)n : 0;
	} while (n > 0 && len < size);
	text[len] = 0;
	return text;
}

#define check_arrived(fd, wanted) ck_assert_str_eq(arrived(fd, strlen(wanted)), wanted)

/* Opens a terminal of @columns; @slave is its other end. */
static int terminal(int *slave, unsigned short columns)
{
	const struct winsize size = { .ws_row = 24, .ws_col = columns };
	int master = posix_openpt(O_RDWR | O_NOCTTY | O_NONBLOCK);

	ck_assert_int_ge(master, 0);
	ck_assert_int_eq(grantpt(master) || unlockpt(master), 0);
	*slave = open(ptsname(master), O_RDWR | O_NOCTTY);
	ck_assert_int_ge(*slave, 0);
	ck_assert_int_eq(ioctl(*slave, TIOCSWINSZ, &size), 0);
	return master;
}

START_TEST(the_rate_is_that_since_the_line_before)
{
	struct live_line l = { 0 };
	int slave, master = terminal(&slave, 100);

	redirect(slave);
	live_line_start(&l, true);
	live_line_show(&l, &(struct capture_progress){ 5000, 0, 2048, 500000000 });
	check_arrived(master,
		      "\r\033[Krecording 0 s: 5000 events, 10000/s, 2.0 KiB, none lost");
	live_line_show(&l,
		       &(struct capture_progress){ 1342000, 7, 71722598, 3000000000 });
	check_arrived(master,
		      "\r\033[Krecording 3 s: 1.34 M events, 0.53 M/s, 68.4 MiB, 7 LOST");
	/* Another process reset the kernel's counters. */
	live_line_show(&l, &(struct capture_progress){ 10, 7, 71722598, 4000000000 });
	check_arrived(master, "\r\033[Krecording 4 s: 10 events, 0/s, 68.4 MiB, 7 LOST");
	live_line_end(&l);
	check_arrived(master, "\r\033[K");
	live_line_end(&l);
	check_arrived(master, "");
	restore();
	close(master);
}
END_TEST

START_TEST(a_line_that_would_wrap_is_not_shown)
{
	struct live_line l = { 0 };
	int slave, master = terminal(&slave, 40);

	redirect(slave);
	live_line_start(&l, true);
	live_line_show(&l, &(struct capture_progress){ 5000, 0, 2048, 500000000 });
	live_line_end(&l);
	check_arrived(master, "");
	restore();
	close(master);
}
END_TEST

static void say(void *ctx, enum log_level level, const char *kind, const char *message)
{
	fprintf(stderr, "%s\n", message);
}

START_TEST(a_message_takes_its_place)
{
	struct live_line l = { 0 };
	struct log log = live_line_log(&l, (struct log){ say, NULL });
	int slave, master = terminal(&slave, 100);

	redirect(slave);
	live_line_start(&l, true);
	live_line_show(&l, &(struct capture_progress){ 5000, 0, 2048, 500000000 });
	check_arrived(master,
		      "\r\033[Krecording 0 s: 5000 events, 10000/s, 2.0 KiB, none lost");
	log_msg(&log, LOG_WARN, "a CPU came");
	check_arrived(master, "\r\033[Ka CPU came\r\n");
	restore();
	close(master);
}
END_TEST

START_TEST(a_pipe_sees_none)
{
	struct live_line l = { 0 };
	int ends[2];

	ck_assert_int_eq(pipe2(ends, O_NONBLOCK), 0);
	redirect(ends[1]);
	live_line_start(&l, true);
	live_line_show(&l, &(struct capture_progress){ 5000, 0, 2048, 500000000 });
	live_line_end(&l);
	ck_assert_str_eq(arrived(ends[0], false), "");
	restore();
	close(ends[0]);
}
END_TEST

Suite *test_live_line_suite(void)
{
	Suite *s = suite_create("cmd/live_line");
	TCase *tc = tcase_create("all");

	tcase_add_test(tc, the_rate_is_that_since_the_line_before);
	tcase_add_test(tc, a_line_that_would_wrap_is_not_shown);
	tcase_add_test(tc, a_message_takes_its_place);
	tcase_add_test(tc, a_pipe_sees_none);
	suite_add_tcase(s, tc);
	return s;
}

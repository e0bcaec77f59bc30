// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * tests: the progress line of cmd/record/recorder.c, with stderr as a terminal and as a pipe.
 */
#include <check.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cmd/record/recorder.h"
#include "stderr_to.h"

#define check_arrived(fd, wanted) ck_assert_str_eq(arrived(fd, strlen(wanted)), wanted)

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
	/* At most five digits. */
	live_line_show(&l, &(struct capture_progress){ 999996010, 0, 0, 5000000000 });
	check_arrived(
		master,
		"\r\033[Krecording 5 s: 1.00 G events, 1.00 G/s, 0.0 KiB, none lost");
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
	ck_assert_str_eq(arrived(ends[0], 0), "");
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

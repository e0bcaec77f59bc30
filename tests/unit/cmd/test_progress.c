// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * tests: cmd/output/output.h, with stderr as a terminal and as a pipe.
 */
#include <check.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "cmd/output/output.h"
#include "stderr_to.h"

static void wait_ms(long ms)
{
	struct timespec pause = { ms / 1000, ms % 1000 * 1000000 };

	nanosleep(&pause, NULL);
}

START_TEST(a_terminal_sees_work_that_takes_long)
{
	struct progress p;
	int slave, master = terminal(&slave, 80);
	double percent, rate, left;
	const char *text;

	redirect(slave);
	progress_start(&p, "decoding");
	progress_show(&p, 10, 100, 1000000);
	ck_assert_str_eq(arrived(master, 0), ""); /* less than a second has passed */
	wait_ms(1050);
	progress_show(&p, 25, 100, 4000000);
	text = arrived(master, 1);
	ck_assert_msg(sscanf(text, "\r\033[Kdecoding %lf %% %lf M events/s %lf s left",
			     &percent, &rate, &left) == 3,
		      "'%s'", text);
	ck_assert_double_eq(percent, 25);
	/* Four million in 1.05 s, or longer if this process had to wait. */
	ck_assert(rate > 0 && rate <= 3.9);
	ck_assert(left >= 3); /* three quarters are left */
	progress_show(&p, 26, 100, 4000001);
	ck_assert_str_eq(arrived(master, 0), ""); /* at most five lines per second */
	wait_ms(210);
	progress_show(&p, 0, 0, 5000000); /* the total may be unknown */
	text = arrived(master, 1);
	ck_assert_ptr_nonnull(strstr(text, "M events/s"));
	ck_assert_ptr_null(strchr(text, '%'));
	progress_end(&p);
	ck_assert_str_eq(arrived(master, 1), "\r\033[K");
	progress_end(&p);
	ck_assert_str_eq(arrived(master, 0), "");
	restore();
	close(master);
}
END_TEST

START_TEST(short_work_leaves_nothing_on_a_terminal)
{
	struct progress p;
	int slave, master = terminal(&slave, 80);

	redirect(slave);
	progress_start(&p, "decoding");
	progress_show(&p, 50, 100, 10);
	progress_end(&p);
	ck_assert_str_eq(arrived(master, 0), "");
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
	ck_assert_str_eq(arrived(ends[0], 0), "");
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

// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * workload: a server's requests, each with its own timer. One request in four fails, and its error
 * path forgets to close the timer, unless the program is called "fixed".
 * In: how many. Out: N/4 live timerfds while the program waits for a signal.
 *
 * usage: requests N [fixed]
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/timerfd.h>
#include <unistd.h>

static int handle(unsigned long nr, int fixed)
{
	const struct itimerspec timeout = { .it_value = { .tv_sec = 30 } };
	int timer = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC);

	if (timer < 0 || timerfd_settime(timer, 0, &timeout, NULL))
		return -errno;
	if (nr % 4 == 3) {
		if (fixed)
			close(timer);
		return 0;
	}
	close(timer);
	return 0;
}

int main(int argc, char **argv)
{
	unsigned long i, nr = argc > 1 ? strtoul(argv[1], NULL, 10) : 0;
	int fixed = argc > 2 && !strcmp(argv[2], "fixed");

	for (i = 0; i < nr; i++) {
		int ret = handle(i, fixed);

		if (ret) {
			fprintf(stderr, "requests: %s\n", strerror(-ret));
			return 1;
		}
	}
	pause();
	return 0;
}

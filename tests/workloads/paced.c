// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * workload: allocates at a known rate.
 * In: how many timers per second, and for how many milliseconds. Out: that many timer descriptors,
 * each created and closed, a thousandth of a second's number every millisecond.
 *
 * usage: paced PER_SECOND MILLISECONDS
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

static int make(unsigned long nr)
{
	for (; nr; nr--) {
		int fd = timerfd_create(CLOCK_MONOTONIC, 0);

		if (fd < 0) {
			perror("paced: timerfd_create");
			return 1;
		}
		close(fd);
	}
	return 0;
}

int main(int argc, char **argv)
{
	unsigned long rate = argc > 1 ? strtoul(argv[1], NULL, 10) : 0;
	unsigned long ms = argc > 2 ? strtoul(argv[2], NULL, 10) : 0, i;
	struct timespec next;
	int ret = 0;

	if (rate < 1000 || !ms)
		return 2;
	clock_gettime(CLOCK_MONOTONIC, &next);
	for (i = 0; i < ms && !ret; i++) {
		ret = make(rate * (i + 1) / 1000 - rate * i / 1000);
		next.tv_nsec += 1000000;
		next.tv_sec += next.tv_nsec / 1000000000;
		next.tv_nsec %= 1000000000;
		clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &next, NULL);
	}
	return ret;
}

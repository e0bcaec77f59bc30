// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * workload: objects freed without an event: POSIX timers, by kfree_rcu().
 * In: how many, and how many milliseconds to wait after deleting them. Out: that many timers
 * created and deleted.
 *
 * usage: timers N [WAIT_MS]
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

int main(int argc, char **argv)
{
	size_t nr = argc > 1 ? strtoul(argv[1], NULL, 10) : 0, i;
	long wait = argc > 2 ? strtol(argv[2], NULL, 10) : 0;
	timer_t *timers = calloc(nr + 1, sizeof(*timers));
	struct sigevent none = { .sigev_notify = SIGEV_NONE };
	struct timespec time = { wait / 1000, wait % 1000 * 1000000 };

	if (!nr || !timers)
		return 2;
	for (i = 0; i < nr; i++) {
		if (timer_create(CLOCK_MONOTONIC, &none, &timers[i])) {
			perror("timer_create");
			return 1;
		}
	}
	for (i = 0; i < nr; i++)
		timer_delete(timers[i]);
	nanosleep(&time, NULL);
	free(timers);
	return 0;
}

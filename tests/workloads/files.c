// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * workload: opens files and keeps them open.
 * In: how many, and for how many milliseconds. Out: N live struct file in this time.
 *
 * usage: files N [MILLISECONDS]
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>

int main(int argc, char **argv)
{
	unsigned long i, nr = argc > 1 ? strtoul(argv[1], NULL, 10) : 0;
	unsigned long ms = argc > 2 ? strtoul(argv[2], NULL, 10) : 0;
	struct timespec pause = { (time_t)(ms / 1000), (long)(ms % 1000) * 1000000 };
	struct rlimit limit = { nr + 64, nr + 64 };

	if (setrlimit(RLIMIT_NOFILE, &limit) && nr > 900) {
		perror("files: setrlimit");
		return 77;
	}
	for (i = 0; i < nr; i++) {
		if (open("/dev/null", O_RDONLY) < 0) {
			perror("files: open");
			return 1;
		}
	}
	nanosleep(&pause, NULL);
	return 0;
}

// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * workload: opens sockets and keeps them open.
 * In: how many pairs, and for how many milliseconds. Out: 2 N connected Unix sockets, and 2 N
 * files.
 *
 * usage: sockets N [MILLISECONDS]
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <time.h>

int main(int argc, char **argv)
{
	unsigned long i, nr = argc > 1 ? strtoul(argv[1], NULL, 10) : 0;
	unsigned long ms = argc > 2 ? strtoul(argv[2], NULL, 10) : 0;
	struct timespec pause = { (time_t)(ms / 1000), (long)(ms % 1000) * 1000000 };
	struct rlimit limit = { 2 * nr + 64, 2 * nr + 64 };

	if (setrlimit(RLIMIT_NOFILE, &limit) && nr > 400) {
		perror("sockets: setrlimit");
		return 77;
	}
	for (i = 0; i < nr; i++) {
		int fd[2];

		if (socketpair(AF_UNIX, SOCK_STREAM, 0, fd)) {
			perror("sockets: socketpair");
			return 1;
		}
	}
	nanosleep(&pause, NULL);
	return 0;
}

// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * workload: opens pipes and keeps them open.
 * In: how many, for how many milliseconds, and how many pages of data to leave in each. Out: N
 * struct pipe_inode_info, 2 N files, and N x PAGES pages that cannot be moved.
 *
 * usage: pipes N [MILLISECONDS [PAGES]]
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

/* A pipe has room for 16 pages. */
static int fill(int fd, unsigned long pages)
{
	static char page[1 << 16];
	size_t size = (size_t)sysconf(_SC_PAGESIZE);

	for (; pages; pages--) {
		if (write(fd, page, size) != (ssize_t)size)
			return -1;
	}
	return 0;
}

int main(int argc, char **argv)
{
	unsigned long i, nr = argc > 1 ? strtoul(argv[1], NULL, 10) : 0;
	unsigned long ms = argc > 2 ? strtoul(argv[2], NULL, 10) : 0;
	unsigned long pages = argc > 3 ? strtoul(argv[3], NULL, 10) : 0;
	struct timespec pause = { (time_t)(ms / 1000), (long)(ms % 1000) * 1000000 };
	struct rlimit limit = { 2 * nr + 64, 2 * nr + 64 };

	if (setrlimit(RLIMIT_NOFILE, &limit) && nr > 400) {
		perror("pipes: setrlimit");
		return 77;
	}
	for (i = 0; i < nr; i++) {
		int fd[2];

		if (pipe(fd)) {
			perror("pipes: pipe");
			return 1;
		}
		if (fill(fd[1], pages)) {
			perror("pipes: write");
			return 1;
		}
	}
	nanosleep(&pause, NULL);
	return 0;
}

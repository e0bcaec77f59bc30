// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * workload: holds a known number of pages of a known kind.
 * In: pipes or an unnamed file (tmpfs), how many pages, how many of the file's to free again, and
 * for how many milliseconds to hold the others. Out: N - LESS pages of order 0.
 *
 * usage: pages pipe|memfd N [LESS [MILLISECONDS]]      LESS: 0 for pipes
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

/* A pipe's capacity by default. */
#define PER_PIPE 16

static char text[1 << 16];

static int put(int fd, size_t page)
{
	if (write(fd, text, page) == (ssize_t)page)
		return 0;
	perror("pages: write");
	return 1;
}

static int in_pipes(unsigned long nr, size_t page)
{
	const struct rlimit limit = { nr / 4 + 64, nr / 4 + 64 };
	unsigned long i;
	int fds[2] = { -1, -1 };

	if (setrlimit(RLIMIT_NOFILE, &limit)) {
		perror("pages: setrlimit");
		return 77;
	}
	for (i = 0; i < nr; i++) {
		if (i % PER_PIPE == 0 && pipe(fds)) {
			perror("pages: pipe");
			return 1;
		}
		if (put(fds[1], page))
			return 1;
	}
	return 0;
}

static int in_file(unsigned long nr, unsigned long less, size_t page)
{
	int fd = memfd_create("pages", 0);
	unsigned long i;

	if (fd < 0) {
		perror("pages: memfd_create");
		return 77;
	}
	for (i = 0; i < nr; i++) {
		if (put(fd, page))
			return 1;
	}
	if (ftruncate(fd, (off_t)((nr - less) * page))) {
		perror("pages: ftruncate");
		return 1;
	}
	return 0;
}

int main(int argc, char **argv)
{
	unsigned long nr = argc > 2 ? strtoul(argv[2], NULL, 10) : 0;
	unsigned long less = argc > 3 ? strtoul(argv[3], NULL, 10) : 0;
	unsigned long ms = argc > 4 ? strtoul(argv[4], NULL, 10) : 0;
	struct timespec pause = { (time_t)(ms / 1000), (long)(ms % 1000) * 1000000 };
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	int ret;

	if (!nr || less > nr || page > sizeof(text))
		return 2;
	ret = strcmp(argv[1], "pipe") ? in_file(nr, less, page) : in_pipes(nr, page);
	if (!ret)
		nanosleep(&pause, NULL);
	return ret;
}

// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * workload: adds and removes epoll items, which the kernel frees through RCU, in bulk; or keeps
 * them.
 * In: how many, and for how many milliseconds to keep them. Out: N struct epitem allocated; without
 * a time none of them is left.
 *
 * usage: epoll N [MILLISECONDS]
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

/* Each item belongs to a descriptor: uses many for one file. */
static int keep(int ep, int fd, unsigned long nr, unsigned long ms)
{
	struct timespec pause = { (time_t)(ms / 1000), (long)(ms % 1000) * 1000000 };
	struct epoll_event event = { .events = EPOLLIN };
	struct rlimit limit = { nr + 64, nr + 64 };
	unsigned long i;

	if (setrlimit(RLIMIT_NOFILE, &limit) && nr > 900) {
		perror("epoll: setrlimit");
		return 77;
	}
	for (i = 0; i < nr; i++) {
		int copy = dup(fd);

		if (copy < 0 || epoll_ctl(ep, EPOLL_CTL_ADD, copy, &event)) {
			perror("epoll: keep");
			return 1;
		}
	}
	nanosleep(&pause, NULL);
	return 0;
}

int main(int argc, char **argv)
{
	unsigned long i, nr = argc > 1 ? strtoul(argv[1], NULL, 10) : 0;
	unsigned long ms = argc > 2 ? strtoul(argv[2], NULL, 10) : 0;
	struct epoll_event event = { .events = EPOLLIN };
	int ep = epoll_create1(0), fd = eventfd(0, 0);

	if (ep < 0 || fd < 0) {
		perror("epoll");
		return 1;
	}
	if (ms)
		return keep(ep, fd, nr, ms);
	for (i = 0; i < nr; i++) {
		if (epoll_ctl(ep, EPOLL_CTL_ADD, fd, &event) ||
		    epoll_ctl(ep, EPOLL_CTL_DEL, fd, NULL)) {
			perror("epoll: epoll_ctl");
			return 1;
		}
	}
	return 0;
}

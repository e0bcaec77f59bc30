// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * workload: adds and removes epoll items, which the kernel frees through RCU, in bulk.
 * In: how many. Out: N struct epitem allocated; none of them is left.
 *
 * usage: epoll N
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	unsigned long i, nr = argc > 1 ? strtoul(argv[1], NULL, 10) : 0;
	struct epoll_event event = { .events = EPOLLIN };
	int ep = epoll_create1(0), fd = eventfd(0, 0);

	if (ep < 0 || fd < 0) {
		perror("epoll");
		return 1;
	}
	for (i = 0; i < nr; i++) {
		if (epoll_ctl(ep, EPOLL_CTL_ADD, fd, &event) ||
		    epoll_ctl(ep, EPOLL_CTL_DEL, fd, NULL)) {
			perror("epoll: epoll_ctl");
			return 1;
		}
	}
	return 0;
}

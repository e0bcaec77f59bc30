// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * workload: asks the kernel for blocks of 2 MiB, the order of a huge page, which may fail.
 * In: how many, and a control group. Out: N requests of order 9; the number that failed.
 *
 * Each child sets up an io_uring of 32768 entries, whose first allocation is its rings: 1 MiB of
 * completions and more, in one block that is charged to its memory control group. If the group's
 * limit is lower, the kernel frees the block again and reports a failed allocation, so the
 * machine's memory need not be short. A child killed by the group's OOM killer (in kernels that
 * then try single pages) has made its request, too.
 *
 * usage: order9 N [GROUP/cgroup.procs]
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/io_uring.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define ENTRIES 32768U

/* Exit code of a child: the result of its request. */
enum outcome { GRANTED, FAILED, REFUSED = 77 };

/* In a child: joins the group and makes the request. */
static int ask(const char *procs)
{
	struct io_uring_params params = { 0 };
	int fd = procs ? open(procs, O_WRONLY) : -1;

	if (procs && (fd < 0 || write(fd, "0", 1) != 1)) {
		perror("order9: joining the control group");
		return REFUSED;
	}
	if (syscall(__NR_io_uring_setup, ENTRIES, &params) >= 0)
		return GRANTED;
	if (errno == ENOMEM)
		return FAILED;
	perror("order9: io_uring_setup");
	return REFUSED;
}

int main(int argc, char **argv)
{
	unsigned long i, nr = argc > 1 ? strtoul(argv[1], NULL, 10) : 0, failed = 0;
	int status;

	for (i = 0; i < nr; i++) {
		pid_t child = fork();

		if (!child)
			_exit(ask(argc > 2 ? argv[2] : NULL));
		if (child < 0 || waitpid(child, &status, 0) != child) {
			perror("order9: a child");
			return 1;
		}
		if (WIFEXITED(status) && WEXITSTATUS(status) == REFUSED)
			return REFUSED;
		failed += !WIFEXITED(status) || WEXITSTATUS(status) != GRANTED;
	}
	printf("%lu\n", failed);
	return 0;
}

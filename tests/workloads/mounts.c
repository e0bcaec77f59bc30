// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * workload: mounts that stay, in its own mount namespace.
 * In: how many, for how many milliseconds, and an empty directory. Out: N mounts on it; every third
 * is a new tmpfs, the others mount the one below again.
 *
 * usage: mounts N MILLISECONDS DIR
 */
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mount.h>
#include <time.h>

int main(int argc, char **argv)
{
	unsigned long i, nr = argc > 1 ? strtoul(argv[1], NULL, 10) : 0;
	unsigned long ms = argc > 2 ? strtoul(argv[2], NULL, 10) : 0;
	struct timespec pause = { (time_t)(ms / 1000), (long)(ms % 1000) * 1000000 };

	if (argc < 4)
		return 2;
	/* These mounts end with the namespace, and no other process sees them. */
	if (unshare(CLONE_NEWNS) || mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL)) {
		perror("mounts: unshare");
		return 77;
	}
	for (i = 0; i < nr; i++) {
		bool own = i % 3 == 0;

		if (mount(own ? "none" : argv[3], argv[3], own ? "tmpfs" : NULL,
			  own ? 0 : MS_BIND, NULL)) {
			perror("mounts: mount");
			return 1;
		}
	}
	nanosleep(&pause, NULL);
	return 0;
}

// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * tests: opens and closes pipes, for tests/live/diff_known.sh.
 * In: iterations, and pipes for each. Out: that many pipes, all closed.
 *
 * usage: pipes ITERATIONS PIPES
 */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	unsigned long nr = argc > 1 ? strtoul(argv[1], NULL, 10) : 0;
	unsigned long each = argc > 2 ? strtoul(argv[2], NULL, 10) : 1;
	unsigned long i, k;

	for (i = 0; i < nr; i++) {
		for (k = 0; k < each; k++) {
			int fds[2];

			if (pipe(fds)) {
				perror("pipes");
				return 1;
			}
			close(fds[0]);
			close(fds[1]);
		}
	}
	return 0;
}

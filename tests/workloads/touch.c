// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * workload: maps memory and touches each page of it.
 * In: how many pages, and for how many milliseconds to keep them. Out: N pages of order 0.
 *
 * usage: touch PAGES [MILLISECONDS]
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	unsigned long i, nr = argc > 1 ? strtoul(argv[1], NULL, 10) : 0;
	unsigned long ms = argc > 2 ? strtoul(argv[2], NULL, 10) : 0;
	struct timespec pause = { (time_t)(ms / 1000), (long)(ms % 1000) * 1000000 };
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	char *map = mmap(NULL, nr * page, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (map == MAP_FAILED) {
		perror("touch: mmap");
		return 1;
	}
	/* Small pages, not huge ones. */
	madvise(map, nr * page, MADV_NOHUGEPAGE);
	for (i = 0; i < nr; i++)
		*(volatile char *)(map + i * page) = 1;
	nanosleep(&pause, NULL);
	return 0;
}

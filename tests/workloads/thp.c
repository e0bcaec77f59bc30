// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * workload: allocates huge pages and splits them.
 * In: how many, and how. Out: N blocks of the order of a huge page, freed in smaller pieces.
 *
 * cold: marks one page of each as cold, which splits its huge page. part: frees half of each, which
 * leaves the block whole until memory is short.
 *
 * usage: thp N cold|part
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#ifndef MADV_COLD
#define MADV_COLD 20
#endif

#define HUGE_BYTES (2UL << 20)

/* Kilobytes of huge pages that this process has. */
static unsigned long huge_kb(void)
{
	char line[256];
	unsigned long kb = 0;
	FILE *f = fopen("/proc/self/smaps_rollup", "r");

	while (f && fgets(line, sizeof(line), f))
		if (sscanf(line, "AnonHugePages: %lu kB", &kb) == 1)
			break;
	if (f)
		fclose(f);
	return kb;
}

int main(int argc, char **argv)
{
	unsigned long i, nr = argc > 1 ? strtoul(argv[1], NULL, 10) : 0;
	int cold = argc > 2 && !strcmp(argv[2], "cold");
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	char *map = mmap(NULL, (nr + 1) * HUGE_BYTES, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (map == MAP_FAILED) {
		perror("thp: mmap");
		return 1;
	}
	map = (char *)(((uintptr_t)map + HUGE_BYTES - 1) & ~(HUGE_BYTES - 1));
	if (madvise(map, nr * HUGE_BYTES, MADV_HUGEPAGE)) {
		perror("thp: madvise(MADV_HUGEPAGE)");
		return 77;
	}
	for (i = 0; i < nr; i++)
		*(volatile char *)(map + i * HUGE_BYTES) = 1;
	printf("%lu\n", huge_kb() / (HUGE_BYTES >> 10));
	for (i = 0; i < nr; i++) {
		char *block = map + i * HUGE_BYTES;

		if (cold ? madvise(block + page, page, MADV_COLD)
			 : madvise(block, HUGE_BYTES / 2, MADV_DONTNEED)) {
			perror("thp: madvise");
			return 77;
		}
	}
	return 0;
}

// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * tests: page faults below functions with known names and frame pointers.
 * In: PAGES [SECONDS]. Out: inner(), called by outer(), called by main(), touches that many new
 * pages. The program then waits that long.
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#define PAGE 4096UL

static __attribute__((noinline)) void inner(char *mem, size_t pages)
{
	for (size_t i = 0; i < pages; i++)
		((volatile char *)mem)[i * PAGE] = 1;
}

static __attribute__((noinline)) int outer(size_t pages)
{
	char *mem = mmap(NULL, pages * PAGE, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (mem == MAP_FAILED || madvise(mem, pages * PAGE, MADV_NOHUGEPAGE))
		return 1;
	inner(mem, pages);
	return munmap(mem, pages * PAGE) != 0;
}

int main(int argc, char **argv)
{
	int ret;

	if (argc != 2 && argc != 3) {
		fprintf(stderr, "usage: callers PAGES [SECONDS]\n");
		return 2;
	}
	ret = outer(strtoul(argv[1], NULL, 10));
	if (argc == 3)
		sleep((unsigned int)strtoul(argv[2], NULL, 10));
	return ret;
}

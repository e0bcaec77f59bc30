// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * workload: runs a command on a small machine with fragmented free memory.
 * In: a command, and how much memory it may have. Out: its exit code. Few or no blocks of the order
 * of a huge page are free when it begins; stderr says how many.
 *
 * Allocates until no memory is free, or the kernel needs the rest for itself; then frees every
 * second 64 KiB of what it took first. The memory between these pieces stays, as there is no swap,
 * and only compaction moves it. Meant for virtual machines: refuses to run with more than 2 GiB.
 *
 * usage: fragment MEGABYTES COMMAND...
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#define MB	   (1UL << 20)
#define PIECE	   (64UL << 10)
#define LIMIT_KB   (2UL << 20) /* of a machine's memory */
#define RESERVE_KB (8UL << 10) /* left to the kernel, in addition to its reserve */
#define HUGE_ORDER 9

/* The value of a line in /proc/meminfo, in KiB. */
static unsigned long meminfo_kb(const char *name)
{
	char line[256];
	unsigned long kb = 0;
	FILE *f = fopen("/proc/meminfo", "r");

	while (f && fgets(line, sizeof(line), f))
		if (!strncmp(line, name, strlen(name)))
			kb = strtoul(line + strlen(name) + 1, NULL, 10);
	if (f)
		fclose(f);
	return kb;
}

/* The kernel's reserve: below about twice that it kills processes. */
static unsigned long min_free_kb(void)
{
	unsigned long kb = 0;
	FILE *f = fopen("/proc/sys/vm/min_free_kbytes", "r");

	if (f) {
		if (fscanf(f, "%lu", &kb) != 1)
			kb = 0;
		fclose(f);
	}
	return kb;
}

/* The number of free blocks of the order of a huge page, or larger. */
static unsigned long huge_blocks(void)
{
	char line[512], *next, *at;
	unsigned long sum = 0, nr;
	FILE *f = fopen("/proc/buddyinfo", "r");

	while (f && fgets(line, sizeof(line), f)) {
		unsigned int order = 0;

		at = strstr(line, "zone");
		strtok_r(at ? at : line, " ", &at); /* "zone" */
		strtok_r(NULL, " ", &at);	    /* its name */
		while ((next = strtok_r(NULL, " \n", &at))) {
			nr = strtoul(next, NULL, 10);
			sum += order++ >= HUGE_ORDER ? nr : 0;
		}
	}
	if (f)
		fclose(f);
	return sum;
}

/* Allocates a megabyte at a time. Returns how many bytes of @map were taken. */
static size_t fill(char *map, size_t size)
{
	unsigned long reserve = 2 * min_free_kb() + RESERVE_KB;
	size_t done = 0;

	while (done + MB <= size && huge_blocks() && meminfo_kb("MemFree") > reserve) {
		memset(map + done, 1, MB);
		done += MB;
	}
	return done;
}

int main(int argc, char **argv)
{
	unsigned long keep = argc > 2 ? strtoul(argv[1], NULL, 10) * MB : 0;
	size_t size = meminfo_kb("MemTotal") << 10, i, taken;
	char *map;
	int status;

	if (!keep || meminfo_kb("MemTotal") > LIMIT_KB) {
		fprintf(stderr, "fragment: not here: this machine has too much memory\n");
		return 77;
	}
	map = mmap(NULL, size, PROT_READ | PROT_WRITE,
		   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (map == MAP_FAILED) {
		perror("fragment: memory");
		return 1;
	}
	madvise(map, size, MADV_NOHUGEPAGE); /* fails if there are none */
	taken = fill(map, size);
	for (i = 0; i < 2 * keep && i + PIECE <= taken; i += 2 * PIECE)
		madvise(map + i, PIECE, MADV_DONTNEED);
	fprintf(stderr, "fragment: took %zu MiB; free %lu KiB; %lu huge blocks\n",
		taken / MB, meminfo_kb("MemFree"), huge_blocks());
	if (!fork()) {
		execvp(argv[2], argv + 2);
		_exit(127);
	}
	return wait(&status) > 0 && WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * workload: objects that the kernel allocates or frees in bulk, or frees through RCU, without an
 * event of kmem; all of them are freed at the end.
 * In: what to do, and how often. Out: N nodes and more of maple trees (maps: mappings that cannot
 * be merged; fork: children of a process with 500 of them; threads), or N struct timerfd_ctx
 * (timerfds).
 *
 * usage: unseen maps|fork|threads|timerfds N
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/timerfd.h>
#include <sys/wait.h>
#include <unistd.h>

#define VMAS 500

/* Every other page is read-only: none of the mappings can be merged with another. */
static int maps(unsigned long nr)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE), size = nr * 2 * page;
	char *all = mmap(NULL, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (all == MAP_FAILED)
		return -1;
	for (size_t i = 0; i < nr; i++)
		if (mprotect(all + i * 2 * page, page, PROT_READ))
			return -1;
	return munmap(all, size);
}

static int forks(unsigned long nr)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	char *all = mmap(NULL, VMAS * 2 * page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS,
			 -1, 0);

	if (all == MAP_FAILED)
		return -1;
	for (size_t i = 0; i < VMAS; i++)
		if (mprotect(all + i * 2 * page, page, PROT_READ))
			return -1;
	for (size_t i = 0; i < nr; i++) {
		pid_t pid = fork();

		if (!pid)
			_exit(0);
		if (pid < 0 || waitpid(pid, NULL, 0) < 0)
			return -1;
	}
	return munmap(all, VMAS * 2 * page);
}

static void *nothing(void *arg)
{
	return arg;
}

static int threads(unsigned long nr)
{
	for (size_t i = 0; i < nr; i++) {
		pthread_t thread;

		if (pthread_create(&thread, NULL, nothing, NULL) ||
		    pthread_join(thread, NULL))
			return -1;
	}
	return 0;
}

static int timerfds(unsigned long nr)
{
	struct rlimit limit = { nr + 64, nr + 64 };
	int *fds = calloc(nr, sizeof(*fds));

	if (!fds || (setrlimit(RLIMIT_NOFILE, &limit) && nr > 900))
		return -1;
	for (size_t i = 0; i < nr; i++) {
		fds[i] = timerfd_create(CLOCK_MONOTONIC, 0);
		if (fds[i] < 0)
			return -1;
	}
	for (size_t i = 0; i < nr; i++)
		close(fds[i]);
	free(fds);
	return 0;
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		int (*run)(unsigned long nr);
	} all[] = { { "maps", maps },
		    { "fork", forks },
		    { "threads", threads },
		    { "timerfds", timerfds } };
	unsigned long nr = argc > 2 ? strtoul(argv[2], NULL, 10) : 0;

	for (size_t i = 0; nr && i < sizeof(all) / sizeof(*all); i++)
		if (!strcmp(argv[1], all[i].name)) {
			if (!all[i].run(nr))
				return 0;
			perror("unseen");
			return 1;
		}
	return 2;
}

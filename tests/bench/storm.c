// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * tests: an allocation storm to record, with the same amount of work each time.
 * In: workers and rounds. Out: elapsed and CPU nanoseconds, a line each, on stdout.
 *
 * A round forks and executes a process, reads ten files, writes 64 KiB to a file in memory,
 * passes it through a pipe and touches 32 fresh pages.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static char buffer[65536];

static void run_process(void)
{
	pid_t pid = fork();

	if (pid == 0) {
		execl("/bin/true", "true", (char *)NULL);
		_exit(127);
	}
	while (pid > 0 && waitpid(pid, NULL, 0) < 0 && errno == EINTR)
		;
}

static void read_files(void)
{
	for (int i = 0; i < 10; i++) {
		int fd = open("/proc/self/status", O_RDONLY);

		if (fd < 0)
			continue;
		while (read(fd, buffer, sizeof(buffer)) > 0)
			;
		close(fd);
	}
}

static int write_memory(void)
{
	int fd = memfd_create("storm", 0), pipes[2];
	int err = 0;

	if (fd < 0)
		return -1;
	if (write(fd, buffer, sizeof(buffer)) != (ssize_t)sizeof(buffer))
		err = -1;
	close(fd);
	if (pipe(pipes))
		return -1;
	if (write(pipes[1], buffer, 4096) != 4096 || read(pipes[0], buffer, 4096) != 4096)
		err = -1;
	close(pipes[0]);
	close(pipes[1]);
	return err;
}

static int touch_pages(void)
{
	const size_t page = (size_t)sysconf(_SC_PAGESIZE), size = 32 * page;
	volatile char *p = mmap(NULL, size, PROT_READ | PROT_WRITE,
				MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (p == MAP_FAILED)
		return -1;
	for (size_t off = 0; off < size; off += page)
		p[off] = 1;
	return munmap((void *)p, size);
}

static int work(unsigned long rounds)
{
	while (rounds--) {
		run_process();
		read_files();
		if (write_memory() || touch_pages())
			return EXIT_FAILURE;
	}
	return EXIT_SUCCESS;
}

static uint64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000U + (uint64_t)t.tv_nsec;
}

static uint64_t timeval_ns(struct timeval t)
{
	return (uint64_t)t.tv_sec * 1000000000U + (uint64_t)t.tv_usec * 1000U;
}

/* CPU time of this process, or of all children that it has waited for. */
static uint64_t cpu_ns(int who)
{
	struct rusage r;

	return getrusage(who, &r) ? 0 : timeval_ns(r.ru_utime) + timeval_ns(r.ru_stime);
}

int main(int argc, char **argv)
{
	unsigned long workers = argc > 1 ? strtoul(argv[1], NULL, 10) : 2;
	unsigned long rounds = argc > 2 ? strtoul(argv[2], NULL, 10) : 1000;
	uint64_t start = now_ns();
	int status, ret = EXIT_SUCCESS;

	for (unsigned long i = 0; i < workers; i++) {
		pid_t pid = fork();

		if (pid == 0)
			_exit(work(rounds));
		if (pid < 0)
			ret = EXIT_FAILURE;
	}
	while (wait(&status) > 0)
		if (!WIFEXITED(status) || WEXITSTATUS(status))
			ret = EXIT_FAILURE;
	printf("%" PRIu64 "\n", now_ns() - start);
	printf("%" PRIu64 "\n", cpu_ns(RUSAGE_SELF) + cpu_ns(RUSAGE_CHILDREN));
	return ret;
}

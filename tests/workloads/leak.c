// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * workload: leaks at a known rate.
 * In: what to leak, how many per second, for how many milliseconds. ONE_IN: one of so many is
 * leaked, and the others are closed at once. "noise": another process opens and closes files
 * meanwhile. Out, at the end or on a signal: "LEAKED NANOSECONDS LATE": how many in what time, and
 * by how many nanoseconds it was late at most. inotify watches files that must exist: leak.0,
 * leak.1, and so on.
 *
 * usage: leak timerfd|pipe|socket|inotify|queue PER_SECOND MILLISECONDS [ONE_IN [noise]]
 */
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/inotify.h>
#include <sys/ipc.h>
#include <sys/msg.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

#define NS_PER_S   1000000000ULL
#define THINGS_MAX 20000
#define TEXT_BYTES 200

static volatile sig_atomic_t stop;

static void on_term(int signal)
{
	stop = signal;
}

static uint64_t now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * NS_PER_S + (uint64_t)t.tv_nsec;
}

/* Makes object @nr of that kind: one or two descriptors, a queue with a message, or a watch. */
static int make(char kind, size_t nr, int fd[2])
{
	static int watcher = -1;
	char name[32];
	struct {
		long type;
		char text[TEXT_BYTES];
	} message = { .type = 1 };

	fd[1] = -1;
	switch (kind) {
	case 't':
		return fd[0] = timerfd_create(CLOCK_MONOTONIC, 0);
	case 'p':
		return pipe(fd);
	case 's':
		return fd[0] = socket(AF_UNIX, SOCK_STREAM, 0);
	case 'i':
		watcher = watcher < 0 ? inotify_init1(0) : watcher;
		(void)snprintf(name, sizeof(name), "leak.%zu", nr);
		return inotify_add_watch(watcher, name, IN_ATTRIB);
	case 'q':
		fd[0] = msgget(IPC_PRIVATE, 0600);
		return fd[0] < 0 ? -1 : msgsnd(fd[0], &message, TEXT_BYTES, IPC_NOWAIT);
	}
	return -1;
}

/* Makes @one_in objects and releases all but the last, which is leaked. */
static int make_some(char kind, size_t nr, unsigned long one_in, int *left)
{
	int fd[2];

	for (; one_in > 1; one_in--) {
		if (make(kind, nr, fd) < 0)
			return -1;
		if (kind == 'q') {
			msgctl(fd[0], IPC_RMID, NULL);
			continue;
		}
		close(fd[0]);
		if (fd[1] >= 0)
			close(fd[1]);
	}
	if (make(kind, nr, fd) < 0)
		return -1;
	*left = fd[0];
	return 0;
}

/* Queues outlive their process. */
static void remove_queues(char kind, size_t made, const int *left)
{
	for (; kind == 'q' && made; made--)
		msgctl(left[made - 1], IPC_RMID, NULL);
}

/* Opens some 50000 files per second until the parent ends. */
static void noise(void)
{
	const struct timespec pause = { 0, 1000000 };
	pid_t parent = getppid();
	int fd[64], i;

	while (!stop && getppid() == parent) {
		for (i = 0; i < 64; i++)
			fd[i] = open("/dev/null", O_RDONLY);
		while (i--)
			close(fd[i]);
		nanosleep(&pause, NULL);
	}
	_exit(0);
}

int main(int argc, char **argv)
{
	static int left[THINGS_MAX];
	char kind = argc > 3 ? argv[1][0] : 0;
	uint64_t rate = kind ? strtoul(argv[2], NULL, 10) : 0, begin, end, late = 0;
	uint64_t ms = kind ? strtoul(argv[3], NULL, 10) : 0;
	unsigned long one_in = argc > 4 ? strtoul(argv[4], NULL, 10) : 1;
	struct rlimit limit;
	const struct timespec tick = { 0, 1000000 };
	size_t nr = rate * ms / 1000, made = 0;
	int ret = nr && nr <= THINGS_MAX ? 0 : 2;
	pid_t child = 0;

	sigaction(SIGTERM, &(struct sigaction){ .sa_handler = on_term }, NULL);
	getrlimit(RLIMIT_NOFILE, &limit);
	limit.rlim_cur = limit.rlim_max;
	setrlimit(RLIMIT_NOFILE, &limit);
	if (!ret && argc > 5) {
		child = fork();
		if (!child)
			noise();
	}
	begin = end = now();
	while (!ret && !stop && made < nr) {
		while (!ret && made < nr && made < (now() - begin) * rate / NS_PER_S) {
			ret = make_some(kind, made, one_in, &left[made]) < 0;
			made += !ret;
			end = now() - begin - made * NS_PER_S / rate;
			late = end > late && end < INT64_MAX ? end : late;
		}
		end = now();
		nanosleep(&tick, NULL);
	}
	if (ret)
		perror("leak");
	printf("%zu %llu %llu\n", made, (unsigned long long)(end - begin),
	       (unsigned long long)late);
	remove_queues(kind, made, left);
	if (child > 0)
		kill(child, SIGTERM);
	return ret;
}

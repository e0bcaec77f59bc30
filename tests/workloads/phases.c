// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * workload: a peak of known height, then less: System V messages of 256 bytes, and pages.
 * In: how many at the peak and after it, and how many milliseconds to hold each. Out: that many
 * messages and pages; on stdout, while each phase is held, the time of CLOCK_MONOTONIC in seconds.
 *
 * usage: phases MANY FEW HOLD_MS
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/msg.h>
#include <time.h>
#include <unistd.h>

/* With the 48 bytes of struct msg_msg they take an object of 256 bytes. */
#define TEXT_BYTES 200
/* A queue holds this many by default (msgmnb: 16 KiB). */
#define PER_QUEUE  64

/* Sends @nr messages to @queues. */
static int send_all(int *queues, size_t nr)
{
	struct {
		long type;
		char text[TEXT_BYTES];
	} message = { .type = 1 };
	size_t i;

	for (i = 0; i < nr; i++) {
		int *queue = &queues[i / PER_QUEUE];

		if (i % PER_QUEUE == 0)
			*queue = msgget(IPC_PRIVATE, 0600);
		if (*queue < 0 || msgsnd(*queue, &message, TEXT_BYTES, IPC_NOWAIT))
			return -1;
	}
	return 0;
}

static void free_all(const int *queues, size_t nr)
{
	size_t i;

	for (i = 0; i < nr; i += PER_QUEUE) {
		if (queues[i / PER_QUEUE] >= 0)
			msgctl(queues[i / PER_QUEUE], IPC_RMID, NULL);
	}
}

static void hold(long ms)
{
	struct timespec half = { ms / 2000, ms / 2 % 1000 * 1000000 }, now;

	nanosleep(&half, NULL);
	clock_gettime(CLOCK_MONOTONIC, &now);
	printf("%ld.%09ld\n", (long)now.tv_sec, now.tv_nsec);
	nanosleep(&half, NULL);
}

/* @map has room for @nr pages. */
static int phase(int *queues, char *map, size_t nr, long ms)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE), i;
	int ret = send_all(queues, nr);

	for (i = 0; i < nr && !ret; i++)
		map[i * page] = 1;
	if (ret)
		perror("phases");
	else
		hold(ms);
	free_all(queues, nr);
	madvise(map, nr * page, MADV_DONTNEED);
	return ret;
}

int main(int argc, char **argv)
{
	size_t many = argc > 3 ? strtoul(argv[1], NULL, 10) : 0;
	size_t few = argc > 3 ? strtoul(argv[2], NULL, 10) : 0;
	long ms = argc > 3 ? strtol(argv[3], NULL, 10) : 0;
	size_t bytes = many * (size_t)sysconf(_SC_PAGESIZE), i;
	int *queues = calloc(many / PER_QUEUE + 1, sizeof(*queues));
	char *map = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
			 -1, 0);

	if (!many || few > many || !queues || map == MAP_FAILED)
		return 2;
	for (i = 0; i <= many / PER_QUEUE; i++)
		queues[i] = -1;
	/* Small pages, not huge ones. */
	madvise(map, bytes, MADV_NOHUGEPAGE);
	if (phase(queues, map, many, ms))
		return 1;
	return phase(queues, map, few, ms) ? 1 : 0;
}

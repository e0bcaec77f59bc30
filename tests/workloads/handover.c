// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * workload: one CPU allocates and another frees.
 * In: how many messages, and pages. Out: as many objects of 256 bytes that move from the first CPU
 * to the second, and as many pages.
 *
 * Two threads are bound to a CPU each. One sends System V messages, which the other receives; then
 * the first touches pages, and the other unmaps them all at once.
 *
 * usage: handover MESSAGES [PAGES]
 */
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/msg.h>
#include <unistd.h>

/* With the 48 bytes of struct msg_msg they take an object of 256 bytes. */
#define TEXT_BYTES 200

struct message {
	long type;
	char text[TEXT_BYTES];
};

struct hand {
	int queue, cpu;
	unsigned long nr;
	char *map;
	size_t bytes;
	pthread_barrier_t *touched;
};

static void bind_to(int cpu)
{
	cpu_set_t cpus;

	CPU_ZERO(&cpus);
	CPU_SET(cpu, &cpus);
	sched_setaffinity(0, sizeof(cpus), &cpus);
}

static void *give(void *arg)
{
	const struct hand *h = arg;
	struct message message = { .type = 1 };
	size_t page = (size_t)sysconf(_SC_PAGESIZE), at;
	unsigned long i;

	bind_to(h->cpu);
	for (i = 0; i < h->nr; i++)
		msgsnd(h->queue, &message, TEXT_BYTES, 0);
	for (at = 0; at < h->bytes; at += page)
		*(volatile char *)(h->map + at) = 1;
	pthread_barrier_wait(h->touched);
	return NULL;
}

static void *take(void *arg)
{
	const struct hand *h = arg;
	struct message message;
	unsigned long i;

	bind_to(h->cpu);
	for (i = 0; i < h->nr; i++)
		msgrcv(h->queue, &message, TEXT_BYTES, 0, 0);
	pthread_barrier_wait(h->touched);
	if (h->bytes)
		munmap(h->map, h->bytes);
	return NULL;
}

/* The first two CPUs that this process may use; false if there is only one. */
static int two_cpus(int *cpu)
{
	cpu_set_t cpus;
	int i, nr = 0;

	if (sched_getaffinity(0, sizeof(cpus), &cpus))
		return 0;
	for (i = 0; i < CPU_SETSIZE && nr < 2; i++)
		if (CPU_ISSET(i, &cpus))
			cpu[nr++] = i;
	return nr == 2;
}

static int hand_over(struct hand h, const int *cpu)
{
	void *(*const sides[])(void *) = { give, take };
	pthread_barrier_t touched;
	struct hand hands[2];
	pthread_t threads[2];
	int i;

	pthread_barrier_init(&touched, NULL, 2);
	h.touched = &touched;
	for (i = 0; i < 2; i++) {
		hands[i] = h;
		hands[i].cpu = cpu[i];
		if (pthread_create(&threads[i], NULL, sides[i], &hands[i]))
			return 1;
	}
	for (i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	printf("%d %d\n", cpu[0], cpu[1]);
	return 0;
}

int main(int argc, char **argv)
{
	struct hand h = { .nr = argc > 1 ? strtoul(argv[1], NULL, 10) : 0 };
	size_t pages = argc > 2 ? strtoul(argv[2], NULL, 10) : 0;
	int ret, cpu[2];

	if (!two_cpus(cpu)) {
		fprintf(stderr, "handover: needs two CPUs\n");
		return 77;
	}
	h.bytes = pages * (size_t)sysconf(_SC_PAGESIZE);
	h.map = mmap(NULL, h.bytes ? h.bytes : 1, PROT_READ | PROT_WRITE,
		     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	h.queue = msgget(IPC_PRIVATE, 0600);
	if (h.map == MAP_FAILED || h.queue < 0) {
		perror("handover");
		return 1;
	}
	/* Small pages, not huge ones. */
	madvise(h.map, h.bytes, MADV_NOHUGEPAGE);
	ret = hand_over(h, cpu);
	msgctl(h.queue, IPC_RMID, NULL);
	return ret;
}

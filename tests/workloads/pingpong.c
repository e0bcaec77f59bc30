// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * workload: objects that one CPU allocates and another frees at once, in turns.
 * In: how many rounds. Out: for each round a pipe buffer's page and a struct file that move from
 * CPU to CPU, and addresses that are soon reused.
 *
 * Two threads, each bound to a CPU, pass a slot back and forth without sleeping: one opens a file,
 * the other closes it as soon as it sees it, and opens the next. So each object is freed well under
 * a microsecond after its allocation, on another CPU, and allocated again from there: if the clocks
 * of CPUs differ by more, events seem to change order.
 *
 * usage: pingpong ROUNDS
 */
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

struct table {
	_Alignas(64) atomic_int ball; /* the file to close; -1: none yet */
	_Alignas(64) atomic_int turn; /* whose turn it is: 0 or 1; 2: the end */
	unsigned long rounds;
};

struct player {
	struct table *table;
	int side, cpu;
};

static void *play(void *arg)
{
	const struct player *p = arg;
	struct table *t = p->table;
	cpu_set_t cpus;
	unsigned long i;

	CPU_ZERO(&cpus);
	CPU_SET(p->cpu, &cpus);
	sched_setaffinity(0, sizeof(cpus), &cpus);
	for (i = 0; i < t->rounds; i++) {
		int fd;

		while (atomic_load_explicit(&t->turn, memory_order_acquire) != p->side)
			;
		fd = atomic_load_explicit(&t->ball, memory_order_relaxed);
		if (fd >= 0)
			close(fd);
		atomic_store_explicit(&t->ball, open("/dev/null", O_RDONLY),
				      memory_order_relaxed);
		atomic_store_explicit(&t->turn, !p->side, memory_order_release);
	}
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

int main(int argc, char **argv)
{
	struct table table = { .ball = -1,
			       .rounds = argc > 1 ? strtoul(argv[1], NULL, 10) : 0 };
	struct player players[2];
	pthread_t threads[2];
	int i, cpu[2];

	if (!two_cpus(cpu)) {
		fprintf(stderr, "pingpong: needs two CPUs\n");
		return 77;
	}
	for (i = 0; i < 2; i++) {
		players[i] = (struct player){ &table, i, cpu[i] };
		if (pthread_create(&threads[i], NULL, play, &players[i]))
			return 1;
	}
	for (i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	return 0;
}

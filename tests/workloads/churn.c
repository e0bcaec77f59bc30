// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * workload: short-lived objects: System V messages of 256 bytes.
 * In: how many; one in KEEP is held for HOLD_MS milliseconds. Out: the others are received as soon
 * as they are sent, on the same CPU.
 *
 * usage: churn N KEEP HOLD_MS
 */
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ipc.h>
#include <sys/msg.h>
#include <time.h>

/* With the 48 bytes of struct msg_msg they take an object of 256 bytes. */
#define TEXT_BYTES 200
/* A queue holds this many by default (msgmnb: 16 KiB). */
#define PER_QUEUE  64

struct message {
	long type;
	char text[TEXT_BYTES];
};

/* Sends @message to @queue and receives it. */
static int come_and_go(int queue, struct message *message)
{
	if (msgsnd(queue, message, TEXT_BYTES, IPC_NOWAIT) ||
	    msgrcv(queue, message, TEXT_BYTES, 0, IPC_NOWAIT) != TEXT_BYTES)
		return -1;
	return 0;
}

/* Sends message number @nr of those that are held. */
static int stay(int *held, size_t nr, const struct message *message)
{
	if (nr % PER_QUEUE == 0)
		held[nr / PER_QUEUE] = msgget(IPC_PRIVATE, 0600);
	return msgsnd(held[nr / PER_QUEUE], message, TEXT_BYTES, IPC_NOWAIT);
}

int main(int argc, char **argv)
{
	size_t nr = argc > 3 ? strtoul(argv[1], NULL, 10) : 0, nr_held = 0, i;
	size_t keep = argc > 3 ? strtoul(argv[2], NULL, 10) : 0;
	long ms = argc > 3 ? strtol(argv[3], NULL, 10) : 0;
	struct timespec time = { ms / 1000, ms % 1000 * 1000000 };
	struct message message = { .type = 1 };
	int queue = msgget(IPC_PRIVATE, 0600), ret = 0;
	int *held = calloc(nr / PER_QUEUE + 1, sizeof(*held));
	cpu_set_t here;

	if (!nr || !keep || queue < 0 || !held)
		return 2;
	CPU_ZERO(&here);
	CPU_SET(sched_getcpu(), &here);
	sched_setaffinity(0, sizeof(here), &here);
	for (i = 0; i < nr && !ret; i++)
		ret = i % keep ? come_and_go(queue, &message)
			       : stay(held, nr_held++, &message);
	if (ret)
		perror("churn");
	nanosleep(&time, NULL);
	for (i = 0; i < nr_held; i += PER_QUEUE)
		msgctl(held[i / PER_QUEUE], IPC_RMID, NULL);
	msgctl(queue, IPC_RMID, NULL);
	return ret ? 1 : 0;
}

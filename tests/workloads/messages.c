// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * workload: objects of one size whose cache cannot be seen from the request's flags: System V
 * messages.
 * In: how many, for how many milliseconds to hold them, how many microseconds apart, and the length
 * of their text. Out: that many messages in queues.
 *
 * usage: messages N [HOLD_MS [PAUSE_US [BYTES]]]
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ipc.h>
#include <sys/msg.h>
#include <time.h>

/* With the 48 bytes of struct msg_msg they take an object of 256 bytes. */
#define TEXT_BYTES  200
#define TEXT_MOST   4000
/* A queue's capacity by default (msgmnb). */
#define QUEUE_BYTES 16384

static volatile sig_atomic_t stop;

/* Queues outlive their process, so signals must remove them, too. */
static void on_term(int signal)
{
	stop = signal;
}

int main(int argc, char **argv)
{
	size_t nr = argc > 1 ? strtoul(argv[1], NULL, 10) : 0, i;
	long hold = argc > 2 ? strtol(argv[2], NULL, 10) : 0;
	long pause_us = argc > 3 ? strtol(argv[3], NULL, 10) : 0;
	size_t bytes = argc > 4 ? strtoul(argv[4], NULL, 10) : TEXT_BYTES;
	size_t per_queue = bytes && bytes <= TEXT_MOST ? QUEUE_BYTES / bytes : 0;
	struct timespec time = { hold / 1000, hold % 1000 * 1000000 };
	struct timespec gap = { pause_us / 1000000, pause_us % 1000000 * 1000 };
	int *queues = per_queue ? calloc(nr / per_queue + 1, sizeof(*queues)) : NULL;
	struct {
		long type;
		char text[TEXT_MOST];
	} message = { .type = 1 };
	int ret = 0;

	if (!nr || !queues)
		return 2;
	sigaction(SIGTERM, &(struct sigaction){ .sa_handler = on_term }, NULL);
	for (i = 0; i < nr && !ret && !stop; i++) {
		int *queue = &queues[i / per_queue];

		if (i % per_queue == 0)
			*queue = msgget(IPC_PRIVATE, 0600);
		if (*queue < 0 || msgsnd(*queue, &message, bytes, IPC_NOWAIT)) {
			perror("messages");
			ret = 1;
		}
		if (pause_us)
			nanosleep(&gap, NULL);
	}
	if (!ret && !stop)
		nanosleep(&time, NULL);
	while (i--)
		if (i % per_queue == 0 && queues[i / per_queue] >= 0)
			msgctl(queues[i / per_queue], IPC_RMID, NULL);
	free(queues);
	return ret;
}

// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/thread.h"

#include <signal.h>

int thread_start(pthread_t *thread, void *(*run)(void *), void *arg)
{
	static const int faults[] = { SIGSEGV, SIGBUS,	SIGFPE, SIGILL,
				      SIGABRT, SIGTRAP, SIGSYS };
	sigset_t set, before;
	int err;

	sigfillset(&set);
	for (size_t i = 0; i < ARRAY_SIZE(faults); i++)
		sigdelset(&set, faults[i]);
	pthread_sigmask(SIG_BLOCK, &set, &before);
	err = pthread_create(thread, NULL, run, arg);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return -err;
}

// SPDX-License-Identifier: GPL-2.0-or-later
#include "cmd/options/signals.h"

#include <sys/signalfd.h>
#include <time.h>

/* All signals except faults (our own bugs), job control, and those that are ignored by default.
 * Timers (SIGALRM, SIGPROF), SIGXCPU, SIGUSR1, ... kill a process as SIGTERM does.
 */
static void fill_set(sigset_t *set)
{
	static const int others[] = { SIGSEGV, SIGBUS,	SIGFPE,	 SIGILL,  SIGABRT,
				      SIGTRAP, SIGSYS,	SIGTSTP, SIGTTIN, SIGTTOU,
				      SIGCONT, SIGCHLD, SIGURG,	 SIGWINCH };

	sigfillset(set);
	for (size_t i = 0; i < ARRAY_SIZE(others); i++)
		sigdelset(set, others[i]);
}

int signals_block(sigset_t *before)
{
	sigset_t set;

	fill_set(&set);
	if (sigprocmask(SIG_BLOCK, &set, before) < 0)
		return -1;
	sigdelset(&set, SIGPIPE);
	return signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
}

void signals_unblock(const sigset_t *before)
{
	const struct timespec at_once = { 0 };
	sigset_t set;

	fill_set(&set);
	while (sigtimedwait(&set, NULL, &at_once) > 0)
		;
	sigprocmask(SIG_SETMASK, before, NULL);
}

void signals_hold(sigset_t *before)
{
	sigset_t set;

	fill_set(&set);
	sigprocmask(SIG_BLOCK, &set, before);
}

bool signals_wait(const sigset_t *before)
{
	sigset_t pending;

	if (sigpending(&pending) < 0)
		return false;
	for (int i = 1; i < NSIG; i++) {
		if (sigismember(&pending, i) > 0 && sigismember(before, i) == 0)
			return true;
	}
	return false;
}

void signals_release(const sigset_t *before)
{
	sigprocmask(SIG_SETMASK, before, NULL);
}

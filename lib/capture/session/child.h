/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * capture: the command under observation.
 * In: argv. Out: a process that waits for a go-ahead before it executes the command.
 */
#ifndef KMEMX_CAPTURE_CHILD_H
#define KMEMX_CAPTURE_CHILD_H

#include <signal.h>
#include <sys/signalfd.h>
#include <sys/types.h>

#include "base/compiler.h"

/**
 * struct child - a forked process
 * @pidfd: readable when it has ended; -1 on kernels before 5.3
 * @exec_fd: readable once exec has succeeded (end of file) or failed
 * @exec_errno: why exec failed; 0: it has not failed so far
 * @status: from waitpid(2), once @ended
 */
struct child {
	pid_t pid;
	int pidfd;
	int go_fd;
	int exec_fd;
	int exec_errno;
	bool ended;
	int status;
};

/* No process. */
#define CHILD_INIT ((struct child){ .pid = -1, .pidfd = -1, .go_fd = -1, .exec_fd = -1 })

/**
 * struct child_options - how the child starts
 * @sigmask: signal mask of the command, with default signal handling
 * @stdout_to_stderr: redirect its standard output to its standard error
 * @mute: its standard input, output and error are /dev/null
 * @marker_fd, @line: the child writes @line there before child_fork() returns; -1: it does not
 */
struct child_options {
	const sigset_t *sigmask;
	bool stdout_to_stderr, mute;
	int marker_fd;
	const char *line;
};

int child_fork(struct child *c, char *const *argv,
	       const struct child_options *opts) __must_check;
/* Lets the child execute the command. */
int child_go(struct child *c) __must_check;
/* Call it when @exec_fd is readable; closes it and sets @exec_errno. */
void child_exec_result(struct child *c);
/* Has it ended? Sets @ended, @status and @exec_errno. With @block waits for it. */
bool child_check(struct child *c, bool block);
/* Reads a signal from @stop_fd of signalfd(2). Returns its number; 0: none, or this process's own
 * SIGXFSZ, as the failed write is reported elsewhere.
 */
int child_signal(int stop_fd, struct signalfd_siginfo *info);
/* Passes the signal on to the child, unless the child got it too: a terminal sends its signals to
 * both; kill(1) and timers do not.
 */
void child_pass_on(const struct child *c, const struct signalfd_siginfo *info);
/* The exit status of an @ended child, as a shell reports it: 128 + the signal's number. */
int child_status(const struct child *c);
/* Closes descriptors; a child that still waits for its go-ahead ends and is reaped. */
void child_close(struct child *c);

#endif

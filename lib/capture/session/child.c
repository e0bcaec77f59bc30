// SPDX-License-Identifier: GPL-2.0-or-later
#include "capture/session/child.h"

#include <fcntl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/io.h"

/* Runs in the child: only async-signal-safe calls, here and below. */
static bool mute_self(void)
{
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);

	return null >= 0 && dup2(null, STDIN_FILENO) >= 0 &&
	       dup2(null, STDOUT_FILENO) >= 0 && dup2(null, STDERR_FILENO) >= 0;
}

/* Waits for the one byte that the other side sends; false if that side ended first. */
static bool wait_for_byte(int fd)
{
	char byte;

	return io_read(fd, &byte, 1) == 1;
}

static void become_command(char *const *argv, const struct child_options *opts, int go,
			   int result)
{
	int err;
	ssize_t n;

	if (opts->stdout_to_stderr && dup2(STDERR_FILENO, STDOUT_FILENO) < 0)
		_exit(126);
	if (opts->mute && !mute_self())
		_exit(126);
	/* If this fails, the missing line shows it later. */
	if (opts->marker_fd >= 0) {
		n = write(opts->marker_fd, opts->line, strlen(opts->line));
		/* An instance with an open file cannot be removed. */
		close(opts->marker_fd);
	}
	if (write(result, "r", 1) != 1)
		_exit(126);
	if (!wait_for_byte(go))
		_exit(0); /* the recording failed to start */
	signal(SIGPIPE, SIG_DFL);
	signal(SIGXFSZ, SIG_DFL);
	sigprocmask(SIG_SETMASK, opts->sigmask, NULL);
	execvp(argv[0], argv);
	err = errno;
	n = write(result, &err, sizeof(err));
	_exit(n == sizeof(err) && err != ENOENT ? 126 : 127);
}

int child_fork(struct child *c, char *const *argv, const struct child_options *opts)
{
	int go[2], result[2];

	*c = CHILD_INIT;
	if (pipe2(go, O_CLOEXEC) < 0)
		return -errno;
	if (pipe2(result, O_CLOEXEC) < 0) {
		int err = errno;

		close(go[0]);
		close(go[1]);
		return -err;
	}
	c->pid = fork();
	if (c->pid == 0) {
		close(go[1]);
		close(result[0]);
		become_command(argv, opts, go[0], result[1]);
	}
	close(go[0]);
	close(result[1]);
	c->go_fd = go[1];
	c->exec_fd = result[0];
	if (c->pid < 0 || !wait_for_byte(c->exec_fd)) {
		int err = c->pid < 0 ? errno : ECHILD;

		child_close(c);
		return -err;
	}
#ifdef SYS_pidfd_open
	c->pidfd = (int)syscall(SYS_pidfd_open, c->pid, 0);
#endif
	return 0;
}

int child_go(struct child *c)
{
	ssize_t n = write(c->go_fd, "g", 1);

	io_close(&c->go_fd);
	return n == 1 ? 0 : -EPIPE;
}

void child_exec_result(struct child *c)
{
	int err = 0;

	if (c->exec_fd < 0)
		return;
	if (read(c->exec_fd, &err, sizeof(err)) == sizeof(err))
		c->exec_errno = err;
	io_close(&c->exec_fd);
}

bool child_check(struct child *c, bool block)
{
	pid_t pid;

	if (c->pid <= 0 || c->ended)
		return c->ended;
	do
		pid = waitpid(c->pid, &c->status, block ? 0 : WNOHANG);
	while (pid < 0 && errno == EINTR);
	c->ended = pid == c->pid || (pid < 0 && errno == ECHILD);
	if (c->ended)
		child_exec_result(c);
	return c->ended;
}

void child_close(struct child *c)
{
	bool waiting = c->go_fd >= 0;

	io_close(&c->go_fd);
	io_close(&c->exec_fd);
	if (c->pid > 0 && waiting)
		child_check(c, true);
	io_close(&c->pidfd);
}

int child_status(const struct child *c)
{
	return WIFSIGNALED(c->status) ? 128 + WTERMSIG(c->status)
				      : WEXITSTATUS(c->status);
}

int child_signal(int stop_fd, struct signalfd_siginfo *info)
{
	if (read(stop_fd, info, sizeof(*info)) != sizeof(*info) ||
	    (info->ssi_signo == SIGXFSZ && info->ssi_pid == (uint32_t)getpid()))
		return 0;
	return (int)info->ssi_signo;
}

void child_pass_on(const struct child *c, const struct signalfd_siginfo *info)
{
	bool terminal = info->ssi_code == SI_KERNEL &&
			(info->ssi_signo == SIGINT || info->ssi_signo == SIGQUIT ||
			 info->ssi_signo == SIGHUP);

	if (c->pid > 0 && !c->ended && !terminal)
		kill(c->pid, (int)info->ssi_signo);
}

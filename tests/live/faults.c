// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * tests: makes system calls of a program fail, by seccomp's user notification.
 * In: which system call, which of its calls, the error, a command. Out: the command's status; the
 * calls that failed, on standard error.
 *
 * Affects only the command itself, not its children. Without -s, counts calls and writes lines
 * "NAME COUNT" to the file of -o.
 *
 * usage: faults [-s SYSCALL] [-b SYSCALL] [-f PATH-END] [-n FIRST[-LAST]] [-t MILLISECONDS]
 *               [-e ERRNO]
 *               [-o FILE] -- COMMAND [ARG]...
 *   -b: ignores calls before the first one of this system call, such as those of the loader
 *   -s: the system call, a name of the table below
 *   -f: only calls whose first argument is a descriptor of such a file
 *   -n: from the FIRST such call on (1) to the LAST (default: only that one; "1-": all)
 *   -t: only this long after the first such call
 */
#include <errno.h>
#include <linux/filter.h>
#include <linux/sched.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#ifndef SECCOMP_USER_NOTIF_FLAG_CONTINUE
#define SECCOMP_USER_NOTIF_FLAG_CONTINUE 1U
#endif

/* The system calls of a recorder, and the errors they fail with. Leaves out close, munmap and the
 * like, whose errors do not matter.
 */
static const struct {
	const char *name;
	int nr, err;
} calls[] = {
#define CALL(name, err)                \
	{                              \
#name, SYS_##name, err \
	}
	CALL(read, EIO),
	CALL(write, EIO),
	CALL(pread64, EIO),
	CALL(pwrite64, ENOSPC),
	CALL(pwritev, ENOSPC),
	CALL(writev, ENOSPC),
	CALL(sendfile, EIO),
	CALL(copy_file_range, EIO),
	CALL(openat, EMFILE),
	CALL(lseek, EIO),
	CALL(ftruncate, EIO),
	CALL(fallocate, ENOSPC),
	CALL(fstatfs, EIO),
	CALL(flock, EWOULDBLOCK),
	CALL(fcntl, EINVAL),
	CALL(ioctl, EIO),
	CALL(fchown, EPERM),
	CALL(fchmod, EPERM),
	CALL(faccessat, EIO),
	CALL(getdents64, EIO),
	CALL(readlinkat, EIO),
	CALL(mkdirat, EIO),
	CALL(unlinkat, EIO),
	CALL(linkat, EIO),
	CALL(pipe2, EMFILE),
	CALL(dup, EMFILE),
	CALL(dup3, EMFILE),
	CALL(clone, EAGAIN),
	CALL(mmap, ENOMEM),
	CALL(epoll_create1, EMFILE),
	CALL(epoll_ctl, ENOMEM),
	CALL(timerfd_create, EMFILE),
	CALL(timerfd_settime, EINVAL),
	CALL(signalfd4, EMFILE),
	CALL(pidfd_open, EMFILE),
	CALL(rt_sigprocmask, EINVAL),
	CALL(uname, EFAULT),
	CALL(getrandom, ENOSYS),
	CALL(inotify_init1, EMFILE),
	CALL(inotify_add_watch, ENOSPC),
	CALL(wait4, EINTR),
	CALL(kill, EPERM),
	CALL(mount, EPERM),
	CALL(statfs, EIO),
#ifdef SYS_newfstatat
	CALL(newfstatat, EIO),
#endif
#ifdef SYS_fstat
	CALL(fstat, EIO),
#endif
#ifdef SYS_stat
	CALL(stat, EIO),
	CALL(open, EMFILE),
	CALL(access, EIO),
	CALL(mkdir, EIO),
	CALL(rmdir, EIO),
	CALL(rename, EIO),
	CALL(unlink, EIO),
	CALL(poll, ENOMEM),
	CALL(epoll_wait, EINVAL),
	CALL(readlink, EIO),
	CALL(fork, EAGAIN),
#endif
#ifdef SYS_renameat
	CALL(renameat, EIO),
#endif
	CALL(renameat2, EIO),
	CALL(epoll_pwait, EINVAL),
	CALL(statx, EIO),
};

#define NR_CALLS (sizeof(calls) / sizeof(calls[0]))

struct plan {
	int call;  /* index in calls; -1: count all */
	int begin; /* ignore calls before this one; -1: none */
	const char *file;
	unsigned long first, last;
	uint64_t ms;
	int err;
	const char *output;
	/* calls so far */
	unsigned long counts[NR_CALLS];
	uint64_t begin_ms;
};

static uint64_t now_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000 + (uint64_t)ts.tv_nsec / 1000000;
}

static _Noreturn void die(const char *what)
{
	fprintf(stderr, "faults: %s: %s\n", what, strerror(errno));
	exit(77);
}

/* Runs in the command's process, which still shares the parent's descriptors. */
static int install(void)
{
	struct sock_filter code[NR_CALLS + 3];
	struct sock_fprog prog = { .filter = code };
	size_t n = 0;

	code[n++] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
						 offsetof(struct seccomp_data, nr));
	for (size_t i = 0; i < NR_CALLS; i++, n++)
		code[n] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K,
						       (uint32_t)calls[i].nr,
						       (uint8_t)(NR_CALLS - i), 0);
	code[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
	code[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_USER_NOTIF);
	prog.len = (unsigned short)n;
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0)
		return -1;
	return (int)syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER,
			    SECCOMP_FILTER_FLAG_NEW_LISTENER, &prog);
}

static bool is_file(const struct seccomp_notif *req, const char *end)
{
	char link[64], path[4096];
	ssize_t n;
	size_t len = strlen(end);

	snprintf(link, sizeof(link), "/proc/%u/fd/%u", req->pid,
		 (unsigned int)req->data.args[0]);
	n = readlink(link, path, sizeof(path) - 1);
	return n >= (ssize_t)len && !memcmp(path + n - len, end, len);
}

/* The error for this call; 0: none. */
static int verdict(struct plan *p, const struct seccomp_notif *req, pid_t pid)
{
	size_t i = 0;

	while (i < NR_CALLS && calls[i].nr != req->data.nr)
		i++;
	if (i == NR_CALLS || (pid_t)req->pid != pid)
		return 0;
	if (i == (size_t)p->begin)
		p->begin = -1;
	if (p->begin >= 0 || (p->call >= 0 && i != (size_t)p->call) ||
	    (p->file && !is_file(req, p->file)))
		return 0;
	p->counts[i]++;
	if (!p->begin_ms)
		p->begin_ms = now_ms();
	if (p->call < 0 || p->counts[i] < p->first || p->counts[i] > p->last ||
	    (p->ms && now_ms() - p->begin_ms > p->ms))
		return 0;
	return p->err ? p->err : calls[i].err;
}

static void serve(struct plan *p, int fd, pid_t pid)
{
	struct seccomp_notif req;
	struct seccomp_notif_resp resp;

	for (;;) {
		memset(&req, 0, sizeof(req));
		if (ioctl(fd, SECCOMP_IOCTL_NOTIF_RECV, &req) < 0) {
			if (errno == EINTR || errno == ENOENT)
				continue;
			break;
		}
		resp = (struct seccomp_notif_resp){ .id = req.id };
		resp.error = -verdict(p, &req, pid);
		if (!resp.error)
			resp.flags = SECCOMP_USER_NOTIF_FLAG_CONTINUE;
		ioctl(fd, SECCOMP_IOCTL_NOTIF_SEND, &resp);
	}
}

/* Returns when no process has the filter any more, even if the command ignores SIGCHLD. */
static int run(struct plan *p, char **argv)
{
	volatile int *listener = mmap(NULL, 4096, PROT_READ | PROT_WRITE,
				      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	int status;
	pid_t pid, server;

	*listener = -1;
	/* Parent and child share descriptors until the child calls exec(). */
	pid = (pid_t)syscall(SYS_clone, CLONE_FILES | SIGCHLD, 0, 0, 0, 0);
	if (pid < 0)
		die("clone");
	if (!pid) {
		int fd = install();

		*listener = fd < 0 ? -2 : fd;
		if (fd < 0)
			_exit(77);
		execvp(argv[0], argv);
		_exit(127);
	}
	while (*listener == -1)
		usleep(100);
	if (*listener < 0)
		die("seccomp: the kernel has no user notification (Linux 5.5)");
	/* One process answers, the other waits. */
	server = fork();
	if (!server) {
		serve(p, *listener, pid);
		_exit(0);
	}
	close(*listener);
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	kill(server, SIGTERM);
	waitpid(server, NULL, 0);
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

static void write_counts(const struct plan *p)
{
	FILE *out = p->output ? fopen(p->output, "we") : NULL;

	for (size_t i = 0; out && i < NR_CALLS; i++)
		if (p->counts[i])
			fprintf(out, "%s %lu\n", calls[i].name, p->counts[i]);
	if (out)
		fclose(out);
}

static int find_call(const char *name)
{
	for (size_t i = 0; i < NR_CALLS; i++)
		if (!strcmp(calls[i].name, name))
			return (int)i;
	fprintf(stderr, "faults: no call '%s'\n", name);
	exit(2);
}

int main(int argc, char **argv)
{
	static struct plan *p;
	int opt, ret;

	/* Shared with the answering process. */
	p = mmap(NULL, sizeof(*p), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1,
		 0);
	*p = (struct plan){ .call = -1, .begin = -1, .first = 1, .last = 1 };
	while ((opt = getopt(argc, argv, "s:b:f:n:t:e:o:")) >= 0) {
		char *end;

		switch (opt) {
		case 's':
			p->call = find_call(optarg);
			break;
		case 'b':
			p->begin = find_call(optarg);
			break;
		case 'f':
			p->file = optarg;
			break;
		case 'n':
			p->first = strtoul(optarg, &end, 10);
			p->last = *end != '-' ? p->first
				  : end[1]    ? strtoul(end + 1, NULL, 10)
					      : UINT32_MAX;
			break;
		case 't':
			p->ms = strtoul(optarg, NULL, 10);
			break;
		case 'e':
			p->err = (int)strtol(optarg, NULL, 10);
			break;
		case 'o':
			p->output = optarg;
			break;
		default:
			return 2;
		}
	}
	if (optind == argc)
		return 2;
	ret = run(p, argv + optind);
	write_counts(p);
	return ret;
}

// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * tests: a bare reader of ring buffers, with the same settings as kmemx record.
 * In: a tracing instance that records. Out: a file for each CPU in a directory; bytes and its own
 * CPU seconds on stdout. Reads until the end of its standard input, SIGTERM or SIGINT.
 */
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <glob.h>
#include <inttypes.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "base/io.h"

#define BUFFER_SIZE  (1U << 20)
#define BUFFER_ALIGN 4096U
/* The length bits of a sub-buffer's commit word, and the word's offset. */
#define COMMIT_MASK  0x3fffffffUL
#define COMMIT_AT    8
#define MOSTLY(size) ((size) / 4 * 3)

static const char usage[] =
	"usage: drain [--splice | --direct] [--threads] [--traced] INSTANCE DIRECTORY\n"
	"  --splice   move pages through a pipe, as trace-cmd does; else read()\n"
	"  --direct   write past the page cache\n"
	"  --threads  a thread for each CPU; else one for all\n"
	"  --traced   stay in the recording; else leave our own threads out\n";

struct options {
	bool splice, direct, threads, traced;
	const char *instance, *dir;
};

struct cpu {
	int raw_fd;
	int file_fd;
	uint64_t size;
};

struct worker {
	pthread_t thread;
	const struct options *opts;
	pthread_barrier_t *ready;
	struct cpu *cpus;
	size_t nr_cpus;
	size_t page_size;
	int stop_fd;
	int pipes[2];
	char *buffer;
};

static double own_cpu_s(void)
{
	struct rusage r;

	if (getrusage(RUSAGE_SELF, &r))
		return 0;
	return (double)(r.ru_utime.tv_sec + r.ru_stime.tv_sec) +
	       (double)(r.ru_utime.tv_usec + r.ru_stime.tv_usec) / 1e6;
}

static void die(const char *what)
{
	fprintf(stderr, "drain: %s: %s\n", what, strerror(errno));
	exit(EXIT_FAILURE);
}

/* --- one CPU ----------------------------------------------------------------------------- */

static void store(struct cpu *c, const char *data, size_t size)
{
	int ret = io_pwrite_all(c->file_fd, data, size, c->size);

	if (ret == -EINVAL && (fcntl(c->file_fd, F_GETFL) & O_DIRECT)) {
		fprintf(stderr, "drain: writes go through the page cache from here on\n");
		ret = fcntl(c->file_fd, F_SETFL, 0) ? -errno : 0;
		if (!ret)
			ret = io_pwrite_all(c->file_fd, data, size, c->size);
	}
	if (ret) {
		errno = -ret;
		die("cannot write");
	}
	c->size += size;
}

/* True if the sub-buffer just read is less than three quarters full: the reader has caught up. */
static bool few_events(const char *subbuf, size_t size)
{
	unsigned long commit;

	memcpy(&commit, subbuf + COMMIT_AT, sizeof(commit));
	return (commit & COMMIT_MASK) < MOSTLY(size);
}

/* Reads until the buffer is full. Returns the bytes read; fewer than its size if nothing is left.
 */
static size_t fill_buffer(const struct worker *w, const struct cpu *c, bool all)
{
	size_t size = 0;

	while (size < BUFFER_SIZE) {
		char *p = w->buffer + size;
		ssize_t n = read(c->raw_fd, p, w->page_size);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0 && errno != EAGAIN)
			die("cannot read");
		if (n <= 0)
			break;
		memset(p + n, 0, w->page_size - (size_t)n);
		size += w->page_size;
		if (!all && few_events(p, w->page_size))
			break;
	}
	return size;
}

static void drain_read(const struct worker *w, struct cpu *c, bool all)
{
	size_t size;

	do {
		size = fill_buffer(w, c, all);
		store(c, w->buffer, size);
	} while (size == BUFFER_SIZE);
}

/* The kernel splices whole sub-buffers into a pipe, and keeps the one being filled. */
static void drain_splice(const struct worker *w, struct cpu *c)
{
	const unsigned int flags = SPLICE_F_MOVE | SPLICE_F_NONBLOCK;
	ssize_t n;

	while ((n = splice(c->raw_fd, NULL, w->pipes[1], NULL, BUFFER_SIZE, flags)) > 0) {
		while (n > 0) {
			off_t at = (off_t)c->size;
			ssize_t moved = splice(w->pipes[0], NULL, c->file_fd, &at,
					       (size_t)n, SPLICE_F_MOVE);

			if (moved <= 0)
				die("cannot splice to a file");
			c->size += (uint64_t)moved;
			n -= moved;
		}
	}
	if (n < 0 && errno != EAGAIN && errno != EINTR)
		die("cannot splice");
}

static void drain(const struct worker *w, struct cpu *c, bool all)
{
	if (w->opts->splice)
		drain_splice(w, c);
	if (!w->opts->splice || all)
		drain_read(w, c, all);
}

/* --- threads ----------------------------------------------------------------------------- */

/* Excludes this process: its own allocations must not be recorded. */
static void leave_out(const char *instance)
{
	char *path;
	int fd;

	if (asprintf(&path, "%s/set_event_notrace_pid", instance) < 0)
		die("no memory");
	fd = open(path, O_WRONLY | O_CLOEXEC);
	if (fd < 0 || dprintf(fd, "%d\n", (int)gettid()) < 0)
		die(path);
	close(fd);
	free(path);
}

static void watch(int epoll_fd, int fd, void *ptr)
{
	struct epoll_event ev = { .events = EPOLLIN, .data.ptr = ptr };

	if (epoll_ctl(epoll_fd, EPOLL_CTL_ADD, fd, &ev) < 0)
		die("cannot wait for the ring buffers");
}

static void *work(void *arg)
{
	struct worker *w = arg;
	struct epoll_event ev[64];
	bool stop = false;
	int epoll_fd = epoll_create1(EPOLL_CLOEXEC);

	w->buffer = aligned_alloc(BUFFER_ALIGN, BUFFER_SIZE);
	if (epoll_fd < 0 || !w->buffer || pipe2(w->pipes, O_CLOEXEC) < 0)
		die("cannot start");
	memset(w->buffer, 0, BUFFER_SIZE);
	if (!w->opts->traced)
		leave_out(w->opts->instance);
	watch(epoll_fd, w->stop_fd, NULL);
	for (size_t i = 0; i < w->nr_cpus; i++)
		watch(epoll_fd, w->cpus[i].raw_fd, &w->cpus[i]);
	pthread_barrier_wait(w->ready);
	while (!stop) {
		int n = epoll_wait(epoll_fd, ev, ARRAY_SIZE(ev), -1);

		for (int i = 0; i < n; i++) {
			stop = stop || !ev[i].data.ptr;
			if (ev[i].data.ptr)
				drain(w, ev[i].data.ptr, false);
		}
	}
	for (size_t i = 0; i < w->nr_cpus; i++)
		drain(w, &w->cpus[i], true);
	free(w->buffer);
	return NULL;
}

/* Blocks signals before threads exist, so that no thread gets one. */
static int open_signals(void)
{
	sigset_t signals;
	int fd;

	sigemptyset(&signals);
	sigaddset(&signals, SIGTERM);
	sigaddset(&signals, SIGINT);
	fd = signalfd(-1, &signals, SFD_CLOEXEC);
	if (fd < 0 || sigprocmask(SIG_BLOCK, &signals, NULL))
		die("cannot wait for signals");
	return fd;
}

static void wait_for_stop(int signal_fd)
{
	struct pollfd fds[] = { { .fd = STDIN_FILENO, .events = POLLIN },
				{ .fd = signal_fd, .events = POLLIN } };
	char c;

	do {
		if (poll(fds, ARRAY_SIZE(fds), -1) < 0 && errno != EINTR)
			die("cannot wait");
	} while (!fds[1].revents && (!fds[0].revents || read(STDIN_FILENO, &c, 1) > 0));
}

/* --- all CPUs ---------------------------------------------------------------------------- */

static void open_file(const struct options *opts, struct cpu *c, size_t i)
{
	const int flags = O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC;
	char *path;

	if (asprintf(&path, "%s/%zu", opts->dir, i) < 0)
		die("no memory");
	c->file_fd = open(path, flags | (opts->direct ? O_DIRECT : 0), 0600);
	if (c->file_fd < 0 && opts->direct && errno == EINVAL) {
		fprintf(stderr, "drain: no O_DIRECT in %s: through the page cache\n",
			opts->dir);
		c->file_fd = open(path, flags, 0600);
	}
	if (c->file_fd < 0)
		die(path);
	free(path);
}

static struct cpu *open_cpus(const struct options *opts, size_t *nr)
{
	struct cpu *cpus;
	glob_t found;
	char *pattern;

	if (asprintf(&pattern, "%s/per_cpu/cpu*/trace_pipe_raw", opts->instance) < 0)
		die("no memory");
	if (glob(pattern, 0, NULL, &found)) {
		errno = ENOENT;
		die(pattern);
	}
	cpus = calloc(found.gl_pathc, sizeof(*cpus));
	for (size_t i = 0; cpus && i < found.gl_pathc; i++) {
		cpus[i].raw_fd =
			open(found.gl_pathv[i], O_RDONLY | O_NONBLOCK | O_CLOEXEC);
		if (cpus[i].raw_fd < 0)
			die(found.gl_pathv[i]);
		open_file(opts, &cpus[i], i);
	}
	if (!cpus)
		die("no memory");
	*nr = found.gl_pathc;
	globfree(&found);
	free(pattern);
	return cpus;
}

/* Starts the threads and waits until all of them read. */
static struct worker *start(const struct options *opts, struct cpu *cpus, size_t nr_cpus,
			    int stop_fd, pthread_barrier_t *ready)
{
	const size_t nr = opts->threads ? nr_cpus : 1;
	struct worker *workers = calloc(nr, sizeof(*workers));

	if (!workers || pthread_barrier_init(ready, NULL, (unsigned int)nr + 1))
		die("no memory");
	for (size_t i = 0; i < nr; i++) {
		workers[i] = (struct worker){ .opts = opts,
					      .ready = ready,
					      .cpus = cpus + i,
					      .nr_cpus = opts->threads ? 1 : nr_cpus,
					      .page_size = (size_t)sysconf(_SC_PAGESIZE),
					      .stop_fd = stop_fd };
		errno = pthread_create(&workers[i].thread, NULL, work, &workers[i]);
		if (errno)
			die("cannot start a thread");
	}
	pthread_barrier_wait(ready);
	return workers;
}

static void run(const struct options *opts)
{
	size_t nr_cpus;
	struct cpu *cpus = open_cpus(opts, &nr_cpus);
	int signal_fd = open_signals(), stop_fd = eventfd(0, EFD_CLOEXEC);
	pthread_barrier_t ready;
	struct worker *workers = start(opts, cpus, nr_cpus, stop_fd, &ready);
	double at_start = own_cpu_s(), at_stop;
	uint64_t bytes = 0;

	puts("reading");
	fflush(stdout);
	wait_for_stop(signal_fd);
	at_stop = own_cpu_s();
	if (eventfd_write(stop_fd, 1))
		die("cannot stop");
	for (size_t i = 0; i < (opts->threads ? nr_cpus : 1); i++)
		pthread_join(workers[i].thread, NULL);
	for (size_t i = 0; i < nr_cpus; i++) {
		bytes += cpus[i].size;
		if (fdatasync(cpus[i].file_fd))
			die("cannot write");
	}
	printf("bytes: %" PRIu64 "\nCPU seconds while recording: %.3f\n"
	       "CPU seconds in all: %.3f\n",
	       bytes, at_stop - at_start, own_cpu_s() - at_start);
	free(workers);
	free(cpus);
}

int main(int argc, char **argv)
{
	static const struct option longs[] = { { "splice", no_argument, NULL, 's' },
					       { "direct", no_argument, NULL, 'd' },
					       { "threads", no_argument, NULL, 't' },
					       { "traced", no_argument, NULL, 'r' },
					       { 0 } };
	struct options opts = { 0 };
	int c;

	while ((c = getopt_long(argc, argv, "", longs, NULL)) != -1) {
		opts.splice |= c == 's';
		opts.direct |= c == 'd';
		opts.threads |= c == 't';
		opts.traced |= c == 'r';
		if (c == '?')
			optind = argc + 1;
	}
	if (optind != argc - 2 || (opts.splice && opts.direct)) {
		fputs(usage, stderr);
		return 2;
	}
	opts.instance = argv[optind];
	opts.dir = argv[optind + 1];
	run(&opts);
	return fflush(stdout) ? EXIT_FAILURE : EXIT_SUCCESS;
}

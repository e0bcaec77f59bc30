// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * capture: the loop of a running recording.
 * In: ring buffers, signals, the command's end, a deadline. Out: full parts, or rounds in which
 * everything that all CPUs have is read.
 */
#include "capture/session/session.h"

#include <poll.h>
#include <sys/epoll.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/io.h"

/* How often buffers that cannot signal readiness are read. 20 ms of the worst storm (40 MB/s per
 * CPU) fill less than 1 MB.
 */
#define POLL_MS		  20
/* How often a command's end is checked on kernels without pidfd_open (before 5.3). */
#define CHILD_POLL_MS	  20
/* A wake-up that brings less than this many sub-buffers was not worth it; MAX_POOR_WAKES in a row
 * mean that the kernel ignores buffer_percent in poll (before 6.1, 42fb0a1e84ff). Waking for every
 * event would double the workload's time.
 */
#define POOR_WAKE_SUBBUFS 8
#define MAX_POOR_WAKES	  16

/* How often to look for CPUs that were absent: like POLL_MS, with room to spare. */
#define HOTPLUG_MS 100

/* What the pump waits for. The first ones are descriptors of its own. */
enum {
	EPOLL,
	PIPES, /* a nested epoll set of the pipes, which can be removed at once */
	TIMER,
	TICK,
	HOTPLUG, /* from TICK to ROUND: timers that repeat */
	ROUND,
	NR_FDS,
	STOP = NR_FDS,
	CHILD,
	EXEC,
	INPUT,
};

/* @child: its end ends the loop; NULL: none. @live: NULL: buffers are read as they fill. */
struct pump {
	struct session *s;
	struct child *child;
	const struct capture_live *live;
	struct tick tick;
	int fds[NR_FDS]; /* -1: not open */
	bool polling;
	unsigned int poor_wakes;
	bool stop;
};

static int watch(int epoll_fd, int fd, uint32_t tag)
{
	struct epoll_event ev = { .events = EPOLLIN, .data.u32 = tag };

	if (fd < 0)
		return 0;
	return epoll_ctl(epoll_fd, EPOLL_CTL_ADD, fd, &ev) < 0 ? -errno : 0;
}

/* Makes timer @which expire after @ns, repeatedly with @repeat; never if @ns is 0. */
static int start_timer(struct pump *p, uint32_t which, uint64_t ns, bool repeat)
{
	int *fd = &p->fds[which];
	struct timespec at = { .tv_sec = (time_t)(ns / 1000000000),
			       .tv_nsec = (long)(ns % 1000000000) };
	struct itimerspec its = { .it_value = at };

	if (repeat)
		its.it_interval = at;
	if (!ns)
		return 0;
	*fd = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
	if (*fd < 0 || timerfd_settime(*fd, 0, &its, NULL) < 0)
		return -errno;
	return watch(p->fds[EPOLL], *fd, which);
}

/* A failed write ends the recording; a failed read is a separate error. */
static void drain(struct pump *p, size_t i)
{
	int ret = ring_reader_drain(&p->s->reader, i, false);

	if (ret) {
		p->s->result->write_error = -ret;
		p->stop = true;
	}
}

/* Watch CPU @i only once it has a buffer: without one its pipe is always "ready". */
static int watch_pipe(struct pump *p, size_t i)
{
	struct ring_reader_cpu *c = &p->s->reader.cpus[i];

	drain(p, i);
	return c->absent ? 0 : watch(p->fds[PIPES], c->pipe_fd, (uint32_t)i);
}

static int watch_pipes(struct pump *p)
{
	struct ring_reader *r = &p->s->reader;
	bool absent = false;
	int ret = 0;

	for (size_t i = 0; !ret && i < r->nr_cpus; i++) {
		ret = watch_pipe(p, i);
		absent = absent || r->cpus[i].absent;
	}
	if (!ret && absent)
		ret = start_timer(p, HOTPLUG, HOTPLUG_MS * 1000000ULL, true);
	return ret;
}

/* CPUs that were absent may have come online. */
static int look_for_cpus(struct pump *p)
{
	struct ring_reader *r = &p->s->reader;
	int ret = 0;

	for (size_t i = 0; !ret && i < r->nr_cpus; i++) {
		if (!r->cpus[i].absent)
			continue;
		ret = watch_pipe(p, i);
		if (!r->cpus[i].absent)
			log_msg(p->s->log, LOG_INFO, "CPU %u came online",
				r->cpus[i].cpu % RECORDING_FREES_CPU);
	}
	return ret;
}

/* What remains of the time to record; 0: there is no limit. Counting with tracing on has taken some
 * of it; a command has yet to begin.
 */
static uint64_t time_left(const struct session *s)
{
	uint64_t asked = s->opts->duration_ns;
	uint64_t gone = s->opts->argv ? 0 : clock_ns(CLOCK_MONOTONIC) - s->begin_ns;

	return asked ? LARGER(asked, gone + 1) - gone : 0;
}

static int set_up(struct pump *p)
{
	const struct capture_options *opts = p->s->opts;
	int ret;

	p->fds[EPOLL] = epoll_create1(EPOLL_CLOEXEC);
	p->fds[PIPES] = epoll_create1(EPOLL_CLOEXEC);
	if (p->fds[EPOLL] < 0 || p->fds[PIPES] < 0)
		return -errno;
	ret = start_timer(p, TIMER, time_left(p->s), false);
	if (!ret)
		ret = start_timer(p, TICK, tick_start(&p->tick, p->s) * 1000000ULL, true);
	ret = ret ?: watch(p->fds[EPOLL], opts->stop_fd, STOP);
	if (!ret && p->child)
		ret = watch(p->fds[EPOLL], p->child->pidfd, CHILD);
	if (!ret && p->child)
		ret = watch(p->fds[EPOLL], p->child->exec_fd, EXEC);
	if (!ret && !p->polling)
		ret = watch(p->fds[EPOLL], p->fds[PIPES], PIPES);
	if (!ret && p->live)
		ret = start_timer(p, ROUND, p->live->round_ms * 1000000ULL, true);
	if (!ret && p->live)
		ret = watch(p->fds[EPOLL], p->live->input_fd, INPUT);
	return ret ?: watch_pipes(p);
}

static void drain_all(struct pump *p)
{
	if (p->live) {
		p->stop = live_round(p->s) || p->stop;
		return;
	}
	for (size_t i = 0; i < p->s->reader.nr_cpus && !p->stop; i++)
		drain(p, i);
}

static int drain_ready(struct pump *p)
{
	struct ring_reader *r = &p->s->reader;
	struct epoll_event ev[64];
	int n = epoll_wait(p->fds[PIPES], ev, ARRAY_SIZE(ev), 0);
	uint64_t bytes = 0;

	if (n < 0)
		return errno == EINTR ? 0 : -errno;
	for (int i = 0; i < n && !p->stop; i++) {
		uint64_t before = r->cpus[ev[i].data.u32].size;

		drain(p, ev[i].data.u32);
		bytes += r->cpus[ev[i].data.u32].size - before;
	}
	p->poor_wakes = bytes < (uint64_t)POOR_WAKE_SUBBUFS * r->subbuf_size
				? p->poor_wakes + 1
				: 0;
	if (p->poor_wakes >= MAX_POOR_WAKES) {
		p->polling = true;
		epoll_ctl(p->fds[EPOLL], EPOLL_CTL_DEL, p->fds[PIPES], NULL);
		log_msg(p->s->log, LOG_INFO,
			"this kernel wakes readers too early; polling its buffers");
	}
	return 0;
}

/* Returns the signal; 0 if none was pending. */
static int take_signal(int stop_fd, const struct child *child)
{
	struct signalfd_siginfo info;
	int signal = child_signal(stop_fd, &info);

	if (signal && child)
		child_pass_on(child, &info);
	return signal;
}

static int handle(struct pump *p, uint32_t tag)
{
	struct capture_result *result = p->s->result;
	uint64_t times;

	/* A timer that repeats is ready until it is read. */
	if (tag >= TICK && tag <= ROUND &&
	    read(p->fds[tag], &times, sizeof(times)) != sizeof(times))
		return 0;
	switch (tag) {
	case STOP:
		result->stop_signal = take_signal(p->s->opts->stop_fd, p->child);
		p->stop = p->stop || result->stop_signal;
		return 0;
	case CHILD:
		p->stop = p->stop || child_check(p->child, false);
		return 0;
	case EXEC:
		/* Closing the descriptor removes it from the epoll set. */
		child_exec_result(p->child);
		p->stop = p->stop || p->child->exec_errno;
		return 0;
	case TIMER:
		result->timed_out = p->stop = true;
		return 0;
	case TICK:
		p->stop = tick_on(&p->tick) || p->stop;
		return 0;
	case HOTPLUG:
		return look_for_cpus(p);
	case INPUT:
		p->stop = p->live->input(p->live->ctx) || p->stop;
		return 0;
	default: /* PIPES, ROUND */
		if (!p->live)
			return drain_ready(p);
		drain_all(p);
		return 0;
	}
}

static int timeout_ms(const struct pump *p)
{
	if (p->polling)
		return POLL_MS;
	return p->child && p->child->pidfd < 0 ? CHILD_POLL_MS : -1;
}

static int loop(struct pump *p)
{
	struct epoll_event ev[8];
	int ret = 0;

	while (!p->stop && !ret) {
		int n = epoll_wait(p->fds[EPOLL], ev, ARRAY_SIZE(ev), timeout_ms(p));

		if (n < 0 && errno != EINTR)
			return -errno;
		for (int i = 0; i < n && !ret; i++)
			ret = handle(p, ev[i].data.u32);
		if (p->polling)
			drain_all(p);
		if (p->child && p->child->pidfd < 0)
			p->stop = p->stop || child_check(p->child, false);
	}
	return ret;
}

int pump_run(struct session *s)
{
	struct pump p = { .s = s,
			  .child = s->opts->argv ? &s->result->child : NULL,
			  .live = s->opts->live,
			  .fds = { -1, -1, -1, -1, -1, -1 },
			  .polling = !s->has_watermark };
	int ret = set_up(&p);

	ret = ret ?: loop(&p);
	log_errno(s->log, LOG_ERROR, ret, "cannot wait for the ring buffers: %m");
	for (int i = NR_FDS; i-- > 0;)
		io_close(&p.fds[i]);
	return ret;
}

void pump_wait_child(struct child *child, int stop_fd)
{
	while (!child_check(child, false)) {
		struct pollfd fds[] = { { .fd = child->pidfd, .events = POLLIN },
					{ .fd = stop_fd, .events = POLLIN } };

		if (poll(fds, ARRAY_SIZE(fds), child->pidfd < 0 ? CHILD_POLL_MS : -1) >
			    0 &&
		    (fds[1].revents & POLLIN))
			take_signal(stop_fd, child);
	}
}

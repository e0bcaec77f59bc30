// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * capture: orchestrates a recording from tracing on to tracing off; session.c writes it.
 * In: struct capture_options. Out: the file, and struct capture_result.
 *
 * Order matters: everything that can fail or that allocates much happens before tracing is
 * switched on; the command becomes itself after that; the instance goes when the file is
 * whole, but has no name yet: killed at any time, this process leaves all events, and a file
 * that kmemx recover finds as long as there is an instance.
 */
#include "capture/capture.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "capture/dead.h"
#include "capture/pump.h"
#include "capture/session.h"
#include "capture/shrink.h"

/* A CPU's buffer: an allocation storm makes 40 MB/s and CPU with stacks, and a reader whose
 * disk is busy with others' writing for half a second must not lose any of it. (With half
 * as much, one of three rounds of the bench did, while perf's file was being written back.)
 */
#define BUFFER_DEFAULT	    (32U << 20)
#define BUFFER_MIN	    (1U << 20)
/* All buffers together take at most this part of memory by default. */
#define BUFFER_MEMORY_SHARE 32
/* Readers wake when a buffer is filled so far: percent. */
#define BUFFER_PERCENT	    "25"

/* How often names of tasks are read: for so many new tasks a second, within bounds. */
#define TASKS_PER_SECOND 4000U
#define COMMS_MIN_MS	 20U
#define COMMS_MAX_MS	 5000U

static uint64_t now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000000000 + (uint64_t)ts.tv_nsec;
}

/* CPU time of this process, without its children's. */
static uint64_t own_cpu_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &ts);
	return (uint64_t)ts.tv_sec * 1000000000 + (uint64_t)ts.tv_nsec;
}

/* --- preparing --------------------------------------------------------------------------- */

/* Writes to both instances, where there are two. */
static int write_both(const struct session *s, const char *file, const char *text)
{
	const struct instance frees = { .tracefs = s->instance.frees, .lock_fd = -1 };
	int ret = instance_write(&s->instance, file, text);

	return ret || !frees.tracefs ? ret : instance_write(&frees, file, text);
}

/* Are only some allocations recorded? */
static bool in_part(const struct capture_options *opts)
{
	return opts->nr_pids || opts->follow || opts->events.filter;
}

static uint64_t default_buffer_bytes(void)
{
	struct strbuf sb = { 0 };
	uint64_t bytes = BUFFER_DEFAULT, share = 0;
	long cpus = sysconf(_SC_NPROCESSORS_CONF);

	if (instance_read_top("/proc/meminfo", &sb) == 0)
		share = facts_number(strbuf_text(&sb), "MemTotal") * 1024 /
			BUFFER_MEMORY_SHARE / (uint64_t)(cpus > 0 ? cpus : 1);
	strbuf_free(&sb);
	bytes = share && share < bytes ? share : bytes;
	return bytes < BUFFER_MIN ? BUFFER_MIN : bytes;
}

/* A default that memory does not allow is halved; the user's own wish is not. */
static int set_buffer_size(struct session *s)
{
	bool chosen = s->opts->buffer_bytes != 0;
	/* Two buffers share what one would have had. */
	uint64_t bytes = chosen ? s->opts->buffer_bytes
				: default_buffer_bytes() / (s->instance.frees ? 2 : 1);
	char text[32];
	int ret;

	for (;; bytes /= 2) {
		snprintf(text, sizeof(text), "%" PRIu64, (bytes + 1023) / 1024);
		ret = write_both(s, "buffer_size_kb", text);
		if (ret == 0) {
			s->buffer_bytes = bytes;
			log_msg(s->log, LOG_INFO, "ring buffer: %s KiB per CPU", text);
			return 0;
		}
		if (chosen || bytes / 2 < BUFFER_MIN)
			break;
	}
	log_msg(s->log, LOG_ERROR,
		"cannot get a ring buffer of %s KiB per CPU: %s\n  Ask for a smaller one: -b SIZE",
		text, strerror(-ret));
	return ret;
}

/* Is @name among the words of the kernel's list ("[local] global ...")? */
static bool has_clock(const char *list, const char *name)
{
	size_t len = strlen(name);

	for (const char *p = list; (p = strstr(p, name)); p += len)
		if ((p == list || p[-1] == ' ' || p[-1] == '[') &&
		    (!p[len] || strchr(" ]\n", p[len])))
			return len != 0;
	return false;
}

static int set_clock(struct session *s)
{
	/* Kernels without mono (before 3.17) have global, slower but ordered as well. */
	const char *name = s->opts->clock ? s->opts->clock : CAPTURE_DEFAULT_CLOCK;
	struct strbuf sb = { 0 };
	int ret = instance_read(&s->instance, "trace_clock", &sb);

	if (!ret && !s->opts->clock && !has_clock(strbuf_text(&sb), name))
		name = "global";
	if (!ret && !has_clock(strbuf_text(&sb), name)) {
		log_msg(s->log, LOG_ERROR,
			"this kernel has no trace clock '%s'\n  Clocks: %.*s", name,
			(int)strcspn(strbuf_text(&sb), "\n"), strbuf_text(&sb));
		ret = -EINVAL;
	} else if (!ret) {
		snprintf(s->clock, sizeof(s->clock), "%s", name);
		ret = write_both(s, "trace_clock", name);
		if (ret)
			log_msg(s->log, LOG_ERROR,
				"cannot set the trace clock '%s': %s\n  Choose another: --clock NAME",
				name, strerror(-ret));
	}
	strbuf_free(&sb);
	return ret;
}

static int set_up_events(struct session *s)
{
	const struct capture_options *opts = s->opts;
	const struct event_choice *choice = &opts->events;
	const struct instance frees = { .tracefs = s->instance.frees, .lock_fd = -1 };
	bool by_pid = opts->nr_pids || opts->follow;
	int ret = events_select(&s->events, &s->instance, choice, s->log);

	/* Where only some tasks are recorded this one is none of them. */
	s->self = EVENTS_SELF_CONTEXT;
	if (!ret && !by_pid && s->pids.self)
		s->self = events_leave_out(&s->events, &s->instance, choice, s->pids.self,
					   s->log);
	if (!ret)
		ret = events_filter(&s->events, &s->instance, choice, s->log);
	if (!ret)
		ret = events_stacks(&s->events, &s->instance, choice,
				    &s->result->stacks_how, s->log);
	if (!ret)
		ret = events_only_pids(&s->instance, opts->pids, opts->nr_pids, true,
				       s->log);
	if (!ret && opts->follow)
		ret = events_follow(&s->instance, s->pids.command, s->log);
	if (ret || !s->instance.frees)
		return ret ? ret
			   : events_enable(&s->events, &s->instance, EVENTS_ALL, s->log);
	ret = events_enable(&s->events, &s->instance, EVENTS_NO_FREES, s->log);
	if (!ret && choice->stack == CAPTURE_STACK_ALL)
		ret = instance_write(&frees, "options/stacktrace", "1");
	return ret ? ret : events_enable(&s->events, &frees, EVENTS_FREES, s->log);
}

/* An instance's filter on tasks holds for all of its events: frees get one of their own, as
 * those of all tasks are recorded. A filter of events could leave them out by itself, but
 * events that it lets pass could not be distinguished from the frees.
 */
static int make_frees(struct session *s)
{
	if (!in_part(s->opts) || s->opts->events.filter_frees)
		return 0;
	return instance_create_frees(&s->instance, s->log);
}

/* Starts the command, which waits, and learns what the kernel calls it and this process. */
static int start_child(struct session *s)
{
	const struct capture_options *opts = s->opts;
	const struct child_options child = { .sigmask = opts->child_sigmask,
					     .stdout_to_stderr = opts->stream_fd >= 0,
					     .marker_fd = pids_begin(&s->instance),
					     .line = PIDS_COMMAND };
	struct child *c = &s->result->child;
	int ret = opts->argv ? child_fork(c, opts->argv, &child) : 0;

	if (ret)
		log_msg(s->log, LOG_ERROR, "cannot start a process: %s", strerror(-ret));
	pids_end(&s->pids, &s->instance, child.marker_fd, c->pid > 0 ? c->pid : 0,
		 s->log);
	s->facts.no_proc = !s->pids.proc_agrees;
	return ret;
}

/* In a PID namespace the user, and /proc, have other numbers than the kernel's filters. */
static int check_pids(const struct session *s)
{
	if (s->opts->nr_pids && s->pids.self && !s->pids.proc_agrees) {
		log_msg(s->log, LOG_ERROR,
			"-p needs the kernel's process IDs, but /proc shows others: this is a PID namespace\n  Record from the host, or start the command from here: --follow -- COMMAND");
		return -ESRCH;
	}
	if ((s->opts->nr_pids && !s->pids.self) ||
	    (s->opts->follow && !s->pids.command)) {
		log_msg(s->log, LOG_ERROR,
			"cannot determine the kernel's process IDs in this PID namespace\n  Record from the host, or the whole system: leave out --follow and -p");
		return -ESRCH;
	}
	return 0;
}

static int prepare(struct session *s)
{
	const struct capture_options *opts = s->opts;
	char token[NEW_FILE_TOKEN + sizeof(INSTANCE_STREAM)];
	int ret = session_begin(s);

	snprintf(token, sizeof(token), "%s%s", s->token,
		 opts->stream_fd >= 0 ? INSTANCE_STREAM : "");
	if (!ret)
		ret = instance_create(&s->instance, token, opts->command_line, s->log);
	if (!ret)
		dead_sweep(s->log);
	if (!ret)
		ret = start_child(s);
	if (!ret)
		ret = check_pids(s);
	if (!ret)
		ret = make_frees(s);
	if (!ret)
		ret = set_clock(s);
	if (!ret)
		ret = set_buffer_size(s);
	if (!ret)
		ret = session_open_reader(s);
	if (!ret)
		ret = set_up_events(s);
	if (ret)
		return ret;
	s->has_watermark = write_both(s, "buffer_percent", BUFFER_PERCENT) == 0;
	if (!s->has_watermark)
		log_msg(s->log, LOG_INFO,
			"this kernel has no buffer_percent; polling its buffers");
	ret = facts_add_comms(&s->facts);
	if (ret)
		log_msg(s->log, LOG_ERROR, "cannot read task names: %s", strerror(-ret));
	return ret;
}

/* --- recording --------------------------------------------------------------------------- */

/* Whose allocations and frees are in the recording, if not the whole system's. */
static int add_scope(struct session *s)
{
	static const char *const self[] = { "context", "pid", "recorded" };
	const struct capture_options *opts = s->opts;
	bool by_pid = opts->nr_pids || opts->follow;
	int ret = session_add_meta(s, "self", self[s->self]);
	char pid[24];

	snprintf(pid, sizeof(pid), "%d", (int)s->pids.self);
	if (!ret && !by_pid && s->pids.self && s->self == EVENTS_SELF_CONTEXT)
		ret = session_add_meta(s, RECORDING_META_RECORDER_PID, pid);
	if (!ret && in_part(opts))
		ret = session_add_meta(s, RECORDING_META_SCOPE, "part");
	if (!ret && in_part(opts))
		ret = session_add_meta(s, RECORDING_META_FREES,
				       s->instance.frees ? "all" : "part");
	return ret;
}

/* What is known of the recording before it starts. */
static int add_first_facts(struct session *s)
{
	int ret = session_add_recorder(s);
	char text[64];
	struct tm tm;

	if (!ret)
		ret = session_add_events(s);
	gmtime_r(&s->wall_start.tv_sec, &tm);
	strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%SZ", &tm);
	if (!ret)
		ret = session_add_meta(s, "wall_clock", text);
	return ret ? ret : add_scope(s);
}

static int cannot_send(int err, const struct log *log)
{
	log_msg(log, LOG_ERROR,
		"cannot write the recording to standard output: %s\n  Is the reader still running?",
		strerror(-err));
	return err;
}

/* A stream begins with all that its reader needs to make sense of what follows: it may
 * break off at any time.
 */
static int start_stream(struct session *s)
{
	int ret = session_read_system(s);

	if (ret)
		return ret;
	s->wire.fd = s->opts->stream_fd;
	s->reader.wire = &s->wire;
	ret = wire_start(&s->wire, &s->facts.writer);
	return ret ? cannot_send(ret, s->log) : 0;
}

/* The frees first: what is allocated from now on may be freed at once. */
static int switch_on(const struct session *s)
{
	const struct instance frees = { .tracefs = s->instance.frees, .lock_fd = -1 };
	int ret = frees.tracefs ? instance_write(&frees, "tracing_on", "1") : 0;

	return ret ? ret : instance_write(&s->instance, "tracing_on", "1");
}

#define CACHES "/sys/kernel/slab"

/* Slabs that CPUs hold go back, so that slabinfo does not count their free objects. */
static bool shrink_if_asked(const struct session *s, bool after)
{
	uint64_t begin = now_ns();

	if (!s->opts->exact_ledger ||
	    /* Once is enough to be warned. */
	    !shrink_caches(CACHES, after && !s->shrunk_before ? LOG_INFO : LOG_WARN,
			   s->log))
		return false;
	if (after)
		shrink_again(CACHES, s->log);
	log_msg(s->log, LOG_INFO, "shrinking all slab caches %s: %.1f ms",
		after ? "after" : "before", (double)(now_ns() - begin) / 1e6);
	return true;
}

static int start(struct session *s)
{
	bool stream = s->opts->stream_fd >= 0;
	int ret = stream ? 0 : session_read_system(s);

	if (!ret && !stream)
		session_begin_unfinished(s);
	/* Pages that it frees are in no event: before any of the counts. */
	if (!ret)
		s->shrunk_before = shrink_if_asked(s, false);
	if (!ret)
		ret = facts_snapshot(&s->facts, "before", s->log);
	clock_gettime(CLOCK_REALTIME, &s->wall_start);
	if (!ret)
		ret = add_first_facts(s);
	if (!ret)
		ret = stream ? start_stream(s) : session_add_to_unfinished(s);
	if (ret)
		return ret;
	s->start_ts = session_now(s);
	ret = switch_on(s);
	if (ret)
		log_msg(s->log, LOG_ERROR,
			"cannot switch tracing on: %s\n  This machine may forbid it",
			strerror(-ret));
	else
		watch_start(&s->watch, &s->instance, &s->events, &s->reader, s->log);
	if (ret || stream)
		return ret;
	/* What CPUs took again while all this was done. */
	if (s->shrunk_before)
		shrink_again(CACHES, s->log);
	ret = facts_slabinfo_again(&s->facts, s->log);
	return ret ? ret : session_count_slabs(s, "before");
}

/* The kernel keeps the names of few tasks (128 by default), and of those that ended only
 * there: it is read before TASKS_PER_SECOND new ones can have pushed them out.
 */
static unsigned int comms_interval_ms(void)
{
	struct strbuf sb = { 0 };
	unsigned long size = 0;

	if (instance_read_top("saved_cmdlines_size", &sb) == 0)
		size = strtoul(strbuf_text(&sb), NULL, 10);
	strbuf_free(&sb);
	if (size > COMMS_MAX_MS * TASKS_PER_SECOND / 1000)
		return COMMS_MAX_MS;
	size = size * 1000 / TASKS_PER_SECOND;
	return size < COMMS_MIN_MS ? COMMS_MIN_MS : (unsigned int)size;
}

/*
 * Are the processes of -p gone, and what they forked? The kernel keeps that list itself: it
 * strikes out who ends. Who ended before it was on the list stays there.
 */
static bool nobody_left(const struct session *s)
{
	struct strbuf sb = { 0 };
	const char *at;
	bool left;

	if (!s->opts->nr_pids || s->opts->argv)
		return false;
	left = instance_read(&s->instance, "set_event_pid", &sb) || sb.failed;
	at = strbuf_text(&sb);
	while (!left) {
		char *end;
		long pid = strtol(at, &end, 10);

		if (end == at)
			break;
		left = pids_runs((pid_t)pid);
		at = end;
	}
	strbuf_free(&sb);
	return !left;
}

/* Now and then while recording. True: nothing is left to record. */
static bool on_tick(void *ctx)
{
	struct session *s = ctx;

	if (facts_add_saved_comms(&s->facts))
		log_msg(s->log, LOG_DEBUG, "no memory for task names");
	return nobody_left(s);
}

static int record(struct session *s)
{
	struct capture_result *result = s->result;
	struct pump_options pump = {
		.reader = &s->reader,
		.child = s->opts->argv ? &result->child : NULL,
		.stop_fd = s->opts->stop_fd,
		.duration_ns = s->opts->duration_ns,
		.has_watermark = s->has_watermark,
		.tick = on_tick,
		.tick_ms = comms_interval_ms(),
		.ctx = s,
		.log = s->log,
	};
	uint64_t begin, cpu;
	int ret = start(s);

	if (ret)
		return ret;
	begin = now_ns();
	cpu = own_cpu_ns();
	if (s->opts->started)
		s->opts->started(s->opts->ctx);
	if (s->opts->argv)
		ret = child_go(&result->child);
	if (!ret)
		ret = pump_run(&pump);
	/* It takes long, and what others allocate and free meanwhile is to be seen. */
	if (!ret && !result->child.exec_errno)
		s->shrunk_after = shrink_if_asked(s, true);
	if (!ret && !result->child.exec_errno)
		ret = session_count_slabs(s, "after");
	s->verdict = watch_end(&s->watch, &s->instance, s->log);
	/* The frees last: what was allocated until now may still be freed. */
	if (write_both(s, "tracing_on", "0") < 0)
		log_msg(s->log, LOG_WARN, "cannot switch tracing off");
	result->duration_ns = now_ns() - begin;
	s->stop_ts = session_now(s);
	/* What all reports will say. */
	if (recording_clock_is_ns(s->clock) && s->stop_ts > s->start_ts)
		result->duration_ns = s->stop_ts - s->start_ts;
	log_msg(s->log, LOG_INFO, "CPU time of the recorder while recording: %.3f s",
		(double)(own_cpu_ns() - cpu) / 1e9);
	result->stop_signal = pump.stop_signal;
	result->timed_out = pump.timed_out;
	result->exec_errno = result->child.exec_errno;
	result->write_error = s->reader.read_error ? 0 : pump.write_error;
	return ret;
}

/* --- finishing --------------------------------------------------------------------------- */

static int add_last_facts(struct session *s)
{
	char text[64];
	int ret;

	snprintf(text, sizeof(text), "%" PRIu64, s->result->duration_ns);
	ret = session_add_meta(s, "duration_ns", text);
	snprintf(text, sizeof(text), "%" PRIu64 " %" PRIu64, s->start_ts, s->stop_ts);
	if (!ret && s->stop_ts > s->start_ts)
		ret = session_add_meta(s, RECORDING_META_SPAN, text);
	if (!ret && (s->shrunk_before || s->shrunk_after))
		ret = session_add_meta(s, "shrunk",
				       !s->shrunk_after	   ? "before"
				       : !s->shrunk_before ? "after"
							   : "before after");
	return ret ? ret : session_add_truncated(s);
}

/* Everything that needs the instance; afterwards it is gone. */
static int collect(struct session *s)
{
	int ret = facts_snapshot(&s->facts, "after", s->log);

	session_drain_rest(s);
	session_check_parts(s);
	if (!ret)
		ret = facts_add_comms(&s->facts);
	if (!ret)
		ret = session_read_statistics(s);
	if (!ret)
		ret = add_last_facts(s);
	if (!ret && !s->reader.wire)
		ret = facts_refresh(&s->facts, s->log);
	return session_compose(s, ret);
}

static int finish_stream(struct session *s)
{
	struct capture_result *result = s->result;
	int ret = 0;

	if (!result->write_error)
		ret = wire_finish(&s->wire, &s->facts.writer);
	result->file_bytes = s->wire.bytes;
	return ret ? cannot_send(ret, s->log) : 0;
}

int capture_run(const struct capture_options *opts, struct capture_result *result)
{
	struct session s;
	int ret;

	session_init(&s, opts, result);
	ret = prepare(&s);
	if (!ret)
		ret = record(&s);
	if (!ret && !result->exec_errno)
		ret = collect(&s);
	ring_reader_close_pipes(&s.reader);
	/* A command that has not begun has what was open when it was made: of the instance too. */
	if (result->child.go_fd >= 0)
		child_close(&result->child);
	if (!ret && !result->exec_errno)
		ret = s.reader.wire ? finish_stream(&s) : session_join_file(&s);
	instance_destroy(&s.instance, opts->log);
	if (!ret && !result->exec_errno && !s.reader.wire)
		ret = session_commit_file(&s);
	session_close(&s);
	return ret;
}

/* --- the command's end ------------------------------------------------------------------- */

int capture_wait(const struct capture_options *opts, struct capture_result *result)
{
	struct child *c = &result->child;
	int ret = 0;

	if (c->pid > 0 && !child_check(c, false) && c->go_fd < 0) {
		if (result->timed_out)
			kill(c->pid, SIGTERM);
		pump_wait_child(c, opts->stop_fd);
	}
	if (c->ended)
		ret = WIFSIGNALED(c->status) ? 128 + WTERMSIG(c->status)
					     : WEXITSTATUS(c->status);
	child_close(c);
	return ret;
}

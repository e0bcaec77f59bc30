// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * capture: orchestrates a recording.
 * In: struct capture_options. Out: the file, and struct capture_result.
 *
 * Order matters: everything that can fail or that allocates much happens before tracing is
 * switched on; the command becomes itself after that; the instance goes before the file is
 * joined, so that even a crash then leaves nothing in the kernel.
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

#include "capture/facts.h"
#include "capture/instance.h"
#include "capture/output.h"
#include "capture/pump.h"
#include "capture/reader.h"

/* A CPU's buffer: an allocation storm makes 40 MB/s and CPU with stacks, and a reader that
 * is kept from running for a few hundred milliseconds must not lose any of it.
 */
#define BUFFER_DEFAULT	    (16U << 20)
#define BUFFER_MIN	    (1U << 20)
/* All buffers together take at most this part of memory by default. */
#define BUFFER_MEMORY_SHARE 32
/* Readers wake when a buffer is filled so far: percent. */
#define BUFFER_PERCENT	    "25"

/* How often names of tasks are read: for so many new tasks a second, within bounds. */
#define TASKS_PER_SECOND 4000U
#define COMMS_MIN_MS	 20U
#define COMMS_MAX_MS	 5000U

struct session {
	const struct capture_options *opts;
	struct capture_result *result;
	const struct log *log;
	struct instance instance;
	struct event_list events;
	struct output output;
	struct wire wire; /* instead of a file, with @opts->stream_fd */
	struct reader reader;
	struct facts facts;
	char clock[32];
	bool has_watermark; /* the kernel knows buffer_percent */
	struct timespec wall_start;
};

static uint64_t now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000000000 + (uint64_t)ts.tv_nsec;
}

/* --- preparing --------------------------------------------------------------------------- */

static uint64_t default_buffer_bytes(void)
{
	struct strbuf sb = { 0 };
	uint64_t bytes = BUFFER_DEFAULT, share = 0;
	long cpus = sysconf(_SC_NPROCESSORS_CONF);

	if (instance_read_top("/proc/meminfo", &sb) == 0)
		share = facts_number(strbuf_text(&sb), "MemTotal") * 1024 /
			BUFFER_MEMORY_SHARE / (uint64_t)(cpus > 0 ? cpus : 1);
	strbuf_free(&sb);
	if (share && share < bytes)
		bytes = share;
	return bytes < BUFFER_MIN ? BUFFER_MIN : bytes;
}

/* A default that memory does not allow is halved; the user's own wish is not. */
static int set_buffer_size(struct session *s)
{
	bool chosen = s->opts->buffer_bytes != 0;
	uint64_t bytes = chosen ? s->opts->buffer_bytes : default_buffer_bytes();
	char text[32];
	int ret;

	for (;; bytes /= 2) {
		snprintf(text, sizeof(text), "%" PRIu64, (bytes + 1023) / 1024);
		ret = instance_write(&s->instance, "buffer_size_kb", text);
		if (ret == 0) {
			log_msg(s->log, LOG_INFO, "ring buffer: %s KiB a CPU", text);
			return 0;
		}
		if (chosen || bytes / 2 < BUFFER_MIN)
			break;
	}
	log_msg(s->log, LOG_ERROR,
		"cannot get a ring buffer of %s KiB a CPU: %s\n  Ask for a smaller one: -b SIZE",
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
			"this kernel has no trace clock '%s'\n  It has: %.*s", name,
			(int)strcspn(strbuf_text(&sb), "\n"), strbuf_text(&sb));
		ret = -EINVAL;
	} else if (!ret) {
		snprintf(s->clock, sizeof(s->clock), "%s", name);
		ret = instance_write(&s->instance, "trace_clock", name);
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
	int ret = events_select(&s->events, &s->instance, choice, s->log);

	if (!ret)
		ret = events_filter(&s->events, &s->instance, choice->filter, s->log);
	if (!ret)
		ret = events_stacks(&s->events, &s->instance, choice,
				    &s->result->stacks_how, s->log);
	if (!ret)
		ret = events_only_pids(&s->instance, opts->pids, opts->nr_pids, true,
				       s->log);
	if (!ret && opts->follow)
		ret = events_only_pids(&s->instance, &s->result->child.pid, 1, true,
				       s->log);
	if (ret)
		return ret;
	events_exclude_self(&s->instance, s->log);
	return events_enable(&s->events, &s->instance, s->log);
}

static int open_reader(struct session *s)
{
	const struct reader_output output = { s->output.prefix, s->output.tmp,
					      s->output.fd };
	struct reader_layout layout;
	int ret = facts_read_headers(&s->facts, &s->instance);

	if (!ret)
		ret = reader_parse_layout(strbuf_text(&s->facts.header_page), &layout);
	if (ret) {
		log_msg(s->log, LOG_ERROR,
			"cannot understand the kernel's ring buffer (events/header_page): %s",
			strerror(-ret));
		return ret;
	}
	ret = reader_open(&s->reader, &s->instance, &layout, &output, s->log);
	if (!ret) {
		const struct reader *r = &s->reader;

		s->facts.writer.file_version = s->opts->file_version;
		s->facts.writer.page_size = r->subbuf_size;
		s->facts.writer.clock = s->clock;
		s->facts.writer.nr_cpus = r->cpus[r->nr_cpus - 1].cpu + 1;
	}
	return ret;
}

static int prepare(struct session *s)
{
	const struct capture_options *opts = s->opts;
	struct child *child = &s->result->child;
	bool stream = opts->stream_fd >= 0;
	int ret = stream ? 0 : output_open(&s->output, opts->output, s->log);

	if (!ret)
		ret = instance_create(&s->instance, opts->command_line, s->log);
	if (!ret && opts->argv) {
		ret = child_fork(child, opts->argv, opts->child_sigmask, stream);
		if (ret)
			log_msg(s->log, LOG_ERROR, "cannot start a process: %s",
				strerror(-ret));
	}
	if (!ret)
		ret = set_clock(s);
	if (!ret)
		ret = set_buffer_size(s);
	if (!ret)
		ret = open_reader(s);
	if (!ret)
		ret = set_up_events(s);
	if (ret)
		return ret;
	s->has_watermark =
		instance_write(&s->instance, "buffer_percent", BUFFER_PERCENT) == 0;
	if (!s->has_watermark)
		log_msg(s->log, LOG_INFO,
			"this kernel has no buffer_percent: its buffers are polled");
	return facts_add_comms(&s->facts);
}

/* --- recording --------------------------------------------------------------------------- */

static int add_text_meta(struct session *s, const char *name, const char *text)
{
	return facts_add_meta(&s->facts, name, text, strlen(text));
}

/* What is known of the recording before it starts. */
static int add_first_facts(struct session *s)
{
	char text[64];
	struct tm tm;
	int ret;

	ret = add_text_meta(s, "cmdline", s->opts->command_line);
	if (!ret)
		ret = add_text_meta(s, "recorder", "kmemx " KMEMX_VERSION);
	gmtime_r(&s->wall_start.tv_sec, &tm);
	strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%SZ", &tm);
	if (!ret)
		ret = add_text_meta(s, "wall_clock", text);
	snprintf(text, sizeof(text), "%ld", sysconf(_SC_PAGESIZE));
	if (!ret)
		ret = add_text_meta(s, "page_size", text);
	if (!ret)
		ret = add_text_meta(s, "stack", s->result->stacks_how);
	/* Else the events stand for the whole system. */
	if (!ret && (s->opts->nr_pids || s->opts->follow || s->opts->events.filter))
		ret = add_text_meta(s, "scope", "part");
	return ret;
}

static int cannot_send(int err, const struct log *log)
{
	log_msg(log, LOG_ERROR,
		"cannot write the recording to standard output: %s\n  Is what reads it still there?",
		strerror(-err));
	return err;
}

/* A stream begins with all that its reader needs to make sense of what follows: it may
 * break off at any time.
 */
static int start_stream(struct session *s)
{
	int ret = facts_system(&s->facts, &s->instance, &s->events, s->log);

	if (!ret)
		ret = facts_compose(&s->facts);
	if (ret) {
		log_msg(s->log, LOG_ERROR, "cannot collect the system's facts: %s",
			strerror(-ret));
		return ret;
	}
	s->wire.fd = s->opts->stream_fd;
	s->reader.wire = &s->wire;
	ret = wire_start(&s->wire, &s->facts.writer);
	return ret ? cannot_send(ret, s->log) : 0;
}

static int start(struct session *s)
{
	int ret = facts_snapshot(&s->facts, "before", s->log);

	clock_gettime(CLOCK_REALTIME, &s->wall_start);
	if (!ret)
		ret = add_first_facts(s);
	if (ret)
		return ret;
	if (s->opts->stream_fd >= 0) {
		ret = start_stream(s);
		if (ret)
			return ret;
	}
	ret = instance_write(&s->instance, "tracing_on", "1");
	if (ret)
		log_msg(s->log, LOG_ERROR,
			"cannot switch tracing on: %s\n  This machine may forbid it.",
			strerror(-ret));
	return ret;
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

/* Are the processes of -p gone, and what they forked? The kernel keeps that list itself. */
static bool nobody_left(const struct session *s)
{
	struct strbuf sb = { 0 };
	bool empty;

	if (!s->opts->nr_pids || s->opts->argv)
		return false;
	empty = !instance_read(&s->instance, "set_event_pid", &sb) && !sb.failed &&
		!strbuf_text(&sb)[strspn(strbuf_text(&sb), " \n")];
	strbuf_free(&sb);
	return empty;
}

/* Now and then while recording. True: nothing is left to record. */
static bool look_around(void *ctx)
{
	struct session *s = ctx;

	if (facts_add_saved_comms(&s->facts))
		log_msg(s->log, LOG_DEBUG, "no memory for the names of tasks");
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
		.tick = look_around,
		.tick_ms = comms_interval_ms(),
		.ctx = s,
		.log = s->log,
	};
	uint64_t begin;
	int ret = start(s);

	if (ret)
		return ret;
	begin = now_ns();
	if (s->opts->started)
		s->opts->started(s->opts->ctx);
	if (s->opts->argv)
		ret = child_go(&result->child);
	if (!ret)
		ret = pump_run(&pump);
	if (instance_write(&s->instance, "tracing_on", "0") < 0)
		log_msg(s->log, LOG_WARN, "cannot switch tracing off");
	result->duration_ns = now_ns() - begin;
	result->stop_signal = pump.stop_signal;
	result->timed_out = pump.timed_out;
	result->exec_errno = result->child.exec_errno;
	result->write_error = pump.write_error;
	return ret;
}

/* --- finishing --------------------------------------------------------------------------- */

/* The tail of every CPU. On a full disk the rest stays unread: it is counted as lost. */
static int drain_rest(struct session *s)
{
	for (size_t i = 0; i < s->reader.nr_cpus && !s->result->write_error; i++) {
		int ret = reader_drain(&s->reader, i, true);

		if (ret)
			s->result->write_error = -ret;
	}
	return 0;
}

static int read_statistics(struct session *s)
{
	struct capture_result *result = s->result;

	for (size_t i = 0; i < s->reader.nr_cpus; i++) {
		int ret =
			facts_add_cpustat(&s->facts, &s->instance, s->reader.cpus[i].cpu);
		const char *text;

		if (ret)
			return ret;
		text = s->facts.cpustats.items[s->facts.cpustats.count - 1].text;
		result->overrun += facts_number(text, "overrun");
		result->commit_overrun += facts_number(text, "commit overrun");
		result->dropped += facts_number(text, "dropped events");
	}
	return 0;
}

static int add_last_facts(struct session *s)
{
	char text[64];
	int ret;

	snprintf(text, sizeof(text), "%" PRIu64, s->result->duration_ns);
	ret = add_text_meta(s, "duration_ns", text);
	if (!ret && s->result->write_error) {
		snprintf(text, sizeof(text), "%s", strerror(s->result->write_error));
		ret = add_text_meta(s, "truncated", text);
	}
	return ret;
}

/* Everything that needs the instance; afterwards it is gone. */
static int collect(struct session *s)
{
	int ret = facts_snapshot(&s->facts, "after", s->log);

	if (!ret)
		ret = drain_rest(s);
	if (!ret)
		ret = facts_add_comms(&s->facts);
	if (!ret)
		ret = read_statistics(s);
	if (!ret)
		ret = add_last_facts(s);
	if (!ret && !s->reader.wire)
		ret = facts_system(&s->facts, &s->instance, &s->events, s->log);
	if (!ret)
		ret = facts_compose(&s->facts);
	if (ret)
		log_msg(s->log, LOG_ERROR, "cannot collect the system's facts: %s",
			strerror(-ret));
	return ret;
}

static size_t list_parts(const struct session *s, struct writer_part *parts)
{
	uint64_t total = 0;
	size_t nr = 0;
	bool consume;

	for (size_t i = 0; i < s->reader.nr_cpus; i++)
		total += s->reader.cpus[i].size;
	consume = !output_has_room(&s->output, total);
	for (size_t i = 0; i < s->reader.nr_cpus; i++) {
		const struct reader_cpu *c = &s->reader.cpus[i];

		if (c->size)
			parts[nr++] = (struct writer_part){ c->cpu, c->part_fd, c->size,
							    consume, c->offset };
	}
	return nr;
}

/* Have the parts still all their bytes, where they were? */
static bool parts_whole(const struct writer_part *parts, size_t nr)
{
	struct stat st;

	for (size_t i = 0; i < nr; i++)
		if (fstat(parts[i].fd, &st) < 0 ||
		    (uint64_t)st.st_size < parts[i].offset + parts[i].size)
			return false;
	return true;
}

static int join(struct session *s, const struct writer_part *parts, size_t nr)
{
	const struct writer_facts *w = &s->facts.writer;
	const struct regions *regions = &s->reader.regions;
	uint64_t *bytes = &s->result->file_bytes;

	if (regions->stride)
		return writer_join(s->output.fd, w, parts, nr, regions->block, bytes,
				   s->log);
	if (ftruncate(s->output.fd, 0) < 0)
		return -errno;
	return writer_write(s->output.fd, w, parts, nr, bytes, s->log);
}

/* Compresses into a file of its own: what is there already stays, in case of a full disk.
 * True: that is the recording now.
 */
static bool compress(struct session *s, const struct writer_part *parts, size_t nr)
{
	struct output *o = &s->output;
	int ret = output_open_second(o);

	if (!ret)
		ret = writer_compress(o->second_fd, &s->facts.writer, parts, nr,
				      &s->result->file_bytes, s->log);
	if (!ret)
		ret = output_use_second(o);
	if (!ret)
		return true;
	output_drop_second(o);
	log_msg(s->log, LOG_WARN, "cannot compress the recording: %s; it stays as it is",
		strerror(-ret));
	return false;
}

static int write_file(struct session *s)
{
	const struct reader *r = &s->reader;
	struct writer_facts *w = &s->facts.writer;
	struct writer_part *parts = calloc(r->nr_cpus + 1, sizeof(*parts));
	size_t nr;
	int ret;

	if (!parts)
		return -ENOMEM;
	output_release_reserve(&s->output);
	reader_end_direct(&s->reader);
	nr = list_parts(s, parts);
	ret = s->opts->compress && compress(s, parts, nr) ? 0 : join(s, parts, nr);
	if (ret == -ENOSPC && w->kallsyms_size && parts_whole(parts, nr)) {
		log_msg(s->log, LOG_WARN,
			"no room for the kernel's symbols: callsites will show as addresses");
		w->kallsyms_size = 0;
		ret = join(s, parts, nr);
	}
	if (ret)
		log_msg(s->log, LOG_ERROR,
			"cannot write %s: %s\n  Make room there, or choose another place: -o FILE",
			s->opts->output, strerror(-ret));
	free(parts);
	return ret;
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

static int finish_file(struct session *s)
{
	int ret = write_file(s);

	reader_close(&s->reader);
	return ret ? ret
		   : output_commit(&s->output, s->opts->owner_uid, s->opts->owner_gid,
				   s->log);
}

int capture_run(const struct capture_options *opts, struct capture_result *result)
{
	struct session s = { .opts = opts,
			     .result = result,
			     .log = opts->log,
			     .instance = { .lock_fd = -1 },
			     .output = OUTPUT_INIT };
	int ret;

	*result = (struct capture_result){ .stacks_how = "none", .child = CHILD_INIT };
	ret = prepare(&s);
	if (!ret)
		ret = record(&s);
	if (!ret && !result->exec_errno)
		ret = collect(&s);
	reader_close_pipes(&s.reader);
	instance_destroy(&s.instance, opts->log);
	result->events = s.reader.events;
	if (!ret && !result->exec_errno)
		ret = s.reader.wire ? finish_stream(&s) : finish_file(&s);
	reader_close(&s.reader);
	output_close(&s.output);
	facts_free(&s.facts);
	events_free(&s.events);
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

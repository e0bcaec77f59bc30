// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * capture: a tracing instance of our own, ready to be switched on.
 * In: struct capture_options. Out: the instance, its buffers and events; the facts known before it
 * starts.
 */
#include "capture/session/session.h"

#include <sys/random.h>
#include <unistd.h>

#include "base/io.h"
#include "capture/events/event_criteria.h"
#include "capture/events/event_sample.h"
#include "capture/file/dead.h"
#include "recording/probe_list.h"

/* A CPU's buffer: an allocation storm makes 40 MB/s per CPU with stacks, and a reader whose disk is
 * busy with other writes for half a second must not lose any of it. (With half as much, one of
 * three benchmark rounds lost events while perf's file was being written back.)
 */
#define BUFFER_DEFAULT	    (32U << 20)
#define BUFFER_MIN	    (1U << 20)
/* Share of memory that all buffers together may take by default. */
#define BUFFER_MEMORY_SHARE 32
/* Fill level in percent at which readers wake. */
#define BUFFER_PERCENT	    "25"

int setup_write(const struct session *s, const char *file, const char *text)
{
	const struct instance frees = { .tracefs = s->instance.frees, .lock_fd = -1 };
	int ret = instance_write(&s->instance, file, text);

	return ret || !frees.tracefs ? ret : instance_write(&frees, file, text);
}

bool setup_by_task(const struct capture_options *opts)
{
	return opts->nr_pids || opts->follow || opts->cgroup;
}

/* Are only some allocations recorded? */
static bool in_part(const struct capture_options *opts)
{
	return setup_by_task(opts) || opts->events.filter ||
	       event_criteria_any(&opts->events.criteria);
}

bool setup_has_frees(const struct capture_options *opts)
{
	return in_part(opts) && !opts->events.filter_frees;
}

static uint64_t default_buffer_bytes(void)
{
	uint64_t bytes = BUFFER_DEFAULT, share;
	long cpus = sysconf(_SC_NPROCESSORS_CONF);

	share = facts_meminfo("MemTotal") / BUFFER_MEMORY_SHARE /
		(uint64_t)(cpus > 0 ? cpus : 1);
	bytes = share && share < bytes ? share : bytes;
	return bytes < BUFFER_MIN ? BUFFER_MIN : bytes;
}

/* Halves a default size that memory does not allow, but not the user's own size. */
static int set_buffer_size(struct session *s)
{
	bool chosen = s->opts->buffer_bytes != 0;
	/* Two buffers share the size of one. */
	uint64_t bytes = chosen ? s->opts->buffer_bytes
				: default_buffer_bytes() / (s->instance.frees ? 2 : 1);
	char text[32];
	int ret;

	for (;; bytes /= 2) {
		snprintf(text, sizeof(text), "%" PRIu64, (bytes + 1023) / 1024);
		ret = setup_write(s, "buffer_size_kb", text);
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
	/* Kernels without mono (before 3.17) use global, slower but ordered as well. */
	const char *name = s->opts->clock ? s->opts->clock : CAPTURE_DEFAULT_CLOCK;
	struct strbuf __auto_free sb = { 0 };
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
		ret = setup_write(s, "trace_clock", name);
		if (ret)
			log_msg(s->log, LOG_ERROR,
				"cannot set the trace clock '%s': %s\n  Choose another: --clock NAME",
				name, strerror(-ret));
	}
	return ret;
}

/* --- samples ----------------------------------------------------------------------------- */

/* Chooses the part at random: wherever objects lie, none is more likely to be in the sample than
 * another.
 */
static int choose_sample(struct sample *sample, uint32_t one_in, const struct log *log)
{
	uint64_t random;

	if (getrandom(&random, sizeof(random), 0) != sizeof(random)) {
		log_msg(log, LOG_ERROR, "cannot get random bits: %s", strerror(errno));
		return -EIO;
	}
	sample_init(sample, one_in, random, (uint64_t)sysconf(_SC_PAGESIZE));
	return 0;
}

static int sample_events(struct session *s)
{
	struct instance frees = { .tracefs = s->instance.frees, .lock_fd = -1 };
	int ret = choose_sample(&s->sample, s->opts->events.one_in, s->log);

	if (!ret)
		ret = events_sample(&s->events, &s->instance, &s->sample,
				    frees.tracefs ? EVENTS_NO_FREES : EVENTS_ALL, s->log);
	if (!ret && frees.tracefs)
		ret = events_sample(&s->events, &frees, &s->sample, EVENTS_FREES, s->log);
	return ret;
}

static int sample_stacks(struct session *s)
{
	int ret = choose_sample(&s->stack_sample, s->opts->events.stacks_one_in, s->log);

	if (!ret)
		ret = events_have_triggers()
			      ? events_sample_stacks(&s->events, &s->instance,
						     &s->stack_sample)
			      : -ENOTSUP;
	if (ret)
		log_msg(s->log, LOG_ERROR,
			"this kernel cannot record callchains of some slab allocations: %s\n  That needs Linux 5.17: leave out --stack-sample",
			strerror(-ret));
	return ret;
}

/* Call it after other filters are set and before other callchains are. */
static int set_samples(struct session *s)
{
	int ret = s->opts->events.one_in ? sample_events(s) : 0;

	return ret || !s->opts->events.stacks_one_in ? ret : sample_stacks(s);
}

/* Are probes of use: are all frees of slab objects recorded? */
static bool has_probes(const struct capture_options *opts)
{
	return opts->events.slab && !opts->events.one_in &&
	       (!in_part(opts) || setup_has_frees(opts));
}

/* Adds the probes to the events, after tracefs is known to be there. */
static int set_probes(struct session *s)
{
	const struct event_choice *choice = &s->opts->events;
	const struct probes_choice probes = {
		.self = s->pids.self ? s->pids.self : getpid(),
		.wish = s->opts->probes,
		.some = choice->filter || event_criteria_any(&choice->criteria),
	};

	return has_probes(s->opts) ? probes_set(&s->probes, &s->events, &probes, s->log)
				   : 0;
}

static int set_up_events(struct session *s)
{
	const struct capture_options *opts = s->opts;
	const struct event_choice *choice = &opts->events;
	const struct instance frees = { .tracefs = s->instance.frees, .lock_fd = -1 };
	bool by_pid = setup_by_task(opts);
	int ret = events_select(&s->events, &s->instance, choice, s->log);

	if (!ret)
		ret = set_probes(s);
	/* If only some tasks are recorded, this process is not one of them. */
	s->self = EVENTS_SELF_CONTEXT;
	if (!ret && !by_pid && opts->exact_ledger)
		s->self = EVENTS_SELF_RECORDED;
	else if (!ret && !by_pid && s->pids.self)
		s->self = events_leave_out(&s->events, &s->instance, choice, s->pids.self,
					   s->log);
	if (!ret)
		ret = events_filter(&s->events, &s->instance, choice, s->log);
	if (!ret)
		ret = events_criteria(&s->events, &s->instance, &frees, choice, s->log);
	if (!ret)
		ret = set_samples(s);
	if (!ret)
		ret = events_stacks(&s->events, &s->instance, choice,
				    &s->result->stacks_how, s->log);
	if (!ret)
		ret = events_only_pids(&s->instance, opts->pids, opts->nr_pids, s->log);
	if (!ret && opts->cgroup)
		ret = events_only_group(&s->instance, opts->cgroup, s->log);
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

/* An instance's task filter applies to all of its events, but frees by all tasks are recorded, so
 * they get an instance of their own. An event filter could exclude the other events, but then frees
 * could not be distinguished from the events that it passes.
 */
static int make_frees(struct session *s)
{
	return setup_has_frees(s->opts) ? instance_create_frees(&s->instance, s->log) : 0;
}

/* Forks the command, which waits, and gets the kernel's numbers of it and of this process. */
static int start_child(struct session *s)
{
	const struct capture_options *opts = s->opts;
	const struct child_options child = { .sigmask = opts->child_sigmask,
					     .stdout_to_stderr = !session_has_file(s),
					     .mute = opts->live && opts->live->mute,
					     .marker_fd = pids_begin(&s->instance),
					     .line = PIDS_COMMAND };
	struct child *c = &s->result->child;
	int ret = opts->argv ? child_fork(c, opts->argv, &child) : 0;

	if (ret)
		log_msg(s->log, LOG_ERROR, "cannot start a process: %s", strerror(-ret));
	pids_end(&s->pids, &s->instance, child.marker_fd, c->pid > 0 ? c->pid : 0,
		 s->log);
	s->facts.no_proc = !s->pids.proc_agrees;
	s->facts.long_lists = opts->opening;
	return ret;
}

/* In a PID namespace, the user and /proc use other numbers than the kernel's filters. */
static int check_pids(const struct session *s)
{
	if ((s->opts->nr_pids || s->opts->cgroup) && s->pids.self &&
	    !s->pids.proc_agrees) {
		log_msg(s->log, LOG_ERROR,
			"-p and --cgroup need the kernel's process IDs, but /proc shows others: this is a PID namespace\n  Record from the host, or start the command from here: --follow -- COMMAND");
		return -ESRCH;
	}
	if (s->opts->events.user_stack && s->pids.self && !s->pids.proc_agrees) {
		log_msg(s->log, LOG_ERROR,
			"--user-stack needs the kernel's process IDs, but /proc shows others: this is a PID namespace\n  Record from the host");
		return -ESRCH;
	}
	if (((s->opts->nr_pids || s->opts->cgroup) && !s->pids.self) ||
	    (s->opts->follow && !s->pids.command)) {
		log_msg(s->log, LOG_ERROR,
			"cannot determine the kernel's process IDs in this PID namespace\n  Record from the host, or the whole system: leave out --follow and -p");
		return -ESRCH;
	}
	return 0;
}

int setup_instance(struct session *s)
{
	const struct capture_options *opts = s->opts;
	char token[NEW_FILE_TOKEN + sizeof(INSTANCE_STREAM)];
	int ret = session_begin(s);

	snprintf(token, sizeof(token), "%s%s", s->token,
		 session_has_file(s) ? "" : INSTANCE_STREAM);
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
	return ret ? ret : session_open_reader(s);
}

int setup_events(struct session *s)
{
	/* Until they are enabled, probes look like those of a killed recorder. */
	int lock = instance_lock_all();
	int ret = set_up_events(s);

	io_close(&lock);
	if (ret)
		return ret;
	s->has_watermark = setup_write(s, "buffer_percent", BUFFER_PERCENT) == 0;
	if (!s->has_watermark)
		log_msg(s->log, LOG_INFO,
			"this kernel has no buffer_percent; polling its buffers");
	ret = facts_add_comms(&s->facts);
	if (ret)
		log_msg(s->log, LOG_ERROR, "cannot read task names: %s", strerror(-ret));
	return ret;
}

/* --- what is known before the start ------------------------------------------------------- */

/* Notes whose allocations and frees are recorded, unless it is the whole system. */
static int add_scope(struct session *s)
{
	static const char *const self[] = { "context", "pid", "recorded" };
	const struct capture_options *opts = s->opts;
	bool by_pid = setup_by_task(opts);
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

static int add_probes(struct session *s)
{
	struct strbuf __auto_free text = { 0 };
	int ret = 0;

	probes_format(&s->probes, &text);
	if (text.failed)
		ret = -ENOMEM;
	else if (text.size)
		ret = session_add_meta(s, RECORDING_META_PROBES, strbuf_text(&text));
	return ret;
}

int setup_add_facts(struct session *s)
{
	int ret = session_add_recorder(s);
	char text[64];
	struct tm tm;

	if (!ret)
		ret = session_add_events(s);
	if (!ret)
		ret = add_probes(s);
	gmtime_r(&s->wall_start.tv_sec, &tm);
	strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%SZ", &tm);
	if (!ret)
		ret = session_add_meta(s, RECORDING_META_WALL_CLOCK, text);
	return ret ? ret : add_scope(s);
}

int setup_switch_on(const struct session *s)
{
	const struct instance frees = { .tracefs = s->instance.frees, .lock_fd = -1 };
	int ret = frees.tracefs ? instance_write(&frees, "tracing_on", "1") : 0;

	return ret ? ret : instance_write(&s->instance, "tracing_on", "1");
}

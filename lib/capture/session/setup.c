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
#include "capture/events/events.h"
#include "capture/file/dead.h"

/* A CPU's buffer: an allocation storm makes 40 MB/s per CPU with stacks, and a reader whose disk is
 * busy with other writes for half a second must not lose any of it. (With half as much, one of
 * three benchmark rounds lost events while perf's file was being written back.)
 */
#define BUFFER_DEFAULT	    (32U << 20)
#define BUFFER_MIN	    (1U << 20)
/* Share of memory that all buffers together may take unless their size is given. */
#define BUFFER_MEMORY_SHARE 32
/* Fill level in percent at which readers wake. */
#define BUFFER_PERCENT	    "25"

int setup_write(const struct session *s, const char *file, const char *text)
{
	const struct instance *frees = s->instance.frees;
	int ret = instance_write(&s->instance, file, text);

	return ret || !frees ? ret : instance_write(frees, file, text);
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

uint64_t setup_nr_buffers(bool has_frees)
{
	long cpus = sysconf(_SC_NPROCESSORS_CONF);

	return (uint64_t)(cpus > 0 ? cpus : 1) * (has_frees ? 2 : 1);
}

uint64_t setup_share_of_memory(bool has_frees)
{
	return facts_meminfo("MemTotal") / BUFFER_MEMORY_SHARE /
	       setup_nr_buffers(has_frees);
}

static uint64_t default_buffer_bytes(void)
{
	uint64_t bytes = BUFFER_DEFAULT, share = setup_share_of_memory(false);

	bytes = share && share < bytes ? share : bytes;
	return LARGER(bytes, BUFFER_MIN);
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
	return log_errno(
		s->log, LOG_ERROR, ret,
		"cannot get a ring buffer of %s KiB per CPU: %m\n  Ask for a smaller one: -b SIZE",
		text);
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
		log_errno(
			s->log, LOG_ERROR, ret,
			"cannot set the trace clock '%s': %m\n  Choose another: --clock NAME",
			name);
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

static int sample_stacks(struct session *s)
{
	int ret = choose_sample(&s->stack_sample, s->opts->events.stacks_one_in, s->log);

	if (!ret)
		ret = events_have_triggers()
			      ? events_sample_stacks(&s->events, &s->instance,
						     &s->stack_sample)
			      : -ENOTSUP;
	return log_errno(
		s->log, LOG_ERROR, ret,
		"this kernel cannot record callchains of some slab allocations: %m\n  That needs Linux 5.17: leave out --stack-sample");
}

/* Call it after other filters are set and before other callchains are. */
static int set_samples(struct session *s)
{
	const struct event_choice *choice = &s->opts->events;
	int ret = 0;

	if (choice->one_in)
		ret = choose_sample(&s->sample, choice->one_in, s->log)
			      ?: events_sample(&s->events, &s->instance, &s->sample,
					       s->log);
	return ret || !choice->stacks_one_in ? ret : sample_stacks(s);
}

/* Are probes useful, i.e. are all frees of slab objects recorded? */
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
	bool by_pid = setup_by_task(opts);
	int ret = events_select(&s->events, &s->instance, choice, s->log);

	ret = ret ?: set_probes(s);
	/* If only some tasks are recorded, this process is not one of them. */
	s->self = EVENTS_SELF_CONTEXT;
	if (!ret && !by_pid && opts->exact_ledger)
		s->self = EVENTS_SELF_RECORDED;
	else if (!ret && !by_pid && s->pids.self)
		s->self = events_leave_out(&s->events, &s->instance, choice, s->pids.self,
					   s->log);
	ret = ret ?: events_filter(&s->events, &s->instance, choice, s->log);
	ret = ret ?: events_criteria(&s->events, &s->instance, choice, s->log);
	ret = ret ?: set_samples(s);
	if (!ret)
		ret = events_stacks(&s->events, &s->instance, choice,
				    &s->result->stacks_how, s->log);
	ret = ret ?: events_only_pids(&s->instance, opts->pids, opts->nr_pids, s->log);
	if (!ret && opts->cgroup)
		ret = events_only_group(&s->instance, opts->cgroup, s->log);
	if (!ret && opts->follow)
		ret = events_follow(&s->instance, s->pids.command, s->log);
	if (!ret && s->instance.frees && choice->stack == CAPTURE_STACK_ALL)
		ret = instance_write(s->instance.frees, "options/stacktrace", "1");
	return ret ?: events_enable(&s->events, &s->instance, s->log);
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

	log_errno(s->log, LOG_ERROR, ret, "cannot start a process: %m");
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
	ret = ret ?: instance_create(&s->instance, token, opts->command_line, s->log);
	if (!ret)
		dead_sweep(s->log);
	ret = ret ?: start_child(s);
	ret = ret ?: check_pids(s);
	/* An instance's task filter applies to all of its events, but frees by all tasks are
	 * recorded, so they get an instance of their own. An event filter could exclude the other
	 * events, but then frees could not be distinguished from the events that it passes.
	 */
	if (!ret && setup_has_frees(opts))
		ret = instance_create_frees(&s->instance, s->log);
	ret = ret ?: set_clock(s);
	ret = ret ?: set_buffer_size(s);
	return ret ?: session_open_reader(s);
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
	facts_add_comms(&s->facts);
	return 0;
}

/* --- what is known before the start ------------------------------------------------------- */

/* Notes whose allocations and frees are recorded, unless it is the whole system. */
static void add_scope(struct session *s)
{
	static const char *const self[] = { "context", "pid", "recorded" };
	char pid[24];

	session_add_meta(s, "self", self[s->self]);
	snprintf(pid, sizeof(pid), "%d", (int)s->pids.self);
	if (!setup_by_task(s->opts) && s->pids.self && s->self == EVENTS_SELF_CONTEXT)
		session_add_meta(s, RECORDING_META_RECORDER_PID, pid);
	if (!in_part(s->opts))
		return;
	session_add_meta(s, RECORDING_META_SCOPE, "part");
	session_add_meta(s, RECORDING_META_FREES, s->instance.frees ? "all" : "part");
}

void setup_add_facts(struct session *s)
{
	struct strbuf __auto_free events = { 0 }, probes = { 0 };
	char text[64];
	struct tm tm;

	session_add_recorder(s);
	for (size_t i = 0; i < s->events.count; i++)
		strbuf_printf(&events, "%s%s:%s", i ? " " : "", s->events.items[i].system,
			      s->events.items[i].name);
	session_add_meta(s, RECORDING_META_EVENTS, strbuf_text(&events));
	probes_format(&s->probes, &probes);
	if (probes.size)
		session_add_meta(s, RECORDING_META_PROBES, strbuf_text(&probes));
	s->facts.failed |= events.failed || probes.failed;
	gmtime_r(&s->wall_start.tv_sec, &tm);
	strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%SZ", &tm);
	session_add_meta(s, RECORDING_META_WALL_CLOCK, text);
	add_scope(s);
}

int setup_switch_on(const struct session *s)
{
	const struct instance *frees = s->instance.frees;
	int ret = frees ? instance_write(frees, "tracing_on", "1") : 0;

	return ret ?: instance_write(&s->instance, "tracing_on", "1");
}

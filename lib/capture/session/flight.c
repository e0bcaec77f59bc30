// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * One instance lives from beginning to end. Between two files, an unfinished file already has
 * everything that a file needs except the events, which are in the kernel: a killed flight recorder
 * leaves what any other recorder leaves (leftover.h).
 */
#include "capture/session/flight.h"

#include <dirent.h>
#include <fnmatch.h>
#include <poll.h>
#include <unistd.h>

#include "base/clock.h"

/* How often to check whether the kernel has stopped tracing. */
#define TICK_MS	   100
/* Task names that are kept; a process number has 22 bits. */
#define COMMS_MAX  65536
/* How often to list all processes, which may take one in this many parts of the time. */
#define LIST_NS	   10000000000ULL
#define LIST_PART  200
#define NAME_START "flight-"
#define NAME_END   ".dat"
#define DIGITS	   "[0-9][0-9][0-9]"

struct flight {
	const struct flight_options *opts;
	struct capture_options capture;
	struct session s;
	struct flight_watch watch;
	struct flight_buffers buffers;
	struct tick tick;
	uint64_t counters_at, list_at, end_at; /* ns of CLOCK_MONOTONIC; 0: never */
	enum flight_cause cause;
	uint64_t nr_kills; /* OOM kills when tracing was last switched on; 0: unknown */
	size_t *nr_saved;
	int full;     /* -errno if no file could be written */
	bool stopped; /* before kmemx stopped it: the recording ends with its last event */
	bool armed, over;
};

/* --- existing files ------------------------------------------------------------------ */

bool flight_is_file(const char *name)
{
	/* flight-20261122T215500.123Z-oom.dat */
	static const char form[] = NAME_START DIGITS DIGITS
		"[0-9][0-9]T" DIGITS DIGITS "." DIGITS "Z-[a-z0-9-]*" NAME_END;
	const char *cause;

	if (fnmatch(form, name, 0) != 0)
		return false;
	cause = strchr(name, 'Z') + 1;
	cause += strspn(cause, "abcdefghijklmnopqrstuvwxyz-0123456789");
	return !strcmp(cause, NAME_END);
}

static int is_one(const struct dirent *entry)
{
	return flight_is_file(entry->d_name);
}

int flight_prune(const char *directory, uint64_t keep, const struct log *log)
{
	struct dirent **entries __auto_mem = NULL;
	int n = scandir(directory, &entries, is_one, alphasort), ret = 0;

	if (n < 0)
		return -errno;
	for (int i = 0; i < n; i++) {
		char path[4096];

		/* Sorted by name, the oldest come first. */
		if ((uint64_t)(n - i) > keep &&
		    snprintf(path, sizeof(path), "%s/%s", directory, entries[i]->d_name) <
			    (int)sizeof(path)) {
			if (unlink(path) < 0)
				ret = -errno;
			else
				log_msg(log, LOG_INFO, "removed %s", path);
		}
		free(entries[i]);
	}
	return ret;
}

/* --- remembering --------------------------------------------------------------------------- */

/* Resets the session to the state before anything was recorded, but keeps names of tasks. */
static void forget_file(struct session *s)
{
	const struct facts kept = { .comms = s->facts.comms,
				    .processes = s->facts.processes,
				    .no_proc = s->facts.no_proc,
				    .long_lists = s->facts.long_lists };

	watch_close(&s->watch);
	ring_reader_close(&s->reader);
	new_recording_close(&s->output);
	s->facts.comms = (struct comms){ 0 };
	s->facts.processes = (struct strbuf){ 0 };
	facts_free(&s->facts);
	s->facts = kept;
	s->read_before = 0;
	s->unfinished = (struct wire){ .fd = -1 };
}

static int begin_file(struct flight *f)
{
	struct session *s = &f->s;
	int ret;

	forget_file(s);
	/* The statistics restart, too. */
	ret = setup_write(s, "trace", "");
	if (!ret)
		ret = new_recording_open_recorder(&s->output, s->opts->output, s->token,
						  false, s->log);
	return ret ?: session_open_reader(s);
}

/* Reports OOM kills while tracing was off: they are in no file. */
static void tell_missed(struct flight *f)
{
	/* The kill that stopped tracing is an event of the file. */
	bool own = f->cause == FLIGHT_OOM && f->watch.kernel_stops;
	uint64_t before = f->nr_kills + own, nr = f->nr_kills ? flight_oom_kills() : 0;

	if (nr > before)
		log_msg(f->s.log, LOG_WARN,
			"%" PRIu64
			" more OOM kill%s while a file was being saved: not recorded",
			nr - before, plural(nr - before));
}

static int switch_on(struct flight *f)
{
	struct session *s = &f->s;
	int ret = flight_watch_arm(&f->watch, clock_ns(CLOCK_MONOTONIC));

	if (ret)
		return ret;
	s->start_ts = session_now(s);
	ret = setup_switch_on(s);
	log_errno(s->log, LOG_ERROR, ret, "cannot switch tracing on: %m");
	tell_missed(f);
	f->nr_kills = f->opts->on.oom ? flight_oom_kills() : 0;
	if (!ret)
		session_watch(s);
	facts_open_curve(&s->facts, true, s->log);
	session_take_counts(s);
	return ret;
}

/* If there is no room for a file now, there may be some when it is saved. */
static void try_to_reserve(struct session *s)
{
	if (s->output.reserve_fd < 0 && session_reserve(s))
		log_msg(s->log, LOG_INFO, "no room for a file now");
}

/* Reads everything that a file needs, and switches tracing on. */
static int arm(struct flight *f)
{
	struct session *s = &f->s;
	const uint64_t nr = setup_nr_buffers(s->instance.frees);
	int ret = f->armed ? begin_file(f) : 0;

	ret = ret ?: session_read_system(s);
	if (ret)
		return ret;
	session_begin_unfinished(s);
	clock_gettime(CLOCK_REALTIME, &s->wall_start);
	setup_add_facts(s);
	session_add_meta(s, RECORDING_META_FLIGHT, "interrupted");
	ret = session_add_to_unfinished(s);
	if (!ret) {
		try_to_reserve(s);
		ret = switch_on(f);
	}
	f->armed = true;
	f->cause = FLIGHT_NOTHING;
	if (!ret && f->opts->armed)
		f->opts->armed(f->opts->ctx, f->buffers.bytes * nr,
			       f->buffers.limit * nr);
	return ret;
}

/* --- saving -------------------------------------------------------------------------------- */

static int name_file(const struct flight *f, const char *cause, char **path)
{
	struct timespec now;
	char date[32];
	struct tm tm;

	if (f->opts->file) {
		*path = strdup(f->opts->file);
		return *path ? 0 : -ENOMEM;
	}
	clock_gettime(CLOCK_REALTIME, &now);
	gmtime_r(&now.tv_sec, &tm);
	strftime(date, sizeof(date), "%Y%m%dT%H%M%S", &tm);
	if (asprintf(path, "%s/" NAME_START "%s.%03ldZ-%s" NAME_END, f->opts->directory,
		     date, now.tv_nsec / 1000000, cause) < 0)
		*path = NULL;
	return *path ? 0 : -ENOMEM;
}

/* When the file begins: events much older than the requested time are left out. */
static uint64_t not_before(const struct flight *f, uint64_t known_ts)
{
	const struct session *s = &f->s;
	uint64_t most = (uint64_t)((double)f->opts->time_ns * FLIGHT_TIME_MOST);

	if (!most || !recording_clock_is_ns(s->clock) || s->stop_ts < most ||
	    s->stop_ts - most < known_ts)
		return known_ts;
	return s->stop_ts - most;
}

/* Buffers of idle CPUs also have events from before @known_ts: reports leave them out, and so does
 * the count.
 */
static int leave_out_older(struct session *s, uint64_t known_ts)
{
	uint64_t older;
	int ret = 0;

	for (size_t i = 0; known_ts && !ret && i < s->reader.nr_cpus; i++) {
		ret = ring_reader_count(&s->reader, i, known_ts, &older);
		if (!ret)
			s->result->events -= SMALLER(older, s->result->events);
	}
	return ret;
}

/* When everything is known: @known_ts to the session's stop_ts. */
static int find_span(struct flight *f, uint64_t *known_ts)
{
	struct session *s = &f->s;
	uint64_t last = 0;
	int ret = ring_reader_begin_at(&s->reader, known_ts);

	if (!ret && f->stopped)
		ret = ring_reader_end_at(&s->reader, &last);
	s->stop_ts = last ? last : s->stop_ts;
	*known_ts = not_before(f, *known_ts);
	return ret;
}

/* Reads the buffers and the facts into the unfinished file. */
static int collect(struct flight *f, const char *cause)
{
	struct session *s = &f->s;
	uint64_t known_ts;
	int ret;

	facts_snapshot(&s->facts, "after", s->log);
	facts_add_gone(&s->facts);
	try_to_reserve(s);
	session_drain_rest(s);
	session_check_parts(s);
	facts_add_comms(&s->facts);
	ret = session_read_statistics(s);
	ret = ret ?: find_span(f, &known_ts);
	ret = ret ?: leave_out_older(s, known_ts);
	if (!ret) {
		session_add_meta(s, RECORDING_META_FLIGHT, cause);
		/* Events that were not overwritten were recorded since tracing was switched on. */
		session_add_span(s, LARGER(known_ts, s->start_ts));
		session_add_truncated(s);
		facts_end_curve(&s->facts, known_ts, s->stop_ts, s->log);
		facts_refresh(&s->facts, s->log);
	}
	/* Overwritten events are not lost, only older than the recording. */
	s->result->overrun = 0;
	return session_compose(s, ret);
}

/* The counts restart for each file; the command stays as it is. */
static void reset_result(struct capture_result *r)
{
	*r = (struct capture_result){ .stacks_how = r->stacks_how,
				      .child = r->child,
				      .exec_errno = r->exec_errno,
				      .stop_signal = r->stop_signal,
				      .timed_out = r->timed_out };
}

static int write_out(struct flight *f, const char *cause)
{
	struct session *s = &f->s;
	char *path;
	int ret = session_join_file(s);

	/* The events in the file must leave the buffers and the statistics: once the file has its
	 * name, nobody can tell that they were saved.
	 */
	ret = ret ?: setup_write(s, "trace", "");
	ret = ret ?: name_file(f, cause, &path);
	if (ret)
		return ret;
	ret = new_recording_rename(&s->output, path);
	ret = ret ?: session_commit_file(s);
	if (!ret && f->opts->saved)
		f->opts->saved(f->opts->ctx, path, cause, s->result);
	free(path);
	*f->nr_saved += !ret;
	if (!ret && f->opts->keep && !f->opts->file &&
	    flight_prune(f->opts->directory, f->opts->keep, s->log))
		log_msg(s->log, LOG_WARN, "cannot remove old files in %s",
			f->opts->directory);
	return ret;
}

/* Notes which process the kernel killed, according to its log. */
static void add_victim(struct flight *f)
{
	char name[FLIGHT_VICTIM_NAME], text[FLIGHT_VICTIM_NAME + 32];
	int pid;

	if (!flight_watch_victim(&f->watch, name, &pid))
		return;
	snprintf(text, sizeof(text), "killed %s, pid %d", name, pid);
	session_add_meta(&f->s, RECORDING_META_FLIGHT_WHAT, text);
}

static int save(struct flight *f)
{
	struct session *s = &f->s;
	const char *cause = flight_cause_name(&f->watch, f->cause);
	int ret;

	session_take_counts(s);
	s->watch.stopped = true;
	s->verdict = watch_end(&s->watch, &s->instance, s->log);
	f->stopped = instance_begins(&s->instance, "tracing_on", '0');
	if (setup_write(s, "tracing_on", "0") < 0)
		log_msg(s->log, LOG_WARN, "cannot switch tracing off");
	s->stop_ts = session_now(s);
	if (f->opts->on.oom && !f->watch.kernel_stops)
		f->nr_kills = flight_oom_kills();
	reset_result(s->result);
	if (f->cause != FLIGHT_SIGNAL && f->cause != FLIGHT_EXIT)
		f->watch.again_at[f->cause] =
			clock_ns(CLOCK_MONOTONIC) + f->opts->again_ns;
	if (f->cause == FLIGHT_OOM)
		add_victim(f);
	ret = collect(f, cause);
	ring_reader_close_pipes(&s->reader);
	ret = ret ?: write_out(f, cause);
	/* There may be room next time. */
	if (ret == -ENOSPC || ret == -EDQUOT || ret == -EFBIG) {
		f->full = ret;
		return 0;
	}
	f->over = f->over || f->opts->once;
	if (f->over)
		tell_missed(f);
	return ret;
}

/* --- waiting ------------------------------------------------------------------------------- */

/* One file covers everything that happens between two checks. It is named after the first cause;
 * what stopped tracing comes before what only asks for a file.
 */
static void add_cause(struct flight *f, enum flight_cause cause)
{
	if (!f->cause)
		f->cause = cause;
}

static void take_signal(struct flight *f)
{
	struct signalfd_siginfo info;
	int signal = child_signal(f->s.opts->stop_fd, &info);

	if (signal == SIGUSR1)
		add_cause(f, FLIGHT_SIGNAL);
	if (!signal || signal == SIGUSR1)
		return;
	child_pass_on(&f->s.result->child, &info);
	f->s.result->stop_signal = signal;
	f->over = true;
}

static void check_child(struct flight *f)
{
	const struct flight_causes *on = &f->opts->on;
	struct child *c = &f->s.result->child;
	int status;

	if (!f->s.opts->argv || !child_check(c, false))
		return;
	f->over = true;
	f->s.result->exec_errno = c->exec_errno;
	status = child_status(c);
	if (on->exit && !c->exec_errno &&
	    (on->exit_status < 0 ? status : status == on->exit_status))
		add_cause(f, FLIGHT_EXIT);
}

/* Pauses the watch until session_watch(), so that our own writes do not count as meddling. */
static void stop_watching(struct flight *f)
{
	struct session *s = &f->s;

	s->watch.earlier = watch_end(&s->watch, &s->instance, s->log);
}

/* Lists the processes while they live: no event names those that began before the buffers do, and
 * what an OOM kill ended is in no later list.
 */
static void list_processes(struct flight *f, uint64_t now)
{
	uint64_t cost;

	if (now < f->list_at)
		return;
	facts_keep_processes(&f->s.facts);
	cost = clock_ns(CLOCK_MONOTONIC) - now;
	f->list_at = now + LARGER(LIST_NS, cost * LIST_PART);
}

static int look_around(struct flight *f)
{
	struct session *s = &f->s;
	uint64_t now = clock_ns(CLOCK_MONOTONIC);
	int ret = 0;

	if (s->facts.comms.by_pid.nr > COMMS_MAX)
		comms_free(&s->facts.comms);
	list_processes(f, now);
	f->over = tick_on(&f->tick) || f->over;
	if (f->end_at && now >= f->end_at)
		f->over = s->result->timed_out = true;
	if (flight_watch_due(&f->watch, now)) {
		stop_watching(f);
		ret = flight_watch_arm(&f->watch, now);
		session_watch(s);
	}
	if (now < f->counters_at || ret)
		return ret;
	f->counters_at = now + flight_watch_period_ns(&f->watch);
	if (!f->cause)
		f->cause = flight_watch_counters(&f->watch, now);
	if (f->opts->time_ns && flight_buffers_short(&f->buffers)) {
		stop_watching(f);
		flight_buffers_grow(&f->buffers);
		session_watch(s);
	}
	return 0;
}

static void check_kernel(struct flight *f)
{
	bool counts = f->opts->on.oom && f->watch.kernel_stops;
	uint64_t nr_kills = counts ? flight_oom_kills() : 0;

	f->cause = flight_watch_stopped(&f->watch);
	if (!f->cause && counts)
		f->nr_kills = nr_kills;
}

static int wait_tick(struct flight *f)
{
	struct pollfd fds[] = {
		{ .fd = f->s.opts->stop_fd, .events = POLLIN },
		{ .fd = f->watch.pressure_fd, .events = POLLPRI },
		{ .fd = f->s.result->child.pidfd, .events = POLLIN },
	};

	if (poll(fds, ARRAY_SIZE(fds), TICK_MS) < 0 && errno != EINTR)
		return -errno;
	check_kernel(f);
	if (fds[1].revents & POLLPRI &&
	    f->watch.again_at[FLIGHT_PRESSURE] <= clock_ns(CLOCK_MONOTONIC))
		add_cause(f, FLIGHT_PRESSURE);
	if (fds[0].revents & POLLIN)
		take_signal(f);
	check_child(f);
	return look_around(f);
}

static int fly(struct flight *f)
{
	int ret = arm(f);

	if (!ret && f->s.opts->duration_ns)
		f->end_at = clock_ns(CLOCK_MONOTONIC) + f->s.opts->duration_ns;
	tick_start(&f->tick, &f->s);
	if (!ret && f->s.opts->argv)
		ret = child_go(&f->s.result->child);
	while (!ret && !f->over) {
		ret = wait_tick(f);
		if (!ret && f->cause)
			ret = save(f);
		if (!ret && f->cause && !f->over)
			ret = arm(f);
	}
	return ret ?: f->full;
}

int flight_run(const struct flight_options *opts, struct capture_result *result,
	       size_t *nr_saved)
{
	struct flight f = { .opts = opts,
			    .capture = *opts->capture,
			    .nr_saved = nr_saved,
			    .watch = { .pressure_fd = -1, .kmsg_fd = -1 } };
	struct session *s = &f.s;
	int ret;

	*nr_saved = 0;
	f.capture.buffer_bytes = flight_buffers_first(opts->bytes, opts->time_ns,
						      setup_has_frees(opts->capture));
	session_init(s, &f.capture, result);
	s->many_files = true;
	ret = setup_instance(s);
	if (!ret) {
		flight_buffers_init(&f.buffers, s, opts->time_ns);
		ret = flight_watch_open(&f.watch, &s->instance, &opts->on,
					s->reader.long_size == 4, s->log);
	}
	/* After the watch was opened, which tests what the kernel supports. */
	ret = ret ?: setup_events(s);
	/* This empties the buffers and resets their statistics. */
	ret = ret ?: setup_write(s, "trace", "");
	s->read_before = 0;
	ret = ret ?: fly(&f);
	ring_reader_close_pipes(&s->reader);
	if (result->child.go_fd >= 0)
		child_close(&result->child);
	flight_watch_close(&f.watch);
	instance_destroy(&s->instance, s->log);
	probes_remove(&s->probes, s->log);
	session_close(s);
	return ret;
}

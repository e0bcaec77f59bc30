// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Order matters: everything that can fail or that allocates much happens before tracing is switched
 * on; the command is executed after that. The instance is removed when the file is complete but has
 * no name yet. So if this process is killed at any time, all events remain, and while there is an
 * instance there is a file that kmemx recover finds.
 */
#include "capture/session/capture.h"

#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/io.h"
#include "capture/facts/facts.h"
#include "capture/session/session.h"

/* --- recording --------------------------------------------------------------------------- */

static int cannot_send(int err, const struct log *log)
{
	return log_errno(
		log, LOG_ERROR, err,
		"cannot write the recording to standard output: %m\n  Is the reader still running?");
}

/* A stream begins with everything that its reader needs to interpret the rest, as it may break off
 * at any time. In a file on a small disk the symbols are written at the end.
 */
static int start_stream(struct session *s)
{
	int ret = session_read_system(s);
	struct writer_facts facts = s->facts.writer;

	if (ret)
		return ret;
	s->wire.fd = s->opts->stream_fd;
	s->reader.wire = &s->wire;
	if (io_lacks_room(s->wire.fd, facts.kallsyms_size * SESSION_SYMBOLS_SHARE))
		facts.kallsyms_size = 0;
	ret = wire_start(&s->wire, &facts);
	return ret ? cannot_send(ret, s->log) : 0;
}

#define CACHES "/sys/kernel/slab"

/* Makes CPUs return slabs, so that slabinfo does not count their free objects as in use. */
static bool shrink_if_asked(const struct session *s, bool after)
{
	uint64_t begin = clock_ns(CLOCK_MONOTONIC);

	if (!s->opts->exact_ledger ||
	    /* Warn only once. */
	    !shrink_caches(CACHES, after && !s->shrunk_before ? LOG_INFO : LOG_WARN,
			   s->log))
		return false;
	if (after)
		shrink_again(CACHES, s->log);
	log_msg(s->log, LOG_INFO, "shrinking all slab caches %s: %.1f ms",
		after ? "after" : "before",
		(double)(clock_ns(CLOCK_MONOTONIC) - begin) / 1e6);
	return true;
}

static int start(struct session *s)
{
	bool file = session_has_file(s);
	int ret;

	/* This raises the limit of open files, so the command has been forked before. */
	if (file)
		facts_hold_slab_files(&s->facts);
	ret = file ? session_read_system(s) : 0;
	if (!ret && file)
		session_begin_unfinished(s);
	/* Shrink before any of the counts: no event records the pages that it frees. */
	if (!ret)
		s->shrunk_before = shrink_if_asked(s, false);
	if (ret)
		return ret;
	facts_snapshot(&s->facts, "before", s->log);
	clock_gettime(CLOCK_REALTIME, &s->wall_start);
	setup_add_facts(s);
	ret = file	      ? session_add_to_unfinished(s)
	      : s->opts->live ? live_start(s)
			      : start_stream(s);
	if (!ret && file)
		ret = session_check_room(s);
	if (ret)
		return ret;
	if (file)
		facts_add_opening(&s->facts, s->log);
	if (s->opts->events.user_stack)
		ret = mappings_begin(&s->mappings, s->clock, s->log);
	if (ret)
		return ret;
	s->start_ts = session_now(s);
	s->begin_ns = clock_ns(CLOCK_MONOTONIC);
	ret = setup_switch_on(s);
	if (ret)
		log_msg(s->log, LOG_ERROR,
			"cannot switch tracing on: %s\n  This machine may forbid it",
			strerror(-ret));
	else
		session_watch(s);
	if (ret || s->opts->live)
		return ret;
	facts_add_begun(&s->facts, s->log);
	if (!file)
		return s->facts.failed ? -ENOMEM : 0;
	/* With tracing on: a task that ran only before has no event, which is no loss. */
	if (!setup_by_task(s->opts))
		facts_begin_ran(&s->facts, (uint32_t)s->pids.self, s->log);
	/* Shrink again the caches from which CPUs have taken slabs meanwhile. */
	if (s->shrunk_before)
		shrink_again(CACHES, s->log);
	session_count_slabs(s, "before");
	facts_memory(&s->facts, "before", s->log);
	return s->facts.failed ? -ENOMEM : 0;
}

/* The curve lies between the two counts of slab caches, for which caches are shrunk. */
static void begin_curve(struct session *s)
{
	if (s->opts->live)
		return;
	facts_open_curve(&s->facts, false, s->log);
	session_take_counts(s);
}

static void end_counts(struct session *s)
{
	session_take_counts(s);
	facts_end_curve(&s->facts, 0, UINT64_MAX, s->log);
	if (!s->opts->live)
		facts_memory(&s->facts, "after", s->log);
	/* Shrinking is slow, and what others allocate and free meanwhile must be recorded. */
	s->shrunk_after = shrink_if_asked(s, true);
	if (!s->opts->live)
		session_count_slabs(s, "after");
}

static int record(struct session *s)
{
	struct capture_result *result = s->result;
	uint64_t cpu;
	int ret = start(s);

	if (ret)
		return ret;
	cpu = clock_ns(CLOCK_PROCESS_CPUTIME_ID);
	begin_curve(s);
	if (s->opts->started)
		s->opts->started(s->opts->ctx, events_nr_tasks(&s->instance),
				 s->result->stacks_how);
	if (s->opts->argv)
		ret = child_go(&result->child);
	ret = ret ?: pump_run(s);
	if (!ret && !result->child.exec_errno)
		end_counts(s);
	s->verdict = watch_end(&s->watch, &s->instance, s->log);
	/* Stop the frees last: what was allocated until now may still be freed. */
	if (setup_write(s, "tracing_on", "0") < 0)
		log_msg(s->log, LOG_WARN, "cannot switch tracing off");
	result->duration_ns = clock_ns(CLOCK_MONOTONIC) - s->begin_ns;
	s->stop_ts = session_now(s);
	log_msg(s->log, LOG_INFO, "CPU time of the recorder while recording: %.3f s",
		(double)(clock_ns(CLOCK_PROCESS_CPUTIME_ID) - cpu) / 1e9);
	result->exec_errno = result->child.exec_errno;
	if (s->reader.read_error)
		result->write_error = 0;
	return ret;
}

/* --- finishing --------------------------------------------------------------------------- */

/* Does everything that needs the instance, which is gone afterwards. */
static int collect(struct session *s)
{
	int ret;

	facts_snapshot(&s->facts, "after", s->log);
	session_drain_rest(s);
	session_check_parts(s);
	facts_add_comms(&s->facts);
	ret = session_read_statistics(s);
	session_add_span(s, s->start_ts);
	if (s->shrunk_before || s->shrunk_after)
		session_add_meta(s, "shrunk",
				 !s->shrunk_after    ? "before"
				 : !s->shrunk_before ? "after"
						     : "before after");
	session_add_truncated(s);
	if (!ret && s->mappings)
		ret = mappings_add(s->mappings, &s->facts, &s->reader);
	if (!ret && !s->reader.wire)
		facts_refresh(&s->facts, s->log);
	return session_compose(s, ret);
}

/* Room for the end of a stream without the kernel's symbols. */
#define LAST_FACTS_ROOM (1U << 20)

static int finish_stream(struct session *s)
{
	struct capture_result *result = s->result;
	struct writer_facts facts = s->facts.writer;
	int ret = 0;

	if (!s->wire.symbols &&
	    io_lacks_room(s->wire.fd, facts.kallsyms_size + LAST_FACTS_ROOM)) {
		session_say_no_symbols(s);
		facts.kallsyms_size = 0;
	}
	if (!result->write_error)
		ret = wire_finish(&s->wire, &facts);
	result->file_bytes = s->wire.bytes;
	return ret ? cannot_send(ret, s->log) : 0;
}

int capture_run(const struct capture_options *opts, struct capture_result *result)
{
	struct session s;
	int ret;

	session_init(&s, opts, result);
	ret = setup_instance(&s);
	ret = ret ?: setup_events(&s);
	ret = ret ?: record(&s);
	if (!ret && !result->exec_errno)
		ret = opts->live ? live_end(&s) : collect(&s);
	ring_reader_close_pipes(&s.reader);
	/* A command that was never executed still holds descriptors from the fork, including ones
	 * into the instance.
	 */
	if (result->child.go_fd >= 0)
		child_close(&result->child);
	if (!ret && !result->exec_errno && !opts->live)
		ret = s.reader.wire ? finish_stream(&s) : session_join_file(&s);
	instance_destroy(&s.instance, opts->log);
	probes_remove(&s.probes, opts->log);
	if (!ret && !result->exec_errno && session_has_file(&s))
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
		ret = child_status(c);
	child_close(c);
	return ret;
}

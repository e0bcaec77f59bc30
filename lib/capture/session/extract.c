// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * capture: saves the contents of a ring buffer that somebody else filled, such as the kernel since
 * boot.
 * In: the top-level instance or an instance. Out: a trace.dat file; the buffer is then empty.
 */
#include "capture/session/capture.h"

#include <time.h>
#include <tracefs.h>
#include <unistd.h>

#include "capture/session/session.h"
#include "symbol/last_boot.h"

/* An extraction, with what extract_run() must restore. */
struct extraction {
	struct session s;
	const char *name;
	bool stop, was_on;
	bool other_boot; /* the buffer holds what an earlier boot recorded */
};

static const char *what(const struct extraction *x)
{
	return x->name ? x->name : "the top-level instance";
}

/* --- what is there ----------------------------------------------------------------------- */

/* The clock in brackets: "[local] global ...". */
static int read_clock(struct session *s)
{
	struct strbuf __auto_free sb = { 0 };
	int ret = instance_read(&s->instance, "trace_clock", &sb);
	const char *p = strchr(strbuf_text(&sb), '[');

	if (!ret && (!p || sscanf(p, "[%31[^]]", s->clock) != 1))
		ret = -EPROTO;
	return log_errno(s->log, LOG_ERROR, ret, "cannot read the trace clock: %m");
}

/* Names the recorded callchains, judging by the current settings. */
static const char *tell_stacks(const struct instance *in)
{
	struct strbuf __auto_free sb = { 0 };
	const char *how = "none";

	if (instance_begins(in, "options/stacktrace", '1'))
		how = "all (option)";
	else if (instance_read(in, "events/kmem/mm_page_alloc/trigger", &sb) == 0 &&
		 strncmp(strbuf_text(&sb), "stacktrace", 10) == 0)
		how = "page (trigger)";
	return how;
}

/* Sums the values of @key in all CPUs' statistics; with @each, logs each of them. */
static uint64_t sum_statistics(const struct session *s, const char *key, bool each)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < s->reader.nr_cpus; i++) {
		uint32_t cpu = s->reader.cpus[i].cpu;
		uint64_t n = session_statistic(s, cpu, key);

		if (n && each)
			log_msg(s->log, LOG_INFO,
				"CPU %" PRIu32 ": %" PRIu64 " event%s lost before: %s",
				cpu, n, plural(n), key);
		sum += n;
	}
	return sum;
}

static int check_content(struct extraction *x)
{
	struct session *s = &x->s;

	if (sum_statistics(s, "entries", false))
		return 0;
	if (s->events.count)
		log_msg(s->log, LOG_ERROR,
			"%s contains no events\n  %zu events are enabled there, tracing is %s. Reading removes events: were they saved before?",
			what(x), s->events.count, x->was_on ? "on" : "off");
	else
		log_msg(s->log, LOG_ERROR,
			"%s contains no events, and none is enabled there\n  To record from boot, add the kernel parameters from: kmemx boot --print-cmdline",
			what(x));
	return -ENODATA;
}

/* --- facts ------------------------------------------------------------------------------- */

/* A buffer that survived a reboot has addresses and tasks of the previous kernel. */
static void add_last_boot(struct extraction *x)
{
	struct strbuf __auto_free sb = { 0 };
	const char *text;

	if (instance_read(&x->s.instance, "last_boot_info", &sb) || !sb.size)
		return;
	text = strbuf_text(&sb);
	x->other_boot = strstr(text, "[kernel]") || strstr(text, "text delta:");
	session_add_meta(&x->s, "last_boot_info", text);
}

static void tell_last_boot(const struct extraction *x, const struct last_boot *last)
{
	if (last->kind == LAST_BOOT_UNKNOWN)
		log_msg(x->s.log, LOG_WARN,
			"the events are of an earlier boot, whose kernel was loaded at another address: callsites will show as addresses\n  The kernel parameter nokaslr keeps the address the same");
	else if (last->kind == LAST_BOOT_MOVED)
		log_msg(x->s.log, LOG_WARN,
			"the events are from an earlier boot; symbols of this boot were relocated (modules: %u relocated, %u left out)\n  They are right if both boots ran the same kernel",
			last->nr_modules, last->nr_dropped);
}

/* Moves the kernel's symbols, once they are known, to where they were in the last boot, so that
 * readers of the file find them.
 */
static int move_symbols(struct extraction *x)
{
	struct strbuf *kallsyms = &x->s.facts.texts.kallsyms, moved = { 0 };
	const struct symbol_text text = { kallsyms->data, kallsyms->size };
	const char *info = text_list_get(&x->s.facts.texts.meta, "last_boot_info");
	struct last_boot last;
	int ret;

	if (!x->other_boot || !info)
		return 0;
	ret = last_boot_symbols(
		info, &text,
		text_list_get(&x->s.facts.texts.meta, RECORDING_META_MODULES), &moved,
		&last);
	if (!ret)
		tell_last_boot(x, &last);
	if (ret || last.kind == LAST_BOOT_NONE || last.kind == LAST_BOOT_SAME) {
		strbuf_free(&moved);
		return ret;
	}
	strbuf_free(kallsyms);
	*kallsyms = moved;
	return 0;
}

/* The facts known before anything is read: the unfinished file begins with them. */
static void add_first_facts(struct extraction *x)
{
	struct session *s = &x->s;
	struct strbuf __auto_free pids = { 0 };

	/* Nobody knows which events were enabled before. */
	session_add_recorder(s);
	session_add_meta(s, "source", x->name ? x->name : "top");
	if (!instance_read(&s->instance, "set_event_pid", &pids) &&
	    strbuf_text(&pids)[0] >= '0' && strbuf_text(&pids)[0] <= '9')
		session_add_meta(s, RECORDING_META_SCOPE, "part");
	add_last_boot(x);
}

static int add_last_facts(struct extraction *x)
{
	struct session *s = &x->s;
	int ret;

	if (!x->other_boot) {
		facts_add_comms(&s->facts);
		facts_snapshot(&s->facts, "after", s->log);
	}
	ret = session_read_statistics(s);
	session_add_truncated(s);
	return session_compose(s, ret);
}

/* --- reading ----------------------------------------------------------------------------- */

/* What a CPU's buffer can hold; anything beyond that is new. The top-level buffer may be sized CPU
 * by CPU.
 */
static uint64_t buffer_bytes(const struct session *s)
{
	uint64_t most = 0;

	for (size_t i = 0; i < s->reader.nr_cpus; i++) {
		struct strbuf __auto_free sb = { 0 };
		char file[64];
		uint64_t kib = 0;

		snprintf(file, sizeof(file), "per_cpu/cpu%" PRIu32 "/buffer_size_kb",
			 s->reader.cpus[i].cpu);
		if (instance_read(&s->instance, file, &sb) == 0)
			kib = strtoull(strbuf_text(&sb), NULL, 10);
		most = LARGER(most, kib);
	}
	return most * 1024;
}

static int stop_tracing(struct extraction *x)
{
	struct session *s = &x->s;
	int ret;

	if (!x->stop)
		return 0;
	ret = x->was_on ? instance_write(&s->instance, "tracing_on", "0") : 0;
	return log_errno(
		s->log, LOG_ERROR, ret,
		"cannot switch tracing off: %m\n  Save the events while tracing continues: --no-stop");
}

static void restore_tracing(struct extraction *x)
{
	int ret = 0;

	if (x->stop && x->was_on)
		ret = instance_write(&x->s.instance, "tracing_on", "1");
	log_errno(
		x->s.log, LOG_ERROR, ret,
		"cannot switch tracing on again in %s: %m\n  Do it with: echo 1 >%s%s%s/tracing_on",
		what(x), tracefs_tracing_dir(), x->name ? "/instances/" : "",
		x->name ? x->name : "");
}

static int save(struct extraction *x)
{
	struct session *s = &x->s;
	int ret;

	add_first_facts(x);
	ret = session_read_system(s);
	if (ret)
		return ret;
	ret = move_symbols(x);
	ret = ret ?: facts_compose(&s->facts);
	if (!ret)
		session_begin_unfinished(s);
	ret = ret ?: session_add_to_unfinished(s);
	ret = ret ?: session_check_room(s);
	if (ret)
		return ret;
	/* While tracing goes on, there is always more to read. */
	s->reader.limit = x->stop ? 0 : buffer_bytes(s);
	session_drain_rest(s);
	session_check_parts(s);
	ret = add_last_facts(x);
	sum_statistics(s, "overrun", true);
	sum_statistics(s, "dropped events", true);
	ring_reader_close_pipes(&s->reader);
	ret = ret ?: session_join_file(s);
	return ret ?: session_commit_file(s);
}

int extract_run(const struct capture_options *opts, const char *name, bool stop,
		struct capture_result *result)
{
	struct extraction x = { .name = name, .stop = stop };
	struct session *s = &x.s;
	int ret;

	session_init(s, opts, result);
	s->facts.no_proc = !pids_in_first_namespace();
	ret = session_begin(s);
	ret = ret ?: instance_attach(&s->instance, name, opts->command_line, opts->log);
	ret = ret ?: read_clock(s);
	if (!ret) {
		ret = events_enabled(&s->events, &s->instance);
		log_errno(s->log, LOG_ERROR, ret,
			  "cannot read which events are enabled: %m");
	}
	if (!ret) {
		x.was_on = instance_begins(&s->instance, "tracing_on", '1');
		result->stacks_how = tell_stacks(&s->instance);
		ret = stop_tracing(&x);
	}
	ret = ret ?: session_open_reader(s);
	ret = ret ?: check_content(&x);
	ret = ret ?: save(&x);
	ring_reader_close_pipes(&s->reader);
	if (s->instance.lock_fd >= 0)
		restore_tracing(&x);
	instance_detach(&s->instance);
	session_close(s);
	return ret;
}

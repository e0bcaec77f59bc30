// SPDX-License-Identifier: GPL-2.0-or-later
#include "capture/session/flight_causes.h"

#include <fcntl.h>
#include <unistd.h>

#include "base/io.h"
#include "capture/events/events.h"
#include "capture/facts/facts.h"
#include "recording/snapshot.h"

#define COUNTER_NS 1000000000
#define PRESSURE   "/proc/pressure/memory"

/* An event that stops tracing. An event can have only one trigger of each kind. */
static const struct stop_event {
	const char *event;
	enum flight_cause cause;
} stop_events[] = {
	{ "oom/mark_victim", FLIGHT_OOM },
	{ "kmem/mm_page_alloc", FLIGHT_PAGE },
	{ "kmem/kmalloc", FLIGHT_FAILURE },
	{ "kmem/kmem_cache_alloc", FLIGHT_FAILURE },
};

static void trigger_path(char path[64], const char *event)
{
	snprintf(path, 64, "events/%s/trigger", event);
}

/* --- what the kernel supports ------------------------------------------------------------ */

static bool is_on(const struct instance *in)
{
	return instance_begins(in, "tracing_on", '1');
}

/* Tests the trigger with a line that this program writes itself. */
static bool try_trigger(const struct instance *in)
{
	static const char file[] = "events/ftrace/print/trigger";
	const struct instance top = { .lock_fd = -1 };
	bool was_on = is_on(&top), stops = false;

	if (!events_have_triggers() ||
	    instance_append(in, file, "traceoff:1 if common_pid > 0"))
		return false;
	if (instance_write(in, "tracing_on", "1") == 0 &&
	    instance_write(in, "trace_marker", "kmemx: does this stop tracing?") == 0)
		stops = !is_on(in) && is_on(&top) == was_on;
	if (instance_append(in, file, "!traceoff") ||
	    instance_write(in, "tracing_on", "0") || instance_write(in, "trace", ""))
		stops = false;
	return stops;
}

/* --- conditions -------------------------------------------------------------------------- */

/* Appends the trigger's condition; false: none is needed. With a condition, the event itself is
 * recorded before tracing stops.
 */
static bool condition(const struct flight_watch *w, const struct stop_event *e,
		      struct strbuf *out)
{
	const struct flight_causes *on = w->on;
	bool page = e->cause == FLIGHT_PAGE;

	if (e->cause == FLIGHT_OOM) {
		strbuf_puts(out, "pid > 0");
		return on->oom;
	}
	if (on->failure) {
		strbuf_puts(out, !page	     ? "ptr == 0"
				 : w->narrow ? "(pfn == 0xffffffff"
					     : "(pfn == 0xffffffffffffffff");
		if (on->no_warn)
			strbuf_printf(out, " && !(gfp_flags & 0x%" PRIx64 ")",
				      on->no_warn);
		strbuf_puts(out, page ? ")" : "");
	}
	if (page && on->min_order)
		strbuf_printf(out, "%sorder >= %u", on->failure ? " || " : "",
			      on->min_order);
	return on->failure || (page && on->min_order);
}

static bool needs_triggers(const struct flight_causes *on)
{
	return on->failure || on->min_order;
}

int flight_watch_open(struct flight_watch *w, const struct instance *in,
		      const struct flight_causes *on, bool narrow, const struct log *log)
{
	*w = (struct flight_watch){ .on = on,
				    .in = in,
				    .log = log,
				    .pressure_fd = -1,
				    .kmsg_fd = -1,
				    .narrow = narrow };
	if (on->oom) {
		w->kmsg_fd = open("/dev/kmsg", O_RDONLY | O_NONBLOCK | O_CLOEXEC);
		if (w->kmsg_fd >= 0)
			(void)lseek(w->kmsg_fd, 0, SEEK_END);
	}
	w->kernel_stops = (on->oom || needs_triggers(on)) && try_trigger(in);
	if (needs_triggers(on) && !w->kernel_stops) {
		log_msg(log, LOG_ERROR,
			"--on failure and --on order need Linux 5.17: this kernel cannot stop tracing in one instance\n  Use another cause: --on oom, --on sunreclaim=SIZE");
		return -ENOTSUP;
	}
	if (on->oom && !w->kernel_stops)
		log_msg(log, LOG_INFO,
			"this kernel cannot stop tracing by itself: recording goes on for up to 100 ms after an OOM kill");
	if (!on->pressure)
		return 0;
	w->pressure_fd = open(PRESSURE, O_RDWR | O_NONBLOCK | O_CLOEXEC);
	/* The kernel expects the string with its NUL. */
	if (w->pressure_fd >= 0 &&
	    write(w->pressure_fd, on->pressure, strlen(on->pressure) + 1) >= 0)
		return 0;
	log_msg(log, LOG_ERROR,
		"cannot wait for memory pressure: " PRESSURE
		": %s\n  The kernel needs CONFIG_PSI, and perhaps the parameter psi=1",
		strerror(errno));
	return -ENOTSUP;
}

/* --- triggers ---------------------------------------------------------------------------- */

static int set_trigger(struct flight_watch *w, const struct stop_event *e, bool set)
{
	struct strbuf __auto_free sb = { 0 }, text = { 0 };
	char path[64];
	int ret = 0;

	trigger_path(path, e->event);
	if (!condition(w, e, &sb) || !w->kernel_stops)
		return 0;
	/* A trigger that has fired is still set. */
	if (w->set[e->cause])
		ret = instance_append(w->in, path, "!traceoff");
	strbuf_printf(&text, "traceoff:1 if %s", strbuf_text(&sb));
	if (!ret && set)
		ret = text.failed ? -ENOMEM
				  : instance_append(w->in, path, strbuf_text(&text));
	return log_errno(w->log, LOG_ERROR, ret,
			 "this kernel rejects the trigger '%s' for the event %s: %m",
			 strbuf_text(&text), e->event);
}

int flight_watch_arm(struct flight_watch *w, uint64_t now)
{
	int ret = 0;

	for (size_t i = 0; !ret && i < ARRAY_SIZE(stop_events); i++)
		ret = set_trigger(w, &stop_events[i],
				  w->again_at[stop_events[i].cause] <= now);
	for (size_t i = 0; i < NR_FLIGHT_CAUSES; i++)
		w->set[i] = w->again_at[i] <= now;
	w->nr_oom = 0;
	return ret;
}

bool flight_watch_due(const struct flight_watch *w, uint64_t now)
{
	return w->kernel_stops && ANY(i, ARRAY_SIZE(stop_events),
				      !w->set[stop_events[i].cause] &&
					      w->again_at[stop_events[i].cause] <= now);
}

enum flight_cause flight_watch_stopped(struct flight_watch *w)
{
	if (is_on(w->in))
		return FLIGHT_NOTHING;
	for_each(e, stop_events, ARRAY_SIZE(stop_events)) {
		struct strbuf __auto_free sb = { 0 };
		char path[64];

		trigger_path(path, e->event);
		if (instance_read(w->in, path, &sb) == 0 &&
		    strstr(strbuf_text(&sb), "traceoff:count=0"))
			return e->cause;
	}
	return FLIGHT_STOPPED;
}

/* --- counters ---------------------------------------------------------------------------- */

static bool is_due(const struct flight_watch *w, enum flight_cause cause, uint64_t now)
{
	return w->again_at[cause] <= now;
}

uint64_t flight_oom_kills(void)
{
	struct strbuf __auto_free sb = { 0 };
	uint64_t nr;

	if (instance_read_top("/proc/vmstat", &sb) ||
	    !vmstat_value(strbuf_text(&sb), "oom_kill", &nr))
		return 0;
	return nr + 1;
}

/* "Out of memory: Killed process 11935 (python3) total-vm:..." */
static bool parse_victim(const char *line, char name[FLIGHT_VICTIM_NAME], int *pid)
{
	const char *at = strstr(line, "Killed process "), *end;
	int used = 0;

	if (!at || sscanf(at, "Killed process %d (%n", pid, &used) != 1 || !used)
		return false;
	at += used;
	end = strstr(at, ") total-vm");
	end = end ? end : strchr(at, ')');
	if (!end || end - at >= FLIGHT_VICTIM_NAME)
		return false;
	snprintf(name, FLIGHT_VICTIM_NAME, "%.*s", (int)(end - at), at);
	return true;
}

bool flight_watch_victim(struct flight_watch *w, char name[FLIGHT_VICTIM_NAME], int *pid)
{
	char line[8192]; /* a record of the log; the kernel's limit */
	bool found = false;
	ssize_t size;

	/* EPIPE: records were overwritten; the next read has the oldest one. */
	while (w->kmsg_fd >= 0 &&
	       ((size = read(w->kmsg_fd, line, sizeof(line) - 1)) > 0 ||
		(size < 0 && errno == EPIPE))) {
		line[size > 0 ? size : 0] = '\0';
		found = found || parse_victim(line, name, pid);
	}
	return found;
}

static bool has_killed(struct flight_watch *w)
{
	uint64_t nr = flight_oom_kills();
	bool more = w->nr_oom && nr > w->nr_oom;

	w->nr_oom = nr;
	return more;
}

/* Bytes of the objects in use. */
static uint64_t cache_bytes(const char *slabinfo, const char *name)
{
	struct slabinfo_line line;
	uint64_t bytes;

	while (slabinfo_next(&slabinfo, &line))
		if (line.name_len == strlen(name) &&
		    !memcmp(line.name, name, line.name_len) &&
		    !__builtin_mul_overflow(line.active, line.size, &bytes))
			return bytes;
	return 0;
}

static bool cache_is_large(const struct flight_causes *on)
{
	struct strbuf __auto_free sb = { 0 };

	if (!on->nr_caches || instance_read_top("/proc/slabinfo", &sb))
		return false;
	return ANY(i, on->nr_caches,
		   cache_bytes(strbuf_text(&sb), on->caches[i].name) >
			   on->caches[i].bytes);
}

uint64_t flight_watch_period_ns(const struct flight_watch *w)
{
	/* Without a kernel trigger, this counter is all that stops tracing in time after an OOM
	 * kill.
	 */
	return w->on->oom && !w->kernel_stops ? 0 : COUNTER_NS;
}

enum flight_cause flight_watch_counters(struct flight_watch *w, uint64_t now)
{
	const struct flight_causes *on = w->on;

	if (on->oom && !w->kernel_stops && has_killed(w) && is_due(w, FLIGHT_OOM, now))
		return FLIGHT_OOM;
	if (on->sunreclaim && is_due(w, FLIGHT_SUNRECLAIM, now) &&
	    facts_meminfo("SUnreclaim") > on->sunreclaim)
		return FLIGHT_SUNRECLAIM;
	return is_due(w, FLIGHT_CACHE, now) && cache_is_large(on) ? FLIGHT_CACHE
								  : FLIGHT_NOTHING;
}

const char *flight_cause_name(const struct flight_watch *w, enum flight_cause cause)
{
	static const char *const names[] = {
		[FLIGHT_OOM] = "oom",
		[FLIGHT_FAILURE] = "failure",
		[FLIGHT_SUNRECLAIM] = "sunreclaim",
		[FLIGHT_CACHE] = "cache",
		[FLIGHT_PRESSURE] = "pressure",
		[FLIGHT_SIGNAL] = "signal",
		[FLIGHT_EXIT] = "exit",
		[FLIGHT_STOPPED] = "stopped",
	};

	if (cause == FLIGHT_PAGE)
		return !w->on->failure	   ? "order"
		       : !w->on->min_order ? "failure"
					   : "failure-or-order";
	return names[cause];
}

void flight_watch_close(struct flight_watch *w)
{
	io_close(&w->pressure_fd);
	io_close(&w->kmsg_fd);
}

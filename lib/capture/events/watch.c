// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The kernel counts only the events that it loses itself. A buffer that was cleared shows neither
 * events nor losses, and neither does one while tracing is off.
 */
#include "capture/events/watch.h"

#include <sys/inotify.h>
#include <tracefs.h>
#include <unistd.h>

#include "base/array.h"
#include "base/io.h"

enum effect { CHANGED, CLEARED, SWITCHED, READ };

struct watch_file {
	int wd;
	enum effect effect;
	char *name;
};

static const char *const meddled[] = {
	[CHANGED] = "another process changed what is recorded",
	[CLEARED] = "another process cleared a ring buffer",
	[SWITCHED] = "another process switched tracing off or on",
};

/* Skip files that this kernel lacks. */
static void add(struct watch *w, const struct instance *in, enum effect effect,
		const char *name)
{
	char *path = tracefs_instance_get_file(in->tracefs, name);
	int wd = -1;

	if (path)
		wd = inotify_add_watch(w->fd, path, effect == READ ? IN_OPEN : IN_MODIFY);
	tracefs_put_tracing_file(path);
	if (wd >= 0 && !array_grow(&w->files, w->nr_files))
		w->files[w->nr_files++] = (struct watch_file){ wd, effect, strdup(name) };
}

static void add_cpu(struct watch *w, const struct instance *in, uint32_t cpu)
{
	static const struct {
		const char *name;
		enum effect effect;
	} files[] = { { "trace", CLEARED },
		      { "trace_pipe", READ },
		      { "trace_pipe_raw", READ },
		      { "buffer_size_kb", CHANGED } };
	char name[64];

	for (size_t i = 0; i < ARRAY_SIZE(files); i++) {
		snprintf(name, sizeof(name), "per_cpu/cpu%" PRIu32 "/%s", cpu,
			 files[i].name);
		add(w, in, files[i].effect, name);
	}
}

static void add_event(struct watch *w, const struct instance *in,
		      const struct event_name *event)
{
	static const char *const files[] = { "enable", "filter", "trigger" };
	char name[320];

	for (size_t i = 0; i < ARRAY_SIZE(files); i++) {
		snprintf(name, sizeof(name), "events/%s/%s/%s", event->system,
			 event->name, files[i]);
		add(w, in, CHANGED, name);
	}
	snprintf(name, sizeof(name), "events/%s/enable", event->system);
	add(w, in, CHANGED, name);
}

/* The files of one instance. */
static void add_instance(struct watch *w, const struct instance *in,
			 const struct event_list *events, const struct ring_reader *r)
{
	static const char *const changes[] = {
		"events/enable",	 "set_event",	   "set_event_pid",
		"set_event_notrace_pid", "current_tracer", "trace_clock",
		"trace_options",	 "buffer_size_kb", "free_buffer",
	};

	add(w, in, SWITCHED, "tracing_on");
	add(w, in, CLEARED, "trace");
	add(w, in, READ, "trace_pipe");
	for (size_t i = 0; i < ARRAY_SIZE(changes); i++)
		if (!w->own_pids || strcmp(changes[i], "set_event_pid") != 0)
			add(w, in, CHANGED, changes[i]);
	for (size_t i = 0; i < events->count; i++)
		add_event(w, in, &events->items[i]);
	for (size_t i = 0; i < r->nr_cpus && r->cpus[i].cpu < RECORDING_FREES_CPU; i++)
		add_cpu(w, in, r->cpus[i].cpu);
}

void watch_start(struct watch *w, const struct instance *in,
		 const struct event_list *events, const struct ring_reader *r,
		 const struct log *log)
{
	if (instance_read(in, "set_event", &w->enabled))
		strbuf_reset(&w->enabled);
	w->fd = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
	if (w->fd < 0) {
		log_msg(log, LOG_INFO,
			"cannot watch for other users of the tracing instance: %s",
			strerror(errno));
		return;
	}
	for (; in; in = in->frees)
		add_instance(w, in, events, r);
}

static void take(struct watch *w, int wd, struct watch_verdict *v, bool own_switch,
		 const struct log *log)
{
	for_each(f, w->files, w->nr_files) {
		if (f->wd != wd || !f->name)
			continue;
		if (own_switch && f->effect == SWITCHED)
			return;
		if (f->effect == READ)
			v->read = true;
		else
			v->meddled = meddled[f->effect];
		log_msg(log, LOG_WARN, "another process %s %s of the tracing instance",
			f->effect == READ ? "opened" : "wrote to", f->name);
		/* Report each file only once. */
		free(f->name);
		f->name = NULL;
		return;
	}
}

/* @own_switch: this process wrote to tracing_on. */
static void take_all(struct watch *w, struct watch_verdict *v, bool own_switch,
		     const struct log *log)
{
	char buf[4096] __attribute__((aligned(__alignof__(struct inotify_event))));
	ssize_t n;

	while ((n = read(w->fd, buf, sizeof(buf))) > 0) {
		const struct inotify_event *ev;

		for (char *p = buf; p < buf + n; p += sizeof(*ev) + ev->len) {
			ev = (const struct inotify_event *)p;
			if (ev->mask & IN_Q_OVERFLOW)
				v->read = true;
			else if (!(ev->mask & IN_IGNORED))
				take(w, ev->wd, v, own_switch, log);
		}
	}
}

/* The kernel may have dropped and recreated an event directory. Its files are then no longer
 * watched, so compare the list of events.
 */
static bool same_events(const struct watch *w, const struct instance *in)
{
	struct strbuf __auto_free now = { 0 };

	return instance_read(in, "set_event", &now) != 0 || !w->enabled.size ||
	       !strcmp(strbuf_text(&w->enabled), strbuf_text(&now));
}

void watch_switched(struct watch *w, const struct log *log)
{
	if (w->fd >= 0)
		take_all(w, &w->earlier, true, log);
}

struct watch_verdict watch_end(struct watch *w, const struct instance *in,
			       const struct log *log)
{
	struct watch_verdict v = w->earlier;

	if (w->fd >= 0)
		take_all(w, &v, false, log);
	if (!v.meddled && !same_events(w, in))
		v.meddled = meddled[CHANGED];
	if (!w->stopped && instance_begins(in, "tracing_on", '0'))
		v.meddled = meddled[SWITCHED];
	return v;
}

void watch_close(struct watch *w)
{
	io_close(&w->fd);
	for (size_t i = 0; i < w->nr_files; i++)
		free(w->files[i].name);
	free(w->files);
	strbuf_free(&w->enabled);
	*w = WATCH_INIT;
}

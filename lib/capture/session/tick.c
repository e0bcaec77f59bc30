// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * capture: what is done periodically while recording.
 * In: a running session. Out: names of tasks, the kernel's counts, progress, whether anything is
 * left to record.
 */
#include "capture/session/session.h"

#include "base/clock.h"

/* How often task names are read: often enough for this many new tasks a second, within bounds. */
#define TASKS_PER_SECOND 4000U
#define COMMS_MIN_MS	 20U
#define COMMS_MAX_MS	 5000U
/* How often a control group is checked for new processes. */
#define GROUP_MS	 100U
/* How often to check whether the kernel's counts are due. */
#define COUNTS_MS	 100U

/* The kernel keeps the names of few tasks (128 by default), and is the only source for tasks that
 * have ended. Read them before TASKS_PER_SECOND new tasks can have pushed them out.
 */
static unsigned int comms_interval_ms(void)
{
	struct strbuf __auto_free sb = { 0 };
	unsigned long size = 0;

	if (instance_read_top("saved_cmdlines_size", &sb) == 0)
		size = strtoul(strbuf_text(&sb), NULL, 10);
	if (size > COMMS_MAX_MS * TASKS_PER_SECOND / 1000)
		return COMMS_MAX_MS;
	size = size * 1000 / TASKS_PER_SECOND;
	return size < COMMS_MIN_MS ? COMMS_MIN_MS : (unsigned int)size;
}

static void report_progress(const struct tick *t, uint64_t now)
{
	const struct capture_options *opts = t->session->opts;
	struct capture_progress so_far;

	session_progress(t->session, &so_far);
	so_far.ns = now - t->begin_ns;
	opts->progress(opts->ctx, &so_far);
}

unsigned int tick_start(struct tick *t, struct session *s)
{
	*t = (struct tick){ .session = s,
			    .begin_ns = clock_ns(CLOCK_MONOTONIC),
			    .comms_ms = comms_interval_ms() };
	t->comms_at_ns = t->begin_ns + t->comms_ms * 1000000ULL;
	t->progress_at_ns = t->begin_ns + CAPTURE_PROGRESS_MS * 1000000ULL;
	if (s->opts->cgroup && t->comms_ms > GROUP_MS)
		return GROUP_MS;
	if ((s->facts.curve.open || s->mappings) && t->comms_ms > COUNTS_MS)
		return COUNTS_MS;
	if (s->opts->progress && t->comms_ms > CAPTURE_PROGRESS_MS)
		return CAPTURE_PROGRESS_MS;
	return t->comms_ms;
}

bool tick_on(struct tick *t)
{
	const struct log quiet = { 0 };
	struct session *s = t->session;
	uint64_t now = clock_ns(CLOCK_MONOTONIC);

	if (now >= t->comms_at_ns) {
		t->comms_at_ns = now + (t->comms_ms - t->comms_ms / 8) * 1000000ULL;
		if (facts_add_saved_comms(&s->facts))
			log_msg(s->log, LOG_DEBUG, "no memory for task names");
	}
	if (s->opts->progress && now >= t->progress_at_ns) {
		t->progress_at_ns = now + CAPTURE_PROGRESS_MS * 875000ULL;
		report_progress(t, now);
	}
	if (curve_due(&s->facts.curve, now))
		session_take_counts(s);
	mappings_read(s->mappings);
	/* The kernel adds children of the group's processes, but not processes that join it. */
	if (s->opts->cgroup &&
	    events_only_group(&s->instance, s->opts->cgroup, &quiet) == -ENOMEM)
		log_msg(s->log, LOG_DEBUG, "no memory for the control group's processes");
	/* Have the processes of -p and their descendants ended? */
	return s->opts->nr_pids && !s->opts->argv && !events_has_tasks(&s->instance);
}

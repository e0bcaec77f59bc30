// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * cmd: the recordings of kmemx diff.
 * In: paths. Out: each one's tables and facts; the recording itself is closed again.
 */
#include "diff_load.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#include "analysis/analyze.h"
#include "analysis/profile.h"
#include "command.h"
#include "input.h"
#include "message.h"
#include "output.h"

static const char command_name[] = "diff";

/* What diff_load() opens and closes again. */
struct load {
	const struct diff_choice *choice;
	const struct diff_side *side;
	struct input in;
	struct callsite_rule *rule;
	struct directories *dirs;
	struct window window;
	struct event_stream *stream;
	struct progress progress;
};

static int open_rule(struct load *l)
{
	struct strbuf error = { 0 };
	int err = callsite_rule_new(&l->rule, l->choice->skip.items,
				    l->choice->skip.count, &error);

	if (err)
		message_error(command_name, "--skip-func: %s",
			      err == -EINVAL ? strbuf_text(&error) : strerror(-err));
	strbuf_free(&error);
	return !err ? GO_ON : err == -EINVAL ? EXIT_USAGE : EXIT_FAILED;
}

static int show_progress(void *ctx, uint64_t nr_events)
{
	struct load *l = ctx;
	const struct window *w = &l->window;
	uint64_t now = event_stream_stats(l->stream)->last_ts;

	progress_show(&l->progress, now > w->first_ts ? now - w->first_ts : 0,
		      w->last_ts - w->first_ts, nr_events);
	return 0;
}

static int analyze(struct load *l, struct report *report)
{
	const struct diff_choice *c = l->choice;
	const struct analysis_env env = {
		.rec = l->in.rec,
		.fmts = l->in.fmts,
		.stream = l->stream,
		.syms = l->in.syms,
		.rule = l->rule,
		.migratetypes = &l->in.migratetypes,
		.log = &l->in.log,
		.by = c->by,
		.dirs = l->dirs,
		.dir_depth = c->dir_depth,
		.page_size = recording_kernel_page_size(l->in.rec),
	};
	const struct analyze_progress how = { show_progress, l, 500000 };
	const struct analysis_ops *ops[5];
	size_t nr = 0;
	int err;

	if (c->slab)
		ops[nr++] = &profile_slab;
	if (c->cache)
		ops[nr++] = &profile_cache;
	if (c->page)
		ops[nr++] = &profile_page;
	if (c->slab_dir)
		ops[nr++] = &profile_slab_dir;
	if (c->page_dir)
		ops[nr++] = &profile_page_dir;
	progress_start(&l->progress);
	err = analyze_run(&env, ops, nr, l->stream, report, &how);
	progress_end(&l->progress);
	return err ? input_stream_failed(&l->in, err) : GO_ON;
}

static void find_kinds(const struct load *l, struct diff_recording *r)
{
	const struct event_stream_stats *s = event_stream_stats(l->stream);
	uint32_t i;

	for (i = 0; i < event_formats_count(l->in.fmts); i++) {
		const struct event_format *fmt = event_formats_at(l->in.fmts, i);

		if (!s->by_id[fmt->id])
			continue;
		r->has_slab |= fmt->type >= KMEM_KMALLOC && fmt->type <= KMEM_CACHE_FREE;
		r->has_page |= fmt->type >= KMEM_PAGE_ALLOC &&
			       fmt->type <= KMEM_PAGE_FREE_BATCHED;
	}
}

static uint64_t count_event(const struct load *l, const char *name)
{
	const struct event_stream_stats *s = event_stream_stats(l->stream);
	uint64_t count = 0;
	uint32_t i;

	for (i = 0; i < event_formats_count(l->in.fmts); i++) {
		const struct event_format *fmt = event_formats_at(l->in.fmts, i);

		if (!strcmp(fmt->name, name))
			count += s->by_id[fmt->id];
	}
	return count;
}

static int find_divisor(const struct load *l, struct diff_recording *r)
{
	const struct diff_choice *c = l->choice;

	r->divisor = 1;
	switch (c->per) {
	case DIFF_PER_NONE:
		return GO_ON;
	case DIFF_PER_NUMBER:
		r->divisor = c->number;
		return GO_ON;
	case DIFF_PER_EVENT:
		r->divisor = (double)count_event(l, c->event);
		if (r->divisor > 0)
			return GO_ON;
		message_error(
			command_name,
			"--per event:%s: %s holds none.\n  Record it too: sudo kmemx record -e %s -- CMD    what it holds: kmemx info",
			c->event, r->path, c->event);
		return EXIT_FAILED;
	default:
		r->divisor = (double)r->facts.duration_ns / 1e9;
		if (r->facts.has_duration && r->divisor > 0)
			return GO_ON;
		message_error(
			command_name,
			"--per second: the clock of %s does not count time, or no time passed.\n  Take an event instead (--per event:NAME), or a number.",
			r->path);
		return EXIT_FAILED;
	}
}

/* What an analysis says loudly of a table that is not shown itself. */
static void take_notes(struct report *report)
{
	size_t i, k;

	for (i = 0; i < report->nr_tables; i++) {
		const struct table *t = report->tables[i];

		for (k = 0; k < t->nr_notes; k++) {
			if (t->notes[k][0] == '!')
				report_add_banner(report, true, "%s", t->notes[k] + 1);
		}
	}
}

static int load(struct load *l, struct diff_recording *r)
{
	const struct input_options input = { .command = command_name,
					     .path = r->path,
					     .symbols = l->side->symbols,
					     .want_symbols = true,
					     .verbose = l->choice->verbose };
	const struct event_stream_options stream = { 0 };
	int ret = open_rule(l);

	if (ret == GO_ON)
		ret = input_open(&l->in, &input);
	if (ret == GO_ON)
		ret = window_open_stream(&l->window, &l->in, &stream, &l->stream);
	if (ret == GO_ON && directory_sources_any(l->side->sources))
		ret = input_dirs_for(&l->dirs, l->side->sources, &l->in);
	if (ret != GO_ON)
		return ret;
	r->report = report_new();
	if (!r->report)
		return input_stream_failed(&l->in, -ENOMEM);
	ret = analyze(l, r->report);
	if (ret != GO_ON)
		return ret;
	find_kinds(l, r);
	facts_init(&r->facts, l->in.rec, l->window.buffer, l->stream, &l->window);
	facts_banner(&r->facts, l->stream, r->report);
	if (l->dirs)
		input_dirs_banner(l->dirs, r->report);
	take_notes(r->report);
	r->facts.path = r->path;
	r->facts.clock = NULL;
	return find_divisor(l, r);
}

int diff_load(struct diff_recording *r, const char *path,
	      const struct diff_choice *choice, const struct diff_side *side)
{
	struct load l = { .choice = choice, .side = side, .window = choice->window };
	int ret;

	*r = (struct diff_recording){ .path = path };
	ret = load(&l, r);
	event_stream_close(l.stream);
	directories_free(l.dirs);
	callsite_rule_free(l.rule);
	input_close(&l.in);
	return ret;
}

void diff_recording_free(struct diff_recording *r)
{
	report_free(r->report);
	r->report = NULL;
}

double diff_recording_lost(const struct diff_recording *r)
{
	const struct facts *f = &r->facts;

	if (f->nr_unknown_gaps || f->nr_bad_pages || *f->truncated)
		return INFINITY;
	return (double)f->nr_lost + (double)f->nr_dropped + (double)f->nr_undecodable;
}

// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * cmd: the recordings of kmemx diff.
 * In: paths. Out: each one's tables and facts; the recording itself is closed again.
 */
#include "diff_load.h"

#include <errno.h>
#include <math.h>
#include <string.h>

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
	struct alloc_filter filter;
};

static int analyze(struct load *l, struct report *report)
{
	const struct diff_choice *c = l->choice;
	struct analysis_env env = study_env(&l->in.study);
	const struct analysis_options opts = { .by = c->by };
	const struct analysis_set set = {
		.analyses = c->analyses, .nr = c->nr, .opts = &opts, .unseen = true
	};

	env.dir_depth = c->dir_depth;
	env.filter = filter_words_any(&c->words) ? &l->filter : NULL;
	env.raw_names = c->raw_names;
	return input_analyze(&l->in, &env, &set, report);
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
		r->divisor = (double)study_count_named(&l->in.study, c->event);
		if (r->divisor > 0)
			return GO_ON;
		message_error(
			command_name,
			"--per event:%s: %s contains no such event\n  Record it: sudo kmemx record -e %s -- CMD    list the events: kmemx info",
			c->event, r->path, c->event);
		return EXIT_FAILED;
	default:
		r->divisor = (double)r->facts.duration_ns / 1e9;
		if (r->facts.has_duration && r->divisor > 0)
			return GO_ON;
		message_error(
			command_name,
			"--per second: the clock of %s does not count time, or no time passed\n  Use an event (--per event:NAME) or a number instead",
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
	const struct diff_choice *c = l->choice;
	const struct study_options study = { .path = r->path,
					     .want_symbols = true,
					     .symbols = l->side->symbols,
					     .want_rule = true,
					     .skip = c->skip.items,
					     .nr_skip = c->skip.count,
					     .sources = l->side->sources,
					     .window = c->window };
	const struct event_stream_options how = { 0 };
	int ret = input_open(&l->in, &study, command_name, c->verbose);

	if (ret == GO_ON)
		ret = filter_words_resolve(&c->words, &l->filter, l->in.study.fmts,
					   &l->in.study.log);
	if (ret == GO_ON)
		ret = input_read(&l->in, &how);
	if (ret != GO_ON)
		return ret;
	r->report = report_new();
	if (!r->report)
		return input_stream_failed(&l->in, -ENOMEM);
	ret = analyze(l, r->report);
	if (ret != GO_ON)
		return ret;
	r->nr_kept = l->filter.nr_slab + l->filter.nr_page;
	r->has_slab = study_count_slab(&l->in.study);
	r->has_page = study_count_page(&l->in.study);
	study_facts_init(&r->facts, &l->in.study, l->in.study.window.buffer);
	study_facts_banner(&r->facts, &l->in.study, r->report);
	take_notes(r->report);
	r->facts.path = r->path;
	r->facts.clock = NULL;
	return find_divisor(l, r);
}

int diff_load(struct diff_recording *r, const char *path,
	      const struct diff_choice *choice, const struct diff_side *side)
{
	struct load l = { .choice = choice, .side = side };
	int ret;

	*r = (struct diff_recording){ .path = path };
	ret = load(&l, r);
	alloc_filter_free(&l.filter);
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
	const struct study_facts *f = &r->facts;

	if (f->nr_unknown_gaps || f->nr_bad_pages || *f->truncated)
		return INFINITY;
	return (double)f->nr_lost + (double)f->nr_dropped + (double)f->nr_undecodable;
}

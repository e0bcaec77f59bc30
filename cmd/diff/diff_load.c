// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Recordings are read on several threads. A thread prints nothing: messages are kept and printed
 * in the order of the recordings.
 */
#include "cmd/diff/diff_load.h"

#include <math.h>

#include "base/thread.h"
#include "cmd/diff/diff.h"
#include "cmd/input/input.h"
#include "cmd/options/message.h"

static const char command_name[] = "diff";

/* What failed: nothing, something whose message is already in @messages, a call to the study, or
 * reading its events. The study stays open until the failure is reported.
 */
enum load_failure { LOAD_WELL, LOAD_TOLD, LOAD_STUDY, LOAD_EVENTS };

/**
 * struct diff_load - a recording that is being read, and its messages
 * @messages: as they will be printed
 * @code: an exit code with LOAD_TOLD, a negative errno with LOAD_EVENTS
 * @done, @nr_events: thousandths of the recording, and events, that the progress line has counted
 * @estimated: figures are estimated from a sample
 */
struct diff_load {
	const struct diff_choice *choice;
	struct diff_progress *progress;
	struct input in;
	struct alloc_filter filter;
	struct strbuf messages;
	enum load_failure failure;
	int code;
	uint64_t done, nr_events;
	bool estimated;
};

/* Notes what failed. Returns false, the result of a failed load. */
static bool failed(struct diff_load *l, enum load_failure failure, int code)
{
	l->failure = failure;
	l->code = code;
	return false;
}

/* --- opening ----------------------------------------------------------------------------- */

/* Opens a recording; true if it can be read. Opens them one at a time, in the order of the paths:
 * libtraceevent cannot parse formats in parallel, and one process may be writing several of the
 * pipes.
 */
static bool load_open(struct diff_recording *r, const char *path,
		      const struct diff_choice *c, const struct diff_side *side)
{
	const struct study_options study = { .path = path,
					     .want_symbols = true,
					     .symbols = side->symbols,
					     .want_rule = true,
					     .skip = c->skip.items,
					     .nr_skip = c->skip.count,
					     .sources = side->sources,
					     .search = side->found && side->sources,
					     .places = side->places,
					     .only_lines = c->only_lines,
					     .no_inline = c->no_inline,
					     .window = c->window };
	struct diff_load *l = calloc(1, sizeof(*l));
	int ret;

	*r = (struct diff_recording){ .path = path, .load = l };
	if (!l)
		return false;
	l->choice = c;
	if (input_open_quietly(&l->in, &study, command_name, c->verbose, &l->messages))
		return failed(l, LOAD_STUDY, 0);
	ret = input_processes_known(&l->in, c->by);
	if (ret == GO_ON && c->words.groups.count)
		ret = input_processes_known(&l->in, SUBJECT_CGROUP);
	ret = ret ?: filter_words_resolve(&c->words, &l->filter, &l->in.study);
	return ret == GO_ON || failed(l, LOAD_TOLD, ret);
}

/* --- reading, on any thread -------------------------------------------------------------- */

/* Updates the progress line of all recordings: this one is @done thousandths through. */
static void add_progress(struct diff_load *l, uint64_t done, uint64_t nr_events)
{
	struct diff_progress *p = l->progress;

	/* A recording may be read a second time: do not count it again. */
	if (done < l->done || nr_events < l->nr_events)
		return;
	pthread_mutex_lock(&p->lock);
	p->done += done - l->done;
	p->nr_events += nr_events - l->nr_events;
	progress_show(&p->line, p->done, 1000 * p->nr_recordings, p->nr_events);
	pthread_mutex_unlock(&p->lock);
	l->done = done;
	l->nr_events = nr_events;
}

static int show_progress(void *ctx, uint64_t nr_events)
{
	struct diff_load *l = ctx;
	uint64_t done, total;

	study_progress(&l->in.study, &done, &total);
	add_progress(l,
		     done < total ? (uint64_t)(1000 * ((double)done / (double)total)) : 0,
		     nr_events);
	return 0;
}

static int analyze(struct diff_load *l, struct report *report)
{
	const struct diff_choice *c = l->choice;
	struct analysis_env env = study_env(&l->in.study);
	const struct analysis_options opts = { .by = c->by };
	const struct analysis_set set = {
		.analyses = c->analyses, .nr = c->nr, .opts = &opts, .unseen = true
	};
	const struct analyze_progress how = { show_progress, l, PROGRESS_INTERVAL };

	env.dir_depth = c->dir_depth;
	env.filter = filter_words_any(&c->words) ? &l->filter : NULL;
	env.raw_names = c->raw_names;
	env.whole_groups = c->whole_groups;
	if (c->unscaled || sample_of(&env.sample, env.rec))
		env.sample = (struct sample){ 0 };
	l->estimated = env.sample.one_in;
	return analyze_run(&env, &set, l->in.study.stream, report, &how);
}

static void find_divisor(struct diff_load *l, struct diff_recording *r)
{
	const struct diff_choice *c = l->choice;

	r->divisor = 1;
	switch (c->per) {
	case DIFF_PER_NONE:
		return;
	case DIFF_PER_NUMBER:
		r->divisor = c->number;
		return;
	case DIFF_PER_EVENT:
		r->divisor = (double)study_count(&l->in.study, 0, c->event);
		if (r->divisor > 0)
			return;
		log_msg(&l->in.study.log, LOG_ERROR,
			"--per event:%s: %s contains no such event\n  Record it: sudo kmemx record -e %s -- CMD    list the events: kmemx info",
			c->event, r->path, c->event);
		break;
	default:
		r->divisor = (double)r->facts.duration_ns / 1e9;
		if (r->facts.has_duration && r->divisor > 0)
			return;
		log_msg(&l->in.study.log, LOG_ERROR,
			"--per second: the clock of %s does not count time, or no time passed\n  Use an event (--per event:NAME) or a number instead",
			r->path);
	}
	failed(l, LOAD_TOLD, EXIT_FAILED);
}

/* Copies the loud notes of the tables to the banner: these tables are not shown. */
static void take_notes(struct report *report)
{
	for (size_t i = 0; i < report->nr_tables; i++) {
		const struct table *t = report->tables[i];

		for (size_t k = 0; k < t->nr_notes; k++) {
			if (t->notes[k][0] == '!')
				report_add_banner(report, true, "%s", t->notes[k] + 1);
		}
	}
}

/* Sets the facts that are known once all events have been read. */
static void note_facts(struct diff_load *l, struct diff_recording *r)
{
	const struct study *study = &l->in.study;

	r->unnamed = alloc_filter_unnamed(&l->filter);
	r->ns = recording_clocks_are_ns(study->rec);
	for (int i = 0; i < MEMORY_KINDS; i++) {
		r->nr_kept += l->filter.nr[i];
		r->has[i] = study_count(study, analysis_memory((enum memory)i), NULL);
	}
	study_facts_init(&r->facts, study, study->window.buffer);
	r->facts.estimated = l->estimated;
	study_facts_banner(&r->facts, study, r->report);
	take_notes(r->report);
	report_banner_if(r->report, r->unnamed, true, "%s", filter_words_unnamed);
	r->facts.path = r->path;
	r->facts.clock = NULL;
	r->facts.sample_rule = r->facts.stack_sample = NULL;
	find_divisor(l, r);
}

/* Frees the memory of the study. */
static void close_study(struct diff_load *l)
{
	alloc_filter_free(&l->filter);
	input_close(&l->in);
}

/* Reads what load_open() opened, and closes it; true if all went well. Runs in parallel with other
 * recordings, unless they look up directories or inlined functions, whose sources are shared.
 */
static bool load_read(struct diff_recording *r, bool ahead,
		      struct diff_progress *progress)
{
	const struct event_stream_options how = { .read_ahead = ahead };
	struct diff_load *l = r->load;
	int err;

	l->progress = progress;
	if (study_read(&l->in.study, &how))
		return failed(l, LOAD_STUDY, 0);
	r->report = report_new();
	err = r->report ? analyze(l, r->report) : -ENOMEM;
	if (err)
		return failed(l, LOAD_EVENTS, err);
	note_facts(l, r);
	add_progress(l, 1000, l->nr_events);
	close_study(l);
	return l->failure == LOAD_WELL;
}

/* --- messages, on the main thread -------------------------------------------------------- */

static void free_load(struct diff_recording *r)
{
	struct diff_load *l = r->load;

	if (l) {
		/* The recording was never reported: drop its messages. */
		close_study(l);
		strbuf_free(&l->messages);
	}
	free(l);
	r->load = NULL;
}

/* Prints the messages of an opened recording and frees its load. GO_ON, or the exit code. */
static int load_tell(struct diff_recording *r)
{
	struct diff_load *l = r->load;
	int ret = GO_ON;

	if (!l)
		return message_no_memory(command_name);
	message_print_log(&l->messages);
	strbuf_free(&l->messages);
	l->in.log_state.to = NULL; /* print further messages at once */
	if (l->failure == LOAD_TOLD)
		ret = l->code;
	else if (l->failure == LOAD_STUDY)
		ret = input_failed(&l->in);
	else if (l->failure == LOAD_EVENTS)
		ret = input_stream_failed(&l->in, l->code);
	free_load(r);
	return ret;
}

void diff_recording_free(struct diff_recording *r)
{
	free_load(r);
	report_free(r->report);
	r->report = NULL;
}

/* The number of events that may be missing from a row; INFINITY if unknown. */
static double nr_lost(const struct diff_recording *r)
{
	const struct study_facts *f = &r->facts;

	if (f->nr_unknown_gaps || f->nr_bad_pages || *f->truncated)
		return INFINITY;
	return (double)f->nr_lost + (double)f->nr_dropped + (double)f->nr_undecodable;
}

bool diff_gather(struct diff *d, const char *name)
{
	for (size_t i = 0; i < d->args.paths.nr; i++) {
		d->tables[i] =
			(struct diff_run){ report_table(d->recordings[i].report, name),
					   d->recordings[i].divisor,
					   nr_lost(&d->recordings[i]) };
		if (!d->tables[i].table)
			return false;
	}
	return true;
}

int diff_whole_tables(struct diff *d, const char *const *names, size_t nr_names,
		      struct table **tables, size_t *nr)
{
	struct diff_options all = d->args.diff;
	int err = 0;

	all.all = true;
	for (size_t i = 0; i < nr_names && !err; i++) {
		if (!diff_gather(d, names[i]))
			continue;
		err = diff_tables(&d->sides, &all, &tables[*nr]);
		if (!err && tables[(*nr)++]->failed)
			err = -ENOMEM;
	}
	return err;
}

/**
 * struct diff_jobs - the work that the threads share
 * @ahead: each recording has one more thread, which reads ahead
 * @turn: protects @next and @stop, and keeps the recordings in order while they are opened
 * @next: the first recording not opened yet; @stop: open no further ones
 */
struct diff_jobs {
	struct diff_recording *recordings;
	const struct diff_args *args;
	bool ahead;
	pthread_mutex_t turn;
	size_t next;
	bool stop;
	struct diff_progress progress;
};

/* Opens the next recording; NULL if it failed or none is left. */
static struct diff_recording *open_next(struct diff_jobs *jobs)
{
	const struct diff_paths *paths = &jobs->args->paths;
	struct diff_recording *r = NULL;

	pthread_mutex_lock(&jobs->turn);
	if (!jobs->stop && jobs->next < paths->nr) {
		size_t i = jobs->next++;

		r = &jobs->recordings[i];
		if (!load_open(r, paths->items[i], &jobs->args->choice,
			       &jobs->args->sides[i >= paths->nr_old])) {
			jobs->stop = true;
			r = NULL;
		}
	}
	pthread_mutex_unlock(&jobs->turn);
	return r;
}

static void *load_many(void *ctx)
{
	struct diff_jobs *jobs = ctx;
	struct diff_recording *r;

	while ((r = open_next(jobs))) {
		if (load_read(r, jobs->ahead, &jobs->progress))
			continue;
		pthread_mutex_lock(&jobs->turn);
		jobs->stop = true;
		pthread_mutex_unlock(&jobs->turn);
	}
	return NULL;
}

/* Prints the messages of the recordings that were opened, in order. */
static int tell(struct diff_jobs *jobs)
{
	int ret = GO_ON;

	progress_end(&jobs->progress.line);
	for (size_t i = 0; i < jobs->next && ret == GO_ON; i++)
		ret = load_tell(&jobs->recordings[i]);
	return ret;
}

/* Loads @nr at a time: on this thread, and on as many others as can be started. */
static int load_with(struct diff_jobs *jobs, unsigned int nr)
{
	pthread_t threads[DIFF_AT_ONCE];
	unsigned int started = 0;

	while (started + 1 < nr && !thread_start(&threads[started], load_many, jobs))
		started++;
	load_many(jobs);
	while (started)
		pthread_join(threads[--started], NULL);
	return tell(jobs);
}

/* How many recordings are read at a time: one if directories or inlined functions are looked up,
 * as a lookup changes the sources, which all recordings share.
 */
static unsigned int at_once(const struct diff_args *args)
{
	unsigned int nr = input_jobs(args->jobs);

	if (diff_args_dirs(args) || args->sides[0].sources || args->sides[1].sources)
		return 1;
	nr = SMALLER(nr, DIFF_AT_ONCE);
	return nr < args->paths.nr ? nr : (unsigned int)args->paths.nr;
}

int diff_load_all(struct diff_recording *recordings, const struct diff_args *args)
{
	unsigned int nr = at_once(args);
	struct diff_jobs jobs = {
		.recordings = recordings,
		.args = args,
		.ahead = input_jobs(args->jobs) / nr > 1,
		.progress.nr_recordings = args->paths.nr,
	};
	int ret;

	pthread_mutex_init(&jobs.turn, NULL);
	pthread_mutex_init(&jobs.progress.lock, NULL);
	progress_start(&jobs.progress.line, "decoding");
	ret = load_with(&jobs, nr);
	pthread_mutex_destroy(&jobs.progress.lock);
	pthread_mutex_destroy(&jobs.turn);
	return ret;
}

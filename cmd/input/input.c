// SPDX-License-Identifier: GPL-2.0-or-later
#include "cmd/input/input.h"

#include <limits.h>
#include <sched.h>
#include <unistd.h>

#include "cmd/input/input_symbols.h"
#include "cmd/options/signals.h"

int input_parse(const struct command *command, const struct option_entry *options,
		int argc, char **argv, const char **path)
{
	int operands, ret = options_parse(command, options, argc, argv, &operands);

	return ret ?: input_path(command->name, argc, argv, operands, path);
}

int input_path(const char *command, int argc, char **argv, int operands,
	       const char **path)
{
	if (operands + 1 == argc && !*path) {
		*path = argv[operands];
		return GO_ON;
	}
	if (operands < argc)
		return message_fail(EXIT_USAGE, command,
				    "unexpected argument '%s'\n  One recording: -i FILE",
				    argv[*path ? operands : operands + 1]);
	if (!*path)
		*path = INPUT_DEFAULT;
	return GO_ON;
}

int input_window_check(struct window *w, const char *command)
{
	if (!w->time || !time_window_parse(&w->parsed, w->time))
		return GO_ON;
	return message_fail(
		EXIT_USAGE, command,
		"invalid --time '%s'\n  Give START,STOP in seconds as trace-cmd prints them (81.5,82), from the start\n  (+1s,+1500ms) or in percent (10%%,20%%); either may be left out",
		w->time);
}

int input_study_check(struct study_options *o, const char *command)
{
	int ret = symbol_files_check(&o->symbols, command);

	ret = ret ?: debug_places_check(&o->places, &o->symbols, command);
	return ret ?: input_window_check(&o->window, command);
}

unsigned int input_jobs(uint64_t given)
{
	cpu_set_t cpus;
	long all;

	if (given)
		return given < UINT_MAX ? (unsigned int)given : UINT_MAX;
	if (!sched_getaffinity(0, sizeof(cpus), &cpus))
		return (unsigned int)CPU_COUNT(&cpus);
	/* The machine has more CPUs than fit into a cpu_set_t. */
	all = sysconf(_SC_NPROCESSORS_ONLN);
	return all > 0 ? (unsigned int)all : 1;
}

/* Holds signals while a file is fetched, so that none kills the process and leaves an incomplete
 * file.
 */
static void fetch_begin(void *ctx)
{
	struct fetching *f = ctx;

	signals_hold(&f->before);
}

static bool fetch_show(void *ctx, uint64_t bytes, uint64_t total)
{
	struct fetching *f = ctx;

	progress_show(&f->progress, bytes, total, 0);
	return signals_wait(&f->before);
}

static void fetch_done(void *ctx)
{
	struct fetching *f = ctx;

	progress_end(&f->progress);
	signals_release(&f->before);
}

struct debug_fetching input_fetching(struct fetching *f)
{
	progress_start(&f->progress, "fetching debug information");
	return (struct debug_fetching){ fetch_begin, fetch_show, fetch_done, f };
}

int input_open_quietly(struct input *in, const struct study_options *opts,
		       const char *command, unsigned int verbose, struct strbuf *messages)
{
	struct study_options all = *opts;

	in->command = command;
	in->log_state = (struct message_log){ .command = command,
					      .verbose = verbose,
					      .to = messages };
	all.log = message_log(&in->log_state);
	all.fetching = input_fetching(&in->fetching);
	all.tmpdir = getenv("TMPDIR");
	return study_open(&in->study, &all);
}

int input_open(struct input *in, const struct study_options *opts, const char *command,
	       unsigned int verbose)
{
	return input_open_quietly(in, opts, command, verbose, NULL) ? input_failed(in)
								    : GO_ON;
}

int input_read(struct input *in, const struct event_stream_options *how)
{
	return study_read(&in->study, how) ? input_failed(in) : GO_ON;
}

struct analyze_line {
	const struct study *study;
	struct progress progress;
};

static int show_progress(void *ctx, uint64_t nr_events)
{
	struct analyze_line *line = ctx;
	uint64_t done, total;

	study_progress(line->study, &done, &total);
	progress_show(&line->progress, done, total, nr_events);
	return 0;
}

int input_analyze(struct input *in, const struct analysis_env *env,
		  const struct analysis_set *set, struct report *report)
{
	struct analyze_line line = { .study = &in->study };
	const struct analyze_progress how = { show_progress, &line, PROGRESS_INTERVAL };
	int err;

	progress_start(&line.progress, "decoding");
	err = analyze_run(env, set, in->study.stream, report, &how);
	progress_end(&line.progress);
	return err ? input_stream_failed(in, err) : GO_ON;
}

int input_processes_known(const struct input *in, enum subject_kind by)
{
	const struct recording *rec = in->study.rec;
	bool groups = subject_rows(by) & ROWS(CGROUP);

	if ((!(subject_rows(by) & ROWS(PROCESS)) || processes_known(rec)) &&
	    (!groups || processes_groups_known(rec)))
		return GO_ON;
	log_msg(&in->study.log, LOG_ERROR,
		"%s does not say which %s\n  Show the tasks: kmemx stat --by comm. For more, record again with this kmemx.",
		in->study.path,
		groups ? "control group a process is in" : "process a task belongs to");
	return EXIT_FAILED;
}

void input_close(struct input *in)
{
	study_close(&in->study);
	message_log_end(&in->log_state);
}

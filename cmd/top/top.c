// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * cmd: kmemx top.
 * In: options, the machine's allocations. Out: who allocates now: a table per interval or a screen.
 */
#include "cmd/top/top.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "cmd/input/input.h"
#include "cmd/options/message.h"
#include "cmd/options/signals.h"
#include "cmd/record/recorder.h"
#include "base/io.h"

/* Buffers are read at least this often. An interval is a whole number of rounds. */
#define ROUND_NS	100000000ULL
#define INTERVAL_MIN_NS 100000000ULL
#define BATCH_LINES	20U

static const char command_name[] = "top";

/* --- options ----------------------------------------------------------------------------- */

#define WORDS_MAX 32

static void fill_words(const char **by, const char **keys)
{
	enum subject_kind kind;

	for (unsigned int i = 0; (by[i] = grouping_word(i, &kind)); i++)
		;
	for (unsigned int i = 0; (keys[i] = top_sort_key(i)); i++)
		;
}

static int parse(struct top_options *o, int argc, char **argv, int *operands)
{
	const char *by[WORDS_MAX], *keys[WORDS_MAX];
	const struct option_entry options[] = {
		{ OPTION_GROUP, .help = "What to show" },
		{ OPTION_STRING | OPTION_EVERYDAY, 0, "by", "WHAT", &o->by,
		  "callsite (default), cache, order, stack, comm, pid, process, cgroup, entry, module, cpu, node",
		  by },
		KIND_OPTIONS(o->of, "all four kinds"),
		{ OPTION_LIST | OPTION_EVERYDAY, 's', "sort", "KEYS", &o->sort,
		  "sort keys, e.g. live,-hit_rate (default: rate)", keys },
		LINES_OPTION(o->lines),
		{ OPTION_DURATION | OPTION_EVERYDAY, 'd', "delay", "TIME",
		  &o->interval_ns, "interval (default: 1 s)" },
		{ OPTION_POSITIVE | OPTION_EVERYDAY, 'n', "iterations", "N", &o->count,
		  "end after N intervals" },
		{ OPTION_GROUP, .help = "Which tasks, and how long" },
		{ OPTION_STRINGS | OPTION_EVERYDAY, 'p', "pid", "PID[,PID]", &o->pids,
		  "only these processes and their descendants" },
		{ OPTION_FLAG | OPTION_EVERYDAY, 0, "follow", NULL, &o->follow,
		  "only the command and its descendants" },
		{ OPTION_FLAG, 'a', "all-cpus", NULL, &o->all_cpus,
		  "the whole system (default)" },
		{ OPTION_POSITIVE_DURATION, 0, "duration", "TIME", &o->duration_ns,
		  "stop after TIME: 10, 1.5s, 500ms, 2m" },
		{ OPTION_GROUP, .help = "How" },
		{ OPTION_STRING, 0, "stack", "page|all|none", &o->stack,
		  "callchains of page allocations (default), all, none",
		  recorder_stacks },
		{ OPTION_POSITIVE_SIZE, 'b', "buffer-size", "SIZE", &o->buffer_bytes,
		  "ring buffer of each CPU (default: up to 32M)" },
		{ OPTION_POSITIVE, 0, "sample", "N", &o->one_in,
		  "only one in N objects and pages: 2, 4, 8, ..." },
		{ OPTION_STRING, 'o', "output", "FILE", &o->output,
		  "file that the key w writes (default: kmemx-top.dat)" },
		{ OPTION_FLAG, 0, "sites", NULL, &o->sites,
		  "a row per address in a function: function+0x1f" },
		RAW_IP_OPTION(o->raw_ip),
		RAW_NAMES_OPTION(o->raw_names),
		SKIP_OPTION(o->skip),
		{ OPTION_FLAG | OPTION_EVERYDAY, 0, "batch", NULL, &o->batch,
		  "a table per interval, no screen (as in a pipe)" },
		{ OPTION_FLAG | OPTION_EVERYDAY, 0, "json", NULL, &o->json,
		  "a JSON document per interval; implies --batch" },
		{ OPTION_STRING | OPTION_EVERYDAY, 0, "openmetrics", "FILE", &o->metrics,
		  "metrics for node_exporter; no screen, no table" },
		{ OPTION_FLAG, 0, "human", NULL, &o->form.human,
		  "KiB and MiB instead of exact bytes" },
		{ OPTION_FLAG, 0, "wide", NULL, &o->form.wide,
		  "all columns, however narrow the terminal is" },
		{ OPTION_STRING, 0, "color", "WHEN", &o->form.color,
		  "auto, always, never", output_colors },
		QUIET_OPTION(o->quiet),
		VERBOSE_OPTION(o->verbose),
		OPTIONS_END,
	};

	fill_words(by, keys);
	return options_parse(&command_top, options, argc, argv, operands);
}

static int usage_error(const char *text)
{
	message_text(command_name, text);
	return EXIT_USAGE;
}

static int choose_by(struct top *top, const char *const *words, enum subject_kind *by)
{
	int i = top->opts.by ? option_choose("--by", subjects_usual_word(top->opts.by),
					     words, command_name)
			     : 0;

	if (i < 0)
		return EXIT_USAGE;
	grouping_word((unsigned int)i, by);
	if (!top->opts.of[MEMORY_PAGE] && top->opts.of[MEMORY_SLAB] &&
	    !grouping_has(MEMORY_SLAB, *by))
		return usage_error("--by order needs pages: leave out --slab");
	if (!top->opts.of[MEMORY_SLAB] && top->opts.of[MEMORY_PAGE] &&
	    !grouping_has(MEMORY_PAGE, *by))
		return message_fail(EXIT_USAGE, command_name,
				    "--by %s needs slab objects: leave out --page",
				    words[i]);
	return GO_ON;
}

static int choose_sort(struct top *top, const char *const *words)
{
	if (top->opts.sort && sort_keys_parse(&top->keys, top->opts.sort))
		return usage_error("--sort takes up to 16 keys with commas between them");
	for (size_t i = 0; i < top->keys.nr; i++) {
		if (option_choose("--sort", top->keys.keys[i].name, words, command_name) <
		    0)
			return EXIT_USAGE;
	}
	top->view.sort = top->keys.keys;
	top->view.nr_sort = top->keys.nr;
	return GO_ON;
}

/* Can the metrics file be written? */
static int check_metrics(const char *path)
{
	const char *name;
	int fd __auto_fd = path ? new_file_dir(path, &name) : -1;
	struct stat st;

	if (fd >= 0 && !fstatat(fd, name, &st, AT_SYMLINK_NOFOLLOW) &&
	    !S_ISREG(st.st_mode))
		return message_fail(
			EXIT_FAILED, command_name,
			"cannot write %s: not a regular file, and each interval replaces it",
			path);
	if (!path || fd >= 0)
		return GO_ON;
	return message_fail(EXIT_FAILED, command_name, "cannot write %s: %s", path,
			    strerror(-fd));
}

static int choose(struct top *top, struct capture_options *c, enum subject_kind *by)
{
	const char *groups[WORDS_MAX], *keys[WORDS_MAX];
	struct top_options *o = &top->opts;
	int ret;

	fill_words(groups, keys);
	ret = choose_by(top, groups, by);
	ret = ret ?: choose_sort(top, keys);
	ret = ret ?: output_check(&o->form, command_name);
	ret = ret ?: recorder_stack(command_name, o->stack, &c->events.stack);
	if (ret != GO_ON)
		return ret;
	if (o->follow && !c->argv)
		return usage_error(
			"--follow needs a command\n  Try: kmemx top --follow -- COMMAND, or -p PID");
	if (o->all_cpus && (o->follow || o->pids.count))
		return usage_error("--all-cpus cannot be used with --follow or --pid");
	if (o->interval_ns < INTERVAL_MIN_NS)
		return usage_error("--delay: at least 100ms");
	if (o->one_in && !sample_possible(o->one_in))
		return usage_error("--sample takes a power of two from 2 to 256");
	ret = check_metrics(o->metrics);
	if (ret != GO_ON)
		return ret;
	recorder_kinds(o->of, &c->events);
	c->events.one_in = (uint32_t)o->one_in;
	c->follow = o->follow;
	c->buffer_bytes = o->buffer_bytes;
	c->duration_ns = o->duration_ns;
	/* These rows need callchains. */
	if ((*by == SUBJECT_STACK || *by == SUBJECT_ENTRY) && !o->stack)
		c->events.stack = CAPTURE_STACK_ALL;
	o->form.json = o->json;
	o->silent = o->metrics && !o->batch && !o->json;
	o->batch |=
		o->metrics || o->json || !isatty(STDOUT_FILENO) || !isatty(STDIN_FILENO);
	if (!o->batch && !top_screen_built())
		return usage_error(
			"this kmemx was built without ncurses: there is no screen\n  Use --batch, or build it with libncursesw (libncurses-dev)");
	top->view.lines = o->lines == OPTION_ROWS_ALL ? 0 : o->lines;
	if (!o->lines && o->batch && !o->json)
		top->view.lines = BATCH_LINES;
	return recorder_pids(command_name, &o->pids, (pid_t **)&c->pids, &c->nr_pids);
}

/* --- while it runs ------------------------------------------------------------------------- */

static bool print_report(struct top *top)
{
	struct report *r = top_make_report(top);
	int ret;

	if (!r)
		return true;
	if (top->shown > 1 && !top->opts.json)
		fputs("\n", stdout);
	ret = output_report(&top->opts.form, command_name, r, render_text);
	report_free(r);
	if (ret != EXIT_OK)
		top->exit_code = ret;
	/* The reader may have closed the pipe. */
	return ret != EXIT_OK || fflush(stdout);
}

/* Ends the interval. Returns true if kmemx should stop. */
static bool step(struct top *top, uint64_t until)
{
	uint64_t cpu = clock_ns(CLOCK_PROCESS_CPUTIME_ID);

	top->view.step_ns = until - top->step_at;
	top->view.cpu_ns = cpu - top->cpu_at;
	if (top_fail(top, monitor_step(&top->monitor, top->view.step_ns)))
		return true;
	top->step_at = until;
	top->cpu_at = cpu;
	top->shown++;
	if (top->opts.metrics)
		top_write_metrics(top);
	if (!top->screen && !top->opts.silent && print_report(top))
		return true;
	if (top->screen && !top->frozen)
		top_screen_draw(top->screen);
	return top->opts.count && top->shown >= top->opts.count;
}

static int on_begin(void *ctx, struct session *s, int fd)
{
	const struct event_choice *events = &s->opts->events;
	struct top *top = ctx;
	const struct monitor_options opts = {
		.by = top->monitor.opts.by,
		.of = { [MEMORY_SLAB] = events->slab,
			[MEMORY_PAGE] = events->page,
			[MEMORY_VMALLOC] = events->vmalloc,
			[MEMORY_PERCPU] = events->percpu_memory },
		.raw_ip = top->opts.raw_ip,
		.raw_names = top->opts.raw_names,
		.sites = top->opts.sites,
		.proc = !s->facts.no_proc,
		.opens = !top->opts.batch,
		.slab_stacks = events->stack == CAPTURE_STACK_ALL,
		.skip = top->opts.skip.items,
		.nr_skip = top->opts.skip.count,
		.log = &top->log
	};
	int ret;

	top->session = s;
	ret = monitor_begin(&top->monitor, &opts, fd);
	if (ret == -EINVAL && top->monitor.study.failure.part == STUDY_RULE)
		message_error(command_name, "--skip-func: %s",
			      strbuf_text(&top->monitor.study.failure.text));
	return ret;
}

static int on_pages(void *ctx, uint32_t cpu, const void *pages, size_t size)
{
	struct top *top = ctx;

	return monitor_pages(&top->monitor, cpu, pages, size);
}

static void on_started(void *ctx, size_t nr_tasks, const char *stacks_how)
{
	struct top *top = ctx;

	(void)nr_tasks;
	top->begin = top->step_at = clock_ns(CLOCK_MONOTONIC);
	top->cpu_at = clock_ns(CLOCK_PROCESS_CPUTIME_ID);
	top->begun = true;
	if (top_fail(top, monitor_list(&top->monitor)) || top->opts.batch)
		return;
	top->screen = top_screen_open(top);
	if (top->screen) {
		top_screen_draw(top->screen);
		return;
	}
	message_error(command_name,
		      "cannot show a screen on this terminal (TERM=%s)\n  Use --batch",
		      getenv("TERM") ? getenv("TERM") : "");
	top->exit_code = EXIT_FAILED;
}

static bool on_round(void *ctx, uint64_t until)
{
	struct top *top = ctx;
	bool last = until == UINT64_MAX;

	if (!top->begun || top->exit_code ||
	    top_fail(top, monitor_round(&top->monitor, until)))
		return true;
	/* Rates use the monotonic time between two reports, whatever clock the events have. */
	until = clock_ns(CLOCK_MONOTONIC);
	/* Call it without input, too: the terminal may have changed its size. */
	if (!last && top->screen && top_screen_keys(top->screen))
		return true;
	if (last && top->opts.count && top->shown >= top->opts.count)
		return true;
	/* Rounds may be a little early or late: allow half a round. */
	if (!last && until - top->step_at + top->round_ns / 2 < top->opts.interval_ns)
		return false;
	if (last && top->write_fd >= 0 && top_write_end(top))
		log_msg(&top->log, LOG_ERROR, "%s breaks off: it could not be written",
			top->path);
	return until > top->step_at && step(top, until);
}

static bool on_input(void *ctx)
{
	struct top *top = ctx;

	return !top->screen || top_screen_keys(top->screen);
}

/* --- running ----------------------------------------------------------------------------- */

static int finish(struct top *top, const struct capture_options *c,
		  struct capture_result *result, int err)
{
	bool running;
	int status;

	if (!err && result->exec_errno == ENOENT)
		message_error(command_name, "command not found: %s", c->argv[0]);
	else if (!err && result->exec_errno)
		message_error(command_name, "cannot execute %s: %s", c->argv[0],
			      strerror(result->exec_errno));
	running = !err && !result->exec_errno &&
		  recorder_command_runs(result, top->opts.quiet);
	status = capture_wait(c, result);
	if (result->exec_errno)
		return recorder_exec_code(result);
	if (err || top->exit_code)
		return err ? EXIT_FAILED : top->exit_code;
	if (top->metrics_err)
		return EXIT_FAILED;
	return running && result->timed_out ? EXIT_OK : status;
}

static int record(struct top *top, const struct capture_options *opts)
{
	const uint64_t interval = top->opts.interval_ns;
	struct capture_live live = {
		.begin = on_begin,
		.pages = on_pages,
		.round = on_round,
		.input = on_input,
		.input_fd = top->opts.batch ? -1 : STDIN_FILENO,
		.mute = !top->opts.batch,
		.ctx = top,
	};
	struct capture_result result = { 0 };
	struct capture_options c = *opts;
	int ret;

	top->round_ns = interval / ((interval + ROUND_NS - 1) / ROUND_NS);
	live.round_ms = (unsigned int)(top->round_ns / 1000000);
	c.live = &live;
	c.started = on_started;
	c.ctx = top;
	ret = capture_run(&c, &result);
	top_screen_close(top->screen);
	message_print_log(&top->messages);
	strbuf_free(&top->messages);
	return finish(top, &c, &result, ret);
}

static int run(struct top *top, const struct capture_options *opts)
{
	struct capture_options c = *opts;
	struct message_log log_state = { .command = command_name,
					 .verbose = top->opts.verbose,
					 .quiet = top->opts.quiet,
					 /* Do not print messages on the screen. */
					 .to = top->opts.batch ? NULL : &top->messages };
	sigset_t before;
	int ret;

	top->log = message_log(&log_state);
	c.log = &top->log;
	c.stop_fd = signals_block(&before);
	if (c.stop_fd < 0)
		return message_fail(EXIT_FAILED, command_name,
				    "cannot watch for signals: %s", strerror(errno));
	c.child_sigmask = &before;
	ret = record(top, &c);
	monitor_end(&top->monitor);
	message_log_end(&log_state);
	close(c.stop_fd);
	signals_unblock(&before);
	return ret;
}

static int run_top(int argc, char **argv)
{
	struct top top = { .opts = { .interval_ns = 1000000000 }, .write_fd = -1 };
	struct capture_options c = { .stream_fd = -1, .file_version = 7 };
	struct strbuf __auto_free line = { 0 };
	int operands = argc, ret;

	ret = parse(&top.opts, argc, argv, &operands);
	c.argv = operands < argc ? argv + operands : NULL;
	if (ret == GO_ON && input_command_tell(command_name, c.argv))
		ret = EXIT_USAGE;
	ret = ret ?: choose(&top, &c, &top.monitor.opts.by);
	if (ret == GO_ON) {
		options_command_line(&line, argc, argv, NULL);
		c.command_line = strbuf_text(&line);
		ret = run(&top, &c);
	}
	sort_keys_free(&top.keys);
	free(top.opts.pids.items);
	free(top.opts.skip.items);
	free((void *)c.pids);
	return ret;
}

const struct command command_top = {
	command_name,
	"show live who allocates",
	COMMAND_LOOK,
	run_top,
	.seldom = true,
	.runs_command = true,
	.about = "Show live who allocates kernel memory.",
	.usage = "kmemx top [options] [-- COMMAND [ARG]...]",
	.examples = "  sudo kmemx top\n"
		    "  sudo kmemx top --batch -n 3 -d 2 --by cache\n",
	.unfiltered = { "top chooses tasks only: -p, --follow",
			"Record, and filter then: kmemx record, kmemx stat" },
	.stop_at_operand = true,
};

// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * cmd: kmemx record.
 * In: options and a command. Out: a recording, its summary on stderr, the command's status.
 */
#include <signal.h>
#include <unistd.h>

#include "base/io.h"
#include "base/safe_text.h"
#include "base/strbuf.h"
#include "capture/events/events.h"
#include "capture/session/capture.h"
#include "cmd/input/input.h"
#include "cmd/options/message.h"
#include "cmd/options/options.h"
#include "cmd/options/signals.h"
#include "cmd/record/recorder.h"
#include "recording/sample.h"
#include "recording/writer.h"

#define DEFAULT_OUTPUT "kmemx.dat"

/* Of --repeat. */
#define RUNS_MAX  999
/* Of --label. */
#define KEY_MAX	  64
#define VALUE_MAX 1024

/* Options that are not copied to struct capture_options unchanged. Strings point into argv. */
struct record_options {
	struct option_strings pids;
	bool of[MEMORY_KINDS], all_events, all_cpus;
	struct option_strings events, labels;
	struct strbuf label_text;
	const char *stack, *user_stack;
	struct record_filters filters;
	struct record_flight flight;
	uint64_t file_version, repeat;
	uint64_t one_in, stacks_one_in;
	bool probes, no_probes, quiet;
	unsigned int verbose;
};

static bool has_control(const char *text)
{
	for (; *text; text++)
		if ((unsigned char)*text < ' ' || *text == 0x7f)
			return true;
	return false;
}

/* The length of a label's key: characters that SQL and file names take without quotes. */
static size_t key_size(const char *label)
{
	return strspn(
		label,
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.-");
}

/* Does an earlier label have the same key as label @i? */
static bool is_repeated(const struct option_strings *labels, size_t i, size_t size)
{
	return ANY(j, i, !strncmp(labels->items[j], labels->items[i], size + 1));
}

/* Appends the labels, one per line. GO_ON, or an exit code after a message. */
static int parse_labels(const struct option_strings *labels, struct strbuf *out)
{
	for (size_t i = 0; i < labels->count; i++) {
		const char *label = labels->items[i];
		size_t size = key_size(label);

		if (!size || size > KEY_MAX || label[size] != '=' ||
		    strlen(label + size + 1) > VALUE_MAX || has_control(label))
			return message_fail(
				EXIT_USAGE, "record",
				"--label takes key=value, not '%s'\n  The key has letters, digits and _ . -; for example --label rack=a12",
				label);
		if (is_repeated(labels, i, size))
			return message_fail(EXIT_USAGE, "record",
					    "--label %.*s is given twice", (int)size,
					    label);
		strbuf_puts(out, label);
		strbuf_puts(out, "\n");
	}
	return out->failed ? message_no_memory("record") : GO_ON;
}

/* The kernel's trace clocks, from kernel/trace/trace.c. */
static const char *const clocks[] = { "local", "global",  "counter",  "uptime",
				      "perf",  "mono",	  "mono_raw", "boot",
				      "tai",   "x86-tsc", "ppc-tb",   NULL };
static const char *const user_stacks[] = { "page", "all", NULL };
static int parse(struct record_options *o, struct capture_options *c, int argc,
		 char **argv, int *operands)
{
	int ret;
	const struct option_entry options[] = {
		{ OPTION_GROUP, .help = "What" },
		RECORDER_KIND_OPTIONS(o->of),
		{ OPTION_FLAG, 0, "entry", NULL, &c->events.calls,
		  "also system calls: kmemx stat --by entry" },
		{ OPTION_FLAG, 0, "frag", NULL, &c->events.frag,
		  "also what kmemx frag shows: fallbacks" },
		{ OPTION_FLAG, 0, "percpu", NULL, &c->events.percpu,
		  "also what kmemx percpu shows: lists of CPUs" },
		{ OPTION_FLAG, 0, "all-events", NULL, &o->all_events,
		  "slab and page events, and all of these" },
		{ OPTION_STRINGS | OPTION_EVERYDAY, 'e', "event", "EVENT", &o->events,
		  "record EVENT too: [SYSTEM:]NAME, may be a pattern" },
		{ OPTION_STRING | OPTION_EVERYDAY, 0, "stack", "page|all|none", &o->stack,
		  "callchains of page allocations (default), all, none",
		  recorder_stacks },
		{ OPTION_OPTIONAL, 0, "user-stack", "page|all", &o->user_stack,
		  "also the program's frames in these callchains", user_stacks },
		{ OPTION_SIZE, 0, "min-bytes", "SIZE", &o->filters.min_bytes,
		  "only allocations of at least SIZE" },
		{ OPTION_POSITIVE, 0, "min-order", "N", &o->filters.min_order,
		  "page allocations: only those of order N or more" },
		{ OPTION_STRINGS, 0, "cache", "NAME", &o->filters.caches,
		  "only objects of this slab cache; may be a pattern" },
		{ OPTION_STRINGS, 0, "gfp", "FLAG[,FLAG]", &o->filters.gfp,
		  "only allocations with all of these GFP flags" },
		{ OPTION_STRINGS, 0, "comm", "NAME", &o->filters.comms,
		  "only allocations of tasks of this name" },
		{ OPTION_POSITIVE, 0, "sample", "N", &o->one_in,
		  "only one in N objects and pages: 2, 4, 8, ..." },
		{ OPTION_POSITIVE, 0, "stack-sample", "N", &o->stacks_one_in,
		  "also callchains of one in N slab objects" },
		{ OPTION_STRING, 0, "filter", "EXPR", &c->events.filter,
		  "a kernel event filter; all frees are kept" },
		{ OPTION_FLAG, 0, "filter-frees", NULL, &c->events.filter_frees,
		  "filter frees too: what is live is then unknown" },
		{ OPTION_GROUP, .help = "Which tasks, and how long" },
		{ OPTION_STRINGS | OPTION_EVERYDAY, 'p', "pid", "PID[,PID]", &o->pids,
		  "only these processes and their descendants" },
		{ OPTION_FLAG | OPTION_EVERYDAY, 0, "follow", NULL, &c->follow,
		  "only the command and its descendants" },
		{ OPTION_STRING, 0, "cgroup", "PATH", &o->filters.cgroup,
		  "only the processes of this control group" },
		{ OPTION_FLAG, 'a', "all-cpus", NULL, &o->all_cpus,
		  "the whole system (default)" },
		{ OPTION_POSITIVE_DURATION | OPTION_EVERYDAY, 0, "duration", "TIME",
		  &c->duration_ns, "stop after TIME: 10, 1.5s, 500ms, 2m" },
		{ OPTION_POSITIVE | OPTION_EVERYDAY, 0, "repeat", "N", &o->repeat,
		  "run the command N times; -o names a directory" },
		{ OPTION_GROUP, .help = "Flight recorder" },
		{ OPTION_OPTIONAL | OPTION_EVERYDAY, 0, "flight", "SIZE|TIME",
		  &o->flight.memory, "save the last events when something happens" },
		{ OPTION_STRINGS | OPTION_EVERYDAY, 0, "on", "CAUSE", &o->flight.on,
		  "oom, failure, order=N, pressure, sunreclaim=SIZE, ...",
		  record_flight_causes },
		{ OPTION_POSITIVE, 0, "keep", "N", &o->flight.options.keep,
		  "keep the last N files (default: 10)" },
		{ OPTION_DURATION, 0, "again", "TIME", &o->flight.options.again_ns,
		  "ignore the same cause for TIME (default: 1m)" },
		{ OPTION_FLAG, 0, "once", NULL, &o->flight.options.once,
		  "end after one file" },
		{ OPTION_GROUP, .help = "How" },
		{ OPTION_STRING | OPTION_EVERYDAY, 'o', "output", "FILE", &c->output,
		  "file to write (default: " DEFAULT_OUTPUT "); -: stdout" },
		{ OPTION_POSITIVE_SIZE | OPTION_EVERYDAY, 'b', "buffer-size", "SIZE",
		  &c->buffer_bytes, "ring buffer of each CPU (default: up to 32M)" },
		{ OPTION_STRINGS, 0, "label", "KEY=VALUE", &o->labels,
		  "a label to tell many recordings apart" },
		{ OPTION_STRING, 0, "clock", "NAME", &c->clock,
		  "trace clock (default: " CAPTURE_DEFAULT_CLOCK ")", clocks },
		{ OPTION_UINT, 0, "file-version", "6|7", &o->file_version,
		  "trace.dat version (default: 7)" },
		{ OPTION_FLAG | OPTION_EVERYDAY, 'z', "compress", NULL, &c->compress,
		  "compress the file with zstd after recording" },
		{ OPTION_FLAG, 0, "exact-ledger", NULL, &c->exact_ledger,
		  "shrink slab caches at both ends, record kmemx too" },
		{ OPTION_FLAG, 0, "opening", NULL, &c->opening,
		  "read long lists of owners and uses of memory, too" },
		{ OPTION_FLAG, 0, "no-probes", NULL, &o->no_probes,
		  "no probes for what has no event (RCU, in bulk)" },
		{ OPTION_FLAG, 0, "probes", NULL, &o->probes,
		  "say which probes are not possible" },
		QUIET_OPTION(o->quiet),
		{ OPTION_COUNT, 'v', "verbose", NULL, &o->verbose,
		  "more messages; twice: even more" },
		OPTIONS_END,
	};

	ret = options_parse(&command_record, options, argc, argv, operands);
	if (o->all_events) {
		memset(o->of, true, sizeof(o->of));
		c->events.frag = c->events.percpu = true;
	}
	return ret ?: parse_labels(&o->labels, &o->label_text);
}

static void free_options(struct record_options *o)
{
	free(o->pids.items);
	free(o->events.items);
	free(o->labels.items);
	strbuf_free(&o->label_text);
}

/* --- from words to struct capture_options ------------------------------------------------ */

static int set_samples(const struct record_options *o, struct capture_options *c)
{
	if ((o->one_in && !sample_possible(o->one_in)) ||
	    (o->stacks_one_in && !sample_possible(o->stacks_one_in)))
		return recorder_usage_error(
			"--sample and --stack-sample take a power of two from 2 to 256");
	if (o->one_in && c->events.percpu)
		return recorder_usage_error(
			"--sample cannot be used with --percpu, which needs all page events");
	if (o->one_in && c->exact_ledger)
		return recorder_usage_error(
			"--exact-ledger needs all events: leave out --sample");
	if (o->stacks_one_in &&
	    (!c->events.slab || c->events.stack != CAPTURE_STACK_PAGE))
		return recorder_usage_error(
			"--stack-sample needs slab events, and --stack page");
	c->events.one_in = (uint32_t)o->one_in;
	c->events.stacks_one_in = (uint32_t)o->stacks_one_in;
	return GO_ON;
}

/* User frames are recorded only together with kernel callchains: one callchain has both. */
static int set_user_stack(const struct record_options *o, struct capture_options *c)
{
	const char *which = o->user_stack ? o->user_stack : "";
	const bool all = !strcmp(which, "all");

	if (!o->user_stack)
		return GO_ON;
	if (*which && !all && strcmp(which, "page") != 0)
		return recorder_usage_error(
			"--user-stack takes page (the default) or all\n  page: in callchains of page allocations; all: in those of every event");
	if (all && !o->stack)
		c->events.stack = CAPTURE_STACK_ALL;
	if (c->events.stack == CAPTURE_STACK_NONE ||
	    (all && c->events.stack != CAPTURE_STACK_ALL))
		return recorder_usage_error(
			"--user-stack adds to the callchains of --stack: use the same word there, or leave it out");
	if (o->flight.memory || c->stream_fd >= 0)
		return recorder_usage_error(
			"--user-stack cannot be used with --flight or -o -: functions get their names when the recording ends");
	c->events.user_stack = true;
	return GO_ON;
}

static int set_probes(const struct record_options *o, struct capture_options *c)
{
	if (o->probes && o->no_probes)
		return recorder_usage_error("--probes cannot be used with --no-probes");
	if (o->probes && (!c->events.slab || c->events.filter_frees || o->one_in))
		return recorder_usage_error(
			"--probes needs all frees of slab objects: leave out --page, --filter-frees and --sample");
	c->probes = o->probes	   ? PROBES_ASKED
		    : o->no_probes ? PROBES_NONE
				   : PROBES_IF_POSSIBLE;
	return GO_ON;
}

static int set_rest(const struct record_options *o, struct capture_options *c)
{
	if (o->file_version != 6 && o->file_version != 7)
		return recorder_usage_error("--file-version takes 6 or 7");
	c->stream_fd = strcmp(c->output, "-") == 0 ? STDOUT_FILENO : -1;
	if (c->stream_fd >= 0 && isatty(c->stream_fd))
		return recorder_usage_error(
			"cannot write a recording to a terminal\n  Pipe it: kmemx record -o - | kmemx stat -i -    or name a file: -o FILE");
	if (o->repeat && o->flight.memory)
		return recorder_usage_error("--repeat cannot be used with --flight");
	if (o->repeat && (!c->argv || o->repeat > RUNS_MAX ||
			  !strcmp(c->output, DEFAULT_OUTPUT) || !strcmp(c->output, "-")))
		return recorder_usage_error(
			"--repeat needs 1 to 999 runs, a command and a directory\n  Try: kmemx record --repeat 10 -o runs/ -- COMMAND");
	if (c->follow && !c->argv)
		return recorder_usage_error(
			"--follow needs a command\n  Try: kmemx record --follow -- COMMAND, or -p PID");
	if (c->events.filter_frees && !c->events.filter && !c->follow && !o->pids.count &&
	    !record_filters_any(&o->filters))
		return recorder_usage_error(
			"--filter-frees needs an option that selects allocations, such as --filter, --comm or -p");
	if (o->all_cpus && (c->follow || o->pids.count || o->filters.cgroup))
		return recorder_usage_error(
			"--all-cpus cannot be used with --follow, --pid or --cgroup");
	if (c->compress && !writer_can_compress())
		return recorder_usage_error(
			"--compress needs zstd, which this kmemx was built without\n  Compress the file afterwards, or build kmemx with libzstd");
	if (c->compress && c->stream_fd >= 0)
		return recorder_usage_error(
			"--compress cannot be used with -o -\n  Compress the stream: kmemx record -o - | zstd >FILE");
	if (c->compress && o->file_version == 6)
		return recorder_usage_error(
			"--compress needs --file-version 7: version 6 has no compression");
	c->labels = strbuf_text(&o->label_text);
	recorder_kinds(o->of, &c->events);
	c->events.extra = o->events.items;
	c->events.nr_extra = o->events.count;
	c->file_version = (unsigned int)o->file_version;
	if (recorder_stack("record", o->stack, &c->events.stack) != GO_ON ||
	    set_user_stack(o, c) != GO_ON)
		return EXIT_USAGE;
	return set_probes(o, c) == GO_ON ? set_samples(o, c) : EXIT_USAGE;
}

/* --- what the user sees ------------------------------------------------------------------ */

/* The context of capture's callbacks. */
struct record_say {
	const struct capture_options *c;
	struct live_line line;
};

static void show_progress(void *ctx, const struct capture_progress *so_far)
{
	struct record_say *say = ctx;

	live_line_show(&say->line, so_far);
}

static void say_started(void *ctx, size_t nr_tasks, const char *stacks_how)
{
	const struct record_say *say = ctx;
	const struct capture_options *c = say->c;
	const char *what = c->events.slab && c->events.page ? "slab and page"
			   : c->events.slab		    ? "slab"
			   : c->events.page		    ? "page"
			   : c->events.vmalloc		    ? "vmalloc"
							    : "per-CPU memory";
	struct strbuf __auto_free whom = { 0 };

	/* Do not count tasks if only the command is traced: it is one. */
	if (c->nr_pids || c->cgroup)
		strbuf_printf(&whom, "%zu task%s: ", nr_tasks, nr_tasks == 1 ? "" : "s");
	if (c->follow)
		strbuf_puts(&whom, "the command and its descendants");
	if (c->follow && (c->nr_pids || c->cgroup))
		strbuf_puts(&whom, ", ");
	if (c->nr_pids)
		strbuf_printf(&whom, "%zu process%s with descendants and threads",
			      c->nr_pids, c->nr_pids == 1 ? "" : "es");
	if (c->cgroup)
		strbuf_printf(&whom, "%sthe control group %s", c->nr_pids ? ", " : "",
			      c->cgroup);
	if (!whom.size)
		strbuf_puts(&whom, "the whole system");
	message_info("recording %s events of %s%s. Ctrl-C stops.", what,
		     strbuf_text(&whom), recorder_callchains(stacks_how));
}

/* @next: also print what to do with the recording. */
static void say_summary(const struct capture_options *c, const struct capture_result *r,
			bool next)
{
	struct strbuf __auto_free lost = { 0 };
	bool named = strcmp(c->output, DEFAULT_OUTPUT) != 0;
	char bytes[32], time[32];

	recorder_format_time(time, sizeof(time), r->duration_ns);
	recorder_format_bytes(bytes, sizeof(bytes), r->file_bytes);
	recorder_format_losses(&lost, r);
	message_info("%" PRIu64 " event%s in %s, %s, %s -> %s", r->events,
		     plural(r->events), time, bytes, strbuf_text(&lost),
		     c->stream_fd >= 0 ? "standard output" : c->output);
	if (r->overrun || r->dropped)
		message_info(
			"to lose fewer events: a larger buffer (-b), fewer events (--slab, --page), --stack none");
	if (next && c->stream_fd < 0 && r->wanted && !r->write_error)
		message_info("next: kmemx summary%s%s", named ? " -i " : "",
			     named ? SHELL_NAME(c->output) : "");
}

/* At most frees by all tasks were recorded: an error, as there is nothing to report. */
static void say_nothing_recorded(const struct capture_options *c,
				 const struct capture_result *r)
{
	const char *what = r->events ? "only frees by all tasks were recorded"
				     : "nothing was recorded";
	const char *of = c->nr_pids ? "-p" : "--cgroup";

	/* The texts are in the formats: newlines in arguments would be escaped. */
	if (c->nr_pids || c->cgroup)
		message_error(
			"record",
			"%s: the processes of %s allocated nothing\n  Are they idle? Record for longer, or the whole system: leave out %s",
			what, of, of);
	else if (c->events.filter || event_criteria_any(&c->events.criteria))
		message_error(
			"record",
			"%s: no %s passed the filter\n  Use a wider filter, or record without %s",
			what, r->events ? "allocation" : "event",
			c->events.filter ? "--filter" : "it");
	else
		message_error(
			"record",
			"nothing was recorded: no event occurred\n  Record for longer, or other events: --slab, --page, -e");
}

static void say_cut_short(const struct capture_options *c, const struct capture_result *r)
{
	int err = r->write_error;

	if (!r->events)
		message_error(
			"record",
			"nothing was recorded: the first event could not be written: %s\n  Make room there, or use -o FILE",
			strerror(err));
	else if (c->stream_fd >= 0)
		message_error(
			"record",
			"the stream was cut short: %s\n  The reader received everything sent so far",
			strerror(err));
	else
		message_error(
			"record",
			"the recording was cut short: %s\n  %s holds the events read so far and is marked as truncated. Make room there, or use -o FILE.",
			strerror(err), c->output);
}

/* --- running ----------------------------------------------------------------------------- */

/* @alone: the recording is not one of --repeat. @stopped: set if a signal ended the recording. */
static int record(const struct capture_options *c, bool quiet, bool alone, bool *stopped)
{
	struct capture_result result = { 0 };
	struct record_say *say = c->ctx;
	bool running;
	int status, ret;

	/* Do not mix the line with the command's output on the terminal. */
	live_line_start(&say->line, !quiet && (!c->argv || !isatty(STDOUT_FILENO)));
	ret = capture_run(c, &result);
	live_line_end(&say->line);
	if (ret == 0 && result.exec_errno) {
		recorder_say_exec_failure(c->argv[0], result.exec_errno);
		capture_wait(c, &result);
		return recorder_exec_code(&result);
	}
	if (ret == 0 && result.write_error)
		say_cut_short(c, &result);
	if (ret == 0 && !quiet)
		say_summary(c, &result, alone);
	if (ret == 0 && result.read_error)
		recorder_say_unread("record", &result);
	running = ret == 0 && recorder_command_runs(&result, quiet);
	status = capture_wait(c, &result);
	*stopped = result.stop_signal;
	if (ret || result.write_error || result.read_error || result.cut_bytes)
		return EXIT_FAILED;
	if (!result.wanted && !status) {
		say_nothing_recorded(c, &result);
		return EXIT_FAILED;
	}
	return running && result.timed_out ? EXIT_OK : status;
}

/* Rejects a directory with recordings: a comparison would mix older runs with the new ones. */
static int check_empty(const char *directory)
{
	DIR *dir __auto_dir = opendir(directory);
	const struct dirent *entry;

	if (!dir)
		return message_fail(EXIT_FAILED, "record", "cannot open %s: %s",
				    directory, strerror(errno));
	while ((entry = readdir(dir))) {
		if (!text_ends(entry->d_name, ".dat"))
			continue;
		return message_fail(
			EXIT_FAILED, "record",
			"%s already has recordings (%s)\n  Name another directory, or empty it first",
			directory, entry->d_name);
	}
	return GO_ON;
}

/* Runs the command @times times, and records into files of the directory @c->output, which is
 * created if needed. Stops after a run that failed or was stopped, and returns its exit code.
 */
static int repeat(uint64_t times, struct capture_options *c, bool quiet)
{
	const char *directory = c->output;
	bool slash = directory[strlen(directory) - 1] == '/', stopped = false;
	char path[4096];
	int ret;

	ret = recorder_make_directory(directory);
	ret = ret ?: check_empty(directory);
	if (ret != GO_ON)
		return ret;
	for (uint64_t i = 1; i <= times; i++) {
		if (snprintf(path, sizeof(path), "%s%s%03" PRIu64 ".dat", directory,
			     slash ? "" : "/", i) >= (int)sizeof(path))
			return message_fail(EXIT_FAILED, "record", "%s: %s", directory,
					    strerror(ENAMETOOLONG));
		c->output = path;
		ret = record(c, quiet, false, &stopped);
		/* Print it only for the first run: it is the same for all. */
		c->started = NULL;
		if (!ret && !stopped)
			continue;
		message_error("record",
			      "run %" PRIu64 " of %" PRIu64
			      " %s: the remaining runs are skipped",
			      i, times, stopped ? "was stopped" : "failed");
		return ret;
	}
	if (!quiet)
		message_info("%" PRIu64 " run%s in %s; compare: kmemx diff OLD/ %s",
			     times, plural(times), directory, SHELL_NAME(directory));
	return EXIT_OK;
}

static int record_all(struct record_options *o, struct capture_options *c)
{
	bool stopped;

	if (o->flight.memory)
		return record_flight(&o->flight, c, o->quiet);
	return o->repeat ? repeat(o->repeat, c, o->quiet)
			 : record(c, o->quiet, true, &stopped);
}

static int run_record(int argc, char **argv)
{
	struct record_options o = { .file_version = 7,
				    .flight.options = { .keep = 10,
							.again_ns = 60000000000 } };
	struct message_log log_state = { .command = "record" };
	struct capture_options c = { .output = DEFAULT_OUTPUT };
	struct record_say say = { .c = &c };
	struct strbuf __auto_free line = { 0 };
	pid_t *pids = NULL;
	struct log log;
	sigset_t before;
	int operands = argc, ret;

	ret = parse(&o, &c, argc, argv, &operands);
	if (ret != GO_ON)
		goto out;
	c.argv = operands < argc ? argv + operands : NULL;
	ret = input_command_tell("record", c.argv) ? EXIT_USAGE : set_rest(&o, &c);
	if (ret == GO_ON)
		ret = record_filters_set(&o.filters, o.of[MEMORY_PAGE],
					 o.of[MEMORY_VMALLOC] || o.of[MEMORY_PERCPU], &c);
	if (ret == GO_ON)
		ret = record_flight_set(&o.flight, &c,
					strcmp(c.output, DEFAULT_OUTPUT) != 0);
	ret = ret ?: recorder_pids("record", &o.pids, &pids, &c.nr_pids);
	if (ret != GO_ON)
		goto out;
	log_state.verbose = o.verbose;
	log_state.quiet = o.quiet;
	log = live_line_log(&say.line, message_log(&log_state));
	options_command_line(&line, argc, argv, NULL);
	c.stop_fd = signals_block(&before);
	if (c.stop_fd < 0) {
		message_error("record", "cannot watch for signals: %s", strerror(errno));
		ret = EXIT_FAILED;
		goto out;
	}
	c.pids = pids;
	c.command_line = strbuf_text(&line);
	c.child_sigmask = &before;
	c.log = &log;
	c.started = o.quiet ? NULL : say_started;
	c.progress = o.quiet || !isatty(STDERR_FILENO) ? NULL : show_progress;
	c.ctx = &say;
	ret = record_filters_look_up(&o.filters, &c);
	ret = ret ?: record_all(&o, &c);
	message_log_end(&log_state);
	close(c.stop_fd);
	signals_unblock(&before);
out:
	free_options(&o);
	record_filters_free(&o.filters);
	record_flight_free(&o.flight);
	free(pids);
	return ret;
}

const struct command command_record = {
	"record",
	"record allocations while a command runs, or until stopped",
	COMMAND_RECORD,
	run_record,
	.runs_command = true,
	.about = "Record the kernel's slab and page allocations to a file.",
	.usage = "kmemx record [options] [-- COMMAND [ARG]...]",
	.examples = "  sudo kmemx record -- make -j2\n"
		    "  sudo kmemx record --page --duration 10 -o ten-seconds.dat\n",
	.stop_at_operand = true,
};

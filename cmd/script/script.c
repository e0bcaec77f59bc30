// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * cmd: kmemx script.
 * In: a recording. Out: its events, one per line, in time order.
 */
#include <sys/stat.h>
#include <unistd.h>

#include "analysis/filter/alloc_filter.h"
#include "base/safe_text.h"
#include "cmd/input/input.h"
#include "cmd/input/input_dirs.h"
#include "cmd/input/input_symbols.h"
#include "cmd/options/filter_words.h"
#include "cmd/options/lost_limit.h"
#include "cmd/options/message.h"
#include "cmd/options/options.h"
#include "cmd/output/output.h"
#include "cmd/output/text_output.h"
#include "script/script.h"
#include "study/study_facts.h"

/* Events read at a time. */
#define BATCH 128

struct script_args {
	struct study_options study;
	const char *output, *format, *gfp;
	struct filter_words words;
	bool json, stack, ns, raw_ip, no_pager;
	uint64_t lines;
	unsigned int verbose;
	struct script_options look;
};

/* Everything that run() opens and must close. */
struct script_run {
	struct script_args args;
	struct input in;
	struct analysis_env env;
	struct alloc_filter filter;
	struct processes processes; /* if the filter is by control group */
	bool keep_stacks, used;	    /* used: events of the stream were read */
	uint64_t nr_shown;
	int failed;		 /* GO_ON, or the exit code after a message */
	bool unreadable;	 /* more of the file is damaged than not */
	struct text_output file; /* of --output; if closed, standard output */
};

static const char command_name[] = "script";

static const char *const formats[] = { "text", "json", "kmemtrace", "kmemtrace-min",
				       NULL };
static const char *const gfps[] = { "names", "short", "hex", NULL };

static int parse(struct script_args *a, int argc, char **argv)
{
	const struct option_entry options[] = {
		{ OPTION_GROUP, 0, NULL, NULL, NULL, "What to read" },
		INPUT_OPTION(&a->study.path),
		SYMBOL_FILE_OPTIONS(OPTION_STRING, a->study.symbols, ""),
		DEBUG_PLACE_OPTIONS(OPTION_STRING, a->study.places),
		DIR_FILE_OPTIONS(OPTION_STRING, &a->study.dirs),
		{ OPTION_GROUP, 0, NULL, NULL, NULL,
		  "Which events (A,B: any of them; several options: all)" },
		TIME_OPTION(a->study.window),
		INSTANCE_OPTION(a->study.window),
		FILTER_WHO_OPTIONS(a->words, OPTION_EVERYDAY, ", 0xffff..."),
		FILTER_WHAT_OPTIONS(a->words),
		{ OPTION_STRINGS | OPTION_EVERYDAY, 'e', "event", "NAMES",
		  &a->words.events, "events: kmalloc,kmem:kfree,'mm_page_*'" },
		{ OPTION_STRINGS, 0, "ptr", "ADDRS", &a->words.ptrs,
		  "the slab objects at these addresses" },
		{ OPTION_POSITIVE | OPTION_EVERYDAY, 'l', "lines", "N", &a->lines,
		  "only the first N events" },
		{ OPTION_GROUP, 0, NULL, NULL, NULL, "How to show them" },
		{ OPTION_FLAG | OPTION_EVERYDAY, 0, "callchain", NULL, &a->stack,
		  "the callchain under its event" },
		{ OPTION_STRING, 0, "format", "FORMAT", &a->format,
		  "text, json, kmemtrace (the old tracer's), kmemtrace-min", formats },
		{ OPTION_STRING, 0, "gfp-as", "HOW", &a->gfp,
		  "flags as names, short (names), hex", gfps },
		{ OPTION_FLAG, 0, "ns", NULL, &a->ns, "time stamps in nanoseconds" },
		RAW_IP_OPTION(a->raw_ip),
		NO_INLINE_OPTION(a->study.no_inline),
		{ OPTION_FLAG | OPTION_EVERYDAY, 0, "json", NULL, &a->json,
		  "JSON, one object per line" },
		{ OPTION_STRING | OPTION_EVERYDAY, 'o', "output", "FILE", &a->output,
		  "write to FILE instead of standard output" },
		PAGER_OPTION(a->no_pager),
		VERBOSE_OPTION(a->verbose),
		OPTIONS_END,
	};

	return input_parse(&command_script, options, argc, argv, &a->study.path);
}

static int check_look(struct script_args *a)
{
	struct script_options *look = &a->look;
	int format = 0, gfp;

	if (a->format) {
		format = option_choose("--format", a->format, formats, command_name);
		if (format < 0)
			return EXIT_USAGE;
	}
	if (a->json && a->format && format != SCRIPT_JSON)
		return message_fail(EXIT_USAGE, command_name,
				    "--json and --format cannot be used together");
	look->format = a->json ? SCRIPT_JSON : (enum script_format)format;
	gfp = look->format == SCRIPT_KMEMTRACE_MIN ? SCRIPT_GFP_HEX : SCRIPT_GFP_NAMES;
	if (a->gfp) {
		gfp = option_choose("--gfp-as", a->gfp, gfps, command_name);
		if (gfp < 0)
			return EXIT_USAGE;
	}
	if (a->gfp && (look->format == SCRIPT_KMEMTRACE || look->format == SCRIPT_JSON))
		return message_fail(
			EXIT_USAGE, command_name,
			"--gfp-as needs the text or kmemtrace-min format\n  kmemtrace prints a decimal number, JSON the number and the names");
	look->gfp = (enum script_gfp)gfp;
	for (size_t i = 0; i < a->words.gfps.count; i++)
		for (gfp = 0; gfps[gfp]; gfp++)
			if (!strcmp(a->words.gfps.items[i], gfps[gfp]))
				return message_fail(
					EXIT_USAGE, command_name,
					"--gfp chooses events by their flags\n  To show flags in another form: --gfp-as %s",
					gfps[gfp]);
	if (a->stack && look->format >= SCRIPT_KMEMTRACE)
		return message_fail(
			EXIT_USAGE, command_name,
			"--callchain: the kmemtrace formats have no callchains");
	look->stack = a->stack;
	look->ns = a->ns;
	return GO_ON;
}

/* --- reading ----------------------------------------------------------------------------- */

/* Opens the stream, or opens it again to read the events once more. */
static int open_stream(struct script_run *r)
{
	const struct event_stream_options how = { .keep_stacks = r->keep_stacks };
	int ret = input_read(&r->in, &how);

	r->env.stream = r->in.study.stream;
	return ret;
}

/* Show no progress if the output goes to a terminal or a pipe: it would mix with the lines. */
static bool shows_progress(const struct script_run *r)
{
	struct stat st;

	return r->file.fd >= 0 || (!isatty(STDOUT_FILENO) && !fstat(STDOUT_FILENO, &st) &&
				   !S_ISFIFO(st.st_mode) && !S_ISSOCK(st.st_mode));
}

/* Calls @fn for every event that passes the filter. 0, or -errno of @fn; sets @r->failed if the
 * events cannot be read.
 */
static int each_event(struct script_run *r, struct script *s,
		      int (*fn)(struct script_run *r, struct script *s,
				const struct kmem_event *ev))
{
	const uint64_t limit = r->args.lines ? r->args.lines : UINT64_MAX;
	struct kmem_event evs[BATCH];
	uint64_t nr_events = 0, seen = 0, done, total;
	struct progress progress;
	int nr = 0, err = 0;

	progress_start(&progress, "decoding");
	progress.off |= !shows_progress(r);
	while (!err && nr_events < limit &&
	       (nr = event_stream_next_batch(r->in.study.stream, evs, BATCH)) > 0) {
		for (int i = 0; i < nr && !err && nr_events < limit; i++) {
			if (!script_shows(&r->args.look, &evs[i]) ||
			    !alloc_filter_pass(&r->filter, &evs[i]))
				continue;
			nr_events += evs[i].type != KMEM_LOSS;
			err = fn(r, s, &evs[i]);
		}
		seen += (uint64_t)nr;
		if (seen / PROGRESS_INTERVAL == (seen - (uint64_t)nr) / PROGRESS_INTERVAL)
			continue;
		study_progress(&r->in.study, &done, &total);
		progress_show(&progress, done, total, seen);
	}
	progress_end(&progress);
	if (nr < 0)
		r->failed = input_stream_failed(&r->in, nr);
	if (r->filter.failed)
		return -ENOMEM;
	return err;
}

static int learn(struct script_run *r, struct script *s, const struct kmem_event *ev)
{
	script_learn(s, ev);
	return 0;
}

static int print(struct script_run *r, struct script *s, const struct kmem_event *ev)
{
	r->nr_shown += ev->type != KMEM_LOSS;
	return script_print(s, ev);
}

/* --- writing ----------------------------------------------------------------------------- */

/* "# kmemx.dat: Linux 6.1.0 x86_64, 2 CPUs, clock local" */
static void put_banner(const struct script_run *r, struct outbuf *out)
{
	const struct recording *rec = r->in.study.rec;
	const char *clock = recording_clock(rec, r->in.study.window.buffer);
	const struct recording_word release = recording_release(rec),
				    machine = recording_machine(rec);
	struct strbuf __auto_free line = { 0 };

	if (r->args.look.format != SCRIPT_TEXT)
		return;
	strbuf_puts(&line, "# ");
	safe_text_puts(&line, r->in.study.path);
	strbuf_puts(&line, ": Linux ");
	safe_text_puts(&line, *release.text ? release.text : "(unknown)");
	strbuf_puts(&line, *machine.text ? " " : "");
	safe_text_puts(&line, machine.text);
	strbuf_printf(&line, ", %u CPU%s%s", rec->nr_cpus, plural(rec->nr_cpus),
		      *clock ? ", clock " : "");
	safe_text_puts(&line, clock);
	strbuf_puts(&line, "\n");
	outbuf_add(out, strbuf_text(&line), line.size);
}

static void put_comment(struct outbuf *out, const char *lead, const char *text)
{
	outbuf_puts(out, lead);
	outbuf_puts(out, text);
	outbuf_char(out, '\n');
}

/* To print if alloc_filter_unnamed(): other than in a report, frees are shown as well. */
static const char unnamed_caches[] =
	"This kernel's kmem_cache_alloc event does not name the cache: --cache finds allocations only of kmalloc-N, all others as [unnamed], and frees that name their cache";

/* Prints the losses in one line at the end. */
static void put_losses(struct script_run *r, struct outbuf *out)
{
	struct study_facts facts;
	struct strbuf __auto_free text = { 0 };

	study_facts_init(&facts, &r->in.study, r->in.study.window.buffer);
	r->unreadable = study_facts_unreadable(&facts);
	if (r->args.look.format != SCRIPT_JSON && facts.nr_gaps && !r->args.lines) {
		study_facts_lost_text(&facts, &text);
		put_comment(out, "# LOST ", strbuf_text(&text));
	}
	if (r->args.look.format == SCRIPT_TEXT && alloc_filter_unnamed(&r->filter))
		put_comment(out, "# ", unnamed_caches);
	if (r->args.look.format != SCRIPT_JSON && *facts.truncated && !r->args.lines)
		put_comment(out, "# CUT SHORT: ", facts.truncated);
}

/* Called again, for all events, if the pager cannot start. */
static int write_events(const struct render_out *to, const void *arg)
{
	struct script_run *r = *(struct script_run *const *)arg;
	const struct script_env env = { &r->env, &r->filter.callsites, &r->filter.tasks };
	struct outbuf out;
	struct script *s = NULL;
	int err;

	if (r->used && r->failed == GO_ON)
		r->failed = open_stream(r);
	if (r->failed != GO_ON)
		return 0;
	r->used = true;
	r->nr_shown = 0;
	err = outbuf_init(&out, to->write, to->ctx);
	err = err ?: script_new(&s, &env, &r->args.look, &out);
	if (!err && script_learns(&r->args.look)) {
		err = each_event(r, s, learn);
		if (!err && r->failed == GO_ON)
			r->failed = open_stream(r);
	}
	if (!err && r->failed == GO_ON) {
		put_banner(r, &out);
		script_header(s);
		err = each_event(r, s, print);
	}
	if (!err && r->failed == GO_ON) {
		put_losses(r, &out);
		err = outbuf_flush(&out);
	}
	script_free(s);
	outbuf_free(&out);
	return err;
}

static int show(struct script_run *r)
{
	const struct render_out file = { text_output_write, &r->file };
	bool pager = !r->args.no_pager && r->args.look.format != SCRIPT_JSON;
	int err, ret;

	if (r->file.fd < 0) {
		ret = output_write(command_name, write_events, &r, pager);
		return r->failed == GO_ON ? ret : r->failed;
	}
	err = write_events(&file, &r);
	if (r->failed != GO_ON)
		return r->failed;
	return text_output_end(&r->file, err, r->args.output, command_name);
}

static int nothing_shown(const struct script_run *r)
{
	bool unnamed = alloc_filter_unnamed(&r->filter);
	struct strbuf __auto_free given = { 0 };

	if (!event_stream_stats(r->in.study.stream)->nr_events)
		return message_fail(
			EXIT_FAILED, command_name,
			"%s contains no events%s\n  %s kmemx info -i %s",
			r->in.study.path,
			r->args.study.window.time ? " in that time" : "",
			"Show its span and its events:", SHELL_NAME(r->in.study.path));
	filter_words_text(&r->args.words, &given);
	return message_fail(EXIT_FAILED, command_name,
			    "%s has no events that match %s\n  %s%s", r->in.study.path,
			    given.size ? strbuf_text(&given) : "this format",
			    unnamed ? unnamed_caches : "List its events: kmemx info -i ",
			    unnamed ? "" : SHELL_NAME(r->in.study.path));
}

/* Are kernel_stack events asked for by name? */
static bool wants_stacks(const struct alloc_filter *filter,
			 const struct event_formats *fmts)
{
	for_each(fmt, fmts->list, fmts->count) {
		if (filter->ids && fmt->type == KMEM_KERNEL_STACK && filter->ids[fmt->id])
			return true;
	}
	return false;
}

/* Opens everything needed to print events. */
static int open_all(struct script_run *r)
{
	const struct script_args *a = &r->args;
	struct study_options opts = a->study;
	const struct study *study = &r->in.study;
	int ret;

	opts.want_symbols = opts.want_rule = true;
	opts.no_inline |= a->raw_ip;
	opts.want_dirs = a->words.dirs.count;
	opts.dirs.vmlinux = opts.symbols.vmlinux;
	if (!opts.want_dirs && !opts.no_inline)
		opts.lines = opts.dirs;
	opts.search = opts.want_dirs || !opts.no_inline;
	ret = input_open(&r->in, &opts, command_name, a->verbose);
	if (ret == GO_ON && opts.want_dirs && !study->dirs)
		ret = input_hints_missing(
			&r->in, "--dir needs the directories of functions", true);
	if (ret == GO_ON && a->words.groups.count)
		ret = input_processes_known(&r->in, SUBJECT_CGROUP);
	if (ret == GO_ON && filter_words_has_deep(&a->words)) {
		log_msg(&study->log, LOG_ERROR,
			"--callsite deep: events are shown with the callsites that they were recorded with\n  Callsites beyond wrappers: kmemx stat --callsite deep    a function of this name: '[d]eep'");
		ret = EXIT_USAGE;
	}
	ret = ret ?: filter_words_resolve(&a->words, &r->filter, study);
	if (ret != GO_ON)
		return ret;
	r->keep_stacks = wants_stacks(&r->filter, study->fmts);
	r->env = study_env(study);
	if (opts.no_inline)
		r->env.lines = NULL;
	r->env.raw_ip = a->raw_ip;
	if (alloc_filter_begin(&r->filter, &r->env) ||
	    (a->words.groups.count &&
	     processes_of_recording(&r->processes, r->env.rec, r->env.fmts, false)))
		return input_stream_failed(&r->in, -ENOMEM);
	r->filter.processes = &r->processes;
	ret = open_stream(r);
	if (ret != GO_ON || !a->output || !strcmp(a->output, "-"))
		return ret;
	return text_output_open(&r->file, a->output, study->path, command_name);
}

static int run(struct script_run *r)
{
	int ret = open_all(r);

	ret = ret ?: show(r);
	if (ret == EXIT_OK && r->unreadable)
		return lost_limit_damage(r->in.study.path, command_name);
	return ret == EXIT_OK && !r->nr_shown && r->in.study.stream ? nothing_shown(r)
								    : ret;
}

static int run_script(int argc, char **argv)
{
	struct script_run r = { .file = TEXT_OUTPUT_INIT, .failed = GO_ON };
	int ret = parse(&r.args, argc, argv);

	ret = ret ?: check_look(&r.args);
	ret = ret ?: input_study_check(&r.args.study, command_name);
	if (ret == GO_ON)
		ret = input_dirs_unused(
			&(struct dir_files){ .source = r.args.study.dirs.source },
			r.args.words.dirs.count, false, "--dir", command_name);
	ret = ret ?: run(&r);
	text_output_close(&r.file);
	alloc_filter_free(&r.filter);
	processes_free(&r.processes);
	input_close(&r.in);
	filter_words_free(&r.args.words);
	return ret;
}

static const struct option_renamed renamed[] = { { "stack", "callchain" },
						 { NULL, NULL } };

const struct command command_script = {
	command_name,
	"show the events of a recording, one a line",
	COMMAND_LOOK,
	run_script,
	.about = "Show the events of a recording, one per line, in time order.",
	.examples =
		"  kmemx script --callsite getname_flags --time 10%,20% --callchain\n"
		"  kmemx script --ptr 0xffff88007cad6000   all events of one object\n",
	.renamed = renamed,
};

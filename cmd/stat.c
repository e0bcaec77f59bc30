// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * cmd: kmemx stat.
 * In: a recording. Out: who allocated what: the slab and page reports.
 */
#include <errno.h>
#include <limits.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/analyze.h"
#include "analysis/ledger.h"
#include "command.h"
#include "study/study_facts.h"
#include "input.h"
#include "input_dirs.h"
#include "input_symbols.h"
#include "lost_limit.h"
#include "message.h"
#include "options.h"
#include "output.h"
#include "stat_account.h"
#include "stat_choice.h"
#include "stat_keys.h"
#include "input_window.h"

#define PROGRESS_INTERVAL 500000

struct stat_options {
	const char *path, *sort;
	struct window window;
	struct symbol_files symbols;
	const char *source, *modules;
	uint64_t dir_depth;
	struct option_strings skip;
	bool slab, page, caller, alloc, cache, live, unmatched, ledger, raw_ip, sites;
	struct stat_choice choice;
	struct lost_limit max_lost;
	uint64_t lines, jobs;
	unsigned int verbose;
	struct output_options output;
};

/* Everything that run_stat() opens and must close. */
struct stat {
	struct stat_options opts;
	struct sort_keys keys;
	struct input in;
	struct report *report;
};

static const char command_name[] = "stat";

static const struct option_usage usage = {
	.command = command_name,
	.purpose = "Show who allocated memory in a recording.",
	.usage = "kmemx stat [options] [FILE]",
	.examples = "  kmemx stat --page --caller -s order,hit -l 20\n"
		    "  kmemx stat -i boot.dat --slab --alloc --time 10%,20% --json\n",
};

static int parse(struct stat_options *o, int argc, char **argv)
{
	const struct option options[] = {
		{ OPTION_GROUP, 0, NULL, NULL, NULL, "What to read" },
		{ OPTION_STRING, 'i', "input", "FILE", &o->path,
		  "recording (default kmemx.dat; -: standard input)" },
		{ OPTION_STRING, 0, "time", "START,STOP", &o->window.time,
		  "only this time: seconds, +1s from the start, 10%" },
		{ OPTION_STRING, 0, "instance", "NAME", &o->window.instance,
		  "only the ring buffer of this name" },
		SYMBOL_FILE_OPTIONS(o->symbols),
		DIR_FILE_OPTIONS(o),
		{ OPTION_UINT, 0, "jobs", "N", &o->jobs,
		  "threads (default: one for each CPU here)" },
		{ OPTION_GROUP, 0, NULL, NULL, NULL, "What to show" },
		{ OPTION_FLAG, 0, "slab", NULL, &o->slab,
		  "slab objects (default: what was recorded)" },
		{ OPTION_FLAG, 0, "page", NULL, &o->page, "page allocations" },
		{ OPTION_FLAG, 0, "caller", NULL, &o->caller, "by callsite (default)" },
		{ OPTION_FLAG, 0, "alloc", NULL, &o->alloc,
		  "by object address and by page" },
		{ OPTION_FLAG, 0, "cache", NULL, &o->cache, "by slab cache" },
		{ OPTION_STRING, 0, "by", "WHAT", &o->choice.by_word,
		  "by callsite, stack, comm, pid, cpu, node, cache, module, dir" },
		{ OPTION_UINT, 0, "dir-depth", "N", &o->dir_depth,
		  "--by dir: so many levels; 1: fs, 2: fs/ext4" },
		{ OPTION_FLAG, 0, "live", NULL, &o->live,
		  "only what is still allocated at the end" },
		{ OPTION_FLAG, 0, "unmatched", NULL, &o->unmatched,
		  "also who freed objects that no event allocated" },
		{ OPTION_FLAG, 0, "ledger", NULL, &o->ledger,
		  "what the events explain of what slabinfo and vmstat say changed" },
		{ OPTION_STRING, 's', "sort", "KEYS", &o->sort,
		  "sort keys, e.g. bytes,+order,-hit" },
		{ OPTION_UINT, 'l', "lines", "N", &o->lines, "only the first N rows" },
		{ OPTION_STRING, 0, "max-lost", "N|PCT%", &o->max_lost.text,
		  "exit with 125 if more events were lost" },
		{ OPTION_FLAG, 0, "account", NULL, &o->choice.account,
		  "as trace_analyze: total, waste, net, allocations, frees" },
		{ OPTION_STRING, 0, "order-by", "KEY", &o->choice.order_by,
		  "current_dynamic, total_dynamic, alloc_count, free_count, waste" },
		{ OPTION_FLAG, 0, "malloc", NULL, &o->choice.malloc_only,
		  "only what kmalloc gave" },
		{ OPTION_FLAG, 0, "cache-only", NULL, &o->choice.cache_only,
		  "only what kmem_cache_alloc gave" },
		{ OPTION_GROUP, 0, NULL, NULL, NULL, "How to show it" },
		{ OPTION_FLAG, 0, "sites", NULL, &o->sites,
		  "a row for each place in a function: function+0x1f" },
		{ OPTION_FLAG, 0, "raw-ip", NULL, &o->raw_ip,
		  "addresses instead of functions" },
		{ OPTION_STRINGS, 0, "skip-func", "REGEX", &o->skip,
		  "skip these functions too; may be repeated" },
		{ OPTION_COUNT, 'v', "verbose", NULL, &o->verbose,
		  "list the functions skipped; more messages" },
		{ OPTION_TABLE, .value = output_formats(&o->output) },
		{ OPTION_FLAG, 0, "human", NULL, &o->output.human,
		  "KiB and MiB instead of exact bytes" },
		{ OPTION_STRING, 0, "color", "WHEN", &o->output.color,
		  "auto, always, never" },
		{ OPTION_FLAG, 0, "no-pager", NULL, &o->output.no_pager,
		  "do not use a pager" },
		{ OPTION_HELP, 'h', "help", NULL, NULL, "show this help" },
		{ OPTION_END },
	};
	int operands, ret;

	ret = options_parse(&usage, options, argc, argv, &operands);
	if (ret == GO_ON)
		ret = input_path(command_name, argc, argv, operands, &o->path);
	return ret;
}

static struct dir_files dir_files(const struct stat_options *o)
{
	return (struct dir_files){ o->symbols.vmlinux, o->modules, o->source };
}

static int check_dirs(const struct stat_options *o)
{
	const struct dir_files files = dir_files(o);

	if (o->choice.by != SUBJECT_DIR)
		return input_dirs_unused(&files, o->dir_depth, command_name);
	if (!dir_files_any(&files))
		return input_dirs_missing(command_name, "--by dir shows directories", "");
	return GO_ON;
}

/* What can be refused before a file is read. */
static int check(struct stat *st)
{
	struct stat_options *o = &st->opts;
	bool tables = o->slab || o->page || o->caller || o->alloc || o->cache ||
		      o->unmatched || o->ledger;
	int ret = output_check(&o->output, command_name);

	if (ret == GO_ON)
		ret = stat_choice_check(&o->choice, tables, command_name);
	if (ret == GO_ON)
		ret = lost_limit_parse(&o->max_lost, command_name);
	if (o->choice.order_by)
		o->sort = o->choice.order_by;
	if (ret == GO_ON && o->sort)
		ret = stat_keys_parse(&st->keys, o->sort, command_name);
	if (ret != GO_ON)
		return ret;
	ret = symbol_files_check(&o->symbols, command_name);
	if (ret != GO_ON)
		return ret;
	if (o->page && !o->slab && o->choice.by == SUBJECT_NODE) {
		message_error(command_name, "--by node: page events do not name a node.");
		return EXIT_USAGE;
	}
	if (o->ledger && o->window.time) {
		message_error(
			command_name,
			"--ledger needs the whole recording: its snapshots stand before and after it.\n  Leave --time out.");
		return EXIT_USAGE;
	}
	ret = check_dirs(o);
	return ret == GO_ON ? input_window_check(&st->opts.window, command_name) : ret;
}

struct stat_progress {
	struct progress line;
	const struct stat *st;
};

static int show_progress(void *ctx, uint64_t nr_events)
{
	struct stat_progress *p = ctx;
	uint64_t done, total;

	study_progress(&p->st->in.study, &done, &total);
	progress_show(&p->line, done, total, nr_events);
	return 0;
}

/* Threads to use: no more than CPUs that this process may run on, unless told so. */
static unsigned int jobs(const struct stat_options *o)
{
	cpu_set_t cpus;

	if (o->jobs)
		return o->jobs < UINT_MAX ? (unsigned int)o->jobs : UINT_MAX;
	if (sched_getaffinity(0, sizeof(cpus), &cpus))
		return 1;
	return (unsigned int)CPU_COUNT(&cpus);
}

static int analyze(struct stat *st)
{
	const struct stat_options *o = &st->opts;
	struct analysis_env env = study_env(&st->in.study);
	struct stat_progress progress = { .st = st };
	const struct analyze_progress how = { show_progress, &progress,
					      PROGRESS_INTERVAL };
	const struct analysis_ops *ops[3];
	size_t nr = 0;
	int err;

	env.by_caller = o->caller;
	env.by_address = o->alloc;
	env.by_cache = o->cache;
	env.by = o->choice.by;
	env.dir_depth = input_dirs_depth(o->dir_depth);
	env.account = o->choice.account;
	env.account_rows = stat_choice_rows(&o->choice);
	env.unmatched = o->unmatched;
	env.live = o->live;
	env.raw_ip = o->raw_ip;
	env.by_site = o->sites;
	env.window = o->window.time || o->window.instance;
	env.jobs = jobs(o);
	if (o->slab)
		ops[nr++] = &analysis_slab;
	if (o->page)
		ops[nr++] = &analysis_page;
	if (o->ledger)
		ops[nr++] = &analysis_ledger;
	st->report = report_new();
	if (!st->report)
		return input_stream_failed(&st->in, -ENOMEM);
	progress_start(&progress.line);
	err = analyze_run(&env, ops, nr, st->in.study.stream, st->report, &how);
	progress_end(&progress.line);
	return err ? input_stream_failed(&st->in, err) : GO_ON;
}

static int nothing_recorded(const struct stat *st, bool slab, bool page)
{
	const struct stat_options *o = &st->opts;
	const char *path = st->in.study.path;
	const char *what = o->slab && o->page ? "slab or page"
			   : o->slab	      ? "slab"
					      : "page";
	const char *option = o->slab && o->page ? "" : o->slab ? " --slab" : " --page";
	const char *other = slab   ? " (it holds slab events)"
			    : page ? " (it holds page events)"
				   : "";
	const struct event_stream_stats *seen = event_stream_stats(st->in.study.stream);

	if (!seen->nr_events && (seen->nr_bad_pages || st->in.study.rec->nr_damaged)) {
		message_error(
			command_name,
			"%s is damaged: none of its events can be read.\n  What is left of it: kmemx info -i %s",
			path, path);
		return EXIT_UNREADABLE;
	}
	if (o->window.time)
		message_error(
			command_name,
			"%s holds no %s events in the time %s%s.\n  Its span: kmemx info -i %s",
			path, what, o->window.time, other, path);
	else
		message_error(
			command_name,
			"%s holds no %s events%s.\n  Record them with: sudo kmemx record%s -- CMD",
			path, what, other, option);
	return EXIT_FAILED;
}

/* Never a table of zeros: drops the tables of what was not recorded, or ends with a
 * sentence if nothing is left.
 */
static int drop_unrecorded(struct stat *st, bool both_asked)
{
	bool slab = study_count_slab(&st->in.study),
	     page = study_count_page(&st->in.study);

	if (st->opts.ledger && st->report->nr_tables)
		return GO_ON;
	if (!(slab && st->opts.slab) && !(page && st->opts.page))
		return nothing_recorded(st, slab, page);
	if (!slab && st->opts.slab) {
		report_drop_tables(st->report, "slab");
		if (both_asked)
			report_add_banner(
				st->report, true,
				"No slab events were recorded (kmemx record --slab)");
	}
	if (!page && st->opts.page) {
		report_drop_tables(st->report, "page");
		if (both_asked)
			report_add_banner(
				st->report, true,
				"No page events were recorded (kmemx record --page)");
	}
	return GO_ON;
}

static int sort_tables(struct stat *st)
{
	size_t i;
	int err = 0;

	for (i = 0; i < st->report->nr_tables && !err; i++) {
		struct table *t = st->report->tables[i];

		err = stat_keys_sort(t, &st->keys);
		stat_keys_show(t, &st->keys, st->opts.live);
		table_limit(t, st->opts.lines);
	}
	return err ? input_stream_failed(&st->in, err) : GO_ON;
}

static void list_skipped(const struct stat *st)
{
	const char *name;
	uint32_t i;

	for (i = 0; (name = callsite_rule_skipped(st->in.study.rule, i)); i++)
		message_info("skipped in callchains: %s", name);
}

static int show(struct stat *st, bool both_asked)
{
	const struct study *study = &st->in.study;
	struct table *missing;
	struct study_facts facts;
	int ret;

	study_facts_init(&facts, study, study->window.buffer);
	study_facts_banner(&facts, study, st->report);
	study_facts_add(&facts, st->report);
	missing = study_facts_missing_table(study->rec);
	ret = drop_unrecorded(st, both_asked);
	if (ret == GO_ON)
		ret = sort_tables(st);
	if (ret == GO_ON && missing)
		report_add_table(st->report, missing);
	else
		table_free(missing);
	if (ret != GO_ON && st->opts.max_lost.text &&
	    lost_limit_check(&st->opts.max_lost, &facts, command_name, EXIT_OK) ==
		    EXIT_UNTRUSTED)
		return EXIT_UNTRUSTED;
	if (ret != GO_ON)
		return ret;
	if (st->opts.verbose)
		list_skipped(st);
	if (!report_ok(st->report))
		return input_stream_failed(&st->in, -ENOMEM);
	ret = output_report(&st->opts.output, command_name, st->report,
			    st->opts.choice.account ? stat_account_render : render_text);
	return lost_limit_check(&st->opts.max_lost, &facts, command_name, ret);
}

/* Asked for what only a recording with all frees can say. */
static int lacks_frees(const struct stat *st)
{
	const struct stat_options *o = &st->opts;

	message_error(
		command_name,
		"%s lacks the frees by other tasks than the recorded ones: %s cannot say what lives.\n  Record with all frees: leave out --filter-frees",
		st->in.study.path,
		o->live	    ? "--live"
		: o->ledger ? "--ledger"
			    : "--account");
	return EXIT_FAILED;
}

static int no_snapshots(const struct stat *st)
{
	message_error(
		command_name,
		"%s does not say what slabinfo and vmstat were before and after it.\n  kmemx record keeps them: sudo kmemx record -- CMD",
		st->in.study.path);
	return EXIT_FAILED;
}

/* Fills in what the user left open. Returns whether both kinds were asked for by name. */
static bool complete_options(struct stat_options *o)
{
	bool both = o->slab && o->page;
	enum subject_kind by = o->choice.by;

	if (o->choice.account) {
		o->slab = true;
		return false;
	}
	o->caller |= by == SUBJECT_CALLSITE;
	o->cache |= by == SUBJECT_CACHE;
	if (by == SUBJECT_CALLSITE || by == SUBJECT_CACHE)
		o->choice.by = SUBJECT_NONE;
	if (!o->slab && !o->page && !o->ledger) {
		o->slab = true;
		/* Pages have neither a cache nor, in the events, a node. */
		o->page = o->caller || o->alloc || (!o->cache && by != SUBJECT_NODE);
	}
	if (!o->alloc && !o->choice.by && (!o->cache || o->page))
		o->caller = true;
	return both;
}

static int open_study(struct stat *st)
{
	const struct stat_options *o = &st->opts;
	struct study_options study = {
		.path = o->path,
		.want_symbols = true,
		.symbols = o->symbols,
		.want_rule = true,
		.skip = o->skip.items,
		.nr_skip = o->skip.count,
		.window = o->window,
	};

	if (o->choice.by == SUBJECT_DIR)
		study.dirs = dir_files(o);
	return input_open(&st->in, &study, command_name, o->verbose);
}

static int run(struct stat *st)
{
	bool both_asked = complete_options(&st->opts);
	const struct stat_options *o = &st->opts;
	const struct event_stream_options how = { .read_ahead = jobs(o) > 1 };
	int ret = open_study(st);

	if (ret == GO_ON && o->ledger && !ledger_possible(st->in.study.rec))
		ret = no_snapshots(st);
	if (ret == GO_ON && (o->live || o->choice.account || o->ledger) &&
	    recording_lacks_frees(st->in.study.rec))
		ret = lacks_frees(st);
	if (ret == GO_ON)
		ret = input_read(&st->in, &how);
	if (ret == GO_ON)
		ret = analyze(st);
	return ret == GO_ON ? show(st, both_asked) : ret;
}

static int run_stat(int argc, char **argv)
{
	struct stat st = { 0 };
	int ret = parse(&st.opts, argc, argv);

	if (ret == GO_ON)
		ret = check(&st);
	if (ret == GO_ON)
		ret = run(&st);
	report_free(st.report);
	input_close(&st.in);
	sort_keys_free(&st.keys);
	free(st.opts.skip.items);
	return ret;
}

const struct command command_stat = {
	.name = "stat",
	.purpose = "show who allocated memory in a recording",
	.run = run_stat,
};

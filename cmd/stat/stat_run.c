// SPDX-License-Identifier: GPL-2.0-or-later
#include "cmd/stat/stat_run.h"

#include "base/safe_text.h"
#include "cmd/stat/stat_keys.h"

static struct dir_files dir_files(const struct stat_options *o)
{
	return (struct dir_files){ o->symbols.vmlinux, o->modules, o->source };
}

static bool wants_dirs(const struct stat_options *o)
{
	return subject_rows(o->analyses.opts.by) & ROWS(DIR) ||
	       filter_words_dirs(&o->filter);
}

/* Can tables of @command have rows by directory? */
static bool can_have_dirs(const char *command)
{
	const struct analysis *analysis;

	for (size_t i = 0; (analysis = analysis_at(i)); i++) {
		if (stat_analyses_of(command, analysis) && analysis->rows & ROWS(DIR))
			return true;
	}
	return false;
}

/* The word of --by that needs debug information for lines, or NULL. */
static const char *source_word(const struct stat_options *o)
{
	uint32_t rows = subject_rows(o->analyses.opts.by);

	return rows & ROWS(LINE)   ? subjects_word(SUBJECT_LINE)
	       : rows & ROWS(FILE) ? subjects_word(SUBJECT_FILE)
				   : NULL;
}

/* Does any option use debug information? */
static bool wants_debug(const struct stat_options *o)
{
	return !o->no_inline || source_word(o) || wants_dirs(o);
}

static int check_dirs(const struct stat_run *st)
{
	const struct stat_options *o = &st->opts;
	struct dir_files files = dir_files(o);

	if (debug_places_any(&o->places) && !wants_debug(o))
		return message_fail(
			EXIT_USAGE, st->command,
			"%s cannot be used with --no-inline, which ignores debug information",
			debug_places_option(&o->places));
	if (subject_rows(o->analyses.opts.by) & ROWS(DIR) || o->dirs_if_known)
		return GO_ON;
	/* Modules are used for inlined functions, too. */
	if (!o->no_inline || source_word(o))
		files.modules = NULL;
	return input_dirs_unused(
		&files, filter_words_dirs(&o->filter), o->dir_depth,
		can_have_dirs(st->command) ? "--by dir or --dir" : "--dir", st->command);
}

/* Does the recording say what the options need: processes, debug information? */
static int check_known(const struct stat_run *st)
{
	const struct stat_options *o = &st->opts;
	const struct study *study = &st->in.study;
	const struct dir_files files = dir_files(o);
	bool rows = subject_rows(o->analyses.opts.by) & ROWS(DIR);
	int ret = input_processes_known(&st->in, analysis_subject(&o->analyses.opts));

	if (ret == GO_ON && filter_words_groups(&o->filter))
		ret = input_processes_known(&st->in, SUBJECT_CGROUP);
	if (ret != GO_ON)
		return ret;
	if (wants_dirs(o) && !study->dirs)
		return input_hints_missing(
			&st->in,
			rows ? "--by dir needs the directories of functions"
			     : "--dir needs the directories of functions",
			true);
	if (!source_word(o) || source_lines_of_kernel(study->lines))
		return GO_ON;
	if (study->found.vmlinux || files.vmlinux || files.modules ||
	    !debug_units_built_in())
		return input_lines_none(st->command, study->found.vmlinux
							     ? study->found.vmlinux
						     : files.vmlinux ? files.vmlinux
								     : files.modules);
	return input_hints_missing(&st->in,
				   source_word(o) == subjects_word(SUBJECT_LINE)
					   ? "--by line needs the lines of functions"
					   : "--by file needs the files of functions",
				   false);
}

static int check(struct stat_run *st)
{
	struct stat_options *o = &st->opts;
	int ret = output_check(&o->output, st->command);

	if (ret == GO_ON)
		ret = stat_choice_check(&o->choice, &o->analyses, st->command);
	if (ret == GO_ON)
		ret = stat_tree_check(&o->tree, &o->analyses, st->command);
	if (ret == GO_ON)
		ret = stat_filter_check(&o->filter, &o->analyses, st->command);
	if (ret == GO_ON && option_cgroup_names(o->cgroup_names, st->command) < 0)
		ret = EXIT_USAGE;
	if (ret == GO_ON)
		ret = lost_limit_parse(&o->max_lost, st->command);
	if (ret == GO_ON && o->choice.order_by && o->sort && !o->usual_sort)
		return message_fail(
			EXIT_USAGE, st->command,
			"--order-by and -s cannot be used together\n  Both sort the account table; -s takes several keys");
	if (o->choice.order_by)
		o->sort = o->choice.order_by;
	if (ret == GO_ON && o->sort)
		ret = stat_keys_parse(&st->keys, o->sort, st->command);
	if (ret != GO_ON)
		return ret;
	ret = symbol_files_check(&o->symbols, st->command);
	if (ret == GO_ON)
		ret = debug_places_check(&o->places, &o->symbols, st->command);
	if (ret != GO_ON)
		return ret;
	ret = stat_analyses_check(&o->analyses, o->window.time, st->command);
	if (ret == GO_ON)
		ret = check_dirs(st);
	return ret == GO_ON ? input_window_check(&st->opts.window, st->command) : ret;
}

/* Should figures of a sample be scaled to estimates? Only if all chosen analyses can. */
static bool wants_estimates(const struct stat_options *o)
{
	bool all = !o->unscaled;

	for (size_t i = 0; i < o->analyses.nr; i++)
		all &= o->analyses.chosen[i]->estimates;
	return all;
}

static int analyze(struct stat_run *st)
{
	const struct stat_options *o = &st->opts;
	struct analysis_env env = study_env(&st->in.study);
	const struct analysis_set set = { .analyses = o->analyses.chosen,
					  .nr = o->analyses.nr,
					  .opts = &o->analyses.opts,
					  .own = o->analyses.chosen_own };
	int ret;

	env.dir_depth = input_dirs_depth(o->dir_depth);
	env.raw_ip = o->raw_ip;
	env.raw_names = o->raw_names;
	env.whole_groups = option_cgroup_names(o->cgroup_names, st->command);
	env.by_site = o->sites;
	env.window = o->window.time || o->window.instance;
	env.jobs = input_jobs(o->jobs);
	env.filter = filter_words_any(&o->filter) ? &st->filter : NULL;
	/* Do not scale a sample whose rule is unknown: study_facts_banner() tells the user. */
	st->estimates = wants_estimates(o);
	if (sample_of(&env.sample, env.rec) || !(st->estimates || o->intervals))
		env.sample = (struct sample){ 0 };
	st->estimates &= env.sample.one_in != 0;
	st->report = report_new();
	if (!st->report)
		return input_stream_failed(&st->in, -ENOMEM);
	ret = input_analyze(&st->in, &env, &set, st->report);
	st->seen = analysis_seen(&env);
	return ret;
}

/* A chosen analysis whose own kind of events did not occur, or NULL. */
static const struct analysis *lacking(const struct stat_run *st)
{
	const struct stat_analyses *a = &st->opts.analyses;

	for (size_t i = 0; i < a->nr; i++) {
		if (a->chosen[i]->must && !(st->seen & a->chosen[i]->must))
			return a->chosen[i];
	}
	return NULL;
}

/* Why there are no such events. */
static const char *const why[] = {
	[RECORDED_UNKNOWN] = "none occurred, or they were not recorded",
	[RECORDED_NO] = "they were not recorded",
	[RECORDED_YES] = "none occurred while they were recorded",
};

/* Says that there are no @types, which users call @events; @option of kmemx record records them. */
static int nothing_of(const struct stat_run *st, uint32_t types, const char *events,
		      const char *option)
{
	const struct stat_options *o = &st->opts;
	const struct study *study = &st->in.study;
	enum recorded recorded = recorded_types(study->rec, study->fmts, types);
	bool no = recorded != RECORDED_YES;
	bool cut = !no && study->rec->cut_short;
	const char *advice =
		no    ? "Record them with: sudo kmemx record "
		: cut ? "Record again, to a disk with free space"
		: recording_is_part(study->rec)
			? "Only some were recorded: leave out -p, --follow or --filter"
			: "Record for longer";

	return message_fail(
		EXIT_FAILED, st->command, "%s contains no %s events%s%s: %s\n  %s%s%s",
		study->path, events, o->window.time ? " in the time " : "",
		o->window.time ? o->window.time : "",
		cut ? "it was cut short before the first of them" : why[recorded], advice,
		no ? option : "", no ? " -- CMD" : "");
}

/* Puts the kinds of memory that are needed, and of which nothing was seen, into words: "slab or page", and the option of
 * kmemx record for a single one. Areas are not named where slab objects or pages would do.
 * Returns their events.
 */
static uint32_t name_missing(uint32_t needs, uint32_t seen, char what[64],
			     char option[32])
{
	const uint32_t usual = NEEDS_SLAB | NEEDS_PAGE;
	uint32_t missing = 0;
	int nr = 0;

	what[0] = option[0] = '\0';
	for (int i = 0; i < MEMORY_KINDS; i++) {
		const struct memory_words *words = memory_words((enum memory)i);
		uint32_t of = analysis_memory((enum memory)i);
		size_t used = strlen(what);

		if (!(needs & of) || seen & of || (needs & usual && !(of & usual)))
			continue;
		missing |= of;
		snprintf(what + used, 64 - used, "%s%s", nr++ ? " or " : "", words->word);
		snprintf(option, 32, " --%s", words->option);
	}
	if (nr > 1)
		option[0] = '\0';
	return missing;
}

static int nothing_recorded(const struct stat_run *st)
{
	const struct stat_options *o = &st->opts;
	uint32_t needs = stat_analyses_need(&o->analyses);
	const char *path = st->in.study.path;
	char what[64], option[32];
	uint32_t missing = name_missing(needs, st->seen, what, option);
	const char *other = st->seen & NEEDS_SLAB   ? " (it has slab events)"
			    : st->seen & NEEDS_PAGE ? " (it has page events)"
						    : "";
	const struct event_stream_stats *seen = event_stream_stats(st->in.study.stream);

	if (!seen->nr_events && (seen->nr_bad_pages || st->in.study.rec->nr_damaged))
		return message_fail(
			EXIT_UNREADABLE, st->command,
			"%s is damaged: none of its events can be read\n  Show what is left: kmemx info -i %s",
			path, SHELL_NAME(path));
	if (!seen->nr_events && st->in.study.rec->cut_short && !o->window.time)
		return message_fail(
			EXIT_FAILED, st->command,
			"%s contains no events: it was cut short before the first one: %s\n  %s",
			path, st->in.study.rec->cut_short,
			recording_truncated(st->in.study.rec)
				? "Record again, to a disk with free space"
				: "Copy it again from where it is whole");
	if (lacking(st))
		return nothing_of(st, lacking(st)->must, lacking(st)->events,
				  lacking(st)->record);
	if (o->window.time)
		message_error(
			st->command,
			"%s contains no %s events in the time %s%s\n  Show its span: kmemx info -i %s",
			path, what, o->window.time, other, SHELL_NAME(path));
	else if (recorded_types(st->in.study.rec, st->in.study.fmts, missing) ==
		 RECORDED_YES)
		return nothing_of(st, missing, what, "");
	else
		message_error(
			st->command,
			"%s contains no %s events%s\n  Record them with: sudo kmemx record%s -- CMD",
			path, what, other, option);
	return EXIT_FAILED;
}

/* If there is no table, ends with a message instead of a table of zeros. */
static int check_recorded(struct stat_run *st)
{
	const struct stat_options *o = &st->opts;
	const struct analysis *without = lacking(st);

	if (!st->report->nr_tables && filter_words_any(&o->filter) &&
	    !(without && without->needs) && st->seen & stat_analyses_need(&o->analyses))
		return filter_words_nothing(&o->filter, st->command, st->in.study.path,
					    alloc_filter_unnamed(&st->filter));
	if (!st->report->nr_tables)
		return nothing_recorded(st);
	stat_analyses_banner(&st->opts.analyses, st->seen, st->report);
	/* Other analyses of the command have tables. */
	if (without)
		report_add_banner(st->report, true, "No %s events: %s (kmemx record %s)",
				  without->events,
				  why[recorded_types(st->in.study.rec, st->in.study.fmts,
						     without->must)],
				  without->record);
	return GO_ON;
}

int stat_run_sort(struct stat_run *st)
{
	int err = 0, ret = GO_ON;

	if (!st->opts.usual_sort)
		ret = stat_keys_check(&st->keys, st->report, st->command);
	if (ret != GO_ON)
		return ret;
	stat_keys_estimate(&st->keys);
	for (size_t i = 0; i < st->report->nr_tables && !err; i++) {
		struct table *t = st->report->tables[i];

		err = stat_keys_sort(t, &st->keys);
		stat_keys_show(t, &st->keys, st->opts.analyses.opts.live);
		table_fill_shares(t);
		if (!st->write)
			row_limit_apply(st->opts.lines, t);
	}
	if (!err)
		return GO_ON;
	return message_fail(EXIT_FAILED, st->command, "cannot sort the report: %s",
			    strerror(-err));
}

static void list_skipped(const struct stat_run *st)
{
	const char *name;

	for (uint32_t i = 0; (name = callsite_rule_skipped(st->in.study.rule, i)); i++)
		message_info("skipped in callchains: %s", name);
}

/* Says in the banner which allocations the filter selects. */
static void say_filter(const struct stat_run *st)
{
	struct strbuf __auto_free text = { 0 };

	if (!filter_words_any(&st->opts.filter))
		return;
	filter_words_text(&st->opts.filter, &text);
	report_add_banner(st->report, false, "Filter: only allocations with %s",
			  strbuf_text(&text));
	if (alloc_filter_unnamed(&st->filter))
		report_add_banner(st->report, true, "%s", filter_words_unnamed);
	report_add_text_fact(st->report, "filter", strbuf_text(&text));
	st->report->failed |= text.failed;
}

static int write_report(struct stat_run *st)
{
	if (st->write)
		return st->write(st, st->write_arg);
	st->opts.output.verbose = st->opts.verbose != 0;
	return output_report(&st->opts.output, st->command, st->report,
			     stat_analyses_asked(&st->opts.analyses, ANALYSIS_ALONE)
				     ? stat_account_render
				     : render_text);
}

static int show(struct stat_run *st)
{
	const struct study *study = &st->in.study;
	struct table *missing;
	struct study_facts facts;
	int ret;

	study_facts_init(&facts, study, study->window.buffer);
	facts.estimated = st->estimates;
	study_facts_banner(&facts, study, st->report);
	study_facts_add(&facts, st->report);
	say_filter(st);
	missing = study_facts_missing_table(study->rec);
	ret = check_recorded(st);
	if (ret == GO_ON && st->finish)
		ret = st->finish(st);
	if (ret == GO_ON)
		ret = stat_run_sort(st);
	/* If @missing is NULL (out of memory), this fails the report. */
	if (ret == GO_ON && recording_truncated(study->rec))
		report_add_table(st->report, missing);
	else
		table_free(missing);
	if (ret != GO_ON && st->opts.max_lost.text &&
	    lost_limit_check(&st->opts.max_lost, &facts, st->command, EXIT_OK) ==
		    EXIT_UNTRUSTED)
		return EXIT_UNTRUSTED;
	if (ret != GO_ON)
		return ret;
	if (st->opts.verbose)
		list_skipped(st);
	if (!report_ok(st->report))
		return input_stream_failed(&st->in, -ENOMEM);
	ret = write_report(st);
	return lost_limit_check(&st->opts.max_lost, &facts, st->command, ret);
}

static int open_study(struct stat_run *st)
{
	const struct stat_options *o = &st->opts;
	struct study_options study = {
		.path = o->path,
		.want_symbols = true,
		.symbols = o->symbols,
		.want_rule = true,
		.skip = o->skip.items,
		.nr_skip = o->skip.count,
		.no_inline = o->no_inline,
		.places = o->places,
		.window = o->window,
	};
	int ret;

	/* Also read a source tree that was given. */
	study.want_dirs = wants_dirs(o) || o->sources || (o->dirs_if_known && o->source);
	study.dirs_of_lines = o->dirs_if_known;
	study.search = wants_debug(o) && !o->sources;
	if (o->sources)
		study.sources = o->sources;
	else if (study.want_dirs)
		study.dirs = dir_files(o);
	else if (study.search)
		study.lines = dir_files(o);
	ret = input_open(&st->in, &study, st->command, o->verbose);
	return ret == GO_ON ? check_known(st) : ret;
}

static int read_and_show(struct stat_run *st)
{
	const struct stat_options *o = &st->opts;
	const struct event_stream_options how = { .read_ahead = input_jobs(o->jobs) > 1 };
	int ret;

	stat_analyses_choose(&st->opts.analyses);
	ret = open_study(st);
	if (ret == GO_ON)
		ret = stat_analyses_possible(&o->analyses, st->in.study.rec,
					     st->in.study.path, st->command);
	if (ret == GO_ON)
		ret = filter_words_resolve(&o->filter, &st->filter, st->in.study.fmts,
					   &st->in.study.log);
	if (ret == GO_ON)
		ret = input_read(&st->in, &how);
	if (ret == GO_ON)
		ret = analyze(st);
	return ret == GO_ON ? show(st) : ret;
}

int stat_run(struct stat_run *st)
{
	int ret = check(st);

	if (ret == GO_ON && st->opts.columns)
		ret = stat_columns(&st->opts.output, st->command);
	if (ret == GO_ON && st->prepare)
		ret = st->prepare(st);
	return ret == GO_ON ? read_and_show(st) : ret;
}

void stat_run_free(struct stat_run *st)
{
	report_free(st->report);
	alloc_filter_free(&st->filter);
	filter_words_free(&st->opts.filter);
	input_close(&st->in);
	sort_keys_free(&st->keys);
	free(st->opts.skip.items);
}

int stat_options_parse(struct stat_options *o, const struct option_usage *usage,
		       const struct option_entry *options, int argc, char **argv)
{
	struct stat_analyses *a = &o->analyses;
	const struct analysis *analysis;
	int operands, ret;

	for (size_t i = 0; (analysis = analysis_at(i)); i++)
		a->asked[i] = analysis->use == ANALYSIS_COMMAND &&
			      stat_analyses_of(usage->command, analysis);
	ret = options_parse(usage, options, argc, argv, &operands);
	if (ret == GO_ON)
		ret = filter_words_deep(&o->filter, &o->skip, usage->command);
	o->usual_sort = options_is_setting(argc, argv, o->sort);
	if (ret == GO_ON && (operands < argc || !o->no_default))
		ret = input_path(usage->command, argc, argv, operands, &o->path);
	return ret;
}

uint32_t stat_kinds_needed(const bool of[MEMORY_KINDS])
{
	uint32_t needs = 0;

	for (int i = 0; i < MEMORY_KINDS; i++)
		needs |= of[i] ? analysis_memory((enum memory)i) : 0;
	return needs;
}

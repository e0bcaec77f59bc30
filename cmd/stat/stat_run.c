// SPDX-License-Identifier: GPL-2.0-or-later
#include "cmd/stat/stat_run.h"

#include "base/safe_text.h"
#include "cmd/stat/stat_keys.h"

static bool wants_dirs(const struct stat_options *o)
{
	return subject_rows(o->analyses.opts.by) & ROWS(DIR) || o->filter.dirs.count;
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
	return !o->study.no_inline || source_word(o) || wants_dirs(o);
}

static int check_dirs(const struct stat_run *st)
{
	const struct stat_options *o = &st->opts;
	struct dir_files files = o->study.dirs;

	if (!wants_debug(o) &&
	    debug_places_unused(&o->study.places, st->command) != GO_ON)
		return EXIT_USAGE;
	if (subject_rows(o->analyses.opts.by) & ROWS(DIR) || o->study.dirs_of_lines)
		return GO_ON;
	/* Modules are used for inlined functions, too. */
	if (!o->study.no_inline || source_word(o))
		files.modules = NULL;
	return input_dirs_unused(&files, o->filter.dirs.count, o->dir_depth,
				 stat_analyses_rows(st->command) & ROWS(DIR)
					 ? "--by dir or --dir"
					 : "--dir",
				 st->command);
}

/* Does the recording say what the options need: processes, debug information? */
static int check_known(const struct stat_run *st)
{
	const struct stat_options *o = &st->opts;
	const struct study *study = &st->in.study;
	const struct dir_files files = o->study.dirs;
	bool rows = subject_rows(o->analyses.opts.by) & ROWS(DIR);
	int ret = input_processes_known(&st->in, analysis_subject(&o->analyses.opts));

	if (ret == GO_ON && o->filter.groups.count)
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

	ret = ret ?: stat_choice_check(o, st->command);
	ret = ret ?: stat_tree_check(&o->tree, &o->analyses, st->command);
	ret = ret ?: stat_filter_check(&o->filter, &o->analyses, st->command);
	if (ret == GO_ON && option_cgroup_names(o->cgroup_names, st->command) < 0)
		ret = EXIT_USAGE;
	ret = ret ?: lost_limit_parse(&o->max_lost, st->command);
	if (ret == GO_ON && o->order_by && o->sort && !o->usual_sort)
		return message_fail(
			EXIT_USAGE, st->command,
			"--order-by and -s cannot be used together\n  Both sort the account table; -s takes several keys");
	if (o->order_by)
		o->sort = o->order_by;
	if (ret == GO_ON && o->sort)
		ret = stat_keys_parse(&st->keys, o->sort, st->command);
	if (ret != GO_ON)
		return ret;
	ret = input_study_check(&o->study, st->command);
	o->study.dirs.vmlinux = o->study.symbols.vmlinux;
	ret = ret ?: stat_analyses_check(&o->analyses, o->study.window.time, st->command);
	return ret ?: check_dirs(st);
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
	env.window = o->study.window.time || o->study.window.instance;
	env.jobs = input_jobs(o->jobs);
	env.filter = filter_words_any(&o->filter) ? &st->filter : NULL;
	/* Scale a sample only if all chosen analyses can. Do not scale one whose rule is unknown:
	 * study_facts_banner() tells the user.
	 */
	st->estimates = !o->unscaled &&
			!ANY(i, o->analyses.nr, !o->analyses.chosen[i]->estimates);
	if (sample_of(&env.sample, env.rec) || !(st->estimates || o->intervals))
		env.sample = (struct sample){ 0 };
	st->estimates &= env.sample.one_in != 0;
	st->report = report_new();
	if (!st->report)
		return input_stream_failed(&st->in, -ENOMEM);
	ret = input_analyze(&st->in, &env, &set, st->report);
	st->seen = analysis_seen(&env);
	st->missing_frees = analysis_missing_frees(&env);
	return ret;
}

/* A chosen analysis whose own kind of events did not occur, or NULL. */
static const struct analysis *lacking(const struct stat_run *st)
{
	const struct stat_analyses *a = &st->opts.analyses;

	const struct analysis *const *found =
		FIND(one, a->chosen, a->nr, (*one)->must && !(st->seen & (*one)->must));

	return found ? *found : NULL;
}

/* Why there are no such events. */
static const char *const why[] = {
	[RECORDED_UNKNOWN] = "none occurred, or they were not recorded",
	[RECORDED_NO] = "they were not recorded",
	[RECORDED_YES] = "none occurred while they were recorded",
};

/* " in the time 1,2", " until 5", or nothing. */
static void describe_window(const struct window *w, struct strbuf *text)
{
	if (w->time)
		strbuf_printf(text, "%s%s", w->at ? " until " : " in the time ",
			      w->at ? w->at : w->time);
}

/* Says that there are no events @types, which users call @events; @option of kmemx record records
 * them.
 */
static int nothing_of(const struct stat_run *st, uint32_t types, const char *events,
		      const char *option)
{
	const struct study *study = &st->in.study;
	struct strbuf __auto_free when = { 0 };
	enum recorded recorded = recorded_types(study->rec, study->fmts, types);
	bool no = recorded != RECORDED_YES;
	bool cut = !no && study->rec->cut_short;
	const char *advice =
		no    ? "Record them with: sudo kmemx record "
		: cut ? "Record again, to a disk with free space"
		: recording_is_part(study->rec)
			? "Only some were recorded: leave out -p, --follow or --filter"
			: "Record for longer";

	describe_window(&st->opts.study.window, &when);
	return message_fail(
		EXIT_FAILED, st->command, "%s contains no %s events%s: %s\n  %s%s%s",
		study->path, events, strbuf_text(&when),
		cut ? "it was cut short before the first of them" : why[recorded], advice,
		no ? option : "", no ? " -- CMD" : "");
}

/* Names the kinds of memory that are needed but were not seen, such as "slab or page", and the
 * options of kmemx record for them: none for slab objects and pages, which it records by default.
 * Then does not name areas, as slab objects or pages would do. Returns their events.
 */
static uint32_t name_missing(uint32_t needs, uint32_t seen, char what[64],
			     char option[64])
{
	const uint32_t usual = NEEDS_SLAB | NEEDS_PAGE;
	const bool both = needs & NEEDS_SLAB && needs & NEEDS_PAGE;
	uint32_t missing = 0;
	int nr = 0;

	what[0] = option[0] = '\0';
	for (int i = 0; i < MEMORY_KINDS; i++) {
		const struct memory_words *words = memory_words((enum memory)i);
		uint32_t of = analysis_memory((enum memory)i);
		size_t used = strlen(what), options = strlen(option);

		if (!(needs & of) || seen & of || (both && !(of & usual)))
			continue;
		missing |= of;
		snprintf(what + used, 64 - used, "%s%s", nr++ ? " or " : "", words->word);
		snprintf(option + options, 64 - options, " --%s", words->option);
	}
	if (both && nr > 1)
		option[0] = '\0';
	return missing;
}

static int nothing_recorded(const struct stat_run *st)
{
	const struct stat_options *o = &st->opts;
	const uint32_t asked = o->analyses.opts.needs;
	uint32_t needs = stat_analyses_need(&o->analyses) & (asked ? asked : UINT32_MAX);
	const char *path = st->in.study.path;
	char what[64], option[64];
	uint32_t missing = name_missing(needs, st->seen, what, option);
	const char *other = st->seen & NEEDS_SLAB   ? " (it has slab events)"
			    : st->seen & NEEDS_PAGE ? " (it has page events)"
						    : "";
	const struct event_stream_stats *seen = event_stream_stats(st->in.study.stream);
	struct strbuf __auto_free when = { 0 };

	describe_window(&o->study.window, &when);
	if (!seen->nr_events && (seen->nr_bad_pages || st->in.study.rec->nr_damaged))
		return message_fail(
			EXIT_UNREADABLE, st->command,
			"%s is damaged: none of its events can be read\n  Show what is left: kmemx info -i %s",
			path, SHELL_NAME(path));
	if (!seen->nr_events && st->in.study.rec->cut_short && !o->study.window.time)
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
	if (o->study.window.time)
		return message_fail(
			EXIT_FAILED, st->command,
			"%s contains no %s events%s%s\n  Show its span: kmemx info -i %s",
			path, what, strbuf_text(&when), other, SHELL_NAME(path));
	if (recorded_types(st->in.study.rec, st->in.study.fmts, missing) == RECORDED_YES)
		return nothing_of(st, missing, what, "");
	return message_fail(
		EXIT_FAILED, st->command,
		"%s contains no %s events%s\n  Record them with: sudo kmemx record%s -- CMD",
		path, what, other, option);
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
	stat_analyses_banner(&st->opts.analyses, st->seen, st->missing_frees, st->report);
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
	const char *skipped;
	int ret;

	study_facts_init(&facts, study, study->window.buffer);
	facts.estimated = st->estimates;
	study_facts_banner(&facts, study, st->report);
	study_facts_add(&facts, st->report);
	filter_words_banner(&st->opts.filter, alloc_filter_unnamed(&st->filter),
			    st->report);
	missing = study_facts_missing_table(study->rec);
	ret = check_recorded(st);
	if (ret == GO_ON && st->finish)
		ret = st->finish(st);
	ret = ret ?: stat_run_sort(st);
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
	for (uint32_t i = 0;
	     st->opts.verbose && (skipped = callsite_rule_skipped(study->rule, i)); i++)
		message_info("skipped in callchains: %s", skipped);
	if (!report_ok(st->report))
		return input_stream_failed(&st->in, -ENOMEM);
	ret = write_report(st);
	return lost_limit_check(&st->opts.max_lost, &facts, st->command, ret);
}

static int open_study(struct stat_run *st)
{
	const struct stat_options *o = &st->opts;
	struct study_options study = o->study;
	int ret;

	study.want_symbols = study.want_rule = true;
	study.skip = o->skip.items;
	study.nr_skip = o->skip.count;
	/* Also read a source tree that was given. */
	study.want_dirs = wants_dirs(o) || study.sources ||
			  (study.dirs_of_lines && study.dirs.source);
	study.search = wants_debug(o) && !study.sources;
	if (study.search && !study.want_dirs)
		study.lines = study.dirs;
	ret = input_open(&st->in, &study, st->command, o->verbose);
	return ret ?: check_known(st);
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
	ret = ret ?: filter_words_resolve(&o->filter, &st->filter, &st->in.study);
	ret = ret ?: input_read(&st->in, &how);
	ret = ret ?: analyze(st);
	return ret ?: show(st);
}

int stat_run(struct stat_run *st)
{
	int ret = check(st);

	if (ret == GO_ON && st->opts.columns)
		return stat_columns(&st->opts.output, st->command);
	if (ret == GO_ON && st->prepare)
		ret = st->prepare(st);
	return ret ?: read_and_show(st);
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

int stat_options_parse(struct stat_options *o, const struct command *command,
		       const struct option_entry *options, int argc, char **argv)
{
	struct stat_analyses *a = &o->analyses;
	const struct analysis *analysis;
	int operands, ret;

	for (size_t i = 0; (analysis = analysis_at(i)); i++)
		a->asked[i] = analysis->use == ANALYSIS_COMMAND &&
			      stat_analyses_of(command->name, analysis);
	ret = options_parse(command, options, argc, argv, &operands);
	ret = ret ?: filter_words_deep(&o->filter, &o->skip, command->name);
	o->usual_sort = options_is_setting(argc, argv, o->sort);
	if (ret == GO_ON && (operands < argc || !o->no_default))
		ret = input_path(command->name, argc, argv, operands, &o->study.path);
	return ret;
}

uint32_t stat_kinds_needed(const bool of[MEMORY_KINDS])
{
	uint32_t needs = 0;

	for (int i = 0; i < MEMORY_KINDS; i++)
		needs |= of[i] ? analysis_memory((enum memory)i) : 0;
	return needs;
}

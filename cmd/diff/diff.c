// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * cmd: kmemx diff.
 * In: old and new recordings. Out: what changed between them, and whether rules hold.
 */
#include "cmd/diff/diff.h"

#include "cmd/options/message.h"

static const char command_name[] = "diff";

/* Sets the expected build of each module, if all recordings of the side have the same builds. */
static int expect_modules(struct directory_sources *sources, const struct diff_side *side)
{
	const struct module_places places = { .ids = side->found->ids,
					      .root = side->places.symfs };

	if (!sources->modules && sources->vmlinux && places.ids &&
	    module_files_new(&sources->modules))
		return message_no_memory(command_name);
	if (sources->modules)
		module_files_expect(sources->modules, &places);
	return GO_ON;
}

static int open_sources(struct diff *d, struct directory_sources *sources,
			const struct diff_side *side)
{
	struct dir_failure failure;
	int err;

	if (!diff_args_dirs(&d->args)) {
		err = dir_files_open_lines(sources, &side->dirs, NULL);
		if (err)
			return message_no_memory(command_name);
	} else {
		err = dir_files_open(sources, &side->dirs, &failure);
		if (err)
			return input_dirs_failed(command_name, &failure, err);
	}
	return side->found ? expect_modules(sources, side) : GO_ON;
}

static const char *ids_of(const struct diff_side *side)
{
	return side->found ? side->found->ids : NULL;
}

/* Opens the sources of both sides; once if both have the same files. */
static int open_both(struct diff *d)
{
	struct diff_side *old = &d->args.sides[0], *new = &d->args.sides[1];
	const struct dir_files *a = &old->dirs, *b = &new->dirs;
	int ret;

	old->sources = new->sources = &d->sources[0];
	ret = open_sources(d, &d->sources[0], old);
	if (ret != GO_ON ||
	    (text_same(a->vmlinux, b->vmlinux) && text_same(a->modules, b->modules) &&
	     text_same(a->source, b->source) && text_same(ids_of(old), ids_of(new))))
		return ret;
	new->sources = &d->sources[1];
	return open_sources(d, &d->sources[1], new);
}

/* Opens the sources of directories and inlined functions. Both sides must have inlined functions,
 * or neither uses them.
 */
static int open_dirs(struct diff *d)
{
	struct diff_side *sides = d->args.sides;
	bool dirs = diff_args_dirs(&d->args);
	int ret;

	if (!dirs && !diff_args_lines(&d->args))
		return GO_ON;
	ret = open_both(d);
	if (ret != GO_ON)
		return ret;
	d->args.choice.only_lines = !dirs;
	for (int i = 0; i < 2 && ret == GO_ON; i++) {
		const struct directory_sources *s = sides[i].sources;

		if (!s->vmlinux)
			d->args.choice.no_inline = true;
		if (diff_args_by_source(&d->args) && !s->vmlinux)
			ret = input_lines_none(command_name, sides[i].dirs.vmlinux);
	}
	if (d->args.choice.no_inline && !dirs && !diff_args_by_source(&d->args))
		sides[0].sources = sides[1].sources = NULL;
	return ret;
}

static int load_all(struct diff *d)
{
	size_t nr = d->args.paths.nr;
	int ret = d->args.kernels ? GO_ON : open_dirs(d);

	if (ret != GO_ON)
		return ret;
	d->recordings = calloc(nr, sizeof(*d->recordings));
	d->tables = calloc(nr, sizeof(*d->tables));
	d->sides = (struct diff_sides){ d->tables, d->args.paths.nr_old, nr };
	d->report = report_new();
	if (!d->recordings || !d->tables || !d->report)
		return message_no_memory(command_name);
	return d->args.kernels ? diff_kernels_load(d)
			       : diff_load_all(d->recordings, &d->args);
}

/* --- the tables -------------------------------------------------------------------------- */

static int failed(int err)
{
	return message_fail(EXIT_FAILED, command_name, "cannot compare: %s",
			    strerror(-err));
}

static int add_matrix(struct diff *d, const char *name)
{
	struct table *t;
	int err;

	if (!diff_gather(d, name))
		return GO_ON;
	err = diff_matrices(&d->sides, &t);
	if (err)
		return failed(err);
	table_add_note(t, "Change in the number of allocations (medians).");
	report_add_table(d->report, t);
	return GO_ON;
}

static void headline(struct diff *d, const struct table *t)
{
	struct strbuf __auto_free sb = { 0 };

	diff_headline(t, &sb);
	report_add_banner(d->report, false, "%s, %s: %s", t->name,
			  diff_args_main(&d->args), strbuf_text(&sb));
}

static int add_table(struct diff *d, const char *name)
{
	struct strbuf __auto_free title = { 0 };
	struct table *t;
	int err;

	if (!diff_gather(d, name))
		return GO_ON;
	err = diff_tables(&d->sides, &d->args.diff, &t);
	if (err)
		return failed(err);
	/* Do not sort a table that ran out of memory: names and texts may be missing. */
	err = t->failed ? -ENOMEM : table_sort(t, d->args.keys.keys, d->args.keys.nr);
	if (err) {
		table_free(t);
		return failed(err);
	}
	row_limit_apply(d->args.lines, t);
	headline(d, t);
	if (!d->args.kernels)
		diff_verdict(d, t);
	strbuf_printf(&title, "%s by %s", t->title, t->by);
	table_set_title(t, strbuf_text(&title));
	t->failed |= title.failed;
	report_add_table(d->report, t); /* takes ownership */
	return GO_ON;
}

/* A filter that matches nothing in any recording is an error. */
static int check_kept(const struct diff *d)
{
	const struct filter_words *words = &d->args.choice.words;
	bool unnamed = false;

	for (size_t i = 0; i < d->args.paths.nr; i++) {
		if (d->recordings[i].nr_kept || !filter_words_any(words))
			return GO_ON;
		unnamed |= d->recordings[i].unnamed;
	}
	return filter_words_nothing(words, command_name, d->recordings[0].path, unnamed);
}

/* Do not compare a kind of memory that some recording lacks: the table would be all zeros. Areas
 * are rare: say nothing if no recording has any.
 */
static void check_kind(struct diff *d, enum memory memory, const char *in,
		       const char *time)
{
	const char *word = memory_words(memory)->word;
	size_t nr = d->args.paths.nr, have = 0;

	for (size_t i = 0; i < nr; i++)
		have += d->recordings[i].has[memory];
	for (size_t i = 0; i < nr && d->args.of[memory]; i++) {
		if (d->recordings[i].has[memory])
			continue;
		d->args.of[memory] = false;
		if (memory == MEMORY_SLAB || memory == MEMORY_PAGE || have)
			report_add_banner(
				d->report, true,
				"%s contains no %s events%s%s; %s is not compared",
				d->recordings[i].path, word, in, time ? time : "", word);
	}
}

static int check_kinds(struct diff *d)
{
	const char *time = d->args.choice.window.time, *in = time ? " in the time " : "";
	bool any = false;

	for (int i = 0; i < MEMORY_KINDS; i++) {
		check_kind(d, (enum memory)i, in, time);
		any |= d->args.of[i];
	}
	if (any)
		return check_kept(d);
	return message_fail(
		EXIT_FAILED, command_name,
		"the recordings have none of the requested events in common%s%s\n  List the events of a recording%s: kmemx info FILE",
		in, time ? time : "", time ? " and its span" : "");
}

/* Adds the tables shown for two kernels. */
static int add_kernel_tables(struct diff *d)
{
	const struct report *first = d->recordings[0].report;
	int ret = GO_ON;

	for (size_t i = 0; i < first->nr_tables && ret == GO_ON; i++) {
		if (!first->tables[i]->hidden)
			ret = add_table(d, first->tables[i]->name);
	}
	return ret;
}

static int add_tables(struct diff *d)
{
	const struct diff_args *a = &d->args;
	int ret = GO_ON;

	for (size_t i = 0; i < a->choice.nr && ret == GO_ON; i++) {
		const struct analysis *analysis = a->choice.analyses[i];
		const struct table_type *const *tables = analysis->tables;

		if (analysis->use != ANALYSIS_DIFF || !diff_args_compares(a, analysis))
			continue;
		if (analysis->rows & ROWS(CACHE) ? a->cache : a->caller)
			ret = add_table(d, tables[0]->name);
		if (ret == GO_ON && a->matrix && tables[1])
			ret = add_matrix(d, tables[1]->name);
	}
	return ret;
}

/* --- the gate ---------------------------------------------------------------------------- */

/* Warns about bytes of unknown directories, which rules about directories do not cover. */
static void warn_unknown(struct diff *d, const struct table *t)
{
	int bytes = table_column(t, "bytes_new"), dir = table_column(t, "dir");
	double all = 0, unseen = 0;

	for (size_t i = 0; bytes >= 0 && dir >= 0 && i < t->nr_rows; i++) {
		const struct cell *row = &t->cells[i * t->nr_columns];
		double value = cell_as_real(&row[bytes]);

		all += value;
		if (!strcmp(row[dir].s, DIRECTORY_UNKNOWN) ||
		    !strcmp(row[dir].s, DIRECTORY_AMBIGUOUS))
			unseen += value;
	}
	if (unseen > 0 && gate_directory_rule(&d->args.rules))
		report_add_banner(
			d->report, true,
			"gate: %s: %.1f %% of the new bytes are from unknown directories; rules for directories do not cover them",
			t->name, 100 * unseen / all);
}

/* Are the losses of every recording within the limit? */
static bool trusts(const struct diff *d)
{
	return !ANY(i, d->args.paths.nr,
		    !lost_limit_holds(&d->args.max_lost, &d->recordings[i].facts));
}

static void banner_gate(struct diff *d)
{
	const struct gate_result *g = &d->gate;
	bool trusted = trusts(d);
	struct strbuf __auto_free others = { 0 };

	if (g->nr_undecided)
		strbuf_printf(&others, ", undecided: %zu", g->nr_undecided);
	if (g->nr_unchecked)
		strbuf_printf(&others, ", not checked: %zu", g->nr_unchecked);
	report_add_banner(d->report, !trusted || g->nr_broken || others.size,
			  "gate: %s: rules broken: %zu%s of %zu",
			  !trusted	    ? "UNRELIABLE (too many events lost)"
			  : g->nr_broken    ? "BROKEN"
			  : g->nr_unchecked ? "NOT CHECKED"
			  : g->nr_undecided ? "UNDECIDED"
					    : "holds",
			  g->nr_broken, strbuf_text(&others), d->args.rules.nr);
}

/* Lists the tables that rules are checked against: all but those that only the page shows. Returns
 * how many.
 */
static size_t gate_tables(const struct diff *d, const char *names[ANALYSES_MAX])
{
	const struct diff_choice *c = &d->args.choice;
	const struct report *first = d->recordings[0].report;
	size_t nr = 0;

	for (size_t i = 0; d->args.kernels && i < first->nr_tables; i++)
		names[nr++] = first->tables[i]->name;
	for (size_t i = 0; i < c->nr; i++) {
		if (diff_args_shows(&d->args, c->analyses[i]))
			names[nr++] = c->analyses[i]->tables[0]->name;
	}
	return nr;
}

/* Checks the rules against all rows, not only those shown. */
static int check_gate(struct diff *d)
{
	const char *names[ANALYSES_MAX];
	struct table *tables[ANALYSES_MAX];
	size_t nr = 0;
	int err;

	if (!d->args.rules.nr)
		return GO_ON;
	err = diff_whole_tables(d, names, gate_tables(d, names), tables, &nr);
	for (size_t i = 0; i < nr && !err; i++)
		warn_unknown(d, tables[i]);
	err = err ?: gate_check(&d->args.rules, tables, nr, d->args.diff.alpha, &d->gate);
	while (nr)
		table_free(tables[--nr]);
	if (err)
		return failed(err);
	banner_gate(d);
	report_banner_if(d->report, d->gate.nr_noise, false,
			 "gate: %" PRIu64
			 " row%s a limit, but not significantly; no rule is broken",
			 d->gate.nr_noise,
			 d->gate.nr_noise == 1 ? " exceeds" : "s exceed");
	report_add_fact(d->report, "rules", cell_uint(d->args.rules.nr));
	report_add_fact(d->report, "rules_broken", cell_uint(d->gate.nr_broken));
	report_add_fact(d->report, "rules_undecided", cell_uint(d->gate.nr_undecided));
	report_add_text_fact(d->report, "trusted", trusts(d) ? "yes" : "no");
	d->gate.broken->hidden = !d->gate.broken->nr_rows && !d->gate.broken->nr_notes;
	report_add_table(d->report, d->gate.broken);
	d->gate.broken = NULL;
	return GO_ON;
}

static int check_losses(const struct diff *d)
{
	int ret = EXIT_OK;

	for (size_t i = 0; i < d->args.paths.nr && ret == EXIT_OK; i++)
		ret = lost_limit_check(&d->args.max_lost, &d->recordings[i].facts,
				       command_name, EXIT_OK);
	return ret;
}

/* The exit code. Losses come first: with too many of them, the rules prove nothing. Messages repeat
 * the rest on stderr for a script's log.
 */
static int verdict(const struct diff *d)
{
	int ret = check_losses(d);

	if (ret != EXIT_OK)
		return ret;
	if (d->gate.nr_unchecked)
		return message_fail(
			EXIT_USAGE, command_name,
			"%zu of %zu rule%s could not be checked: see the report",
			d->gate.nr_unchecked, d->args.rules.nr, plural(d->args.rules.nr));
	if (d->gate.nr_broken)
		return message_fail(EXIT_FAILED, command_name, "rules broken: %zu of %zu",
				    d->gate.nr_broken, d->args.rules.nr);
	if (d->gate.nr_undecided && d->args.strict)
		return message_fail(
			EXIT_UNTRUSTED, command_name,
			"rules undecided: %zu of %zu: the uncertainty is larger than the limit",
			d->gate.nr_undecided, d->args.rules.nr);
	return EXIT_OK;
}

static int show(struct diff *d)
{
	int ret;

	diff_stand(d);
	ret = d->args.kernels ? GO_ON : check_kinds(d);
	ret = ret ?: (d->args.kernels ? add_kernel_tables(d) : add_tables(d));
	ret = ret ?: check_gate(d);
	if (ret != GO_ON)
		return check_losses(d) == EXIT_UNTRUSTED ? EXIT_UNTRUSTED : ret;
	ret = diff_page(d);
	if (ret != GO_ON)
		return ret;
	if (!d->args.kernels)
		report_add_table(d->report, diff_recordings_table(d));
	if (!report_ok(d->report))
		return message_no_memory(command_name);
	ret = output_report(&d->args.output, command_name, d->report, render_text);
	return ret == EXIT_OK ? verdict(d) : ret;
}

static int run_diff(int argc, char **argv)
{
	struct diff d = { 0 };
	int ret;

	options_command_line(&d.command, argc, argv, "html");
	ret = diff_args_parse(&d.args, &command_diff, argc, argv);
	ret = ret ?: load_all(&d);
	ret = ret ?: show(&d);
	for (size_t i = 0; d.recordings && i < d.args.paths.nr; i++)
		diff_recording_free(&d.recordings[i]);
	directory_sources_free(&d.sources[0]);
	directory_sources_free(&d.sources[1]);
	free(d.recordings);
	free(d.tables);
	table_free(d.gate.broken);
	report_free(d.report);
	strbuf_free(&d.command);
	diff_args_free(&d.args);
	return ret;
}

static const struct option_renamed renamed[] = { { "columns", "metrics" },
						 { NULL, NULL } };

const struct command command_diff = {
	command_name,
	"compare recordings, and fail when a limit is exceeded",
	COMMAND_COMPARE,
	run_diff,
	.about = "Compare recordings, or two kernels (vmlinux).",
	.usage = "kmemx diff [options] [OLD NEW]\n"
		 "kmemx diff [options] OLD... -- NEW...",
	.examples = "  kmemx diff before.dat after.dat --page -l 20\n"
		    "  kmemx diff old/ new/ --fail-on 'net>+5%&+64K' --max-lost 0\n",
	.renamed = renamed,
};

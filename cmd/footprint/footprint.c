// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * cmd: kmemx footprint.
 * In: the ELF files of a kernel, perhaps a recording. Out: the memory of each part of its source.
 */
#include "analysis/footprint/footprint.h"

#include "cmd/footprint/footprint_files.h"
#include "cmd/options/message.h"
#include "cmd/output/text_output.h"
#include "cmd/stat/stat_keys.h"
#include "cmd/stat/stat_run.h"
#include "report/tree.h"
#include "report/web/rings.h"

static const char command_name[] = "footprint";

/* Default depth: "fs", "fs/ext4". */
#define LEVELS 2

/* The state of the command. @st must be first: finish() casts a pointer to it. */
struct footprint_run {
	struct stat_run st;
	struct footprint_files files;
	struct footprint_options *opts; /* in @st */
	struct alloc_filter within;
	const char *attr, *rings;
	uint64_t depth;
	bool page;
};

static int parse(struct footprint_run *run, int argc, char **argv)
{
	struct stat_options *o = &run->st.opts;
	const char *keys[STAT_KEYS_MAX + 1];
	const struct option_entry options[] = {
		{ OPTION_GROUP, 0, NULL, NULL, NULL, "What to read" },
		{ OPTION_STRING | OPTION_EVERYDAY, 0, "vmlinux", "FILE",
		  &run->files.vmlinux, "the kernel, as linked" },
		{ OPTION_STRING | OPTION_EVERYDAY, 0, "kernel", "TREE",
		  &run->files.kernel, "a build tree: its vmlinux and its modules" },
		{ OPTION_STRING, 0, "symfs", "DIR", &o->study.places.symfs,
		  "look for the kernel below DIR, its machine's root" },
		{ OPTION_FLAG, 0, "debuginfod", NULL, &o->study.places.debuginfod,
		  "else get it from the servers in $DEBUGINFOD_URLS" },
		{ OPTION_STRING | OPTION_EVERYDAY, 0, "modules", "DIR",
		  &run->files.modules, "also count modules: /lib/modules/VERSION" },
		{ OPTION_STRING, 0, "source", "DIR", &run->files.source,
		  "directories, where debug information has none" },
		{ OPTION_STRING | OPTION_EVERYDAY, 'i', "input", "FILE", &o->study.path,
		  "a recording, for what was allocated (-: standard input)" },
		TIME_OPTION(o->study.window),
		INSTANCE_OPTION(o->study.window),
		STAT_JOBS_OPTIONS(o),
		{ OPTION_STRING | OPTION_EVERYDAY, 0, "attr", "WHAT", &run->attr,
		  "static, current, current_dynamic, total_dynamic, waste",
		  footprint_attrs },
		{ OPTION_FLAG | OPTION_EVERYDAY, 0, "page", NULL, &run->page,
		  "add pages from the recording, not slab objects" },
		{ OPTION_ROWS | OPTION_EVERYDAY, 0, "depth", "N|all", &run->depth,
		  "levels of the tree (default 2)" },
		STAT_SORT_OPTION(o, "sort keys, e.g. bss,-text", keys),
		STAT_ROW_OPTIONS(o),
		{ OPTION_STRING | OPTION_EVERYDAY, 0, "rings", "FILE", &run->rings,
		  "draw the whole tree as rings: FILE.svg or FILE.html" },
		{ OPTION_FLAG, 0, "sections", NULL, &run->opts->sections,
		  "also show the sections of the files" },
		FILTER_OPTIONS(o->filter),
		STAT_FORM_GROUP,
		SKIP_OPTION(o->skip),
		{ OPTION_COUNT, 'v', "verbose", NULL, &o->verbose,
		  "full summary, skipped functions; more messages" },
		FORMAT_OPTIONS(o->output),
		SUMMARY_OPTION(o->output),
		STAT_OUTPUT_OPTIONS(o),
	};

	stat_keys_words(keys, command_name);
	o->no_default = true;
	return stat_options_parse(o, &command_footprint, options, argc, argv);
}

/* Rejects options that need a recording if none is given. */
static int check_recording(const struct footprint_run *run)
{
	const struct stat_options *o = &run->st.opts;
	struct filter_words others = o->filter;
	const char *what;

	others.dirs.count = 0; /* --dir also works without a recording */
	what = o->study.window.time	   ? "--time"
	       : o->study.window.instance  ? "--instance"
	       : o->max_lost.text	   ? "--max-lost"
	       : run->page		   ? "--page"
	       : o->skip.count		   ? "--skip-func"
	       : filter_words_any(&others) ? "a filter of allocations"
					   : NULL;

	if (o->study.path)
		return GO_ON;
	if (run->opts->attr != FOOTPRINT_STATIC)
		return message_fail(EXIT_USAGE, command_name,
				    "--attr %s needs a recording\n  Give it: -i FILE",
				    run->attr);
	if (!what)
		return GO_ON;
	return message_fail(EXIT_USAGE, command_name,
			    "%s needs a recording\n  Give it: -i FILE", what);
}

static bool is_page(const char *path)
{
	return text_ends(path, ".html") || text_ends(path, ".htm");
}

/* Adds the directories of --dir. GO_ON, or EXIT_FAILED after a message. */
static int choose_dirs(struct footprint_run *run)
{
	const struct option_strings *given = &run->st.opts.filter.dirs;
	int err = 0;

	for (size_t i = 0; i < given->count && !err; i++) {
		char *list = strdup(given->items[i]), *p = list;

		while (p && !err)
			err = alloc_filter_add_dir(&run->within, text_next_word(&p));
		free(list);
		err = list ? err : -ENOMEM;
	}
	if (given->count)
		run->opts->within = &run->within;
	return err ? message_no_memory(command_name) : GO_ON;
}

/* Sets defaults and checks the options. */
static int choose(struct footprint_run *run)
{
	int attr = run->st.opts.study.path ? FOOTPRINT_CURRENT : FOOTPRINT_STATIC;

	if (run->attr)
		attr = option_choose("--attr", run->attr, footprint_attrs, command_name);
	if (attr < 0)
		return EXIT_USAGE;
	if (run->rings && !is_page(run->rings) && !text_ends(run->rings, ".svg"))
		return message_fail(EXIT_USAGE, command_name,
				    "--rings %s: the name must end in .svg or .html",
				    run->rings);
	run->opts->attr = (enum footprint_attr)attr;
	run->opts->fp = &run->files.fp;
	run->st.opts.analyses.opts.needs = run->page ? NEEDS_PAGE : NEEDS_SLAB;
	if (run->page && attr == FOOTPRINT_WASTE)
		return message_fail(
			EXIT_USAGE, command_name,
			"--attr waste cannot be used with --page: pages have no waste");
	if (!run->depth)
		run->depth = LEVELS;
	if (run->opts->sections && run->st.opts.filter.dirs.count)
		return message_fail(
			EXIT_USAGE, command_name,
			"--sections cannot be used with --dir: sections have no directory");
	return choose_dirs(run);
}

/* Cuts the tree at --depth. */
static void cut(const struct footprint_run *run, struct table *t)
{
	size_t hidden = tree_cut(t, run->depth);

	table_note_if(t, hidden,
		      "%zu row%s of the next level %s not shown (--depth %" PRIu64 ").",
		      hidden, plural(hidden), hidden == 1 ? "is" : "are", run->depth);
}

/* Writes the picture or the page. */
static int draw(const struct footprint_run *run, struct table *t)
{
	const struct rings_options o = {
		.size = "bytes",
		.name = "name",
		.title = text_after_slash(run->files.vmlinux),
		.what = t->title,
	};
	struct text_output file = TEXT_OUTPUT_INIT;
	const struct render_out out = { text_output_write, &file };
	const char *path = run->st.opts.study.path;
	int ret = text_output_open(&file, run->rings, path ? path : run->files.vmlinux,
				   command_name);
	int err;

	if (ret != GO_ON)
		return ret;
	err = table_sort_usual(t);
	if (!err)
		err = is_page(run->rings) ? rings_html(t, &o, &out)
					  : rings_svg(t, &o, &out);
	ret = text_output_end(&file, err, run->rings, command_name);
	if (ret == EXIT_OK)
		text_output_say_page(run->rings);
	return ret;
}

static int finish(struct stat_run *st)
{
	struct footprint_run *run = (struct footprint_run *)st;
	int ret = GO_ON;

	footprint_files_banner(&run->files, st->report);
	for (size_t i = 0; i < st->report->nr_tables && ret == GO_ON; i++) {
		struct table *t = st->report->tables[i];

		if (t->tree && run->rings)
			ret = draw(run, t);
		if (t->tree)
			cut(run, t);
	}
	return ret;
}

/* Says which directories --dir selected. */
static void say_dirs(struct stat_run *st)
{
	struct strbuf __auto_free text = { 0 };

	if (!st->opts.filter.dirs.count)
		return;
	filter_words_text(&st->opts.filter, &text);
	report_add_banner(st->report, false, "Filter: only %s", strbuf_text(&text));
	st->report->failed |= text.failed;
}

/* The report without a recording. */
static int show_static(struct footprint_run *run)
{
	struct stat_run *st = &run->st;
	int ret;

	st->report = report_new();
	if (!st->report || footprint_report(run->opts, st->report))
		return message_no_memory(command_name);
	st->report->subject = "kernel";
	report_add_text_fact(st->report, "vmlinux", run->files.vmlinux);
	report_add_fact(st->report, "modules", cell_uint(run->files.nr_modules));
	if (!report_ok(st->report))
		return message_no_memory(command_name);
	if (!st->report->tables[0]->nr_rows && st->opts.filter.dirs.count)
		return message_fail(EXIT_FAILED, command_name,
				    "%s has nothing in --dir %s", run->files.vmlinux,
				    st->opts.filter.dirs.items[0]);
	say_dirs(st);
	ret = finish(st);
	ret = ret ?: stat_run_sort(st);
	if (ret != GO_ON)
		return ret;
	if (!report_ok(st->report))
		return message_no_memory(command_name);
	st->opts.output.verbose = st->opts.verbose != 0;
	return output_report(&st->opts.output, command_name, st->report, render_text);
}

static int prepare(struct stat_run *st)
{
	struct footprint_run *run = (struct footprint_run *)st;
	int ret = check_recording(run);

	if (ret == GO_ON)
		ret = footprint_files_check(&run->files, &st->opts.study.places,
					    command_name);
	if (ret == GO_ON)
		ret = footprint_search(&run->files, st->opts.study.path,
				       &st->opts.study.places, st->opts.verbose,
				       command_name);
	ret = ret ?: footprint_files_open(&run->files, command_name);
	if (ret != GO_ON)
		return ret;
	if (!st->opts.study.path)
		return show_static(run) ?: EXIT_DONE;
	st->opts.study.places = (struct debug_places){ 0 }; /* already searched */
	st->opts.study.symbols.vmlinux = run->files.vmlinux;
	st->opts.study.sources = &run->files.sources;
	return GO_ON;
}

static int run_footprint(int argc, char **argv)
{
	struct footprint_run run = {
		.st = { .command = command_name, .prepare = prepare, .finish = finish }
	};
	int ret;

	run.opts = stat_analyses_own(&run.st.opts.analyses, command_name);
	ret = parse(&run, argc, argv);
	ret = ret ?: choose(&run);
	ret = ret ?: stat_run(&run.st);
	stat_run_free(&run.st);
	footprint_files_free(&run.files);
	alloc_filter_free(&run.within);
	return ret;
}

const struct command command_footprint = {
	command_name,
	"show how much memory each part of a kernel takes",
	COMMAND_LOOK,
	run_footprint,
	.seldom = true,
	.usage = "kmemx footprint [options] [RECORDING]",
	.examples = "  kmemx footprint --vmlinux vmlinux --depth 3 -l 40\n"
		    "  kmemx footprint --kernel ~/linux kmemx.dat --attr current\n",
};

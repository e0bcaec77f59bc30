// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * cmd: kmemx report.
 * In: a recording. Out: an interactive page for a browser, in one file.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/browse/report_rows.h"
#include "base/shell_word.h"
#include "cmd/options/command.h"
#include "cmd/options/message.h"
#include "cmd/output/text_output.h"
#include "cmd/stat/stat_options.h"
#include "report/web/web_report.h"

static const char command_name[] = "report";

/* The state of the command. @st must be first: prepare() and finish() cast a pointer to it. */
struct report_run {
	struct stat_run st;
	const char *page;
	struct web_report web;
};

static int parse(struct report_run *run, int argc, char **argv)
{
	struct stat_options *o = &run->st.opts;
	const struct option_words checked[] = { { .option = NULL } };
	const struct option_usage usage = {
		.command = command_name,
		.purpose = "Make a page for a browser from a recording, in one file.",
		.usage = "kmemx report [options] -o PAGE.html [FILE]",
		.examples = "  kmemx report -o report.html\n"
			    "  kmemx report boot.dat --time ,50% -o boot.html\n",
		.words = checked,
		.short_help = true,
	};
	const struct option_entry options[] = {
		STAT_INPUT_OPTIONS(o),
		STAT_SYMBOL_OPTIONS(o),
		STAT_DIR_OPTIONS(o),
		STAT_JOBS_OPTIONS(o),
		MAX_LOST_OPTION(o->max_lost),
		FILTER_OPTIONS(o->filter),
		STAT_FORM_GROUP,
		STAT_SITE_OPTIONS(o),
		{ OPTION_STRING | OPTION_EVERYDAY, 'o', "output", "FILE", &run->page,
		  "the page to write: open it in a browser" },
		OPTIONS_END
	};

	return stat_options_parse(o, &usage, options, argc, argv);
}

/* Called before the recording is read. */
static int prepare(struct stat_run *st)
{
	struct report_run *run = (struct report_run *)st;

	if (run->page)
		return GO_ON;
	message_error(
		command_name,
		"-o is missing: the page to write\n  Try: kmemx report -o report.html");
	return EXIT_USAGE;
}

/* Appends to the struct strbuf @ctx. */
static int append(void *ctx, const char *data, size_t size)
{
	struct strbuf *sb = ctx;

	strbuf_add(sb, data, size);
	return sb->failed ? -ENOMEM : 0;
}

/* The tables of kmemx summary as text, without the lines above them. */
static int summary_text(const struct report *report, struct strbuf *text)
{
	const struct render_options how = { .utf8 = true };
	const struct render_out out = { append, text };
	struct report tables = { .tables = report->tables,
				 .nr_tables = report->nr_tables };

	return render_text(&tables, &how, &out);
}

static void add_option(struct strbuf *text, const char *option, const char *word)
{
	strbuf_printf(text, " --%s ", option);
	shell_word(text, word, strlen(word));
}

/* Appends the filter and the functions to skip, as options. */
static void list_options(const struct stat_options *o, struct strbuf *text)
{
	const struct {
		const char *option;
		const struct option_strings *words;
	} lists[] = {
		{ "pid", &o->filter.pids },	  { "comm", &o->filter.comms },
		{ "cpu", &o->filter.cpus },	  { "node", &o->filter.nodes },
		{ "callsite", &o->filter.sites }, { "dir", &o->filter.dirs },
		{ "cache", &o->filter.caches },	  { "gfp", &o->filter.gfps },
		{ "order", &o->filter.orders },	  { "skip-func", &o->skip },
	};
	size_t i, k;

	for (i = 0; i < ARRAY_SIZE(lists); i++) {
		for (k = 0; k < lists[i].words->count; k++)
			add_option(text, lists[i].option, lists[i].words->items[k]);
	}
}

/* Appends options with which other commands read and filter the same: "-i FILE --comm git". */
static void input_options(const struct stat_options *o, const char *path,
			  struct strbuf *text)
{
	const struct {
		const char *option, *word;
	} given[] = {
		{ "instance", o->window.instance },
		{ "kallsyms", o->symbols.kallsyms },
		{ "system-map", o->symbols.system_map },
		{ "vmlinux", o->symbols.vmlinux },
		{ "kernel", o->places.kernel },
		{ "symfs", o->places.symfs },
		{ "modules", o->modules },
		/* other commands take it only with --dir */
		{ "source", o->filter.dirs.count ? o->source : NULL },
	};
	const struct {
		const char *option;
		bool set;
	} flags[] = { { "sites", o->sites },
		      { "raw-ip", o->raw_ip },
		      { "raw-names", o->raw_names },
		      { "no-inline", o->no_inline },
		      { "debuginfod", o->places.debuginfod } };
	size_t i;

	strbuf_puts(text, "-i ");
	shell_word(text, path, strlen(path));
	for (i = 0; i < ARRAY_SIZE(given); i++) {
		if (given[i].word)
			add_option(text, given[i].option, given[i].word);
	}
	for (i = 0; i < ARRAY_SIZE(flags); i++) {
		if (flags[i].set)
			strbuf_printf(text, " --%s", flags[i].option);
	}
	list_options(o, text);
}

static int write_page(const struct report_run *run, const struct render_out *out)
{
	const struct report *report = run->st.report;
	const char *path = run->st.in.study.path;
	const char *slash = strrchr(path, '/');
	struct strbuf summary = { 0 }, input = { 0 };
	struct web_report_options o = { .file = slash ? slash + 1 : path,
					.window = run->st.opts.window.time };
	int err = summary_text(report, &summary);

	input_options(&run->st.opts, path, &input);
	o.summary = strbuf_text(&summary);
	o.input = strbuf_text(&input);
	if (!err && (summary.failed || input.failed))
		err = -ENOMEM;
	if (!err)
		err = web_report_html(&run->web, report, &o, out);
	strbuf_free(&summary);
	strbuf_free(&input);
	return err;
}

/* Writes the page. EXIT_OK ends the command: there is nothing else to show. */
static int finish(struct stat_run *st)
{
	const struct report_run *run = (const struct report_run *)st;
	struct text_output file = TEXT_OUTPUT_INIT;
	const struct render_out out = { text_output_write, &file };
	int ret, err;

	ret = text_output_open(&file, run->page, st->in.study.path, command_name);
	if (ret != GO_ON)
		return ret;
	text_output_share(
		&file); /* a page is made to be sent to others, and often written with sudo */
	err = write_page(run, &out);
	if (!err)
		err = text_output_commit(&file);
	text_output_close(&file);
	if (!err) {
		text_output_say_page(run->page);
		return EXIT_OK;
	}
	message_error(command_name, "cannot write %s: %s", run->page, strerror(-err));
	return EXIT_FAILED;
}

static int run_report(int argc, char **argv)
{
	struct report_run run = {
		.st = { .command = command_name, .prepare = prepare, .finish = finish }
	};
	struct report_options *own;
	int ret;

	own = stat_analyses_own(&run.st.opts.analyses, command_name);
	own->web = &run.web;
	run.st.opts.dirs_if_known = true;
	ret = parse(&run, argc, argv);
	if (ret == GO_ON)
		ret = stat_run(&run.st);
	stat_run_free(&run.st);
	web_report_free(&run.web);
	return ret;
}

const struct command command_report = {
	.name = command_name,
	.purpose = "make a page for a browser, in one file",
	.group = COMMAND_LOOK,
	.run = run_report,
};

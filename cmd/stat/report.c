// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * cmd: kmemx report.
 * In: a recording. Out: an interactive page for a browser, in one file.
 */

#include "analysis/browse/report_rows.h"
#include "base/safe_text.h"
#include "cmd/options/message.h"
#include "cmd/output/page_server.h"
#include "cmd/output/text_output.h"
#include "cmd/stat/stat_run.h"

static const char command_name[] = "report";

/* The state of the command. @st must be first: prepare() and finish() cast a pointer to it. @to:
 * receives the page if it is served.
 */
struct report_run {
	struct stat_run st;
	const char *page;
	bool serve;
	uint64_t port;
	struct strbuf *to;
	struct web_report web;
};

static int parse(struct report_run *run, int argc, char **argv)
{
	struct stat_options *o = &run->st.opts;
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
		  "the page to write, for a browser; -: standard output" },
		{ OPTION_FLAG | OPTION_EVERYDAY, 0, "serve", NULL, &run->serve,
		  "show it here, and parts of the time in detail, until Ctrl-C" },
		{ OPTION_UINT, 0, "port", "N", &run->port,
		  "--serve on this port (default: one that is free)" },
		OPTIONS_END
	};

	return stat_options_parse(o, &command_report, options, argc, argv);
}

/* Called before the recording is read. */
static int prepare(struct stat_run *st)
{
	struct report_run *run = (struct report_run *)st;

	if (run->port && !run->serve)
		return message_fail(
			EXIT_USAGE, command_name,
			"--port needs --serve: a page that is written has none");
	if (run->page || run->serve)
		return GO_ON;
	return message_fail(
		EXIT_USAGE, command_name,
		"-o is missing: the page to write\n  Try: kmemx report -o report.html");
}

/* The tables of kmemx summary as text, without the lines above them. */
static int summary_text(const struct report *report, struct strbuf *text)
{
	const struct render_options how = { .utf8 = true };
	const struct render_out out = { render_append, text };
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
		{ "pid", &o->filter.pids },	 { "comm", &o->filter.comms },
		{ "cgroup", &o->filter.groups }, { "cpu", &o->filter.cpus },
		{ "node", &o->filter.nodes },	 { "callsite", &o->filter.sites },
		{ "dir", &o->filter.dirs },	 { "cache", &o->filter.caches },
		{ "gfp", &o->filter.gfps },	 { "order", &o->filter.orders },
		{ "skip-func", &o->skip },
	};

	for (size_t i = 0; i < ARRAY_SIZE(lists); i++) {
		for (size_t k = 0; k < lists[i].words->count; k++)
			add_option(text, lists[i].option, lists[i].words->items[k]);
	}
}

/* Appends the options that make another command read and filter the same: "-i FILE --comm git". */
static void input_options(const struct stat_options *o, const char *path,
			  struct strbuf *text)
{
	const struct {
		const char *option, *word;
	} given[] = {
		{ "instance", o->study.window.instance },
		{ "kallsyms", o->study.symbols.kallsyms },
		{ "system-map", o->study.symbols.system_map },
		{ "vmlinux", o->study.symbols.vmlinux },
		{ "kernel", o->study.places.kernel },
		{ "symfs", o->study.places.symfs },
		{ "modules", o->study.dirs.modules },
		/* other commands take --source only with --dir */
		{ "source", o->filter.dirs.count ? o->study.dirs.source : NULL },
	};
	const struct {
		const char *option;
		bool set;
	} flags[] = { { "sites", o->sites },
		      { "raw-ip", o->raw_ip },
		      { "raw-names", o->raw_names },
		      { "no-inline", o->study.no_inline },
		      { "debuginfod", o->study.places.debuginfod } };

	strbuf_puts(text, "-i ");
	shell_word(text, path, strlen(path));
	for (size_t i = 0; i < ARRAY_SIZE(given); i++) {
		if (given[i].word)
			add_option(text, given[i].option, given[i].word);
	}
	for (size_t i = 0; i < ARRAY_SIZE(flags); i++) {
		if (flags[i].set)
			strbuf_printf(text, " --%s", flags[i].option);
	}
	list_options(o, text);
}

static int write_page(const struct report_run *run, const struct render_out *out)
{
	const struct report *report = run->st.report;
	const char *path = run->st.in.study.path;
	struct strbuf __auto_free summary = { 0 }, input = { 0 };
	struct web_report_options o = { .file = text_after_slash(path),
					.window = run->st.opts.study.window.time,
					.served = run->to };
	int err = summary_text(report, &summary);

	input_options(&run->st.opts, path, &input);
	o.summary = strbuf_text(&summary);
	o.input = strbuf_text(&input);
	if (!err && (summary.failed || input.failed))
		err = -ENOMEM;
	return err ? err : web_report_html(&run->web, report, &o, out);
}

/* Appends the page to @run->to, from where it is served. */
static int finish_served(const struct report_run *run)
{
	const struct render_out out = { render_append, run->to };
	int err = write_page(run, &out);

	return err ? message_fail(EXIT_FAILED, command_name, "cannot make the page: %s",
				  strerror(-err))
		   : EXIT_DONE;
}

/* Writes the page: there is nothing else to show. */
static int finish(struct stat_run *st)
{
	const struct report_run *run = (const struct report_run *)st;
	struct text_output file = TEXT_OUTPUT_INIT;
	const struct render_out out = { text_output_write, &file };
	int ret;

	if (run->to)
		return finish_served(run);
	ret = text_output_open(&file, run->page, st->in.study.path, command_name);
	if (ret != GO_ON)
		return ret;
	text_output_share(
		&file); /* a page is meant to be shared, and often written with sudo */
	ret = text_output_end(&file, write_page(run, &out), run->page, command_name);
	if (ret == EXIT_OK)
		text_output_say_page(run->page);
	return ret ?: EXIT_DONE;
}

/* How the command was called. @log: the data of the whole recording's page, for parts of it. */
struct call {
	int argc;
	char **argv;
	struct report_log log;
};

/* Runs the command. If @to is set, appends to it a page to serve, of @time unless NULL. @ask
 * receives the parsed options. Without @to, returns GO_ON if the user asked to serve pages.
 */
static int run_once(struct call *call, const char *time, struct strbuf *to,
		    struct report_run *ask)
{
	struct report_run run = {
		.st = { .command = command_name, .prepare = prepare, .finish = finish },
		.to = to
	};
	/* Parsing changes the order of the words. */
	char **argv __auto_mem = calloc((size_t)call->argc + 1, sizeof(*argv));
	struct report_options *own;
	int ret;

	if (!argv)
		return message_no_memory(command_name);
	memcpy(argv, call->argv, (size_t)call->argc * sizeof(*argv));
	own = stat_analyses_own(&run.st.opts.analyses, command_name);
	own->web = &run.web;
	own->log = to && !time ? &call->log : NULL;
	run.st.opts.study.dirs_of_lines = true;
	ret = parse(&run, call->argc, argv);
	if (time)
		run.st.opts.study.window.time = time;
	*ask = (struct report_run){ .page = run.page,
				    .serve = run.serve,
				    .port = run.port,
				    .st.opts.study.path = run.st.opts.study.path };
	if (ret == GO_ON && (to || !run.serve))
		ret = stat_run(&run.st);
	stat_run_free(&run.st);
	web_report_free(&run.web);
	return ret;
}

/* Makes a page to serve. */
static int make_page(void *ctx, const char *time, struct strbuf *page)
{
	struct report_run ask;
	int ret = run_once(ctx, time, page, &ask);

	return ret == EXIT_DONE ? EXIT_OK : ret;
}

/* Makes a part of the whole recording's page. */
static int make_part(void *ctx, const char *words, struct strbuf *to)
{
	struct report_piece pieces[REPORT_PART_PIECES];
	const struct call *call = ctx;
	const struct render_out out = { render_append, to };
	struct web_report part = { 0 };
	int ret = report_pieces_parse(words, pieces);

	if (ret > 0)
		ret = report_log_part(&call->log, pieces, (size_t)ret, &part);
	ret = ret ?: web_columns_write(&part, true, &out);
	web_report_free(&part);
	return ret;
}

static int serve(struct call *call, const struct report_run *ask)
{
	const struct page_server server = { .command = command_name,
					    .port = (uint16_t)ask->port,
					    .make = make_page,
					    .part = make_part,
					    .ctx = call };

	if (ask->page)
		return message_fail(EXIT_USAGE, command_name,
				    "-o and --serve cannot be used together");
	if (ask->port > UINT16_MAX)
		return message_fail(EXIT_USAGE, command_name,
				    "--port %" PRIu64 ": the largest port is %d",
				    ask->port, UINT16_MAX);
	if (!strcmp(ask->st.opts.study.path, "-"))
		return message_fail(
			EXIT_USAGE, command_name,
			"--serve cannot read standard input, which it would need more than once\n  Give a file");
	return page_server_run(&server);
}

static int run_report(int argc, char **argv)
{
	struct call call = { .argc = argc, .argv = argv };
	struct report_run ask;
	int ret = run_once(&call, NULL, NULL, &ask);

	ret = ret ?: serve(&call, &ask);
	report_log_free(&call.log);
	return ret;
}

const struct command command_report = {
	command_name,
	"make a page for a browser, in one file",
	COMMAND_LOOK,
	run_report,
	.about = "Make a page for a browser from a recording, in one file.",
	.usage = "kmemx report [options] -o PAGE.html|--serve [FILE]",
	.examples = "  kmemx report -o report.html\n"
		    "  kmemx report --serve large.dat\n",
};

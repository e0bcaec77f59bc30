// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * cmd: kmemx export.
 * In: a recording. Out: who allocated what, in a format that other programs open.
 */
#include <sys/stat.h>
#include <unistd.h>

#include "analysis/rows_out/export_history.h"
#include "base/io.h"
#include "base/new_file.h"
#include "cmd/options/message.h"
#include "cmd/output/output.h"
#include "cmd/output/text_output.h"
#include "cmd/stat/stat_run.h"
#include "export/fields.h"
#include "recording/recording.h"
#include "recording/sample.h"

static const char command_name[] = "export";

/* The options that only this command has. @output: a file; NULL or "-" is standard output. @into: a
 * directory to write to instead; the path below it is made from day, kernel, host and recording.
 */
struct export_args {
	const char *format, *weight, *output, *into, *before;
	bool of[MEMORY_KINDS];
	const struct exporter *exporter;
	struct export_history history;
	struct export_pairs pairs;
	struct export_options options;
};

/* @input: the recording, which must not be overwritten. */
struct writing {
	const struct export_args *args;
	const struct report *report;
	const char *input;
};

/* An output that remembers whether anything was written. */
struct watched {
	const struct render_out *to;
	bool any;
};

static int write_watched(void *ctx, const char *data, size_t size)
{
	struct watched *w = ctx;

	w->any |= size > 0;
	return w->to->write(w->to->ctx, data, size);
}

/* Says why the output is empty: formats that consist only of rows cannot. */
static void tell_empty(const struct writing *w)
{
	const struct export_weight *weight = w->args->options.weight;

	if (weight)
		message_info(
			"--weight %s is 0 for all that was chosen of %s: the output is empty",
			weight->name, w->input);
	else
		message_info(
			"%s has no allocations in what was chosen: the output is empty",
			w->input);
}

static int write_rows(const struct render_out *to, const void *arg)
{
	const struct writing *w = arg;
	struct watched watched = { .to = to };
	const struct render_out out = { write_watched, &watched };
	int err = export_report(w->args->exporter, &w->args->options, w->report, &out);

	if (!err && !watched.any)
		tell_empty(w);
	return err;
}

static int write_file(const struct writing *w, const char *path)
{
	struct text_output file = TEXT_OUTPUT_INIT;
	const struct render_out out = { text_output_write, &file };
	int ret = text_output_open(&file, path, w->input, command_name);

	return ret == GO_ON
		       ? text_output_end(&file, write_rows(&out, w), path, command_name)
		       : ret;
}

/* Hive's name of the directory for rows whose value is unknown. */
#define HIVE_NULL "__HIVE_DEFAULT_PARTITION__"

/* Appends @text as part of a file name, as Hive writes it: special characters become %xx. */
static void add_name(struct strbuf *path, const char *text, const char *unknown)
{
	static const char plain[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_+";
	const char *p;

	for (p = text; *p; p++) {
		if (strchr(plain, *p) || (*p == '.' && p > text))
			strbuf_add(path, p, 1);
		else
			strbuf_printf(path, "%%%02x", (unsigned char)*p);
	}
	if (!*text)
		strbuf_puts(path, unknown);
}

static int make_dir(const struct strbuf *path)
{
	if (path->failed || !mkdir(strbuf_text(path), 0777) || errno == EEXIST)
		return GO_ON;
	return message_fail(EXIT_FAILED, command_name,
			    "cannot create the directory %s: %s", strbuf_text(path),
			    strerror(errno));
}

/* The text of a fact about the recording, or "" if unknown. */
static const char *fact_of(const struct report *report, const char *name)
{
	const struct cell *fact = report_fact(report, name);

	return fact->type == CELL_TEXT ? fact->s : "";
}

/* Another user's link must not choose where root writes. */
static int check_into(const char *into)
{
	int fd __auto_fd = new_file_open_dir(into, new_file_sudo_id("SUDO_UID"));

	if (fd != -EPERM)
		return GO_ON;
	return message_fail(
		EXIT_FAILED, command_name,
		"--into: '%s' is a symbolic link of another user\n  Name the directory itself",
		into);
}

/* Makes the path DIR/dt=2026-11-22/kernel=6.1.0/HOST-ID.parquet, and its directories. */
static int make_path(struct strbuf *path, const struct writing *w)
{
	const struct export_origin *o = w->args->options.origin;
	const char *into = w->args->into;
	int ret = check_into(into);

	strbuf_puts(path, into);
	ret = ret ?: make_dir(path);
	strbuf_puts(path, "/dt=");
	add_name(path, o->day, HIVE_NULL);
	ret = ret ?: make_dir(path);
	strbuf_puts(path, "/kernel=");
	add_name(path, fact_of(w->report, "kernel"), HIVE_NULL);
	ret = ret ?: make_dir(path);
	strbuf_puts(path, "/");
	add_name(path, fact_of(w->report, "host"), "unknown");
	strbuf_printf(path, "-%s.%s", o->id, w->args->exporter->suffix);
	if (ret != GO_ON || !path->failed)
		return ret;
	return message_no_memory(command_name);
}

static int write_into(const struct writing *w)
{
	struct strbuf __auto_free path = { 0 };
	int ret = make_path(&path, w);

	ret = ret ?: write_file(w, strbuf_text(&path));
	if (ret == EXIT_OK)
		printf("%s\n", strbuf_text(&path));
	return ret;
}

#define WEIGHTS_MAX 8

static void weight_words(const char *words[WEIGHTS_MAX + 1])
{
	size_t i;

	for (i = 0; i < WEIGHTS_MAX && export_weights[i].name; i++)
		words[i] = export_weights[i].name;
	words[i] = NULL;
}

static int parse(struct export_args *args, struct stat_options *o, int argc, char **argv)
{
	const char *weights[WEIGHTS_MAX + 1];
	const struct option_entry options[] = {
		STAT_INPUT_OPTIONS(o),
		STAT_SYMBOL_OPTIONS(o),
		STAT_DIR_OPTIONS(o),
		JOBS_OPTION(&o->jobs),
		{ OPTION_GROUP, 0, NULL, NULL, NULL, "What to write" },
		{ OPTION_STRING | OPTION_EVERYDAY, 0, "format", "FORMAT", &args->format,
		  "format of the file; help lists them", exporter_names },
		{ OPTION_STRING | OPTION_EVERYDAY, 'o', "output", "FILE", &args->output,
		  "write to FILE instead of standard output" },
		{ OPTION_STRING, 0, "into", "DIR", &args->into,
		  "write below DIR by day, kernel, host, for a database" },
		{ OPTION_STRING, 0, "diff", "BEFORE", &args->before,
		  "for folded: two numbers, of BEFORE and of FILE" },
		KIND_OPTIONS(args->of, "what was recorded"),
		{ OPTION_STRING | OPTION_EVERYDAY, 0, "weight", "WHAT", &args->weight,
		  "for one-number formats: bytes, kib, hits, live, peak", weights },
		{ OPTION_ROWS | OPTION_EVERYDAY, 'l', "lines", "N|all", &o->lines,
		  "the N largest rows, and one for all others" },
		MAX_LOST_OPTION(o->max_lost),
		FILTER_OPTIONS(o->filter),
		STAT_FORM_GROUP,
		STAT_SITE_OPTIONS(o),
		OPTIONS_END,
	};

	weight_words(weights);
	return stat_options_parse(o, &command_export, options, argc, argv);
}

static int list_formats(void)
{
	const struct exporter *e;

	for (size_t i = 0; (e = exporter_at(i)); i++)
		printf("%-11s  %s\n%-11s  opened by %s\n", e->name, e->help, "",
		       e->opened_by);
	return EXIT_DONE;
}

static int choose_format(struct export_args *args)
{
	int index;

	if (!args->format)
		return message_fail(
			EXIT_USAGE, command_name,
			"--format is missing\n  List the formats: kmemx export --format help");
	if (!strcmp(args->format, "help"))
		return list_formats();
	index = option_choose("--format", args->format, exporter_names, command_name);
	if (index < 0)
		return EXIT_USAGE;
	args->exporter = exporter_at((size_t)index);
	if (!args->exporter->lacks)
		return GO_ON;
	return message_fail(
		EXIT_FAILED, command_name,
		"%s files need %s, which this kmemx was built without\n  Install %s and build it again",
		args->exporter->name, args->exporter->lacks,
		version_packages(args->exporter->lacks));
}

static int choose_weight(struct export_args *args)
{
	const char *weights[WEIGHTS_MAX + 1];
	int index;

	weight_words(weights);
	if (!args->weight)
		return GO_ON;
	index = option_choose("--weight", args->weight, weights, command_name);
	if (index < 0)
		return EXIT_USAGE;
	if (!args->exporter->weighs)
		return message_fail(EXIT_USAGE, command_name,
				    "--weight is not for %s: it has all figures",
				    args->exporter->name);
	args->options.weight = &export_weights[index];
	return GO_ON;
}

/* What the rows of each format stand for. With EXPORT_BY_ALL slab objects are also by cache. */
static const unsigned int kinds[] = {
	[EXPORT_BY_CALLSITE] = SUBJECT_CALLSITE,
	[EXPORT_BY_STACK] = SUBJECT_STACK,
	[EXPORT_BY_ALL] = SUBJECT_STACK | SUBJECT_COMM << SUBJECT_PART_BITS,
};

static int choose(struct export_args *args, struct stat_options *o)
{
	struct export_rows_options *own = stat_analyses_own(&o->analyses, command_name);
	struct analysis_options *opts = &o->analyses.opts;
	int ret = choose_format(args);
	bool all;

	ret = ret ?: choose_weight(args);
	if (ret != GO_ON)
		return ret;
	if (args->before && (!args->exporter->pairs || o->lines))
		return message_fail(
			EXIT_USAGE, command_name,
			args->exporter->pairs
				? "--diff needs all rows: -l cannot be used with it"
				: "--diff is for --format folded");
	if (args->into && (args->output || !args->exporter->suffix))
		return message_fail(
			EXIT_USAGE, command_name,
			args->output ? "--into and -o cannot be used together"
				     : "--into is for --format parquet, ndjson and csv");
	if (args->exporter->binary && !args->output && !args->into &&
	    isatty(STDOUT_FILENO))
		return message_fail(
			EXIT_USAGE, command_name,
			"%s is a binary format, not for a terminal\n  Write a file: -o FILE",
			args->exporter->name);
	opts->needs = stat_kinds_needed(args->of);
	all = args->exporter->by == EXPORT_BY_ALL;
	opts->by = (enum subject_kind)kinds[args->exporter->by];
	opts->by_cache = all;
	o->intervals = all && !args->exporter->estimates;
	opts->any_order = opts->any_migratetype = own->any_gfp = !all;
	if (args->exporter->timed)
		args->options.history = own->history = &args->history;
	args->options.rows = o->lines;
	if (args->options.weight)
		o->sort = export_fields[FIELD_FIRST_METRIC + args->options.weight->metric]
				  .name;
	return GO_ON;
}

static int write_export(const struct stat_run *st, void *arg)
{
	struct export_args *args = arg;
	const struct recording *rec = st->in.study.rec;
	const struct writing w = { args, st->report, st->in.study.path };
	struct export_origin origin;
	int ret = EXIT_FAILED;

	/* The formats cannot say that figures are of a sample: say it here. */
	if (recording_meta(rec, RECORDING_META_SAMPLE))
		message_info(
			"%s is a sample: the rows are those of the sample, not estimates",
			st->in.study.path);
	args->options.clock_ns = recording_clocks_are_ns(rec);
	if (args->exporter->timed && !export_knows_time(st->report, &args->options))
		message_info(
			"the clock of %s does not count nanoseconds: times in the export are its ticks, whatever unit a viewer shows",
			st->in.study.path);
	args->options.origin = &origin;
	if (export_origin_init(&origin, rec) || args->history.failed)
		message_no_memory(command_name);
	else if (args->into)
		ret = write_into(&w);
	else if (args->output && strcmp(args->output, "-") != 0)
		ret = write_file(&w, args->output);
	else
		ret = output_write(command_name, write_rows, &w, false);
	export_origin_free(&origin);
	return ret;
}

/* Keeps the rows of the recording of --diff. */
static int keep_rows(const struct stat_run *st, void *arg)
{
	const struct export_args *args = arg;
	const struct render_out nowhere = { NULL, NULL };

	if (!export_report(args->exporter, &args->options, st->report, &nowhere))
		return EXIT_OK;
	return message_no_memory(command_name);
}

/* Reads the recording of --diff, with the same options. */
static int read_before(struct export_args *args, int argc, char **argv)
{
	struct stat_run st = { .command = command_name,
			       .write = keep_rows,
			       .write_arg = args };
	struct export_args again = { 0 };
	int ret = parse(&again, &st.opts, argc, argv);

	ret = ret ?: choose(&again, &st.opts);
	st.opts.study.path = args->before;
	args->options.pairs = &args->pairs;
	ret = ret ?: stat_run(&st);
	args->pairs.second = true;
	stat_run_free(&st);
	return ret;
}

static int run_export(int argc, char **argv)
{
	struct export_args args = { 0 };
	struct stat_run st = { .command = command_name,
			       .write = write_export,
			       .write_arg = &args };
	int ret = parse(&args, &st.opts, argc, argv);

	ret = ret ?: choose(&args, &st.opts);
	if (ret == GO_ON && args.before)
		ret = read_before(&args, argc, argv);
	ret = ret ?: stat_run(&st);
	stat_run_free(&st);
	export_history_free(&args.history);
	export_pairs_free(&args.pairs);
	return ret;
}

const struct command command_export = {
	command_name,
	"write callchains in the format of another program",
	COMMAND_CONVERT,
	run_export,
	.about = "Write a recording's callchains in the format of another program.",
	.usage = "kmemx export --format FORMAT [options] [FILE]",
	.examples = "  kmemx export --format folded --page | flamegraph.pl >pages.svg\n"
		    "  kmemx export --format help\n",
};

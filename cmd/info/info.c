// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * cmd: kmemx info.
 * In: a recording. Out: what it is: kernel, clock, events by type, losses by CPU.
 */
#include "cmd/info/info.h"

#include "base/safe_text.h"
#include "cmd/input/input_dirs.h"
#include "cmd/input/input_symbols.h"
#include "cmd/options/lost_limit.h"

static const char command_name[] = "info";

/* Frees @report, which may be NULL. */
static int print(struct report *report, const struct input *in,
		 const struct output_options *output)
{
	int ret;

	if (report && report_ok(report))
		ret = output_report(output, command_name, report, render_text);
	else
		ret = input_stream_failed(in, -ENOMEM);
	report_free(report);
	return ret;
}

/* Reads and prints. A damaged file without any event is unreadable. */
static int show(struct input *in, const struct output_options *output,
		const struct lost_limit *max_lost, bool verbose)
{
	const struct event_stream_options how = { 0 };
	struct info info = { .verbose = verbose };
	int ret = input_read(in, &how), err;

	if (ret != GO_ON)
		return ret;
	err = info_collect(&info, &in->study);
	ret = err ? input_stream_failed(in, err) : print(info_report(&info), in, output);
	if (!ret && !info.facts.nr_events &&
	    (info.facts.nr_bad_pages || info.facts.nr_damaged))
		ret = EXIT_UNREADABLE;
	else if (!err)
		ret = lost_limit_check(max_lost, &info.facts, command_name, ret);
	info_free(&info);
	return ret;
}

/* Writes a struct recording_text, made safe for a terminal. */
static int write_fact(const struct render_out *out, const void *arg)
{
	const struct recording_text *fact = arg;
	int ret = 0;

	for (size_t at = 0, size; at < fact->size && !ret; at += size + 1) {
		struct strbuf __auto_free safe = { 0 };

		size = strcspn(fact->text + at, "\n");
		safe_text_add(&safe, fact->text + at, size);
		strbuf_puts(&safe, "\n");
		ret = safe.failed ? -ENOMEM : out->write(out->ctx, safe.data, safe.size);
	}
	return ret;
}

/* Prints the text of the metadata item @name. */
static int print_fact(const struct input *in, const char *name)
{
	const struct recording *rec = in->study.rec;
	const struct recording_text *fact = recording_meta(rec, name);
	const char **names;
	int ret;

	if (fact)
		return output_write(command_name, write_fact, fact, true);
	if (!rec->nr_meta)
		return message_fail(EXIT_USAGE, command_name,
				    "%s has no facts\n  kmemx record adds some",
				    rec->path);
	names = calloc(rec->nr_meta, sizeof(*names));
	if (!names)
		return message_no_memory(command_name);
	for (size_t i = 0; i < rec->nr_meta; i++)
		names[i] = rec->meta[i].name;
	ret = option_unknown("fact", name, names, rec->nr_meta, command_name);
	free(names);
	return ret;
}

/* Options about files with lines need --symbols, which also takes lines from --vmlinux. */
static int check_places(struct study_options *study)
{
	const char *option = debug_places_option(&study->places);
	int ret = debug_places_check(&study->places, &study->symbols, command_name);

	if (!option && study->lines.modules)
		option = "--modules";
	if (ret != GO_ON)
		return ret;
	if (study->search)
		study->lines.vmlinux = study->symbols.vmlinux;
	if (study->search || !option)
		return GO_ON;
	return message_fail(EXIT_USAGE, command_name, "%s needs --symbols", option);
}

static const struct option_words words[] = { OUTPUT_WORDS, { .option = NULL } };

static const struct option_usage usage = {
	.command = command_name,
	.purpose = "Show what a recording contains, and whether it is complete.",
	.usage = "kmemx info [options] [FILE]",
	.examples = "  kmemx info\n  kmemx info -i boot.dat --json\n",
	.unfiltered = { "info describes the whole recording",
			"Filter what it holds: kmemx stat, script, summary and others" },
	.words = words,
	.short_help = true,
};

static int run_info(int argc, char **argv)
{
	struct study_options study = { .want_symbols = true };
	struct lost_limit max_lost = { 0 };
	unsigned int verbose = 0;
	struct output_options output = { 0 };
	const char *fact = NULL;
	const struct option_entry options[] = {
		INPUT_OPTION(&study.path),
		MAX_LOST_OPTION(max_lost),
		INSTANCE_OPTION(study.window),
		SYMBOL_FILE_OPTIONS(OPTION_STRING, study.symbols, ""),
		DEBUG_PLACE_OPTIONS(OPTION_STRING, study.places),
		MODULES_OPTION(OPTION_STRING, &study.lines.modules),
		{ OPTION_FLAG | OPTION_EVERYDAY, 0, "symbols", NULL, &study.search,
		  "where names, lines and inlined functions come from" },
		{ OPTION_STRING | OPTION_EVERYDAY, 0, "fact", "NAME", &fact,
		  "print one fact that was recorded, such as vmstat.before" },
		{ OPTION_TABLE, .value = output_formats(&output) },
		CLOCK_TIME_OPTION(output),
		OUTPUT_OPTIONS(output),
		{ OPTION_COUNT | OPTION_EVERYDAY, 'v', "verbose", NULL, &verbose,
		  "list all gaps; more messages" },
		OPTIONS_END,
	};
	struct input in = { 0 };
	int ret = input_parse(&usage, options, argc, argv, &study.path);

	output.verbose = verbose != 0;
	if (ret == GO_ON)
		ret = output_check(&output, command_name);
	if (ret == GO_ON)
		ret = lost_limit_parse(&max_lost, command_name);
	if (ret == GO_ON)
		ret = symbol_files_check(&study.symbols, command_name);
	if (ret == GO_ON)
		ret = check_places(&study);
	if (ret == GO_ON)
		ret = input_open(&in, &study, command_name, verbose);
	if (ret == GO_ON && fact)
		ret = print_fact(&in, fact);
	else if (ret == GO_ON && study.search)
		ret = print(info_symbols_report(&in), &in, &output);
	else if (ret == GO_ON)
		ret = show(&in, &output, &max_lost, verbose > 0);
	input_close(&in);
	return ret;
}

const struct command command_info = {
	"info", "show what a recording contains, and whether it is complete",
	COMMAND_LOOK, run_info
};

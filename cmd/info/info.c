// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * cmd: kmemx info.
 * In: a recording, read to its end. Out: what it is: kernel, clock, events by type, losses by CPU.
 */
#include "cmd/info/info.h"

#include "base/array.h"
#include "base/safe_text.h"
#include "cmd/input/input_dirs.h"
#include "cmd/input/input_symbols.h"
#include "cmd/options/lost_limit.h"

static const char command_name[] = "info";

/* Gaps kept for the list; more are only counted. */
#define GAPS_MAX 10000

/* --- reading ----------------------------------------------------------------------------- */

ORDER(compare_names, struct info_event, strcmp(x->name, y->name))

static int collect_events(struct info *info, const struct event_formats *fmts,
			  const struct event_stream_stats *s)
{
	uint64_t named = 0;

	for_each(fmt, fmts->list, fmts->count) {
		uint64_t count = s->by_id[fmt->id];
		uint32_t id;

		if (!count)
			continue;
		id = KEYED_ID_OF(&info->events, fmt->name, strlen(fmt->name));
		if (!id)
			return -ENOMEM;
		info->events.of[id - 1].name = fmt->name;
		info->events.of[id - 1].count += count;
		named += count;
	}
	info->nr_unnamed = less(s->nr_events, named);
	if (info->events.nr)
		qsort(info->events.of, info->events.nr, sizeof(*info->events.of),
		      compare_names);
	return 0;
}

ORDER_BY(compare_cpus, struct info_cpu, cpu, cpu)

static uint64_t bytes_of(const struct recording *rec, const struct event_stream_cpu *c)
{
	const struct recording_buffer *buf = &rec->buffers[c->buffer];
	const struct recording_cpu *found =
		FIND(cpu, buf->cpus, buf->nr_cpus, cpu->cpu == c->cpu);

	return found ? found->size : 0;
}

static void add_statistics(const struct recording *rec, const struct event_stream_cpu *c,
			   struct info_cpu *to)
{
	for_each(cs, rec->cpustats, rec->nr_cpustats) {
		if (cs->cpu != c->cpu || cs->buffer != c->buffer)
			continue;
		to->overrun += cs->overrun;
		to->dropped += cs->commit_overrun + cs->dropped_events;
		to->missing += recording_truncated(rec) ? cs->entries : 0;
	}
}

/* Adds CPUs whose buffer could not be read: only their statistics are known. */
static int add_unread(struct info *info)
{
	const struct recording *rec = info->rec;
	size_t nr_read = info->cpus.nr;

	for (size_t i = 0; i < rec->nr_cpustats && recording_truncated(rec); i++) {
		const struct recording_cpustat *cs = &rec->cpustats[i];
		const uint32_t *known = u64_map_find(&info->cpus.index, cs->cpu);
		struct info_cpu *cpu;

		if (!cs->entries || (known && *known < nr_read))
			continue;
		cpu = INDEXED_ITEM(&info->cpus, cs->cpu);
		if (!cpu)
			return -ENOMEM;
		cpu->cpu = cs->cpu;
		cpu->missing += cs->entries;
	}
	return 0;
}

static int collect_cpus(struct info *info, const struct event_stream_stats *s)
{
	int ret = 0;

	for_each(c, s->cpus, s->nr_cpus) {
		struct info_cpu *to = INDEXED_ITEM(&info->cpus, c->cpu);

		if (!to)
			return -ENOMEM;
		to->cpu = c->cpu;
		to->nr_events += c->nr_events;
		to->nr_lost += c->nr_lost;
		to->nr_gaps += c->nr_gaps;
		to->nr_unknown += c->nr_unknown;
		to->bytes += bytes_of(info->rec, c);
		add_statistics(info->rec, c, to);
	}
	if (!info->instance)
		ret = add_unread(info);
	if (info->cpus.nr)
		qsort(info->cpus.of, info->cpus.nr, sizeof(*info->cpus.of), compare_cpus);
	return ret;
}

static int add_gap(struct info *info, const struct kmem_event *ev)
{
	if (info->nr_gaps == GAPS_MAX)
		return 0;
	return ARRAY_ADD(info->gaps, info->nr_gaps,
			 (struct info_gap){ ev->cpu, ev->buffer, ev->loss.since_ts,
					    ev->ts, ev->loss.count });
}

/* Reads all events, to count them. */
static int count_all(struct info *info, const struct study *study)
{
	uint64_t count = 0, pause = PROGRESS_INTERVAL, done, total;
	struct progress progress;
	struct kmem_event ev;
	int ret;

	progress_start(&progress, "decoding");
	while ((ret = event_stream_next(study->stream, &ev)) > 0) {
		if (ev.type == KMEM_LOSS && add_gap(info, &ev)) {
			ret = -ENOMEM;
			break;
		}
		if (++count < pause)
			continue;
		pause += PROGRESS_INTERVAL;
		study_progress(study, &done, &total);
		progress_show(&progress, done, total, count);
	}
	progress_end(&progress);
	return ret;
}

/* The buffer whose clock is used: the named one, or the first. */
static uint32_t main_buffer(const struct info *info, const struct recording *rec)
{
	for (uint32_t i = 0; info->instance && i < rec->nr_buffers; i++)
		if (!strcmp(rec->buffers[i].name, info->instance))
			return i;
	return 0;
}

static int collect_curve(struct info *info)
{
	int err = kernel_curve_of(&info->curve, info->rec);

	if (!err || err == -ENOMEM)
		return err;
	kernel_curve_free(&info->curve);
	info->curve.damaged = err == -EBADMSG;
	return 0;
}

/* Reads all events of @study, whose stream was just opened. Borrows from @study. 0, -EIO or
 * -ENOMEM. Call free_info() in any case.
 */
static int collect(struct info *info, const struct study *study)
{
	const struct event_stream_stats *stats = event_stream_stats(study->stream);
	int err = count_all(info, study);

	if (err)
		return err;
	info->rec = study->rec;
	info->instance = study->window.instance;
	info->origin = &study->origin;
	info->nr_symbols = symbols_count(study->syms);
	study_facts_init(&info->facts, study, main_buffer(info, study->rec));
	err = collect_curve(info);
	err = err ?: collect_events(info, study->fmts, stats);
	return err ? err : collect_cpus(info, stats);
}

static void free_info(struct info *info)
{
	KEYED_FREE(&info->events);
	INDEXED_FREE(&info->cpus);
	free(info->gaps);
	kernel_curve_free(&info->curve);
}

/* --- the command -------------------------------------------------------------------------- */

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
	err = collect(&info, &in->study);
	ret = err ? input_stream_failed(in, err) : print(info_report(&info), in, output);
	if (!ret && !info.facts.nr_events &&
	    (info.facts.nr_bad_pages || info.facts.nr_damaged))
		ret = EXIT_UNREADABLE;
	else if (!err)
		ret = lost_limit_check(max_lost, &info.facts, command_name, ret);
	free_info(&info);
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
		ret = render_flush(&safe, out, 0);
	}
	return ret;
}

/* Prints the text of the metadata item @name. */
static int print_fact(const struct input *in, const char *name)
{
	const struct recording *rec = in->study.rec;
	const struct recording_text *fact = recording_meta(rec, name);
	const char **names __auto_mem = NULL;

	if (fact)
		return output_write(command_name, write_fact, fact, true);
	if (!rec->nr_meta)
		return message_fail(EXIT_USAGE, command_name,
				    "%s has no facts\n  kmemx record adds some",
				    rec->path);
	names = calloc(rec->nr_meta + 1, sizeof(*names));
	if (!names)
		return message_no_memory(command_name);
	for (size_t i = 0; i < rec->nr_meta; i++)
		names[i] = rec->meta[i].name;
	return option_unknown("fact", name, names, command_name);
}

/* Options about files with lines need --symbols, which also gets lines from --vmlinux. */
static int check_places(struct study_options *study)
{
	const char *option = debug_places_option(&study->places);
	int ret = input_study_check(study, command_name);

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
		FORMAT_OPTIONS(output),
		CLOCK_TIME_OPTION(output),
		OUTPUT_OPTIONS(output),
		{ OPTION_COUNT | OPTION_EVERYDAY, 'v', "verbose", NULL, &verbose,
		  "list all gaps; more messages" },
		OPTIONS_END,
	};
	struct input in = { 0 };
	int ret = input_parse(&command_info, options, argc, argv, &study.path);

	output.verbose = verbose != 0;
	ret = ret ?: output_check(&output, command_name);
	ret = ret ?: lost_limit_parse(&max_lost, command_name);
	ret = ret ?: check_places(&study);
	ret = ret ?: input_open(&in, &study, command_name, verbose);
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
	command_name,
	"show what a recording contains, and whether it is complete",
	COMMAND_LOOK,
	run_info,
	.examples = "  kmemx info\n  kmemx info -i boot.dat --json\n",
	.unfiltered = { "info describes the whole recording",
			"Filter what it holds: kmemx stat, script, summary and others" },
};

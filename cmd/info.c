// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * cmd: kmemx info.
 * In: a recording. Out: what it is: kernel, clock, events by type, losses by CPU.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "facts.h"
#include "input.h"
#include "lost_limit.h"
#include "message.h"
#include "options.h"
#include "output.h"
#include "recording/cpu_cursor.h"
#include "report/json.h"
#include "report/text_cell.h"

#define PROGRESS_INTERVAL 500000
#define NS_PER_S	  UINT64_C(1000000000)

struct info_event {
	const char *name;
	uint64_t count;
};

struct info_cpu {
	uint32_t cpu;
	uint64_t nr_events, nr_lost, nr_gaps, nr_unknown;
};

/* Plain data, which the printers read. */
struct info {
	struct facts facts;
	const struct recording *rec;
	struct info_event *events; /* by name; equal names added up */
	size_t nr_events;
	uint64_t nr_unnamed;   /* events of no known format */
	struct info_cpu *cpus; /* by number; the buffers added up */
	size_t nr_cpus;
};

static const char command_name[] = "info";

static int compare_names(const void *a, const void *b)
{
	const struct info_event *x = a, *y = b;

	return strcmp(x->name, y->name);
}

static int collect_events(struct info *info, const struct event_formats *fmts,
			  const struct event_stream_stats *s)
{
	uint32_t nr = event_formats_count(fmts), i;
	uint64_t named = 0;
	size_t kept = 0;

	info->events = calloc(nr ? nr : 1, sizeof(*info->events));
	if (!info->events)
		return -ENOMEM;
	for (i = 0; i < nr; i++) {
		const struct event_format *fmt = event_formats_at(fmts, i);

		info->events[i] = (struct info_event){ fmt->name, s->by_id[fmt->id] };
		named += s->by_id[fmt->id];
	}
	info->nr_unnamed = s->nr_events > named ? s->nr_events - named : 0;
	qsort(info->events, nr, sizeof(*info->events), compare_names);
	for (i = 0; i < nr; i++) {
		if (!info->events[i].count)
			continue;
		if (kept && !strcmp(info->events[kept - 1].name, info->events[i].name))
			info->events[kept - 1].count += info->events[i].count;
		else
			info->events[kept++] = info->events[i];
	}
	info->nr_events = kept;
	return 0;
}

static int compare_cpus(const void *a, const void *b)
{
	const struct info_cpu *x = a, *y = b;

	return (x->cpu > y->cpu) - (x->cpu < y->cpu);
}

static int collect_cpus(struct info *info, const struct event_stream_stats *s)
{
	struct info_cpu *cpus = calloc(s->nr_cpus ? s->nr_cpus : 1, sizeof(*cpus));
	size_t kept = 0;
	uint32_t i;

	if (!cpus)
		return -ENOMEM;
	info->cpus = cpus;
	for (i = 0; i < s->nr_cpus; i++) {
		const struct event_stream_cpu *c = &s->cpus[i];

		cpus[i] = (struct info_cpu){ c->cpu, c->nr_events, c->nr_lost, c->nr_gaps,
					     c->nr_unknown };
	}
	qsort(cpus, s->nr_cpus, sizeof(*cpus), compare_cpus);
	for (i = 0; i < s->nr_cpus; i++) {
		struct info_cpu *to = kept ? &cpus[kept - 1] : NULL;

		if (!to || to->cpu != cpus[i].cpu) {
			cpus[kept++] = cpus[i];
			continue;
		}
		to->nr_events += cpus[i].nr_events;
		to->nr_lost += cpus[i].nr_lost;
		to->nr_gaps += cpus[i].nr_gaps;
		to->nr_unknown += cpus[i].nr_unknown;
	}
	info->nr_cpus = kept;
	return 0;
}

/* Reads all events, to count them. */
static int count_all(struct event_stream *stream, uint64_t first, uint64_t last)
{
	const struct event_stream_stats *s = event_stream_stats(stream);
	uint64_t count = 0, pause = PROGRESS_INTERVAL;
	struct progress progress;
	struct kmem_event ev;
	int ret;

	progress_start(&progress);
	while ((ret = event_stream_next(stream, &ev)) > 0) {
		if (++count < pause)
			continue;
		pause += PROGRESS_INTERVAL;
		progress_show(&progress, s->last_ts > first ? s->last_ts - first : 0,
			      last - first, count);
	}
	progress_end(&progress);
	return ret;
}

static int collect(struct info *info, const struct input *in)
{
	const struct event_stream_options so = { .stop_ts = UINT64_MAX };
	struct event_stream *stream = NULL;
	uint64_t first = 0, last = 0;
	int err = event_stream_open(&stream, in->rec, in->fmts, &so, &in->log);

	if (!err && recording_time_span(in->rec, 0, &first, &last))
		first = last = 0;
	if (!err)
		err = count_all(stream, first, last);
	if (!err) {
		info->rec = in->rec;
		facts_init(&info->facts, in->rec, 0, stream);
		err = collect_events(info, in->fmts, event_stream_stats(stream));
	}
	if (!err)
		err = collect_cpus(info, event_stream_stats(stream));
	event_stream_close(stream);
	return err;
}

static const char *compression_name(const struct recording *rec)
{
	switch (rec->compression) {
	case COMPRESSION_ZSTD:
		return "zstd";
	case COMPRESSION_ZLIB:
		return "zlib";
	default:
		return "none";
	}
}

static void json_text_or_null(struct json *j, const char *key, const char *text)
{
	json_line(j);
	json_key(j, key);
	json_string(j, text && *text ? text : NULL);
}

static void json_number(struct json *j, const char *key, uint64_t value)
{
	json_line(j);
	json_key(j, key);
	json_uint(j, value);
}

static void json_events(struct json *j, const struct info *info)
{
	size_t i;

	json_line(j);
	json_key(j, "events");
	json_open(j, '{');
	for (i = 0; i < info->nr_events; i++)
		json_number(j, info->events[i].name, info->events[i].count);
	json_line(j);
	json_close(j, '}');
	json_number(j, "events_total", info->facts.nr_events);
	json_number(j, "events_without_format", info->nr_unnamed);
}

static void json_lost(struct json *j, const struct info *info)
{
	char cpu[16];
	size_t i;

	json_line(j);
	json_key(j, "lost");
	json_open(j, '{');
	json_number(j, "total", info->facts.nr_lost);
	json_number(j, "gaps", info->facts.nr_gaps);
	json_number(j, "unknown_gaps", info->facts.nr_unknown_gaps);
	json_number(j, "dropped", info->facts.nr_dropped);
	json_line(j);
	json_key(j, "by_cpu");
	json_open(j, '{');
	for (i = 0; i < info->nr_cpus; i++) {
		snprintf(cpu, sizeof(cpu), "%u", info->cpus[i].cpu);
		json_key(j, cpu);
		json_uint(j, info->cpus[i].nr_lost);
	}
	json_close(j, '}');
	json_line(j);
	json_close(j, '}');
}

static void json_buffers(struct json *j, const struct recording *rec)
{
	uint32_t i;

	json_line(j);
	json_key(j, "buffers");
	json_open(j, '[');
	for (i = 0; i < rec->nr_buffers; i++) {
		json_line(j);
		json_open(j, '{');
		json_key(j, "name");
		json_string(j, rec->buffers[i].name);
		json_key(j, "clock");
		json_string(j, recording_clock(rec, i));
		json_key(j, "page_size");
		json_uint(j, rec->buffers[i].page_size);
		json_key(j, "nr_cpus");
		json_uint(j, rec->buffers[i].nr_cpus);
		json_close(j, '}');
	}
	json_line(j);
	json_close(j, ']');
	json_line(j);
	json_key(j, "meta");
	json_open(j, '[');
	for (size_t m = 0; m < rec->nr_meta; m++)
		json_string(j, rec->meta[m].name);
	json_close(j, ']');
}

static int print_json(const struct render_out *out, const void *arg)
{
	const struct info *info = arg;
	const struct facts *f = &info->facts;
	const struct recording *rec = info->rec;
	struct json j = json_begin(out);

	json_open(&j, '{');
	json_number(&j, "schema_version", 1);
	json_text_or_null(&j, "file", f->path);
	json_text_or_null(&j, "kernel", f->kernel);
	json_text_or_null(&j, "machine", f->machine);
	json_text_or_null(&j, "endian", f->big_endian ? "big" : "little");
	json_number(&j, "long_size", f->long_size);
	json_number(&j, "page_size", f->page_size);
	json_number(&j, "nr_cpus", f->nr_cpus);
	json_text_or_null(&j, "clock", f->clock);
	json_line(&j);
	json_key(&j, "duration_ns");
	if (f->has_duration)
		json_uint(&j, f->duration_ns);
	else
		json_null(&j);
	json_number(&j, "first_ts", f->first_ts);
	json_number(&j, "last_ts", f->last_ts);
	json_events(&j, info);
	json_lost(&j, info);
	json_number(&j, "undecodable", f->nr_undecodable);
	json_number(&j, "bad_pages", f->nr_bad_pages);
	json_number(&j, "stacks_unclaimed", f->nr_stacks_unclaimed);
	json_number(&j, "clock_backwards", f->nr_backwards);
	json_number(&j, "file_version", rec->file_version);
	json_text_or_null(&j, "compression", compression_name(rec));
	json_text_or_null(&j, "writer", rec->writer_version);
	json_number(&j, "bytes", rec->file_bytes);
	json_buffers(&j, rec);
	json_line(&j);
	json_close(&j, '}');
	return json_end(&j);
}

static void text_line(struct strbuf *sb, const char *label, const char *text)
{
	strbuf_printf(sb, "%-12s ", label);
	text_safe(sb, *text ? text : "unknown");
	strbuf_puts(sb, "\n");
}

static void text_file(struct strbuf *sb, const struct info *info)
{
	const struct recording *rec = info->rec;
	struct strbuf line = { 0 };

	text_line(sb, "file", info->facts.path);
	if (rec->stream)
		strbuf_puts(&line, "kmemx stream");
	else
		strbuf_printf(&line, "trace.dat %u", rec->file_version);
	if (rec->compression != COMPRESSION_NONE)
		strbuf_printf(&line, ", %s", compression_name(rec));
	strbuf_puts(&line, ", ");
	text_bytes(&line, rec->file_bytes, " ");
	if (rec->writer_version && *rec->writer_version)
		strbuf_printf(&line, ", written by %s", rec->writer_version);
	text_line(sb, "format", strbuf_text(&line));
	strbuf_free(&line);
}

/* The span as --time takes it. */
static void text_span(struct strbuf *line, const struct info *info)
{
	const struct facts *f = &info->facts;

	if (!f->nr_events)
		strbuf_puts(line, "no events");
	else if (recording_clock_is_ns(f->clock))
		strbuf_printf(line, "%" PRIu64 ".%09" PRIu64 " to %" PRIu64 ".%09" PRIu64,
			      f->first_ts / NS_PER_S, f->first_ts % NS_PER_S,
			      f->last_ts / NS_PER_S, f->last_ts % NS_PER_S);
	else
		strbuf_printf(line, "%" PRIu64 " to %" PRIu64 " of the clock's units",
			      f->first_ts, f->last_ts);
}

static void text_machine(struct strbuf *sb, const struct info *info)
{
	const struct facts *f = &info->facts;
	struct strbuf line = { 0 };

	text_line(sb, "kernel", f->kernel);
	text_line(sb, "machine", f->machine);
	strbuf_printf(&line, "%s endian, %u-byte long, %u-byte pages",
		      f->big_endian ? "big" : "little", f->long_size, f->page_size);
	text_line(sb, "layout", strbuf_text(&line));
	strbuf_printf(sb, "%-12s %u\n", "cpus", f->nr_cpus);
	text_line(sb, "clock", f->clock);
	strbuf_reset(&line);
	if (f->has_duration)
		text_duration(&line, f->duration_ns, " ");
	text_line(sb, "duration", strbuf_text(&line));
	strbuf_reset(&line);
	text_span(&line, info);
	text_line(sb, "time", strbuf_text(&line));
	strbuf_reset(&line);
	facts_lost_text(f, &line);
	text_line(sb, "lost", strbuf_text(&line));
	if (f->nr_dropped)
		strbuf_printf(sb,
			      "%-12s %" PRIu64
			      " events, by the ring buffer's own statistics\n",
			      "dropped", f->nr_dropped);
	strbuf_free(&line);
}

static void text_buffers(struct strbuf *sb, const struct recording *rec)
{
	uint32_t i;
	size_t m;

	for (i = 0; rec->nr_buffers > 1 && i < rec->nr_buffers; i++) {
		strbuf_printf(sb, "%-12s '", i ? "" : "buffers");
		text_safe(sb, rec->buffers[i].name);
		strbuf_puts(sb, "', clock ");
		text_safe(sb, recording_clock(rec, i));
		strbuf_printf(sb, ", %u CPUs with data\n", rec->buffers[i].nr_cpus);
	}
	for (m = 0; m < rec->nr_meta; m++) {
		strbuf_puts(sb, m ? " " : "metadata     ");
		text_safe(sb, rec->meta[m].name);
	}
	if (rec->nr_meta)
		strbuf_puts(sb, "\n");
}

static void text_damage(struct strbuf *sb, const struct facts *f)
{
	const struct {
		const char *what;
		uint64_t count;
	} items[] = {
		{ "pages or chunks damaged", f->nr_bad_pages },
		{ "records that fit no format", f->nr_undecodable },
		{ "stacks that belong to no event", f->nr_stacks_unclaimed },
		{ "times the clock ran backwards", f->nr_backwards },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(items); i++) {
		if (items[i].count)
			strbuf_printf(sb, "%-12s %" PRIu64 " %s\n", "trouble",
				      items[i].count, items[i].what);
	}
}

static void text_counts(struct strbuf *sb, const struct info *info)
{
	size_t i;

	strbuf_printf(sb, "\n%12s  event\n", "count");
	for (i = 0; i < info->nr_events; i++) {
		strbuf_printf(sb, "%12" PRIu64 "  ", info->events[i].count);
		text_safe(sb, info->events[i].name);
		strbuf_puts(sb, "\n");
	}
	if (info->nr_unnamed)
		strbuf_printf(sb, "%12" PRIu64 "  (of no known format)\n",
			      info->nr_unnamed);
	strbuf_printf(sb, "%12" PRIu64 "  in all\n", info->facts.nr_events);
	strbuf_printf(sb, "\n%12s  %12s  %12s  %6s\n", "cpu", "events", "lost", "gaps");
	for (i = 0; i < info->nr_cpus; i++) {
		const struct info_cpu *c = &info->cpus[i];

		strbuf_printf(sb, "%12u  %12" PRIu64 "  %11" PRIu64 "%s  %6" PRIu64 "\n",
			      c->cpu, c->nr_events, c->nr_lost, c->nr_unknown ? "+" : " ",
			      c->nr_gaps);
	}
}

static int print_text(const struct render_out *out, const void *arg)
{
	const struct info *info = arg;
	struct strbuf sb = { 0 };
	int err;

	text_file(&sb, info);
	text_machine(&sb, info);
	text_buffers(&sb, info->rec);
	text_damage(&sb, &info->facts);
	text_counts(&sb, info);
	err = sb.failed ? -ENOMEM : out->write(out->ctx, sb.data, sb.size);
	strbuf_free(&sb);
	return err;
}

static int run_info(int argc, char **argv)
{
	static const struct option_usage usage = {
		.command = command_name,
		.purpose = "Show what a recording is and holds.",
		.usage = "kmemx info [options] [FILE]",
		.examples = "  kmemx info\n  kmemx info -i boot.dat --json\n",
	};
	struct input_options input_opts = { .command = command_name };
	struct lost_limit max_lost = { 0 };
	bool json = false;
	const struct option options[] = {
		{ OPTION_STRING, 'i', "input", "FILE", &input_opts.path,
		  "recording (default kmemx.dat; -: standard input)" },
		{ OPTION_STRING, 0, "max-lost", "N|PCT%", &max_lost.text,
		  "exit with 125 if more events were lost" },
		{ OPTION_FLAG, 0, "json", NULL, &json, "JSON" },
		{ OPTION_COUNT, 'v', "verbose", NULL, &input_opts.verbose,
		  "more messages" },
		{ OPTION_HELP, 'h', "help", NULL, NULL, "show this help" },
		{ OPTION_END },
	};
	struct input in = { 0 };
	struct info info = { 0 };
	int operands, ret, err;

	ret = options_parse(&usage, options, argc, argv, &operands);
	if (ret < 0)
		ret = input_path(command_name, argc, argv, operands, &input_opts.path);
	if (ret < 0)
		ret = lost_limit_parse(&max_lost, command_name);
	if (ret < 0)
		ret = input_open(&in, &input_opts);
	if (ret < 0) {
		err = collect(&info, &in);
		ret = err ? input_stream_failed(&in, err)
			  : output_write(command_name, json ? print_json : print_text,
					 &info, false);
		if (!err)
			ret = lost_limit_check(&max_lost, &info.facts, command_name, ret);
	}
	free(info.events);
	free(info.cpus);
	input_close(&in);
	return ret;
}

const struct command command_info = {
	.name = "info",
	.purpose = "show what a recording is and holds",
	.run = run_info,
};

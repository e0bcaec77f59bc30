// SPDX-License-Identifier: GPL-2.0-or-later
#include "import/text_import.h"

#include "recording/subbuf.h"
#include "recording/subbuf_writer.h"

#define NS_PER_US      1000U
/* The most tasks with a name in the recording. */
#define MAX_TASKS      (1U << 20)
/* Lines between two calls of @progress. */
#define PROGRESS_LINES 4096

/**
 * struct text_traits - how the log was written
 * @seconds, @counter, @latency: how its times are printed; several if logs were concatenated
 * @nanoseconds: some times are not whole microseconds
 * @no_flags: a line had no interrupt context
 * @overwritten: overwritten events before the first one, according to its headers
 * @header_cpus: the highest number of CPUs in a header; 0: none
 */
struct text_traits {
	bool seconds, counter, latency, nanoseconds, no_flags;
	uint64_t overwritten;
	uint32_t header_cpus;
};

struct text_reader {
	const struct recording_import_options *opts;
	struct text_import *out;
	struct text_events events;

	/* The stack being read, of @stack_cpu. */
	bool in_stack, skip_frames;
	struct import_cpu *stack_cpu;
	uint64_t stack_ts;
	struct text_record record, stack;

	uint64_t last_us, rank;
	uint64_t in_buffer, written; /* from the header */
	struct text_traits traits;
	char release[64];

	struct intern comms;
	struct u64_map tasks; /* maps pid to number of comm */
};

/* --- CPUs -------------------------------------------------------------------------------- */

/* @cpu is at most FTRACE_MAX_CPU. */
static int get_cpu(struct text_reader *ti, uint32_t cpu, struct import_cpu **out)
{
	struct import_cpus *cpus = &ti->out->made.cpus;
	const size_t before = cpus->nr;
	uint32_t index;
	int ret = import_cpu(cpus, cpu, &index);

	if (ret)
		return ret;
	*out = &cpus->items[index];
	/* A ring buffer overwrites its oldest events. */
	if (cpus->nr > before && ti->traits.overwritten)
		subbuf_writer_lost(&(*out)->pages, ti->traits.header_cpus == 1
							   ? ti->traits.overwritten
							   : SUBBUF_MISSED_UNKNOWN);
	return 0;
}

/* Records are whole words. */
static int add_record(struct import_cpu *c, uint64_t ts, struct text_record *r)
{
	const struct raw_record rec = { ts, r->data, (uint32_t)((r->size + 3) & ~3UL) };

	memset(r->data + r->size, 0, rec.size - r->size);
	return subbuf_writer_add(&c->pages, &rec, false);
}

/* --- lines ------------------------------------------------------------------------------- */

static void note_unreadable(struct text_reader *ti, const char *line)
{
	struct text_import *r = ti->out;
	size_t i;

	if (r->nr_unreadable++)
		return;
	r->first_unreadable = r->nr_lines;
	for (i = 0; i < sizeof(r->unreadable_text) - 1 && line[i]; i++)
		r->unreadable_text[i] = (unsigned char)line[i] < ' ' ? ' ' : line[i];
	r->unreadable_text[i] = '\0';
}

static int note_task(struct text_reader *ti, const struct ftrace_line *line)
{
	uint32_t id, *slot;

	if (!line->comm_len || (line->comm_len == 5 && !memcmp(line->comm, "<...>", 5)) ||
	    (line->pid == 0) || ti->tasks.count == MAX_TASKS)
		return 0;
	id = intern_id(&ti->comms, line->comm, line->comm_len);
	slot = id ? u64_map_insert(&ti->tasks, (uint64_t)line->pid, id) : NULL;
	if (!slot)
		return -ENOMEM;
	*slot = id;
	return 0;
}

/* The text is in time order, but its times are cut to microseconds. Add nanoseconds to events of
 * the same microsecond to keep that order, even across CPUs.
 */
static uint64_t order_time(struct text_reader *ti, const struct ftrace_line *line)
{
	uint64_t us;

	ti->traits.seconds |= line->time == FTRACE_TIME_SECONDS;
	ti->traits.counter |= line->time == FTRACE_TIME_COUNTER;
	ti->traits.latency |= line->time == FTRACE_TIME_LATENCY;
	ti->traits.nanoseconds |=
		line->time == FTRACE_TIME_SECONDS && line->ts % NS_PER_US;
	if (line->time == FTRACE_TIME_COUNTER || ti->traits.nanoseconds)
		return line->ts;
	us = line->ts / NS_PER_US;
	if (us != ti->last_us)
		ti->rank = 0;
	else if (ti->rank < NS_PER_US - 1)
		ti->rank++;
	ti->last_us = us;
	return line->ts + ti->rank;
}

static int end_stack(struct text_reader *ti)
{
	ti->skip_frames = false;
	if (!ti->in_stack)
		return 0;
	ti->in_stack = false;
	return add_record(ti->stack_cpu, ti->stack_ts, &ti->stack);
}

static int import_event(struct text_reader *ti, const struct ftrace_line *line,
			const char *text)
{
	bool stack = line->name_len == 13 && !memcmp(line->name, "<stack trace>", 13);
	bool other = *line->name == '<' && !stack;
	struct import_cpu *c;
	uint64_t ts;
	int ret = 0;

	ti->traits.no_flags |= !line->has_flags;
	if (!stack)
		ret = text_events_encode(&ti->events, line, &ti->record);
	if (ret == -EINVAL) {
		note_unreadable(ti, text);
		/* Frames of a following stack belong to no event. */
		ti->skip_frames = true;
		return 0;
	}
	ret = ret ?: get_cpu(ti, line->cpu, &c);
	ret = ret ?: note_task(ti, line);
	if (ret)
		return ret;
	ts = order_time(ti, line);
	if (stack) {
		text_events_stack(&ti->events, line, c->site, c->site_function,
				  &ti->stack);
		ti->in_stack = true;
		ti->stack_cpu = c;
		ti->stack_ts = ts;
		return 0;
	}
	c->site = ti->record.site;
	c->site_function = ti->record.site_function;
	ti->skip_frames = other; /* a user stack: addresses of another program */
	return add_record(c, ts, &ti->record);
}

static int import_lost(struct text_reader *ti, const struct ftrace_line *line)
{
	struct import_cpu *c;
	int ret = get_cpu(ti, line->cpu, &c);

	if (!ret && line->lost)
		subbuf_writer_lost(&c->pages, line->lost == FTRACE_LOST_UNKNOWN
						      ? SUBBUF_MISSED_UNKNOWN
						      : line->lost);
	return ret;
}

/* Logs may be concatenated: each has a header, and its losses precede its events. */
static void import_totals(struct text_reader *ti, const struct ftrace_line *line)
{
	uint64_t lost = less(line->written, line->in_buffer);

	ti->traits.header_cpus = LARGER(ti->traits.header_cpus, line->nr_cpus);
	if (line->written == ti->written && line->in_buffer == ti->in_buffer)
		return; /* the same buffer again, from another CPU */
	ti->written = line->written;
	ti->in_buffer = line->in_buffer;
	if (!lost ||
	    __builtin_add_overflow(ti->traits.overwritten, lost, &ti->traits.overwritten))
		return;
	for (size_t i = 0; i < ti->out->made.cpus.nr; i++)
		subbuf_writer_lost(&ti->out->made.cpus.items[i].pages,
				   SUBBUF_MISSED_UNKNOWN);
}

static int import_frame(struct text_reader *ti, const struct ftrace_line *line,
			const char *text)
{
	int ret;

	if (ti->skip_frames)
		return 0;
	ret = ti->in_stack ? text_events_frame(&ti->events, line, &ti->stack) : -EINVAL;
	if (ret != -EINVAL)
		return ret;
	note_unreadable(ti, text);
	return 0;
}

static int import_line(struct text_reader *ti, const char *text)
{
	struct ftrace_line line;
	int ret = 0;

	ftrace_line_parse(&line, text);
	if (line.type != FTRACE_LINE_FRAME)
		ret = end_stack(ti);
	if (ret)
		return ret;
	switch (line.type) {
	case FTRACE_LINE_EVENT:
		return import_event(ti, &line, text);
	case FTRACE_LINE_FRAME:
		return import_frame(ti, &line, text);
	case FTRACE_LINE_LOST:
		return import_lost(ti, &line);
	case FTRACE_LINE_TOTALS:
		import_totals(ti, &line);
		return 0;
	case FTRACE_LINE_KERNEL:
		snprintf(ti->release, sizeof(ti->release), "%.*s", (int)line.release_len,
			 line.release);
		return 0;
	case FTRACE_LINE_UNREADABLE:
		note_unreadable(ti, text);
		return 0;
	default:
		return 0;
	}
}

/* --- notes ------------------------------------------------------------------------------- */

static void note_symbols(struct strbuf *out, const struct text_events *events)
{
	struct name_addr_stats s = name_addrs_stats(events->addrs);
	const struct import_note notes[] = {
		{ s.nr_ambiguous,
		  " functions share their name with others: the address of the first is used" },
		{ events->stats.nr_hex_sites && !name_addrs_given(events->addrs),
		  "callsites are addresses: names need --kallsyms or --system-map" },
		{ s.nr_refused, " callsites or frames could not be given an address",
		  " callsite or frame could not be given an address" },
		{ events->stats.nr_bare_frames != 0, RECORDING_BARE_FRAMES },
	};

	if (s.nr_made_up)
		strbuf_printf(out,
			      "functions with made-up addresses: %" PRIu64
			      ", from 0x%" PRIx64 " on; the text has only their names\n",
			      s.nr_made_up, NAME_ADDR_BASE);
	import_add_notes(out, notes, ARRAY_SIZE(notes));
}

static void note_texts(struct strbuf *out, const struct text_events *events)
{
	const struct text_event_stats *s = &events->stats;
	const struct text_gfp *g = &events->gfp;
	const struct import_note before[] = {
		/* Objects are word-aligned; in a hashed address the low 32 bits are random. */
		{ !s->nr_high && s->nr_uneven > s->nr_pointers / 8,
		  "pointers are hashed: equal ones are the same object, but their values mean nothing" },
		{ s->nr_hidden,
		  " pointers were printed as (____ptrval____): those objects cannot be told apart",
		  " pointer was printed as (____ptrval____): those objects cannot be told apart" },
		{ s->nr_no_gfp, " events have no GFP flags: the kernel printed nothing",
		  " event has no GFP flags: the kernel printed nothing" },
		{ s->nr_no_name, " events have no cache name: the kernel printed nothing",
		  " event has no cache name: the kernel printed nothing" },
		{ s->nr_nameless && !s->nr_named, "no cache names: the text has none" },
	}, after[] = {
		{ g->nr_new, " GFP flags do not exist there: their bits were made up" },
		{ g->nr_other,
		  " sets of GFP flags show other names than the text (--release RELEASE chooses the kernel)" },
		{ g->nr_unreadable, " sets of GFP flags could not be read: shown as none",
		  " set of GFP flags could not be read: shown as none" },
		{ s->nr_others, " events of other kinds kept as text",
		  " event of other kinds kept as text" },
		{ s->nr_cut, " texts or frames were too long and are cut" },
	};

	import_add_notes(out, before, ARRAY_SIZE(before));
	strbuf_printf(
		out,
		"the values of GFP flags are those of Linux %s; the text has only their names\n",
		g->era_name);
	import_add_notes(out, after, ARRAY_SIZE(after));
}

/* Adds what the log lacked or hid, for readers of the recording, one note per line. */
static void add_notes(struct text_reader *ti)
{
	const struct text_traits *traits = &ti->traits;
	const struct text_events *events = &ti->events;
	const struct text_import *r = ti->out;
	struct strbuf *out = &ti->out->made.notes;
	const bool made_up = name_addrs_stats(events->addrs).nr_made_up;
	const struct import_note notes[] = {
		{ 1,
		  made_up ? "from text; addresses are not the kernel's" : "from text" },
		{ r->nr_lines, " lines of the kernel's trace file",
		  " line of the kernel's trace file" },
		{ !traits->nanoseconds && (traits->seconds || traits->latency),
		  "times are rounded to microseconds; the nanoseconds only keep the order of the text" },
		{ traits->latency,
		  "names of tasks are cut to 8 characters, and times may begin at the first event (latency-format)" },
		{ traits->counter,
		  "the clock counts no time (printed without a decimal point)" },
		{ traits->no_flags, RECORDING_NO_IRQ_INFO },
	};

	import_add_notes(out, notes, ARRAY_SIZE(notes));
	note_symbols(out, events);
	note_texts(out, events);
	if (traits->overwritten && traits->header_cpus != 1)
		strbuf_printf(
			out,
			"%" PRIu64
			" event%s overwritten before the first; the text does not say on which CPUs, all count as CPU %" PRIu32
			"'s\n",
			traits->overwritten, traits->overwritten == 1 ? " was" : "s were",
			ti->out->made.parts[0].cpu);
	if (r->cut_short)
		strbuf_puts(out, "the compressed text is truncated\n");
	if (r->nr_unreadable)
		strbuf_printf(out,
			      "unreadable lines: %" PRIu64 ", the first is line %" PRIu64
			      "\n",
			      r->nr_unreadable, r->first_unreadable);
}

/* --- facts ------------------------------------------------------------------------------- */

static void compose_uname(struct text_reader *ti)
{
	const char *release = ti->opts->release ? ti->opts->release : ti->release;

	if (!*release && ti->events.gfp.era == TEXT_GFP_BEFORE_4_4)
		release = "4.3-or-older"; /* also determines the order of migratetypes */
	import_kernel(&ti->out->made.texts.uname, NULL, release, ti->opts->machine);
}

/* The number of overwritten events is known only for all CPUs together: assign it to the lowest
 * CPU.
 */
static int compose_cpustat(struct text_reader *ti)
{
	struct strbuf sb = { 0 };

	if (!ti->traits.overwritten)
		return 0;
	strbuf_printf(&sb,
		      "CPU: %" PRIu32 "\nentries: %" PRIu64 "\noverrun: %" PRIu64
		      "\ncommit overrun: 0\nbytes: 0\ndropped events: 0\n",
		      ti->out->made.parts[0].cpu, ti->in_buffer, ti->traits.overwritten);
	return text_list_take(&ti->out->made.texts.cpustats, "cpustat", &sb);
}

static int compose_texts(struct text_reader *ti)
{
	struct system_texts *t = &ti->out->made.texts;
	int ret;

	strbuf_puts(&t->header_page, native_pages_header_page);
	strbuf_puts(&t->header_event, native_pages_header_event);
	strbuf_puts(&t->trace_clock, ti->traits.counter ? "[counter]\n" : "[local]\n");
	name_addrs_text(ti->events.addrs, &t->kallsyms);
	add_notes(ti);
	import_tasks(&t->cmdlines, &ti->tasks, &ti->comms);
	compose_uname(ti);
	ret = compose_cpustat(ti);
	ret = ret ?: text_formats(&ti->events, &t->event_formats);
	ret = ret ?: text_formats_of_ftrace(&t->ftrace_formats);
	return ret ? ret : import_meta(&ti->out->made, ti->opts->page_size);
}

static int compose(struct text_reader *ti)
{
	struct imported *made = &ti->out->made;
	uint32_t highest;
	int ret = import_parts(made);

	if (ret)
		return ret;
	highest = made->parts[made->nr_parts - 1].cpu;
	ret = compose_texts(ti);
	made->facts = (struct writer_facts){
		.file_version = 7,
		.page_size = NATIVE_PAGES_SIZE,
		.long_size = NATIVE_PAGES_LONG_SIZE,
		.clock = ti->traits.counter ? "counter" : "local",
		.nr_cpus = highest + 1 > ti->traits.header_cpus ? highest + 1
								: ti->traits.header_cpus,
	};
	return ret ? ret : system_texts_facts(&made->texts, &made->facts);
}

/* --- running ----------------------------------------------------------------------------- */

/* A loss after the last sub-buffer is dropped: no sub-buffer follows that could carry its mark. */
static int finish_cpu(struct import_cpu *c)
{
	c->pages.missed = 0;
	return subbuf_writer_finish(&c->pages, 0);
}

static int read_lines(struct text_reader *ti, struct line_source *ls)
{
	size_t size;
	char *line;
	int ret;

	while ((ret = line_source_next(ls, &line, &size)) > 0) {
		ti->out->nr_lines++;
		ret = import_line(ti, line);
		if (ret)
			return ret;
		if (ti->opts->progress && ti->out->nr_lines % PROGRESS_LINES == 0)
			ti->opts->progress(ti->opts->ctx, line_source_bytes(ls), 0,
					   ti->events.stats.nr_records);
	}
	ret = ret ?: end_stack(ti);
	for (size_t i = 0; !ret && i < ti->out->made.cpus.nr; i++)
		ret = finish_cpu(&ti->out->made.cpus.items[i]);
	ti->out->cut_short = line_source_cut_short(ls);
	ti->out->nr_events = ti->events.stats.nr_records;
	return ret;
}

static bool has_kmem_events(const struct text_reader *ti)
{
	return ANY(i, TEXT_NR_SPECS, ti->events.seen[i]);
}

static int start(struct text_reader *ti, struct line_source *ls)
{
	const char *begin;
	size_t size;
	int ret = line_source_peek(ls, &begin, &size);

	ti->last_us = UINT64_MAX;
	if (!ret)
		ret = name_addrs_new(&ti->events.addrs, ti->opts->symbols,
				     ti->opts->symbols_size);
	if (!ret)
		ret = text_gfp_init(&ti->events.gfp,
				    text_gfp_guess(ti->opts->release, begin, size));
	return ret;
}

static int run(struct text_reader *ti, struct line_source *ls)
{
	int ret = start(ti, ls);

	ret = ret ?: read_lines(ti, ls);
	if (!ret && !has_kmem_events(ti))
		ret = -ENODATA;
	return ret ? ret : compose(ti);
}

int text_import_run(struct text_import *out, struct line_source *ls,
		    const struct recording_import_options *opts)
{
	struct text_reader *ti __auto_mem = calloc(1, sizeof(*ti));
	int ret;

	*out = (struct text_import){ .made.cpus = { .opts = opts,
						    .layout = &native_pages_layout,
						    .big_endian = HOST_BIG_ENDIAN,
						    .page_size = NATIVE_PAGES_SIZE } };
	if (!ti)
		return -ENOMEM;
	ti->opts = opts;
	ti->out = out;
	ret = run(ti, ls);
	text_events_free(&ti->events);
	intern_free(&ti->comms);
	u64_map_free(&ti->tasks);
	return ret;
}

// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * import: a kernel's text log as a recording.
 * In: ftrace text, line by line. Out: each CPU's sub-buffers in a file of its own, and facts.
 */
#include "import/text_import.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/array.h"
#include "import/text_events.h"
#include "recording/page_writer.h"
#include "recording/subbuf.h"

#define NS_PER_US 1000U
/* More tasks have no name in the recording. */
#define MAX_TASKS (1U << 20)

/* @site, @site_function: of its last event, see text_events.h. */
struct text_cpu {
	uint32_t cpu;
	struct page_writer pages;
	uint64_t site, site_function;
};

struct text_import {
	struct recording_import_options opts;
	struct text_import_result result;
	struct text_events events;
	struct name_addrs *addrs;
	struct text_cpu *cpus;
	size_t nr_cpus, cpus_capacity;
	uint32_t *by_cpu; /* index + 1 */

	/* The stack that is being read, of @stack_cpu. */
	bool in_stack, skip_frames;
	struct text_cpu *stack_cpu;
	uint64_t stack_ts;
	struct text_record record, stack;

	uint64_t last_us, rank;
	uint64_t in_buffer, written, overwritten; /* of the header */
	uint32_t header_cpus;
	bool seconds, nanoseconds, counter, latency, no_flags;
	char release[64];

	struct intern comms;
	struct u64_map tasks; /* pid to number of comm */

	struct strbuf kallsyms, cmdlines, uname, notes, cpustat;
	struct recording_text *ftrace_formats, *formats, meta[2];
	size_t nr_ftrace_formats, nr_formats;
	char page_size[16];
	const char *cpustat_text;
	struct writer_facts facts;
	struct writer_part *parts;
};

/* --- CPUs -------------------------------------------------------------------------------- */

static int add_cpu(struct text_import *ti, uint32_t cpu)
{
	struct text_cpu *c;
	int fd, ret;

	if (array_reserve(&ti->cpus, &ti->cpus_capacity, ti->nr_cpus + 1,
			  sizeof(*ti->cpus)))
		return -ENOMEM;
	fd = ti->opts.open_part(ti->opts.ctx, cpu);
	if (fd < 0)
		return fd;
	c = &ti->cpus[ti->nr_cpus];
	*c = (struct text_cpu){ .cpu = cpu };
	ret = page_writer_init(&c->pages, fd);
	if (ret) {
		close(fd);
		return ret;
	}
	ti->by_cpu[cpu] = (uint32_t)++ti->nr_cpus;
	/* A ring buffer overwrites its oldest events. */
	if (ti->overwritten)
		ret = page_writer_loss(&c->pages, ti->header_cpus == 1
							  ? ti->overwritten
							  : SUBBUF_MISSED_UNKNOWN);
	return ret;
}

/* @cpu is at most FTRACE_MAX_CPU. The CPU's index in @out. */
static int get_cpu(struct text_import *ti, uint32_t cpu, size_t *out)
{
	int ret = ti->by_cpu[cpu] ? 0 : add_cpu(ti, cpu);

	*out = ti->by_cpu[cpu] - 1;
	return ret;
}

/* --- lines ------------------------------------------------------------------------------- */

static void note_unreadable(struct text_import *ti, const char *line)
{
	struct text_import_result *r = &ti->result;
	size_t i;

	if (r->nr_unreadable++)
		return;
	r->first_unreadable = r->nr_lines;
	for (i = 0; i < sizeof(r->unreadable_text) - 1 && line[i]; i++)
		r->unreadable_text[i] = (unsigned char)line[i] < ' ' ? ' ' : line[i];
	r->unreadable_text[i] = '\0';
}

static int note_task(struct text_import *ti, const struct ftrace_line *line)
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

/* The text is in the order of time, but its times are cut to microseconds. Those of one
 * microsecond get nanoseconds by which they keep that order, whatever CPU they are of.
 */
static uint64_t order_time(struct text_import *ti, const struct ftrace_line *line)
{
	uint64_t us;

	ti->seconds |= line->time == FTRACE_TIME_SECONDS;
	ti->counter |= line->time == FTRACE_TIME_COUNTER;
	ti->latency |= line->time == FTRACE_TIME_LATENCY;
	ti->nanoseconds |= line->time == FTRACE_TIME_SECONDS && line->ts % NS_PER_US;
	if (line->time == FTRACE_TIME_COUNTER || ti->nanoseconds)
		return line->ts;
	us = line->ts / NS_PER_US;
	if (us != ti->last_us)
		ti->rank = 0;
	else if (ti->rank < NS_PER_US - 1)
		ti->rank++;
	ti->last_us = us;
	return line->ts + ti->rank;
}

static int end_stack(struct text_import *ti)
{
	struct text_cpu *c = ti->stack_cpu;

	ti->skip_frames = false;
	if (!ti->in_stack)
		return 0;
	ti->in_stack = false;
	return page_writer_event(&c->pages, ti->stack_ts, ti->stack.data, ti->stack.size);
}

static int import_event(struct text_import *ti, const struct ftrace_line *line,
			const char *text)
{
	bool stack = line->name_len == 13 && !memcmp(line->name, "<stack trace>", 13);
	bool other = *line->name == '<' && !stack;
	struct text_cpu *c;
	size_t index;
	uint64_t ts;
	int ret = 0;

	ti->no_flags |= !line->has_flags;
	if (!stack)
		ret = text_events_encode(&ti->events, line, &ti->record);
	if (ret == -EINVAL) {
		note_unreadable(ti, text);
		/* The frames of a stack behind it belong to nothing. */
		ti->skip_frames = true;
		return 0;
	}
	if (!ret)
		ret = get_cpu(ti, line->cpu, &index);
	if (!ret)
		ret = note_task(ti, line);
	if (ret)
		return ret;
	ts = order_time(ti, line);
	c = &ti->cpus[index];
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
	ti->skip_frames = other; /* a user's stack: addresses of another program */
	return page_writer_event(&c->pages, ts, ti->record.data, ti->record.size);
}

static int import_lost(struct text_import *ti, const struct ftrace_line *line)
{
	size_t index;
	int ret = get_cpu(ti, line->cpu, &index);

	if (ret || !line->lost)
		return ret;
	return page_writer_loss(&ti->cpus[index].pages, line->lost == FTRACE_LOST_UNKNOWN
								? SUBBUF_MISSED_UNKNOWN
								: line->lost);
}

/* Logs may be strung together: each has a header, and its own losses before its events. */
static int import_totals(struct text_import *ti, const struct ftrace_line *line)
{
	uint64_t lost =
		line->written > line->in_buffer ? line->written - line->in_buffer : 0;
	int ret = 0;

	if (line->nr_cpus > ti->header_cpus)
		ti->header_cpus = line->nr_cpus;
	if (line->written == ti->written && line->in_buffer == ti->in_buffer)
		return 0; /* the same buffer again, of another CPU */
	ti->written = line->written;
	ti->in_buffer = line->in_buffer;
	if (!lost || __builtin_add_overflow(ti->overwritten, lost, &ti->overwritten))
		return 0;
	for (size_t i = 0; !ret && i < ti->nr_cpus; i++)
		ret = page_writer_loss(&ti->cpus[i].pages, SUBBUF_MISSED_UNKNOWN);
	return ret;
}

static int import_frame(struct text_import *ti, const struct ftrace_line *line,
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

static int import_line(struct text_import *ti, const char *text)
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
		return import_totals(ti, &line);
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

/* --- facts ------------------------------------------------------------------------------- */

static void note(struct text_import *ti, const char *fmt, ...) __printf_fmt(2, 3);

static void note(struct text_import *ti, const char *fmt, ...)
{
	char text[512];
	va_list args;

	va_start(args, fmt);
	vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	strbuf_printf(&ti->notes, "%s\n", text);
}

static void note_symbols(struct text_import *ti)
{
	struct name_addr_stats s = name_addrs_stats(ti->addrs);

	if (s.nr_made_up)
		note(ti,
		     "made-up addresses of functions: %" PRIu64 ", from 0x%" PRIx64
		     " on; the text has their names only",
		     s.nr_made_up, NAME_ADDR_BASE);
	if (s.nr_ambiguous)
		note(ti,
		     "%" PRIu64
		     " functions share their name with others: the first one's address is taken",
		     s.nr_ambiguous);
	if (ti->events.stats.nr_hex_sites && !name_addrs_given(ti->addrs))
		note(ti,
		     "callsites are addresses: names need --kallsyms or --system-map");
	if (s.nr_refused)
		note(ti, "%" PRIu64 " callsites or frames could not be given an address",
		     s.nr_refused);
	if (ti->events.stats.nr_bare_frames)
		note(ti, "frames of stacks are functions, without the place in them");
}

static void note_pointers(struct text_import *ti)
{
	const struct text_event_stats *s = &ti->events.stats;

	/* Objects are at words; the hash of an address has the low 32 bits at random. */
	if (!s->nr_high && s->nr_uneven > s->nr_pointers / 8)
		note(ti,
		     "pointers are hashed: equal ones are the same object, but their values mean nothing");
	if (s->nr_hidden)
		note(ti,
		     "%" PRIu64
		     " pointers were printed as (____ptrval____): those objects cannot be told apart",
		     s->nr_hidden);
}

static void note_texts(struct text_import *ti)
{
	const struct text_event_stats *s = &ti->events.stats;
	const struct text_gfp *g = &ti->events.gfp;
	bool caches = ti->events.seen[2] | ti->events.seen[3] | ti->events.seen[5];
	bool names = (ti->events.seen[2] | ti->events.seen[3]) >> 7 & 1 ||
		     ti->events.seen[5] >> 2 & 1;

	if (s->nr_no_gfp)
		note(ti,
		     "%" PRIu64 " events have no GFP flags: the kernel printed nothing",
		     s->nr_no_gfp);
	if (s->nr_no_name)
		note(ti,
		     "%" PRIu64 " events have no cache name: the kernel printed nothing",
		     s->nr_no_name);
	if (caches && !names)
		note(ti, "no cache names: the text has none");
	note(ti,
	     "values of GFP flags are those of Linux %s; the text has their names only",
	     text_gfp_era_name(g->era));
	if (g->nr_new)
		note(ti, "%" PRIu64 " GFP flags have no place in them: bits were made up",
		     g->nr_new);
	if (g->nr_other)
		note(ti,
		     "%" PRIu64
		     " sets of GFP flags show other names than the text (--release RELEASE chooses the kernel)",
		     g->nr_other);
	if (g->nr_unreadable)
		note(ti, "%" PRIu64 " sets of GFP flags could not be read: shown as none",
		     g->nr_unreadable);
	if (s->nr_others)
		note(ti, "%" PRIu64 " events of other kinds are kept as text",
		     s->nr_others);
	if (s->nr_cut)
		note(ti, "%" PRIu64 " texts or frames were too long and are cut",
		     s->nr_cut);
}

static void note_all(struct text_import *ti)
{
	const struct text_import_result *r = &ti->result;
	struct name_addr_stats s = name_addrs_stats(ti->addrs);

	/* The first note stands above every report. */
	note(ti, "from text%s", s.nr_made_up ? "; addresses are not the kernel's" : "");
	note(ti, "%" PRIu64 " lines of the kernel's trace file", r->nr_lines);
	if (!ti->nanoseconds && (ti->seconds || ti->latency))
		note(ti,
		     "times are rounded to microseconds; the nanoseconds only keep the order of the text");
	if (ti->latency)
		note(ti,
		     "names of tasks are cut to 8 characters, and times may begin at the first event (latency-format)");
	if (ti->counter)
		note(ti, "the clock counts no time (printed without a decimal point)");
	if (ti->no_flags)
		note(ti,
		     "no interrupt context: the text has no such column (option irq-info)");
	note_symbols(ti);
	note_pointers(ti);
	note_texts(ti);
	if (ti->overwritten && ti->header_cpus != 1)
		note(ti,
		     "%" PRIu64
		     " events were overwritten before the first; the text does not say on which CPUs, all count as CPU %" PRIu32
		     "'s",
		     ti->overwritten, ti->cpus[0].cpu);
	if (r->cut_short)
		note(ti, "the compressed text ends before its end");
	if (r->nr_unreadable)
		note(ti, "unreadable lines: %" PRIu64 ", the first is line %" PRIu64,
		     r->nr_unreadable, r->first_unreadable);
}

static int compare_cpus(const void *a, const void *b)
{
	const struct text_cpu *x = a, *y = b;

	return x->cpu < y->cpu ? -1 : x->cpu > y->cpu;
}

static void compose_tasks(struct text_import *ti)
{
	for (size_t i = 0; i < ti->tasks.capacity; i++) {
		const struct u64_map_slot *slot = &ti->tasks.slots[i];

		if (slot->used)
			strbuf_printf(
				&ti->cmdlines, "%" PRIu64 " %s\n", slot->key,
				(const char *)intern_get(&ti->comms, slot->value, NULL));
	}
}

static void compose_uname(struct text_import *ti)
{
	const char *release = ti->opts.release ? ti->opts.release : ti->release;

	if (!*release && ti->events.gfp.era == TEXT_GFP_BEFORE_4_4)
		release = "4.3-or-older"; /* tells the order of migratetypes too */
	if (*release || ti->opts.machine)
		strbuf_printf(&ti->uname, "Linux unknown %s %s",
			      *release ? release : "unknown",
			      ti->opts.machine ? ti->opts.machine : "unknown");
}

static int compose_parts(struct text_import *ti)
{
	ti->parts = calloc(ti->nr_cpus, sizeof(*ti->parts));
	if (!ti->parts)
		return -ENOMEM;
	for (size_t i = 0; i < ti->nr_cpus; i++)
		ti->parts[i] = (struct writer_part){ .cpu = ti->cpus[i].cpu,
						     .fd = ti->cpus[i].pages.pages.fd,
						     .size = ti->cpus[i].pages.bytes,
						     .consume = true };
	return 0;
}

static void compose_meta(struct text_import *ti)
{
	size_t nr = 0;

	ti->meta[nr++] = (struct recording_text){ (char *)RECORDING_META_IMPORT,
						  ti->notes.data, ti->notes.size };
	if (ti->opts.page_size) {
		int len = snprintf(ti->page_size, sizeof(ti->page_size), "%" PRIu32,
				   ti->opts.page_size);

		ti->meta[nr++] = (struct recording_text){ (char *)"page_size",
							  ti->page_size, (size_t)len };
	}
	ti->facts.meta = ti->meta;
	ti->facts.nr_meta = nr;
}

static int compose(struct text_import *ti)
{
	uint32_t highest;
	int ret;

	qsort(ti->cpus, ti->nr_cpus, sizeof(*ti->cpus), compare_cpus);
	highest = ti->cpus[ti->nr_cpus - 1].cpu;
	name_addrs_text(ti->addrs, &ti->kallsyms);
	note_all(ti);
	compose_tasks(ti);
	compose_uname(ti);
	if (ti->overwritten)
		strbuf_printf(&ti->cpustat,
			      "CPU: %" PRIu32 "\nentries: %" PRIu64 "\noverrun: %" PRIu64
			      "\ncommit overrun: 0\nbytes: 0\ndropped events: 0\n",
			      ti->cpus[0].cpu, ti->in_buffer, ti->overwritten);
	ret = text_events_formats(&ti->events, &ti->formats, &ti->nr_formats);
	if (!ret)
		ret = text_events_ftrace_formats(&ti->ftrace_formats,
						 &ti->nr_ftrace_formats);
	if (!ret)
		ret = compose_parts(ti);
	if (ret || ti->kallsyms.failed || ti->notes.failed || ti->cmdlines.failed ||
	    ti->uname.failed || ti->cpustat.failed)
		return ret ? ret : -ENOMEM;
	ti->cpustat_text = ti->cpustat.data;
	ti->facts = (struct writer_facts){
		.file_version = 7,
		.page_size = PAGE_WRITER_PAGE_SIZE,
		.long_size = PAGE_WRITER_LONG_SIZE,
		.header_page = page_writer_header_page,
		.header_event = page_writer_header_event,
		.ftrace_formats = ti->ftrace_formats,
		.nr_ftrace_formats = ti->nr_ftrace_formats,
		.event_formats = ti->formats,
		.nr_event_formats = ti->nr_formats,
		.kallsyms = ti->kallsyms.data,
		.kallsyms_size = ti->kallsyms.size,
		.cmdlines = ti->cmdlines.data,
		.uname = ti->uname.data,
		.writer_version = "kmemx " KMEMX_VERSION,
		.trace_clock = ti->counter ? "[counter]\n" : "[local]\n",
		.clock = ti->counter ? "counter" : "local",
		.nr_cpus = highest + 1 > ti->header_cpus ? highest + 1 : ti->header_cpus,
		.cpustats = &ti->cpustat_text,
		.nr_cpustats = ti->cpustat_text ? 1 : 0,
	};
	compose_meta(ti);
	return 0;
}

/* --- running ----------------------------------------------------------------------------- */

static int read_lines(struct text_import *ti, struct line_source *ls)
{
	size_t size;
	char *line;
	int ret;

	while ((ret = line_source_next(ls, &line, &size)) > 0) {
		ti->result.nr_lines++;
		ret = import_line(ti, line);
		if (ret)
			return ret;
	}
	if (!ret)
		ret = end_stack(ti);
	for (size_t i = 0; !ret && i < ti->nr_cpus; i++)
		ret = page_writer_finish(&ti->cpus[i].pages);
	ti->result.cut_short = line_source_cut_short(ls);
	ti->result.nr_events = ti->events.stats.nr_records;
	return ret;
}

static bool has_kmem_events(const struct text_import *ti)
{
	for (size_t i = 0; i < TEXT_EVENTS_NR_SPECS; i++)
		if (ti->events.seen[i])
			return true;
	return false;
}

static int start(struct text_import *ti, struct line_source *ls)
{
	const char *begin;
	size_t size;
	int ret = line_source_peek(ls, &begin, &size);

	ti->by_cpu = calloc(FTRACE_MAX_CPU + 1, sizeof(*ti->by_cpu));
	if (!ti->by_cpu)
		return -ENOMEM;
	ti->last_us = UINT64_MAX;
	if (!ret)
		ret = name_addrs_new(&ti->addrs, ti->opts.symbols, ti->opts.symbols_size);
	if (!ret)
		ret = text_gfp_init(&ti->events.gfp,
				    text_gfp_guess(ti->opts.release, begin, size));
	ti->events.addrs = ti->addrs;
	return ret;
}

int text_import_run(struct text_import **out, struct line_source *ls,
		    const struct recording_import_options *opts)
{
	struct text_import *ti = calloc(1, sizeof(*ti));
	int ret;

	if (!ti)
		return -ENOMEM;
	ti->opts = *opts;
	ret = start(ti, ls);
	if (!ret)
		ret = read_lines(ti, ls);
	if (!ret && !has_kmem_events(ti))
		ret = -ENODATA;
	if (!ret)
		ret = compose(ti);
	if (ret && ret != -ENODATA) {
		text_import_free(ti);
		return ret;
	}
	*out = ti;
	return ret;
}

const struct text_import_result *text_import_result(const struct text_import *ti)
{
	return &ti->result;
}

const struct writer_facts *text_import_facts(const struct text_import *ti)
{
	return &ti->facts;
}

const struct writer_part *text_import_parts(const struct text_import *ti, size_t *count)
{
	*count = ti->nr_cpus;
	return ti->parts;
}

const char *text_import_notes(const struct text_import *ti)
{
	return strbuf_text(&ti->notes);
}

static void free_texts(struct recording_text *items, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		free(items[i].name);
		free(items[i].text);
	}
	free(items);
}

void text_import_free(struct text_import *ti)
{
	if (!ti)
		return;
	for (size_t i = 0; i < ti->nr_cpus; i++) {
		close(ti->cpus[i].pages.pages.fd);
		page_writer_free(&ti->cpus[i].pages);
	}
	free(ti->cpus);
	free(ti->by_cpu);
	free(ti->parts);
	text_events_free(&ti->events);
	name_addrs_free(ti->addrs);
	intern_free(&ti->comms);
	u64_map_free(&ti->tasks);
	free_texts(ti->ftrace_formats, ti->nr_ftrace_formats);
	free_texts(ti->formats, ti->nr_formats);
	strbuf_free(&ti->kallsyms);
	strbuf_free(&ti->cmdlines);
	strbuf_free(&ti->uname);
	strbuf_free(&ti->notes);
	strbuf_free(&ti->cpustat);
	free(ti);
}

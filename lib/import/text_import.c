// SPDX-License-Identifier: GPL-2.0-or-later
#include "import/text_import.h"

#include <unistd.h>

#include "base/array.h"
#include "recording/subbuf.h"
#include "recording/subbuf_writer.h"

#define NS_PER_US      1000U
/* The most tasks with a name in the recording. */
#define MAX_TASKS      (1U << 20)
/* Lines between two calls of @progress. */
#define PROGRESS_LINES 4096

/* @site, @site_function: of the CPU's last event, see text_events.h. */
struct text_cpu {
	uint32_t cpu;
	struct native_pages pages;
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

	/* The stack being read, of @stack_cpu. */
	bool in_stack, skip_frames;
	struct text_cpu *stack_cpu;
	uint64_t stack_ts;
	struct text_record record, stack;

	uint64_t last_us, rank;
	uint64_t in_buffer, written; /* from the header */
	struct text_traits traits;
	char release[64];

	struct intern comms;
	struct u64_map tasks; /* maps pid to number of comm */

	struct system_texts texts;
	struct strbuf notes;
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
	ret = native_pages_init(&c->pages, fd);
	if (ret) {
		close(fd);
		return ret;
	}
	ti->by_cpu[cpu] = (uint32_t)++ti->nr_cpus;
	/* A ring buffer overwrites its oldest events. */
	if (ti->traits.overwritten)
		native_pages_loss(&c->pages, ti->traits.header_cpus == 1
						     ? ti->traits.overwritten
						     : SUBBUF_MISSED_UNKNOWN);
	return 0;
}

/* @cpu is at most FTRACE_MAX_CPU. Sets @out to the CPU's index. */
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

/* The text is in time order, but its times are cut to microseconds. Add nanoseconds to events of
 * the same microsecond to keep that order, even across CPUs.
 */
static uint64_t order_time(struct text_import *ti, const struct ftrace_line *line)
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

static int end_stack(struct text_import *ti)
{
	struct text_cpu *c = ti->stack_cpu;

	ti->skip_frames = false;
	if (!ti->in_stack)
		return 0;
	ti->in_stack = false;
	return native_pages_event(&c->pages, ti->stack_ts, ti->stack.data,
				  ti->stack.size);
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

	ti->traits.no_flags |= !line->has_flags;
	if (!stack)
		ret = text_events_encode(&ti->events, line, &ti->record);
	if (ret == -EINVAL) {
		note_unreadable(ti, text);
		/* Frames of a following stack belong to no event. */
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
	ti->skip_frames = other; /* a user stack: addresses of another program */
	return native_pages_event(&c->pages, ts, ti->record.data, ti->record.size);
}

static int import_lost(struct text_import *ti, const struct ftrace_line *line)
{
	size_t index;
	int ret = get_cpu(ti, line->cpu, &index);

	if (!ret && line->lost)
		native_pages_loss(&ti->cpus[index].pages,
				  line->lost == FTRACE_LOST_UNKNOWN
					  ? SUBBUF_MISSED_UNKNOWN
					  : line->lost);
	return ret;
}

/* Logs may be concatenated: each has a header, and its losses precede its events. */
static void import_totals(struct text_import *ti, const struct ftrace_line *line)
{
	uint64_t lost =
		line->written > line->in_buffer ? line->written - line->in_buffer : 0;

	if (line->nr_cpus > ti->traits.header_cpus)
		ti->traits.header_cpus = line->nr_cpus;
	if (line->written == ti->written && line->in_buffer == ti->in_buffer)
		return; /* the same buffer again, from another CPU */
	ti->written = line->written;
	ti->in_buffer = line->in_buffer;
	if (!lost ||
	    __builtin_add_overflow(ti->traits.overwritten, lost, &ti->traits.overwritten))
		return;
	for (size_t i = 0; i < ti->nr_cpus; i++)
		native_pages_loss(&ti->cpus[i].pages, SUBBUF_MISSED_UNKNOWN);
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

/* --- facts ------------------------------------------------------------------------------- */

ORDER_BY(compare_cpus, struct text_cpu, cpu, cpu)

static void compose_tasks(struct text_import *ti)
{
	struct u64_map_slot *tasks __auto_mem = u64_map_sorted(&ti->tasks);

	for (size_t i = 0; tasks && i < ti->tasks.count; i++)
		strbuf_printf(&ti->texts.cmdlines, "%" PRIu64 " %s\n", tasks[i].key,
			      (const char *)intern_get(&ti->comms, tasks[i].value, NULL));
	ti->texts.cmdlines.failed |= !tasks;
}

static void compose_uname(struct text_import *ti)
{
	const char *release = ti->opts.release ? ti->opts.release : ti->release;

	if (!*release && ti->events.gfp.era == TEXT_GFP_BEFORE_4_4)
		release = "4.3-or-older"; /* also determines the order of migratetypes */
	import_kernel(&ti->texts.uname, NULL, release, ti->opts.machine);
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

/* The number of overwritten events is known only for all CPUs together: assign it to the lowest
 * CPU.
 */
static int compose_cpustat(struct text_import *ti)
{
	struct strbuf sb = { 0 };

	if (!ti->traits.overwritten)
		return 0;
	strbuf_printf(&sb,
		      "CPU: %" PRIu32 "\nentries: %" PRIu64 "\noverrun: %" PRIu64
		      "\ncommit overrun: 0\nbytes: 0\ndropped events: 0\n",
		      ti->traits.lowest_cpu, ti->in_buffer, ti->traits.overwritten);
	return text_list_take(&ti->texts.cpustats, "cpustat", &sb);
}

static int compose_texts(struct text_import *ti)
{
	struct system_texts *t = &ti->texts;
	int ret;

	strbuf_puts(&t->header_page, native_pages_header_page);
	strbuf_puts(&t->header_event, native_pages_header_event);
	strbuf_puts(&t->trace_clock, ti->traits.counter ? "[counter]\n" : "[local]\n");
	name_addrs_text(ti->addrs, &t->kallsyms);
	text_notes(&ti->notes, &ti->traits, &ti->events, &ti->result);
	compose_tasks(ti);
	compose_uname(ti);
	ret = compose_cpustat(ti);
	if (!ret)
		ret = text_formats(&ti->events, &t->event_formats);
	if (!ret)
		ret = text_formats_of_ftrace(&t->ftrace_formats);
	return ret ? ret : import_meta(&t->meta, &ti->notes, ti->opts.page_size);
}

static int compose(struct text_import *ti)
{
	uint32_t highest;
	int ret;

	qsort(ti->cpus, ti->nr_cpus, sizeof(*ti->cpus), compare_cpus);
	ti->traits.lowest_cpu = ti->cpus[0].cpu;
	highest = ti->cpus[ti->nr_cpus - 1].cpu;
	ret = compose_texts(ti);
	if (!ret)
		ret = compose_parts(ti);
	ti->facts = (struct writer_facts){
		.file_version = 7,
		.page_size = NATIVE_PAGES_SIZE,
		.long_size = NATIVE_PAGES_LONG_SIZE,
		.clock = ti->traits.counter ? "counter" : "local",
		.nr_cpus = highest + 1 > ti->traits.header_cpus ? highest + 1
								: ti->traits.header_cpus,
	};
	return ret ? ret : system_texts_facts(&ti->texts, &ti->facts);
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
		if (ti->opts.progress && ti->result.nr_lines % PROGRESS_LINES == 0)
			ti->opts.progress(ti->opts.ctx, line_source_bytes(ls), 0,
					  ti->events.stats.nr_records);
	}
	if (!ret)
		ret = end_stack(ti);
	for (size_t i = 0; !ret && i < ti->nr_cpus; i++)
		ret = native_pages_finish(&ti->cpus[i].pages);
	ti->result.cut_short = line_source_cut_short(ls);
	ti->result.nr_events = ti->events.stats.nr_records;
	return ret;
}

static bool has_kmem_events(const struct text_import *ti)
{
	for (size_t i = 0; i < TEXT_NR_SPECS; i++)
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

void text_import_free(struct text_import *ti)
{
	if (!ti)
		return;
	for (size_t i = 0; i < ti->nr_cpus; i++) {
		close(ti->cpus[i].pages.pages.fd);
		native_pages_free(&ti->cpus[i].pages);
	}
	free(ti->cpus);
	free(ti->by_cpu);
	free(ti->parts);
	text_events_free(&ti->events);
	name_addrs_free(ti->addrs);
	intern_free(&ti->comms);
	u64_map_free(&ti->tasks);
	system_texts_free(&ti->texts);
	strbuf_free(&ti->notes);
	free(ti);
}

// SPDX-License-Identifier: GPL-2.0-or-later
#include "recording/trace_dat.h"

#include <stdarg.h>

#include "base/array.h"

/* Sub-buffers are powers of two, from a small page up to the kernel's maximum (64K pages << 7). */
#define MIN_PAGE_SIZE 4096U
#define MAX_PAGE_SIZE (8U << 20)

/* After this many messages about damage, further damage is only counted. */
#define MAX_DAMAGE_MESSAGES 20

void trace_dat_damage(struct trace_dat *td, uint64_t offset, const char *fmt, ...)
{
	struct recording *rec = td->rec;
	char text[256];
	va_list ap;

	if (rec->nr_damaged++ >= MAX_DAMAGE_MESSAGES)
		return;
	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	log_msg(rec->log, LOG_WARN, "%s: at offset %" PRIu64 ": %s", rec->path, offset,
		text);
}

static bool page_size_ok(uint32_t size)
{
	return size >= MIN_PAGE_SIZE && size <= MAX_PAGE_SIZE && !(size & (size - 1));
}

int trace_dat_add_buffer(struct trace_dat *td, const char *name, const char *clock,
			 uint32_t page_size)
{
	struct recording *rec = td->rec;
	struct recording_buffer *b;

	if (!page_size_ok(page_size)) {
		trace_dat_damage(td, td->pos,
				 "buffer '%s' claims sub-buffers of %" PRIu32 " bytes",
				 name, page_size);
		page_size = rec->page_size;
	}
	if (rec->nr_buffers >= TRACE_DAT_MAX_BUFFERS)
		return -EBADMSG;
	if (!name || !clock || array_grow(&rec->buffers, rec->nr_buffers))
		return -ENOMEM;
	b = &rec->buffers[rec->nr_buffers++];
	*b = (struct recording_buffer){ .name = strdup(name),
					.clock = strdup(clock),
					.page_size = page_size };
	return b->name && b->clock ? 0 : -ENOMEM;
}

static const char ends_early[] = "the file ends before its data does";

int trace_dat_add_cpu(struct trace_dat *td, const struct recording_cpu *cpu,
		      uint64_t extra_bytes)
{
	struct recording *rec = td->rec;
	struct recording_buffer *b = &rec->buffers[rec->nr_buffers - 1];
	uint64_t size = cpu->size + extra_bytes, real, cut = 0;

	if (cpu->cpu >= TRACE_DAT_MAX_CPUS || cpu->offset >= rec->src.size ||
	    size < cpu->size) {
		trace_dat_damage(td, cpu->offset,
				 "CPU %" PRIu32
				 " of buffer '%s' is beyond the end of the file",
				 cpu->cpu, b->name);
		td->cut = ends_early;
		return 0;
	}
	real = rec->src.size - cpu->offset;
	if (size > real) {
		trace_dat_damage(td, rec->src.size,
				 "the file ends %" PRIu64
				 " byte%s before the data of CPU %" PRIu32
				 " of buffer '%s' does",
				 size - real, plural(size - real), cpu->cpu, b->name);
		cut = size - real;
		size = real;
	}
	/* No two CPUs share bytes, so together they cannot claim more than the file. */
	if (size > rec->src.size - td->data_bytes) {
		trace_dat_damage(td, cpu->offset,
				 "CPU %" PRIu32 " of buffer '%s' overlaps other CPUs",
				 cpu->cpu, b->name);
		return 0;
	}
	td->data_bytes += size;
	if (array_grow(&b->cpus, b->nr_cpus))
		return -ENOMEM;
	/* A missing part of a sub-buffer may be only its unused end; its header shows it. */
	cut = cpu->cut || cut >= b->page_size;
	if (cut)
		td->cut = ends_early;
	b->cpus[b->nr_cpus++] =
		(struct recording_cpu){ cpu->cpu, cpu->offset, size, cut };
	return 0;
}

void trace_dat_check_page_size(struct trace_dat *td)
{
	struct recording *rec = td->rec;

	if (page_size_ok(rec->page_size))
		return;
	trace_dat_damage(td, td->pos - 4,
			 "the file claims pages of %" PRIu32 " bytes; assuming %u",
			 rec->page_size, MIN_PAGE_SIZE);
	rec->page_size = MIN_PAGE_SIZE;
	td->page_size_lost = true;
}

/* --- metadata parts ---------------------------------------------------------------------- */

/* Reads "offset:" and "size:" of the header_page line that declares @name; false without it. */
static bool header_page_field(const char *text, const char *name, unsigned int *offset,
			      unsigned int *size)
{
	const char *at = strstr(text, name);
	const char *off, *sz;

	if (!at)
		return false;
	off = strstr(at, "offset:");
	sz = off ? strstr(off, "size:") : NULL;
	return sz && sscanf(off, "offset:%9u", offset) == 1 &&
	       sscanf(sz, "size:%9u", size) == 1;
}

/* The size of "commit" is that of the kernel's long; user space's may differ. */
int trace_dat_parse_header_page(const char *text, struct page_layout *layout,
				uint32_t *subbuf_size)
{
	unsigned int commit = 0, long_size = 0, data = 0, size = 0;

	if (!header_page_field(text, " commit;", &commit, &long_size) ||
	    !header_page_field(text, " data;", &data, &size) ||
	    (long_size != 4 && long_size != 8) || commit < 8 || commit > 64 ||
	    data < commit + long_size || data > 128)
		return -EBADMSG;
	*layout = (struct page_layout){ long_size, commit, data };
	*subbuf_size = data + size;
	return 0;
}

static void set_layout(struct trace_dat *td, uint64_t offset)
{
	struct recording *rec = td->rec;
	uint32_t subbuf_size;

	if (!trace_dat_parse_header_page(rec->header_page, &rec->layout, &subbuf_size)) {
		/* Replaces an impossible size in the file's start. */
		if (td->page_size_lost && page_size_ok(subbuf_size))
			rec->page_size = subbuf_size;
		return;
	}
	trace_dat_damage(td, offset,
			 "the header_page text is invalid; assuming %u-byte longs",
			 rec->layout.long_size);
}

static int header_info(struct trace_dat *td, struct reader *r)
{
	struct recording *rec = td->rec;
	uint64_t offset = r->pos;

	if (rec->header_page)
		return 0;
	reader_tag(r, "header_page", 12);
	rec->header_page = reader_text(r, reader_u64(r));
	if (!rec->header_page)
		return r->err;
	set_layout(td, offset);
	reader_tag(r, "header_event", 13);
	rec->header_event = reader_text(r, reader_u64(r));
	return r->err;
}

/* u32 count, then {u64 size, text}... */
static int read_formats(struct reader *r, struct recording_text **texts, size_t *nr,
			const char *group)
{
	uint32_t count = reader_u32(r), i;
	uint64_t size;
	char *text;
	int err;

	/* The smallest entry is its size field. */
	if (count > reader_left(r) / 8 || count > TRACE_DAT_MAX_FORMATS)
		return r->err ? r->err : -EBADMSG;
	for (i = 0; i < count; i++) {
		size = reader_u64(r);
		if (!size && !r->err && source_next_data(r->src, r->pos) == r->pos)
			continue;
		if (*nr >= TRACE_DAT_MAX_FORMATS)
			return -EBADMSG;
		text = reader_text(r, size);
		if (!text)
			return r->err;
		err = recording_text_add(texts, nr, group, text, (size_t)size);
		if (err)
			return err;
	}
	return 0;
}

static int ftrace_formats(struct trace_dat *td, struct reader *r)
{
	struct recording *rec = td->rec;

	if (rec->nr_ftrace_formats)
		return 0;
	return read_formats(r, &rec->ftrace_formats, &rec->nr_ftrace_formats, "ftrace");
}

static int event_formats(struct trace_dat *td, struct reader *r)
{
	struct recording *rec = td->rec;
	uint32_t systems;
	int err;

	if (rec->nr_event_formats)
		return 0;
	systems = reader_u32(r);
	/* The smallest group is a NUL and a count. */
	if (systems > reader_left(r) / 5 || systems > TRACE_DAT_MAX_FORMATS)
		return r->err ? r->err : -EBADMSG;
	for (uint32_t i = 0; i < systems; i++) {
		char *group __auto_mem = reader_name(r);

		if (!group)
			return r->err;
		err = read_formats(r, &rec->event_formats, &rec->nr_event_formats, group);
		if (err)
			return err;
	}
	return 0;
}

/* Reads a text of @size bytes, if it is not empty and @text is not known yet. */
static int read_text(struct reader *r, uint64_t size, char **text)
{
	if (*text)
		return 0;
	if (size)
		*text = reader_text(r, size);
	return r->err;
}

static int kallsyms(struct trace_dat *td, struct reader *r)
{
	struct recording *rec = td->rec;
	uint32_t size = reader_u32(r);
	int err;

	if (rec->kallsyms)
		return 0;
	err = read_text(r, size, &rec->kallsyms);
	rec->kallsyms_size = rec->kallsyms ? size : 0;
	return err;
}

static int printk(struct trace_dat *td, struct reader *r)
{
	return read_text(r, reader_u32(r), &td->rec->printk_formats);
}

static int cmdlines(struct trace_dat *td, struct reader *r)
{
	return read_text(r, reader_u64(r), &td->rec->cmdlines);
}

const struct trace_dat_part trace_dat_parts[TRACE_DAT_NR_PARTS] = {
	{ "header_page fields", header_info }, { "ftrace formats", ftrace_formats },
	{ "event formats", event_formats },    { "kallsyms", kallsyms },
	{ "printk formats", printk },	       { "command lines", cmdlines },
};

/* --- options ----------------------------------------------------------------------------- */

char *trace_dat_option_text(const uint8_t *data, size_t size)
{
	while (size && (!data[size - 1] || data[size - 1] == '\n'))
		size--;
	return strndup((const char *)data, size);
}

char *trace_dat_chosen_clock(const char *list)
{
	const char *open = list ? strchr(list, '[') : NULL;
	const char *close = open ? strchr(open, ']') : NULL;

	return close ? strndup(open + 1, (size_t)(close - open) - 1) : strdup("");
}

/* The first of several is kept. */
static int set_text(char **text, const uint8_t *data, size_t size)
{
	if (*text)
		return 0;
	*text = trace_dat_option_text(data, size);
	return *text ? 0 : -ENOMEM;
}

static uint64_t cpustat_value(const char *text, const char *key)
{
	const char *at = strstr(text, key);

	return at ? strtoull(at + strlen(key), NULL, 10) : 0;
}

/*
 * trace-cmd writes the top buffer's statistics first, then for each instance an option with only
 * "\nBuffer: NAME\n\n", then that instance's statistics.
 */
static int option_cpustat(struct trace_dat *td, const uint8_t *data, size_t size)
{
	struct recording *rec = td->rec;
	char *text __auto_mem = trace_dat_option_text(data, size), *at, *name;

	if (!text)
		return -ENOMEM;
	at = strstr(text, "Buffer: ");
	if (at) {
		at += strlen("Buffer: ");
		at[strcspn(at, "\n")] = 0;
		free(td->cpustat_buffer);
		td->cpustat_buffer = strdup(at);
		return td->cpustat_buffer ? 0 : -ENOMEM;
	}
	at = strstr(text, "CPU: ");
	if (!at)
		return 0;
	if (array_grow(&rec->cpustats, rec->nr_cpustats) ||
	    array_grow(&td->cpustat_names, rec->nr_cpustats))
		return -ENOMEM;
	name = strdup(td->cpustat_buffer ? td->cpustat_buffer : "");
	if (!name)
		return -ENOMEM;
	td->cpustat_names[rec->nr_cpustats] = name;
	rec->cpustats[rec->nr_cpustats++] = (struct recording_cpustat){
		.cpu = (uint32_t)cpustat_value(at, "CPU: "),
		.entries = cpustat_value(at, "\nentries: "),
		.overrun = cpustat_value(at, "\noverrun: "),
		.commit_overrun = cpustat_value(at, "\ncommit overrun: "),
		.bytes = cpustat_value(at, "\nbytes: "),
		.dropped_events = cpustat_value(at, "\ndropped events: "),
		.read_events = cpustat_value(at, "\nread events: "),
		.buffer = UINT32_MAX,
	};
	return 0;
}

static int option_meta(struct trace_dat *td, const uint8_t *data, size_t size)
{
	struct byte_reader r = byte_reader(data, size, td->rec->big_endian);
	const char *name = byte_reader_string(&r);
	char *text;

	if (!name || !*name) {
		trace_dat_damage(td, td->pos, "a kmemx option of %zu bytes has no name",
				 size);
		return 0;
	}
	size = byte_reader_left(&r);
	text = malloc(size + 1);
	if (text) {
		memcpy(text, r.p, size);
		text[size] = 0;
	}
	return recording_text_add(&td->rec->meta, &td->rec->nr_meta, name, text, size);
}

static int option_trace_id(struct trace_dat *td, const uint8_t *data, size_t size)
{
	char text[32];

	if (size != 8)
		return set_text(&td->rec->trace_id, data, size);
	snprintf(text, sizeof(text), "0x%" PRIX64, get_u64(data, td->rec->big_endian));
	return set_text(&td->rec->trace_id, (const uint8_t *)text, strlen(text));
}

static void option_cpu_count(struct trace_dat *td, const uint8_t *data, size_t size)
{
	uint64_t count =
		get_uint(data, (unsigned int)(size <= 8 ? size : 0), td->rec->big_endian);

	if (!count || count > TRACE_DAT_MAX_CPUS)
		trace_dat_damage(td, td->pos, "the file claims %" PRIu64 " CPUs", count);
	else
		td->rec->nr_cpus = (uint32_t)count;
}

static void option_tsc2nsec(struct trace_dat *td, const uint8_t *data, size_t size)
{
	struct recording *rec = td->rec;
	struct byte_reader r = byte_reader(data, size, rec->big_endian);
	uint32_t mult = byte_reader_u32(&r), shift = byte_reader_u32(&r);

	byte_reader_u64(&r); /* the offset, which is the same for all events */
	if (r.failed || shift > 63) {
		trace_dat_damage(td, td->pos, "the TSC2NSEC option is invalid");
		return;
	}
	rec->tsc_mult = mult;
	rec->tsc_shift = shift;
}

/* Is the option known to contain no file offset, so that it can be copied to another file? These
 * are all up to OPTION_TSC2NSEC except OPTION_BUFFER, and OPTION_LAST_BOOT_INFO.
 */
static bool option_stands_alone(uint16_t id)
{
	return (id > OPTION_DONE && id <= OPTION_TSC2NSEC && id != OPTION_BUFFER) ||
	       id == OPTION_LAST_BOOT_INFO;
}

static int keep_option(struct recording *rec, uint16_t id, const uint8_t *data,
		       size_t size)
{
	struct recording_option *o;

	if (!option_stands_alone(id) || size > UINT32_MAX)
		return 0;
	if (array_grow(&rec->options, rec->nr_options))
		return -ENOMEM;
	o = &rec->options[rec->nr_options];
	*o = (struct recording_option){ id, (uint32_t)size, malloc(size + 1) };
	if (!o->data)
		return -ENOMEM;
	memcpy(o->data, data, size);
	rec->nr_options++;
	return 0;
}

int trace_dat_option(struct trace_dat *td, uint16_t id, const uint8_t *data, size_t size)
{
	struct recording *rec = td->rec;

	if (keep_option(rec, id, data, size))
		return -ENOMEM;
	switch (id) {
	case OPTION_CPUSTAT:
		return option_cpustat(td, data, size);
	case OPTION_TRACECLOCK:
		return set_text(&rec->trace_clock, data, size);
	case OPTION_UNAME:
		return set_text(&rec->uname, data, size);
	case OPTION_CPUCOUNT:
		option_cpu_count(td, data, size);
		return 0;
	case OPTION_VERSION:
		return set_text(&rec->writer_version, data, size);
	case OPTION_TRACEID:
		return option_trace_id(td, data, size);
	case OPTION_TSC2NSEC:
		option_tsc2nsec(td, data, size);
		return 0;
	case RECORDING_OPTION_META:
		return option_meta(td, data, size);
	default:
		return 0;
	}
}

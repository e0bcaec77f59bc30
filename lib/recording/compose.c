// SPDX-License-Identifier: GPL-2.0-or-later
#include "recording/compose.h"

#include "base/bytes.h"
#include "base/io.h"

static int check_parts(const struct writer_instance *in, uint32_t nr_cpus)
{
	const struct writer_part *parts = in->parts;
	uint64_t total = 0;

	if (!in->page_size || in->nr_parts > nr_cpus)
		return -EINVAL;
	for (size_t i = 0; i < in->nr_parts; i++) {
		if (parts[i].cpu >= nr_cpus || parts[i].size % in->page_size ||
		    (i && parts[i].cpu <= parts[i - 1].cpu) ||
		    __builtin_add_overflow(total, parts[i].size, &total) ||
		    total > INT64_MAX / 2)
			return -EINVAL;
	}
	return 0;
}

/* Takes the top buffer and the instances, and checks them. */
static int take_buffers(struct composer *c, const struct writer_instance *top)
{
	c->buffers = calloc(c->nr_buffers, sizeof(*c->buffers));
	if (!c->buffers)
		return -ENOMEM;
	for (size_t i = 0; i < c->nr_buffers; i++) {
		c->buffers[i].is = i ? c->facts->instances[i - 1] : *top;
		if (check_parts(&c->buffers[i].is, c->facts->nr_cpus))
			return -EINVAL;
		c->nr_cpus += c->buffers[i].is.nr_parts;
	}
	return 0;
}

static int take_cpus(struct composer *c)
{
	struct compose_cpu *cpu = calloc(c->nr_cpus + 1, sizeof(*c->cpus));

	c->cpus = cpu;
	for (size_t i = 0; cpu && i < c->nr_buffers; i++) {
		const struct writer_instance *in = &c->buffers[i].is;

		c->buffers[i].cpus = cpu;
		for (size_t k = 0; k < in->nr_parts; k++)
			*cpu++ = (struct compose_cpu){ &in->parts[k], 0,
						       in->parts[k].size };
	}
	return cpu ? 0 : -ENOMEM;
}

int compose_refuse(const struct log *log)
{
	log_msg(log, LOG_ERROR, "cannot write the recording: inconsistent facts");
	return -EINVAL;
}

int compose_begin(struct composer *c, const struct writer_facts *facts,
		  const struct writer_part *parts, size_t nr_parts, const struct log *log)
{
	const struct writer_instance top = { "", facts->clock, facts->page_size, parts,
					     nr_parts };
	const bool known = facts->file_version == 6 || facts->file_version == 7;
	int ret;

	*c = (struct composer){ .facts = facts, .nr_buffers = facts->nr_instances + 1 };
	ret = known ? take_buffers(c, &top) : -EINVAL;
	if (ret == -EINVAL)
		return compose_refuse(log);
	return ret ? ret : take_cpus(c);
}

void compose_end(struct composer *c)
{
	strbuf_free(&c->sb);
	free(c->buffers);
	free(c->cpus);
}

int compose_result(const struct composer *c)
{
	return c->sb.failed ? -ENOMEM : c->too_large ? -EINVAL : 0;
}

void compose_uint(struct composer *c, uint64_t v, unsigned int size)
{
	uint8_t bytes[sizeof(v)];

	set_uint(bytes, v, size, HOST_BIG_ENDIAN != c->facts->foreign_endian);
	strbuf_add(&c->sb, bytes, size);
}

void compose_set_u64(struct composer *c, size_t at, uint64_t v)
{
	if (!c->sb.failed)
		set_uint((uint8_t *)c->sb.data + at, v, sizeof(v),
			 HOST_BIG_ENDIAN != c->facts->foreign_endian);
}

void compose_string(struct composer *c, const char *s)
{
	strbuf_add(&c->sb, s, strlen(s) + 1);
}

/* Appends @size bytes of text after their number, which has @length bytes. */
static void put_text(struct composer *c, const char *text, size_t size,
		     unsigned int length)
{
	if (length == 4 && size > UINT32_MAX) {
		c->too_large = true;
		return;
	}
	compose_uint(c, size, length);
	strbuf_add(&c->sb, text, size);
}

static size_t length_of(const char *text)
{
	return text ? strlen(text) : 0;
}

void compose_machine(struct composer *c)
{
	const struct writer_facts *facts = c->facts;
	bool big = HOST_BIG_ENDIAN != facts->foreign_endian;
	char long_size = (char)(facts->long_size ? facts->long_size : sizeof(long));

	strbuf_add(&c->sb, big ? "\1" : "\0", 1);
	strbuf_add(&c->sb, &long_size, 1);
	compose_uint(c, facts->file_page_size ? facts->file_page_size : facts->page_size,
		     4);
}

void compose_magic(struct composer *c)
{
	strbuf_puts(&c->sb, TRACE_DAT_MAGIC);
	compose_string(c, c->facts->file_version == 6 ? "6" : "7");
	compose_machine(c);
}

size_t compose_compression(struct composer *c, const char *name, const char *version)
{
	size_t at;

	compose_string(c, name);
	compose_string(c, version);
	at = c->sb.size;
	compose_uint(c, 0, 8);
	return at;
}

static void put_formats(struct composer *c, const struct recording_text *formats,
			size_t nr)
{
	compose_uint(c, nr, 4);
	for (size_t i = 0; i < nr; i++)
		put_text(c, formats[i].text, formats[i].size, 8);
}

/* How many formats from @first on belong to the same system. */
static size_t system_length(const struct writer_facts *facts, size_t first)
{
	size_t i = first + 1;

	while (i < facts->nr_event_formats &&
	       strcmp(facts->event_formats[i].name, facts->event_formats[first].name) ==
		       0)
		i++;
	return i - first;
}

static void put_systems(struct composer *c)
{
	const struct writer_facts *facts = c->facts;
	uint32_t nr_systems = 0;
	size_t len;

	for (size_t i = 0; i < facts->nr_event_formats; i += system_length(facts, i))
		nr_systems++;
	compose_uint(c, nr_systems, 4);
	for (size_t i = 0; i < facts->nr_event_formats; i += len) {
		len = system_length(facts, i);
		compose_string(c, facts->event_formats[i].name);
		put_formats(c, facts->event_formats + i, len);
	}
}

void compose_part(struct composer *c, uint16_t id)
{
	const struct writer_facts *f = c->facts;

	switch (id) {
	case OPTION_HEADER_INFO:
		compose_string(c, "header_page");
		put_text(c, f->header_page, length_of(f->header_page), 8);
		compose_string(c, "header_event");
		put_text(c, f->header_event, length_of(f->header_event), 8);
		break;
	case OPTION_FTRACE_EVENTS:
		put_formats(c, f->ftrace_formats, f->nr_ftrace_formats);
		break;
	case OPTION_EVENT_FORMATS:
		put_systems(c);
		break;
	case OPTION_KALLSYMS:
		put_text(c, f->kallsyms, f->kallsyms_size, 4);
		break;
	case OPTION_PRINTK:
		put_text(c, f->printk_formats, length_of(f->printk_formats), 4);
		break;
	case OPTION_CMDLINES:
		put_text(c, f->cmdlines, length_of(f->cmdlines), 8);
		break;
	default:
		break;
	}
}

/* An option that is a number of @size bytes. */
static void put_option_uint(struct composer *c, uint16_t id, uint64_t value,
			    unsigned int size)
{
	compose_uint(c, id, 2);
	compose_uint(c, size, 4);
	compose_uint(c, value, size);
}

static void put_option(struct composer *c, uint16_t id, const void *data, size_t size)
{
	compose_uint(c, id, 2);
	put_text(c, data, size, 4);
}

/* A text as trace-cmd writes one: the NUL is part of the payload. */
static void put_option_text(struct composer *c, uint16_t id, const char *text)
{
	if (text)
		put_option(c, id, text, strlen(text) + 1);
}

static void put_meta(struct composer *c, const struct recording_text *item)
{
	size_t name = strlen(item->name) + 1;

	if (item->size > UINT32_MAX - name) {
		c->too_large = true;
		return;
	}
	compose_uint(c, RECORDING_OPTION_META, 2);
	compose_uint(c, name + item->size, 4);
	strbuf_add(&c->sb, item->name, name);
	strbuf_add(&c->sb, item->text, item->size);
}

/* The options of another recording if the facts have them, else the facts' own. */
static void compose_common_options(struct composer *c)
{
	const struct writer_facts *facts = c->facts;

	if (facts->options) {
		for (size_t i = 0; i < facts->nr_options; i++)
			put_option(c, facts->options[i].id, facts->options[i].data,
				   facts->options[i].size);
		return;
	}
	for (size_t i = 0; i < facts->nr_cpustats; i++)
		put_option_text(c, OPTION_CPUSTAT, facts->cpustats[i].text);
	put_option_text(c, OPTION_TRACECLOCK, facts->trace_clock);
	put_option_text(c, OPTION_UNAME, facts->uname);
	put_option_text(c, OPTION_VERSION, facts->writer_version);
	if (facts->nr_cpus) /* else unknown: no CPU has recorded */
		put_option_uint(c, OPTION_CPUCOUNT, facts->nr_cpus, 4);
}

void compose_options(struct composer *c)
{
	const struct writer_facts *facts = c->facts;

	compose_common_options(c);
	for (size_t i = 0; i < facts->nr_meta; i++)
		put_meta(c, &facts->meta[i]);
}

/* Where the buffer is, its names, page size and CPUs. */
static void compose_buffer(struct composer *c, const struct compose_buffer *b)
{
	const char *clock = b->is.clock ? b->is.clock : "";
	size_t names = strlen(b->is.name) + 1 + strlen(clock) + 1;

	compose_uint(c, OPTION_BUFFER, 2);
	compose_uint(c, 8 + names + 4 + 4 + b->is.nr_parts * 20, 4);
	compose_uint(c, b->section, 8);
	compose_string(c, b->is.name);
	compose_string(c, clock);
	compose_uint(c, b->is.page_size, 4);
	compose_uint(c, b->is.nr_parts, 4);
	for (size_t i = 0; i < b->is.nr_parts; i++) {
		compose_uint(c, b->cpus[i].from->cpu, 4);
		compose_uint(c, b->cpus[i].offset, 8);
		compose_uint(c, b->cpus[i].size, 8);
	}
}

void compose_all_options(struct composer *c, const uint64_t sections[])
{
	for (uint16_t i = 0; i < COMPOSE_PARTS; i++)
		put_option_uint(c, OPTION_HEADER_INFO + i, sections[i], 8);
	compose_options(c);
	for (size_t i = 0; i < c->nr_buffers; i++)
		compose_buffer(c, &c->buffers[i]);
	put_option_uint(c, OPTION_DONE, 0, 8); /* no further options section */
}

size_t section_begin(struct composer *c, uint16_t id)
{
	size_t start = c->sb.size;

	compose_uint(c, id, 2);
	compose_uint(c, c->compressed ? SECTION_COMPRESSED : 0, 2);
	/* No description; in a stream, no CPU. */
	compose_uint(c, c->stream ? 0 : UINT32_MAX, 4);
	compose_uint(c, 0, 8);
	return start;
}

void section_end(struct composer *c, size_t start)
{
	compose_set_u64(c, start + 8, c->sb.size - start - SECTION_HEADER_SIZE);
}

size_t compose_section(struct composer *c, uint16_t id)
{
	size_t start = section_begin(c, id);

	compose_part(c, id);
	section_end(c, start);
	return start;
}

int section_write_header(int fd, const struct composer *like, uint64_t at, uint64_t end)
{
	struct composer c = { .facts = like->facts, .compressed = like->compressed };
	size_t start = section_begin(&c, OPTION_BUFFER);
	int ret;

	compose_set_u64(&c, start + 8, end - at - SECTION_HEADER_SIZE);
	ret = c.sb.failed ? -ENOMEM : io_pwrite_all(fd, c.sb.data, c.sb.size, at);
	strbuf_free(&c.sb);
	return ret;
}

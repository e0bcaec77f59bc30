// SPDX-License-Identifier: GPL-2.0-or-later
#include "recording/compose.h"

static int check_parts(const struct writer_part *parts, size_t nr_parts,
		       uint32_t page_size, uint32_t nr_cpus)
{
	uint64_t total = 0;

	if (!page_size || nr_parts > nr_cpus)
		return -EINVAL;
	for (size_t i = 0; i < nr_parts; i++) {
		if (parts[i].cpu >= nr_cpus || parts[i].size % page_size ||
		    (i && parts[i].cpu <= parts[i - 1].cpu) ||
		    __builtin_add_overflow(total, parts[i].size, &total) ||
		    total > INT64_MAX / 2)
			return -EINVAL;
	}
	return 0;
}

int compose_check(const struct writer_facts *facts, const struct writer_part *parts,
		  size_t nr_parts)
{
	int ret = check_parts(parts, nr_parts, facts->page_size, facts->nr_cpus);

	if (facts->file_version != 6 && facts->file_version != 7)
		return -EINVAL;
	for (size_t i = 0; !ret && i < facts->nr_instances; i++) {
		const struct writer_instance *in = &facts->instances[i];

		ret = check_parts(in->parts, in->nr_parts, in->page_size, facts->nr_cpus);
	}
	return ret;
}

void put_u16(struct strbuf *sb, uint16_t v)
{
	strbuf_add(sb, &v, sizeof(v));
}

void put_u32(struct strbuf *sb, uint32_t v)
{
	strbuf_add(sb, &v, sizeof(v));
}

void put_u64(struct strbuf *sb, uint64_t v)
{
	strbuf_add(sb, &v, sizeof(v));
}

void set_u64(struct strbuf *sb, size_t at, uint64_t v)
{
	if (!sb->failed)
		memcpy(sb->data + at, &v, sizeof(v));
}

/* The value's bytes in the file's order. */
static void put_value(struct composer *c, uint64_t v, size_t size)
{
	uint8_t bytes[8];
	bool big = (__BYTE_ORDER == __BIG_ENDIAN) != c->facts->foreign_endian;

	for (size_t i = 0; i < size; i++)
		bytes[big ? size - 1 - i : i] = (uint8_t)(v >> 8 * i);
	strbuf_add(&c->sb, bytes, size);
}

void compose_u16(struct composer *c, uint16_t v)
{
	put_value(c, v, sizeof(v));
}

void compose_u32(struct composer *c, uint32_t v)
{
	put_value(c, v, sizeof(v));
}

void compose_u64(struct composer *c, uint64_t v)
{
	put_value(c, v, sizeof(v));
}

void compose_set_u64(struct composer *c, size_t at, uint64_t v)
{
	uint64_t swapped = c->facts->foreign_endian ? __builtin_bswap64(v) : v;

	if (!c->sb.failed)
		memcpy(c->sb.data + at, &swapped, sizeof(swapped));
}

void compose_string(struct composer *c, const char *s)
{
	strbuf_add(&c->sb, s, strlen(s) + 1);
}

/* Appends a text after its length; NULL counts as empty. */
static void put_text64(struct composer *c, const char *text)
{
	size_t size = text ? strlen(text) : 0;

	compose_u64(c, size);
	if (size)
		strbuf_add(&c->sb, text, size);
}

static void put_text32(struct composer *c, const char *text, size_t size)
{
	if (size > UINT32_MAX) {
		c->too_large = true;
		return;
	}
	compose_u32(c, (uint32_t)size);
	if (size)
		strbuf_add(&c->sb, text, size);
}

void compose_machine(struct composer *c)
{
	const struct writer_facts *facts = c->facts;
	bool big = (__BYTE_ORDER == __BIG_ENDIAN) != facts->foreign_endian;
	char long_size = (char)(facts->long_size ? facts->long_size : sizeof(long));

	strbuf_add(&c->sb, big ? "\1" : "\0", 1);
	strbuf_add(&c->sb, &long_size, 1);
	compose_u32(c, facts->file_page_size ? facts->file_page_size : facts->page_size);
}

void compose_magic(struct composer *c)
{
	static const char magic[] = {
		0x17, 0x08, 0x44, 't', 'r', 'a', 'c', 'i', 'n', 'g'
	};

	strbuf_add(&c->sb, magic, sizeof(magic));
	compose_string(c, c->facts->file_version == 6 ? "6" : "7");
	compose_machine(c);
}

size_t compose_compression(struct composer *c, const char *name, const char *version)
{
	size_t at;

	compose_string(c, name);
	compose_string(c, version);
	at = c->sb.size;
	compose_u64(c, 0);
	return at;
}

static void compose_headers(struct composer *c)
{
	compose_string(c, "header_page");
	put_text64(c, c->facts->header_page);
	compose_string(c, "header_event");
	put_text64(c, c->facts->header_event);
}

static void put_formats(struct composer *c, const struct recording_text *formats,
			size_t nr)
{
	compose_u32(c, (uint32_t)nr);
	for (size_t i = 0; i < nr; i++) {
		compose_u64(c, formats[i].size);
		strbuf_add(&c->sb, formats[i].text, formats[i].size);
	}
}

static void compose_ftrace_formats(struct composer *c)
{
	put_formats(c, c->facts->ftrace_formats, c->facts->nr_ftrace_formats);
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

static void compose_event_formats(struct composer *c)
{
	const struct writer_facts *facts = c->facts;
	uint32_t nr_systems = 0;
	size_t len;

	for (size_t i = 0; i < facts->nr_event_formats; i += system_length(facts, i))
		nr_systems++;
	compose_u32(c, nr_systems);
	for (size_t i = 0; i < facts->nr_event_formats; i += len) {
		len = system_length(facts, i);
		compose_string(c, facts->event_formats[i].name);
		put_formats(c, facts->event_formats + i, len);
	}
}

static void compose_kallsyms(struct composer *c)
{
	put_text32(c, c->facts->kallsyms, c->facts->kallsyms_size);
}

static void compose_printk(struct composer *c)
{
	const char *text = c->facts->printk_formats;

	put_text32(c, text, text ? strlen(text) : 0);
}

static void compose_cmdlines(struct composer *c)
{
	put_text64(c, c->facts->cmdlines);
}

void compose_offset_option(struct composer *c, uint16_t id, uint64_t offset)
{
	compose_u16(c, id);
	compose_u32(c, sizeof(offset));
	compose_u64(c, offset);
}

void put_option(struct composer *c, uint16_t id, const void *data, size_t size)
{
	compose_u16(c, id);
	put_text32(c, data, size);
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
	compose_u16(c, RECORDING_OPTION_META);
	compose_u32(c, (uint32_t)(name + item->size));
	strbuf_add(&c->sb, item->name, name);
	strbuf_add(&c->sb, item->text, item->size);
}

/* The facts' own options, or those of another recording. */
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
		put_option_text(c, OPTION_CPUSTAT, facts->cpustats[i]);
	put_option_text(c, OPTION_TRACECLOCK, facts->trace_clock);
	put_option_text(c, OPTION_UNAME, facts->uname);
	put_option_text(c, OPTION_VERSION, facts->writer_version);
	if (!facts->nr_cpus) /* unknown: no CPU has recorded */
		return;
	compose_u16(c, OPTION_CPUCOUNT);
	compose_u32(c, sizeof(facts->nr_cpus));
	compose_u32(c, facts->nr_cpus);
}

void compose_options(struct composer *c)
{
	const struct writer_facts *facts = c->facts;

	compose_common_options(c);
	for (size_t i = 0; i < facts->nr_meta; i++)
		put_meta(c, &facts->meta[i]);
}

static const char *clock_name(const struct composer *c)
{
	const char *clock = c->instance ? c->instance->clock : c->facts->clock;

	return clock ? clock : "";
}

/* "" is the top buffer, the only one that KernelShark shows. */
static const char *buffer_name(const struct composer *c)
{
	return c->instance ? c->instance->name : "";
}

/* The two names in a BUFFER option, with their NULs. */
static size_t names_size(const struct composer *c)
{
	return strlen(buffer_name(c)) + 1 + strlen(clock_name(c)) + 1;
}

void compose_buffer_option(struct composer *c)
{
	size_t size = 8 + names_size(c) + 4 + 4 + c->nr_parts * 20;

	compose_u16(c, OPTION_BUFFER);
	compose_u32(c, (uint32_t)size);
	c->offsets = c->sb.size;
	compose_u64(c, 0);
	compose_string(c, buffer_name(c));
	compose_string(c, clock_name(c));
	compose_u32(c, c->instance ? c->instance->page_size : c->facts->page_size);
	compose_u32(c, (uint32_t)c->nr_parts);
	for (size_t i = 0; i < c->nr_parts; i++) {
		compose_u32(c, c->parts[i].cpu);
		compose_u64(c, 0);
		compose_u64(c, c->parts[i].size);
	}
}

void compose_set_buffer(struct composer *c, uint64_t section)
{
	compose_set_u64(c, c->offsets, section);
}

void compose_set_cpu(struct composer *c, size_t i, uint64_t offset)
{
	size_t table = c->offsets + 8 + names_size(c) + 8;

	compose_set_u64(c, table + i * 20 + 4, offset);
}

const struct compose_section compose_sections[NR_COMPOSE_SECTIONS] = {
	{ OPTION_HEADER_INFO, compose_headers },
	{ OPTION_FTRACE_EVENTS, compose_ftrace_formats },
	{ OPTION_EVENT_FORMATS, compose_event_formats },
	{ OPTION_KALLSYMS, compose_kallsyms },
	{ OPTION_PRINTK, compose_printk },
	{ OPTION_CMDLINES, compose_cmdlines },
};

size_t section_begin(struct composer *c, uint16_t id)
{
	size_t start = c->sb.size;

	compose_u16(c, id);
	compose_u16(c, 0);	    /* not compressed */
	compose_u32(c, UINT32_MAX); /* no description */
	compose_u64(c, 0);
	return start;
}

void section_end(struct composer *c, size_t start)
{
	compose_set_u64(c, start + 8, c->sb.size - start - SECTION_HEADER_SIZE);
}

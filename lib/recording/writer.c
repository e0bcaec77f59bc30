// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * recording: writes trace.dat 7 or 6.
 * In: metadata texts and each CPU's pages in a file of its own. Out: one file.
 *
 * Format: trace-cmd's Documentation/trace-cmd/trace-cmd.dat.v6.5.txt and v7.5.txt. All
 * metadata is composed in memory, as its length decides where the pages begin.
 */
#include "recording/writer.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/strbuf.h"

enum option_id {
	OPTION_DONE = 0,
	OPTION_CPUSTAT = 2,
	OPTION_BUFFER = 3,
	OPTION_TRACECLOCK = 4,
	OPTION_UNAME = 5,
	OPTION_CPUCOUNT = 8,
	OPTION_VERSION = 9,
};

enum section_id {
	SECTION_OPTIONS = 0,
	SECTION_BUFFER = 3,
	SECTION_HEADER_INFO = 16,
	SECTION_FTRACE_EVENTS = 17,
	SECTION_EVENT_FORMATS = 18,
	SECTION_KALLSYMS = 19,
	SECTION_PRINTK = 20,
	SECTION_CMDLINES = 21,
};

#define SECTION_HEADER_SIZE 16 /* u16 id, u16 flags, u32 string id, u64 size */

/* The composition: @offsets is where the table of the CPUs' offsets and sizes must be
 * filled in once the metadata's length is known.
 */
struct composer {
	const struct writer_facts *facts;
	const struct writer_part *parts;
	size_t nr_parts;
	struct strbuf sb;
	size_t offsets;
	bool too_large; /* a text does not fit its length field */
};

static void put_u16(struct strbuf *sb, uint16_t v)
{
	strbuf_add(sb, &v, sizeof(v));
}

static void put_u32(struct strbuf *sb, uint32_t v)
{
	strbuf_add(sb, &v, sizeof(v));
}

static void put_u64(struct strbuf *sb, uint64_t v)
{
	strbuf_add(sb, &v, sizeof(v));
}

/* Overwrites a placeholder at @at. */
static void set_u64(struct strbuf *sb, size_t at, uint64_t v)
{
	if (!sb->failed)
		memcpy(sb->data + at, &v, sizeof(v));
}

static void put_string(struct strbuf *sb, const char *s)
{
	strbuf_add(sb, s, strlen(s) + 1);
}

/* A text behind its length; NULL is an empty one. */
static void put_text64(struct strbuf *sb, const char *text)
{
	size_t size = text ? strlen(text) : 0;

	put_u64(sb, size);
	if (size)
		strbuf_add(sb, text, size);
}

static void put_text32(struct composer *c, const char *text, size_t size)
{
	if (size > UINT32_MAX) {
		c->too_large = true;
		return;
	}
	put_u32(&c->sb, (uint32_t)size);
	if (size)
		strbuf_add(&c->sb, text, size);
}

static uint64_t round_up(uint64_t v, uint64_t to)
{
	return (v + to - 1) / to * to;
}

/* --- the metadata, common to both versions ---------------------------------------------- */

static void compose_start(struct composer *c)
{
	static const char magic[] = {
		0x17, 0x08, 0x44, 't', 'r', 'a', 'c', 'i', 'n', 'g'
	};
	const uint16_t one = 1;

	strbuf_add(&c->sb, magic, sizeof(magic));
	put_string(&c->sb, c->facts->file_version == 6 ? "6" : "7");
	strbuf_add(&c->sb, *(const char *)&one ? "\0" : "\1", 1);
	strbuf_add(&c->sb, sizeof(long) == 8 ? "\10" : "\4", 1);
	put_u32(&c->sb, c->facts->page_size);
}

static void compose_headers(struct composer *c)
{
	put_string(&c->sb, "header_page");
	put_text64(&c->sb, c->facts->header_page);
	put_string(&c->sb, "header_event");
	put_text64(&c->sb, c->facts->header_event);
}

static void put_formats(struct composer *c, const struct recording_text *formats,
			size_t nr)
{
	put_u32(&c->sb, (uint32_t)nr);
	for (size_t i = 0; i < nr; i++) {
		put_u64(&c->sb, formats[i].size);
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
	size_t i, len;

	for (i = 0; i < facts->nr_event_formats; i += system_length(facts, i))
		nr_systems++;
	put_u32(&c->sb, nr_systems);
	for (i = 0; i < facts->nr_event_formats; i += len) {
		len = system_length(facts, i);
		put_string(&c->sb, facts->event_formats[i].name);
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
	put_text64(&c->sb, c->facts->cmdlines);
}

static void put_option(struct composer *c, uint16_t id, const void *data, size_t size)
{
	put_u16(&c->sb, id);
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
	put_u16(&c->sb, RECORDING_OPTION_META);
	put_u32(&c->sb, (uint32_t)(name + item->size));
	strbuf_add(&c->sb, item->name, name);
	strbuf_add(&c->sb, item->text, item->size);
}

static void compose_options(struct composer *c)
{
	const struct writer_facts *facts = c->facts;

	for (size_t i = 0; i < facts->nr_cpustats; i++)
		put_option_text(c, OPTION_CPUSTAT, facts->cpustats[i]);
	put_option_text(c, OPTION_TRACECLOCK, facts->trace_clock);
	put_option_text(c, OPTION_UNAME, facts->uname);
	put_option_text(c, OPTION_VERSION, facts->writer_version);
	put_option(c, OPTION_CPUCOUNT, &facts->nr_cpus, sizeof(facts->nr_cpus));
	for (size_t i = 0; i < facts->nr_meta; i++)
		put_meta(c, &facts->meta[i]);
}

/* --- version 7 --------------------------------------------------------------------------- */

static size_t section_begin(struct composer *c, uint16_t id)
{
	size_t start = c->sb.size;

	put_u16(&c->sb, id);
	put_u16(&c->sb, 0);	     /* not compressed */
	put_u32(&c->sb, UINT32_MAX); /* no description */
	put_u64(&c->sb, 0);
	return start;
}

static void section_end(struct composer *c, size_t start)
{
	set_u64(&c->sb, start + 8, c->sb.size - start - SECTION_HEADER_SIZE);
}

/* The BUFFER option: where its section and each CPU's pages lie is filled in later. */
static void compose_buffer_option(struct composer *c)
{
	const char *clock = c->facts->clock ? c->facts->clock : "";
	size_t size = 8 + 1 + strlen(clock) + 1 + 4 + 4 + c->nr_parts * 20;

	put_u16(&c->sb, OPTION_BUFFER);
	put_u32(&c->sb, (uint32_t)size);
	c->offsets = c->sb.size;
	put_u64(&c->sb, 0);
	put_string(&c->sb, ""); /* the top buffer: KernelShark shows no other */
	put_string(&c->sb, clock);
	put_u32(&c->sb, c->facts->page_size);
	put_u32(&c->sb, (uint32_t)c->nr_parts);
	for (size_t i = 0; i < c->nr_parts; i++) {
		put_u32(&c->sb, c->parts[i].cpu);
		put_u64(&c->sb, 0);
		put_u64(&c->sb, c->parts[i].size);
	}
}

/* Closes the metadata with the header of the buffer section; returns where pages begin. */
static uint64_t compose_buffer_section(struct composer *c)
{
	const char *clock = c->facts->clock ? c->facts->clock : "";
	size_t at = c->offsets + 8 + 1 + strlen(clock) + 1 + 8;
	size_t start = section_begin(c, SECTION_BUFFER);
	uint64_t first = round_up(c->sb.size, c->facts->page_size);
	uint64_t offset = first;

	set_u64(&c->sb, c->offsets, start);
	for (size_t i = 0; i < c->nr_parts; i++) {
		set_u64(&c->sb, at + i * 20 + 4, offset);
		offset += c->parts[i].size;
	}
	set_u64(&c->sb, start + 8, offset - start - SECTION_HEADER_SIZE);
	return first;
}

static uint64_t compose_v7(struct composer *c)
{
	static const struct {
		uint16_t id;
		void (*compose)(struct composer *c);
	} sections[] = {
		{ SECTION_HEADER_INFO, compose_headers },
		{ SECTION_FTRACE_EVENTS, compose_ftrace_formats },
		{ SECTION_EVENT_FORMATS, compose_event_formats },
		{ SECTION_KALLSYMS, compose_kallsyms },
		{ SECTION_PRINTK, compose_printk },
		{ SECTION_CMDLINES, compose_cmdlines },
	};
	uint64_t offsets[ARRAY_SIZE(sections)];
	size_t options, start;

	compose_start(c);
	put_string(&c->sb, "none"); /* compression, and its version */
	put_string(&c->sb, "");
	options = c->sb.size;
	put_u64(&c->sb, 0);
	for (size_t i = 0; i < ARRAY_SIZE(sections); i++) {
		offsets[i] = start = section_begin(c, sections[i].id);
		sections[i].compose(c);
		section_end(c, start);
	}
	set_u64(&c->sb, options, c->sb.size);
	start = section_begin(c, SECTION_OPTIONS);
	for (size_t i = 0; i < ARRAY_SIZE(sections); i++)
		put_option(c, sections[i].id, &offsets[i], sizeof(offsets[i]));
	compose_options(c);
	compose_buffer_option(c);
	put_u16(&c->sb, OPTION_DONE);
	put_u32(&c->sb, 8);
	put_u64(&c->sb, 0); /* no further options section */
	section_end(c, start);
	return compose_buffer_section(c);
}

/* --- version 6 --------------------------------------------------------------------------- */

/* Version 6 lists every CPU from 0 on; those without pages have a size of 0. */
static uint64_t compose_v6(struct composer *c)
{
	uint32_t nr_cpus = c->facts->nr_cpus;
	const char *clock = c->facts->clock ? c->facts->clock : "local";
	size_t table, part = 0;
	uint64_t first, offset;

	compose_start(c);
	compose_headers(c);
	compose_ftrace_formats(c);
	compose_event_formats(c);
	compose_kallsyms(c);
	compose_printk(c);
	compose_cmdlines(c);
	put_u32(&c->sb, nr_cpus);
	put_string(&c->sb, "options  ");
	compose_options(c);
	put_u16(&c->sb, OPTION_DONE);
	put_string(&c->sb, "flyrecord");
	table = c->sb.size;
	for (uint32_t cpu = 0; cpu < nr_cpus; cpu++) {
		put_u64(&c->sb, 0);
		put_u64(&c->sb, 0);
	}
	put_u64(&c->sb, strlen(clock) + 2);
	strbuf_printf(&c->sb, "[%s]", clock);

	first = offset = round_up(c->sb.size, c->facts->page_size);
	for (uint32_t cpu = 0; cpu < nr_cpus; cpu++) {
		set_u64(&c->sb, table + cpu * 16, offset);
		if (part == c->nr_parts || c->parts[part].cpu != cpu)
			continue;
		set_u64(&c->sb, table + cpu * 16 + 8, c->parts[part].size);
		offset += c->parts[part++].size;
	}
	return first;
}

/* --- output ------------------------------------------------------------------------------ */

static int write_all(int fd, const char *data, size_t size, uint64_t offset)
{
	while (size) {
		ssize_t n = pwrite(fd, data, size, (off_t)offset);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n ? -errno : -EIO;
		data += n;
		size -= (size_t)n;
		offset += (uint64_t)n;
	}
	return 0;
}

/* Copies through memory, for files between which copy_file_range() does not work. */
static int copy_by_hand(int from, uint64_t src, int to, uint64_t dst, uint64_t size)
{
	size_t room = size < WRITER_CHUNK ? (size_t)size : WRITER_CHUNK;
	char *buf = malloc(room ? room : 1);
	int ret = buf ? 0 : -ENOMEM;

	while (!ret && size) {
		ssize_t n =
			pread(from, buf, size < room ? (size_t)size : room, (off_t)src);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0) {
			ret = n ? -errno : -EIO;
			break;
		}
		ret = write_all(to, buf, (size_t)n, dst);
		src += (uint64_t)n;
		dst += (uint64_t)n;
		size -= (uint64_t)n;
	}
	free(buf);
	return ret;
}

static int copy_range(int from, uint64_t src, int to, uint64_t dst, uint64_t size)
{
	while (size) {
		off_t in = (off_t)src, out = (off_t)dst;
		size_t want = size < (1U << 30) ? (size_t)size : (1U << 30);
		ssize_t n = copy_file_range(from, &in, to, &out, want, 0);

		if (n < 0 && errno == EINTR)
			continue;
		/* Across filesystems, on old kernels, on special ones: any reason will do,
		 * a true failure shows again in the plain copy.
		 */
		if (n <= 0)
			return copy_by_hand(from, src, to, dst, size);
		src += (uint64_t)n;
		dst += (uint64_t)n;
		size -= (uint64_t)n;
	}
	return 0;
}

static int copy_part(int fd, uint64_t offset, const struct writer_part *part)
{
	uint64_t left = part->size;
	int ret = 0;

	if (!part->consume)
		return copy_range(part->fd, 0, fd, offset, left);
	while (!ret && left) {
		uint64_t size = left % WRITER_CHUNK ? left % WRITER_CHUNK : WRITER_CHUNK;

		left -= size;
		ret = copy_range(part->fd, left, fd, offset + left, size);
		if (!ret && ftruncate(part->fd, (off_t)left) < 0)
			ret = -errno;
	}
	return ret;
}

static int check_facts(const struct writer_facts *facts, const struct writer_part *parts,
		       size_t nr_parts)
{
	uint64_t total = 0;

	if ((facts->file_version != 6 && facts->file_version != 7) || !facts->page_size ||
	    nr_parts > facts->nr_cpus)
		return -EINVAL;
	for (size_t i = 0; i < nr_parts; i++) {
		if (parts[i].cpu >= facts->nr_cpus || parts[i].size % facts->page_size ||
		    (i && parts[i].cpu <= parts[i - 1].cpu) ||
		    __builtin_add_overflow(total, parts[i].size, &total) ||
		    total > INT64_MAX / 2)
			return -EINVAL;
	}
	return 0;
}

int writer_write(int fd, const struct writer_facts *facts,
		 const struct writer_part *parts, size_t nr_parts,
		 uint64_t *written_bytes, const struct log *log)
{
	struct composer c = { .facts = facts, .parts = parts, .nr_parts = nr_parts };
	int ret = check_facts(facts, parts, nr_parts);
	uint64_t offset;

	if (ret) {
		log_msg(log, LOG_ERROR, "cannot write the recording: inconsistent facts");
		return ret;
	}
	offset = facts->file_version == 6 ? compose_v6(&c) : compose_v7(&c);
	if (c.sb.failed || c.too_large) {
		ret = c.sb.failed ? -ENOMEM : -EINVAL;
		goto out;
	}
	ret = write_all(fd, c.sb.data, c.sb.size, 0);
	/* Extended up to the first page here: with no pages at all it is the file's end. */
	if (!ret && ftruncate(fd, (off_t)offset) < 0)
		ret = -errno;
	for (size_t i = 0; !ret && i < nr_parts; i++) {
		ret = copy_part(fd, offset, &parts[i]);
		offset += parts[i].size;
	}
	if (!ret && written_bytes)
		*written_bytes = offset;
out:
	strbuf_free(&c.sb);
	return ret;
}

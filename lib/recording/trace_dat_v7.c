// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * recording (internal): trace.dat version 7, whose options lead to its sections.
 * In: a reader after the common start. Out: struct recording.
 */

#include "recording/compress.h"
#include "recording/trace_dat.h"

/* Real files have two to four options sections. */
#define MAX_OPTION_SECTIONS 1024
/* No known writer makes several sections of one kind: reads at most this many. */
#define MAX_READINGS	    8
/* Limit on all decompressed metadata: this, plus this many times the file's size. */
#define UNPACKED_MAX	    (16U << 20)
#define UNPACKED_RATIO	    32

/**
 * struct section - an open section, with its reader at the start of its content
 * @mem: the decompressed content; @src then points into it
 */
struct section {
	uint16_t flags;
	struct source src;
	struct decompressed mem;
	struct reader r;
};

struct v7 {
	struct trace_dat *td;
	struct unpacker *unpacker;
	uint64_t visited[MAX_OPTION_SECTIONS];
	size_t nr_visited;
	uint64_t unpacked; /* bytes of sections decompressed so far */
	unsigned int readings[TRACE_DAT_NR_PARTS];
	bool has_modules;
	bool chain_broken;
};

/* u32 compressed size, u32 uncompressed size, data. */
static int section_decompress(struct v7 *v, struct section *s)
{
	struct recording *rec = v->td->rec;
	uint32_t size = reader_u32(&s->r), expected = reader_u32(&s->r);
	struct decompress_input in = { .kind = rec->compression,
				       .size = size,
				       .expected = expected,
				       .limit = TRACE_DAT_MAX_SECTION };
	uint64_t left = UNPACKED_MAX + UNPACKED_RATIO * rec->src.size - v->unpacked;
	char *data __auto_mem = NULL;
	int err;

	in.limit = (size_t)SMALLER(in.limit, left);
	data = reader_text(&s->r, size);
	if (!data)
		return s->r.err;
	in.data = data;
	err = decompress_block(&v->unpacker, &in, &s->mem);
	/* Failed decompression took time, too. */
	left = err ? s->mem.capacity : s->mem.size;
	v->unpacked += SMALLER(left, in.limit);
	if (err)
		return err;
	source_open_memory(&s->src, s->mem.data, s->mem.size);
	reader_init(&s->r, &s->src, 0, s->mem.size, rec->big_endian);
	return 0;
}

/* u16 id, u16 flags, u32 string, u64 size. Close @s even on failure. */
static int section_open(struct v7 *v, struct section *s, uint64_t offset, uint16_t id)
{
	struct recording *rec = v->td->rec;
	uint64_t size;
	uint16_t found;

	memset(&s->mem, 0, sizeof(s->mem));
	s->src = rec->src;
	reader_init(&s->r, &s->src, offset, UINT64_MAX, rec->big_endian);
	found = reader_u16(&s->r);
	s->flags = reader_u16(&s->r);
	reader_skip(&s->r, 4);
	size = reader_u64(&s->r);
	if (s->r.err)
		return s->r.err;
	if (found != id)
		return -EBADMSG;
	if (size < s->r.end - s->r.pos)
		s->r.end = s->r.pos + size;
	if (id == OPTION_BUFFER || !(s->flags & SECTION_COMPRESSED))
		return 0;
	return section_decompress(v, s);
}

static void section_close(struct section *s)
{
	free(s->mem.data);
}

/* Damage loses the part, not the file; only -ENOMEM, -EIO and -ENOTSUP end the reading. */
static int tolerate(struct v7 *v, int err, uint64_t offset, const char *what)
{
	switch (err) {
	case 0:
	case -ENOMEM:
	case -EIO:
		return err;
	case -ENOTSUP:
		log_msg(v->td->rec->log, LOG_ERROR,
			"%s: the %s at offset %" PRIu64
			" are compressed in a way that this build of kmemx cannot read",
			v->td->rec->path, what, offset);
		return err;
	default:
		trace_dat_damage(v->td, offset, "the %s are %s", what,
				 err == -ENODATA ? "cut short" : "damaged");
		return 0;
	}
}

/* Reads a metadata section; its id is that of the option with its offset. */
static int read_part(struct v7 *v, uint64_t offset, uint16_t id)
{
	const struct trace_dat_part *part = &trace_dat_parts[id - OPTION_HEADER_INFO];
	struct section s;
	int err;

	if (v->readings[id - OPTION_HEADER_INFO]++ >= MAX_READINGS)
		return tolerate(v, -EBADMSG, offset, part->name);
	err = section_open(v, &s, offset, id);
	err = err ?: part->read(v->td, &s.r);
	section_close(&s);
	return tolerate(v, err, offset, part->name);
}

/* Reads /proc/modules of the recorded machine, the section's whole text, as a metadata item of
 * kmemx.
 */
static int read_modules(struct v7 *v, uint64_t offset)
{
	struct recording *rec = v->td->rec;
	struct section s;
	char *text;
	size_t size;
	int err = section_open(v, &s, offset, OPTION_MODULES_FILE);

	if (!err) {
		size = (size_t)reader_left(&s.r);
		text = reader_text(&s.r, size);
		err = text ? recording_text_add(&rec->meta, &rec->nr_meta,
						RECORDING_META_MODULES, text, size)
			   : s.r.err;
	}
	section_close(&s);
	return tolerate(v, err, offset, "modules");
}

/* Reads an option with the offset of a metadata section or of the modules. */
static int option_section(struct v7 *v, uint16_t id, const uint8_t *data, size_t size)
{
	struct byte_reader r = byte_reader(data, size, v->td->rec->big_endian);
	uint64_t offset = byte_reader_u64(&r);

	if (r.failed)
		return tolerate(v, -ENODATA, v->td->pos, "options");
	if (id != OPTION_MODULES_FILE)
		return read_part(v, offset, id);
	if (v->has_modules)
		return 0;
	v->has_modules = true;
	return read_modules(v, offset);
}

/* Table of a buffer's CPUs: {u32 cpu, u64 offset, u64 size}. */
static int buffer_cpus(struct v7 *v, struct byte_reader *r, bool compressed)
{
	uint32_t nr = byte_reader_u32(r), i;
	int err = 0;

	if (nr > byte_reader_left(r) / 20) {
		trace_dat_damage(v->td, v->td->pos,
				 "a buffer claims %" PRIu32 " CPUs in %zu bytes", nr,
				 byte_reader_left(r));
		nr = (uint32_t)(byte_reader_left(r) / 20);
	}
	for (i = 0; !err && i < nr; i++) {
		struct recording_cpu cpu = { 0 };

		cpu.cpu = byte_reader_u32(r);
		cpu.offset = byte_reader_u64(r);
		cpu.size = byte_reader_u64(r);
		/* In compressed files, the size does not include the number of chunks. */
		if (cpu.size)
			err = trace_dat_add_cpu(v->td, &cpu, compressed ? 4 : 0);
	}
	return err;
}

/* u64 section offset, name, clock, u32 page size, u32 CPUs, table of CPUs. */
static int option_buffer(struct v7 *v, const uint8_t *data, size_t size)
{
	struct trace_dat *td = v->td;
	struct byte_reader r = byte_reader(data, size, td->rec->big_endian);
	uint64_t offset = byte_reader_u64(&r);
	const char *name = byte_reader_string(&r), *clock = byte_reader_string(&r);
	uint32_t page_size = byte_reader_u32(&r);
	struct section s;
	bool compressed;
	int err;

	if (r.failed) {
		trace_dat_damage(td, td->pos, "a buffer's description is cut short");
		return 0;
	}
	err = section_open(v, &s, offset, OPTION_BUFFER);
	compressed = err ? td->rec->compression != COMPRESSION_NONE
			 : s.flags & SECTION_COMPRESSED;
	section_close(&s);
	err = tolerate(v, err, offset, "data of a buffer");
	if (err)
		return err;
	err = trace_dat_add_buffer(td, name, clock, page_size);
	if (err)
		return tolerate(v, err, offset, "buffers");
	td->rec->buffers[td->rec->nr_buffers - 1].compressed = compressed;
	return buffer_cpus(v, &r, compressed);
}

static int read_option(struct v7 *v, uint16_t id, const uint8_t *data, size_t size)
{
	switch (id) {
	case OPTION_BUFFER:
		return option_buffer(v, data, size);
	case OPTION_BUFFER_TEXT:
		v->td->has_text = true;
		return 0;
	case OPTION_HEADER_INFO ... OPTION_CMDLINES:
	case OPTION_MODULES_FILE:
		return option_section(v, id, data, size);
	default:
		return trace_dat_option(v->td, id, data, size);
	}
}

/* {u16 id, u32 size, data}... up to DONE, which has the offset of the next section. */
static int read_options(struct v7 *v, struct reader *r, uint64_t *next)
{
	*next = 0;
	while (!r->err) {
		uint16_t id = reader_u16(r);
		uint32_t size = reader_u32(r);
		char *data __auto_mem = NULL;
		int err;

		if (id == OPTION_DONE) {
			if (size >= 8)
				*next = reader_u64(r);
			break;
		}
		data = reader_text(r, size);
		if (!data)
			break;
		err = read_option(v, id, (uint8_t *)data, size);
		if (err)
			return err;
	}
	return r->err;
}

static bool visit(struct v7 *v, uint64_t offset)
{
	if (v->nr_visited == MAX_OPTION_SECTIONS ||
	    ANY(i, v->nr_visited, v->visited[i] == offset))
		return false;
	v->visited[v->nr_visited++] = offset;
	return true;
}

static int read_option_section(struct v7 *v, uint64_t offset, uint64_t *next)
{
	struct section s;
	int err;

	v->td->pos = offset;
	*next = 0;
	err = section_open(v, &s, offset, SECTION_OPTIONS);
	err = err ?: read_options(v, &s.r, next);
	section_close(&s);
	if (err)
		v->chain_broken = true;
	return tolerate(v, err, offset, "options");
}

static int read_all_options(struct v7 *v, uint64_t offset)
{
	uint64_t next;
	int err;

	/* An unfinished file has no options. */
	v->chain_broken = !offset;
	while (offset) {
		if (!visit(v, offset)) {
			trace_dat_damage(v->td, offset, "the options form a loop");
			return 0;
		}
		err = read_option_section(v, offset, &next);
		if (err)
			return err;
		offset = next;
	}
	return 0;
}

static uint64_t align_up(uint64_t v, uint64_t to)
{
	return v > UINT64_MAX - to ? UINT64_MAX : (v + to - 1) / to * to;
}

/* Compressed data contains the number of chunks and their sizes. */
static uint64_t end_of_chunks(struct trace_dat *td, uint64_t start, uint64_t end)
{
	struct reader r;
	uint32_t chunks;

	reader_init(&r, &td->rec->src, start, end, td->rec->big_endian);
	chunks = reader_u32(&r);
	if (!chunks)
		return end;
	while (chunks-- && !r.err) {
		uint32_t size = reader_u32(&r);

		/* The writer did not store the size: the chunk's reader finds its end. */
		if (!size)
			return end;
		reader_skip(&r, 4ULL + size);
	}
	return r.err ? end : r.pos;
}

/* Skips whole pages in a hole from @at on, up to @end. */
static uint64_t skip_hole(const struct source *src, uint64_t at, uint64_t end,
			  uint32_t page_size)
{
	uint64_t data = source_next_data(src, at);

	data = SMALLER(data, end);
	return data > at ? at + (data - at) / page_size * page_size : at;
}

/* A CPU's pages ascend in time: the next CPU begins where it goes back. */
static uint64_t end_of_pages(struct trace_dat *td, uint64_t start, uint64_t end)
{
	struct recording *rec = td->rec;
	uint64_t ts, last = 0;
	uint8_t head[8];

	for (uint64_t at = start; end - at >= rec->page_size; at += rec->page_size) {
		if (source_read(&rec->src, head, sizeof(head), at))
			return at;
		ts = get_u64(head, rec->big_endian);
		/* Time 0 may also be a hole of any size, where nothing was written. */
		if (ts < last ||
		    (!ts && skip_hole(&rec->src, at, end, rec->page_size) > at))
			return at;
		last = ts;
	}
	return end;
}

/* Finds the CPUs in a data section from @start to @end in the file, whose description is missing.
 * 0, -ENOMEM, -EIO.
 */
static int search_cpus(struct trace_dat *td, uint64_t start, uint64_t end,
		       bool compressed)
{
	struct recording *rec = td->rec;
	struct recording_cpu cpu = { 0 };
	char *clock __auto_mem = trace_dat_chosen_clock(rec->trace_clock);
	int err;

	end = SMALLER(end, rec->src.size);
	err = trace_dat_add_buffer(td, rec->nr_buffers ? "recovered" : "", clock,
				   rec->page_size);
	if (err)
		return err;
	rec->buffers[rec->nr_buffers - 1].compressed = compressed;
	for (cpu.offset = align_up(start, rec->page_size);
	     !err && cpu.offset < end && cpu.cpu < TRACE_DAT_MAX_CPUS; cpu.cpu++) {
		uint64_t stop;

		cpu.offset = skip_hole(&rec->src, cpu.offset, end, rec->page_size);
		stop = compressed ? end_of_chunks(td, cpu.offset, end)
				  : end_of_pages(td, cpu.offset, end);
		if (stop <= cpu.offset)
			break;
		cpu.size = stop - cpu.offset;
		cpu.cut = stop == end; /* CPUs after it may be missing completely */
		err = trace_dat_add_cpu(td, &cpu, 0);
		cpu.offset = compressed ? align_up(stop, rec->page_size) : stop;
	}
	log_msg(rec->log, LOG_WARN,
		"%s: the description of the data at offset %" PRIu64
		" is missing; CPUs are numbered in their order in the file (found: %" PRIu32
		")",
		rec->path, start, rec->buffers[rec->nr_buffers - 1].nr_cpus);
	return err;
}

/* Does a buffer have data in [@start, @end)? */
static bool described(const struct recording *rec, uint64_t start, uint64_t end)
{
	for (uint32_t b = 0; b < rec->nr_buffers; b++)
		for (uint32_t c = 0; c < rec->buffers[b].nr_cpus; c++)
			if (rec->buffers[b].cpus[c].offset >= start &&
			    rec->buffers[b].cpus[c].offset < end)
				return true;
	return false;
}

/* The options are missing or point nowhere: reads the sections in file order. */
static int recover(struct v7 *v, uint64_t offset)
{
	struct recording *rec = v->td->rec;
	uint64_t next, start, end;
	struct reader r;
	uint16_t id, flags;
	int err = 0;

	for (; !err && offset < rec->src.size; offset = end) {
		reader_init(&r, &rec->src, offset, UINT64_MAX, rec->big_endian);
		id = reader_u16(&r);
		flags = reader_u16(&r);
		reader_skip(&r, 4);
		end = reader_u64(&r);
		start = r.pos;
		/* A killed writer did not fill in the size. */
		if (r.err || end > rec->src.size - start || (!end && id == OPTION_BUFFER))
			end = rec->src.size - start;
		if (r.err)
			break;
		/* Zeros, perhaps a hole. */
		if (!id && !end) {
			end = source_next_data(&rec->src, start);
			continue;
		}
		end += start;
		if (id == SECTION_OPTIONS && visit(v, offset))
			err = read_option_section(v, offset, &next);
		else if (id == OPTION_BUFFER && !described(rec, start, end))
			err = tolerate(v,
				       search_cpus(v->td, start, end,
						   flags & SECTION_COMPRESSED),
				       offset, "buffers");
		else if (id >= OPTION_HEADER_INFO && id <= OPTION_CMDLINES)
			err = read_part(v, offset, id);
	}
	return err;
}

static int set_compression(struct trace_dat *td, const char *name)
{
	struct recording *rec = td->rec;
	bool built_in = false;

	if (!strcmp(name, "none"))
		return 0;
	if (!strcmp(name, "zstd")) {
		rec->compression = COMPRESSION_ZSTD;
#ifdef HAVE_ZSTD
		built_in = true;
#endif
	} else if (!strcmp(name, "zlib")) {
		rec->compression = COMPRESSION_ZLIB;
#ifdef HAVE_ZLIB
		built_in = true;
#endif
	}
	if (built_in)
		return 0;
	log_msg(rec->log, LOG_ERROR,
		"%s: compressed by '%s', which this build of kmemx cannot read; convert it with trace-cmd convert --compression none",
		rec->path, name);
	return -ENOTSUP;
}

int trace_dat_open_v7(struct trace_dat *td)
{
	struct recording *rec = td->rec;
	struct v7 *v __auto_mem = NULL;
	struct reader r;
	uint64_t offset, first_section;
	char *name __auto_mem = NULL;
	int err;

	reader_init(&r, &rec->src, td->pos, UINT64_MAX, rec->big_endian);
	name = reader_name(&r);
	free(reader_name(&r)); /* the compression's version */
	offset = reader_u64(&r);
	first_section = r.pos;
	err = r.err ? r.err : set_compression(td, name);
	if (err == -ENODATA)
		err = -EBADMSG;
	if (err)
		return err;
	v = calloc(1, sizeof(*v));
	if (!v)
		return -ENOMEM;
	v->td = td;
	err = read_all_options(v, offset);
	if (!err && (v->chain_broken || !rec->nr_buffers))
		err = recover(v, first_section);
	unpacker_free(v->unpacker);
	return err;
}

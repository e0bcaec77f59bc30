// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * tests: fuzz target: the writers.
 * In: arbitrary bytes as a recording. Out: findings are a crash; a readable recording, damaged or
 * not, that cannot be written in one of the forms, or whose new file cannot be read or has other
 * events; and a kernel curve that is not read as it was written.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/io.h"
#include "event/stream.h"
#include "recording/cpu_regions.h"
#include "recording/kernel_curve.h"
#include "recording/wire.h"
#include "recording/writer.h"
#include "source_file.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define MAX_PARTS   256
#define MAX_BUFFERS 16

enum way { V7, V6, COMPRESSED, STREAM, JOINED, STREAM_LATE, NR_WAYS };

/* The pages to write: those of all CPUs, one after the other in one file. */
struct material {
	struct recording *rec;
	struct writer_facts facts;
	struct writer_instance instances[MAX_BUFFERS];
	struct writer_part parts[MAX_PARTS];
	size_t nr, nr_top;
	uint64_t size;
	int fd;
};

/**
 * struct content - a summary of a recording's events
 * @hash: of each event with its stack, in order, and of the losses between them
 * @losses: number of lost events
 */
struct content {
	uint64_t nr_events, nr_lost, hash;
	uint32_t nr_damaged;
	bool losses;
};

/* --- reading ----------------------------------------------------------------------------- */

static void mix(struct content *c, const void *data, size_t size)
{
	const uint8_t *p = data;

	while (size--)
		c->hash = (c->hash ^ *p++) * 0x100000001b3;
}

static void add_event(struct content *c, const struct event_stream *stream,
		      const struct kmem_event *ev)
{
	uint32_t nr = 0;
	const uint64_t *frames = event_stream_stack(stream, ev->stack, &nr);

	if (ev->type == KMEM_LOSS && !c->losses)
		return;
	mix(c, &ev->ts, sizeof(ev->ts));
	mix(c, &ev->cpu, sizeof(ev->cpu));
	mix(c, &ev->buffer, sizeof(ev->buffer));
	mix(c, &ev->type, sizeof(ev->type));
	if (ev->type == KMEM_LOSS)
		mix(c, &ev->loss, sizeof(ev->loss));
	else
		mix(c, ev->data, ev->size);
	mix(c, frames, nr * sizeof(*frames));
}

/* Returns 0, or why the events cannot be read. */
static int read_events(const struct recording *rec, struct content *c)
{
	const struct event_stream_options opts = { .stop_ts = UINT64_MAX };
	struct event_stream *stream = NULL;
	struct event_formats *fmts = NULL;
	struct kmem_event ev;
	int ret = event_formats_new(&fmts, rec, NULL);
	uint32_t i;

	/* The writer makes an empty header_page from a missing one, which counts as damage there.
	 * If an item says how the recording ended, each CPU's end is a loss; losses at the end of
	 * this file itself are not written.
	 */
	*c = (struct content){ .nr_damaged = rec->nr_damaged + !rec->header_page,
			       .losses = !recording_meta(rec, RECORDING_META_TRUNCATED) &&
					 !recording_meta(rec, RECORDING_META_RECOVERED) };
	if (!ret)
		ret = event_stream_open(&stream, rec, fmts, &opts, NULL);
	if (!ret) {
		const struct event_stream_stats *s = event_stream_stats(stream);

		while ((ret = event_stream_next(stream, &ev)) > 0)
			add_event(c, stream, &ev);
		c->nr_events = s->nr_events;
		for (i = 0; i < s->nr_cpus; i++)
			c->nr_lost += s->cpus[i].nr_lost;
	}
	event_stream_close(stream);
	event_formats_free(fmts);
	return ret;
}

static int read_file(int fd, struct content *c)
{
	struct recording *rec = NULL;
	struct source src;
	char path[64];
	int ret;

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	ret = source_open_file(&src, path);
	if (!ret)
		ret = recording_open(&rec, &src, "written", NULL);
	if (!ret)
		ret = read_events(rec, c);
	recording_close(rec);
	return ret;
}

static void check(int fd, enum way way, const struct content *was)
{
	struct content now = { 0 };
	int ret = read_file(fd, &now);

	if (!ret && now.nr_events == was->nr_events && now.nr_lost == was->nr_lost &&
	    now.hash == was->hash && (!now.nr_damaged || was->nr_damaged))
		return;
	fprintf(stderr,
		"form %d: %ju events were written, %ju lost; read are %ju, %ju lost, %u parts damaged: %s\n",
		(int)way, (uintmax_t)was->nr_events, (uintmax_t)was->nr_lost,
		(uintmax_t)now.nr_events, (uintmax_t)now.nr_lost, now.nr_damaged,
		ret ? strerror(-ret) : "other events");
	abort();
}

/* --- input of the writer ------------------------------------------------------------------ */

static int compare_cpus(const void *a, const void *b)
{
	const struct recording_cpu *x = a, *y = b;

	if (x->cpu != y->cpu)
		return x->cpu < y->cpu ? -1 : 1;
	return x->offset < y->offset ? -1 : x->offset > y->offset;
}

/* Converts the recording to the writer's input: whole pages, each CPU once and in order. A
 * truncated last page has readable events, but is not passed to the writer.
 */
static void take_whole_pages(struct recording_buffer *b)
{
	uint32_t i, kept = 0;

	if (b->nr_cpus)
		qsort(b->cpus, b->nr_cpus, sizeof(*b->cpus), compare_cpus);
	for (i = 0; i < b->nr_cpus; i++) {
		struct recording_cpu cpu = b->cpus[i];

		cpu.size -= cpu.size % b->page_size;
		cpu.cut = false;
		if (cpu.size && (!kept || b->cpus[kept - 1].cpu != cpu.cpu))
			b->cpus[kept++] = cpu;
	}
	b->nr_cpus = kept;
}

static bool copy_cpu(struct material *m, const struct recording_cpu *cpu)
{
	uint8_t *pages = m->nr < MAX_PARTS ? malloc((size_t)cpu->size) : NULL;
	bool ok = pages &&
		  !source_read(&m->rec->src, pages, (size_t)cpu->size, cpu->offset) &&
		  !io_pwrite_all(m->fd, pages, (size_t)cpu->size, m->size);

	free(pages);
	if (!ok)
		return false;
	m->parts[m->nr++] = (struct writer_part){
		.cpu = cpu->cpu, .fd = m->fd, .size = cpu->size, .offset = m->size
	};
	m->size += cpu->size;
	return true;
}

/* Takes all pages if they can be copied unchanged. The first buffer becomes the top one. */
static bool take_pages(struct material *m)
{
	struct recording *rec = m->rec;
	uint32_t b, i;

	if (rec->nr_buffers > MAX_BUFFERS)
		return false;
	for (b = 0; b < rec->nr_buffers; b++) {
		struct recording_buffer *buf = &rec->buffers[b];
		struct writer_part *first = &m->parts[m->nr];

		if (buf->compressed)
			return false;
		take_whole_pages(buf);
		for (i = 0; i < buf->nr_cpus; i++)
			if (!copy_cpu(m, &buf->cpus[i]))
				return false;
		if (!b)
			m->nr_top = buf->nr_cpus;
		else
			m->instances[b - 1] = (struct writer_instance){
				buf->name, buf->clock, buf->page_size, first, buf->nr_cpus
			};
	}
	return true;
}

static void take_facts(struct material *m)
{
	const struct recording *rec = m->rec;
	const uint16_t one = 1;

	m->facts = writer_facts_of(rec);
	m->facts.file_page_size = rec->page_size;
	m->facts.page_size = rec->buffers[0].page_size;
	m->facts.long_size = rec->layout.long_size;
	m->facts.foreign_endian = rec->big_endian == *(const uint8_t *)&one;
	m->facts.meta = rec->meta;
	m->facts.nr_meta = rec->nr_meta;
	m->facts.instances = m->instances;
	m->facts.nr_instances = rec->nr_buffers - 1;
}

/* --- writing ----------------------------------------------------------------------------- */

static uint8_t *part_data(const struct material *m, size_t i)
{
	uint8_t *pages = malloc((size_t)m->parts[i].size);

	if (pages &&
	    io_pread_all(m->fd, pages, (size_t)m->parts[i].size, m->parts[i].offset)) {
		free(pages);
		pages = NULL;
	}
	return pages;
}

/* @late: sends facts known at the end in pieces, as an unfinished recording has them. */
static int write_stream(const struct material *m, int fd, bool late)
{
	struct wire w = { .fd = fd };
	int err = wire_start(&w, &m->facts);
	size_t i;

	for (i = 0; i < m->nr && !err; i++) {
		uint32_t cpu =
			m->parts[i].cpu + (i >= m->nr_top ? RECORDING_FREES_CPU : 0);
		uint8_t *pages = part_data(m, i);

		err = pages ? wire_pages(&w, cpu, pages, (size_t)m->parts[i].size)
			    : -ENOMEM;
		free(pages);
	}
	if (!err && late)
		err = wire_options(&w, &m->facts);
	if (!err)
		err = late ? wire_end(&w, &m->facts) : wire_finish(&w, &m->facts);
	return err;
}

/* Writes the pages to regions of one file, then makes the file without holes. */
static int join(const struct material *m, int fd)
{
	struct writer_instance instances[MAX_BUFFERS];
	struct writer_part parts[MAX_PARTS];
	struct writer_facts facts = m->facts;
	struct cpu_regions regions;
	int err = cpu_regions_probe(fd, m->nr, facts.page_size, &regions);
	size_t i;

	for (i = 0; i < m->nr && !err; i++) {
		uint8_t *pages = part_data(m, i);

		parts[i] = m->parts[i];
		parts[i].offset = cpu_regions_start(&regions, i);
		err = pages ? io_pwrite_all(fd, pages, (size_t)parts[i].size,
					    parts[i].offset)
			    : -ENOMEM;
		free(pages);
	}
	for (i = 0; i < facts.nr_instances; i++) {
		instances[i] = m->instances[i];
		instances[i].parts = parts + (m->instances[i].parts - m->parts);
	}
	facts.instances = instances;
	return err ? err
		   : writer_join(&(struct writer_out){ .fd = fd }, &facts, parts,
				 m->nr_top, regions.block);
}

/* Can this form represent the recording? */
static bool possible(const struct material *m, enum way way)
{
	const struct writer_facts *facts = &m->facts;
	bool same = facts->page_size == facts->file_page_size, empty = !m->nr,
	     stream = !facts->nr_instances;
	size_t i;

	for (i = 0; i < facts->nr_instances; i++) {
		same &= m->instances[i].page_size == facts->page_size;
		empty |= !m->instances[i].nr_parts;
		stream = !i && !empty && !strcmp(m->instances[0].name, RECORDING_FREES);
	}
	/* CPU numbers from RECORDING_FREES_CPU on belong to the other buffer. */
	for (i = 0; i < m->nr; i++)
		stream &= m->parts[i].cpu < RECORDING_FREES_CPU;
	switch (way) {
	case V7:
		return true;
	case V6: /* all pages must have one size */
		return same;
	case COMPRESSED: /* this form and those below are only for kmemx's own recordings */
		return !facts->foreign_endian && writer_can_compress();
	case JOINED: /* an empty section would have no part to belong to */
		return !facts->foreign_endian && same && !empty;
	default:
		return !facts->foreign_endian && same && stream;
	}
}

static int open_file(void)
{
	const char *dir = getenv("TMPDIR");
	int fd = open(dir && *dir ? dir : "/tmp", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);

	return fd < 0 ? memfd_create("written", MFD_CLOEXEC) : fd;
}

static int write_so(struct material *m, int fd, enum way way)
{
	m->facts.file_version = way == V6 ? 6 : 7;
	switch (way) {
	case V7:
	case V6:
		return writer_write(&(struct writer_out){ .fd = fd }, &m->facts, m->parts,
				    m->nr_top);
	case COMPRESSED:
		return writer_compress(&(struct writer_out){ .fd = fd }, &m->facts,
				       m->parts, m->nr_top);
	case JOINED:
		return join(m, fd);
	default:
		return write_stream(m, fd, way == STREAM_LATE);
	}
}

static void write_all(struct material *m, const struct content *was)
{
	enum way way;

	for (way = V7; way < NR_WAYS; way++) {
		int fd, err;

		if (!possible(m, way))
			continue;
		fd = way == JOINED ? open_file() : memfd_create("written", MFD_CLOEXEC);
		if (fd < 0)
			return;
		err = write_so(m, fd, way);
		/* Not all filesystems can join. */
		if (err && !(way == JOINED && err == -EOPNOTSUPP)) {
			fprintf(stderr, "form %d: not written: %s\n", (int)way,
				strerror(-err));
			abort();
		}
		if (!err)
			check(fd, way, was);
		close(fd);
	}
}

/* Checks that a curve written like the recording's is read as it was written. */
static void check_curve(const struct recording *rec)
{
	struct kernel_curve was = { 0 }, made = { 0 }, now = { 0 };
	struct strbuf text = { 0 };
	int ret = kernel_curve_of(&was, rec);

	for (unsigned int i = 0; i < was.nr && !ret; i++) {
		if (!kernel_curve_begin(&made, was.times[i]))
			abort();
		for (size_t k = 0; k < was.series.nr && !ret; k++) {
			const char *name = kernel_curve_name(&was, k);

			if (was.series.of[k].at[i] != KERNEL_CURVE_NONE)
				ret = kernel_curve_add(&made, name[0], name + 2,
						       strlen(name + 2),
						       was.series.of[k].at[i]);
		}
	}
	if (!ret && made.series.nr) {
		kernel_curve_halve(&made);
		kernel_curve_format(&made, &text);
		ret = text.failed ? -ENOMEM : kernel_curve_read(&now, text.data);
		if (ret != -ENOMEM && (ret || now.damaged || now.nr != made.nr ||
				       now.series.nr != made.series.nr))
			abort();
	}
	strbuf_free(&text);
	kernel_curve_free(&now);
	kernel_curve_free(&made);
	kernel_curve_free(&was);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct material m = { .fd = memfd_create("pages", MFD_CLOEXEC) };
	struct content was;
	struct source src;

	source_open_memory(&src, data, size);
	if (m.fd >= 0 && !recording_open(&m.rec, &src, "fuzz", NULL) && take_pages(&m)) {
		take_facts(&m);
		check_curve(m.rec);
		if (!read_events(m.rec, &was))
			write_all(&m, &was);
	}
	recording_close(m.rec);
	if (m.fd >= 0)
		close(m.fd);
	return 0;
}

// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * tests: fuzz target: the writers.
 * In: arbitrary bytes as a recording. Out: a crash is a finding, and so is a recording
 * that was written, in any form, and has other events than what it was made of.
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
#include "recording/regions.h"
#include "recording/wire.h"
#include "recording/writer.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define MAX_CPUS  16
#define MAX_PAGES (1U << 20)

/* What is written: the pages of the top buffer's CPUs, one after the other in one file. */
struct material {
	struct recording *rec;
	struct writer_facts facts;
	struct writer_part parts[MAX_CPUS];
	size_t nr;
	int fd;
};

/* Is anything in it not as it was recorded? What is cut there need not be as many events in
 * another form of the file.
 */
static bool damaged(const struct recording *rec, const struct event_stream_stats *s)
{
	return rec->nr_damaged || s->nr_bad_pages || s->nr_undecodable ||
	       s->nr_backwards || s->nr_impossible;
}

/* -1 if the events cannot be counted. */
static int64_t count_events(const struct recording *rec)
{
	const struct event_stream_options opts = { .stop_ts = UINT64_MAX };
	struct event_stream *stream = NULL;
	struct event_formats *fmts = NULL;
	struct kmem_event ev;
	int64_t nr = -1;
	int ret;

	if (!event_formats_new(&fmts, rec, NULL) &&
	    !event_stream_open(&stream, rec, fmts, &opts, NULL)) {
		while ((ret = event_stream_next(stream, &ev)) > 0)
			;
		if (!ret && !damaged(rec, event_stream_stats(stream)))
			nr = (int64_t)event_stream_stats(stream)->nr_events;
	}
	event_stream_close(stream);
	event_formats_free(fmts);
	return nr;
}

static int64_t count_file(int fd)
{
	struct recording *rec = NULL;
	struct source src;
	int64_t nr = -1;
	char path[64];

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	if (!source_open_file(&src, path) && !recording_open(&rec, &src, "written", NULL))
		nr = count_events(rec);
	recording_close(rec);
	return nr;
}

/* The top buffer's whole pages, if they can be copied as they are. */
static bool take_pages(struct material *m)
{
	const struct recording_buffer *b = &m->rec->buffers[0];
	uint64_t at = 0;
	uint32_t i;

	if (m->rec->nr_buffers != 1 || b->compressed || b->nr_cpus > MAX_CPUS ||
	    b->page_size != m->rec->page_size || !b->page_size)
		return false;
	for (i = 0; i < b->nr_cpus; i++) {
		uint64_t size = b->cpus[i].size / b->page_size * b->page_size;
		uint8_t *pages;

		/* Numbers from RECORDING_FREES_CPU on are the other buffer's. */
		if (!size || size > MAX_PAGES || b->cpus[i].cpu >= RECORDING_FREES_CPU)
			return false;
		pages = malloc((size_t)size);
		if (!pages || source_read(&m->rec->src, pages, size, b->cpus[i].offset) ||
		    io_pwrite_all(m->fd, pages, size, at)) {
			free(pages);
			return false;
		}
		free(pages);
		m->parts[m->nr++] = (struct writer_part){
			.cpu = b->cpus[i].cpu, .fd = m->fd, .size = size, .offset = at
		};
		at += size;
	}
	return true;
}

static void check(const struct material *m, int fd, int err, int64_t events)
{
	int64_t now = err ? 0 : count_file(fd);

	if (!err && now >= 0 && now != events) {
		fprintf(stderr, "%jd events were written, %jd are read\n",
			(intmax_t)events, (intmax_t)now);
		abort();
	}
}

/* @late: what is known in the end is sent in pieces, as an unfinished recording has it. */
static int write_stream(const struct material *m, int fd, bool late)
{
	struct wire w = { .fd = fd };
	int err = wire_start(&w, &m->facts);
	size_t i;

	for (i = 0; i < m->nr && !err; i++) {
		uint8_t *pages = malloc((size_t)m->parts[i].size);

		err = pages ? io_pread_all(m->fd, pages, m->parts[i].size,
					   m->parts[i].offset)
			    : -ENOMEM;
		if (!err)
			err = wire_pages(&w, m->parts[i].cpu, pages, m->parts[i].size);
		free(pages);
	}
	if (!err && late)
		err = wire_options(&w, &m->facts);
	if (!err)
		err = late ? wire_end(&w, &m->facts) : wire_finish(&w, &m->facts);
	return err;
}

/* The pages in regions of one file, then the file without the holes. */
static int join(struct material *m, int fd)
{
	struct regions regions;
	int err =
		m->nr ? regions_probe(fd, m->nr, m->facts.page_size, &regions) : -EINVAL;
	struct writer_part parts[MAX_CPUS];
	size_t i;

	for (i = 0; i < m->nr && !err; i++) {
		uint8_t *pages = malloc((size_t)m->parts[i].size);

		parts[i] = m->parts[i];
		parts[i].offset = regions_start(&regions, i);
		err = pages ? io_pread_all(m->fd, pages, m->parts[i].size,
					   m->parts[i].offset)
			    : -ENOMEM;
		if (!err)
			err = io_pwrite_all(fd, pages, parts[i].size, parts[i].offset);
		free(pages);
	}
	return err ? err
		   : writer_join(fd, &m->facts, parts, m->nr, regions.block, NULL, NULL);
}

static int open_file(void)
{
	const char *dir = getenv("TMPDIR");
	int fd = open(dir && *dir ? dir : "/tmp", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);

	return fd < 0 ? memfd_create("written", MFD_CLOEXEC) : fd;
}

static void write_all(struct material *m, int64_t events)
{
	unsigned int way;

	for (way = 0; way < 6; way++) {
		int fd = way == 4 ? open_file() : memfd_create("written", MFD_CLOEXEC);
		int err;

		if (fd < 0)
			return;
		m->facts.file_version = way == 1 ? 6 : 7;
		if (way < 2)
			err = writer_write(fd, &m->facts, m->parts, m->nr, NULL, NULL);
		else if (m->facts.foreign_endian) /* for one's own recordings only */
			err = -EINVAL;
		else if (way == 2)
			err = writer_compress(fd, &m->facts, m->parts, m->nr, NULL, NULL);
		else
			err = way == 4 ? join(m, fd) : write_stream(m, fd, way == 5);
		check(m, fd, err, events);
		close(fd);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct material m = { .fd = memfd_create("pages", MFD_CLOEXEC) };
	struct source src;
	int64_t events;

	if (m.fd >= 0 && !source_open_memory(&src, data, size) &&
	    !recording_open(&m.rec, &src, "fuzz", NULL) && take_pages(&m)) {
		const uint16_t one = 1;

		events = count_events(m.rec);
		m.facts = writer_facts_of(m.rec);
		m.facts.page_size = m.rec->page_size;
		m.facts.long_size = m.rec->layout.long_size;
		m.facts.foreign_endian = m.rec->big_endian == *(const uint8_t *)&one;
		m.facts.meta = m.rec->meta;
		m.facts.nr_meta = m.rec->nr_meta;
		if (events > 0) /* of none, what is left may be no recording */
			write_all(&m, events);
	}
	recording_close(m.rec);
	if (m.fd >= 0)
		close(m.fd);
	return 0;
}

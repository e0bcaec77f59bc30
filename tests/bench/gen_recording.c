// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * tests: makes a recording of any length from the pages of a real one.
 * In: a recording, the number of events, the number of CPUs. Out: a trace.dat 7 file, with -z
 * compressed like that of kmemx record -z.
 *
 * Each CPU repeats the pages of one CPU of the original at later and later times. Each group of
 * CPUs has its own addresses and page frames. So the mix of events, the stacks and the set of live
 * objects are realistic, and the number of live objects grows with the CPUs, not with the events.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "event/formats.h"
#include "recording/cpu_cursor.h"
#include "recording/time_span.h"
#include "recording/writer.h"
#include "source_file.h"

#define PARTS_MAX 256U

/* A CPU of the original. */
struct pages {
	uint8_t *bytes;
	size_t nr;
	uint64_t nr_events;
};

struct generator {
	struct recording *rec;
	struct event_formats *fmts;
	struct pages *cpus;
	uint32_t nr_cpus, page_size;
	uint64_t first, period;
};

static void fail(const char *what, int err)
{
	fprintf(stderr, "gen_recording: %s: %s\n", what, strerror(err < 0 ? -err : err));
	exit(1);
}

/* Keeps the pages of CPU @cpu as they were in the kernel, without their counts of lost events. */
static void load_cpu(struct generator *g, uint32_t cpu)
{
	const struct page_layout *l = &g->rec->layout;
	struct pages *p = &g->cpus[cpu];
	struct cpu_cursor *cur;
	struct subbuf sb;
	int ret = cpu_cursor_open(&cur, g->rec, 0, cpu, NULL);

	if (ret)
		fail("reading", ret);
	while ((ret = cpu_cursor_next(cur, &sb)) > 0) {
		struct subbuf_iter it = subbuf_iter(&sb, false);
		struct raw_record raw;
		uint64_t commit = sb.size;
		uint8_t *page;

		p->bytes = realloc(p->bytes, (p->nr + 1) * g->page_size);
		if (!p->bytes)
			fail("memory", ENOMEM);
		page = p->bytes + p->nr++ * g->page_size;
		memset(page, 0, g->page_size);
		memcpy(page, &sb.ts, 8);
		memcpy(page + l->commit_offset, &commit, l->long_size);
		memcpy(page + l->data_offset, sb.data, sb.size);
		while (subbuf_iter_next(&it, &raw) > 0)
			p->nr_events++;
	}
	cpu_cursor_close(cur);
	if (ret || !p->nr)
		fail("the original has an unreadable or empty CPU", ret);
}

static void load(struct generator *g, const char *path)
{
	struct source src;
	uint64_t last;
	uint32_t i;
	int ret = source_open_file(&src, path);

	if (!ret)
		ret = recording_open(&g->rec, &src, path, NULL);
	if (!ret)
		ret = event_formats_new(&g->fmts, g->rec, NULL);
	if (!ret)
		ret = recording_time_span(g->rec, 0, &g->first, &last);
	if (ret || g->rec->big_endian)
		fail(path, ret ? ret : ENOTSUP);
	g->period = last - g->first + 1000;
	g->page_size = g->rec->buffers[0].page_size;
	g->nr_cpus = g->rec->buffers[0].nr_cpus;
	g->cpus = calloc(g->nr_cpus, sizeof(*g->cpus));
	if (!g->cpus)
		fail("memory", ENOMEM);
	for (i = 0; i < g->nr_cpus; i++)
		load_cpu(g, i);
}

static void add_u64(uint8_t *data, const struct event_field *f, uint64_t value)
{
	uint64_t v;

	if (f->size != 8)
		return;
	memcpy(&v, data + f->offset, 8);
	v += value;
	memcpy(data + f->offset, &v, 8);
}

/* Changes a page's addresses and page frames to those of group @group. */
static void move_page(const struct generator *g, uint8_t *page, uint64_t group)
{
	const struct page_layout *l = &g->rec->layout;
	struct subbuf sb = { .data = page + l->data_offset };
	struct subbuf_iter it;
	struct raw_record raw;

	memcpy(&sb.size, page + l->commit_offset, 4);
	it = subbuf_iter(&sb, false);
	while (subbuf_iter_next(&it, &raw) > 0) {
		const struct event_format *fmt =
			event_formats_find(g->fmts, get_u16(raw.data, false));
		uint8_t *data = page + (raw.data - page);

		if (!fmt || raw.size < fmt->min_size)
			continue;
		if (kmem_is_slab(fmt->type))
			add_u64(data, &fmt->fields[SLAB_PTR], group << 36);
		else if (kmem_is_page(fmt->type) ||
			 fmt->type == KMEM_PAGE_ALLOC_ZONE_LOCKED ||
			 fmt->type == KMEM_PAGE_PCPU_DRAIN)
			add_u64(data, &fmt->fields[PAGE_PFN], group << 24);
	}
}

static void add_time(uint8_t *head, uint64_t value)
{
	uint64_t ts = ((uint64_t)get_u32(head + 4, false) << 27) +
		      (get_u32(head, false) >> 5) + value;
	uint32_t low = (uint32_t)ts << 5 | SUBBUF_TIME_STAMP, high = (uint32_t)(ts >> 27);

	memcpy(head, &low, 4);
	memcpy(head + 4, &high, 4);
}

/* Moves a page's time, and absolute time stamps in it, to the next round. */
static void move_times(const struct generator *g, uint8_t *page)
{
	const struct page_layout *l = &g->rec->layout;
	uint64_t ts = get_u64(page, false) + g->period;
	uint8_t *p = page + l->data_offset, *end = p;

	memcpy(page, &ts, 8);
	end += get_u32(page + l->commit_offset, false);
	while (end - p >= 8) {
		uint32_t head = get_u32(p, false), type_len = head & 31;

		if (type_len == SUBBUF_TIME_STAMP)
			add_time(p, g->period);
		if (type_len >= SUBBUF_TIME_EXTEND)
			p += 8;
		else if (type_len == SUBBUF_PADDING && !(head >> 5))
			break;
		else if (type_len == SUBBUF_DATA_LONG || type_len == SUBBUF_PADDING)
			p += 4 + ((get_u32(p + 4, false) + 3) & ~3U);
		else
			p += 4 + 4 * type_len;
	}
}

/* Writes CPU @cpu's pages @rounds times to @fd. Returns the number of bytes. */
static uint64_t write_cpu(const struct generator *g, uint32_t cpu, uint64_t rounds,
			  int fd)
{
	const struct pages *from = &g->cpus[cpu % g->nr_cpus];
	size_t size = from->nr * g->page_size, i;
	uint8_t *copy = malloc(size);
	uint64_t r;

	if (!copy)
		fail("memory", ENOMEM);
	memcpy(copy, from->bytes, size);
	for (i = 0; i < from->nr; i++)
		move_page(g, copy + i * g->page_size, cpu / g->nr_cpus);
	for (r = 0; r < rounds; r++) {
		if (write(fd, copy, size) != (ssize_t)size)
			fail("writing", errno);
		for (i = 0; i < from->nr; i++)
			move_times(g, copy + i * g->page_size);
	}
	free(copy);
	return size * rounds;
}

static struct writer_facts facts_of(const struct generator *g, uint32_t nr_cpus)
{
	struct writer_facts facts = writer_facts_of(g->rec);

	facts.page_size = g->page_size;
	facts.writer_version = "gen_recording";
	facts.nr_cpus = nr_cpus;
	return facts;
}

/* How many rounds give @nr_events on @nr_cpus CPUs; at least one. */
static uint64_t nr_rounds(const struct generator *g, uint64_t nr_events, uint32_t nr_cpus)
{
	uint64_t once = 0;
	uint32_t c;

	for (c = 0; c < nr_cpus; c++)
		once += g->cpus[c % g->nr_cpus].nr_events;
	return once && nr_events > once ? (nr_events + once / 2) / once : 1;
}

int main(int argc, char **argv)
{
	struct writer_part parts[PARTS_MAX];
	struct generator g = { 0 };
	struct writer_facts facts;
	struct writer_out out = { 0 };
	uint64_t events, rounds;
	uint32_t nr_cpus, c;
	bool compress = argc > 1 && !strcmp(argv[1], "-z");
	int fd, ret;

	argc -= compress;
	argv += compress;
	if (argc != 5) {
		fprintf(stderr,
			"usage: gen_recording [-z] ORIGINAL OUTPUT EVENTS CPUS\n");
		return 2;
	}
	events = strtoull(argv[3], NULL, 0);
	nr_cpus = (uint32_t)strtoul(argv[4], NULL, 0);
	if (!nr_cpus || nr_cpus > PARTS_MAX)
		fail("1 to 256 CPUs", EINVAL);
	load(&g, argv[1]);
	rounds = nr_rounds(&g, events, nr_cpus);
	fd = open(argv[2], O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
	if (fd < 0)
		fail(argv[2], errno);
	for (c = 0; c < nr_cpus; c++) {
		int part = open(".", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);

		if (part < 0)
			fail("a temporary file", errno);
		parts[c] = (struct writer_part){ c, part, 0, true, 0 };
		parts[c].size = write_cpu(&g, c, rounds, part);
	}
	facts = facts_of(&g, nr_cpus);
	out.fd = fd;
	ret = compress ? writer_compress(&out, &facts, parts, nr_cpus)
		       : writer_write(&out, &facts, parts, nr_cpus);
	if (ret || close(fd))
		fail("writing", ret);
	return 0;
}

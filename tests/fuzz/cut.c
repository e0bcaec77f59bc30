// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * tests: cuts small recordings for the fuzzers out of real ones.
 * In: a fixture of tests/data. Out: the first events of two CPUs, with the formats and the
 * symbols that they need, in one of the forms that kmemx reads.
 *
 * usage: cut KIND FIXTURE OUT [PAGES [KALLSYMS]]
 *   PAGES      of each CPU; with more than one there are four CPUs and a second ring buffer,
 *	       the pages of which are the same again, later
 *   KALLSYMS   a file of symbols instead of the recording's
 *
 *   v6, v7, zstd   trace.dat; v7 without compression, zstd with it
 *   sample, stacks v7 that says it is a sample, or has callchains of one
 *   users          v7 with frames of programs, of a 64-bit kernel
 *   zlib           v7 with the pages alone compressed, as old trace-cmds could
 *   wire           a stream
 *   boot           v7 as trace-cmd saves a buffer that survived a reboot
 *   head           what a killed recorder left: OUT.tmp, OUT.cpuN
 *   regions        the same, with the pages in OUT.tmp
 *   raw            a directory as import --raw-pages takes it
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#ifdef HAVE_ZLIB
#include <zlib.h>
#endif

#include "base/bytes.h"
#include "base/io.h"
#include "base/strbuf.h"
#include "capture/file/unfinished.h"
#include "event/formats.h"
#include "event/split.h"
#include "recording/kernel_curve.h"
#include "recording/sample.h"
#include "recording/wire.h"
#include "recording/writer.h"

#define MAX_CPUS    4
#define MAX_EVENTS  60
#define MAX_FORMATS 10

/* A seed has the formats of these events only, because each takes time to parse. */
static const char *const event_names[] = {
	"kmalloc",	"kmem_cache_alloc",  "kfree", "kmem_cache_free", "mm_page_alloc",
	"mm_page_free", "mm_page_pcpu_drain"
};

struct cut {
	const char *kind, *out, *symbols;
	struct recording *rec;
	struct writer_facts facts;
	struct recording_text formats[MAX_FORMATS], ftrace[2];
	struct strbuf kallsyms;
	uint8_t *pages[MAX_CPUS];
	size_t repeat; /* each page */
	struct writer_part parts[MAX_CPUS];
	struct writer_instance instance;
	uint32_t cpus[MAX_CPUS];
	size_t nr_pages;
	struct recording_text meta[14];
	struct recording_option options[2];
};

static void fail(const char *what, int err)
{
	fprintf(stderr, "cut: %s: %s\n", what, strerror(err < 0 ? -err : err));
	exit(1);
}

static void check(const char *what, int err)
{
	if (err)
		fail(what, err);
}

/* --- reading ----------------------------------------------------------------------------- */

static struct recording *open_fd(int fd)
{
	struct recording *rec;
	struct source src;

	check("source", source_open_fd(&src, fd));
	check("recording", recording_open(&rec, &src, "seed", NULL));
	return rec;
}

/* Opens the whole file uncompressed. */
static struct recording *open_plain(const char *path)
{
	struct split_options opts = { .stop_ts = UINT64_MAX,
				      .fd = memfd_create("part", 0),
				      .pages_fd = memfd_create("pages", 0) };
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct event_formats *fmts;
	struct split_result result;
	struct recording *rec;

	if (fd < 0)
		fail(path, errno);
	rec = open_fd(fd);
	check("formats", event_formats_new(&fmts, rec, NULL));
	check("split", split_write(rec, fmts, &opts, &result, NULL));
	event_formats_free(fmts);
	recording_close(rec);
	close(opts.pages_fd);
	return open_fd(opts.fd);
}

/* --- cutting ----------------------------------------------------------------------------- */

static void put(uint8_t *p, uint64_t v, unsigned int size, bool big)
{
	unsigned int i;

	for (i = 0; i < size; i++)
		p[big ? size - 1 - i : i] = (uint8_t)(v >> 8 * i);
}

/* Ends the page after its first events. */
static void cut_page(const struct cut *c, uint8_t *page)
{
	const struct page_layout *l = &c->rec->layout;
	bool big = c->rec->big_endian;
	uint64_t commit = get_uint(page + l->commit_offset, l->long_size, big) & 0xfffff;
	size_t pos = l->data_offset, end = pos + (size_t)commit, nr;

	for (nr = 0; nr < MAX_EVENTS && pos + 8 <= end; nr++) {
		uint32_t head = (uint32_t)get_uint(page + pos, 4, big);
		unsigned int type = big ? head >> 27 : head & 31;

		if (type && type <= 28)
			pos += 4 + 4 * type;
		else if (type >= 30)
			pos += 8;
		else
			pos += 4 + (size_t)get_uint(page + pos + 4, 4, big);
	}
	if (pos < end)
		end = pos;
	put(page + l->commit_offset, end - l->data_offset, l->long_size, big);
	memset(page + end, 0, c->rec->page_size - end);
}

/* The ID of one of ftrace's events. */
static uint16_t ftrace_id(const struct cut *c, const char *name)
{
	const struct recording *rec = c->rec;

	for (size_t i = 0; i < rec->nr_ftrace_formats; i++) {
		const char *text = rec->ftrace_formats[i].text;
		const char *id = strstr(text, "ID: ");

		if (!strncmp(text, "name: ", 6) && id &&
		    !strncmp(text + 6, name, strlen(name)))
			return (uint16_t)strtoul(id + 4, NULL, 10);
	}
	fail(name, ENOENT);
	return 0;
}

/* Makes the second of two stacks the user part of the first one's callchain; events between them
 * become padding. Some get no such part, or one of another process.
 */
static void add_users(const struct cut *c, uint8_t *page)
{
	const struct page_layout *l = &c->rec->layout;
	const uint16_t stack = ftrace_id(c, "kernel_stack");
	uint8_t *p = page + l->data_offset, *before = NULL, *behind = NULL, *next, *data;
	const uint8_t *end =
		p + (get_uint(page + l->commit_offset, l->long_size, false) & 0xfffff);
	unsigned int nr = 0, type;

	for (; p + 8 <= end && (type = get_u32(p, false) & 31) != 29; p = next) {
		data = p + (type ? 4 : 8);
		next = type > 29 ? p + 8
				 : p + 4 + (type ? 4 * type : get_u32(p + 4, false));
		if (next > end || type > 29 || get_u16(data, false) != stack ||
		    next - data < 80)
			continue;
		if (!before) {
			before = data;
			behind = next;
			continue;
		}
		memcpy(data, before, 8);
		if (behind < p) {
			put(behind, 29 | 1 << 5, 4, false);
			put(behind + 4, (uint64_t)(p - behind) - 4, 4, false);
		}
		put(data, ftrace_id(c, "user_stack"), 2, false);
		put(data + 8, nr++ % 4, 4, false);
		memset(data + 16, 0, 64);
		for (unsigned int i = 0; i < 1 + nr % 4; i++)
			put(data + 16 + 8 * (size_t)i, 0x1000 + 0x800 * i, 8, false);
		before = NULL;
	}
}

static void take_pages(struct cut *c)
{
	const struct recording_buffer *b = &c->rec->buffers[0];
	uint32_t i;

	for (i = 0; c->nr_pages < (c->repeat > 1 ? MAX_CPUS : 2); i++) {
		const struct recording_cpu *cpu = &b->cpus[i % b->nr_cpus];
		uint8_t *page = malloc(b->page_size);

		if (i >= b->nr_cpus && c->repeat < 2)
			break;

		if (!page)
			fail("page", ENOMEM);
		check("pages",
		      source_read(&c->rec->src, page, b->page_size, cpu->offset));
		cut_page(c, page);
		if (!strcmp(c->kind, "users"))
			add_users(c, page);
		c->cpus[c->nr_pages] =
			i < b->nr_cpus ? cpu->cpu : c->cpus[c->nr_pages - 1] + 1;
		c->pages[c->nr_pages++] = page;
	}
}

static bool is_wanted(const char *format)
{
	const char *name = strstr(format, "name: ");
	size_t i, len = name ? strcspn(name + 6, "\n") : 0;

	for (i = 0; i < ARRAY_SIZE(event_names); i++)
		if (strlen(event_names[i]) == len &&
		    !strncmp(name + 6, event_names[i], len))
			return true;
	return false;
}

static void take_formats(struct cut *c)
{
	const struct recording *rec = c->rec;
	size_t i, nr = 0, nr_ftrace = 0;

	for (i = 0; i < rec->nr_event_formats && nr < MAX_FORMATS; i++)
		if (!strcmp(rec->event_formats[i].name, "kmem") &&
		    is_wanted(rec->event_formats[i].text))
			c->formats[nr++] = rec->event_formats[i];
	for (i = 0; i < rec->nr_ftrace_formats && nr_ftrace < 2; i++)
		if (strstr(rec->ftrace_formats[i].text, "name: kernel_stack") ||
		    (!strcmp(c->kind, "users") &&
		     strstr(rec->ftrace_formats[i].text, "name: user_stack")))
			c->ftrace[nr_ftrace++] = rec->ftrace_formats[i];
	c->facts.event_formats = c->formats;
	c->facts.nr_event_formats = nr;
	c->facts.ftrace_formats = c->ftrace;
	c->facts.nr_ftrace_formats = nr_ftrace;
}

/* True if an event has an address from @from up to @to. */
static bool refers(const struct cut *c, uint64_t from, uint64_t to)
{
	unsigned int size = c->rec->layout.long_size;
	size_t i, at;

	for (i = 0; i < c->nr_pages; i++) {
		for (at = 16; at + 8 <= c->rec->page_size; at += 4) {
			uint64_t v = get_uint(c->pages[i] + at, size, c->rec->big_endian);

			if (v >= from && v < to)
				return true;
		}
	}
	return false;
}

/* Keeps the symbols that the events refer to, each with its successor, and the first ones. */
static void take_symbols(struct cut *c)
{
	const char *p = c->rec->kallsyms && !c->symbols ? c->rec->kallsyms : "";
	bool keep = false;
	size_t nr = 0;

	while (*p) {
		size_t len = strcspn(p, "\n");
		const char *next = p + len + (p[len] == '\n');
		uint64_t from = strtoull(p, NULL, 16), to = strtoull(next, NULL, 16);
		bool wanted = (from && refers(c, from, to)) || nr++ < 3;

		if (wanted || keep)
			strbuf_add(&c->kallsyms, p, (size_t)(next - p));
		keep = wanted;
		p = next;
	}
	if (c->symbols)
		check(c->symbols, text_file_read(&c->kallsyms, c->symbols, IO_FILE));
	c->facts.kallsyms = strbuf_text(&c->kallsyms);
	c->facts.kallsyms_size = c->kallsyms.size;
}

static struct recording_text item(const char *name, const char *text)
{
	return (struct recording_text){ (char *)name, (char *)text, strlen(text) };
}

/* Makes up the kernel's counts at several times from the first event on. */
static void print_curve(const struct cut *c, char *text, size_t size)
{
	snprintf(text, size,
		 "times +%" PRIu64
		 "+200000+200000+200000+200000+200000+200000+200000+200000\n"
		 "s kmalloc-64 +64+8=4-4+20=1\ns dentry .2+20=5.1\nm MemFree +9=8\n"
		 "m SReclaimable +7+1=7\nv pgalloc +5+5+5+5+5+5+5+5+5\nv pgfree =9\n"
		 "b pages +1000-1=7\ns damaged +1\n",
		 get_uint(c->pages[0], 8, c->rec->big_endian));
}

/* A few command lines are enough; other facts about the system never vary. */
static void take_texts(struct cut *c)
{
	static const char slabinfo[] =
		"slabinfo - version: 2.1\n# name <active_objs> <num_objs> <objsize>\n"
		"kmalloc-64 %d 128 64 64 1 : tunables 0 0 0 : slabdata 2 2 0\n"
		"dentry 20 42 192 21 1 : tunables 0 0 0 : slabdata 2 2 0\n";
	static char before[300], after[300], counts[600];
	char *lines = strdup(c->rec->cmdlines ? c->rec->cmdlines : ""), *end = lines;
	int i;

	if (!lines)
		fail("command lines", ENOMEM);
	for (i = 0; i < 6 && *end; i++)
		end += strcspn(end, "\n") + (end[strcspn(end, "\n")] == '\n');
	*end = '\0';
	c->facts.cmdlines = lines;
	c->facts.printk_formats = NULL;
	snprintf(before, sizeof(before), slabinfo, 64);
	snprintf(after, sizeof(after), slabinfo, 96);
	c->meta[0] = item("slabinfo.before", before);
	c->meta[1] = item("slabinfo.after", after);
	c->meta[2] =
		item("vmstat.before", "nr_free_pages 1000\nnr_slab_unreclaimable 70\n");
	c->meta[3] =
		item("vmstat.after", "nr_free_pages 900\nnr_slab_unreclaimable 90\n");
	c->meta[4] = item("cmdline", "kmemx record");
	c->meta[5] = item("pagetypeinfo.before",
			  "Page block order: 9\n\n"
			  "Node    0, zone      DMA, type    Unmovable      0      0\n"
			  "Node    0, zone      DMA, type      Movable      0      1\n"
			  "Node    0, zone    DMA32, type    Unmovable     14      9\n");
	c->meta[6] = item("build_id", "00112233445566778899aabbccddeeff00112233");
	c->meta[7] = item("module_build_ids", "other 00112233445566778899aabbccddeeff\n"
					      "ext4 0123456789abcdef\n");
	c->meta[8] = item(RECORDING_META_MODULES,
			  "ext4 987136 1 - Live 0xffffffffc0500000\n"
			  "gone 4096 0 - Live 0xffffffffc0600000 (E)\n");
	c->meta[9] =
		item("allocinfo.before",
		     "allocinfo - version: 1.0\n 640 10 fs/f.c:136 func:getname_flags\n");
	c->meta[10] = item("allocinfo.after",
			   " 800 12 fs/f.c:136 func:getname_flags\n 8 1 a.c:9 func:f\n"
			   " 64 1 net/a.c:7 [sunrpc] func:rpc_new accurate:no\n");
	print_curve(c, counts, sizeof(counts));
	c->meta[11] = item(RECORDING_META_CURVE, counts);
	c->meta[12] = item(RECORDING_META_SLAB_RECLAIM, "kmalloc-64 0\ndentry 1\nx 2\n");
	c->meta[13] = item(!strcmp(c->kind, "stacks") ? RECORDING_META_STACK_SAMPLE
						      : RECORDING_META_SAMPLE,
			   "1/4 phase=1 object=15 block=3 certain=16,4");
	c->facts.meta = c->meta;
	c->facts.nr_meta = ARRAY_SIZE(c->meta);
	if (!strcmp(c->kind, "users"))
		c->meta[13] =
			item(RECORDING_META_USER_MAPS,
			     "file - 12 /bin/prog\nfile 00ff 0 //anon\n"
			     "process 0\nmap 0 1000 17ff 4000 1\nmap 5 1800 ffff 0 2\n"
			     "process 1\nfork 1 0\nexec 7fffffffffffffff\nx\n");
	else if (strcmp(c->kind, "sample") != 0 && strcmp(c->kind, "stacks") != 0)
		c->facts.nr_meta--;
}

/* Sets what trace-cmd saves of a buffer that survived a reboot, besides the kernel's name. */
static void take_last_boot(struct cut *c)
{
	static char uname[] = "Linux box 6.18.0 x86_64";
	static char info[] = "boot_map:ffffffff81000000\t[kernel]\n"
			     "ffffffffa0100000\text4\nffffffffa0700000\tother\n";

	c->options[0] = (struct recording_option){ OPTION_UNAME, sizeof(uname),
						   (uint8_t *)uname };
	c->options[1] = (struct recording_option){ OPTION_LAST_BOOT_INFO, sizeof(info),
						   (uint8_t *)info };
	c->facts.options = c->options;
	c->facts.nr_options = ARRAY_SIZE(c->options);
	strbuf_puts(&c->kallsyms, "ffffffff9a000000 T _stext\nffffffff9a000000 T _text\n"
				  "ffffffff9a345678 t kmalloc_user\n"
				  "ffffffffc0500000 t ext4_alloc\t[ext4]\n"
				  "ffffffffc0600010 t gone_alloc\t[gone]\n");
	c->facts.kallsyms = strbuf_text(&c->kallsyms);
	c->facts.kallsyms_size = c->kallsyms.size;
}

static bool host_is_big(void)
{
	const uint16_t one = 1;

	return !*(const uint8_t *)&one;
}

static void take_facts(struct cut *c)
{
	c->facts = writer_facts_of(c->rec);
	c->facts.page_size = c->rec->page_size;
	c->facts.long_size = c->rec->layout.long_size;
	c->facts.foreign_endian = c->rec->big_endian != host_is_big();
	c->facts.file_version = !strcmp(c->kind, "v6") ? 6 : 7;
	if (c->facts.nr_cpus <= c->cpus[c->nr_pages - 1])
		c->facts.nr_cpus = c->cpus[c->nr_pages - 1] + 1;
	take_formats(c);
	take_symbols(c);
	take_texts(c);
	if (!strcmp(c->kind, "boot"))
		take_last_boot(c);
}

/* --- writing ----------------------------------------------------------------------------- */

static int create(const char *path)
{
	int fd = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

	if (fd < 0)
		fail(path, errno);
	return fd;
}

/* OUT.tmp, or OUT.cpuN */
static int create_part(const struct cut *c, const uint32_t *cpu)
{
	char path[512];

	if (cpu)
		snprintf(path, sizeof(path), "%s.cpu%" PRIu32, c->out, *cpu);
	else
		snprintf(path, sizeof(path), "%s.tmp", c->out);
	return create(path);
}

/* Repeats the pages, each a second after the one before. */
static void write_pages(const struct cut *c, size_t i, int fd)
{
	uint32_t size = c->rec->page_size;
	uint8_t *page = c->pages[i];
	uint64_t ts = get_u64(page, c->rec->big_endian);
	size_t n;

	for (n = 0; n < c->repeat; n++) {
		put(page, ts + n * 1000000000, 8, c->rec->big_endian);
		check("pages", io_pwrite_all(fd, page, size, n * size));
	}
}

#define OPTION(id, text)                            \
	{                                           \
		id, sizeof(text), (uint8_t *)(text) \
	}

/* Replaces common options by rare ones. */
static const struct recording_option options[] = {
	OPTION(11, "traceid"),
	OPTION(11, "id"),
	OPTION(7, "0x1234"),
	OPTION(14, "\1\2\3\0\4\0\0\0\0\0\0\0\0\0\0"),
	OPTION(8, "\4\0\0"),
	OPTION(8, "\4\0\0\0\0\0\1"),
	OPTION(5, "Linux box 6.1.0-seed-x x86_64\n"),
	OPTION(2, "CPU: 1\nentries: 5\noverrun: 6\ndropped events: 9\n"),
	OPTION(2, "\nBuffer: second\n\n"),
	OPTION(2, "CPU: 0\nentries: 5\noverrun: 6\ndropped events: 9\n"),
	OPTION(0x4000, "none"),
	OPTION(99, "later"),
};

static void make_parts(struct cut *c)
{
	size_t i;

	for (i = 0; i < c->nr_pages; i++) {
		c->parts[i] =
			(struct writer_part){ .cpu = c->cpus[i],
					      .fd = memfd_create("part", 0),
					      .size = c->repeat * c->rec->page_size };
		write_pages(c, i, c->parts[i].fd);
	}
	if (c->repeat > 1) {
		c->facts.options = options;
		c->facts.nr_options = ARRAY_SIZE(options);
		c->instance = (struct writer_instance){ "second", "local",
							c->rec->page_size, c->parts, 1 };
		c->facts.instances = &c->instance;
		c->facts.nr_instances = 1;
	}
}

static void write_recording(struct cut *c)
{
	int fd = create(c->out);

	make_parts(c);
	if (!strcmp(c->kind, "zstd")) {
		c->facts.nr_instances = 0;
		check("zstd", writer_compress(&(struct writer_out){ .fd = fd }, &c->facts,
					      c->parts, c->nr_pages));
	} else {
		check("writer", writer_write(&(struct writer_out){ .fd = fd }, &c->facts,
					     c->parts, c->nr_pages));
	}
}

#ifdef HAVE_ZLIB
/* Replaces the page at @page by a chunk. The size returned excludes the number of chunks. */
static uint64_t compress_page(uint8_t *page, size_t size, bool big)
{
	uint8_t *packed = malloc(compressBound(size));
	uLongf n = compressBound(size);

	if (!packed || compress(packed, &n, page, size) != Z_OK || n + 12 > size)
		fail("zlib", EINVAL);
	put(page, 1, 4, big);
	put(page + 4, n, 4, big);
	put(page + 8, size, 4, big);
	memcpy(page + 12, packed, n);
	memset(page + 12 + n, 0, size - 12 - n);
	free(packed);
	return n + 8;
}

/* The position of @value, of @size bytes, before @end; the start of the data if not found */
static uint8_t *find_number(uint8_t *data, const uint8_t *end, uint64_t value,
			    unsigned int size, bool big)
{
	uint8_t bytes[8], *p;

	put(bytes, value, size, big);
	p = memmem(data, (size_t)(end - data), bytes, size);
	return p ? p : data;
}

/* Converts uncompressed version 7 to one with compressed pages, each in its place. */
static void compress_pages(const struct cut *c)
{
	int fd = open(c->out, O_RDWR | O_CLOEXEC);
	off_t size = fd < 0 ? 0 : lseek(fd, 0, SEEK_END);
	uint8_t *data = malloc((size_t)size + 1), *section, *entry;
	bool big = c->rec->big_endian;
	size_t i;

	if (!data || io_pread_all(fd, data, (size_t)size, 0))
		fail(c->out, EIO);
	memcpy(memmem(data, (size_t)size, "none", 5), "zlib", 4);
	for (i = 0; i < c->nr_pages; i++) {
		uint8_t *page =
			memmem(data, (size_t)size, c->pages[i], c->rec->page_size);

		entry = find_number(data, page, (uint64_t)(page - data), 8, big);
		put(entry + 8, compress_page(page, c->rec->page_size, big), 8, big);
		/* The option before it begins with the offset of the section. */
		section = entry - 4 - 4 - 4 - strlen(c->facts.clock) - 1 - 1 - 8;
		if (!i)
			put(data + get_uint(section, 8, big) + 2, 1, 2, big);
	}
	check("zlib", io_pwrite_all(fd, data, (size_t)size, 0));
}
#else
static void compress_pages(const struct cut *c)
{
	fail("zlib", ENOTSUP);
}
#endif

static void write_stream(struct cut *c)
{
	struct wire w = { .fd = create(c->out) };
	size_t i, all = c->facts.nr_meta;

	c->facts.nr_meta = 1;
	check("stream", wire_start(&w, &c->facts));
	for (i = 0; i < c->nr_pages; i++)
		check("pages",
		      wire_pages(&w, c->cpus[i], c->pages[i], c->rec->page_size));
	c->facts.nr_meta = all;
	check("stream", wire_finish(&w, &c->facts));
}

/* @first: offset of the pages in the one file; 0: in separate files */
static void write_leftover(struct cut *c, uint64_t first)
{
	struct ring_reader_cpu cpus[MAX_CPUS] = { 0 };
	struct ring_reader r = { .cpus = cpus, .nr_cpus = c->nr_pages };
	struct wire w = { .fd = create_part(c, NULL) };
	size_t i;

	if (first)
		r.regions = (struct cpu_regions){ first, 2 * c->rec->page_size, 4096 };
	for (i = 0; i < c->nr_pages; i++)
		cpus[i].cpu = c->cpus[i];
	c->facts.nr_meta = 0;
	check("head", unfinished_write(&w, &c->facts, &r));
	c->facts.meta = &c->meta[4];
	c->facts.nr_meta = 1;
	check("head", unfinished_add(&w, &c->facts));
	for (i = 0; i < c->nr_pages; i++)
		check("pages",
		      io_pwrite_all(first ? w.fd : create_part(c, &c->cpus[i]),
				    c->pages[i], c->rec->page_size,
				    first ? cpu_regions_start(&r.regions, i) : 0));
}

/* Writes @text to OUT/@name. */
static void write_text(const struct cut *c, const char *name, const char *text)
{
	char path[512], *p;
	int fd;

	snprintf(path, sizeof(path), "%s/%s", c->out, name);
	for (p = strchr(path + 1, '/'); p; p = strchr(p + 1, '/')) {
		*p = '\0';
		mkdir(path, 0700);
		*p = '/';
	}
	fd = create(path);
	check(path, io_pwrite_all(fd, text, strlen(text), 0));
	close(fd);
}

static void write_formats(const struct cut *c, const struct recording_text *list,
			  size_t nr, const char *system)
{
	char path[256];
	size_t i;

	for (i = 0; i < nr; i++) {
		const char *name = strstr(list[i].text, "name: ") + 6;

		snprintf(path, sizeof(path), "events/%s/%.*s/format", system,
			 (int)strcspn(name, "\n"), name);
		write_text(c, path, list[i].text);
	}
}

static void write_raw(const struct cut *c)
{
	char name[512];
	size_t i;

	write_text(c, "events/header_page", c->facts.header_page);
	write_text(c, "events/header_event", "# compressed entry header\n");
	write_formats(c, c->facts.event_formats, c->facts.nr_event_formats, "kmem");
	write_formats(c, c->facts.ftrace_formats, c->facts.nr_ftrace_formats, "ftrace");
	write_text(c, "uname", c->facts.uname ? c->facts.uname : "");
	write_text(c, "proc/kallsyms", c->facts.kallsyms);
	write_text(c, "proc/slabinfo", c->meta[0].text);
	write_text(c, "trace_clock", "[local] global mono\n");
	write_text(c, "saved_cmdlines", "1 init\n2 kthreadd\n");
	for (i = 0; i < c->nr_pages; i++) {
		snprintf(name, sizeof(name), "per_cpu/cpu%u/stats", c->cpus[i]);
		write_text(c, name, "entries: 24\noverrun: 3\nread events: 24\n");
		snprintf(name, sizeof(name), "%s/per_cpu/cpu%u/trace_pipe_raw", c->out,
			 c->cpus[i]);
		check(name,
		      io_pwrite_all(create(name), c->pages[i], c->rec->page_size, 0));
	}
}

int main(int argc, char **argv)
{
	struct cut c = { .kind = argv[1], .out = argv[3] };

	if (argc < 4 || argc > 6)
		fail("usage: cut KIND FIXTURE OUT [PAGES [KALLSYMS]]", EINVAL);
	c.repeat = argc > 4 ? strtoul(argv[4], NULL, 10) : 1;
	c.symbols = argc > 5 ? argv[5] : NULL;
	c.rec = open_plain(argv[2]);
	take_pages(&c);
	take_facts(&c);
	if (!strcmp(c.kind, "wire"))
		write_stream(&c);
	else if (!strcmp(c.kind, "head"))
		write_leftover(&c, 0);
	else if (!strcmp(c.kind, "regions"))
		write_leftover(&c, 32768);
	else if (!strcmp(c.kind, "raw"))
		write_raw(&c);
	else
		write_recording(&c);
	if (!strcmp(c.kind, "zlib"))
		compress_pages(&c);
	/* Does not free memory, as the process ends. */
	_exit(0);
}

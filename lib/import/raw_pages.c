// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * import: a folder of copies from tracefs as a recording.
 * In: raw pages of each CPU, and the files that describe them. Out: parts and facts.
 */
#include "import/raw_pages.h"

#include <dirent.h>
#include <endian.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/array.h"
#include "base/io.h"
#include "recording/text_file.h"
#include "recording/trace_dat.h"

/* No kernel has larger ones. */
#define MAX_SUBBUF (1U << 20)
/* Looked at to tell the byte order. */
#define MAX_PROBES 16

struct text_array {
	struct recording_text *items;
	size_t count, capacity;
};

struct raw_pages {
	const char *dir;
	const struct recording_import_options *opts;
	const struct log *log;
	struct page_layout layout;
	uint32_t subbuf_size;
	bool big_endian;
	struct writer_part *parts;
	size_t nr_parts, parts_capacity;
	bool cpu_seen[TRACE_DAT_MAX_CPUS];
	uint64_t nr_cut; /* files whose last page is not whole */
	struct text_array ftrace_formats, formats, cpustats, meta;
	const char **cpustat_texts;
	struct strbuf header_page, header_event, kallsyms, printk_formats, cmdlines;
	struct strbuf trace_clock, uname, notes;
	char clock[32];
	struct writer_facts facts;
};

/* --- files ------------------------------------------------------------------------------- */

/* The file @name, also if it lies in @sub. 0; -ENOENT; -errno. */
static int read_in(const struct raw_pages *rp, const char *sub, const char *name,
		   struct strbuf *out)
{
	char path[4096];
	int ret = -ENOENT;

	if (snprintf(path, sizeof(path), "%s/%s", rp->dir, name) < (int)sizeof(path))
		ret = text_file_read(out, path, IO_FILE);
	if (ret == -ENOENT && sub &&
	    snprintf(path, sizeof(path), "%s/%s/%s", rp->dir, sub, name) <
		    (int)sizeof(path))
		ret = text_file_read(out, path, IO_FILE);
	return ret;
}

/* The same of a text that may be missing: 0, with nothing in @out, or -ENOMEM. */
static int read_optional(const struct raw_pages *rp, const char *sub, const char *name,
			 struct strbuf *out)
{
	int ret = read_in(rp, sub, name, out);

	if (ret && ret != -ENOENT && ret != -ENOMEM)
		log_msg(rp->log, LOG_WARN, "cannot read %s in %s: %s; going on without",
			name, rp->dir, io_strerror(ret));
	return ret == -ENOMEM ? ret : 0;
}

/* Takes over @text, also on failure. */
static int add_text(struct text_array *a, const char *name, struct strbuf *text)
{
	struct recording_text item = { .size = text->size };

	if (!text->data)
		strbuf_puts(text, "");
	if (array_reserve(&a->items, &a->capacity, a->count + 1, sizeof(*a->items))) {
		strbuf_free(text);
		return -ENOMEM;
	}
	item.text = strbuf_detach(text);
	item.name = strdup(name);
	a->items[a->count++] = item;
	return item.text && item.name ? 0 : -ENOMEM;
}

static void free_texts(struct text_array *a)
{
	for (size_t i = 0; i < a->count; i++) {
		free(a->items[i].name);
		free(a->items[i].text);
	}
	free(a->items);
}

/* Calls @fn for each entry of @dir/@sub, hidden ones left out. -ENOENT without a folder. */
static int each_entry(struct raw_pages *rp, const char *sub,
		      int (*fn)(struct raw_pages *rp, const char *sub, const char *name))
{
	struct dirent **list;
	char path[4096];
	int nr, ret = 0;

	if (snprintf(path, sizeof(path), "%s/%s", rp->dir, sub) >= (int)sizeof(path))
		return -ENAMETOOLONG;
	/* In an order that is the same on every machine. */
	nr = scandir(path, &list, NULL, alphasort);
	if (nr < 0)
		return -errno;
	for (int i = 0; i < nr; i++) {
		if (!ret && list[i]->d_name[0] != '.')
			ret = fn(rp, sub, list[i]->d_name);
		free(list[i]);
	}
	free(list);
	return ret;
}

/* --- formats ----------------------------------------------------------------------------- */

static int add_format(struct raw_pages *rp, const char *sub, const char *name)
{
	const char *system = strrchr(sub, '/') + 1;
	bool ftrace = !strcmp(system, "ftrace");
	struct text_array *to = ftrace ? &rp->ftrace_formats : &rp->formats;
	struct strbuf sb = { 0 };
	char path[1024];
	int ret;

	if (snprintf(path, sizeof(path), "%s/%s/format", sub, name) >= (int)sizeof(path))
		return 0;
	ret = read_in(rp, NULL, path, &sb);
	if (!ret && sb.size)
		return add_text(to, system, &sb);
	strbuf_free(&sb);
	return ret == -ENOMEM ? ret : 0; /* "enable", "filter", or nothing */
}

static int add_system(struct raw_pages *rp, const char *sub, const char *name)
{
	char path[512];
	int ret;

	if (snprintf(path, sizeof(path), "%s/%s", sub, name) >= (int)sizeof(path))
		return 0;
	ret = each_entry(rp, path, add_format);
	return ret == -ENOMEM ? ret : 0;
}

static bool has_system(const struct raw_pages *rp, const char *system)
{
	for (size_t i = 0; i < rp->formats.count; i++)
		if (!strcmp(rp->formats.items[i].name, system))
			return true;
	return false;
}

static int missing(const struct raw_pages *rp, const char *what, int err)
{
	log_msg(rp->log, LOG_ERROR,
		"%s: %s %s\n  kmemx-import(1) lists what to copy beside the pages.",
		rp->dir, what, err == -EBADMSG ? "makes no sense" : "is missing");
	return err;
}

static int read_formats(struct raw_pages *rp)
{
	int ret = read_in(rp, "events", "header_page", &rp->header_page);

	if (ret)
		return ret == -ENOMEM ? ret : missing(rp, "events/header_page", -ENOENT);
	if (trace_dat_parse_header_page(strbuf_text(&rp->header_page), &rp->layout,
					&rp->subbuf_size) ||
	    rp->subbuf_size < 512 || rp->subbuf_size > MAX_SUBBUF)
		return missing(rp, "events/header_page", -EBADMSG);
	ret = read_in(rp, "events", "header_event", &rp->header_event);
	if (ret == -ENOMEM)
		return ret;
	ret = each_entry(rp, "events", add_system);
	if (ret == -ENOMEM)
		return ret;
	return has_system(rp, "kmem") ? 0 : missing(rp, "events/kmem/*/format", -ENOENT);
}

/* --- pages ------------------------------------------------------------------------------- */

static uint64_t commit_of(const struct raw_pages *rp, const uint8_t *page, bool big)
{
	return get_uint(page + rp->layout.commit_offset, rp->layout.long_size, big) &
	       ~(3ULL << 30);
}

/* From @at on, the first page of which not all is a hole; the file's size at the end. */
static uint64_t skip_hole(const struct raw_pages *rp, const struct writer_part *part,
			  uint64_t at)
{
	off_t data = lseek(part->fd, (off_t)at, SEEK_DATA);

	if (data < 0)
		return errno == ENXIO ? part->size : at;
	return at + ((uint64_t)data - at) / rp->subbuf_size * rp->subbuf_size;
}

/* Commits of the first pages make sense in one byte order only: a count of bytes that is
 * divisible by four and fits the page. Returns 1 or 0 for big, -1 if it cannot be told.
 */
static int probe_order(const struct raw_pages *rp)
{
	uint32_t room = rp->subbuf_size - rp->layout.data_offset;
	unsigned int nr = 0, good[2] = { 0, 0 };
	uint8_t head[256];

	for (size_t i = 0; i < rp->nr_parts && nr < MAX_PROBES; i++) {
		for (uint64_t at = 0; at < rp->parts[i].size && nr < MAX_PROBES;
		     at += rp->subbuf_size) {
			at = skip_hole(rp, &rp->parts[i], at);
			if (io_pread_all(rp->parts[i].fd, head, rp->layout.data_offset,
					 at))
				break;
			if (!commit_of(rp, head, false))
				continue;
			nr++;
			for (int big = 0; big < 2; big++) {
				uint64_t c = commit_of(rp, head, big);

				good[big] += c <= room && !(c & 3);
			}
		}
	}
	return good[0] == good[1] ? -1 : good[1] > good[0];
}

/* Has the page, of which only @rest bytes are there, say that it ends where it is cut. */
static void bound_page(const struct raw_pages *rp, uint8_t *page, uint32_t rest)
{
	uint64_t have = (rest - rp->layout.data_offset) & ~3U;
	unsigned int size = rp->layout.long_size;
	uint8_t *word = page + rp->layout.commit_offset;

	if (commit_of(rp, page, rp->big_endian) <= have)
		return;
	for (unsigned int i = 0; i < size; i++)
		word[rp->big_endian ? size - 1 - i : i] = (uint8_t)(have >> 8 * i);
}

/* Replaces a file whose last page is cut by a copy that ends with a whole one. */
static int mend_cut(struct raw_pages *rp, struct writer_part *part)
{
	uint32_t rest = (uint32_t)(part->size % rp->subbuf_size);
	uint8_t *page = NULL;
	int fd, ret = 0;

	if (!rest)
		return 0;
	rp->nr_cut++;
	part->size -= rest;
	if (rest <= rp->layout.data_offset)
		return 0;
	page = calloc(1, rp->subbuf_size);
	fd = page ? rp->opts->open_part(rp->opts->ctx, part->cpu) : -ENOMEM;
	if (fd < 0) {
		free(page);
		return fd;
	}
	for (uint64_t at = 0; !ret && at <= part->size; at += rp->subbuf_size) {
		uint32_t want;

		at = skip_hole(rp, part, at);
		want = at < part->size ? rp->subbuf_size : rest;
		memset(page, 0, rp->subbuf_size);
		ret = io_pread_all(part->fd, page, want, at);
		if (!ret && want == rest)
			bound_page(rp, page, rest);
		if (!ret)
			ret = io_pwrite_all(fd, page, rp->subbuf_size, at);
	}
	free(page);
	close(part->fd);
	part->fd = fd;
	part->size += rp->subbuf_size;
	part->consume = true;
	return ret;
}

static int add_stats(struct raw_pages *rp, uint32_t cpu)
{
	struct strbuf sb = { 0 }, text = { 0 };
	char name[64], flat[64];
	int ret;

	snprintf(name, sizeof(name), "per_cpu/cpu%" PRIu32 "/stats", cpu);
	snprintf(flat, sizeof(flat), "cpu%" PRIu32 ".stats", cpu);
	ret = read_in(rp, NULL, name, &text);
	if (ret == -ENOENT)
		ret = read_in(rp, NULL, flat, &text);
	if (!ret) {
		strbuf_printf(&sb, "CPU: %" PRIu32 "\n%s", cpu, strbuf_text(&text));
		ret = add_text(&rp->cpustats, "cpustat", &sb);
	}
	strbuf_free(&text);
	return ret == -ENOMEM ? ret : 0;
}

/* The number in "cpu12" followed by @suffix; -1 if it is something else. */
static int64_t cpu_number(const char *name, const char *suffix)
{
	char *end;
	unsigned long v;

	if (strncmp(name, "cpu", 3) != 0 || name[3] < '0' || name[3] > '9')
		return -1;
	errno = 0;
	v = strtoul(name + 3, &end, 10);
	return errno || v >= TRACE_DAT_MAX_CPUS || strcmp(end, suffix) != 0 ? -1
									    : (int64_t)v;
}

static int add_pages(struct raw_pages *rp, const char *file, uint32_t cpu)
{
	struct writer_part part = { .cpu = cpu };
	char path[4096];
	struct stat st;
	int ret = 0;

	if (rp->cpu_seen[cpu])
		return 0; /* in both shapes of the layout */
	if (snprintf(path, sizeof(path), "%s/%s", rp->dir, file) >= (int)sizeof(path))
		return -ENAMETOOLONG;
	part.fd = io_open_input(path, IO_FILE);
	if (part.fd == -ENOENT)
		return 0;
	if (part.fd == -ENODEV || part.fd == -EISDIR) {
		log_msg(rp->log, LOG_ERROR,
			"%s is not a regular file\n  Copy the pages first: kmemx-import(1) says how.",
			path);
		return -EINVAL;
	}
	if (part.fd < 0 || fstat(part.fd, &st) < 0) {
		ret = part.fd < 0 ? part.fd : -errno;
		log_msg(rp->log, LOG_ERROR, "cannot read %s: %s", path, strerror(-ret));
	} else if (st.st_size == 0) {
		close(part.fd); /* this CPU had no events */
		return add_stats(rp, cpu);
	}
	part.size = ret ? 0 : (uint64_t)st.st_size;
	if (!ret && part.size % rp->subbuf_size) {
		log_msg(rp->log, LOG_WARN,
			"%s does not end with a whole sub-buffer of %" PRIu32
			" bytes; its last events may be missing",
			path, rp->subbuf_size);
	}
	if (!ret && array_reserve(&rp->parts, &rp->parts_capacity, rp->nr_parts + 1,
				  sizeof(*rp->parts)))
		ret = -ENOMEM;
	if (ret) {
		if (part.fd >= 0)
			close(part.fd);
		return ret;
	}
	rp->parts[rp->nr_parts++] = part;
	rp->cpu_seen[cpu] = true;
	return add_stats(rp, cpu);
}

static int add_cpu_folder(struct raw_pages *rp, const char *sub, const char *name)
{
	int64_t cpu = cpu_number(name, "");
	char file[512];

	if (cpu < 0 || snprintf(file, sizeof(file), "%s/%s/trace_pipe_raw", sub, name) >=
			       (int)sizeof(file))
		return 0;
	return add_pages(rp, file, (uint32_t)cpu);
}

static int add_cpu_file(struct raw_pages *rp, const char *sub, const char *name)
{
	int64_t cpu = cpu_number(name, ".raw");

	return cpu < 0 ? 0 : add_pages(rp, name, (uint32_t)cpu);
}

static int compare_parts(const void *a, const void *b)
{
	const struct writer_part *x = a, *y = b;

	return x->cpu < y->cpu ? -1 : x->cpu > y->cpu;
}

static int read_pages(struct raw_pages *rp)
{
	int order, ret = each_entry(rp, "per_cpu", add_cpu_folder);

	if (!ret || ret == -ENOENT)
		ret = each_entry(rp, ".", add_cpu_file);
	if (ret)
		return ret;
	if (!rp->nr_parts) {
		log_msg(rp->log, LOG_ERROR,
			"%s: there are no pages in per_cpu/cpuN/trace_pipe_raw or cpuN.raw\n  kmemx-import(1) lists what to copy.",
			rp->dir);
		return -ENODATA;
	}
	qsort(rp->parts, rp->nr_parts, sizeof(*rp->parts), compare_parts);
	order = probe_order(rp);
	rp->big_endian = order < 0 ? __BYTE_ORDER == __BIG_ENDIAN : order;
	for (size_t i = 0; !ret && i < rp->nr_parts; i++)
		ret = mend_cut(rp, &rp->parts[i]);
	return ret;
}

/* --- the kernel -------------------------------------------------------------------------- */

/* What is known of the kernel; empty what is not. */
struct uname_words {
	char host[64], release[128], machine[64];
};

/* Copies the next word of the line at *@p, and moves *@p behind it; false: no more. */
static bool next_word(const char **p, char *out, size_t size)
{
	size_t len;

	*p += strspn(*p, " ");
	len = strcspn(*p, " \n");
	if (!len)
		return false;
	snprintf(out, size, "%.*s", (int)(len < size ? len : size), *p);
	*p += len;
	return true;
}

/* "Linux HOST RELEASE ... MACHINE": "uname -a" has the machine last but one, before
 * GNU/Linux, "uname -snrm" has it last.
 */
static void parse_uname(const char *line, struct uname_words *out)
{
	char word[64];

	if (!next_word(&line, word, sizeof(word)) ||
	    !next_word(&line, out->host, sizeof(out->host)) ||
	    !next_word(&line, out->release, sizeof(out->release)))
		return;
	while (next_word(&line, word, sizeof(word)))
		if (strcmp(word, "GNU/Linux") != 0)
			snprintf(out->machine, sizeof(out->machine), "%s", word);
}

/* /proc/version: "Linux version 6.1.0 (...)" */
static void parse_version(const char *line, struct uname_words *out)
{
	char word[64];

	if (next_word(&line, word, sizeof(word)) && next_word(&line, word, sizeof(word)))
		(void)next_word(&line, out->release, sizeof(out->release));
}

static int read_uname(struct raw_pages *rp)
{
	struct uname_words known = { .host = "unknown" };
	struct strbuf text = { 0 };
	int ret = read_optional(rp, NULL, "uname", &text);

	if (!ret && text.size) {
		parse_uname(strbuf_text(&text), &known);
	} else if (!ret) {
		ret = read_optional(rp, "proc", "version", &text);
		parse_version(strbuf_text(&text), &known);
	}
	if (rp->opts->release)
		snprintf(known.release, sizeof(known.release), "%s", rp->opts->release);
	if (rp->opts->machine)
		snprintf(known.machine, sizeof(known.machine), "%s", rp->opts->machine);
	if (*known.release || *known.machine)
		strbuf_printf(&rp->uname, "Linux %s %s %s", known.host,
			      *known.release ? known.release : "unknown",
			      *known.machine ? known.machine : "unknown");
	strbuf_free(&text);
	return ret;
}

static int add_meta(struct raw_pages *rp, const char *file, const char *name)
{
	struct strbuf sb = { 0 };
	int ret = read_optional(rp, "proc", file, &sb);

	if (!ret && sb.size)
		return add_text(&rp->meta, name, &sb);
	strbuf_free(&sb);
	return ret;
}

static int read_texts(struct raw_pages *rp)
{
	static const char *const after[] = { "meminfo",	 "pagetypeinfo", "slabinfo",
					     "zoneinfo", "buddyinfo",	 "vmstat" };
	const char *open, *close;
	int ret = 0;

	if (rp->opts->symbols)
		strbuf_add(&rp->kallsyms, rp->opts->symbols, rp->opts->symbols_size);
	else
		ret = read_optional(rp, "proc", "kallsyms", &rp->kallsyms);
	if (!ret)
		ret = read_optional(rp, NULL, "printk_formats", &rp->printk_formats);
	if (!ret)
		ret = read_optional(rp, NULL, "saved_cmdlines", &rp->cmdlines);
	if (!ret)
		ret = read_optional(rp, NULL, "trace_clock", &rp->trace_clock);
	if (!ret)
		ret = read_uname(rp);
	if (!ret)
		ret = add_meta(rp, "modules", "modules");
	for (size_t i = 0; !ret && i < ARRAY_SIZE(after); i++) {
		char name[64];

		snprintf(name, sizeof(name), "%s.after", after[i]);
		ret = add_meta(rp, after[i], name);
	}
	open = strchr(strbuf_text(&rp->trace_clock), '[');
	close = open ? strchr(open, ']') : NULL;
	if (close)
		snprintf(rp->clock, sizeof(rp->clock), "%.*s", (int)(close - open - 1),
			 open + 1);
	return ret;
}

/* --- facts ------------------------------------------------------------------------------- */

static int add_notes(struct raw_pages *rp)
{
	struct strbuf sb = { 0 };

	strbuf_puts(&rp->notes, "from raw pages of tracefs\n");
	if (!rp->kallsyms.size)
		strbuf_puts(
			&rp->notes,
			"no kallsyms was copied: callsites are addresses (kmemx stat --kallsyms FILE)\n");
	if (!rp->cmdlines.size)
		strbuf_puts(&rp->notes,
			    "no saved_cmdlines was copied: tasks have numbers only\n");
	if (!rp->cpustats.count)
		strbuf_puts(
			&rp->notes,
			"no per_cpu/cpuN/stats was copied: events that a full buffer refused are not known\n");
	if (!rp->clock[0])
		strbuf_puts(
			&rp->notes,
			"no trace_clock was copied: times are taken as nanoseconds\n");
	if (!rp->uname.size)
		strbuf_puts(
			&rp->notes,
			"no uname was copied: the kernel's release is not known (--release RELEASE)\n");
	if (rp->nr_cut)
		strbuf_printf(&rp->notes,
			      "the last sub-buffer is cut on %" PRIu64 " CPU%s\n",
			      rp->nr_cut, rp->nr_cut == 1 ? "" : "s");
	strbuf_puts(&sb, strbuf_text(&rp->notes));
	return add_text(&rp->meta, RECORDING_META_IMPORT, &sb);
}

static int compose(struct raw_pages *rp)
{
	bool native_big = __BYTE_ORDER == __BIG_ENDIAN;
	int ret = add_notes(rp);

	if (!ret && rp->opts->page_size) {
		struct strbuf sb = { 0 };

		strbuf_printf(&sb, "%" PRIu32, rp->opts->page_size);
		ret = add_text(&rp->meta, "page_size", &sb);
	}
	rp->cpustat_texts = calloc(rp->cpustats.count + 1, sizeof(*rp->cpustat_texts));
	if (ret || !rp->cpustat_texts || rp->notes.failed || rp->uname.failed ||
	    rp->kallsyms.failed)
		return ret ? ret : -ENOMEM;
	for (size_t i = 0; i < rp->cpustats.count; i++)
		rp->cpustat_texts[i] = rp->cpustats.items[i].text;
	rp->facts = (struct writer_facts){
		.file_version = 7,
		.page_size = rp->subbuf_size,
		.long_size = rp->layout.long_size,
		.foreign_endian = rp->big_endian != native_big,
		.header_page = strbuf_text(&rp->header_page),
		.header_event = strbuf_text(&rp->header_event),
		.ftrace_formats = rp->ftrace_formats.items,
		.nr_ftrace_formats = rp->ftrace_formats.count,
		.event_formats = rp->formats.items,
		.nr_event_formats = rp->formats.count,
		.kallsyms = rp->kallsyms.data,
		.kallsyms_size = rp->kallsyms.size,
		.printk_formats = rp->printk_formats.data,
		.cmdlines = rp->cmdlines.data,
		.uname = rp->uname.data,
		.writer_version = "kmemx " KMEMX_VERSION,
		.trace_clock = rp->clock[0] ? rp->trace_clock.data : NULL,
		.clock = rp->clock,
		.nr_cpus = rp->parts[rp->nr_parts - 1].cpu + 1,
		.cpustats = rp->cpustat_texts,
		.nr_cpustats = rp->cpustats.count,
		.meta = rp->meta.items,
		.nr_meta = rp->meta.count,
	};
	return 0;
}

int raw_pages_open(struct raw_pages **out, const char *dir,
		   const struct recording_import_options *opts, const struct log *log)
{
	struct raw_pages *rp = calloc(1, sizeof(*rp));
	int ret;

	if (!rp)
		return -ENOMEM;
	rp->dir = dir;
	if (access(dir, R_OK | X_OK) < 0) {
		ret = -errno;
		log_msg(log, LOG_ERROR, "cannot open the folder %s: %s", dir,
			strerror(-ret));
		free(rp);
		return ret == -ENOTDIR ? -EINVAL : -ENOENT;
	}
	rp->opts = opts;
	rp->log = log;
	ret = read_formats(rp);
	if (!ret)
		ret = read_pages(rp);
	if (!ret)
		ret = read_texts(rp);
	if (!ret)
		ret = compose(rp);
	if (ret) {
		raw_pages_close(rp);
		return ret;
	}
	*out = rp;
	return 0;
}

void raw_pages_close(struct raw_pages *rp)
{
	if (!rp)
		return;
	for (size_t i = 0; i < rp->nr_parts; i++)
		close(rp->parts[i].fd);
	free(rp->parts);
	free_texts(&rp->ftrace_formats);
	free_texts(&rp->formats);
	free_texts(&rp->cpustats);
	free_texts(&rp->meta);
	free(rp->cpustat_texts);
	strbuf_free(&rp->header_page);
	strbuf_free(&rp->header_event);
	strbuf_free(&rp->kallsyms);
	strbuf_free(&rp->printk_formats);
	strbuf_free(&rp->cmdlines);
	strbuf_free(&rp->trace_clock);
	strbuf_free(&rp->uname);
	strbuf_free(&rp->notes);
	free(rp);
}

const struct writer_facts *raw_pages_facts(const struct raw_pages *rp)
{
	return &rp->facts;
}

const struct writer_part *raw_pages_parts(const struct raw_pages *rp, size_t *count)
{
	*count = rp->nr_parts;
	return rp->parts;
}

const char *raw_pages_notes(const struct raw_pages *rp)
{
	return strbuf_text(&rp->notes);
}

// SPDX-License-Identifier: GPL-2.0-or-later
#include "import/raw_pages.h"

#include <dirent.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/array.h"
#include "base/bytes.h"
#include "base/io.h"
#include "base/number.h"
#include "recording/subbuf.h"
#include "recording/trace_dat.h"

/* Larger than any kernel's sub-buffers. */
#define MAX_SUBBUF (1U << 20)
/* Pages read to detect the byte order. */
#define MAX_PROBES 16

/**
 * struct raw_pages - a directory being read
 * @opts: its open_part() opens the file for a repaired copy
 * @made: receives the parts, by CPU, and each CPU's statistics: "CPU: N" and the kernel's text
 * @layout, @subbuf_size: from header_page; at least 512 bytes
 * @big_endian: detected if possible, else this machine's byte order
 * @nr_cut: files with an incomplete last page
 * @size: total bytes of all files
 */
struct raw_pages {
	const char *dir;
	const struct log *log;
	const struct recording_import_options *opts;
	struct imported *made;
	struct page_layout layout;
	uint32_t subbuf_size;
	size_t capacity;
	bool big_endian;
	uint64_t nr_cut;
	uint64_t size;
	bool seen[TRACE_DAT_MAX_CPUS];
};

/* --- the directory ----------------------------------------------------------------------- */

/* Appends the text of the file @name to @out. @sub: the subdirectory to look in too; NULL: none.
 * Returns 0, -ENOENT or another -errno.
 */
static int read_file(const struct raw_pages *rp, const char *sub, const char *name,
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

/* The same for a file that may be missing: 0, with nothing in @out, or -ENOMEM. Logs a warning if
 * the file exists but cannot be read.
 */
static int read_optional(const struct raw_pages *rp, const char *sub, const char *name,
			 struct strbuf *out)
{
	int ret = read_file(rp, sub, name, out);

	if (ret && ret != -ENOENT && ret != -ENOMEM)
		log_msg(rp->log, LOG_WARN,
			"cannot read %s in %s: %s; continuing without it", name, rp->dir,
			io_strerror(ret));
	return ret == -ENOMEM ? ret : 0;
}

/* Calls @fn for each entry of the subdirectory @sub, sorted by name, without hidden entries.
 * Returns what @fn returned, if not 0; -ENOENT if there is no such directory; -errno.
 */
static int each_entry(struct raw_pages *rp, const char *sub,
		      int (*fn)(struct raw_pages *rp, const char *sub, const char *name))
{
	struct dirent **list __auto_mem = NULL;
	char path[4096];
	int nr, ret = 0;

	if (snprintf(path, sizeof(path), "%s/%s", rp->dir, sub) >= (int)sizeof(path))
		return -ENAMETOOLONG;
	/* Sort, so that the order is the same on every machine. */
	nr = scandir(path, &list, NULL, alphasort);
	if (nr < 0)
		return -errno;
	for (int i = 0; i < nr; i++) {
		if (!ret && list[i]->d_name[0] != '.')
			ret = fn(rp, sub, list[i]->d_name);
		free(list[i]);
	}
	return ret;
}

/* --- CPUs -------------------------------------------------------------------------------- */

static uint64_t commit_of(const struct raw_pages *rp, const uint8_t *page, bool big)
{
	return get_uint(page + rp->layout.commit_offset, rp->layout.long_size, big) &
	       ~(uint64_t)(SUBBUF_COMMIT_MISSED | SUBBUF_COMMIT_STORED);
}

/* The first page from @at on that is not entirely a hole; the file's size at the end. */
static uint64_t skip_hole(const struct raw_pages *rp, const struct writer_part *part,
			  uint64_t at)
{
	off_t data = lseek(part->fd, (off_t)at, SEEK_DATA);

	if (data < 0)
		return errno == ENXIO ? part->size : at;
	return at + ((uint64_t)data - at) / rp->subbuf_size * rp->subbuf_size;
}

/* The commit field of a page, a byte count that is divisible by four and fits the page, makes sense
 * in only one byte order. Probes the first pages. Returns 1 for big, 0 for little, -1 if unknown.
 */
static int probe_order(const struct raw_pages *rp)
{
	uint32_t room = rp->subbuf_size - rp->layout.data_offset;
	unsigned int nr = 0, good[2] = { 0, 0 };
	uint8_t head[256];

	for (size_t i = 0; i < rp->made->nr_parts && nr < MAX_PROBES; i++) {
		for (uint64_t at = 0; at < rp->made->parts[i].size && nr < MAX_PROBES;
		     at += rp->subbuf_size) {
			at = skip_hole(rp, &rp->made->parts[i], at);
			if (io_pread_all(rp->made->parts[i].fd, head,
					 rp->layout.data_offset, at))
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

/* Only @rest bytes of the page exist: limits its commit field to them. */
static void bound_page(const struct raw_pages *rp, uint8_t *page, uint32_t rest)
{
	uint64_t have = (rest - rp->layout.data_offset) & ~3U;

	if (commit_of(rp, page, rp->big_endian) > have)
		set_uint(page + rp->layout.commit_offset, have, rp->layout.long_size,
			 rp->big_endian);
}

/* Replaces a file with a truncated last page by a copy that ends with a whole page. @done: bytes of
 * the files before it.
 */
static int mend_cut(struct raw_pages *rp, struct writer_part *part, uint64_t done)
{
	uint32_t rest = (uint32_t)(part->size % rp->subbuf_size);
	uint8_t *page __auto_mem = NULL;
	int fd, ret = 0;

	if (!rest)
		return 0;
	rp->nr_cut++;
	part->size -= rest;
	if (rest <= rp->layout.data_offset)
		return 0;
	page = calloc(1, rp->subbuf_size);
	fd = page ? rp->opts->open_part(rp->opts->ctx, part->cpu) : -ENOMEM;
	if (fd < 0)
		return fd;
	for (uint64_t at = 0; !ret && at <= part->size; at += rp->subbuf_size) {
		uint32_t want;

		at = skip_hole(rp, part, at);
		want = at < part->size ? rp->subbuf_size : rest;
		memset(page, 0, rp->subbuf_size);
		ret = io_pread_all(part->fd, page, want, at);
		if (!ret && want == rest)
			bound_page(rp, page, rest);
		ret = ret ?: io_pwrite_all(fd, page, rp->subbuf_size, at);
		if (rp->opts->progress)
			rp->opts->progress(rp->opts->ctx, done + at, rp->size, 0);
	}
	close(part->fd);
	part->fd = fd;
	part->size += rp->subbuf_size;
	part->consume = true;
	return ret;
}

static int add_stats(struct raw_pages *rp, uint32_t cpu)
{
	struct strbuf __auto_free sb = { 0 };
	char name[64], flat[64];
	int ret;

	snprintf(name, sizeof(name), "per_cpu/cpu%" PRIu32 "/stats", cpu);
	snprintf(flat, sizeof(flat), "cpu%" PRIu32 ".stats", cpu);
	strbuf_printf(&sb, "CPU: %" PRIu32 "\n", cpu);
	ret = read_file(rp, NULL, name, &sb);
	if (ret == -ENOENT)
		ret = read_file(rp, NULL, flat, &sb);
	if (!ret)
		return text_list_take(&rp->made->texts.cpustats, "cpustat", &sb);
	return ret == -ENOMEM ? ret : 0;
}

/* The number in "cpu12" followed by @suffix; -1 for other names. */
static int64_t cpu_number(const char *name, const char *suffix)
{
	const char *end = name + strlen("cpu");
	uint64_t cpu;

	if (strncmp(name, "cpu", 3) != 0 ||
	    number_read(&end, NULL, 10, TRACE_DAT_MAX_CPUS - 1, &cpu) ||
	    strcmp(end, suffix) != 0)
		return -1;
	return (int64_t)cpu;
}

/* Opens a CPU's pages: per_cpu/cpuN/trace_pipe_raw, or cpuN.raw with "." for @sub. */
static int add_cpu(struct raw_pages *rp, const char *sub, const char *name)
{
	const bool flat = !strcmp(sub, ".");
	const int64_t cpu = cpu_number(name, flat ? ".raw" : "");
	int fd __auto_fd = -1, err;
	char path[4096];
	struct stat st;

	if (cpu < 0 || rp->seen[cpu]) /* the other layout had it */
		return 0;
	if ((flat ? snprintf(path, sizeof(path), "%s/%s", rp->dir, name)
		  : snprintf(path, sizeof(path), "%s/%s/%s/trace_pipe_raw", rp->dir, sub,
			     name)) >= (int)sizeof(path))
		return -ENAMETOOLONG;
	fd = io_open_input(path, IO_FILE);
	if (fd == -ENOENT)
		return 0;
	if (fd == -ENODEV || fd == -EISDIR) {
		log_msg(rp->log, LOG_ERROR,
			"%s is not a regular file\n  Copy the pages first: kmemx-import(1) says how",
			path);
		return -EINVAL;
	}
	err = fd < 0 ? fd : fstat(fd, &st) < 0 ? -errno : 0;
	if (err)
		return log_errno(rp->log, LOG_ERROR, err, "cannot read %s: %m", path);
	if (st.st_size == 0) /* this CPU had no events */
		return add_stats(rp, (uint32_t)cpu);
	if ((uint64_t)st.st_size % rp->subbuf_size)
		log_msg(rp->log, LOG_WARN,
			"%s does not end with a whole sub-buffer of %" PRIu32
			" bytes; its last events may be missing",
			path, rp->subbuf_size);
	if (array_reserve(&rp->made->parts, &rp->capacity, rp->made->nr_parts + 1))
		return -ENOMEM;
	rp->made->parts[rp->made->nr_parts++] = (struct writer_part){
		.cpu = (uint32_t)cpu, .fd = fd, .size = (uint64_t)st.st_size
	};
	fd = -1;
	rp->seen[cpu] = true;
	return add_stats(rp, (uint32_t)cpu);
}

/* Opens each CPU's pages, and repairs truncated ones. -ENODATA after a message if there are no
 * pages; -EINVAL after a message if one is not a regular file; -ENOMEM; -errno of reading or of
 * open_part().
 */
static int find_cpus(struct raw_pages *rp)
{
	uint64_t done = 0;
	int order, ret = each_entry(rp, "per_cpu", add_cpu);

	if (!ret || ret == -ENOENT)
		ret = each_entry(rp, ".", add_cpu);
	if (ret)
		return ret;
	if (!rp->made->nr_parts) {
		log_msg(rp->log, LOG_ERROR,
			"%s: there are no pages in per_cpu/cpuN/trace_pipe_raw or cpuN.raw\n  kmemx-import(1) lists what to copy",
			rp->dir);
		return -ENODATA;
	}
	import_sort_parts(rp->made);
	order = probe_order(rp);
	rp->big_endian = order < 0 ? HOST_BIG_ENDIAN : order;
	for (size_t i = 0; i < rp->made->nr_parts; i++)
		rp->size += rp->made->parts[i].size;
	for (size_t i = 0; !ret && i < rp->made->nr_parts; i++) {
		ret = mend_cut(rp, &rp->made->parts[i], done);
		done += rp->made->parts[i].size;
	}
	return ret;
}

/* --- formats ----------------------------------------------------------------------------- */

static int add_format(struct raw_pages *rp, const char *sub, const char *name)
{
	const char *system = strrchr(sub, '/') + 1;
	bool ftrace = !strcmp(system, "ftrace");
	struct text_list *to =
		ftrace ? &rp->made->texts.ftrace_formats : &rp->made->texts.event_formats;
	struct strbuf __auto_free sb = { 0 };
	char path[1024];
	int ret;

	if (snprintf(path, sizeof(path), "%s/%s/format", sub, name) >= (int)sizeof(path))
		return 0;
	ret = read_file(rp, NULL, path, &sb);
	if (!ret && sb.size)
		return text_list_take(to, system, &sb);
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

static int missing(const struct raw_pages *rp, const char *what, int err)
{
	log_msg(rp->log, LOG_ERROR,
		"%s: %s %s\n  kmemx-import(1) lists what to copy beside the pages",
		rp->dir, what, err == -EBADMSG ? "is invalid" : "is missing");
	return err;
}

static int read_formats(struct raw_pages *rp)
{
	int ret = read_file(rp, "events", "header_page", &rp->made->texts.header_page);

	if (ret)
		return ret == -ENOMEM ? ret : missing(rp, "events/header_page", -ENOENT);
	if (trace_dat_parse_header_page(strbuf_text(&rp->made->texts.header_page),
					&rp->layout, &rp->subbuf_size) ||
	    rp->subbuf_size < 512 || rp->subbuf_size > MAX_SUBBUF)
		return missing(rp, "events/header_page", -EBADMSG);
	ret = read_file(rp, "events", "header_event", &rp->made->texts.header_event);
	if (ret == -ENOMEM)
		return ret;
	ret = each_entry(rp, "events", add_system);
	if (ret == -ENOMEM)
		return ret;
	return text_list_get(&rp->made->texts.event_formats, "kmem")
		       ? 0
		       : missing(rp, "events/kmem/*/format", -ENOENT);
}

/* --- the kernel -------------------------------------------------------------------------- */

/* What is known about the kernel; empty if unknown. */
struct uname_words {
	char host[64], release[128], machine[64];
};

/* Copies the next word of the line at *@p, and moves *@p after it; false: no more. */
static bool next_word(const char **p, char *out, size_t size)
{
	size_t len;

	*p += strspn(*p, " ");
	len = strcspn(*p, " \n");
	if (!len)
		return false;
	snprintf(out, size, "%.*s", (int)SMALLER(len, size), *p);
	*p += len;
	return true;
}

/* "Linux HOST RELEASE ... MACHINE": "uname -a" prints the machine last but one, before GNU/Linux,
 * "uname -snrm" prints it last.
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

static int read_uname(struct raw_pages *rp)
{
	struct uname_words known = { .host = "unknown" };
	struct strbuf __auto_free text = { 0 };
	int ret = read_optional(rp, NULL, "uname", &text);

	if (!ret && text.size) {
		parse_uname(strbuf_text(&text), &known);
	} else if (!ret) {
		ret = read_optional(rp, "proc", "version", &text);
		/* "Linux version 6.1.0 (...)" */
		sscanf(strbuf_text(&text), "%*s %*s %127s", known.release);
	}
	if (rp->opts->release)
		snprintf(known.release, sizeof(known.release), "%s", rp->opts->release);
	if (rp->opts->machine)
		snprintf(known.machine, sizeof(known.machine), "%s", rp->opts->machine);
	import_kernel(&rp->made->texts.uname, known.host, known.release, known.machine);
	return ret;
}

static int add_meta(struct raw_pages *rp, const char *file, const char *name)
{
	struct strbuf __auto_free sb = { 0 };
	int ret = read_optional(rp, "proc", file, &sb);

	if (!ret && sb.size)
		return text_list_take(&rp->made->texts.meta, name, &sb);
	return ret;
}

static int read_texts(struct raw_pages *rp)
{
	static const char *const after[] = { "meminfo",	       "pagetypeinfo", "slabinfo",
					     "zoneinfo",       "buddyinfo",    "vmstat",
					     "min_free_kbytes" };
	struct system_texts *t = &rp->made->texts;
	/* The first is not needed if the user has given symbols. */
	const struct {
		const char *sub, *name;
		struct strbuf *text;
	} files[] = {
		{ "proc", "kallsyms", &t->kallsyms },
		{ NULL, "printk_formats", &t->printk_formats },
		{ NULL, "saved_cmdlines", &t->cmdlines },
		{ NULL, "trace_clock", &t->trace_clock },
	};
	char *clock __auto_mem = NULL;
	int ret = 0;

	if (rp->opts->symbols)
		strbuf_add(&t->kallsyms, rp->opts->symbols, rp->opts->symbols_size);
	for (size_t i = rp->opts->symbols != NULL; !ret && i < ARRAY_SIZE(files); i++)
		ret = read_optional(rp, files[i].sub, files[i].name, files[i].text);
	ret = ret ?: read_uname(rp);
	ret = ret ?: add_meta(rp, RECORDING_META_MODULES, "modules");
	for (size_t i = 0; !ret && i < ARRAY_SIZE(after); i++) {
		char name[64];

		snprintf(name, sizeof(name), "%s.after", after[i]);
		ret = add_meta(rp, after[i], name);
	}
	clock = trace_dat_chosen_clock(strbuf_text(&t->trace_clock));
	if (!clock)
		return -ENOMEM;
	snprintf(rp->made->clock, sizeof(rp->made->clock), "%s", clock);
	if (!rp->made->clock[0])
		strbuf_free(&t->trace_clock);
	return ret;
}

/* --- facts ------------------------------------------------------------------------------- */

static void note_all(struct raw_pages *rp)
{
	const struct system_texts *t = &rp->made->texts;
	const struct import_note notes[] = {
		{ 1, "from raw pages of tracefs" },
		{ !t->kallsyms.size,
		  "no kallsyms was copied: callsites are addresses (kmemx stat --kallsyms FILE)" },
		{ !t->cmdlines.size,
		  "no saved_cmdlines was copied: tasks have numbers only" },
		{ !t->cpustats.count,
		  "no per_cpu/cpuN/stats was copied: events dropped by a full buffer are unknown" },
		{ !rp->made->clock[0],
		  "no trace_clock was copied: times are taken as nanoseconds" },
		{ !t->uname.size,
		  "no uname was copied: the kernel's release is unknown (--release RELEASE)" },
	};

	import_add_notes(&rp->made->notes, notes, ARRAY_SIZE(notes));
	if (rp->nr_cut)
		strbuf_printf(&rp->made->notes,
			      "the last sub-buffer is cut on %" PRIu64 " CPU%s\n",
			      rp->nr_cut, plural(rp->nr_cut));
}

static int compose(struct raw_pages *rp)
{
	struct imported *made = rp->made;
	int ret;

	note_all(rp);
	ret = import_meta(made, rp->opts->page_size);
	made->facts = (struct writer_facts){
		.file_version = 7,
		.page_size = rp->subbuf_size,
		.long_size = rp->layout.long_size,
		.foreign_endian = rp->big_endian != HOST_BIG_ENDIAN,
		.clock = made->clock,
		.nr_cpus = made->parts[made->nr_parts - 1].cpu + 1,
	};
	return ret ? ret : system_texts_facts(&made->texts, &made->facts);
}

int raw_pages_import(struct imported *out, const char *dir,
		     const struct recording_import_options *opts, const struct log *log)
{
	struct raw_pages *rp __auto_mem = NULL;
	int ret;

	*out = (struct imported){ 0 };
	if (!access(dir, F_OK) && !io_is_directory(dir))
		return log_errno(
			log, LOG_ERROR, -EINVAL,
			"%s is not a directory\n  kmemx-import(1) lists what a directory of raw pages has",
			dir);
	if (access(dir, R_OK | X_OK) < 0) {
		log_errno(log, LOG_ERROR, -errno, "cannot open the directory %s: %m",
			  dir);
		return -ENOENT;
	}
	rp = calloc(1, sizeof(*rp));
	if (!rp)
		return -ENOMEM;
	rp->dir = dir;
	rp->log = log;
	rp->opts = opts;
	rp->made = out;
	ret = read_formats(rp);
	ret = ret ?: find_cpus(rp);
	ret = ret ?: read_texts(rp);
	return ret ?: compose(rp);
}

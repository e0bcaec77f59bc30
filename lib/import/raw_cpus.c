// SPDX-License-Identifier: GPL-2.0-or-later
#include "import/raw_cpus.h"

#include <dirent.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/array.h"
#include "base/io.h"
#include "recording/subbuf.h"

int raw_directory_read(const struct raw_directory *d, const char *sub, const char *name,
		       struct strbuf *out)
{
	char path[4096];
	int ret = -ENOENT;

	if (snprintf(path, sizeof(path), "%s/%s", d->path, name) < (int)sizeof(path))
		ret = text_file_read(out, path, IO_FILE);
	if (ret == -ENOENT && sub &&
	    snprintf(path, sizeof(path), "%s/%s/%s", d->path, sub, name) <
		    (int)sizeof(path))
		ret = text_file_read(out, path, IO_FILE);
	return ret;
}

int raw_directory_read_optional(const struct raw_directory *d, const char *sub,
				const char *name, struct strbuf *out)
{
	int ret = raw_directory_read(d, sub, name, out);

	if (ret && ret != -ENOENT && ret != -ENOMEM)
		log_msg(d->log, LOG_WARN,
			"cannot read %s in %s: %s; continuing without it", name, d->path,
			io_strerror(ret));
	return ret == -ENOMEM ? ret : 0;
}

int raw_directory_each(const struct raw_directory *d, const char *sub,
		       raw_directory_fn *fn, void *ctx)
{
	struct dirent **list;
	char path[4096];
	int nr, ret = 0;

	if (snprintf(path, sizeof(path), "%s/%s", d->path, sub) >= (int)sizeof(path))
		return -ENAMETOOLONG;
	/* Sort, so that the order is the same on every machine. */
	nr = scandir(path, &list, NULL, alphasort);
	if (nr < 0)
		return -errno;
	for (int i = 0; i < nr; i++) {
		if (!ret && list[i]->d_name[0] != '.')
			ret = fn(ctx, sub, list[i]->d_name);
		free(list[i]);
	}
	free(list);
	return ret;
}

/* Pages read to detect the byte order. */
#define MAX_PROBES 16

static uint64_t commit_of(const struct raw_cpus *rc, const uint8_t *page, bool big)
{
	return get_uint(page + rc->layout.commit_offset, rc->layout.long_size, big) &
	       ~(uint64_t)(SUBBUF_COMMIT_MISSED | SUBBUF_COMMIT_STORED);
}

/* The first page from @at on that is not entirely a hole; the file's size at the end. */
static uint64_t skip_hole(const struct raw_cpus *rc, const struct writer_part *part,
			  uint64_t at)
{
	off_t data = lseek(part->fd, (off_t)at, SEEK_DATA);

	if (data < 0)
		return errno == ENXIO ? part->size : at;
	return at + ((uint64_t)data - at) / rc->subbuf_size * rc->subbuf_size;
}

/* The commit field of a page, a byte count that is divisible by four and fits the page, makes sense
 * in only one byte order. Probes the first pages. Returns 1 for big, 0 for little, -1 if unknown.
 */
static int probe_order(const struct raw_cpus *rc)
{
	uint32_t room = rc->subbuf_size - rc->layout.data_offset;
	unsigned int nr = 0, good[2] = { 0, 0 };
	uint8_t head[256];

	for (size_t i = 0; i < rc->nr_parts && nr < MAX_PROBES; i++) {
		for (uint64_t at = 0; at < rc->parts[i].size && nr < MAX_PROBES;
		     at += rc->subbuf_size) {
			at = skip_hole(rc, &rc->parts[i], at);
			if (io_pread_all(rc->parts[i].fd, head, rc->layout.data_offset,
					 at))
				break;
			if (!commit_of(rc, head, false))
				continue;
			nr++;
			for (int big = 0; big < 2; big++) {
				uint64_t c = commit_of(rc, head, big);

				good[big] += c <= room && !(c & 3);
			}
		}
	}
	return good[0] == good[1] ? -1 : good[1] > good[0];
}

/* Only @rest bytes of the page exist: makes its commit field end there. */
static void bound_page(const struct raw_cpus *rc, uint8_t *page, uint32_t rest)
{
	uint64_t have = (rest - rc->layout.data_offset) & ~3U;
	unsigned int size = rc->layout.long_size;
	uint8_t *word = page + rc->layout.commit_offset;

	if (commit_of(rc, page, rc->big_endian) <= have)
		return;
	for (unsigned int i = 0; i < size; i++)
		word[rc->big_endian ? size - 1 - i : i] = (uint8_t)(have >> 8 * i);
}

/* Replaces a file with a truncated last page by a copy that ends with a whole page. @done: bytes of
 * the files before it.
 */
static int mend_cut(struct raw_cpus *rc, struct writer_part *part, uint64_t done)
{
	uint32_t rest = (uint32_t)(part->size % rc->subbuf_size);
	uint8_t *page = NULL;
	int fd, ret = 0;

	if (!rest)
		return 0;
	rc->nr_cut++;
	part->size -= rest;
	if (rest <= rc->layout.data_offset)
		return 0;
	page = calloc(1, rc->subbuf_size);
	fd = page ? rc->opts->open_part(rc->opts->ctx, part->cpu) : -ENOMEM;
	if (fd < 0) {
		free(page);
		return fd;
	}
	for (uint64_t at = 0; !ret && at <= part->size; at += rc->subbuf_size) {
		uint32_t want;

		at = skip_hole(rc, part, at);
		want = at < part->size ? rc->subbuf_size : rest;
		memset(page, 0, rc->subbuf_size);
		ret = io_pread_all(part->fd, page, want, at);
		if (!ret && want == rest)
			bound_page(rc, page, rest);
		if (!ret)
			ret = io_pwrite_all(fd, page, rc->subbuf_size, at);
		if (rc->opts->progress)
			rc->opts->progress(rc->opts->ctx, done + at, rc->size, 0);
	}
	free(page);
	close(part->fd);
	part->fd = fd;
	part->size += rc->subbuf_size;
	part->consume = true;
	return ret;
}

static int add_stats(struct raw_cpus *rc, uint32_t cpu)
{
	struct strbuf sb = { 0 }, text = { 0 };
	char name[64], flat[64];
	int ret;

	snprintf(name, sizeof(name), "per_cpu/cpu%" PRIu32 "/stats", cpu);
	snprintf(flat, sizeof(flat), "cpu%" PRIu32 ".stats", cpu);
	ret = raw_directory_read(&rc->directory, NULL, name, &text);
	if (ret == -ENOENT)
		ret = raw_directory_read(&rc->directory, NULL, flat, &text);
	if (!ret) {
		strbuf_printf(&sb, "CPU: %" PRIu32 "\n%s", cpu, strbuf_text(&text));
		ret = text_list_take(rc->stats, "cpustat", &sb);
	}
	strbuf_free(&text);
	return ret == -ENOMEM ? ret : 0;
}

/* The number in "cpu12" followed by @suffix; -1 for other names. */
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

static int add_pages(struct raw_cpus *rc, const char *file, uint32_t cpu)
{
	struct writer_part part = { .cpu = cpu };
	char path[4096];
	struct stat st;
	int ret = 0;

	if (rc->seen[cpu])
		return 0; /* in both shapes of the layout */
	if (snprintf(path, sizeof(path), "%s/%s", rc->directory.path, file) >=
	    (int)sizeof(path))
		return -ENAMETOOLONG;
	part.fd = io_open_input(path, IO_FILE);
	if (part.fd == -ENOENT)
		return 0;
	if (part.fd == -ENODEV || part.fd == -EISDIR) {
		log_msg(rc->directory.log, LOG_ERROR,
			"%s is not a regular file\n  Copy the pages first: kmemx-import(1) says how",
			path);
		return -EINVAL;
	}
	if (part.fd < 0 || fstat(part.fd, &st) < 0) {
		ret = part.fd < 0 ? part.fd : -errno;
		log_msg(rc->directory.log, LOG_ERROR, "cannot read %s: %s", path,
			strerror(-ret));
	} else if (st.st_size == 0) {
		close(part.fd); /* this CPU had no events */
		return add_stats(rc, cpu);
	}
	part.size = ret ? 0 : (uint64_t)st.st_size;
	if (!ret && part.size % rc->subbuf_size) {
		log_msg(rc->directory.log, LOG_WARN,
			"%s does not end with a whole sub-buffer of %" PRIu32
			" bytes; its last events may be missing",
			path, rc->subbuf_size);
	}
	if (!ret && array_reserve(&rc->parts, &rc->capacity, rc->nr_parts + 1,
				  sizeof(*rc->parts)))
		ret = -ENOMEM;
	if (ret) {
		if (part.fd >= 0)
			close(part.fd);
		return ret;
	}
	rc->parts[rc->nr_parts++] = part;
	rc->seen[cpu] = true;
	return add_stats(rc, cpu);
}

static int add_cpu_directory(void *ctx, const char *sub, const char *name)
{
	int64_t cpu = cpu_number(name, "");
	char file[512];

	if (cpu < 0 || snprintf(file, sizeof(file), "%s/%s/trace_pipe_raw", sub, name) >=
			       (int)sizeof(file))
		return 0;
	return add_pages(ctx, file, (uint32_t)cpu);
}

static int add_cpu_file(void *ctx, const char *sub, const char *name)
{
	int64_t cpu = cpu_number(name, ".raw");

	return cpu < 0 ? 0 : add_pages(ctx, name, (uint32_t)cpu);
}

ORDER_BY(compare_parts, struct writer_part, cpu, cpu)

int raw_cpus_find(struct raw_cpus *rc)
{
	uint64_t done = 0;
	int order, ret = raw_directory_each(&rc->directory, "per_cpu", add_cpu_directory,
					    rc);

	if (!ret || ret == -ENOENT)
		ret = raw_directory_each(&rc->directory, ".", add_cpu_file, rc);
	if (ret)
		return ret;
	if (!rc->nr_parts) {
		log_msg(rc->directory.log, LOG_ERROR,
			"%s: there are no pages in per_cpu/cpuN/trace_pipe_raw or cpuN.raw\n  kmemx-import(1) lists what to copy",
			rc->directory.path);
		return -ENODATA;
	}
	qsort(rc->parts, rc->nr_parts, sizeof(*rc->parts), compare_parts);
	order = probe_order(rc);
	rc->big_endian = order < 0 ? __BYTE_ORDER == __BIG_ENDIAN : order;
	for (size_t i = 0; i < rc->nr_parts; i++)
		rc->size += rc->parts[i].size;
	for (size_t i = 0; !ret && i < rc->nr_parts; i++) {
		ret = mend_cut(rc, &rc->parts[i], done);
		done += rc->parts[i].size;
	}
	return ret;
}

void raw_cpus_free(struct raw_cpus *rc)
{
	for (size_t i = 0; i < rc->nr_parts; i++)
		close(rc->parts[i].fd);
	free(rc->parts);
}

// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * capture: per-CPU pages from the kernel to parts.
 * In: trace_pipe_raw, nonblocking. Out: parts of whole sub-buffers.
 *
 * read() and not splice(): splice allocates a page a sub-buffer, which is itself an event
 * where the recorder cannot be left out of the recording, and it saves no CPU time. Parts are written with O_DIRECT where it works, so that the recorder
 * leaves the page cache, a heavy user of the page allocator, alone.
 */
#include "capture/reader.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "recording/subbuf.h"

#define STAGING_SIZE  (1U << 20)
/* Alignment for O_DIRECT: the largest logical block size that disks have. */
#define STAGING_ALIGN 4096U

int reader_parse_layout(const char *header_page, struct reader_layout *out)
{
	const char *commit = strstr(header_page, "commit;");
	const char *data = strstr(header_page, "char data;");
	unsigned int at, size, data_at, data_size;

	if (!commit || !data ||
	    sscanf(commit, "commit; offset:%u; size:%u", &at, &size) != 2 ||
	    sscanf(data, "char data; offset:%u; size:%u", &data_at, &data_size) != 2)
		return -EPROTO;
	if (at != 8 || (size != 4 && size != 8) || data_at != at + size ||
	    data_size > STAGING_SIZE - data_at || data_size < 512)
		return -EPROTO;
	*out = (struct reader_layout){ data_at + data_size, data_at, size };
	return 0;
}

/* --- opening ----------------------------------------------------------------------------- */

static int complain(const char *path, const struct log *log)
{
	int err = errno;

	log_msg(log, LOG_ERROR,
		"cannot create %s: %s\n  Choose another place for the recording: -o FILE",
		path, strerror(err));
	return -err;
}

/* Opens @path past the page cache where that works; tells in @direct whether. */
static int open_direct(const char *path, int flags, bool *direct)
{
	int fd = *direct ? open(path, flags | O_DIRECT, 0600) : -1;

	if (fd >= 0 || (*direct && errno == EEXIST))
		return fd;
	/* A file that open() made before it failed is of no use. */
	if (*direct && (flags & O_CREAT))
		unlink(path);
	*direct = false;
	return open(path, flags, 0600);
}

static int open_own_part(struct reader_cpu *c, const char *prefix, const struct log *log)
{
	if (asprintf(&c->path, "%s.cpu%u", prefix, c->cpu) < 0) {
		c->path = NULL;
		return -ENOMEM;
	}
	/* A leftover of this name has no owner: its number is now ours. */
	unlink(c->path);
	c->part_fd =
		open_direct(c->path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, &c->direct);
	c->room = INT64_MAX / 2;
	return c->part_fd < 0 ? complain(c->path, log) : 0;
}

static int open_region(struct reader_cpu *c, const struct regions *regions, size_t i,
		       const char *path, const struct log *log)
{
	c->offset = regions_start(regions, i);
	c->room = regions->stride;
	c->part_fd = open_direct(path, O_RDWR | O_CLOEXEC, &c->direct);
	return c->part_fd < 0 ? complain(path, log) : 0;
}

static int open_cpu(struct reader *r, const struct instance *in, uint32_t cpu,
		    const struct reader_output *output)
{
	struct reader_cpu *c;
	char file[64];

	c = reallocarray(r->cpus, r->nr_cpus + 1, sizeof(*c));
	if (!c)
		return -ENOMEM;
	r->cpus = c;
	c += r->nr_cpus;
	*c = (struct reader_cpu){ .cpu = cpu,
				  .pipe_fd = -1,
				  .part_fd = -1,
				  .direct = r->subbuf_size % STAGING_ALIGN == 0 };
	r->nr_cpus++;
	snprintf(file, sizeof(file), "per_cpu/cpu%u/trace_pipe_raw", cpu);
	c->pipe_fd = instance_open(in, file, O_RDONLY | O_NONBLOCK);
	if (c->pipe_fd < 0) {
		log_msg(r->log, LOG_ERROR, "cannot open %s of the tracing instance: %s",
			file, strerror(-c->pipe_fd));
		return c->pipe_fd;
	}
	if (!output->prefix)
		return 0;
	return r->regions.stride
		       ? open_region(c, &r->regions, r->nr_cpus - 1, output->path, r->log)
		       : open_own_part(c, output->prefix, r->log);
}

/* Which CPUs the instance has, in order: CPU numbers may have holes. */
static int list_cpus(const struct instance *in, uint32_t **out, size_t *nr)
{
	struct dirent **entries;
	int fd = instance_open(in, "per_cpu", O_RDONLY | O_DIRECTORY);
	int n = fd < 0 ? fd : scandirat(fd, ".", &entries, NULL, versionsort);
	int ret = n < 0 ? (fd < 0 ? fd : -errno) : 0;

	*nr = 0;
	*out = n > 0 ? calloc((size_t)n, sizeof(**out)) : NULL;
	if (n > 0 && !*out)
		ret = -ENOMEM;
	for (int i = 0; i < n; i++) {
		unsigned int cpu;

		if (!ret && sscanf(entries[i]->d_name, "cpu%u", &cpu) == 1)
			(*out)[(*nr)++] = cpu;
		free(entries[i]);
	}
	if (n >= 0)
		free(entries);
	if (fd >= 0)
		close(fd);
	return ret;
}

int reader_alloc_staging(struct reader *r)
{
	r->staging = aligned_alloc(STAGING_ALIGN, STAGING_SIZE);
	if (!r->staging)
		return -ENOMEM;
	/* Touched now: its page faults shall not fall into the recording. */
	memset(r->staging, 0, STAGING_SIZE);
	return 0;
}

int reader_open(struct reader *r, const struct instance *in,
		const struct reader_layout *layout, const struct reader_output *output,
		const struct log *log)
{
	uint32_t *cpus = NULL;
	size_t nr = 0;
	int ret;

	*r = (struct reader){ .subbuf_size = layout->subbuf_size,
			      .data_offset = layout->data_offset,
			      .long_size = layout->long_size,
			      .log = log };
	ret = reader_alloc_staging(r);
	if (!ret)
		ret = list_cpus(in, &cpus, &nr);
	if (!ret && output->prefix &&
	    regions_probe(output->fd, nr, r->subbuf_size, &r->regions) < 0)
		log_msg(log, LOG_INFO,
			"this filesystem cannot take a range out of a file: each CPU's pages are copied in the end");
	for (size_t i = 0; !ret && i < nr; i++)
		ret = open_cpu(r, in, cpus[i], output);
	if (!ret && !nr)
		ret = -ENOENT;
	free(cpus);
	return ret;
}

/* --- reading ----------------------------------------------------------------------------- */

#if __BYTE_ORDER == __BIG_ENDIAN
#define HOST_BIG_ENDIAN true
#else
#define HOST_BIG_ENDIAN false
#endif

/* Bytes of events in the sub-buffer at @p; the two top bits of commit are loss flags. */
static uint32_t subbuf_fill(const struct reader *r, const char *p)
{
	uint64_t commit = get_uint(p + 8, r->long_size, HOST_BIG_ENDIAN);
	uint32_t fill = (uint32_t)commit & 0x3fffffff;
	uint32_t room = r->subbuf_size - r->data_offset;

	return fill < room ? fill : room;
}

static uint64_t count_events(const struct reader *r, const char *p, size_t size)
{
	uint64_t count = 0;

	for (size_t at = 0; at < size; at += r->subbuf_size) {
		struct subbuf sb = { .data = (const uint8_t *)p + at + r->data_offset,
				     .size = subbuf_fill(r, p + at) };
		struct subbuf_iter it = subbuf_iter(&sb, HOST_BIG_ENDIAN);
		struct raw_record rec;

		while (subbuf_iter_next(&it, &rec) > 0)
			count++;
	}
	return count;
}

static int send(struct reader *r, struct reader_cpu *c, size_t size)
{
	int ret = wire_pages(r->wire, c->cpu, r->staging, size);

	if (ret)
		r->discarded += count_events(r, r->staging, size);
	else
		c->size += size;
	return ret;
}

/* Appends @size staged bytes to the part. What arrives is cut to whole sub-buffers. */
static int flush(struct reader *r, struct reader_cpu *c, size_t size)
{
	size_t done = 0;
	int ret = size > c->room - c->size ? -EFBIG : 0;

	while (done < size && !ret) {
		ssize_t n = pwrite(c->part_fd, r->staging + done, size - done,
				   (off_t)(c->offset + c->size + done));

		if (n > 0) {
			done += (size_t)n;
		} else if (n < 0 && errno == EINVAL && c->direct) {
			/* The filesystem took O_DIRECT at open, but not at this size. */
			c->direct = false;
			if (fcntl(c->part_fd, F_SETFL, 0) < 0)
				ret = -errno;
		} else if (n == 0 || errno != EINTR) {
			ret = n ? -errno : -ENOSPC;
		}
	}
	done -= done % r->subbuf_size;
	c->size += done;
	if (ret)
		r->discarded += count_events(r, r->staging + done, size - done);
	if (ret && c->path && ftruncate(c->part_fd, (off_t)c->size) < 0)
		log_msg(r->log, LOG_DEBUG, "cannot cut %s: %s", c->path, strerror(errno));
	return ret;
}

/* Fills the staging buffer. Returns bytes; @more: stopped because the buffer is full. */
static ssize_t fill_staging(struct reader *r, struct reader_cpu *c, bool all, bool *more)
{
	const uint32_t mostly = (r->subbuf_size - r->data_offset) / 4 * 3;
	size_t size = 0;

	*more = false;
	while (size + r->subbuf_size <= STAGING_SIZE) {
		char *p = r->staging + size;
		ssize_t n = read(c->pipe_fd, p, r->subbuf_size);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0 && errno != EAGAIN)
			return -errno;
		if (n <= 0)
			return (ssize_t)size;
		/* A short read of a last sub-buffer leaves its tail to be cleared. */
		if ((size_t)n < r->subbuf_size)
			memset(p + n, 0, r->subbuf_size - (size_t)n);
		size += r->subbuf_size;
		if (!all && subbuf_fill(r, p) < mostly)
			return (ssize_t)size;
	}
	*more = true;
	return (ssize_t)size;
}

int reader_drain(struct reader *r, size_t i, bool all)
{
	struct reader_cpu *c = &r->cpus[i];
	bool more = true;

	while (more && (!r->limit || c->size < r->limit)) {
		ssize_t size = fill_staging(r, c, all, &more);
		int ret;

		if (size < 0) {
			log_msg(r->log, LOG_ERROR, "cannot read CPU %u's ring buffer: %s",
				c->cpu, strerror((int)-size));
			return (int)size;
		}
		ret = !size	? 0
		      : r->wire ? send(r, c, (size_t)size)
				: flush(r, c, (size_t)size);
		if (ret)
			return ret;
	}
	return 0;
}

/* --- closing ----------------------------------------------------------------------------- */

void reader_end_direct(struct reader *r)
{
	for (size_t i = 0; i < r->nr_cpus; i++) {
		struct reader_cpu *c = &r->cpus[i];

		if (c->direct && fcntl(c->part_fd, F_SETFL, 0) < 0)
			log_msg(r->log, LOG_DEBUG, "CPU %u's part stays O_DIRECT: %s",
				c->cpu, strerror(errno));
		c->direct = false;
	}
}

void reader_close_pipes(struct reader *r)
{
	for (size_t i = 0; i < r->nr_cpus; i++) {
		if (r->cpus[i].pipe_fd >= 0)
			close(r->cpus[i].pipe_fd);
		r->cpus[i].pipe_fd = -1;
	}
}

void reader_close(struct reader *r)
{
	reader_close_pipes(r);
	for (size_t i = 0; i < r->nr_cpus; i++) {
		if (r->cpus[i].part_fd >= 0) {
			close(r->cpus[i].part_fd);
			if (r->cpus[i].path)
				unlink(r->cpus[i].path);
		}
		free(r->cpus[i].path);
	}
	free(r->cpus);
	free(r->staging);
	*r = (struct reader){ 0 };
}

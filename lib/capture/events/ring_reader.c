// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Uses read(), not splice(): splice() allocates a page per sub-buffer, which is itself recorded if
 * the recorder cannot be left out, and it saves no CPU time. Parts are written with O_DIRECT where
 * that works, to avoid the page cache, a heavy user of the page allocator.
 */
#include "capture/events/ring_reader.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/array.h"
#include "base/io.h"
#include "base/new_file.h"
#include "recording/trace_dat.h"

#define STAGING_SIZE  (1U << 20)
/* Alignment for O_DIRECT: the largest logical block size that disks have. */
#define STAGING_ALIGN 4096U
/* Space that a recording needs besides its pages, mostly kallsyms (5.4 MB on Linux 6.18). */
#define METADATA_ROOM (12U << 20)

int ring_reader_init(struct ring_reader *r, const char *header_page)
{
	struct page_layout l;
	uint32_t size;

	*r = RING_READER_INIT;
	if (trace_dat_parse_header_page(header_page, &l, &size) || l.commit_offset != 8 ||
	    l.data_offset != 8 + l.long_size || size > STAGING_SIZE ||
	    size < l.data_offset + 512)
		return -EPROTO;
	r->subbuf_size = size;
	r->data_offset = l.data_offset;
	r->long_size = l.long_size;
	return 0;
}

/* --- opening ----------------------------------------------------------------------------- */

static int complain(const char *name, int err, const struct log *log)
{
	log_msg(log, LOG_ERROR,
		"cannot create %s: %s\n  Choose another place for the recording: -o FILE",
		name, strerror(err));
	return -err;
}

/* Bypass the page cache from now on, where that works. */
static void set_direct(struct ring_reader_cpu *c)
{
	c->direct = c->direct && fcntl(c->part_fd, F_SETFL, O_DIRECT) == 0;
}

static int open_own_part(const struct ring_reader *r, struct ring_reader_cpu *c,
			 const char *prefix)
{
	if (asprintf(&c->name, "%s.cpu%u", prefix, c->cpu) < 0) {
		c->name = NULL;
		return -ENOMEM;
	}
	c->part_fd = new_file_create(r->dir_fd, c->name);
	if (c->part_fd < 0) {
		int ret = complain(c->name, -c->part_fd, r->log);

		free(c->name);
		c->name = NULL;
		return ret;
	}
	c->room = INT64_MAX / 2;
	set_direct(c);
	return 0;
}

/* Use a separate descriptor, as the file's other one must not bypass the page cache. */
static int open_region(const struct ring_reader *r, struct ring_reader_cpu *c, int fd)
{
	c->offset = cpu_regions_start(&r->regions, (size_t)(c - r->cpus));
	c->room = r->regions.stride;
	c->part_fd = new_file_again(fd);
	if (c->part_fd >= 0) {
		set_direct(c);
		return 0;
	}
	c->direct = false;
	c->part_fd = fcntl(fd, F_DUPFD_CLOEXEC, 0);
	return c->part_fd < 0 ? complain("a descriptor", errno, r->log) : 0;
}

static int open_cpu(struct ring_reader *r, const struct instance *in, uint32_t cpu,
		    const char *prefix, int fd)
{
	struct ring_reader_cpu *c;

	if (array_grow(&r->cpus, r->nr_cpus))
		return -ENOMEM;
	c = &r->cpus[r->nr_cpus];
	*c = (struct ring_reader_cpu){ .cpu = cpu,
				       .pipe_fd = -1,
				       .part_fd = -1,
				       .direct = r->subbuf_size % STAGING_ALIGN == 0 };
	r->nr_cpus++;
	c->pipe_fd = instance_open_pipe(in, cpu);
	if (c->pipe_fd < 0)
		return log_errno(r->log, LOG_ERROR, c->pipe_fd,
				 "cannot open CPU %u's ring buffer: %m",
				 cpu % RECORDING_FREES_CPU);
	if (!prefix)
		return 0;
	return r->regions.stride ? open_region(r, c, fd) : open_own_part(r, c, prefix);
}

int ring_reader_alloc_staging(struct ring_reader *r)
{
	r->staging = aligned_alloc(STAGING_ALIGN, STAGING_SIZE);
	if (!r->staging)
		return -ENOMEM;
	/* Touch it now, so that its page faults are not recorded. */
	memset(r->staging, 0, STAGING_SIZE);
	return 0;
}

/* All parts become one file, which must stay within the file size limit (ulimit -f) with its
 * metadata.
 */
static uint64_t most_bytes(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_FSIZE, &limit) < 0 || limit.rlim_cur == RLIM_INFINITY)
		return 0;
	return limit.rlim_cur < 2 * METADATA_ROOM ? limit.rlim_cur / 2 + 1
						  : limit.rlim_cur - METADATA_ROOM;
}

int ring_reader_open(struct ring_reader *r, const struct instance *in, const char *prefix,
		     const struct new_file *file, const struct log *log)
{
	uint32_t *cpus __auto_mem = NULL;
	size_t nr = 0, all = 0;
	int ret;

	r->most = most_bytes();
	r->log = log;
	ret = ring_reader_alloc_staging(r);
	if (!ret && prefix) {
		r->dir_fd = fcntl(new_file_hidden_dir(file), F_DUPFD_CLOEXEC, 0);
		ret = r->dir_fd < 0 ? -errno : 0;
	}
	ret = ret ?: instance_cpus(in, &cpus, &nr);
	all = in->frees ? 2 * nr : nr;
	if (!ret && !nr)
		ret = -ENOENT;
	log_errno(log, LOG_ERROR, ret, "cannot open the ring buffers of the CPUs: %m");
	if (!ret && prefix &&
	    cpu_regions_probe(file->fd, all, r->subbuf_size, &r->regions) < 0)
		log_msg(log, LOG_INFO,
			"this filesystem cannot remove a range from a file; each CPU's pages are copied at the end");
	for (size_t i = 0; !ret && i < all; i++)
		ret = open_cpu(r, in, cpus[i % nr] + (i < nr ? 0 : RECORDING_FREES_CPU),
			       prefix, file->fd);
	return ret;
}

/* --- reading ----------------------------------------------------------------------------- */

/* Bytes of events in the sub-buffer at @p; the two top bits of commit are loss flags. */
static uint32_t subbuf_fill(const struct ring_reader *r, const char *p)
{
	uint64_t commit = get_uint(p + 8, r->long_size, HOST_BIG_ENDIAN);
	uint32_t fill = (uint32_t)commit & 0x3fffffff;

	return SMALLER(fill, r->subbuf_size - r->data_offset);
}

int ring_reader_records(const struct ring_reader *r, const char *p, size_t size,
			int (*take)(void *ctx, const struct raw_record *rec), void *ctx)
{
	int ret = 0;

	for (size_t at = 0; !ret && at < size; at += r->subbuf_size) {
		struct subbuf sb = { .data = (const uint8_t *)p + at + r->data_offset,
				     .size = subbuf_fill(r, p + at),
				     .ts = get_uint(p + at, 8, HOST_BIG_ENDIAN) };
		struct subbuf_iter it = subbuf_iter(&sb, HOST_BIG_ENDIAN);
		struct raw_record rec;

		while (!ret && subbuf_iter_next(&it, &rec) > 0)
			ret = take(ctx, &rec);
	}
	return ret;
}

/* @nr: records older than @before. */
struct counted {
	uint64_t before, nr;
};

static int count_record(void *ctx, const struct raw_record *rec)
{
	struct counted *counted = ctx;

	counted->nr += rec->ts < counted->before;
	return 0;
}

static uint64_t count_events(const struct ring_reader *r, const char *p, size_t size)
{
	struct counted counted = { .before = UINT64_MAX };

	/* It never fails. */
	return ring_reader_records(r, p, size, count_record, &counted) ? 0 : counted.nr;
}

static int send(struct ring_reader *r, struct ring_reader_cpu *c, size_t size)
{
	uint64_t before = r->wire ? r->wire->bytes : 0;
	size_t done = 0;
	int ret = r->take ? r->take(r->take_ctx, c->cpu, r->staging, size)
			  : wire_pages(r->wire, c->cpu, r->staging, size);

	/* The stream's reader keeps what arrived before a failure. */
	if (r->wire && r->wire->bytes > before + WIRE_RECORD_SIZE)
		done = (size_t)(r->wire->bytes - before - WIRE_RECORD_SIZE);
	done = ret ? done - done % r->subbuf_size : size;
	if (ret)
		r->discarded += count_events(r, r->staging + done, size - done);
	c->size += done;
	return ret;
}

/* How many of @size bytes can be appended to the part, in whole sub-buffers. */
static size_t fitting(const struct ring_reader *r, const struct ring_reader_cpu *c,
		      size_t size)
{
	uint64_t room = c->room - c->size;

	if (r->most && room > r->most - r->written)
		room = r->most - r->written;
	return size <= room ? size : (size_t)(room - room % r->subbuf_size);
}

/* The disk is full: is there more room now, or could less than @step bytes fit? */
static bool try_again(struct ring_reader *r, size_t *step)
{
	if (r->make_room && r->make_room(r->room_ctx))
		return true;
	*step = *step / 2 - *step / 2 % r->subbuf_size;
	return *step;
}

/* Appends @size staged bytes to the part, and cuts what was written to whole sub-buffers. */
static int flush(struct ring_reader *r, struct ring_reader_cpu *c, size_t size)
{
	size_t done = 0, end = fitting(r, c, size), step = end;
	int ret = 0;

	while (done < end && !ret) {
		size_t next = SMALLER(end - done, step);
		ssize_t n = pwrite(c->part_fd, r->staging + done, next,
				   (off_t)(c->offset + c->size + done));

		if (n > 0) {
			done += (size_t)n;
		} else if (n < 0 && errno == EINVAL && c->direct) {
			/* The filesystem accepted O_DIRECT in open(), but not with this size. */
			c->direct = false;
			if (fcntl(c->part_fd, F_SETFL, 0) < 0)
				ret = -errno;
		} else if (n == 0 || errno == ENOSPC || errno == EDQUOT) {
			ret = n ? -errno : -ENOSPC;
			step = next;
			if (try_again(r, &step))
				ret = 0;
		} else if (errno != EINTR) {
			ret = -errno;
		}
	}
	if (!ret && end < size)
		ret = -EFBIG;
	done -= done % r->subbuf_size;
	c->size += done;
	r->written += done;
	if (ret)
		r->discarded += count_events(r, r->staging + done, size - done);
	if (ret && c->name && ftruncate(c->part_fd, (off_t)c->size) < 0)
		log_msg(r->log, LOG_DEBUG, "cannot cut %s: %s", c->name, strerror(errno));
	return ret;
}

/* Fills the staging buffer and returns its bytes; @more: it stopped because the buffer is full. */
static ssize_t fill_staging(struct ring_reader *r, struct ring_reader_cpu *c, bool all,
			    bool *more)
{
	const uint32_t mostly = (r->subbuf_size - r->data_offset) / 4 * 3;
	size_t size = 0;

	*more = false;
	while (size + r->subbuf_size <= STAGING_SIZE) {
		char *p = r->staging + size;
		ssize_t n = read(c->pipe_fd, p, r->subbuf_size);

		if (n < 0 && errno == EINTR)
			continue;
		/* The kernel has a directory for each possible CPU, but a buffer only for CPUs that
		 * have been online since the instance was made. The buffer stays when the CPU goes
		 * offline.
		 */
		c->absent = n < 0 && errno == ENODEV;
		if (n < 0 && errno != EAGAIN && !c->absent && !size)
			return -errno;
		/* Write what came before an error first; the next read returns the error again. */
		*more = n < 0 && errno != EAGAIN && !c->absent;
		if (n <= 0)
			return (ssize_t)size;
		/* Clear the tail after a short read of the last sub-buffer. */
		if ((size_t)n < r->subbuf_size)
			memset(p + n, 0, r->subbuf_size - (size_t)n);
		size += r->subbuf_size;
		if (!all && subbuf_fill(r, p) < mostly)
			return (ssize_t)size;
	}
	*more = true;
	return (ssize_t)size;
}

int ring_reader_drain(struct ring_reader *r, size_t i, bool all)
{
	struct ring_reader_cpu *c = &r->cpus[i];
	bool more = true;

	while (more && (!r->limit || c->size < r->limit)) {
		ssize_t size = fill_staging(r, c, all, &more);
		int ret;

		if (size < 0) {
			log_msg(r->log, LOG_ERROR, "cannot read CPU %u's ring buffer: %s",
				c->cpu % RECORDING_FREES_CPU, strerror((int)-size));
			r->read_error = (int)-size;
			return (int)size;
		}
		if (r->seen && ring_reader_records(r, r->staging, (size_t)size, r->seen,
						   r->seen_ctx))
			log_msg(r->log, LOG_DEBUG, "no memory for what records say");
		ret = !size		   ? 0
		      : r->wire || r->take ? send(r, c, (size_t)size)
					   : flush(r, c, (size_t)size);
		if (ret)
			return ret;
	}
	return 0;
}

int ring_reader_each(struct ring_reader *r, size_t i,
		     int (*take)(void *ctx, const struct raw_record *rec), void *ctx)
{
	const struct ring_reader_cpu *c = &r->cpus[i];
	const uint64_t room = STAGING_SIZE - STAGING_SIZE % r->subbuf_size;
	int ret = 0;

	for (uint64_t at = 0; !ret && at < c->size; at += room) {
		size_t n = c->size - at < room ? (size_t)(c->size - at) : (size_t)room;

		ret = io_pread_all(c->part_fd, r->staging, n, c->offset + at);
		ret = ret ?: ring_reader_records(r, r->staging, n, take, ctx);
	}
	return ret;
}

int ring_reader_count(struct ring_reader *r, size_t i, uint64_t before, uint64_t *out)
{
	struct counted counted = { .before = before };
	int ret = ring_reader_each(r, i, count_record, &counted);

	*out = counted.nr;
	return ret;
}

size_t ring_reader_parts(const struct ring_reader *r, bool consume,
			 struct writer_part *parts)
{
	size_t nr = 0;

	for_each(c, r->cpus, r->nr_cpus) {
		if (c->size)
			parts[nr++] = (struct writer_part){ c->cpu, c->part_fd, c->size,
							    consume, c->offset };
	}
	return nr;
}

int ring_reader_begin_at(struct ring_reader *r, uint64_t *ts)
{
	const size_t head = 8 + r->long_size;
	int ret = 0;

	*ts = 0;
	ring_reader_end_direct(r);
	for (size_t i = 0; !ret && i < r->nr_cpus; i++) {
		const struct ring_reader_cpu *c = &r->cpus[i];
		uint8_t page[16];
		uint64_t commit, begin;

		if (c->size < r->subbuf_size)
			continue;
		ret = io_pread_all(c->part_fd, page, head, c->offset);
		commit = ret ? 0 : get_uint(page + 8, r->long_size, HOST_BIG_ENDIAN);
		if (!(commit & SUBBUF_COMMIT_MISSED))
			continue;
		begin = get_uint(page, 8, HOST_BIG_ENDIAN);
		*ts = LARGER(begin, *ts);
		/* The flags are a negative int, so a 64-bit long has its upper half set as well. */
		commit &= (uint32_t) ~(SUBBUF_COMMIT_MISSED | SUBBUF_COMMIT_STORED);
		set_uint(page + 8, commit, r->long_size, HOST_BIG_ENDIAN);
		ret = io_pwrite_all(c->part_fd, page, head, c->offset);
	}
	return ret;
}

static int note_latest(void *ctx, const struct raw_record *rec)
{
	uint64_t *ts = ctx;

	*ts = LARGER(rec->ts, *ts);
	return 0;
}

int ring_reader_end_at(struct ring_reader *r, uint64_t *ts)
{
	const uint32_t size = r->subbuf_size;
	int ret = 0;

	*ts = 0;
	ring_reader_end_direct(r);
	for (size_t i = 0; !ret && i < r->nr_cpus; i++) {
		const struct ring_reader_cpu *c = &r->cpus[i];

		if (c->size < size || c->cpu >= RECORDING_FREES_CPU)
			continue;
		ret = io_pread_all(c->part_fd, r->staging, size,
				   c->offset + c->size - size);
		ret = ret ?: ring_reader_records(r, r->staging, size, note_latest, ts);
	}
	return ret;
}

uint64_t ring_reader_missing(struct ring_reader *r, size_t i)
{
	struct ring_reader_cpu *c = &r->cpus[i];
	const off_t begin = (off_t)c->offset, end = begin + (off_t)c->size;
	uint64_t missing = 0;
	struct stat st;

	if (c->part_fd < 0 || !c->size || fstat(c->part_fd, &st) < 0)
		return 0;
	if (st.st_size < end) {
		uint64_t there = st.st_size > begin ? (uint64_t)(st.st_size - begin) : 0;

		there -= there % r->subbuf_size;
		missing = c->size - there;
		c->size = there;
	}
	/* Data written after the truncation comes after a hole. */
	for (off_t at = begin, data; at < begin + (off_t)c->size; at = data) {
		off_t hole = lseek(c->part_fd, at, SEEK_HOLE);

		if (hole < 0 || hole >= begin + (off_t)c->size)
			break;
		data = lseek(c->part_fd, hole, SEEK_DATA);
		if (data < 0 || data > begin + (off_t)c->size)
			data = begin + (off_t)c->size;
		missing += (uint64_t)(data - hole);
	}
	return missing;
}

/* --- closing ----------------------------------------------------------------------------- */

void ring_reader_end_direct(struct ring_reader *r)
{
	for_each(c, r->cpus, r->nr_cpus) {
		if (c->direct && fcntl(c->part_fd, F_SETFL, 0) < 0)
			log_msg(r->log, LOG_DEBUG, "CPU %u's part stays O_DIRECT: %s",
				c->cpu % RECORDING_FREES_CPU, strerror(errno));
		c->direct = false;
	}
}

void ring_reader_close_pipes(struct ring_reader *r)
{
	for (size_t i = 0; i < r->nr_cpus; i++)
		io_close(&r->cpus[i].pipe_fd);
}

void ring_reader_close(struct ring_reader *r)
{
	ring_reader_close_pipes(r);
	for (size_t i = 0; i < r->nr_cpus; i++) {
		if (r->cpus[i].part_fd >= 0) {
			close(r->cpus[i].part_fd);
			if (r->cpus[i].name)
				unlinkat(r->dir_fd, r->cpus[i].name, 0);
		}
		free(r->cpus[i].name);
	}
	io_close(&r->dir_fd);
	free(r->cpus);
	free(r->staging);
	*r = RING_READER_INIT;
}

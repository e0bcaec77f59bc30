// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * FALLOC_FL_COLLAPSE_RANGE moves extents, not bytes: 1 GB of 2 CPUs is joined in less than
 * a millisecond, and so are 256 CPUs.
 */
#include "recording/cpu_regions.h"

#include <fcntl.h>
#include <linux/falloc.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/io.h"
#include "base/number.h"
#include "base/strbuf.h"

/* ext4 files have at most 16 TiB with blocks of 4 KiB, and 4 TiB with blocks of 1 KiB. */
#define SPAN_MAX   (8ULL << 40)
#define STRIDE_MIN (16ULL << 30)
/* No filesystem block is larger; the gap in front of each CPU's pages may be this large, too. */
#define BLOCK_MAX  (1U << 20)

static bool size_limited(void)
{
	struct rlimit limit;

	/* Beyond it SIGXFSZ would end the process. */
	return getrlimit(RLIMIT_FSIZE, &limit) < 0 || limit.rlim_cur != RLIM_INFINITY;
}

int cpu_regions_probe(int fd, size_t nr, uint32_t subbuf_size, struct cpu_regions *out)
{
	struct cpu_regions r = { .first = CPU_REGIONS_FIRST };
	struct stat st;
	int ret = -EOPNOTSUPP;

	if (!nr || size_limited() || fstat(fd, &st) < 0 || !S_ISREG(st.st_mode) ||
	    st.st_blksize <= 0 || (uint64_t)st.st_blksize > BLOCK_MAX)
		return ret;
	r.block = (uint32_t)st.st_blksize;
	/* Both should be powers of two, so that one divides the other; but a file may claim
	 * anything.
	 */
	if (subbuf_size % r.block && r.block % subbuf_size)
		return ret;
	r.stride = SPAN_MAX / nr / BLOCK_MAX * BLOCK_MAX;
	while (r.stride >= STRIDE_MIN && ftruncate(fd, (off_t)(r.first + nr * r.stride)))
		r.stride = r.stride / 2 / BLOCK_MAX * BLOCK_MAX;
	if (r.stride >= STRIDE_MIN)
		ret = cpu_regions_take_out(fd, r.block, 2ULL * r.block) ? -EOPNOTSUPP : 0;
	if (ftruncate(fd, 0) < 0)
		return -errno;
	if (!ret)
		*out = r;
	return ret;
}

int cpu_regions_take_out(int fd, uint64_t from, uint64_t to)
{
	int ret;

	if (from >= to)
		return from == to ? 0 : -EINVAL;
	do
		ret = fallocate(fd, FALLOC_FL_COLLAPSE_RANGE, (off_t)from,
				(off_t)(to - from));
	while (ret < 0 && errno == EINTR);
	return ret < 0 ? -errno : 0;
}

/* --- the plan ---------------------------------------------------------------------------- */

/* The file's size shows how many ranges have been removed. The plan and a copy of the
 * metadata lie in the range that is removed last, so the process may be killed between any two
 * system calls, and during writes.
 */

/* The copy of the metadata, after the plan; both are in the room for the metadata. */
#define COPY_AT	   (CPU_REGIONS_FIRST / 2)
#define PLAN_AT	   (COPY_AT - PLAN_SIZE)
#define PLAN_SIZE  (4U << 20)
/* Written last: "kmemx join" and a number that no page begins with. */
#define MAGIC	   "kmemx join \x8f\x1b\x5a\xe3\n"
#define MAGIC_SIZE (sizeof(MAGIC) - 1)

static int file_size(int fd, uint64_t *size)
{
	struct stat st;

	*size = 0;
	if (fstat(fd, &st) < 0)
		return -errno;
	*size = (uint64_t)st.st_size;
	return 0;
}

/* "FILE-SIZE METADATA-SIZE NR FROM TO FROM TO ... ." */
static int format(const struct join_plan *plan, uint64_t size, struct strbuf *sb)
{
	strbuf_printf(sb, "%" PRIu64 " %zu %zu", size, plan->size, plan->nr);
	for (size_t i = 0; i < plan->nr; i++)
		strbuf_printf(sb, " %" PRIu64 " %" PRIu64, plan->ranges[i].from,
			      plan->ranges[i].to);
	strbuf_puts(sb, " .");
	if (sb->failed)
		return -ENOMEM;
	return sb->size < PLAN_SIZE - MAGIC_SIZE ? 0 : -EFBIG;
}

int join_plan_write(int fd, const struct join_plan *plan)
{
	const struct join_range *last = plan->nr ? &plan->ranges[plan->nr - 1] : NULL;
	struct strbuf __auto_free sb = { 0 };
	uint64_t size;
	int ret;

	if (!last || last->from > PLAN_AT || last->to < COPY_AT + plan->size)
		return -EFBIG;
	ret = file_size(fd, &size);
	ret = ret ?: format(plan, size, &sb);
	ret = ret ?: io_pwrite_all(fd, plan->metadata, plan->size, COPY_AT);
	ret = ret ?: io_pwrite_all(fd, sb.data, sb.size + 1, PLAN_AT + MAGIC_SIZE);
	ret = ret ?: io_pwrite_all(fd, MAGIC, MAGIC_SIZE, PLAN_AT);
	/* On failure, free the plan's room, which the metadata needs. */
	if (ret && fallocate(fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, PLAN_AT,
			     (off_t)(PLAN_SIZE + plan->size)) < 0)
		ret = ret == -ENOSPC ? ret : -errno;
	return ret;
}

static int take_out(int fd, const struct join_range *ranges, size_t nr)
{
	int ret = 0;

	for (size_t i = 0; !ret && i < nr; i++)
		ret = cpu_regions_take_out(fd, ranges[i].from, ranges[i].to);
	return ret;
}

int join_plan_run(int fd, const struct join_plan *plan)
{
	int ret = io_pwrite_all(fd, plan->metadata, plan->size, 0);

	return ret ? ret : take_out(fd, plan->ranges, plan->nr);
}

/* --- resuming ---------------------------------------------------------------------------- */

struct found_plan {
	uint64_t file_size, size;
	struct join_range *ranges;
	size_t nr;
};

static bool next_number(const char **text, uint64_t *out)
{
	*text += **text == ' ';
	return !number_read(text, NULL, 10, INT64_MAX / 4, out);
}

static int parse(const char *text, struct found_plan *plan)
{
	uint64_t nr;

	if (!next_number(&text, &plan->file_size) || !next_number(&text, &plan->size) ||
	    !next_number(&text, &nr) || !nr || nr > PLAN_SIZE / 4)
		return -EBADMSG;
	plan->ranges = calloc(nr, sizeof(*plan->ranges));
	if (!plan->ranges)
		return -ENOMEM;
	for (; plan->nr < nr; plan->nr++) {
		struct join_range *r = &plan->ranges[plan->nr];

		if (!next_number(&text, &r->from) || !next_number(&text, &r->to) ||
		    r->from > r->to || r->to > plan->file_size)
			return -EBADMSG;
	}
	return strcmp(text, " .") ? -EBADMSG : 0;
}

/* 1 if there is a plan, 0 if not. */
static int read_plan(int fd, struct found_plan *plan)
{
	char magic[MAGIC_SIZE], *text;
	ssize_t n = pread(fd, magic, sizeof(magic), PLAN_AT);
	int ret;

	if (n != sizeof(magic) || memcmp(magic, MAGIC, sizeof(magic)) != 0)
		return n < 0 ? -errno : 0;
	text = calloc(1, PLAN_SIZE);
	if (!text)
		return -ENOMEM;
	n = pread(fd, text, PLAN_SIZE - MAGIC_SIZE - 1, PLAN_AT + MAGIC_SIZE);
	ret = n < 0 ? -errno : parse(text, plan);
	free(text);
	return ret ? ret : 1;
}

/* Finds how many ranges have been removed. */
static int find_step(const struct found_plan *plan, uint64_t size, size_t *step)
{
	uint64_t left = plan->file_size;
	size_t i = 0;

	while (left > size && i < plan->nr) {
		left -= plan->ranges[i].to - plan->ranges[i].from;
		i++;
	}
	*step = i;
	return left == size && i < plan->nr ? 0 : -EBADMSG;
}

static int copy_metadata(int fd, uint64_t size)
{
	char *buf __auto_mem = size > COPY_AT ? NULL : malloc(size ? size : 1);
	int ret = buf ? io_pread_all(fd, buf, size, COPY_AT) : -ENOMEM;

	return ret ?: io_pwrite_all(fd, buf, size, 0);
}

int join_plan_resume(int fd)
{
	struct found_plan plan = { 0 };
	uint64_t size;
	size_t step = 0;
	int ret = read_plan(fd, &plan);

	if (ret == 1) {
		ret = file_size(fd, &size);
		ret = ret ?: find_step(&plan, size, &step);
		ret = ret ?: copy_metadata(fd, plan.size);
		ret = ret ?: take_out(fd, plan.ranges + step, plan.nr - step);
		ret = ret ?: 1;
	}
	free(plan.ranges);
	return ret;
}

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

/* Makes @fd as large as @nr regions of @stride need. */
static bool fits(int fd, uint64_t nr, uint64_t stride)
{
	return ftruncate(fd, (off_t)(CPU_REGIONS_FIRST + nr * stride)) == 0;
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
	while (r.stride >= STRIDE_MIN && !fits(fd, nr, r.stride))
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

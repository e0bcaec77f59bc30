// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * base: positioned reads and writes that do all or fail.
 * In: a descriptor, a range. Out: 0 or -errno.
 */
#include "base/io.h"

#include <errno.h>
#include <unistd.h>

int io_pread_all(int fd, void *buf, size_t size, uint64_t offset)
{
	uint8_t *p = buf;

	while (size) {
		ssize_t n = pread(fd, p, size, (off_t)offset);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n ? -errno : -ENODATA;
		p += n;
		size -= (size_t)n;
		offset += (uint64_t)n;
	}
	return 0;
}

int io_pwrite_all(int fd, const void *buf, size_t size, uint64_t offset)
{
	const uint8_t *p = buf;

	while (size) {
		ssize_t n = pwrite(fd, p, size, (off_t)offset);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n ? -errno : -EIO;
		p += n;
		size -= (size_t)n;
		offset += (uint64_t)n;
	}
	return 0;
}

// SPDX-License-Identifier: GPL-2.0-or-later
#include "recording/source.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/io.h"

/* -ENODATA: the file was truncated while it was open. */
static int file_read(void *ctx, void *buf, size_t size, uint64_t offset)
{
	return io_pread_all((int)(intptr_t)ctx, buf, size, offset);
}

static void file_close(void *ctx)
{
	close((int)(intptr_t)ctx);
}

static uint64_t file_next_data(void *ctx, uint64_t offset)
{
	off_t at = lseek((int)(intptr_t)ctx, (off_t)offset, SEEK_DATA);

	/* ENXIO: only a hole up to the end. */
	if (at < 0)
		return errno == ENXIO ? UINT64_MAX : offset;
	return (uint64_t)at;
}

static const struct source_ops file_ops = { file_read, file_close, NULL };
static const struct source_ops sparse_ops = { file_read, file_close, file_next_data };

static int memory_read(void *ctx, void *buf, size_t size, uint64_t offset)
{
	memcpy(buf, (const uint8_t *)ctx + offset, size);
	return 0;
}

static void memory_close(void *ctx)
{
}

static const struct source_ops memory_ops = { memory_read, memory_close, NULL };

int source_open_fd(struct source *src, int fd)
{
	struct stat st;

	*src = (struct source){ 0 };
	if (fstat(fd, &st))
		return -errno;
	if (S_ISDIR(st.st_mode))
		return -EISDIR;
	if (!S_ISREG(st.st_mode))
		return -ENODEV;
	/* Advice only: a recording is read once, front to back on each CPU. */
	(void)posix_fadvise(fd, 0, 0, POSIX_FADV_SEQUENTIAL);
	/* Only a file that takes less space than its length can have holes. */
	*src = (struct source){ st.st_blocks < st.st_size / 512 ? &sparse_ops : &file_ops,
				(void *)(intptr_t)fd, (uint64_t)st.st_size };
	return 0;
}

void source_open_memory(struct source *src, const void *data, size_t size)
{
	*src = (struct source){ &memory_ops, (void *)(uintptr_t)data, size };
}

int source_read(const struct source *src, void *buf, size_t size, uint64_t offset)
{
	if (!range_ok(offset, size, src->size))
		return -ENODATA;
	if (!size)
		return 0;
	return src->ops->read(src->ctx, buf, size, offset);
}

uint64_t source_next_data(const struct source *src, uint64_t offset)
{
	uint64_t at = offset;

	if (offset < src->size && src->ops->next_data)
		at = src->ops->next_data(src->ctx, offset);
	return SMALLER(at, src->size);
}

void source_close(struct source *src)
{
	if (src->ops)
		src->ops->close(src->ctx);
	*src = (struct source){ 0 };
}

// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/io.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

/* How long to wait for a FIFO's writer: the other process must start first. */
#define WRITER_WAIT_MS 1000
#define WRITER_LOOK_MS 20
/* Bytes copied at a time. */
#define IO_CHUNK       (1U << 20)

void io_close(int *fd)
{
	if (*fd < 0)
		return;
	close(*fd);
	*fd = -1;
}

void io_close_dir(DIR **dir)
{
	if (*dir)
		closedir(*dir);
}

void io_close_file(FILE **file)
{
	if (*file)
		fclose(*file);
}

DIR *io_list(int fd)
{
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	int err = fd < 0 ? -fd : errno;

	if (!dir)
		io_close(&fd);
	errno = err;
	return dir;
}

/* Does the pipe @fd, opened for reading, have a writer, or data? Only tee(2) can check this without
 * consuming data: with nothing to copy it returns 0 if there is no writer, else -EAGAIN.
 */
static bool has_writer(int fd, int scratch)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };

	/* POLLHUP: there was a writer. */
	if (poll(&p, 1, 0) > 0)
		return true;
	return tee(fd, scratch, 1, SPLICE_F_NONBLOCK) < 0 && errno == EAGAIN;
}

static int wait_for_writer(int fd)
{
	int scratch[2], ret = 0;

	if (pipe2(scratch, O_CLOEXEC | O_NONBLOCK) < 0)
		return -errno;
	for (int waited = 0; !ret && !has_writer(fd, scratch[1]);
	     waited += WRITER_LOOK_MS) {
		if (waited >= WRITER_WAIT_MS)
			ret = -EPIPE;
		else
			poll(NULL, 0, WRITER_LOOK_MS);
	}
	close(scratch[0]);
	close(scratch[1]);
	return ret;
}

/* Waits for the writer, then makes reads blocking. */
static int use_pipe(int fd)
{
	int flags, ret = wait_for_writer(fd);

	if (ret)
		return ret;
	flags = fcntl(fd, F_GETFL);
	return flags < 0 || fcntl(fd, F_SETFL, flags & ~O_NONBLOCK) < 0 ? -errno : 0;
}

int io_open_input(const char *path, enum io_input kind)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY), ret = 0;
	struct stat st;

	if (fd < 0)
		return -errno;
	if (fstat(fd, &st) < 0)
		ret = -errno;
	else if (S_ISDIR(st.st_mode))
		ret = -EISDIR;
	else if (S_ISFIFO(st.st_mode) && kind == IO_FILE_OR_PIPE)
		ret = use_pipe(fd);
	else if (!S_ISREG(st.st_mode))
		ret = -ENODEV;
	if (!ret)
		return fd;
	close(fd);
	return ret;
}

bool io_is_directory(const char *path)
{
	struct stat st;

	return !stat(path, &st) && S_ISDIR(st.st_mode);
}

const char *io_strerror(int err)
{
	switch (err < 0 ? -err : err) {
	case ENODEV:
		return "it is not a regular file";
	case EPIPE:
		return "it is a pipe, and nobody writes to it";
	case EFBIG:
		return "it is too large for what it should be";
	default:
		return strerror(err < 0 ? -err : err);
	}
}

ssize_t io_read(int fd, void *buf, size_t size)
{
	ssize_t n;

	do
		n = read(fd, buf, size);
	while (n < 0 && errno == EINTR);
	return n < 0 ? -errno : n;
}

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

/* Copies through memory, for files that copy_file_range() does not support. */
static int copy_by_hand(int from, uint64_t src, int to, uint64_t dst, uint64_t size)
{
	size_t room = (size_t)SMALLER(size, IO_CHUNK);
	char *buf __auto_mem = malloc(room ? room : 1);
	int ret = buf ? 0 : -ENOMEM;

	while (!ret && size) {
		size_t n = (size_t)SMALLER(size, room);

		ret = io_pread_all(from, buf, n, src);
		ret = ret ?: io_pwrite_all(to, buf, n, dst);
		src += n;
		dst += n;
		size -= n;
	}
	return ret;
}

int io_copy(int from, uint64_t src, int to, uint64_t dst, uint64_t size)
{
	while (size) {
		off_t in = (off_t)src, out = (off_t)dst;
		size_t want = (size_t)SMALLER(size, 1U << 30);
		ssize_t n = copy_file_range(from, &in, to, &out, want, 0);

		if (n < 0 && errno == EINTR)
			continue;
		/* It fails across filesystems, on old kernels and on special filesystems. Whatever
		 * the reason, the plain copy reports a true failure again.
		 */
		if (n <= 0)
			return copy_by_hand(from, src, to, dst, size);
		src += (uint64_t)n;
		dst += (uint64_t)n;
		size -= (uint64_t)n;
	}
	return 0;
}

int io_copy_rest(int from, int to)
{
	char buf[65536];
	uint64_t at = 0;
	ssize_t got;
	int ret = 0;

	while (!ret && (got = io_read(from, buf, sizeof(buf))) != 0) {
		ret = got < 0 ? (int)got : io_pwrite_all(to, buf, (size_t)got, at);
		at += (uint64_t)got;
	}
	return ret;
}

int io_room(int fd, uint64_t *bytes)
{
	struct statvfs vfs;
	struct stat st;

	*bytes = 0;
	if (fstat(fd, &st) < 0 || fstatvfs(fd, &vfs) < 0)
		return -errno;
	/* A filesystem that reports 0 blocks has no limit of its own. */
	if (!S_ISREG(st.st_mode) || !vfs.f_blocks)
		return -ENODATA;
	*bytes = (uint64_t)vfs.f_bavail * vfs.f_frsize;
	return 0;
}

uint64_t io_spare(int fd, uint64_t least, uint64_t most)
{
	uint64_t room;

	if (io_room(fd, &room) || room / 2 < least)
		return least;
	return room / 2 < most ? room / 2 - room / 2 % least : most;
}

bool io_lacks_room(int fd, uint64_t bytes)
{
	uint64_t room;

	return !io_room(fd, &room) && room < bytes;
}

int text_read(struct strbuf *out, int fd, size_t most)
{
	size_t before = out->size;
	char buf[65536];
	ssize_t got = 1;
	int err = 0;

	while (!err && got) {
		got = io_read(fd, buf, sizeof(buf));
		if (got > 0)
			strbuf_add(out, buf, (size_t)got);
		else
			err = (int)got;
		if (out->size - before > most)
			err = -EFBIG;
	}
	return out->failed ? -ENOMEM : err;
}

int text_file_read(struct strbuf *out, const char *path, enum io_input kind)
{
	int fd __auto_fd = io_open_input(path, kind);

	return fd < 0 ? fd : text_read(out, fd, TEXT_FILE_MAX);
}

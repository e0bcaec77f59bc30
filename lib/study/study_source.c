// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * study: the bytes of a recording.
 * In: a path, "-", a pipe. Out: a byte source with random access.
 */
#include "study/study_source.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/io.h"
#include "base/new_file.h"

static int copy_all(int from, int to)
{
	char buf[65536];
	ssize_t got, put, done;

	while ((got = read(from, buf, sizeof(buf))) != 0) {
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return -errno;
		for (done = 0; done < got; done += put) {
			put = write(to, buf + done, (size_t)(got - done));
			if (put < 0 && errno == EINTR)
				put = 0;
			else if (put < 0)
				return -errno;
		}
	}
	return 0;
}

/* Is @fd a regular file at offset 0? Then it need not be copied. */
static bool is_whole_file(int fd)
{
	struct stat st;

	return fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && lseek(fd, 0, SEEK_CUR) == 0;
}

/* A recording needs random access, so a pipe's content is copied to an unnamed file first. */
static int open_pipe(struct source *src, int fd, const char *dir)
{
	struct stat st;
	int tmp, err, dir_fd;

	/* A device may have no end. */
	if (!fstat(fd, &st) && (S_ISCHR(st.st_mode) || S_ISBLK(st.st_mode)))
		return -ENODEV;
	dir_fd = open(dir && *dir ? dir : "/tmp", O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (dir_fd < 0)
		return -errno;
	tmp = new_file_unnamed(dir_fd, false);
	close(dir_fd);
	if (tmp < 0)
		return tmp;
	err = copy_all(fd, tmp);
	if (!err)
		return source_open_fd(src, tmp);
	close(tmp);
	return err;
}

int study_source_open(struct source *src, const char *path, const char *tmpdir)
{
	int fd, err;

	if (!strcmp(path, "-") && !is_whole_file(STDIN_FILENO))
		return open_pipe(src, STDIN_FILENO, tmpdir);
	if (!strcmp(path, "-")) {
		fd = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3);
		return fd < 0 ? -errno : source_open_fd(src, fd);
	}
	fd = io_open_input(path, IO_FILE_OR_PIPE);
	if (fd < 0)
		return fd;
	err = source_open_fd(src, fd);
	if (err == -ENODEV)
		err = open_pipe(src, fd, tmpdir);
	else if (!err)
		return 0;
	close(fd);
	return err;
}

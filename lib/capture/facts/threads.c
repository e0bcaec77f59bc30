// SPDX-License-Identifier: GPL-2.0-or-later
#include "capture/facts/threads.h"

#include <dirent.h>
#include <fcntl.h>
#include <unistd.h>

bool thread_parse_pid(const char *text, uint32_t *pid)
{
	char *end;
	unsigned long v;

	if (text[0] < '0' || text[0] > '9')
		return false;
	errno = 0;
	v = strtoul(text, &end, 10);
	*pid = (uint32_t)v;
	return !*end && !errno && v <= INT32_MAX;
}

ssize_t thread_read(int task_fd, uint32_t pid, const char *file, char *text, size_t size)
{
	char path[64];
	ssize_t n;
	int fd;

	snprintf(path, sizeof(path), "%u/%s", pid, file);
	fd = openat(task_fd, path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -1;
	n = read(fd, text, size - 1);
	close(fd);
	if (n >= 0)
		text[n] = '\0';
	return n;
}

static int walk_process(int proc_fd, const char *name, thread_fn fn, void *ctx)
{
	struct dirent *entry;
	uint32_t pid, tgid;
	char path[280];
	int ret = 0;
	DIR *dir;
	int fd;

	if (!thread_parse_pid(name, &tgid))
		return 0;
	snprintf(path, sizeof(path), "%s/task", name);
	fd = openat(proc_fd, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return 0;
	dir = fdopendir(fd);
	if (!dir) {
		close(fd);
		return -ENOMEM;
	}
	while (!ret && (entry = readdir(dir)))
		if (thread_parse_pid(entry->d_name, &pid))
			ret = fn(ctx, fd, pid, tgid);
	closedir(dir);
	return ret;
}

int threads_walk(const char *proc, thread_fn fn, void *ctx)
{
	DIR *dir = opendir(proc);
	struct dirent *entry;
	int ret = 0;

	if (!dir)
		return -errno;
	while (!ret && (entry = readdir(dir)))
		ret = walk_process(dirfd(dir), entry->d_name, fn, ctx);
	closedir(dir);
	return ret;
}

// SPDX-License-Identifier: GPL-2.0-or-later
#include "capture/facts/threads.h"

#include <fcntl.h>
#include <unistd.h>

#include "base/io.h"

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
	int fd __auto_fd = -1;
	char path[64];
	ssize_t n;

	snprintf(path, sizeof(path), "%u/%s", pid, file);
	fd = openat(task_fd, path, O_RDONLY | O_CLOEXEC);
	n = fd < 0 ? -1 : read(fd, text, size - 1);
	if (n >= 0)
		text[n] = '\0';
	return n;
}

static int walk_process(int proc_fd, const char *name, thread_fn fn, void *ctx)
{
	DIR *dir __auto_dir = NULL;
	struct dirent *entry;
	uint32_t pid, tgid;
	char path[280];
	int fd, ret = 0;

	if (!thread_parse_pid(name, &tgid))
		return 0;
	snprintf(path, sizeof(path), "%s/task", name);
	fd = openat(proc_fd, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return 0;
	dir = io_list(fd);
	if (!dir)
		return -ENOMEM;
	while (!ret && (entry = readdir(dir)))
		if (thread_parse_pid(entry->d_name, &pid))
			ret = fn(ctx, fd, pid, tgid);
	return ret;
}

int threads_walk(const char *proc, thread_fn fn, void *ctx)
{
	DIR *dir __auto_dir = opendir(proc);
	struct dirent *entry;
	int ret = dir ? 0 : -errno;

	while (!ret && (entry = readdir(dir)))
		ret = walk_process(dirfd(dir), entry->d_name, fn, ctx);
	return ret;
}

// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * capture: collects task names; saved_cmdlines alone is too small on old kernels.
 * In: /proc and saved_cmdlines. Out: "PID COMM" lines.
 */
#include "capture/facts/comms.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static struct comm *find_or_add(struct comms *c, uint32_t pid)
{
	uint32_t *index = u64_map_find(&c->by_pid, pid);
	struct comm *items;

	if (index)
		return &c->items[*index];
	if (c->count == c->capacity) {
		size_t capacity = c->capacity ? c->capacity * 2 : 256;

		items = reallocarray(c->items, capacity, sizeof(*items));
		if (!items)
			return NULL;
		c->items = items;
		c->capacity = capacity;
	}
	if (!u64_map_insert(&c->by_pid, pid, (uint32_t)c->count))
		return NULL;
	c->items[c->count].pid = pid;
	return &c->items[c->count++];
}

int comms_add(struct comms *c, uint32_t pid, const char *name)
{
	struct comm *item = find_or_add(c, pid);
	size_t i;

	if (!item)
		return -ENOMEM;
	/* A process may choose any bytes; a newline could forge another line. */
	for (i = 0; i < sizeof(item->name) - 1 && name[i] && name[i] != '\n'; i++)
		item->name[i] = (unsigned char)name[i] < ' ' ? '?' : name[i];
	item->name[i] = '\0';
	return 0;
}

static bool parse_pid(const char *text, uint32_t *pid)
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

/* Adds the thread @name of the task directory @task_fd. */
static int add_thread(struct comms *c, int task_fd, const char *name)
{
	char path[280], comm[64];
	uint32_t pid;
	ssize_t n;
	int fd;

	if (!parse_pid(name, &pid))
		return 0;
	snprintf(path, sizeof(path), "%s/comm", name);
	fd = openat(task_fd, path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return 0;
	n = read(fd, comm, sizeof(comm) - 1);
	close(fd);
	if (n <= 0)
		return 0;
	comm[n] = '\0';
	return comms_add(c, pid, comm);
}

static int add_process(struct comms *c, int proc_fd, const char *name)
{
	struct dirent *entry;
	char path[280];
	uint32_t pid;
	int ret = 0;
	DIR *dir;
	int fd;

	if (!parse_pid(name, &pid))
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
		ret = add_thread(c, fd, entry->d_name);
	closedir(dir);
	return ret;
}

int comms_add_proc(struct comms *c, const char *proc)
{
	DIR *dir = opendir(proc);
	struct dirent *entry;
	int ret = 0;

	if (!dir)
		return -errno;
	while (!ret && (entry = readdir(dir)))
		ret = add_process(c, dirfd(dir), entry->d_name);
	closedir(dir);
	return ret;
}

int comms_add_text(struct comms *c, const char *text)
{
	int ret = 0;

	while (!ret && *text) {
		size_t len = strcspn(text, "\n");
		const char *space = memchr(text, ' ', len);
		char number[16];
		uint32_t pid;

		if (space && (size_t)(space - text) < sizeof(number) &&
		    strncmp(space + 1, "<...>", 5) != 0) {
			memcpy(number, text, (size_t)(space - text));
			number[space - text] = '\0';
			if (parse_pid(number, &pid))
				ret = comms_add(c, pid, space + 1);
		}
		text += len + (text[len] == '\n');
	}
	return ret;
}

void comms_format(const struct comms *c, struct strbuf *out)
{
	for (size_t i = 0; i < c->count; i++)
		if (c->items[i].name[0])
			strbuf_printf(out, "%u %s\n", c->items[i].pid, c->items[i].name);
}

void comms_free(struct comms *c)
{
	free(c->items);
	u64_map_free(&c->by_pid);
	*c = (struct comms){ 0 };
}

// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * capture: which process each live thread belongs to, and its control group.
 * In: /proc. Out: lines, the content of RECORDING_META_PROCESSES.
 */
#include "capture/facts/lists.h"

#include <fcntl.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/io.h"
#include "capture/facts/threads.h"

struct listing {
	struct strbuf *out;
	uint64_t end_ns;
};

/* The line of /proc/PID/cgroup that says where memory is charged: that of the memory controller of
 * version 1, else that of version 2. NULL: none.
 */
static char *find_group(char *text)
{
	char *line, *rest, *unified = NULL;

	for (line = strtok_r(text, "\n", &rest); line;
	     line = strtok_r(NULL, "\n", &rest)) {
		char *controllers = strchr(line, ':');
		char *path = controllers ? strchr(controllers + 1, ':') : NULL;
		char *memory = path ? strstr(controllers, "memory") : NULL;

		if (memory && memory < path)
			return line;
		if (path == controllers + 1)
			unified = line;
	}
	return unified;
}

/* Appends @before and "HIERARCHY:PATH". */
static void add_group(struct strbuf *out, int task_fd, uint32_t pid, const char *before)
{
	char text[8192], *line, *path;

	if (thread_read(task_fd, pid, "cgroup", text, sizeof(text)) <= 0)
		return;
	line = find_group(text);
	if (!line)
		return;
	path = strchr(strchr(line, ':') + 1, ':') + 1;
	strbuf_printf(out, "%s%lu:%s", before, strtoul(line, NULL, 10), path);
}

void processes_list_group(int32_t pid, struct strbuf *out)
{
	int proc __auto_fd = open("/proc", O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (proc >= 0)
		add_group(out, proc, (uint32_t)pid, "");
}

/* proc(5): "PID (NAME) STATE PARENT ..."; a name may have parentheses and line breaks. */
static void add_process(struct strbuf *out, int task_fd, uint32_t pid)
{
	char stat[256], *name, *end;

	if (thread_read(task_fd, pid, "stat", stat, sizeof(stat)) <= 0)
		return;
	name = strchr(stat, '(');
	end = strrchr(stat, ')');
	if (!name || !end || end < name || strlen(end) < 4)
		return;
	*end = '\0';
	for (char *c = ++name; *c; c++)
		if ((unsigned char)*c < ' ')
			*c = '?';
	/* What started the recorder has nothing to do with what it records. */
	strbuf_printf(out, "%" PRIu32 " %" PRIu32 " %lu %s", pid, pid,
		      pid == (uint32_t)getpid() ? 0 : strtoul(end + 4, NULL, 10), name);
	add_group(out, task_fd, pid, "\t");
	strbuf_puts(out, "\n");
}

static int add_thread(void *ctx, int task_fd, uint32_t pid, uint32_t tgid)
{
	const struct listing *l = ctx;

	if (clock_ns(CLOCK_MONOTONIC) > l->end_ns)
		return -ETIME;
	if (pid != tgid)
		strbuf_printf(l->out, "%" PRIu32 " %" PRIu32 "\n", pid, tgid);
	else
		add_process(l->out, task_fd, pid);
	return l->out->failed ? -ENOMEM : 0;
}

int processes_list(const char *proc, uint64_t most_ns, struct strbuf *out)
{
	struct listing l = { out, clock_ns(CLOCK_MONOTONIC) + most_ns };

	return threads_walk(proc, add_thread, &l);
}

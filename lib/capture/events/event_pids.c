// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * capture: restricts the instance to the events of some tasks.
 * In: processes, a control group. Out: set_event_pid of the instance.
 */
#include <unistd.h>

#include "base/array.h"
#include "base/hash.h"
#include "base/io.h"
#include "capture/events/events.h"
#include "capture/events/pids.h"

/* The number of scans for descendants before giving up on a tree that grows faster. */
#define ROUNDS_MAX 100

static int add_number(struct u64_map *set, pid_t pid)
{
	return u64_map_insert(set, (uint64_t)pid, 0) ? 0 : -ENOMEM;
}

/* Appends the running threads of @pid, except those in @listed (NULL: append all). -ESRCH: the
 * process has ended and only its number is left.
 */
static int add_threads(struct strbuf *sb, pid_t pid, const struct u64_map *listed)
{
	DIR *dir __auto_dir = NULL;
	struct dirent *entry;
	bool any = false;
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/task", (int)pid);
	dir = opendir(path);
	if (!dir)
		return -errno;
	while ((entry = readdir(dir))) {
		pid_t task = (pid_t)strtol(entry->d_name, NULL, 10);

		if (entry->d_name[0] == '.' || !pids_runs(task))
			continue;
		any = true;
		if (!listed || !u64_map_find(listed, (uint64_t)task))
			strbuf_printf(sb, "%d ", (int)task);
	}
	return any ? 0 : -ESRCH;
}

static int set_pids(const struct instance *in, const struct strbuf *pids,
		    const struct log *log)
{
	int ret = instance_write(in, "options/event-fork", "1");

	if (ret)
		return log_errno(
			log, LOG_ERROR, ret,
			"this kernel cannot follow forks: %m\n  Record the whole system instead: leave out --follow and -p");
	ret = instance_append(in, "set_event_pid", strbuf_text(pids));
	return log_errno(
		log, LOG_ERROR, ret,
		"cannot restrict tracing to processes %s: %m\n  Record the whole system instead: leave out --follow and -p",
		strbuf_text(pids));
}

/* --- descendants that already run ---------------------------------------------------------- */

struct process {
	pid_t pid, parent;
};

struct process_list {
	struct process *items;
	size_t nr;
};

static int read_processes(struct process_list *list)
{
	DIR *dir __auto_dir = opendir("/proc");
	struct dirent *entry;
	int ret = dir ? 0 : -errno;

	list->nr = 0;
	while (!ret && (entry = readdir(dir))) {
		pid_t pid = (pid_t)strtol(entry->d_name, NULL, 10);
		pid_t parent = pid > 0 ? pids_parent(pid) : -1;

		if (parent < 0)
			continue;
		ret = ARRAY_ADD(list->items, list->nr, (struct process){ pid, parent });
	}
	return ret;
}

/* The tasks that the kernel records now. The kernel itself adds forked tasks and removes ended
 * ones.
 */
static int read_listed(const struct instance *in, struct u64_map *listed)
{
	struct strbuf __auto_free sb = { 0 };
	const char *at;
	char *end;
	int ret = instance_read(in, "set_event_pid", &sb);

	if (!ret && sb.failed)
		ret = -ENOMEM;
	for (at = strbuf_text(&sb); !ret; at = end) {
		long pid = strtol(at, &end, 10);

		if (end == at)
			break;
		ret = add_number(listed, (pid_t)pid);
	}
	return ret;
}

/* Adds to @family the processes of @list whose parent is in it, and their descendants. */
static int add_children(struct u64_map *family, const struct process_list *list)
{
	size_t before;
	int ret = 0;

	do {
		before = family->count;
		for (size_t i = 0; !ret && i < list->nr; i++)
			if (u64_map_find(family, (uint64_t)list->items[i].parent))
				ret = add_number(family, list->items[i].pid);
	} while (!ret && family->count > before);
	return ret;
}

/*
 * Appends to @sb the unrecorded descendants of the tasks that the kernel records. A listed task
 * counts as an ancestor even if its own parent has ended since.
 */
static int find_missing(const struct instance *in, struct process_list *list,
			struct strbuf *sb)
{
	struct u64_map __auto_map listed = { 0 }, family = { 0 };
	int ret = read_processes(list);

	/* Read the list after /proc: the kernel has then added what listed tasks forked meanwhile.
	 */
	ret = ret ?: read_listed(in, &listed);
	ret = ret ?: read_listed(in, &family);
	ret = ret ?: add_children(&family, list);
	for (size_t i = 0; !ret && i < list->nr; i++)
		/* The recorder may descend from them too. An ended process is not an error. */
		if (list->items[i].pid != getpid() &&
		    u64_map_find(&family, (uint64_t)list->items[i].pid) &&
		    add_threads(sb, list->items[i].pid, &listed))
			continue;
	return ret ?: sb->failed ? -ENOMEM : 0;
}

/*
 * The kernel adds the children of listed tasks. Those forked before their parent was listed are
 * found in /proc; their own children of that time are found in the next round. Repeat until a round
 * finds nothing. Each write copies the kernel's list and loses tasks that are added to the old list
 * at that moment; the next round finds these too.
 */
static int add_descendants(const struct instance *in, const struct log *log)
{
	struct process_list list = { 0 };
	struct strbuf __auto_free missing = { 0 };
	unsigned int round;
	int ret;

	for (round = 0; round < ROUNDS_MAX; round++) {
		strbuf_reset(&missing);
		ret = find_missing(in, &list, &missing);
		log_errno(log, LOG_ERROR, ret,
			  "cannot find the descendants of these processes: %m");
		if (ret || !missing.size)
			break;
		ret = set_pids(in, &missing, log);
		if (ret)
			break;
	}
	if (round == ROUNDS_MAX)
		log_msg(log, LOG_WARN,
			"these processes fork faster than their descendants can be listed: some are not recorded");
	free(list.items);
	return ret;
}

size_t events_nr_tasks(const struct instance *in)
{
	struct u64_map __auto_map listed = { 0 };
	size_t nr = 0;

	/* A task that ended while the list was written may have stayed on it. */
	if (!read_listed(in, &listed))
		for (size_t i = 0; i < listed.capacity; i++)
			nr += listed.slots[i].used &&
			      pids_runs((pid_t)listed.slots[i].key);
	return nr;
}

bool events_has_tasks(const struct instance *in)
{
	struct u64_map __auto_map listed = { 0 };
	bool any = read_listed(in, &listed);

	/* The kernel removes a task from its list when it ends, but a task that ended before it was
	 * listed stays there.
	 */
	for (size_t i = 0; i < listed.capacity && !any; i++)
		any = listed.slots[i].used && pids_runs((pid_t)listed.slots[i].key);
	return any;
}

/* --- whose events -------------------------------------------------------------------------- */

int events_only_pids(const struct instance *in, const pid_t *pids, size_t nr,
		     const struct log *log)
{
	struct strbuf __auto_free sb = { 0 };
	int ret = 0;

	for (size_t i = 0; !ret && i < nr; i++) {
		ret = add_threads(&sb, pids[i], NULL);
		if (ret)
			log_msg(log, LOG_ERROR, "%s %d%s\n  List the processes: ps -e",
				ret == -ESRCH ? "process" : "no process", (int)pids[i],
				ret == -ESRCH ? " has ended" : "");
	}
	if (!ret && sb.failed)
		ret = -ENOMEM;
	if (!ret && nr)
		ret = set_pids(in, &sb, log);
	if (!ret && nr)
		ret = add_descendants(in, log);
	return ret;
}

int events_follow(const struct instance *in, pid_t pid, const struct log *log)
{
	struct strbuf __auto_free sb = { 0 };

	strbuf_printf(&sb, "%d", (int)pid);
	return sb.failed ? -ENOMEM : set_pids(in, &sb, log);
}

int events_only_group(const struct instance *in, const char *dir, const struct log *log)
{
	struct strbuf __auto_free sb = { 0 };
	pid_t *pids __auto_mem = NULL;
	size_t nr = 0;
	int ret = cgroup_pids(dir, &pids, &nr);

	/* A process that has ended meanwhile is not an error. */
	for (size_t i = 0; !ret && i < nr; i++)
		if (pids[i] != getpid() && add_threads(&sb, pids[i], NULL))
			continue;
	if (!ret && sb.failed)
		ret = -ENOMEM;
	if (!ret && !sb.size)
		ret = -ESRCH;
	if (!ret)
		ret = set_pids(in, &sb, log);
	else if (ret == -ESRCH)
		log_msg(log, LOG_ERROR,
			"the control group %s has no process\n  Start it first, or record a command: --follow -- COMMAND",
			dir);
	else
		log_msg(log, LOG_ERROR,
			"cannot read the processes of the control group %s: %s", dir,
			strerror(-ret));
	return ret;
}

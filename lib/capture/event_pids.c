// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * capture: whose events the instance records.
 * In: processes, a control group. Out: set_event_pid of the instance.
 */
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "capture/cgroup.h"
#include "capture/events.h"
#include "capture/pids.h"

/* -ESRCH: it has ended, and only its number is left. */
static int add_threads(struct strbuf *sb, pid_t pid)
{
	bool any = false;
	struct dirent *entry;
	char path[64];
	DIR *dir;

	snprintf(path, sizeof(path), "/proc/%d/task", (int)pid);
	dir = opendir(path);
	if (!dir)
		return -errno;
	while ((entry = readdir(dir))) {
		if (entry->d_name[0] == '.' ||
		    !pids_runs((pid_t)strtol(entry->d_name, NULL, 10)))
			continue;
		strbuf_printf(sb, "%s ", entry->d_name);
		any = true;
	}
	closedir(dir);
	return any ? 0 : -ESRCH;
}

static int set_pids(const struct instance *in, const struct strbuf *pids, bool follow,
		    const struct log *log)
{
	int ret = follow ? instance_write(in, "options/event-fork", "1") : 0;

	if (ret) {
		log_msg(log, LOG_ERROR,
			"this kernel cannot follow forks: %s\n  Record the whole system instead: leave out --follow and -p",
			strerror(-ret));
		return ret;
	}
	ret = instance_append(in, "set_event_pid", strbuf_text(pids));
	if (ret)
		log_msg(log, LOG_ERROR,
			"cannot restrict tracing to processes %s: %s\n  Record the whole system instead: leave out --follow and -p",
			strbuf_text(pids), strerror(-ret));
	return ret;
}

int events_only_pids(const struct instance *in, const pid_t *pids, size_t nr, bool follow,
		     const struct log *log)
{
	struct strbuf sb = { 0 };
	int ret = 0;

	for (size_t i = 0; !ret && i < nr; i++) {
		ret = add_threads(&sb, pids[i]);
		if (ret)
			log_msg(log, LOG_ERROR, "%s %d%s\n  List the processes: ps -e",
				ret == -ESRCH ? "process" : "no process", (int)pids[i],
				ret == -ESRCH ? " has ended" : "");
	}
	if (!ret && sb.failed)
		ret = -ENOMEM;
	if (!ret && nr)
		ret = set_pids(in, &sb, follow, log);
	strbuf_free(&sb);
	return ret;
}

int events_follow(const struct instance *in, pid_t pid, const struct log *log)
{
	struct strbuf sb = { 0 };
	int ret;

	strbuf_printf(&sb, "%d", (int)pid);
	ret = sb.failed ? -ENOMEM : set_pids(in, &sb, true, log);
	strbuf_free(&sb);
	return ret;
}

int events_only_group(const struct instance *in, const char *dir, const struct log *log)
{
	struct strbuf sb = { 0 };
	pid_t *pids = NULL;
	size_t nr = 0;
	int ret = cgroup_pids(dir, &pids, &nr);

	/* Who has ended meanwhile is no error. */
	for (size_t i = 0; !ret && i < nr; i++)
		if (pids[i] != getpid() && add_threads(&sb, pids[i]))
			continue;
	free(pids);
	if (!ret && sb.failed)
		ret = -ENOMEM;
	if (!ret && !sb.size)
		ret = -ESRCH;
	if (!ret)
		ret = set_pids(in, &sb, true, log);
	else if (ret == -ESRCH)
		log_msg(log, LOG_ERROR,
			"the control group %s has no process\n  Start it first, or record a command: --follow -- COMMAND",
			dir);
	else
		log_msg(log, LOG_ERROR,
			"cannot read the processes of the control group %s: %s", dir,
			strerror(-ret));
	strbuf_free(&sb);
	return ret;
}

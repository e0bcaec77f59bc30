// SPDX-License-Identifier: GPL-2.0-or-later
#include "capture/events/cgroup.h"

#include <glob.h>
#include <unistd.h>

#include "base/array.h"
#include "base/io.h"
#include "base/strbuf.h"

#define PROCS "cgroup.procs"
/* Limit of nesting. */
#define DEEP  16

#define PATH_SIZE 4096

static bool is_group(const char *dir)
{
	char path[4200];

	return snprintf(path, sizeof(path), "%s/" PROCS, dir) < (int)sizeof(path) &&
	       access(path, R_OK) == 0;
}

/* Version 2 is mounted once; for version 1 the memory controller's groups are used. */
static bool may_hold_it(const char *type, const char *options)
{
	const char *at = strstr(options, "memory");

	if (!strcmp(type, "cgroup2"))
		return true;
	return !strcmp(type, "cgroup") && at && (at == options || at[-1] == ',') &&
	       (!at[6] || at[6] == ',');
}

/* Reports cut a container's ID (event/processes.c). */
#define ID_DIGITS 64
#define ID_SHOWN  12

/* The only group with all of the IDs that @path has as in reports; copies it there. */
static bool find_whole(char path[PATH_SIZE])
{
	struct strbuf __auto_free pattern = { 0 };
	glob_t found = { 0 };
	bool any = false, is_one;
	size_t digits;

	for (const char *at = path; *at; at += digits + !digits) {
		digits = strspn(at, "0123456789abcdefABCDEF");
		strbuf_puts(&pattern, digits ? "" : "\\");
		strbuf_add(&pattern, at, digits + !digits);
		for (int i = ID_SHOWN; digits == ID_SHOWN && i < ID_DIGITS; i++)
			strbuf_puts(&pattern, "[0-9a-fA-F]");
		any |= digits == ID_SHOWN;
	}
	is_one = any && !pattern.failed &&
		 !glob(strbuf_text(&pattern), GLOB_NOSORT, NULL, &found) &&
		 found.gl_pathc == 1 && strlen(found.gl_pathv[0]) < PATH_SIZE &&
		 is_group(found.gl_pathv[0]);
	if (is_one)
		memcpy(path, found.gl_pathv[0], strlen(found.gl_pathv[0]) + 1);
	globfree(&found);
	return is_one;
}

int cgroup_find(const char *name, const char *mounts, char **dir)
{
	char type[32], options[1024], mounted[1024], path[PATH_SIZE];
	FILE *f __auto_file = NULL;

	*dir = NULL;
	if (is_group(name)) {
		*dir = strdup(name);
		return *dir ? 0 : -ENOMEM;
	}
	f = fopen(mounts, "re");
	if (!f)
		return -errno;
	while (!*dir &&
	       fscanf(f, "%*s %1023s %31s %1023s%*[^\n]", mounted, type, options) == 3) {
		if (!may_hold_it(type, options) ||
		    snprintf(path, sizeof(path), "%s/%s", mounted,
			     name + strspn(name, "/")) >= (int)sizeof(path) ||
		    (!is_group(path) && !find_whole(path)))
			continue;
		*dir = strdup(path);
		if (!*dir)
			break;
	}
	return *dir ? 0 : -ENOENT;
}

static int read_procs(const char *dir, pid_t **pids, size_t *nr)
{
	FILE *f __auto_file = NULL;
	char path[4200];
	int pid;

	if (snprintf(path, sizeof(path), "%s/" PROCS, dir) >= (int)sizeof(path))
		return 0;
	f = fopen(path, "re");
	/* The group may be gone by now. */
	if (!f)
		return 0;
	errno = 0;
	while (fscanf(f, "%d", &pid) == 1) {
		/* 0: a process outside this PID namespace. */
		if (pid <= 0)
			continue;
		if (array_grow(pids, *nr, sizeof(**pids)))
			return -ENOMEM;
		(*pids)[(*nr)++] = pid;
	}
	return ferror(f) && errno == EOPNOTSUPP ? -EOPNOTSUPP : 0;
}

/* Recursion ends at PATH_MAX, as @dir grows in each step. */
static int add_group(const char *dir, unsigned int depth, pid_t **pids, size_t *nr)
{
	char path[4096];
	const struct dirent *entry;
	DIR *d __auto_dir = opendir(dir);
	int ret;

	if (!d)
		return -errno;
	ret = read_procs(dir, pids, nr);
	while (!ret && depth < DEEP && (entry = readdir(d))) {
		if (entry->d_type != DT_DIR || entry->d_name[0] == '.' ||
		    snprintf(path, sizeof(path), "%s/%s", dir, entry->d_name) >=
			    (int)sizeof(path))
			continue;
		ret = add_group(path, depth + 1, pids, nr);
		/* The group may be gone by now. */
		if (ret != -ENOMEM)
			ret = 0;
	}
	return ret;
}

int cgroup_pids(const char *dir, pid_t **pids, size_t *nr)
{
	int ret;

	*pids = NULL;
	*nr = 0;
	ret = add_group(dir, 0, pids, nr);
	if (ret) {
		free(*pids);
		*pids = NULL;
		*nr = 0;
	}
	return ret;
}

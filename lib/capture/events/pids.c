// SPDX-License-Identifier: GPL-2.0-or-later
#include "capture/events/pids.h"

#include <fcntl.h>
#include <glob.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/array.h"
#include "base/bytes.h"
#include "base/io.h"
#include "capture/events/ring_reader.h"

/* include/linux/proc_ns.h: PROC_PID_INIT_INO */
#define FIRST_NAMESPACE 0xEFFFFFFCU

bool pids_in_first_namespace(void)
{
	struct stat st;

	return !stat("/proc/self/ns/pid", &st) && st.st_ino == FIRST_NAMESPACE;
}

/* proc(5): state and parent come after the name, which may hold any character. */
static int read_stat(pid_t pid, char *state, pid_t *parent)
{
	struct strbuf __auto_free sb = { 0 };
	const char *at;
	char path[64];
	int ret;

	snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	ret = instance_read_top(path, &sb);
	at = ret ? NULL : strrchr(strbuf_text(&sb), ')');
	if (!ret && (!at || at[1] != ' ' || !at[2]))
		ret = -EINVAL;
	if (!ret) {
		*state = at[2];
		*parent = (pid_t)strtol(at + 3, NULL, 10);
	}
	return ret;
}

static bool has_ended(char state)
{
	return state == 'Z' || state == 'X';
}

bool pids_runs(pid_t pid)
{
	pid_t parent;
	char state;
	int ret = read_stat(pid, &state, &parent);

	return ret ? ret != -ENOENT && ret != -ESRCH : !has_ended(state);
}

pid_t pids_parent(pid_t pid)
{
	pid_t parent;
	char state;

	return read_stat(pid, &state, &parent) || has_ended(state) ? -1 : parent;
}

int pids_begin(const struct instance *in)
{
	int fd = instance_open(in, "trace_marker", O_WRONLY);
	int ret = fd < 0 ? fd : instance_write(in, "tracing_on", "1");

	if (ret < 0)
		io_close(&fd);
	return ret < 0 ? ret : fd;
}

/* --- reading ----------------------------------------------------------------------------- */

/* The process number of @rec; common_pid has been at this offset since 2.6.31. */
static pid_t pid_of(const struct raw_record *rec)
{
	return rec->size < 8 ? 0 : (pid_t)get_u32(rec->data + 4, HOST_BIG_ENDIAN);
}

static bool has_line(const struct raw_record *rec, const char *line)
{
	return memmem(rec->data, rec->size, line, strlen(line)) != NULL;
}

static int find_line(void *ctx, const struct raw_record *rec)
{
	struct pids *out = ctx;

	if (has_line(rec, PIDS_RECORDER))
		out->self = pid_of(rec);
	else if (has_line(rec, PIDS_COMMAND))
		out->command = pid_of(rec);
	return 0;
}

static int read_cpu(struct pids *out, const struct instance *in, uint32_t cpu,
		    const struct ring_reader *r, char *page)
{
	int fd __auto_fd = instance_open_pipe(in, cpu), ret = 0;
	ssize_t n;

	while (!ret && fd >= 0 &&
	       (n = read(fd, page, r->subbuf_size)) > (ssize_t)r->data_offset) {
		/* A short read leaves the rest as it was. */
		memset(page + n, 0, r->subbuf_size - (size_t)n);
		ret = ring_reader_records(r, page, (size_t)n, find_line, out);
	}
	return ret;
}

static int read_lines(struct pids *out, const struct instance *in)
{
	struct strbuf __auto_free sb = { 0 };
	struct ring_reader r;
	char *page __auto_mem = NULL;
	uint32_t *cpus __auto_mem = NULL;
	size_t nr;
	int ret = instance_read(in, "events/header_page", &sb);

	ret = ret ?: ring_reader_init(&r, strbuf_text(&sb));
	if (ret)
		return ret;
	page = malloc(r.subbuf_size);
	ret = page ? instance_cpus(in, &cpus, &nr) : -ENOMEM;
	for (size_t i = 0; !ret && i < nr; i++)
		ret = read_cpu(out, in, cpus[i], &r, page);
	return ret;
}

/* Does /proc use the kernel's number for this process? */
static bool proc_agrees(pid_t self)
{
	char text[32] = "";

	return self && readlink("/proc/self", text, sizeof(text) - 1) > 0 &&
	       strtol(text, NULL, 10) == self;
}

void pids_end(struct pids *out, const struct instance *in, int marker_fd, pid_t command,
	      const struct log *log)
{
	int ret = marker_fd;

	*out = (struct pids){ 0 };
	if (marker_fd >= 0) {
		ret = write(marker_fd, PIDS_RECORDER, strlen(PIDS_RECORDER)) < 0 ? -errno
										 : 0;
		close(marker_fd);
		ret = ret ?: instance_write(in, "tracing_on", "0");
		ret = ret ?: read_lines(out, in);
		if (instance_write(in, "trace", "") < 0)
			log_msg(log, LOG_DEBUG, "cannot clear %s", in->name);
	}
	if (!out->self && pids_in_first_namespace())
		*out = (struct pids){ .self = getpid(), .command = command };
	if (!out->self)
		log_msg(log, LOG_INFO,
			"cannot determine the kernel's ID of this process: %s",
			ret < 0 ? strerror(-ret) : "its line did not come back");
	out->proc_agrees = proc_agrees(out->self);
}

/* --- control groups ------------------------------------------------------------------------ */

#define PROCS "cgroup.procs"
/* Limit of nested groups. */
#define DEEP  16

#define PATH_SIZE 4096

static bool is_group(const char *dir)
{
	char path[4200];

	return snprintf(path, sizeof(path), "%s/" PROCS, dir) < (int)sizeof(path) &&
	       access(path, R_OK) == 0;
}

/* Version 2 is mounted once; for version 1 the memory controller's groups are used. */
static bool may_have_group(const char *type, const char *options)
{
	return !strcmp(type, "cgroup2") ||
	       (!strcmp(type, "cgroup") && text_has_word(options, ',', "memory"));
}

/* Reports cut a container's ID (event/processes.c). */
#define ID_DIGITS 64
#define ID_SHOWN  12

/* Completes the shortened IDs in @path, if exactly one group matches. */
static bool complete_ids(char path[PATH_SIZE])
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
		if (!may_have_group(type, options) ||
		    snprintf(path, sizeof(path), "%s/%s", mounted,
			     name + strspn(name, "/")) >= (int)sizeof(path) ||
		    (!is_group(path) && !complete_ids(path)))
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
		if (array_grow(pids, *nr))
			return -ENOMEM;
		(*pids)[(*nr)++] = pid;
	}
	return ferror(f) && errno == EOPNOTSUPP ? -EOPNOTSUPP : 0;
}

/* DEEP bounds the recursion. */
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
	*pids = NULL;
	*nr = 0;
	return add_group(dir, 0, pids, nr);
}

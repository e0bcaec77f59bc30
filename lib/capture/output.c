// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * capture: the output file's life.
 * In: a path. Out: a complete file under it, or nothing.
 */
#include "capture/output.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "capture/leftover.h"

/* Room for the metadata, of which kallsyms is most (5.4 MB on Linux 6.18), and for the
 * piece of a part that is being moved. A small disk gets what it has.
 */
#define RESERVE_MAX (12U << 20)
#define RESERVE_MIN (256U << 10)

#define SECOND_SUFFIX ".second"

static int complain(const char *what, const char *path, int err, const struct log *log)
{
	log_msg(log, LOG_ERROR,
		"cannot %s %s: %s\n  Choose another place for the recording: -o FILE",
		what, path, strerror(err));
	return -err;
}

/* --- leftovers --------------------------------------------------------------------------- */

/* One that holds no pages is removed; what was recorded is the user's. */
static void look_at_leftover(const char *tmp, const struct log *log)
{
	struct leftover l;

	if (leftover_open(&l, tmp) == 0) {
		if (leftover_has_pages(&l))
			log_msg(log, LOG_WARN,
				"an earlier recording to %s was interrupted\n  Get what it had recorded: kmemx recover %s\n  Or remove it: rm %s.*",
				l.path, l.tmp, l.prefix);
		else if (leftover_remove(&l) == 0)
			log_msg(log, LOG_INFO,
				"removed %s.*, an empty recording of a killed kmemx",
				l.prefix);
	}
	leftover_close(&l);
}

static void look_for_leftovers(const char *dir, const char *name, const struct log *log)
{
	char **tmps;
	size_t nr;

	if (leftovers_find(dir, name, &tmps, &nr))
		return;
	for (size_t i = 0; i < nr; i++)
		look_at_leftover(tmps[i], log);
	leftovers_free(tmps, nr);
}

/* --- opening ----------------------------------------------------------------------------- */

static void reserve(struct output *o, const char *dir, const struct log *log)
{
	off_t size = RESERVE_MAX;
	int ret;

	o->reserve_fd = open(dir, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
	if (o->reserve_fd < 0)
		return;
	do {
		ret = fallocate(o->reserve_fd, 0, 0, size);
		size /= 2;
	} while (ret < 0 && errno == ENOSPC && size >= RESERVE_MIN);
	if (ret < 0)
		log_msg(log, LOG_INFO, "cannot reserve room in %s: %s", dir,
			strerror(errno));
}

/* A device or a directory must not be renamed away. */
static int check_existing(const char *path, const struct log *log)
{
	struct stat st;

	if (stat(path, &st) < 0 || S_ISREG(st.st_mode))
		return 0;
	log_msg(log, LOG_ERROR,
		"cannot record to %s: not a regular file\n  Choose another place for the recording: -o FILE",
		path);
	return S_ISDIR(st.st_mode) ? -EISDIR : -EINVAL;
}

static int set_names(struct output *o, const char *dir, const char *base)
{
	if (asprintf(&o->prefix, "%s/.%s.%d", dir, base, (int)getpid()) < 0)
		o->prefix = NULL;
	if (!o->prefix || asprintf(&o->tmp, "%s.tmp", o->prefix) < 0)
		o->tmp = NULL;
	return o->tmp ? 0 : -ENOMEM;
}

int output_open(struct output *o, const char *path, const struct log *log)
{
	const char *slash = strrchr(path, '/');
	const char *base = slash ? slash + 1 : path;
	char *dir = slash ? strndup(path, (size_t)(slash - path) + 1) : strdup(".");
	int ret = -ENOMEM;

	*o = OUTPUT_INIT;
	o->path = strdup(path);
	if (!dir || !o->path)
		goto out;
	ret = check_existing(path, log);
	if (ret)
		goto out;
	if (!*base) {
		ret = complain("record to", path, EISDIR, log);
		goto out;
	}
	ret = set_names(o, dir, base);
	if (ret)
		goto out;
	look_for_leftovers(dir, base, log);
	o->fd = open(o->tmp, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (o->fd < 0) {
		ret = complain("write to", path, errno, log);
		goto out;
	}
	if (flock(o->fd, LOCK_EX | LOCK_NB) < 0)
		log_msg(log, LOG_DEBUG, "cannot lock %s: %s", o->tmp, strerror(errno));
	reserve(o, dir, log);
out:
	free(dir);
	return ret;
}

void output_release_reserve(struct output *o)
{
	if (o->reserve_fd >= 0)
		close(o->reserve_fd);
	o->reserve_fd = -1;
}

bool output_has_room(const struct output *o, uint64_t bytes)
{
	struct statvfs st;

	if (fstatvfs(o->fd, &st) < 0)
		return false;
	return (uint64_t)st.f_bavail * st.f_frsize > bytes + bytes / 8 + RESERVE_MAX;
}

/* --- a second file ----------------------------------------------------------------------- */

int output_open_second(struct output *o)
{
	int err;

	if (asprintf(&o->second, "%s" SECOND_SUFFIX, o->prefix) < 0) {
		o->second = NULL;
		return -ENOMEM;
	}
	o->second_fd = open(o->second, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	if (o->second_fd >= 0)
		return 0;
	err = errno;
	free(o->second);
	o->second = NULL;
	return -err;
}

int output_use_second(struct output *o)
{
	if (flock(o->second_fd, LOCK_EX | LOCK_NB) < 0 || rename(o->second, o->tmp) < 0)
		return -errno;
	close(o->fd);
	o->fd = o->second_fd;
	o->second_fd = -1;
	free(o->second);
	o->second = NULL;
	return 0;
}

void output_drop_second(struct output *o)
{
	if (o->second_fd >= 0) {
		unlink(o->second);
		close(o->second_fd);
	}
	o->second_fd = -1;
	free(o->second);
	o->second = NULL;
}

/* --- ending ------------------------------------------------------------------------------ */

static int keep_old(const struct output *o, const struct log *log)
{
	char *old;
	int ret = 0;

	if (access(o->path, F_OK) < 0)
		return 0;
	if (asprintf(&old, "%s.old", o->path) < 0)
		return -ENOMEM;
	if (rename(o->path, old) < 0)
		ret = complain("rename the existing file to", old, errno, log);
	free(old);
	return ret;
}

int output_commit(struct output *o, uid_t uid, gid_t gid, const struct log *log)
{
	int ret;

	if ((uid != (uid_t)-1 || gid != (gid_t)-1) && fchown(o->fd, uid, gid) < 0)
		log_msg(log, LOG_INFO, "cannot give %s to user %u: %s", o->path,
			(unsigned int)uid, strerror(errno));
	ret = keep_old(o, log);
	if (ret)
		return ret;
	if (rename(o->tmp, o->path) < 0)
		return complain("write to", o->path, errno, log);
	close(o->fd);
	o->fd = -1;
	return 0;
}

void output_close(struct output *o)
{
	output_release_reserve(o);
	output_drop_second(o);
	if (o->fd >= 0) {
		unlink(o->tmp);
		close(o->fd);
	}
	free(o->path);
	free(o->prefix);
	free(o->tmp);
	*o = OUTPUT_INIT;
}

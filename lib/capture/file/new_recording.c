// SPDX-License-Identifier: GPL-2.0-or-later
#include "capture/file/new_recording.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/io.h"
#include "base/safe_text.h"
#include "capture/events/leftover.h"
#include "capture/file/dead.h"

/* The largest reservation; otherwise it is this share of the free space. */
#define RESERVE_MAX   (12U << 20)
#define RESERVE_SHARE 8
/* Room needed besides a copy of all pages: kallsyms is 5.4 MB on Linux 6.18. */
#define ROOM_MARGIN   (12U << 20)

static int complain(const char *what, const char *path, int err, const struct log *log)
{
	if (err == ENOMEM)
		log_msg(log, LOG_ERROR, "cannot %s %s: %s", what, path, strerror(err));
	else if (err == EPERM)
		log_msg(log, LOG_ERROR,
			"cannot %s %s: its directory is not writable, or a symbolic link of another user\n  Name the directory itself, or choose another: -o FILE",
			what, path);
	else
		log_msg(log, LOG_ERROR,
			"cannot %s %s: %s\n  Choose another place for the recording: -o FILE",
			what, path, strerror(err));
	return -err;
}

/* --- leftovers --------------------------------------------------------------------------- */

/* Removes a leftover without events; recorded events are kept for the user. 0; -EBUSY: its recorder
 * lives.
 */
static int check_leftover(const char *tmp, const struct log *log)
{
	struct leftover l;
	int ret = leftover_open(&l, tmp);

	if (!ret) {
		if (dead_has_events(&l, log))
			log_msg(log, LOG_WARN,
				"an earlier recording to %s was interrupted\n  Recover it: kmemx recover %s\n  Or remove it: rm -r %s.*",
				l.path, SHELL_NAME(l.tmp), SHELL_NAME(l.prefix));
		else if (leftover_remove(&l) == 0)
			log_msg(log, LOG_INFO,
				"removed %s.*, an empty recording of a killed kmemx",
				l.prefix);
	}
	leftover_close(&l);
	return ret == -EBUSY ? ret : 0;
}

/* Checks all leftovers. 0; -EBUSY: a recorder lives. */
static int check_leftovers(const char *dir, const char *name, const struct log *log)
{
	char **tmps;
	size_t nr;
	int ret = 0, err = leftovers_find(dir, name, &tmps, &nr);

	for (size_t i = 0; !err && i < nr; i++)
		ret = check_leftover(tmps[i], log) ? -EBUSY : ret;
	leftovers_free(tmps, nr);
	return ret;
}

/* --- opening ----------------------------------------------------------------------------- */

/* A device or a directory must not be renamed away, nor a link such as /dev/stdout to a file that
 * the shell has opened for us.
 */
static int check_existing(int dir_fd, const char *name, const char *path,
			  const struct log *log)
{
	struct stat st, standard;
	bool taken = false;

	if (fstatat(dir_fd, name, &st, 0) < 0)
		return 0;
	for (int fd = STDOUT_FILENO; fd <= STDERR_FILENO; fd++)
		taken |= !fstat(fd, &standard) && st.st_dev == standard.st_dev &&
			 st.st_ino == standard.st_ino;
	if (S_ISREG(st.st_mode) && !taken)
		return 0;
	log_msg(log, LOG_ERROR,
		"cannot record to %s: %s\n  Choose another place for the recording: -o FILE",
		path, taken ? "it is open as standard output" : "not a regular file");
	return S_ISDIR(st.st_mode) ? -EISDIR : -EINVAL;
}

/* Sets @o->file.dir_fd and the file's name. */
static int find_place(struct new_recording *o, const char *path, const struct log *log)
{
	const char *name;

	*o = NEW_RECORDING_INIT;
	if (!strcmp(path, "-")) {
		log_msg(log, LOG_ERROR,
			"cannot write to standard output: the file is written in several places\n  Name a file: -o FILE");
		return -EINVAL;
	}
	o->path = strdup(path);
	if (!o->path)
		return complain("write to", path, ENOMEM, log);
	o->file.dir_fd = new_file_dir(path, &name);
	if (o->file.dir_fd < 0)
		return complain(o->file.dir_fd == -EISDIR ? "record to" : "write to",
				path, -o->file.dir_fd, log);
	o->file.name = strdup(name);
	if (!o->file.name)
		return complain("write to", path, ENOMEM, log);
	return check_existing(o->file.dir_fd, name, path, log);
}

int new_recording_open(struct new_recording *o, const char *path, const struct log *log)
{
	int ret = find_place(o, path, log);
	struct new_file place = o->file;

	if (ret)
		return ret;
	ret = new_file_open_at(&o->file, place.dir_fd, place.name, NULL);
	new_file_close(&place);
	return ret ? complain("write to", path, -ret, log) : 0;
}

/* The directory of @path as text, for messages. */
static char *dir_of(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? strndup(path, (size_t)(slash - path) + 1) : strdup(".");
}

/* Only one recorder at a time may look for others and make its file. Another user may hold the lock
 * for a long time, so continue without it after a second.
 */
static void lock_directory(int fd)
{
	const struct timespec pause = { .tv_nsec = 20000000 };

	for (int i = 0; i < 50 && flock(fd, LOCK_EX | LOCK_NB) < 0; i++) {
		if (errno != EWOULDBLOCK)
			return;
		nanosleep(&pause, NULL);
	}
}

/* Puts the file into a directory that git ignores, if one can be made. 0 or -ENOMEM. */
static int use_inside(struct new_recording *o)
{
	struct new_file *f = &o->file;

	f->inside_fd = new_file_make_dir(f->dir_fd, f->hidden);
	if (f->inside_fd < 0)
		return 0;
	f->inside = f->hidden;
	free(o->prefix);
	o->prefix = strdup(LEFTOVER_INSIDE);
	f->hidden = strdup(LEFTOVER_INSIDE LEFTOVER_SUFFIX);
	return o->prefix && f->hidden ? 0 : -ENOMEM;
}

/* Makes and locks the hidden file. */
static int make_hidden(struct new_recording *o, const char *dir, bool alone,
		       const struct log *log)
{
	struct new_file *f = &o->file;
	int ret = check_leftovers(dir, f->name, log);

	if (ret && alone) {
		log_msg(log, LOG_ERROR,
			"cannot record to %s: another kmemx is recording to it\n  Choose another name for the recording: -o FILE",
			o->path);
		return ret;
	}
	ret = use_inside(o);
	f->fd = ret ? ret : new_file_create(new_file_hidden_dir(f), f->hidden);
	if (f->fd < 0)
		return complain("write to", o->path, -f->fd, log);
	if (flock(f->fd, LOCK_EX | LOCK_NB) < 0)
		log_msg(log, LOG_DEBUG, "cannot lock %s: %s", f->hidden, strerror(errno));
	return 0;
}

int new_recording_open_recorder(struct new_recording *o, const char *path,
				const char *token, bool alone, const struct log *log)
{
	struct new_file *f = &o->file;
	int ret = find_place(o, path, log);
	char *dir __auto_mem = dir_of(path);

	if (!ret && asprintf(&o->prefix, ".%s.%s", f->name, token) < 0)
		o->prefix = NULL;
	if (!ret && o->prefix &&
	    asprintf(&f->hidden, "%s" LEFTOVER_SUFFIX, o->prefix) < 0)
		f->hidden = NULL;
	if (!ret && (!f->hidden || !dir))
		ret = complain("write to", path, ENOMEM, log);
	if (ret)
		return ret;
	lock_directory(f->dir_fd);
	ret = make_hidden(o, dir, alone, log);
	flock(f->dir_fd, LOCK_UN);
	if (ret) {
		free(f->hidden);
		f->hidden = NULL;
	}
	return ret;
}

/* --- room on the disk -------------------------------------------------------------------- */

bool new_recording_has_room(const struct new_recording *o, uint64_t bytes)
{
	uint64_t room;

	return !io_room(o->file.fd, &room) && room > bytes + bytes / 8 + ROOM_MARGIN;
}

int new_recording_reserve(struct new_recording *o, uint64_t least)
{
	uint64_t size;
	int ret;

	size = io_room(o->file.fd, &size) ? 0 : size / RESERVE_SHARE;
	size = SMALLER(size, RESERVE_MAX);
	size = LARGER(size, least);
	new_recording_release_reserve(o);
	o->reserve_fd = new_file_unnamed(new_file_hidden_dir(&o->file), false);
	if (o->reserve_fd < 0)
		return o->reserve_fd;
	ret = fallocate(o->reserve_fd, 0, 0, (off_t)size) < 0 ? -errno : 0;
	if (!ret)
		o->reserved = size;
	else
		/* Some filesystems keep a partial allocation. */
		new_recording_release_reserve(o);
	return ret;
}

bool new_recording_shrink_reserve(struct new_recording *o, uint64_t least)
{
	if (o->reserve_fd < 0 || o->reserved <= least ||
	    ftruncate(o->reserve_fd, (off_t)least) < 0)
		return false;
	o->reserved = least;
	return true;
}

void new_recording_release_reserve(struct new_recording *o)
{
	io_close(&o->reserve_fd);
	o->reserved = 0;
}

/* --- a second file ----------------------------------------------------------------------- */

int new_recording_open_second(struct new_recording *o)
{
	const struct new_file *f = &o->file;

	return new_file_open_at(&o->second, new_file_hidden_dir(f),
				f->hidden ? f->hidden : f->name, NULL);
}

int new_recording_use_second(struct new_recording *o)
{
	struct new_file *f = &o->file;
	int ret, fd;

	if (f->hidden) {
		ret = flock(o->second.fd, LOCK_EX | LOCK_NB) < 0
			      ? -errno
			      : new_file_commit(&o->second);
		if (ret)
			return ret;
	}
	fd = f->fd;
	f->fd = o->second.fd;
	o->second.fd = fd;
	new_file_close(&o->second);
	return 0;
}

/* --- ending ------------------------------------------------------------------------------ */

/* The recording exists but cannot be given its name: it stays where it is. Returns @err. */
static int keep_hidden(struct new_recording *o, int err, const struct log *log)
{
	const char *slash = strrchr(o->path, '/');
	int dir = slash ? (int)(slash - o->path) + 1 : 0, kept = new_file_keep(&o->file);
	const char *inside = o->file.inside ? o->file.inside : "";
	struct stat st;
	char *name;

	if (!fstat(o->file.fd, &st) && !st.st_nlink)
		return log_errno(
			log, LOG_ERROR, err,
			"the recording is lost: another process has removed its file or directory");
	if (kept || asprintf(&name, "%.*s%s%s%s", dir, o->path, inside,
			     *inside ? "/" : "", o->file.hidden) < 0)
		return err;
	log_msg(log, LOG_ERROR,
		"the recording is complete, but has another name: %s\n  Move it: mv %s NAME",
		name, SHELL_NAME(name));
	free(name);
	return err;
}

static int keep_old(const struct new_recording *o, const struct log *log)
{
	const struct new_file *f = &o->file;
	struct stat st;
	char *old;
	int ret = 0;

	if (fstatat(f->dir_fd, f->name, &st, AT_SYMLINK_NOFOLLOW) < 0)
		return 0;
	if (asprintf(&old, "%s.old", f->name) < 0)
		return -ENOMEM;
	if (renameat(f->dir_fd, f->name, f->dir_fd, old) < 0)
		ret = complain("rename the existing file to", old, errno, log);
	free(old);
	return ret;
}

int new_recording_rename(struct new_recording *o, const char *path)
{
	char *name = strdup(text_after_slash(path)), *copy = strdup(path);

	if (!name || !copy) {
		free(name);
		free(copy);
		return -ENOMEM;
	}
	free(o->path);
	free(o->file.name);
	o->path = copy;
	o->file.name = name;
	return 0;
}

/* Use the descriptor: another file may have the name by now. */
static void give(const struct new_recording *o, int fd, const struct log *log)
{
	int ret = new_file_give(fd);

	log_errno(log, LOG_INFO, ret, "cannot give %s to user %u: %m", o->path,
		  new_file_sudo_id("SUDO_UID"));
}

int new_recording_commit(struct new_recording *o, bool recorded, const struct log *log)
{
	int ret = keep_old(o, log);

	if (ret)
		return keep_hidden(o, ret, log);
	ret = new_file_commit(&o->file);
	if (ret)
		return keep_hidden(o, complain("write to", o->path, -ret, log), log);
	if (recorded)
		give(o, o->file.fd, log);
	return 0;
}

int new_recording_commit_other(struct new_recording *o, int dir_fd, const char *name,
			       int fd, const struct log *log)
{
	struct stat here, there;
	int ret;

	if (fstat(fd, &there) < 0 || fstat(o->file.dir_fd, &here) < 0)
		return complain("write to", o->path, errno, log);
	if (here.st_dev != there.st_dev)
		return -EXDEV;
	ret = keep_old(o, log);
	if (!ret && renameat(dir_fd, name, o->file.dir_fd, o->file.name) < 0)
		ret = complain("write to", o->path, errno, log);
	if (!ret)
		give(o, fd, log);
	return ret;
}

void new_recording_close(struct new_recording *o)
{
	new_recording_release_reserve(o);
	new_file_close(&o->second);
	new_file_close(&o->file);
	free(o->path);
	free(o->prefix);
	*o = NEW_RECORDING_INIT;
}

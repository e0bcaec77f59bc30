// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * capture: the tracefs instance's life, and access to its files.
 * In: tracefs. Out: an instance "kmemx-PID"; leftovers of dead owners are removed.
 */
#include "capture/instance.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <time.h>
#include <tracefs.h>
#include <unistd.h>

#define NAME_PREFIX   "kmemx-"
#define DEFAULT_MOUNT "/sys/kernel/tracing"

/* --- finding tracefs --------------------------------------------------------------------- */

/* Is the kernel locked down so far that even root may not trace? */
static bool locked_down(void)
{
	struct strbuf sb = { 0 };
	bool locked = instance_read_top("/sys/kernel/security/lockdown", &sb) == 0 &&
		      strstr(strbuf_text(&sb), "[confidentiality]");

	strbuf_free(&sb);
	return locked;
}

static int explain(const char *dir, int err, const char *retry, const struct log *log)
{
	if (geteuid() != 0)
		log_msg(log, LOG_ERROR,
			"cannot open tracefs at %s: %s\n  Recording needs root. Try: sudo %s",
			dir, strerror(err), retry);
	else if (locked_down())
		log_msg(log, LOG_ERROR,
			"cannot open tracefs at %s: %s\n  The kernel is locked down (confidentiality), which forbids tracing.\n  Boot without lockdown=confidentiality to record here.",
			dir, strerror(err));
	else if (err == ENOENT || err == ENODEV)
		log_msg(log, LOG_ERROR,
			"no tracefs at %s: %s\n  The kernel needs CONFIG_FTRACE; in a container, mount tracefs from the host.",
			dir, strerror(err));
	else
		log_msg(log, LOG_ERROR,
			"cannot use tracefs at %s: %s\n  In a container or sandbox, tracing needs CAP_SYS_ADMIN and a writable tracefs.",
			dir, strerror(err));
	return -err;
}

/* tracefs' directory, mounted if it must be; NULL with errno. */
static const char *tracing_dir(void)
{
	const char *dir;

	tracefs_set_loglevel(TEP_LOG_NONE); /* the library's own messages go to stderr */
	dir = tracefs_tracing_dir();
	if (dir && access(dir, F_OK) == 0)
		return dir;
	if (mount("nodev", DEFAULT_MOUNT, "tracefs", 0, NULL) < 0 && errno != EBUSY)
		return NULL;
	return tracefs_tracing_dir();
}

/* --- leftovers --------------------------------------------------------------------------- */

/* Does a live process of this number call itself kmemx? */
static bool owner_alive(const char *pid)
{
	struct strbuf sb = { 0 };
	char path[64];
	bool alive;

	snprintf(path, sizeof(path), "/proc/%.20s/comm", pid);
	alive = instance_read_top(path, &sb) == 0 &&
		strncmp(strbuf_text(&sb), "kmemx", 5) == 0;
	strbuf_free(&sb);
	return alive;
}

/* Removes @name unless its owner lives: an owner holds the directory's lock. */
static void sweep_one(int instances, const char *name, const struct log *log)
{
	int fd = openat(instances, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	int on;

	if (fd < 0)
		return;
	if (flock(fd, LOCK_EX | LOCK_NB) < 0 || owner_alive(name + strlen(NAME_PREFIX)))
		goto out;
	on = openat(fd, "tracing_on", O_WRONLY | O_CLOEXEC);
	if (on >= 0) {
		if (write(on, "0", 1) != 1)
			log_msg(log, LOG_DEBUG, "cannot stop tracing in %s", name);
		close(on);
	}
	if (unlinkat(instances, name, AT_REMOVEDIR) == 0)
		log_msg(log, LOG_INFO,
			"removed the tracing instance %s of a killed kmemx", name);
	else
		log_msg(log, LOG_WARN,
			"cannot remove the tracing instance %s of a killed kmemx: %s",
			name, strerror(errno));
out:
	close(fd);
}

static bool is_our_name(const char *name)
{
	size_t prefix = strlen(NAME_PREFIX);

	if (strncmp(name, NAME_PREFIX, prefix) != 0 || !name[prefix])
		return false;
	for (const char *p = name + prefix; *p; p++)
		if (!isdigit((unsigned char)*p))
			return false;
	return true;
}

static int sweep(const char *tracing, const struct log *log)
{
	struct dirent *entry;
	char path[4096];
	DIR *dir;

	snprintf(path, sizeof(path), "%s/instances", tracing);
	dir = opendir(path);
	if (!dir)
		return -errno;
	while ((entry = readdir(dir)))
		if (is_our_name(entry->d_name))
			sweep_one(dirfd(dir), entry->d_name, log);
	closedir(dir);
	return 0;
}

/* --- the instance ------------------------------------------------------------------------ */

/* Takes the owner's lock; fails if a sweeping kmemx was quicker. */
static int lock_instance(struct instance *in)
{
	char *path = tracefs_instance_get_dir(in->tracefs);
	struct stat st;

	if (!path)
		return -ENOMEM;
	in->lock_fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	tracefs_put_tracing_file(path);
	if (in->lock_fd < 0 || flock(in->lock_fd, LOCK_EX | LOCK_NB) < 0)
		return -errno;
	return fstat(in->lock_fd, &st) < 0 || !st.st_nlink ? -ENOENT : 0;
}

/* tracefs as one that may trace finds it; -errno after an LOG_ERROR message. */
static int open_tracing(const char **dir, const char *retry, const struct log *log)
{
	*dir = tracing_dir();
	if (!*dir)
		return explain(DEFAULT_MOUNT, errno ? errno : ENOENT, retry, log);
	if (access(*dir, R_OK | W_OK | X_OK) < 0)
		return explain(*dir, errno, retry, log);
	return 0;
}

int instance_create(struct instance *in, const char *retry, const struct log *log)
{
	const char *dir;
	int ret;

	*in = (struct instance){ .lock_fd = -1 };
	ret = open_tracing(&dir, retry, log);
	if (ret)
		return ret;
	ret = sweep(dir, log);
	if (ret == -ENOENT) {
		log_msg(log, LOG_ERROR,
			"tracefs at %s has no instances\n  kmemx leaves the top ring buffer alone and needs one of its own (Linux 3.10 or later).",
			dir);
		return -ENOTSUP;
	}
	if (ret)
		return explain(dir, -ret, retry, log);

	snprintf(in->name, sizeof(in->name), NAME_PREFIX "%d", (int)getpid());
	in->tracefs = tracefs_instance_create(in->name);
	if (!in->tracefs)
		return explain(dir, errno ? errno : EIO, retry, log);
	if (!tracefs_instance_is_new(in->tracefs)) {
		log_msg(log, LOG_ERROR,
			"a tracing instance %s exists and is in use\n  Remove it with: rmdir %s/instances/%s",
			in->name, dir, in->name);
		tracefs_instance_free(in->tracefs);
		in->tracefs = NULL;
		return -EEXIST;
	}
	ret = lock_instance(in);
	if (!ret)
		ret = instance_write(in, "tracing_on", "0");
	if (ret) {
		explain(dir, -ret, retry, log);
		instance_destroy(in, log);
	}
	return ret;
}

int instance_adopt(struct instance *in, pid_t pid)
{
	int ret;

	*in = (struct instance){ .lock_fd = -1 };
	if (!tracing_dir())
		return -ENOENT;
	snprintf(in->name, sizeof(in->name), NAME_PREFIX "%d", (int)pid);
	if (!tracefs_instance_exists(in->name))
		return -ENOENT;
	if (owner_alive(in->name + strlen(NAME_PREFIX)))
		return -EBUSY;
	in->tracefs = tracefs_instance_alloc(NULL, in->name);
	if (!in->tracefs)
		return -ENOMEM;
	ret = lock_instance(in);
	if (!ret)
		ret = instance_write(in, "tracing_on", "0");
	if (ret) {
		if (in->lock_fd >= 0)
			close(in->lock_fd);
		tracefs_instance_free(in->tracefs);
		*in = (struct instance){ .lock_fd = -1 };
	}
	return ret == -EWOULDBLOCK ? -EBUSY : ret;
}

void instance_destroy(struct instance *in, const struct log *log)
{
	const struct timespec pause = { .tv_nsec = 20 * 1000 * 1000 };
	int err = 0;

	if (!in->tracefs)
		return;
	if (instance_write(in, "tracing_on", "0") < 0)
		log_msg(log, LOG_DEBUG, "cannot stop tracing in %s", in->name);
	/* A curious reader of the instance's files makes it busy for a moment. */
	for (int try = 0; try < 50; try++) {
		err = tracefs_instance_destroy(in->tracefs) < 0 ? errno : 0;
		if (err != EBUSY)
			break;
		nanosleep(&pause, NULL);
	}
	if (err)
		log_msg(log, LOG_WARN,
			"cannot remove the tracing instance %s: %s\n  Its buffers stay allocated until: rmdir %s/instances/%s",
			in->name, strerror(err), tracefs_tracing_dir(), in->name);
	if (in->lock_fd >= 0)
		close(in->lock_fd);
	tracefs_instance_free(in->tracefs);
	*in = (struct instance){ .lock_fd = -1 };
}

/* --- somebody else's instance ------------------------------------------------------------ */

int instance_list(struct strbuf *names)
{
	struct dirent **entries;
	char path[4096];
	int n;

	snprintf(path, sizeof(path), "%s/instances", tracefs_tracing_dir());
	n = scandir(path, &entries, NULL, alphasort);
	if (n < 0)
		return -errno;
	for (int i = 0; i < n; i++) {
		if (entries[i]->d_name[0] != '.')
			strbuf_printf(names, "%s\n", entries[i]->d_name);
		free(entries[i]);
	}
	free(entries);
	return names->failed ? -ENOMEM : 0;
}

/* A directory right below instances/, and no way out of it. */
static bool is_instance(const char *tracing, const char *name)
{
	char path[4096];
	struct stat st;

	if (!*name || strchr(name, '/') || !strcmp(name, ".") || !strcmp(name, ".."))
		return false;
	snprintf(path, sizeof(path), "%s/instances/%s", tracing, name);
	return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

int instance_attach(struct instance *in, const char *name, const char *retry,
		    const struct log *log)
{
	const char *dir;
	int ret;

	*in = (struct instance){ .lock_fd = -1 };
	ret = open_tracing(&dir, retry, log);
	if (ret)
		return ret;
	if (name && !is_instance(dir, name))
		return -ESRCH;
	if (name) {
		in->tracefs = tracefs_instance_alloc(NULL, name);
		if (!in->tracefs)
			return explain(dir, errno ? errno : EIO, retry, log);
	}
	in->lock_fd = instance_open(in, ".", O_RDONLY | O_DIRECTORY);
	if (in->lock_fd < 0 || flock(in->lock_fd, LOCK_EX | LOCK_NB) == 0)
		return in->lock_fd < 0 ? explain(dir, -in->lock_fd, retry, log) : 0;
	log_msg(log, LOG_ERROR,
		"another kmemx uses %s just now\n  Wait until it has ended: two readers would take the events from each other.",
		name ? name : "the top ring buffer");
	return -EBUSY;
}

void instance_detach(struct instance *in)
{
	if (in->lock_fd >= 0)
		close(in->lock_fd);
	if (in->tracefs)
		tracefs_instance_free(in->tracefs);
	*in = (struct instance){ .lock_fd = -1 };
}

/* --- files ------------------------------------------------------------------------------- */

int instance_open(const struct instance *in, const char *file, int flags)
{
	char *path = tracefs_instance_get_file(in->tracefs, file);
	int fd;

	if (!path)
		return -ENOMEM;
	fd = open(path, flags | O_CLOEXEC);
	if (fd < 0)
		fd = -errno;
	tracefs_put_tracing_file(path);
	return fd;
}

static int write_file(const struct instance *in, const char *file, const char *text,
		      int flags)
{
	int fd = instance_open(in, file, O_WRONLY | flags);
	size_t size = strlen(text);
	ssize_t n;
	int ret;

	if (fd < 0)
		return fd;
	/* One write: the kernel parses each write as a whole command. */
	n = write(fd, text, size);
	ret = n < 0 ? -errno : (size_t)n == size ? 0 : -EIO;
	close(fd);
	return ret;
}

int instance_write(const struct instance *in, const char *file, const char *text)
{
	return write_file(in, file, text, O_TRUNC);
}

int instance_append(const struct instance *in, const char *file, const char *text)
{
	return write_file(in, file, text, O_APPEND);
}

static int read_all(int fd, struct strbuf *out)
{
	size_t room = 256 * 1024;
	char *buf = malloc(room);
	ssize_t n = -1;
	int ret = 0;

	if (!buf)
		return -ENOMEM;
	do {
		n = read(fd, buf, room);
		if (n > 0)
			strbuf_add(out, buf, (size_t)n);
		else if (n < 0 && errno != EINTR)
			ret = -errno;
	} while (n > 0 || (n < 0 && errno == EINTR));
	free(buf);
	if (!ret && out->failed)
		ret = -ENOMEM;
	return ret;
}

static int read_path(const char *path, struct strbuf *out)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	int ret;

	if (fd < 0)
		return -errno;
	ret = read_all(fd, out);
	close(fd);
	return ret;
}

int instance_read(const struct instance *in, const char *file, struct strbuf *out)
{
	int fd = instance_open(in, file, O_RDONLY);
	int ret;

	if (fd < 0)
		return fd;
	ret = read_all(fd, out);
	close(fd);
	return ret;
}

int instance_read_top(const char *file, struct strbuf *out)
{
	char *path;
	int ret;

	if (file[0] == '/')
		return read_path(file, out);
	path = tracefs_get_tracing_file(file);
	if (!path)
		return -ENOENT;
	ret = read_path(path, out);
	tracefs_put_tracing_file(path);
	return ret;
}

bool instance_has(const struct instance *in, const char *file)
{
	return tracefs_file_exists(in->tracefs, file);
}

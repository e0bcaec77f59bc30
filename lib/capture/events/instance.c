// SPDX-License-Identifier: GPL-2.0-or-later
#include "capture/events/instance.h"

#include <fcntl.h>
#include <linux/magic.h>
#include <sys/file.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <time.h>
#include <tracefs.h>
#include <unistd.h>

#include "base/array.h"
#include "base/io.h"
#include "base/new_file.h"
#include "recording/recording.h"

#define FREES_SUFFIX  ".frees"
#define DEFAULT_MOUNT "/sys/kernel/tracing"

/* --- finding tracefs --------------------------------------------------------------------- */

/* Is the kernel locked down so that even root may not trace? */
static bool locked_down(void)
{
	struct strbuf __auto_free sb = { 0 };

	return instance_read_top("/sys/kernel/security/lockdown", &sb) == 0 &&
	       strstr(strbuf_text(&sb), "[confidentiality]");
}

static int explain(const char *dir, int err, const char *retry, const struct log *log)
{
	if (geteuid() != 0)
		log_msg(log, LOG_ERROR,
			"cannot open tracefs at %s: %s\n  Recording needs root. Try: sudo %s",
			dir, strerror(err), retry);
	else if (locked_down())
		log_msg(log, LOG_ERROR,
			"cannot open tracefs at %s: %s\n  The kernel is locked down (confidentiality), which forbids tracing\n  Boot without lockdown=confidentiality to record here",
			dir, strerror(err));
	else if (err == ENOENT || err == ENODEV)
		log_msg(log, LOG_ERROR,
			"no tracefs at %s: %s\n  The kernel needs CONFIG_FTRACE; in a container, mount tracefs from the host",
			dir, strerror(err));
	else
		log_msg(log, LOG_ERROR,
			"cannot use tracefs at %s: %s\n  In a container or sandbox, tracing needs CAP_SYS_ADMIN and a writable tracefs",
			dir, strerror(err));
	return -err;
}

static bool is_tracefs(const char *dir)
{
	struct statfs fs;

	return statfs(dir, &fs) == 0 && fs.f_type == TRACEFS_MAGIC;
}

/*
 * tracefs' directory, mounted if necessary; NULL with errno. If there are several mounts, prefer
 * the usual one, which messages, other tools and users name. The library takes the first one in
 * /proc/mounts, which may be under debugfs, where it is mounted on access. A directory that is no
 * tracefs was set by a test, which must not get to the real one.
 */
static const char *tracing_dir(void)
{
	char usual[] = DEFAULT_MOUNT;
	const char *dir;

	tracefs_set_loglevel(TEP_LOG_NONE); /* the library's own messages go to stderr */
	dir = tracefs_tracing_dir();
	/* Setting another directory frees the one that the library has returned, so do it only
	 * once.
	 */
	if (dir && strcmp(dir, usual) != 0 && is_tracefs(dir) && is_tracefs(usual) &&
	    tracefs_set_tracing_dir(usual) == 0)
		dir = tracefs_tracing_dir();
	if (dir && access(dir, F_OK) == 0)
		return dir;
	if (mount("nodev", DEFAULT_MOUNT, "tracefs", 0, NULL) < 0 && errno != EBUSY)
		return NULL;
	return tracefs_tracing_dir();
}

/* --- names and locks --------------------------------------------------------------------- */

bool instance_is_stream(const char *token)
{
	return strlen(token) >= NEW_FILE_TOKEN &&
	       !strcmp(token + NEW_FILE_TOKEN - 1, INSTANCE_STREAM);
}

const char *instance_token(const char *name)
{
	size_t prefix = strlen(INSTANCE_PREFIX);

	if (strncmp(name, INSTANCE_PREFIX, prefix) != 0)
		return NULL;
	name += prefix;
	if (strspn(name, "0123456789abcdef") != NEW_FILE_TOKEN - 1)
		return NULL;
	return !name[NEW_FILE_TOKEN - 1] || instance_is_stream(name) ? name : NULL;
}

int instance_lock_all(void)
{
	char path[4096];
	int fd, ret;

	snprintf(path, sizeof(path), "%s/instances", tracefs_tracing_dir());
	fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	do
		ret = flock(fd, LOCK_EX);
	while (ret < 0 && errno == EINTR);
	if (!ret)
		return fd;
	ret = -errno;
	close(fd);
	return ret;
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

/* Finds tracefs and checks that this user may trace. 0; -errno after a LOG_ERROR message. */
static int open_tracing(const char **dir, const char *retry, const struct log *log)
{
	*dir = tracing_dir();
	if (!*dir)
		return explain(DEFAULT_MOUNT, errno ? errno : ENOENT, retry, log);
	if (access(*dir, R_OK | W_OK | X_OK) < 0)
		return explain(*dir, errno, retry, log);
	return 0;
}

int instance_check_user(const char *retry, const struct log *log)
{
	const char *dir;

	return geteuid() == 0 ? 0 : open_tracing(&dir, retry, log);
}

/* Makes the instance, with tracing off. */
static int create(struct instance *in)
{
	int ret;

	in->tracefs = tracefs_instance_create(in->name);
	if (!in->tracefs)
		return errno ? -errno : -EIO;
	if (tracefs_instance_is_new(in->tracefs)) {
		ret = lock_instance(in);
		return ret ?: instance_write(in, "tracing_on", "0");
	}
	tracefs_instance_free(in->tracefs);
	in->tracefs = NULL;
	return -EEXIST;
}

int instance_create(struct instance *in, const char *token, const char *retry,
		    const struct log *log)
{
	const char *dir;
	int ret, all;

	*in = (struct instance){ .lock_fd = -1 };
	ret = open_tracing(&dir, retry, log);
	if (ret)
		return ret;
	all = instance_lock_all();
	if (all == -ENOENT) {
		log_msg(log, LOG_ERROR,
			"tracefs at %s has no instances\n  kmemx does not touch the top-level instance and needs one of its own (Linux 3.10 or later)",
			dir);
		return -ENOTSUP;
	}
	snprintf(in->name, sizeof(in->name), INSTANCE_PREFIX "%s", token);
	ret = all < 0 ? all : create(in);
	io_close(&all);
	if (ret) {
		explain(dir, -ret, retry, log);
		instance_destroy(in, log);
	}
	return ret;
}

/* Sets the name of the second instance, which need not exist yet. 0 or -ENOMEM. */
static int name_frees(struct instance *in)
{
	in->frees = calloc(1, sizeof(*in->frees));
	if (!in->frees)
		return -ENOMEM;
	in->frees->lock_fd = -1;
	snprintf(in->frees->name, sizeof(in->frees->name), "%.*s" FREES_SUFFIX,
		 INSTANCE_NAME - (int)sizeof(FREES_SUFFIX), in->name);
	return 0;
}

int instance_create_frees(struct instance *in, const struct log *log)
{
	int ret = name_frees(in) ?: create(in->frees);

	return log_errno(
		log, LOG_ERROR, ret,
		"cannot make a second tracing instance, for the frees by all tasks: %m\n  Record without them: --filter-frees");
}

const struct instance *instance_of_cpu(const struct instance *in, uint32_t cpu)
{
	return cpu < RECORDING_FREES_CPU ? in : in->frees;
}

void instance_remove_orphan(const char *name)
{
	size_t size = strlen(name), suffix = strlen(FREES_SUFFIX);
	char owner[64];

	if (size <= suffix || size - suffix >= sizeof(owner) ||
	    strcmp(name + size - suffix, FREES_SUFFIX) != 0)
		return;
	snprintf(owner, sizeof(owner), "%.*s", (int)(size - suffix), name);
	/* Any other errno does not tell whether the owner exists. */
	if (instance_token(owner) && !tracefs_instance_exists(owner) && errno == ENOENT) {
		struct tracefs_instance *frees = tracefs_instance_alloc(NULL, name);

		if (frees)
			tracefs_instance_destroy(frees);
		if (frees)
			tracefs_instance_free(frees);
	}
}

/* Takes over the kernel's instance of this name and stops its tracing. -ENOENT: the kernel has no
 * instance of this name.
 */
static int adopt(struct instance *in)
{
	int ret;

	if (!tracefs_instance_exists(in->name))
		return -ENOENT;
	in->tracefs = tracefs_instance_alloc(NULL, in->name);
	if (!in->tracefs)
		return -ENOMEM;
	ret = lock_instance(in);
	if (ret)
		return ret == -EWOULDBLOCK ? -EBUSY : ret;
	return instance_write(in, "tracing_on", "0");
}

/* Takes over the second instance too, if there is one. */
static int adopt_frees(struct instance *in)
{
	int ret = name_frees(in) ?: adopt(in->frees);

	if (ret != -ENOENT)
		return ret;
	instance_detach(in->frees);
	free(in->frees);
	in->frees = NULL;
	return 0;
}

int instance_adopt(struct instance *in, const char *token)
{
	const char *dir = tracing_dir();
	int ret, all;

	*in = (struct instance){ .lock_fd = -1 };
	if (!dir)
		return -ENOENT;
	all = instance_lock_all();
	if (all < 0)
		return all;
	snprintf(in->name, sizeof(in->name), INSTANCE_PREFIX "%s", token);
	ret = adopt(in) ?: adopt_frees(in);
	close(all);
	if (ret)
		instance_detach(in);
	return ret;
}

static void destroy_one(const struct instance *in, const struct log *log)
{
	const struct timespec pause = { .tv_nsec = 20 * 1000 * 1000 };
	const char *name = in->name, *dir = tracefs_tracing_dir();
	int err = 0, on = instance_write(in, "tracing_on", "0");

	/* A reader of the instance's files makes it busy for a moment. */
	for (int try = 0; try < 50; try++) {
		err = tracefs_instance_destroy(in->tracefs) < 0 ? errno : 0;
		if (!err || (err != EBUSY && try))
			break;
		nanosleep(&pause, NULL);
	}
	if (err && on)
		log_msg(log, LOG_ERROR,
			"cannot stop and remove the tracing instance %s: %s\n  It keeps recording until: echo 0 >%s/instances/%s/tracing_on; rmdir %s/instances/%s",
			name, strerror(err), dir, name, dir, name);
	else if (err)
		log_msg(log, LOG_ERROR,
			"cannot remove the tracing instance %s: %s\n  Its buffers stay allocated until: rmdir %s/instances/%s",
			name, strerror(err), dir, name);
}

void instance_destroy(struct instance *in, const struct log *log)
{
	if (!in->tracefs)
		return;
	/* The first one's lock shows that both have an owner, so remove it last. */
	if (in->frees && in->frees->tracefs)
		destroy_one(in->frees, log);
	destroy_one(in, log);
	instance_detach(in);
}

/* --- somebody else's instance ------------------------------------------------------------ */

void instance_directories(const char *name, struct strbuf *out)
{
	const char *dir = tracefs_tracing_dir();
	char frees[4096];

	snprintf(frees, sizeof(frees), "%s/instances/%s" FREES_SUFFIX, dir, name);
	if (access(frees, F_OK) == 0)
		strbuf_printf(out, " %s", frees);
	strbuf_printf(out, " %s/instances/%s", dir, name);
}

char *instance_list(void)
{
	const char *dir = tracing_dir();
	struct strbuf names = { 0 };
	struct dirent **entries;
	char path[4096];
	int n = 0;

	if (dir) {
		snprintf(path, sizeof(path), "%s/instances", dir);
		n = scandir(path, &entries, NULL, alphasort);
	}
	for (int i = 0; i < n; i++) {
		if (entries[i]->d_name[0] != '.')
			strbuf_printf(&names, "%s\n", entries[i]->d_name);
		free(entries[i]);
	}
	if (n > 0)
		free(entries);
	return strbuf_detach(&names);
}

/* Only a directory directly below instances/, without a way out of it. */
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
		"another kmemx is using %s\n  Wait until it ends: two readers would take events from each other",
		name ? name : "the top-level instance");
	return -EBUSY;
}

void instance_detach(struct instance *in)
{
	io_close(&in->lock_fd);
	if (in->frees)
		instance_detach(in->frees);
	free(in->frees);
	if (in->tracefs)
		tracefs_instance_free(in->tracefs);
	*in = (struct instance){ .lock_fd = -1 };
}

ORDER_NUMBERS(compare_numbers, uint32_t)

int instance_cpus(const struct instance *in, uint32_t **cpus, size_t *nr)
{
	DIR *dir __auto_dir =
		io_list(instance_open(in, "per_cpu", O_RDONLY | O_DIRECTORY));
	const struct dirent *entry = NULL;
	int ret = dir ? 0 : -errno;

	*nr = 0;
	*cpus = NULL;
	do {
		unsigned int cpu;

		errno = 0;
		entry = ret ? NULL : readdir(dir);
		if (entry && sscanf(entry->d_name, "cpu%u", &cpu) == 1)
			ret = ARRAY_ADD(*cpus, *nr, cpu);
		else if (!entry && errno)
			ret = -errno;
	} while (entry);
	if (*nr)
		qsort(*cpus, *nr, sizeof(**cpus), compare_numbers);
	return ret;
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

int instance_open_pipe(const struct instance *in, uint32_t cpu)
{
	char file[64];

	snprintf(file, sizeof(file), "per_cpu/cpu%" PRIu32 "/trace_pipe_raw",
		 cpu % RECORDING_FREES_CPU);
	return instance_open(instance_of_cpu(in, cpu), file, O_RDONLY | O_NONBLOCK);
}

static int write_file(const struct instance *in, const char *file, const char *text,
		      int flags)
{
	int fd __auto_fd = instance_open(in, file, O_WRONLY | flags);
	size_t size = strlen(text);
	ssize_t n;

	if (fd < 0)
		return fd;
	/* Use one write: the kernel parses each write as a whole command. */
	n = write(fd, text, size);
	return n < 0 ? -errno : (size_t)n == size ? 0 : -EIO;
}

int instance_write(const struct instance *in, const char *file, const char *text)
{
	return write_file(in, file, text, O_TRUNC);
}

int instance_append(const struct instance *in, const char *file, const char *text)
{
	return write_file(in, file, text, O_APPEND);
}

static int read_path(const char *path, struct strbuf *out)
{
	int fd __auto_fd = open(path, O_RDONLY | O_CLOEXEC);

	return fd < 0 ? -errno : text_read(out, fd, TEXT_FILE_MAX);
}

int instance_read(const struct instance *in, const char *file, struct strbuf *out)
{
	int fd __auto_fd = instance_open(in, file, O_RDONLY);

	return fd < 0 ? fd : text_read(out, fd, TEXT_FILE_MAX);
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

bool instance_begins(const struct instance *in, const char *file, char c)
{
	struct strbuf __auto_free sb = { 0 };

	return instance_read(in, file, &sb) == 0 && strbuf_text(&sb)[0] == c;
}

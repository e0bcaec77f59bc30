// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/new_file.h"

#include <fcntl.h>
#include <limits.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/io.h"
#include "base/number.h"

/* Repeated collisions of 64 random bits are no coincidence: give up at some point. */
#define TRIES	  16
/* The kernel's limit on links followed. */
#define LINKS_MAX 40

int new_file_token(char token[NEW_FILE_TOKEN])
{
	uint64_t bits;
	ssize_t n;

	do
		n = getrandom(&bits, sizeof(bits), 0);
	while (n < 0 && errno == EINTR);
	if (n != sizeof(bits))
		return n < 0 ? -errno : -EIO;
	snprintf(token, NEW_FILE_TOKEN, "%016" PRIx64, bits);
	return 0;
}

/* Returns the directory part of @path, which the caller frees, and sets @name to the last part.
 * NULL: no memory.
 */
static char *directory_of(const char *path, const char **name)
{
	*name = text_after_slash(path);
	return *name > path ? strndup(path, (size_t)(*name - path)) : strdup(".");
}

/* Opens the directory part of @path, relative to @at, and sets @name to the last part. */
static int open_parent(int at, const char *path, int flags, const char **name)
{
	char *dir __auto_mem = directory_of(path, name);
	int fd;

	if (!dir)
		return -ENOMEM;
	fd = openat(at, dir, flags | O_DIRECTORY | O_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

/* Reads the target of the link @fd if its owner is root, this user or @other. 0 or -errno. */
static int read_own_link(int fd, uid_t owner, uid_t other, char to[PATH_MAX])
{
	ssize_t size;

	if (owner && owner != geteuid() && owner != other)
		return -EPERM;
	size = readlinkat(fd, "", to, PATH_MAX);
	if (size < 0 || size == PATH_MAX)
		return size < 0 ? -errno : -ENAMETOOLONG;
	to[size] = '\0';
	return 0;
}

/* Opens @path in the directory @at. 0: *@out is the directory. 1: @path was a link; it becomes the
 * link's target, and *@out is the directory of the link. Else -errno.
 */
static int step_to_dir(int at, char path[PATH_MAX], uid_t other, int *out)
{
	const char *name;
	struct stat st;
	size_t size = strlen(path);
	int fd __auto_fd = -1, parent, ret;

	/* A trailing slash would follow a link. */
	while (size > 1 && path[size - 1] == '/')
		path[--size] = '\0';
	parent = open_parent(at, path, O_PATH, &name);
	if (parent < 0)
		return parent;
	fd = openat(parent, *name ? name : ".", O_PATH | O_NOFOLLOW | O_CLOEXEC);
	ret = fd < 0 || fstat(fd, &st) ? -errno : 0;
	if (!ret && S_ISLNK(st.st_mode)) {
		ret = read_own_link(fd, st.st_uid, other, path);
		*out = parent;
		ret = ret ? ret : 1;
	} else if (!ret) {
		*out = openat(fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		ret = *out < 0 ? -errno : 0;
	}
	if (ret <= 0)
		close(parent);
	return ret;
}

int new_file_open_dir(const char *path, uid_t other)
{
	char at[PATH_MAX];
	int fd = AT_FDCWD, ret = 1;

	if (!*path || strlen(path) >= sizeof(at))
		return *path ? -ENAMETOOLONG : -ENOENT;
	memcpy(at, path, strlen(path) + 1);
	for (int links = 0; ret > 0 && links <= LINKS_MAX; links++) {
		int from = fd;

		ret = step_to_dir(from, at, other, &fd);
		if (from >= 0)
			close(from);
	}
	if (ret > 0)
		close(fd);
	return ret > 0 ? -ELOOP : ret ? ret : fd;
}

int new_file_dir(const char *path, const char **name)
{
	char *dir __auto_mem = directory_of(path, name);

	if (!**name)
		return *path ? -EISDIR : -EINVAL;
	return dir ? new_file_open_dir(dir, new_file_sudo_id("SUDO_UID")) : -ENOMEM;
}

int new_file_create(int dir_fd, const char *name)
{
	int fd = openat(dir_fd, name, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
			0600);

	return fd < 0 ? -errno : fd;
}

static void proc_path(int fd, char *path, size_t size)
{
	snprintf(path, size, "/proc/self/fd/%d", fd);
}

int new_file_link(int fd, int dir_fd, const char *name)
{
	char path[32];

	proc_path(fd, path, sizeof(path));
	return linkat(AT_FDCWD, path, dir_fd, name, AT_SYMLINK_FOLLOW) < 0 ? -errno : 0;
}

/* Gives a file a random name: a new file or, with @fd >= 0, that one. Returns the name, and a
 * descriptor or -errno.
 */
static int make_random(int fd, int dir_fd, char *name, size_t size)
{
	char token[NEW_FILE_TOKEN];
	int ret = -EEXIST;

	for (int try = 0; ret == -EEXIST && try < TRIES; try++) {
		ret = new_file_token(token);
		if (ret)
			return ret;
		snprintf(name, size, ".kmemx.%s", token);
		ret = fd < 0 ? new_file_create(dir_fd, name)
			     : new_file_link(fd, dir_fd, name);
	}
	return ret < 0 || fd < 0 ? ret : fd;
}

int new_file_unnamed(int dir_fd, bool linkable)
{
	int fd = openat(dir_fd, ".", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
	char name[32];

	if (fd >= 0) {
		proc_path(fd, name, sizeof(name));
		if (!linkable || !access(name, F_OK))
			return fd;
		close(fd);
	}
	if (linkable)
		return -EOPNOTSUPP;
	fd = make_random(-1, dir_fd, name, sizeof(name));
	if (fd >= 0 && unlinkat(dir_fd, name, 0) < 0) {
		close(fd);
		return -errno;
	}
	return fd;
}

int new_file_again(int fd)
{
	char path[32];
	int again;

	proc_path(fd, path, sizeof(path));
	again = open(path, O_RDWR | O_CLOEXEC);
	return again < 0 ? -errno : again;
}

/* --- files of an earlier process --------------------------------------------------------- */

static bool is_own(const struct stat *st)
{
	return S_ISREG(st->st_mode) && st->st_uid == geteuid() && st->st_nlink == 1;
}

int new_file_open_own(int dir_fd, const char *name)
{
	/* O_NONBLOCK: opening a FIFO would wait for the other end. */
	int fd = openat(dir_fd, name, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	struct stat st;

	if (fd < 0)
		return -errno;
	if (!fstat(fd, &st) && is_own(&st))
		return fd;
	close(fd);
	return -EPERM;
}

bool new_file_is_own(int dir_fd, const char *name)
{
	struct stat st;

	return !fstatat(dir_fd, name, &st, AT_SYMLINK_NOFOLLOW) && is_own(&st);
}

/* --- directories ------------------------------------------------------------------------- */

int new_file_open_own_dir(int dir_fd, const char *name)
{
	int fd = openat(dir_fd, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	struct stat st;

	if (fd < 0)
		return -errno;
	if (!fstat(fd, &st) && st.st_uid == geteuid())
		return fd;
	close(fd);
	return -EPERM;
}

int new_file_make_dir(int dir_fd, const char *name)
{
	int fd, rules __auto_fd = -1;

	if (mkdirat(dir_fd, name, 0755) < 0)
		return -errno;
	fd = new_file_open_own_dir(dir_fd, name);
	if (fd < 0) {
		unlinkat(dir_fd, name, AT_REMOVEDIR);
		return fd;
	}
	rules = openat(fd, ".gitignore",
		       O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0644);
	/* If this fails, git lists the file. */
	if (rules >= 0)
		(void)!write(rules, "*\n", 2);
	return fd;
}

int new_file_remove_dir(int dir_fd, const char *name, int fd)
{
	DIR *dir __auto_dir =
		io_list(openat(fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
	struct dirent *entry;

	while (dir && (entry = readdir(dir)))
		unlinkat(fd, entry->d_name, 0);
	return unlinkat(dir_fd, name, AT_REMOVEDIR) < 0 ? -errno : 0;
}

/* --- replacing --------------------------------------------------------------------------- */

/* Remembers the file's name @hidden, or removes it if that fails. 0 or -ENOMEM. */
static int set_hidden(struct new_file *f, const char *hidden)
{
	f->hidden = strdup(hidden);
	if (!f->hidden)
		unlinkat(f->dir_fd, hidden, 0);
	return f->hidden ? 0 : -ENOMEM;
}

int new_file_open_at(struct new_file *f, int dir_fd, const char *name, const char *hidden)
{
	char random[32];

	*f = NEW_FILE_INIT;
	f->name = strdup(name);
	f->dir_fd = fcntl(dir_fd, F_DUPFD_CLOEXEC, 0);
	if (!f->name || f->dir_fd < 0)
		return f->name ? -errno : -ENOMEM;
	f->fd = hidden ? new_file_create(dir_fd, hidden) : new_file_unnamed(dir_fd, true);
	if (!hidden && f->fd < 0) {
		f->fd = make_random(-1, dir_fd, random, sizeof(random));
		hidden = random;
	}
	if (f->fd < 0 || !hidden)
		return f->fd < 0 ? f->fd : 0;
	return set_hidden(f, hidden);
}

int new_file_open(struct new_file *f, const char *path)
{
	const char *name;
	int dir_fd __auto_fd = new_file_dir(path, &name);

	*f = NEW_FILE_INIT;
	return dir_fd < 0 ? dir_fd : new_file_open_at(f, dir_fd, name, NULL);
}

/* link(2) cannot replace a file: gives an unnamed file a hidden name first. */
static int need_hidden_name(struct new_file *f)
{
	char random[32];
	int ret;

	if (f->hidden)
		return 0;
	ret = make_random(f->fd, f->dir_fd, random, sizeof(random));
	return ret < 0 ? ret : set_hidden(f, random);
}

int new_file_hidden_dir(const struct new_file *f)
{
	return f->inside ? f->inside_fd : f->dir_fd;
}

int new_file_commit(struct new_file *f)
{
	bool unnamed = !f->hidden;
	int ret = need_hidden_name(f);

	if (ret)
		return ret;
	ret = renameat(new_file_hidden_dir(f), f->hidden, f->dir_fd, f->name) < 0 ? -errno
										  : 0;
	if (ret && !unnamed)
		return ret;
	if (ret)
		unlinkat(f->dir_fd, f->hidden, 0);
	free(f->hidden);
	f->hidden = NULL;
	return ret;
}

int new_file_keep(struct new_file *f)
{
	f->keep = true;
	return need_hidden_name(f);
}

void new_file_close(struct new_file *f)
{
	if (f->hidden && !f->keep)
		unlinkat(new_file_hidden_dir(f), f->hidden, 0);
	if (f->inside && !f->keep)
		new_file_remove_dir(f->dir_fd, f->inside, f->inside_fd);
	io_close(&f->fd);
	io_close(&f->inside_fd);
	io_close(&f->dir_fd);
	free(f->name);
	free(f->hidden);
	free(f->inside);
	*f = NEW_FILE_INIT;
}

uint32_t new_file_sudo_id(const char *name)
{
	const char *text = geteuid() == 0 ? getenv(name) : NULL;
	uint64_t id;

	return text && number_is(text, INT32_MAX, &id) ? (uint32_t)id : (uint32_t)-1;
}

int new_file_give(int fd)
{
	const uid_t uid = new_file_sudo_id("SUDO_UID");
	const gid_t gid = new_file_sudo_id("SUDO_GID");

	if (uid == (uid_t)-1 && gid == (gid_t)-1)
		return 0;
	return fchown(fd, uid, gid) < 0 ? -errno : 0;
}

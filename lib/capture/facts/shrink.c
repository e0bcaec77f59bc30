// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * capture: makes CPUs return the slabs that they hold.
 * In: /sys/kernel/slab. Out: caches whose active_objs counts hardly any free object.
 */
#include "capture/facts/facts.h"

#include <fcntl.h>
#include <limits.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/io.h"

/* The outcome for the caches of one directory. */
struct shrunk {
	unsigned int caches, failed;
	int err; /* errno of the first failure */
	char first[NAME_MAX + 1];
};

/* Is it a directory itself, not an alias? Any other name counts as gone. */
static bool is_cache(int dir, const char *name)
{
	struct stat st;

	return name[0] != '.' && !fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) &&
	       S_ISDIR(st.st_mode);
}

/* Do CPUs hold slabs of it? Yes if the kernel does not say. */
static bool is_held(int dir, const char *name)
{
	char path[NAME_MAX + 16], text[32];
	int fd __auto_fd = -1;

	snprintf(path, sizeof(path), "%s/cpu_slabs", name);
	fd = openat(dir, path, O_RDONLY | O_CLOEXEC);
	return fd < 0 || read(fd, text, sizeof(text)) <= 0 || text[0] != '0';
}

/* 0 or -errno. Allocates nothing. */
static int shrink_cache(int dir, const char *name)
{
	char path[NAME_MAX + 16];
	int fd __auto_fd = -1;

	snprintf(path, sizeof(path), "%s/shrink", name);
	fd = openat(dir, path, O_WRONLY | O_CLOEXEC);
	return fd < 0 || write(fd, "1", 1) != 1 ? -errno : 0;
}

static void shrink_all(DIR *dir, bool again, struct shrunk *s, const struct log *log)
{
	struct dirent *entry;

	rewinddir(dir);
	while ((entry = readdir(dir))) {
		const char *name = entry->d_name;
		int ret;

		if (!is_cache(dirfd(dir), name) || (again && !is_held(dirfd(dir), name)))
			continue;
		ret = shrink_cache(dirfd(dir), name);
		if (ret && !is_cache(dirfd(dir), name))
			continue;
		s->caches++;
		if (!ret)
			continue;
		log_msg(log, LOG_INFO, "cannot shrink the slab cache %s: %s", name,
			strerror(-ret));
		if (!s->failed++) {
			s->err = ret;
			snprintf(s->first, sizeof(s->first), "%s", name);
		}
	}
}

bool shrink_caches(const char *path, enum log_level level, const struct log *log)
{
	DIR *dir __auto_dir = opendir(path);
	int err = dir ? ENOENT : errno;
	struct shrunk s = { 0 };

	if (dir)
		shrink_all(dir, false, &s, log);
	if (!s.caches)
		log_msg(log, level,
			"cannot shrink slab caches: %s: %s\n  The recording continues; free objects held by CPUs count as in use",
			path, strerror(err));
	else if (s.failed)
		log_msg(log, level,
			"cannot shrink %u of %u slab caches: %s/%s/shrink: %s\n  The recording continues; free objects held by CPUs count as in use",
			s.failed, s.caches, path, s.first, strerror(-s.err));
	return s.caches && !s.failed;
}

void shrink_again(const char *path, const struct log *log)
{
	DIR *dir __auto_dir = opendir(path);
	struct shrunk s = { 0 };

	if (dir)
		shrink_all(dir, true, &s, log);
}

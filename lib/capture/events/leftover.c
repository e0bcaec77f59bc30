// SPDX-License-Identifier: GPL-2.0-or-later
#include "capture/events/leftover.h"

#include <ctype.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/array.h"
#include "base/io.h"
#include "recording/cpu_regions.h"
#include "recording/wire.h"

/* --- names ------------------------------------------------------------------------------- */

/* Parses ".NAME.TOKEN.tmp": the end of NAME, and the token. Returns 0 if it is not such a name. */
static size_t parse_name(const char *base, char token[NEW_FILE_TOKEN])
{
	size_t len = strlen(base), end, at;

	if (base[0] != '.' || len <= strlen(LEFTOVER_SUFFIX) ||
	    strcmp(base + len - strlen(LEFTOVER_SUFFIX), LEFTOVER_SUFFIX) != 0)
		return 0;
	end = at = len - strlen(LEFTOVER_SUFFIX);
	while (at > 0 && strchr("0123456789abcdef", base[at - 1]))
		at--;
	if (end - at != NEW_FILE_TOKEN - 1 || at < 3 || base[at - 1] != '.')
		return 0;
	memcpy(token, base + at, end - at);
	token[end - at] = '\0';
	return at - 1;
}

static const char *base_of(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

static int add_path(char ***paths, size_t *nr, const char *dir, const char *name)
{
	size_t len = strcmp(dir, ".") == 0 ? 0 : strlen(dir);

	if (array_grow(paths, *nr, sizeof(**paths)) ||
	    asprintf(&(*paths)[*nr], "%.*s%s%s", (int)len, dir,
		     len && dir[len - 1] != '/' ? "/" : "", name) < 0)
		return -ENOMEM;
	++*nr;
	return 0;
}

int leftovers_find(const char *dir, const char *name, char ***tmps, size_t *nr)
{
	DIR *d __auto_dir = opendir(dir);
	struct dirent *entry;
	int ret = d ? 0 : -errno;

	*tmps = NULL;
	*nr = 0;
	while (!ret && (entry = readdir(d))) {
		char token[NEW_FILE_TOKEN];
		size_t end = parse_name(entry->d_name, token);

		if (end && (!name || (strlen(name) == end - 1 &&
				      !strncmp(name, entry->d_name + 1, end - 1))))
			ret = add_path(tmps, nr, dir, entry->d_name);
	}
	if (ret) {
		leftovers_free(*tmps, *nr);
		*tmps = NULL;
		*nr = 0;
	}
	return ret;
}

void leftovers_free(char **tmps, size_t nr)
{
	for (size_t i = 0; i < nr; i++)
		free(tmps[i]);
	free(tmps);
}

/* --- one of them ------------------------------------------------------------------------- */

bool leftover_is_named(const char *path)
{
	char token[NEW_FILE_TOKEN];

	return parse_name(base_of(path), token) != 0;
}

/* Opens the file @name in @l->dir_fd, or the one in the directory of that name. A descriptor or
 * -errno.
 */
static int open_file(struct leftover *l, const char *name)
{
	int ret = new_file_open_own_dir(l->dir_fd, name);

	if (ret == -ENOTDIR)
		return new_file_open_own(l->dir_fd, name);
	if (ret < 0)
		return ret;
	l->parent_fd = l->dir_fd;
	l->dir_fd = ret;
	l->base = LEFTOVER_INSIDE;
	ret = new_file_open_own(l->dir_fd, leftover_name(l));
	/* Killed before the file was made, or after it got its name. */
	return ret == -ENOENT ? new_file_create(l->dir_fd, leftover_name(l)) : ret;
}

int leftover_open(struct leftover *l, const char *tmp)
{
	const char *base = base_of(tmp);
	size_t name_end;
	char *dir;

	*l = (struct leftover){ .dir_fd = -1, .parent_fd = -1, .fd = -1 };
	name_end = parse_name(base, l->token);
	if (!name_end)
		return -EINVAL;
	dir = strndup(tmp, (size_t)(base_of(tmp) - tmp));
	l->tmp = strdup(tmp);
	l->prefix = strndup(tmp, strlen(tmp) - strlen(LEFTOVER_SUFFIX));
	if (!dir || asprintf(&l->path, "%s%.*s", dir, (int)(name_end - 1), base + 1) < 0)
		l->path = NULL;
	free(dir);
	if (!l->tmp || !l->prefix || !l->path)
		return -ENOMEM;
	l->base = base_of(l->prefix);
	l->dir_fd = new_file_dir(tmp, &base);
	if (l->dir_fd < 0)
		return l->dir_fd;
	l->fd = open_file(l, base);
	if (l->fd < 0)
		return l->fd;
	return flock(l->fd, LOCK_EX | LOCK_NB) < 0 ? -EBUSY : 0;
}

void leftover_close(struct leftover *l)
{
	io_close(&l->fd);
	io_close(&l->dir_fd);
	io_close(&l->parent_fd);
	free(l->tmp);
	free(l->prefix);
	free(l->path);
	*l = (struct leftover){ .dir_fd = -1, .parent_fd = -1, .fd = -1 };
}

/* Calls @visit for each of the leftover's files that this user owns, except @fd's. Stops at the
 * first error.
 */
static int each_file(const struct leftover *l,
		     int (*visit)(int dir_fd, const char *name, const char *rest,
				  void *ctx),
		     void *ctx)
{
	int fd = openat(l->dir_fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *dir __auto_dir = io_list(fd < 0 ? -errno : fd);
	int ret = dir ? 0 : -errno;
	struct dirent *entry;
	size_t len = strlen(l->base);

	while (!ret && (entry = readdir(dir)))
		if (!strncmp(entry->d_name, l->base, len) && entry->d_name[len] == '.' &&
		    strcmp(entry->d_name + len, LEFTOVER_SUFFIX) != 0 &&
		    new_file_is_own(fd, entry->d_name))
			ret = visit(fd, entry->d_name, entry->d_name + len, ctx);
	return ret;
}

static int add_bytes(int dir_fd, const char *name, const char *rest, void *ctx)
{
	uint64_t *bytes = ctx;
	struct stat st;

	if (!fstatat(dir_fd, name, &st, AT_SYMLINK_NOFOLLOW))
		*bytes += (uint64_t)st.st_blocks * 512;
	return 0;
}

uint64_t leftover_bytes(const struct leftover *l)
{
	struct stat st;
	uint64_t bytes = fstat(l->fd, &st) < 0 ? 0 : (uint64_t)st.st_blocks * 512;

	return each_file(l, add_bytes, &bytes) < 0 ? 0 : bytes;
}

/* The number in ".cpuN"; false if it is something else. */
static bool parse_cpu(const char *rest, uint32_t *cpu)
{
	char *end;
	unsigned long v;

	if (strncmp(rest, ".cpu", 4) != 0 || !isdigit((unsigned char)rest[4]))
		return false;
	v = strtoul(rest + 4, &end, 10);
	*cpu = (uint32_t)v;
	return !*end && v < UINT16_MAX;
}

static int find_pages(int dir_fd, const char *name, const char *rest, void *ctx)
{
	struct stat st;
	uint32_t cpu;

	if (parse_cpu(rest, &cpu) && !fstatat(dir_fd, name, &st, AT_SYMLINK_NOFOLLOW) &&
	    st.st_size)
		*(bool *)ctx = true;
	return 0;
}

/* Does the file have more than the beginning of an unfinished one, i.e. pages in regions, or an
 * output in progress?
 */
static bool is_more_than_head(int fd)
{
	char magic[WIRE_MAGIC_SIZE];

	if (lseek(fd, 0, SEEK_DATA) < 0)
		return false;
	if (!io_pread_all(fd, magic, sizeof(magic), 0) &&
	    memcmp(magic, WIRE_MAGIC, sizeof(magic)) != 0)
		return true;
	return lseek(fd, (off_t)CPU_REGIONS_FIRST, SEEK_DATA) >= 0;
}

bool leftover_has_pages(const struct leftover *l)
{
	bool found = false;

	return is_more_than_head(l->fd) || (!each_file(l, find_pages, &found) && found);
}

struct cpu_list {
	uint32_t *cpus;
	size_t nr;
};

static int add_cpu(int dir_fd, const char *name, const char *rest, void *ctx)
{
	struct cpu_list *list = ctx;
	uint32_t cpu;

	if (!parse_cpu(rest, &cpu))
		return 0;
	if (array_grow(&list->cpus, list->nr, sizeof(*list->cpus)))
		return -ENOMEM;
	list->cpus[list->nr++] = cpu;
	return 0;
}

static int compare_cpus(const void *a, const void *b)
{
	const uint32_t *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

int leftover_cpus(const struct leftover *l, uint32_t **cpus, size_t *nr)
{
	struct cpu_list list = { 0 };
	int ret = each_file(l, add_cpu, &list);

	if (list.nr)
		qsort(list.cpus, list.nr, sizeof(*list.cpus), compare_cpus);
	*cpus = list.cpus;
	*nr = list.nr;
	return ret;
}

int leftover_open_cpu(const struct leftover *l, uint32_t cpu)
{
	char *name;
	int fd;

	if (asprintf(&name, "%s.cpu%u", l->base, cpu) < 0)
		return -ENOMEM;
	fd = new_file_open_own(l->dir_fd, name);
	free(name);
	return fd;
}

const char *leftover_name(const struct leftover *l)
{
	return l->parent_fd >= 0 ? LEFTOVER_INSIDE LEFTOVER_SUFFIX : base_of(l->tmp);
}

static int remove_file(int dir_fd, const char *name, const char *rest, void *ctx)
{
	uint32_t cpu;

	if (!parse_cpu(rest, &cpu))
		return 0;
	return unlinkat(dir_fd, name, 0) < 0 ? -errno : 0;
}

int leftover_remove(const struct leftover *l)
{
	int ret;

	if (l->parent_fd >= 0)
		return new_file_remove_dir(l->parent_fd, base_of(l->tmp), l->dir_fd);
	ret = each_file(l, remove_file, NULL);
	/* The file may have got its final name. */
	if (!ret && unlinkat(l->dir_fd, leftover_name(l), 0) < 0 && errno != ENOENT)
		ret = -errno;
	return ret;
}

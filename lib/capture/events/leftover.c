// SPDX-License-Identifier: GPL-2.0-or-later
#include "capture/events/leftover.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/array.h"
#include "base/io.h"
#include "base/number.h"
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

static int add_path(char ***paths, size_t *nr, const char *dir, const char *name)
{
	size_t len = strcmp(dir, ".") == 0 ? 0 : strlen(dir);

	if (array_grow(paths, *nr) ||
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

	return parse_name(text_after_slash(path), token) != 0;
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
	/* The recorder was killed before it made the file, or after the file got its final name. */
	return ret == -ENOENT ? new_file_create(l->dir_fd, leftover_name(l)) : ret;
}

int leftover_open(struct leftover *l, const char *tmp)
{
	const char *base = text_after_slash(tmp);
	size_t name_end;
	char *dir;

	*l = (struct leftover){ .dir_fd = -1, .parent_fd = -1, .fd = -1 };
	name_end = parse_name(base, l->token);
	if (!name_end)
		return -EINVAL;
	dir = strndup(tmp, (size_t)(text_after_slash(tmp) - tmp));
	l->tmp = strdup(tmp);
	l->prefix = strndup(tmp, strlen(tmp) - strlen(LEFTOVER_SUFFIX));
	if (!dir || asprintf(&l->path, "%s%.*s", dir, (int)(name_end - 1), base + 1) < 0)
		l->path = NULL;
	free(dir);
	if (!l->tmp || !l->prefix || !l->path)
		return -ENOMEM;
	l->base = text_after_slash(l->prefix);
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

/* The number in ".cpuN"; false if it is something else. */
static bool parse_cpu(const char *rest, uint32_t *cpu)
{
	uint64_t v;

	if (strncmp(rest, ".cpu", 4) != 0 || !number_is(rest + 4, UINT16_MAX - 1, &v))
		return false;
	*cpu = (uint32_t)v;
	return true;
}

static char *part_name(const struct leftover *l, uint32_t cpu)
{
	char *name;

	return asprintf(&name, "%s.cpu%u", l->base, cpu) < 0 ? NULL : name;
}

ORDER_BY(compare_parts, struct leftover_part, cpu, size)

int leftover_parts(const struct leftover *l, struct leftover_part **parts, size_t *nr)
{
	int fd = openat(l->dir_fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *dir __auto_dir = io_list(fd < 0 ? -errno : fd);
	int ret = dir ? 0 : -errno;
	const struct dirent *entry;
	size_t len = strlen(l->base);

	*parts = NULL;
	*nr = 0;
	while (!ret && (entry = readdir(dir))) {
		const char *name = entry->d_name;
		struct leftover_part part;
		struct stat st;

		if (strncmp(name, l->base, len) != 0 ||
		    !parse_cpu(name + len, &part.cpu) || !new_file_is_own(fd, name) ||
		    fstatat(fd, name, &st, AT_SYMLINK_NOFOLLOW))
			continue;
		part.size = (uint64_t)st.st_size;
		part.disk_bytes = (uint64_t)st.st_blocks * 512;
		ret = ARRAY_ADD(*parts, *nr, part);
	}
	if (*nr)
		qsort(*parts, *nr, sizeof(**parts), compare_parts);
	return ret;
}

uint64_t leftover_bytes(const struct leftover *l)
{
	struct leftover_part *parts __auto_mem = NULL;
	struct stat st;
	uint64_t bytes = fstat(l->fd, &st) < 0 ? 0 : (uint64_t)st.st_blocks * 512;
	size_t nr;
	int ret = leftover_parts(l, &parts, &nr);

	for (size_t i = 0; !ret && i < nr; i++)
		bytes += parts[i].disk_bytes;
	return ret ? 0 : bytes;
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
	struct leftover_part *parts __auto_mem = NULL;
	size_t nr;
	int ret = leftover_parts(l, &parts, &nr);

	return is_more_than_head(l->fd) || (!ret && ANY(i, nr, parts[i].size));
}

int leftover_open_cpu(const struct leftover *l, uint32_t cpu)
{
	char *name __auto_mem = part_name(l, cpu);

	return name ? new_file_open_own(l->dir_fd, name) : -ENOMEM;
}

const char *leftover_name(const struct leftover *l)
{
	return l->parent_fd >= 0 ? LEFTOVER_INSIDE LEFTOVER_SUFFIX
				 : text_after_slash(l->tmp);
}

int leftover_remove(const struct leftover *l)
{
	struct leftover_part *parts __auto_mem = NULL;
	size_t nr;
	int ret;

	if (l->parent_fd >= 0)
		return new_file_remove_dir(l->parent_fd, text_after_slash(l->tmp),
					   l->dir_fd);
	ret = leftover_parts(l, &parts, &nr);
	for (size_t i = 0; !ret && i < nr; i++) {
		char *name __auto_mem = part_name(l, parts[i].cpu);

		ret = !name ? -ENOMEM : unlinkat(l->dir_fd, name, 0) < 0 ? -errno : 0;
	}
	/* The file may have got its final name. */
	if (!ret && unlinkat(l->dir_fd, leftover_name(l), 0) < 0 && errno != ENOENT)
		ret = -errno;
	return ret;
}

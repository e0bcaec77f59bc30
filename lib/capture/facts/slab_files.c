// SPDX-License-Identifier: GPL-2.0-or-later
#include "capture/facts/slab_files.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

/* Descriptors for all else: pipes of many CPUs, a flight of files. */
#define OTHER_FILES 512

static const char *const names[SLAB_FILES] = { "shrink",	 "objects",
					       "cpu_slabs",	 "slabs_cpu_partial",
					       "sheaf_capacity", "reclaim_account" };

/* How many files may be opened: all of @caches, or as many as the limit leaves. */
static size_t room_for(size_t caches)
{
	rlim_t wanted = caches * SLAB_FILES + OTHER_FILES;
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) < 0)
		return 0;
	if (limit.rlim_cur < wanted) {
		limit.rlim_cur = limit.rlim_max < wanted ? limit.rlim_max : wanted;
		if (setrlimit(RLIMIT_NOFILE, &limit) < 0 ||
		    getrlimit(RLIMIT_NOFILE, &limit) < 0)
			return 0;
	}
	return limit.rlim_cur > OTHER_FILES ? limit.rlim_cur - OTHER_FILES : 0;
}

void slab_files_open_cache(int dir, const char *name, struct slab_files_cache *c)
{
	char path[320], byte;

	snprintf(c->name, sizeof(c->name), "%s", name);
	for (int i = 0; i < SLAB_FILES; i++) {
		snprintf(path, sizeof(path), "%s/%s", name, names[i]);
		c->fds[i] = openat(dir, path,
				   (i == SLAB_SHRINK ? O_WRONLY : O_RDONLY) | O_CLOEXEC);
		/* The kernel allocates a page when it is read first. */
		if (i != SLAB_SHRINK && i != SLAB_RECLAIM_ACCOUNT && c->fds[i] >= 0 &&
		    pread(c->fds[i], &byte, 1, 0) < 0)
			continue;
	}
}

void slab_files_close_cache(const struct slab_files_cache *c)
{
	for (int i = 0; i < SLAB_FILES; i++)
		if (c->fds[i] >= 0)
			close(c->fds[i]);
}

/* The cache's name at the beginning of a line of slabinfo; false: it has none. */
static bool name_of(const char *line, char name[256])
{
	size_t len = strcspn(line, " \n");

	if (!len || len > 255 || line[len] != ' ' || *line == '#' || *line == '.' ||
	    memchr(line, '/', len))
		return false;
	memcpy(name, line, len);
	name[len] = 0;
	return true;
}

void slab_files_open(struct slab_files *f, const char *path, const char *slabinfo)
{
	int dir = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	size_t lines = 1, room;
	const char *at;
	char name[256];

	if (dir < 0)
		return;
	for (at = slabinfo; *at; at++)
		lines += *at == '\n';
	room = room_for(lines) / SLAB_FILES;
	f->caches = calloc(lines, sizeof(*f->caches));
	for (at = slabinfo; *at && f->caches && f->nr < lines && f->nr < room;) {
		if (name_of(at, name))
			slab_files_open_cache(dir, name, &f->caches[f->nr++]);
		at += strcspn(at, "\n");
		at += *at == '\n';
	}
	close(dir);
}

const struct slab_files_cache *slab_files_of(const struct slab_files *f, const char *name)
{
	for (size_t i = 0; i < f->nr; i++)
		if (!strcmp(f->caches[i].name, name))
			return &f->caches[i];
	return NULL;
}

void slab_files_close(struct slab_files *f)
{
	for (size_t i = 0; i < f->nr; i++)
		slab_files_close_cache(&f->caches[i]);
	free(f->caches);
	*f = (struct slab_files){ 0 };
}

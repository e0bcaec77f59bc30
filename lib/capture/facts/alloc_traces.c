// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * capture: who has slab objects, by SLUB's debugging.
 * In: CACHE/alloc_traces in /sys/kernel/debug/slab, of caches whose objects keep their callsites
 * (slab_debug=U; Linux 5.14). Out: a line for each callsite, "CACHE OBJECTS FUNCTION [MODULE]".
 */
#include "capture/facts/lists.h"

#include <fcntl.h>
#include <limits.h>
#include <unistd.h>

#include "base/array.h"
#include "base/clock.h"
#include "base/hash.h"
#include "base/io.h"

/* @names: "CACHE" and "FUNCTION [MODULE]", with a NUL between; number n + 1 has @objects[n] */
struct traces {
	struct intern names;
	uint64_t *objects;
	size_t nr, capacity;
};

/* Reads "    12 getname_flags+0x4f/0x1e0 [MODULE] waste=1/1 age=5/6/7 pid=1 cpus=0"; other lines are
 * callchains.
 */
static int add_line(struct traces *t, const char *cache, const char *line)
{
	char name[512], *at;
	uint64_t objects = strtoull(line, &at, 10);
	size_t function, module = 0;
	uint32_t id;
	int len;

	if (at == line || *at != ' ' || objects > UINT32_MAX)
		return 0;
	at++;
	function = strcspn(at, "+ \n");
	line = at + strcspn(at, " \n");
	if (!strncmp(line, " [", 2))
		module = strcspn(line + 1, " \n") + 1;
	len = snprintf(name, sizeof(name), "%s%c%.*s%.*s", cache, 0, (int)function, at,
		       (int)module, line);
	if (!function || len >= (int)sizeof(name))
		return 0;
	id = intern_id(&t->names, name, (size_t)len);
	if (!id ||
	    array_reach(&t->objects, &t->nr, &t->capacity, id, sizeof(*t->objects)))
		return -ENOMEM;
	t->objects[id - 1] += objects;
	return 0;
}

/* 1: read; 0: its objects do not keep their callsites. */
static int read_cache(struct traces *t, int dir, const char *cache, uint64_t end)
{
	char path[NAME_MAX + 16];
	FILE *file __auto_file = NULL;
	size_t size = 0;
	char *line __auto_mem = NULL;
	int fd, ret = 0;

	snprintf(path, sizeof(path), "%s/alloc_traces", cache);
	fd = openat(dir, path, O_RDONLY | O_CLOEXEC);
	file = fd < 0 ? NULL : fdopen(fd, "r");
	if (!file) {
		io_close(&fd);
		return 0;
	}
	while (!ret && getline(&line, &size, file) > 0) {
		ret = add_line(t, cache, line);
		if (!ret && clock_ns(CLOCK_MONOTONIC) > end)
			ret = -ETIME;
	}
	return ret ? ret : 1;
}

int alloc_traces_sum(const char *path, uint64_t most_ns, size_t most_bytes,
		     struct strbuf *out)
{
	uint64_t end = clock_ns(CLOCK_MONOTONIC) + most_ns;
	struct traces t = { 0 };
	DIR *dir __auto_dir = opendir(path);
	struct dirent *entry;
	bool any = false;
	int ret = 0;

	while (dir && ret >= 0 && (entry = readdir(dir))) {
		if (entry->d_name[0] != '.')
			ret = read_cache(&t, dirfd(dir), entry->d_name, end);
		any |= ret > 0;
	}
	for (uint32_t i = 0; ret >= 0 && i < t.nr; i++) {
		const char *cache = intern_get(&t.names, i + 1, NULL);

		strbuf_printf(out, "%s %" PRIu64 " %s\n", cache, t.objects[i],
			      cache + strlen(cache) + 1);
		if (out->size > most_bytes)
			ret = -EFBIG;
	}
	intern_free(&t.names);
	free(t.objects);
	if (out->failed)
		return -ENOMEM;
	return ret < 0 ? ret : any ? 0 : -ENOENT;
}

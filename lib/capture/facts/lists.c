// SPDX-License-Identifier: GPL-2.0-or-later
#include "capture/facts/lists.h"

#include <fcntl.h>
#include <limits.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/io.h"
#include "capture/events/instance.h"
#include "capture/facts/facts.h"
#include "recording/recording.h"

/* Limits of reading one list. Processes get more time, even on a busy machine: reports by process
 * and control group need them.
 */
#define LIST_NS	     100000000ULL
#define PROCESSES_NS 500000000ULL
#define LIST_LONG_NS 60000000000ULL
#define LIST_BYTES   (8U << 20)

#define PAGE_OWNER "/sys/kernel/debug/page_owner"

/* --- who has slab objects: CACHE/alloc_traces -------------------------------------------- */

/* One cache that stores the callsites of its objects (slab_debug=U; Linux 5.14). */
struct traces {
	struct list *list;
	const char *cache;
};

/* Reads "    12 getname_flags+0x4f/0x1e0 [MODULE] waste=1/1 age=5/6/7 pid=1 cpus=0"; other lines are
 * callchains.
 */
static int add_trace(void *ctx, char *line)
{
	const struct traces *t = ctx;
	char name[512], *at;
	const struct list_sum more = { .nr = strtoull(line, &at, 10) };
	size_t function, module = 0;
	int len;

	if (at == line || *at != ' ' || more.nr > UINT32_MAX)
		return 0;
	at++;
	function = strcspn(at, "+ \n");
	line = at + strcspn(at, " \n");
	if (!strncmp(line, " [", 2))
		module = strcspn(line + 1, " \n") + 1;
	len = snprintf(name, sizeof(name), "%s%c%.*s%.*s", t->cache, 0, (int)function, at,
		       (int)module, line);
	if (!function || len >= (int)sizeof(name))
		return 0;
	return list_add(t->list, name, (size_t)len, &more);
}

int alloc_traces_sum(struct list *l, const char *path)
{
	DIR *dir __auto_dir = opendir(path);
	struct traces t = { .list = l };
	struct dirent *entry;
	bool any = false;
	int ret = 0;

	while (dir && !ret && (entry = readdir(dir))) {
		FILE *file __auto_file = NULL;
		char name[NAME_MAX + 16];
		int fd;

		t.cache = entry->d_name;
		snprintf(name, sizeof(name), "%s/alloc_traces", t.cache);
		fd = *t.cache == '.' ? -1
				     : openat(dirfd(dir), name, O_RDONLY | O_CLOEXEC);
		file = fd < 0 ? NULL : fdopen(fd, "r");
		if (!file) {
			io_close(&fd);
			continue;
		}
		any = true;
		ret = list_lines(l, file, add_trace, &t);
	}
	return !ret && !any ? -ENOENT : ret;
}

/* --- who has memory from vmalloc: /proc/vmallocinfo -------------------------------------- */

/* Reads "0xADDRESS-0xADDRESS BYTES FUNCTION+0x94/0x3e0 [MODULE] pages=4 vmalloc N0=4". An area
 * without a caller or pages of its own is left out.
 */
static int add_area(void *ctx, char *line)
{
	struct list_sum more = { .nr = 1 };
	const char *function, *module = NULL;
	bool vmalloc = false;
	char *word, *rest, name[256];

	if (!strtok_r(line, " \n", &rest) || !strtok_r(NULL, " \n", &rest))
		return 0;
	word = strtok_r(NULL, " \n", &rest);
	if (!word || strchr(word, '='))
		return 0;
	word[strcspn(word, "+")] = '\0';
	function = word;
	while ((word = strtok_r(NULL, " \n", &rest))) {
		if (*word == '[')
			module = word;
		else if (strncmp(word, "pages=", 6) == 0)
			more.pages = strtoull(word + 6, NULL, 10);
		else if (strcmp(word, "vmalloc") == 0)
			vmalloc = true;
	}
	if (!vmalloc || !more.pages)
		return 0;
	snprintf(name, sizeof(name), "%s%s%s", function, module ? " " : "",
		 module ? module : "");
	return list_add(ctx, name, strlen(name), &more);
}

int vmallocinfo_sum(struct list *l, const char *path)
{
	FILE *file __auto_file = fopen(path, "re");

	return list_lines(l, file, add_area, l);
}

/* --- all of them ------------------------------------------------------------------------- */

/* Who owns each page, or at least what it is used for. */
static int opening(struct list *l, const char *path)
{
	int ret = page_owner_frames(l, PAGE_OWNER);

	if (!ret || ret == -ENOMEM)
		return ret;
	strbuf_reset(l->out);
	l->end_ns = clock_ns(CLOCK_MONOTONIC) + l->most_ns;
	return opening_of_flags(l, path);
}

/* The kernel prints percpu_stats with interrupts off, which took 0.35 ms for 1.2 MB per CPU. If
 * each CPU has this much, it is left out unless lists may take long.
 */
#define PERCPU_KIB (16U << 10)

static int percpu_stats(struct list *l, const char *path)
{
	const uint64_t kib = facts_meminfo("Percpu") / 1024;
	int ret = 0;

	if (l->most_ns == LIST_NS &&
	    kib / PERCPU_KIB >= (uint64_t)sysconf(_SC_NPROCESSORS_CONF))
		ret = -EFBIG;
	ret = ret ?: instance_read_top(path, l->out);
	return !ret && l->out->size > l->most_bytes ? -EFBIG : ret;
}

int list_read(const char *item, bool long_time, struct strbuf *out, const struct log *log)
{
	static const struct {
		const char *item, *path;
		uint64_t most_ns;
		list_fn *read;
	} lists[] = {
		{ RECORDING_META_PROCESSES, "/proc", PROCESSES_NS, processes_list },
		{ RECORDING_META_VMALLOCINFO, "/proc/vmallocinfo", LIST_NS,
		  vmallocinfo_sum },
		{ RECORDING_META_PAGE_OWNER, PAGE_OWNER, LIST_NS, page_owner_sum },
		{ RECORDING_META_PERCPU_STATS, "/sys/kernel/debug/percpu_stats", LIST_NS,
		  percpu_stats },
		{ RECORDING_META_OPENING, "/proc/kpageflags", LIST_NS, opening },
		{ RECORDING_META_ALLOC_TRACES, "/sys/kernel/debug/slab", LIST_NS,
		  alloc_traces_sum },
	};
	size_t i = 0;
	int ret;

	while (strcmp(lists[i].item, item) != 0)
		i++;
	ret = list_make(lists[i].read, lists[i].path,
			long_time ? LIST_LONG_NS : lists[i].most_ns, LIST_BYTES, out);
	if (ret && ret != -ENOENT)
		log_msg(log, LOG_INFO,
			"cannot read %s: %s; the recording will lack its %s",
			lists[i].path, strerror(-ret), item);
	return ret;
}

// SPDX-License-Identifier: GPL-2.0-or-later
#include "capture/facts/lists.h"

#include <unistd.h>

#include "capture/events/instance.h"
#include "capture/facts/opening.h"
#include "recording/recording.h"

/* Reading one takes no longer, and gives no more. Without processes, reports by process and control
 * group are refused, so these are waited for on a busy machine, too.
 */
#define LIST_NS	     100000000ULL
#define PROCESSES_NS 500000000ULL
#define LIST_LONG_NS 60000000000ULL
#define LIST_BYTES   (8U << 20)

#define PAGE_OWNER "/sys/kernel/debug/page_owner"

static int page_owner(const char *path, uint64_t most_ns, struct strbuf *out)
{
	return page_owner_sum(path, most_ns, LIST_BYTES, out);
}

static int alloc_traces(const char *path, uint64_t most_ns, struct strbuf *out)
{
	return alloc_traces_sum(path, most_ns, LIST_BYTES, out);
}

/* Who has each page, or at least what for. */
static int opening(const char *path, uint64_t most_ns, struct strbuf *out)
{
	int ret = page_owner_frames(PAGE_OWNER, most_ns, LIST_BYTES, out);

	if (!ret || ret == -ENOMEM)
		return ret;
	strbuf_reset(out);
	return opening_of_flags(path, most_ns, LIST_BYTES, out);
}

/* The kernel prints percpu_stats with interrupts off, which took 0.35 ms with 1.2 MB of each CPU.
 * With more than this of each CPU it is left out.
 */
#define PERCPU_KIB (16U << 10)

static int percpu_stats(const char *path, uint64_t most_ns, struct strbuf *out)
{
	struct strbuf __auto_free meminfo = { 0 };
	int ret = instance_read_top("/proc/meminfo", &meminfo);
	const char *all = strstr(strbuf_text(&meminfo), "Percpu:");
	uint64_t kib = all ? strtoull(all + strlen("Percpu:"), NULL, 10) : 0;

	if (!ret && most_ns == LIST_NS &&
	    kib / PERCPU_KIB >= (uint64_t)sysconf(_SC_NPROCESSORS_CONF))
		ret = -EFBIG;
	if (!ret)
		ret = instance_read_top(path, out);
	return !ret && out->size > LIST_BYTES ? -EFBIG : ret;
}

static const struct list {
	const char *item, *path;
	uint64_t most_ns;
	int (*read)(const char *path, uint64_t most_ns, struct strbuf *out);
} lists[] = {
	{ RECORDING_META_PROCESSES, "/proc", PROCESSES_NS, processes_list },
	{ RECORDING_META_VMALLOCINFO, "/proc/vmallocinfo", LIST_NS, vmallocinfo_sum },
	{ RECORDING_META_PAGE_OWNER, PAGE_OWNER, LIST_NS, page_owner },
	{ RECORDING_META_PERCPU_STATS, "/sys/kernel/debug/percpu_stats", LIST_NS,
	  percpu_stats },
	{ RECORDING_META_OPENING, "/proc/kpageflags", LIST_NS, opening },
	{ RECORDING_META_ALLOC_TRACES, "/sys/kernel/debug/slab", LIST_NS, alloc_traces },
};

int list_read(const char *item, bool long_time, struct strbuf *out, const struct log *log)
{
	const struct list *l = lists;
	int ret;

	while (strcmp(l->item, item) != 0)
		l++;
	ret = l->read(l->path, long_time ? LIST_LONG_NS : l->most_ns, out);
	if (ret && ret != -ENOENT)
		log_msg(log, LOG_INFO,
			"cannot read %s: %s; the recording will lack its %s", l->path,
			strerror(-ret), item);
	return ret;
}

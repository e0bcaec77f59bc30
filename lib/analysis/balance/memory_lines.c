// SPDX-License-Identifier: GPL-2.0-or-later
#include "analysis/balance/memory_lines.h"

#include "recording/snapshot.h"

/* Also a part of VmallocUsed on most kernels: memory_counters_stacks(). */
#define STACKS	    "KernelStack"
#define RECLAIMABLE "KReclaimable"
#define LINE_OTHERS (MEMORY_LINES - 2)
#define LINE_NONE   (MEMORY_LINES - 1)

const struct memory_line memory_lines[MEMORY_LINES] = {
	{ "free", { "MemFree" }, { NULL }, USE_NR },
	{ "free_cpus", { NULL }, { NULL }, USE_NR },
	{ "anonymous", { "AnonPages" }, { NULL }, USE_ANONYMOUS },
	{ "page_cache", { "Cached", "Buffers" }, { "Shmem" }, USE_PAGE_CACHE },
	{ "shmem", { "Shmem" }, { NULL }, USE_SHMEM },
	{ "swap_cache", { "SwapCached" }, { NULL }, USE_NR },
	{ "slab_reclaimable", { "SReclaimable" }, { NULL }, USE_SLAB_RECLAIMABLE },
	{ "slab_unreclaimable", { "SUnreclaim" }, { NULL }, USE_SLAB_UNRECLAIMABLE },
	{ "stacks", { STACKS }, { NULL }, USE_STACK },
	{ "page_tables", { "PageTables", "SecPageTables" }, { NULL }, USE_PAGE_TABLE },
	{ "vmalloc", { "VmallocUsed" }, { STACKS }, USE_VMALLOC },
	{ "percpu", { "Percpu" }, { NULL }, USE_PERCPU },
	{ "hugetlb", { "Hugetlb" }, { NULL }, USE_HUGETLB },
	{ "other",
	  { RECLAIMABLE, "Bounce", "Zswap", "Balloon", "Unaccepted", "GPUActive" },
	  { "SReclaimable" },
	  USE_NR },
	{ "uncounted", { NULL }, { NULL }, USE_UNCOUNTED },
};

const char *memory_line_of(enum page_use use)
{
	size_t i = 0;

	while (memory_lines[i].use != use)
		i++;
	return memory_lines[i].name;
}

static bool value_of_text(const struct memory_counters *c, const char *name,
			  uint64_t *kib)
{
	char line[32];

	snprintf(line, sizeof(line), "%s:", name);
	return vmstat_value(c->from, line, kib);
}

struct memory_counters memory_counters_text(const char *meminfo, const char *zoneinfo,
					    uint64_t page_size)
{
	struct memory_counters c = { .value = value_of_text, .from = meminfo };
	uint64_t pages;

	if (zoneinfo_pcp_pages(zoneinfo, &pages))
		c.on_cpus = (int64_t)(pages * page_size);
	return c;
}

bool memory_counters_stacks(const struct memory_counters *c)
{
	uint64_t used = 0, stacks = 0;

	return c->value(c, "VmallocUsed", &used) && c->value(c, STACKS, &stacks) &&
	       used >= stacks;
}

/* The sum of some counters, in bytes; those that a kernel does not have are 0. */
static int64_t sum_of(const struct memory_counters *c, const char *const *names,
		      size_t nr)
{
	uint64_t sum = 0, kib;

	for (size_t i = 0; i < nr && names[i]; i++)
		if (c->value(c, names[i], &kib))
			sum += kib;
	return (int64_t)(sum * 1024);
}

int64_t memory_lines_read(const struct memory_counters *c, bool stacks_inside,
			  int64_t figures[MEMORY_LINES])
{
	static const char *const total[] = { "MemTotal" };
	int64_t all = sum_of(c, total, 1);
	uint64_t kib;

	figures[LINE_NONE] = all;
	for (size_t i = 0; i < LINE_NONE; i++) {
		const struct memory_line *line = &memory_lines[i];

		figures[i] = sum_of(c, line->plus, ARRAY_SIZE(line->plus));
		/* Before 4.20 there was no KReclaimable. */
		if (line->use == USE_VMALLOC
			    ? stacks_inside
			    : i != LINE_OTHERS || c->value(c, RECLAIMABLE, &kib))
			figures[i] -= sum_of(c, line->minus, ARRAY_SIZE(line->minus));
		if (i == MEMORY_LINE_CPUS)
			figures[i] = c->on_cpus;
		figures[LINE_NONE] -= figures[i];
	}
	return all;
}

static const char *const ends[][2] = { { "meminfo.before", "zoneinfo.before" },
				       { "meminfo.after", "zoneinfo.after" } };

bool memory_lines_known(const struct recording *rec)
{
	return recording_meta(rec, ends[0][0]) && recording_meta(rec, ends[1][0]);
}

void memory_lines_of(const struct recording *rec, uint64_t page_size,
		     int64_t figures[2][MEMORY_LINES], int64_t total[2])
{
	struct memory_counters counters[2];
	bool inside;

	for (size_t i = 0; i < 2; i++)
		counters[i] = memory_counters_text(recording_meta_text(rec, ends[i][0]),
						   recording_meta_text(rec, ends[i][1]),
						   page_size);
	inside = memory_counters_stacks(&counters[0]) &&
		 memory_counters_stacks(&counters[1]);
	for (size_t i = 0; i < 2; i++)
		total[i] = memory_lines_read(&counters[i], inside, figures[i]);
}

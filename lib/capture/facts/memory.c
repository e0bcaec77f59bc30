// SPDX-License-Identifier: GPL-2.0-or-later
#include "capture/facts/memory.h"

#include "capture/events/instance.h"

/* Readings of a pair of files; a machine that never rests has the best of them. */
#define TRIES	 24
/* Good enough: 64 KiB with pages of 4 KiB. */
#define PAGES_OK 16

/* Free pages: those of zones, and those on lists of CPUs. */
struct free_pages {
	uint64_t zones, on_cpus;
};

uint64_t memory_zones(const char *zoneinfo, const char *name)
{
	size_t len = strlen(name);
	uint64_t sum = 0;

	for (const char *line = zoneinfo; line; line = strchr(line, '\n')) {
		line += strspn(line, " \n");
		if (!strncmp(line, name, len))
			sum += strtoull(line + len, NULL, 10);
	}
	return sum;
}

static struct free_pages free_pages(const struct strbuf *zoneinfo)
{
	const char *text = strbuf_text(zoneinfo);

	return (struct free_pages){ memory_zones(text, "pages free"),
				    memory_zones(text, MEMORY_ON_CPUS) };
}

static uint64_t distance(uint64_t a, uint64_t b)
{
	return a > b ? a - b : b - a;
}

/* How many went from one to the other, or were allocated. */
static uint64_t moved(const struct free_pages *a, const struct free_pages *b)
{
	return distance(a->zones, b->zones) + distance(a->on_cpus, b->on_cpus);
}

static void swap_texts(struct strbuf *a, struct strbuf *b)
{
	struct strbuf old = *a;

	*a = *b;
	*b = old;
}

/* False: the file cannot be read; its text is empty then. */
static bool read_text(const char *path, struct strbuf *text)
{
	strbuf_reset(text);
	if (!instance_read_top(path, text))
		return true;
	strbuf_reset(text);
	return false;
}

void memory_read(struct strbuf *meminfo, struct strbuf *zoneinfo)
{
	struct strbuf __auto_free zones = { 0 }, info = { 0 };
	uint64_t least = UINT64_MAX;
	struct free_pages before, after;

	if (!read_text("/proc/zoneinfo", &zones)) {
		(void)read_text("/proc/meminfo", meminfo);
		least = 0;
	}
	after = free_pages(&zones);
	for (int i = 0; i < TRIES && least > PAGES_OK; i++) {
		(void)read_text("/proc/sys/vm/stat_refresh", &info);
		if (i && read_text("/proc/zoneinfo", &zones))
			after = free_pages(&zones);
		before = after;
		if (!read_text("/proc/meminfo", &info) ||
		    !read_text("/proc/zoneinfo", &zones))
			break;
		after = free_pages(&zones);
		if (moved(&before, &after) >= least)
			continue;
		least = moved(&before, &after);
		swap_texts(meminfo, &info);
		strbuf_reset(zoneinfo);
		strbuf_add(zoneinfo, strbuf_text(&zones), zones.size);
	}
}

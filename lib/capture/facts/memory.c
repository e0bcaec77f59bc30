// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * capture: how much memory is used for what, at a moment.
 * In: /proc/meminfo and zoneinfo. Out: their texts.
 */
#include "capture/facts/memory.h"

#include <stdlib.h>
#include <string.h>

#include "capture/events/instance.h"

/* Readings of a pair of files; a machine that never rests has the best of them. */
#define TRIES	 24
/* Good enough: 64 KiB with pages of 4 KiB. */
#define PAGES_OK 16

/* Free pages: those of zones, and those on the allocator's lists of CPUs. */
struct free_pages {
	uint64_t of[2];
};

static struct free_pages free_pages(const struct strbuf *zoneinfo)
{
	static const char *const names[] = { "pages free", "count:" };
	struct free_pages pages = { { 0 } };

	for (const char *line = strbuf_text(zoneinfo); line; line = strchr(line, '\n')) {
		line += strspn(line, " \n");
		for (size_t i = 0; i < ARRAY_SIZE(names); i++)
			if (!strncmp(line, names[i], strlen(names[i])))
				pages.of[i] +=
					strtoull(line + strlen(names[i]), NULL, 10);
	}
	return pages;
}

/* How many went from one to the other, or were allocated. */
static uint64_t moved(const struct free_pages *a, const struct free_pages *b)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < ARRAY_SIZE(a->of); i++)
		sum += a->of[i] > b->of[i] ? a->of[i] - b->of[i] : b->of[i] - a->of[i];
	return sum;
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
	struct strbuf zones = { 0 }, info = { 0 };
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
	strbuf_free(&zones);
	strbuf_free(&info);
}

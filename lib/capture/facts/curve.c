// SPDX-License-Identifier: GPL-2.0-or-later
#include "capture/facts/curve.h"

#include <fcntl.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/io.h"
#include "capture/events/instance.h"
#include "recording/snapshot.h"

/* Moments are not closer than this. */
#define APART_NS   50000000
/* A flight recorder keeps its latest moments; new ones are always this far apart. */
#define LATEST_NS  250000000
/* Reading the counts takes at most 1/COST_PART of the time. */
#define COST_PART  256
/* Gaps are compared in units of the age divided by 2^AGE_SHIFT. */
#define AGE_SHIFT  12
/* Bytes that are read at a time: seq_file returns at most a page. */
#define READ_BYTES 4096

/* Most readings of the pair of files; on a machine that never rests, the best pair is used. */
#define TRIES	 24
/* So few moved pages are good enough: 64 KiB with pages of 4 KiB. */
#define PAGES_OK 16

static const char *const files[CURVE_FILES] = { "slabinfo", "meminfo", "vmstat",
						"buddyinfo", "zoneinfo" };

/* The counters that analyses use. */
static const char *const from_meminfo[] = {
	"MemTotal",    "MemFree",    "Buffers",	      "Cached",	      "SwapCached",
	"AnonPages",   "Shmem",	     "KReclaimable",  "SReclaimable", "SUnreclaim",
	"KernelStack", "PageTables", "SecPageTables", "VmallocUsed",  "Percpu",
	"Hugetlb",     "Bounce",     "Zswap",	      "Balloon",      "Unaccepted",
	"GPUActive",   NULL
};
static const char *const from_vmstat[] = { "pgfree", "slabs_scanned", NULL };

/* --- meminfo and zoneinfo of one moment ---------------------------------------------- */

/* Free pages: those of zones, and those on the allocator's per-CPU lists. */
struct free_pages {
	uint64_t of[2];
};

static struct free_pages free_pages(const struct strbuf *zoneinfo)
{
	static const char *const names[] = { "pages free", "count:" };
	const char *text = strbuf_text(zoneinfo);
	struct free_pages sums = { { 0 } };
	struct zone_stat stat = { 0 };

	while (zoneinfo_next(&text, names, ARRAY_SIZE(names), &stat))
		sums.of[stat.name] += stat.value;
	return sums;
}

static uint64_t distance(uint64_t a, uint64_t b)
{
	return a > b ? a - b : b - a;
}

/* How many pages moved between zones and per-CPU lists, or were allocated. */
static uint64_t moved(const struct free_pages *a, const struct free_pages *b)
{
	return distance(a->of[0], b->of[0]) + distance(a->of[1], b->of[1]);
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
		swap_texts(zoneinfo, &zones);
	}
}

/* --- the curve ---------------------------------------------------------------------------- */

int curve_open(struct curve *c, const char *proc, bool latest)
{
	char path[4096];
	int err = 0;

	for (int i = 0; i < CURVE_FILES; i++) {
		snprintf(path, sizeof(path), "%s/%s", proc, files[i]);
		c->fds[i] = open(path, O_RDONLY | O_CLOEXEC);
		if (i == CURVE_SLABINFO && c->fds[i] < 0)
			err = -errno;
	}
	c->open = true;
	if (err) {
		curve_free(c);
		return err;
	}
	c->latest = latest;
	c->apart_ns = latest ? LATEST_NS : APART_NS;
	return 0;
}

/* Reads the file from its beginning. False: it cannot be read; its text is empty then. */
static bool read_file(int fd, struct strbuf *text)
{
	char part[READ_BYTES];
	off_t at = 0;
	ssize_t n;

	strbuf_reset(text);
	if (fd < 0)
		return false;
	while ((n = pread(fd, part, sizeof(part), at)) > 0) {
		strbuf_add(text, part, (size_t)n);
		at += n;
	}
	if (n < 0)
		strbuf_reset(text);
	return n == 0 && text->size;
}

/* Finds the next line that begins with "NAME NUMBER" or "NAME: NUMBER", and moves *@text past it.
 */
static bool next_count(const char **text, const char **name, size_t *name_len,
		       uint64_t *number)
{
	const char *at = *text, *line = at;
	bool found = false;

	while (*line && !found) {
		*name = line;
		*name_len = strcspn(line, " :\n");
		at = line + *name_len;
		at += *at == ':';
		at += strspn(at, " ");
		found = *name_len && *at >= '0' && *at <= '9';
		line = at + strcspn(at, "\n");
		line += *line == '\n';
	}
	*number = found ? strtoull(at, NULL, 10) : 0;
	*text = line;
	return found;
}

static bool is_one_of(const char *const *names, const char *name, size_t len)
{
	while (*names && (strncmp(*names, name, len) != 0 || (*names)[len]))
		names++;
	return *names;
}

/* Adds the counts of @text that are in @names; NULL: all. Of vmstat, also the sum of all zones. */
static int add_counts(struct kernel_curve *c, enum kernel_counter from, const char *text,
		      const char *const *names)
{
	static const char zones[] = "pgalloc_", sum[] = "pgalloc";
	const char *name;
	uint64_t number;
	int ret = 0;
	size_t len;

	while (!ret && next_count(&text, &name, &len, &number)) {
		if (!names || is_one_of(names, name, len))
			ret = kernel_curve_add(c, from, name, len, number);
		else if (from == KERNEL_VMSTAT && !strncmp(name, zones, strlen(zones)))
			ret = kernel_curve_add(c, from, sum, strlen(sum), number);
	}
	return ret;
}

/* Adds the pages that @sum finds in @text; nothing if the file could not be read. */
static int add_pages(struct kernel_curve *c, enum kernel_counter from, const char *name,
		     const char *text, bool (*sum)(const char *text, uint64_t *pages))
{
	uint64_t pages;

	if (!*text)
		return 0;
	(void)sum(text, &pages);
	return kernel_curve_add(c, from, name, strlen(name), pages);
}

/* Makes room for a moment at @now. */
static void make_room(struct curve *c, uint64_t now)
{
	struct kernel_curve *k = &c->counts;
	uint64_t gap, age, least = UINT64_MAX;
	unsigned int which = 1;

	if (k->nr < KERNEL_CURVE_MOMENTS)
		return;
	if (!c->latest) {
		kernel_curve_halve(k);
		c->apart_ns = (now - c->first_ns) / k->nr;
		return;
	}
	/* Drop the one whose neighbours are closest to each other, relative to their age. */
	for (unsigned int i = 1; i + 1 < k->nr; i++) {
		age = k->times[k->nr - 1] - k->times[i];
		gap = (k->times[i + 1] - k->times[i - 1]) / ((age >> AGE_SHIFT) + 1);
		if (gap < least) {
			least = gap;
			which = i;
		}
	}
	kernel_curve_drop(k, which);
}

static int add_all(struct curve *c)
{
	static const struct {
		enum curve_file file;
		enum kernel_counter from;
		const char *const *names; /* NULL: all */
	} lists[] = { { CURVE_SLABINFO, KERNEL_SLAB, NULL },
		      { CURVE_MEMINFO, KERNEL_MEMINFO, from_meminfo },
		      { CURVE_VMSTAT, KERNEL_VMSTAT, from_vmstat } };
	struct kernel_curve *k = &c->counts;
	int ret = 0;

	for (size_t i = 0; i < ARRAY_SIZE(lists) && !ret; i++)
		ret = add_counts(k, lists[i].from, strbuf_text(&c->texts[lists[i].file]),
				 lists[i].names);
	if (!ret)
		ret = add_pages(k, KERNEL_BUDDY, "pages",
				strbuf_text(&c->texts[CURVE_BUDDYINFO]), buddyinfo_pages);
	if (!ret)
		ret = add_pages(k, KERNEL_ZONEINFO, "count",
				strbuf_text(&c->texts[CURVE_ZONEINFO]),
				zoneinfo_pcp_pages);
	return ret;
}

int curve_take(struct curve *c, uint64_t time, bool ns)
{
	uint64_t begin = clock_ns(CLOCK_MONOTONIC), end, cost;
	uint64_t cpu = clock_ns(CLOCK_THREAD_CPUTIME_ID);
	int ret = 0;

	if (!c->open)
		return 0;
	c->first_ns = c->first_ns ? c->first_ns : begin;
	if (read_file(c->fds[CURVE_SLABINFO], &c->texts[CURVE_SLABINFO])) {
		time += ns ? (clock_ns(CLOCK_MONOTONIC) - begin) / 2 : 0;
		for (int i = CURVE_SLABINFO + 1; i < CURVE_FILES; i++)
			read_file(c->fds[i], &c->texts[i]);
		make_room(c, begin);
		if (kernel_curve_begin(&c->counts, time))
			ret = add_all(c);
	}
	end = clock_ns(CLOCK_MONOTONIC);
	cost = clock_ns(CLOCK_THREAD_CPUTIME_ID) - cpu;
	c->spent_ns += cost;
	c->next_ns = begin + c->apart_ns;
	c->next_ns = LARGER(c->next_ns, end + cost * COST_PART);
	return ret;
}

void curve_free(struct curve *c)
{
	for (int i = 0; i < CURVE_FILES && c->open; i++) {
		io_close(&c->fds[i]);
		strbuf_free(&c->texts[i]);
	}
	kernel_curve_free(&c->counts);
	*c = (struct curve){ 0 };
}

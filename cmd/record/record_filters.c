// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * cmd: which allocations kmemx record records.
 * In: options. Out: criteria of the library.
 */
#include "cmd/record/recorder.h"

#include <unistd.h>

#include "capture/events/pids.h"
#include "cmd/options/message.h"
#include "event/print_flags.h"
#include "recording/snapshot.h"

/* TASK_COMM_LEN, without the NUL. */
#define COMM_MAX  15
/* Below the kernel's MAX_FILTER_STR_VAL, which is 256. */
#define NAME_MOST 200
/* Above any kernel's limit: MAX_ORDER was 11, but can be configured. */
#define ORDER_MAX 30

bool record_filters_any(const struct record_filters *f)
{
	return f->min_bytes || f->min_order || f->caches.count || f->gfp.count ||
	       f->comms.count || f->cgroup;
}

/* Can the names be quoted in a filter of the kernel? */
static int check_names(const struct option_strings *names, const char *option,
		       size_t most)
{
	for (size_t i = 0; i < names->count; i++) {
		size_t size = strlen(names->items[i]);

		if (size && size <= most && !strpbrk(names->items[i], "\"\n\t"))
			continue;
		return message_fail(EXIT_USAGE, "record",
				    "%s takes a name of up to %zu characters, not '%s'",
				    option, most, names->items[i]);
	}
	return GO_ON;
}

static int check_caches(const struct record_filters *f, const struct capture_options *c)
{
	if (f->caches.count && !c->events.slab)
		return recorder_usage_error(
			"--cache needs slab events\n  Add --slab to --page, or leave out --page");
	for (size_t i = 0; i < f->caches.count; i++)
		if (!strncmp(f->caches.items[i], "kmalloc-", strlen("kmalloc-")))
			return recorder_usage_error(
				"--cache cannot select a kmalloc cache: kmalloc events do not name it\n  Select by size: --min-bytes SIZE, or --filter 'bytes_alloc == 64'");
	return check_names(&f->caches, "--cache", NAME_MOST);
}

int record_filters_set(struct record_filters *f, bool page, bool areas,
		       struct capture_options *c)
{
	struct event_criteria *to = &c->events.criteria;
	int ret = check_caches(f, c);

	ret = ret ?: check_names(&f->comms, "--comm", COMM_MAX);
	if (ret != GO_ON)
		return ret;
	if (f->min_order > ORDER_MAX)
		return recorder_usage_error("--min-order takes 1 to 30");
	if (f->min_order && !c->events.page)
		return recorder_usage_error(
			"--min-order needs page events\n  Add --page to --slab, or leave out --slab");
	/* Pages have no cache: --cache drops page events unless they were asked for. */
	if (f->caches.count && !page)
		c->events.page = false;
	if (f->min_order && !c->events.page)
		return recorder_usage_error("--min-order and --cache need --slab --page");
	/* Areas have neither a cache nor an order. */
	if (!areas && (f->caches.count || f->min_order || f->min_bytes || f->gfp.count))
		c->events.vmalloc = c->events.percpu_memory = false;
	*to = (struct event_criteria){
		.min_bytes = f->min_bytes,
		.page_bytes = (uint64_t)sysconf(_SC_PAGESIZE),
		.min_order = (unsigned int)f->min_order,
		.caches = f->caches.items,
		.nr_caches = f->caches.count,
		.comms = f->comms.items,
		.nr_comms = f->comms.count,
	};
	return GO_ON;
}

/* --- what the kernel says ---------------------------------------------------------------- */

struct flag_search {
	const char *name;
	size_t size;
	uint64_t mask;
	struct strbuf all;
};

static int take_flag(void *ctx, uint64_t mask, const char *name)
{
	struct flag_search *s = ctx;

	if (strlen(name) == s->size && !strncmp(name, s->name, s->size))
		s->mask = mask;
	strbuf_printf(&s->all, "%s%s", s->all.size ? ", " : "", name);
	return 0;
}

/* Names and bits of GFP flags differ between kernels: read them from the event's format. */
static int add_flag(const struct strbuf *format, const char *name, size_t size,
		    uint64_t *mask)
{
	struct flag_search s = { .name = name, .size = size };
	int ret = print_flags_parse(strbuf_text(format), format->size, "gfp_flags",
				    take_flag, &s);

	if (ret >= 0 && s.mask)
		*mask |= s.mask;
	else
		message_error("record",
			      "this kernel has no GFP flag '%.*s'\n  Its flags are: %s",
			      (int)size, name, strbuf_text(&s.all));
	strbuf_free(&s.all);
	return ret >= 0 && s.mask ? GO_ON : EXIT_USAGE;
}

static int look_up_gfp(const struct record_filters *f, uint64_t *mask,
		       const struct capture_options *c)
{
	struct strbuf __auto_free format = { 0 };
	int ret = GO_ON, err = instance_check_user(c->command_line, c->log);

	if (err)
		return EXIT_FAILED;
	err = instance_read_top("events/kmem/mm_page_alloc/format", &format);
	if (err) {
		message_error("record", "cannot read the kernel's GFP flags: %s",
			      strerror(-err));
		ret = EXIT_FAILED;
	}
	for (size_t i = 0; i < f->gfp.count && ret == GO_ON; i++) {
		const char *p = f->gfp.items[i];

		while (ret == GO_ON) {
			size_t size = strcspn(p, ",|");

			ret = add_flag(&format, p, size, mask);
			if (!p[size])
				break;
			p += size + 1;
		}
	}
	return ret;
}

#define CACHES "/sys/kernel/slab/"

/* Reads the target of the cache's link in /sys/kernel/slab; "" if there is no such link. */
static void read_link(const char *name, char to[256])
{
	char path[512];
	ssize_t n = -1;

	if (snprintf(path, sizeof(path), CACHES "%s", name) < (int)sizeof(path))
		n = readlink(path, to, 255);
	to[n > 0 ? n : 0] = '\0';
}

/* Events name merged caches by one of their names, which is also in slabinfo. Returns that name,
 * which the caller frees, or NULL.
 */
static char *name_in_events(const char *slabinfo, const char *link)
{
	char other[256], name[256];
	struct slabinfo_line line;

	while (slabinfo_next(&slabinfo, &line)) {
		snprintf(name, sizeof(name), "%.*s", (int)line.name_len, line.name);
		read_link(name, other);
		if (!strcmp(other, link))
			return strdup(name);
	}
	return NULL;
}

static int look_up_cache(struct record_filters *f, size_t i, const char *slabinfo)
{
	const char *name = f->caches.items[i];
	char path[512], link[256], line[256];
	char *found;

	if (strpbrk(name, "*?[/"))
		return GO_ON;
	snprintf(path, sizeof(path), CACHES "%s", name);
	if (access(path, F_OK) < 0 && access(CACHES, F_OK) == 0)
		return message_fail(
			EXIT_USAGE, "record",
			"this kernel has no slab cache '%s'\n  Caches: ls " CACHES, name);
	snprintf(line, sizeof(line), "\n%s ", name);
	read_link(name, link);
	if (!link[0] || strstr(slabinfo, line))
		return GO_ON;
	found = name_in_events(slabinfo, link);
	if (!found)
		return GO_ON;
	message_info(
		"the kernel merged the cache %s with others into %s: recording all of %s",
		name, found, found);
	f->caches.items[i] = found;
	f->merged[i] = found;
	return GO_ON;
}

static int look_up_caches(struct record_filters *f)
{
	struct strbuf __auto_free slabinfo = { 0 };
	int ret = GO_ON;

	/* If it is unreadable, keep the names as given. */
	if (instance_read_top("/proc/slabinfo", &slabinfo))
		strbuf_reset(&slabinfo);
	f->merged = calloc(f->caches.count + 1, sizeof(*f->merged));
	if (!f->merged)
		ret = EXIT_FAILED;
	for (size_t i = 0; i < f->caches.count && ret == GO_ON; i++)
		ret = look_up_cache(f, i, strbuf_text(&slabinfo));
	return ret;
}

static int look_up_group(struct record_filters *f)
{
	int err = cgroup_find(f->cgroup, "/proc/mounts", &f->cgroup_dir);

	if (!err)
		return GO_ON;
	if (err == -ENOENT)
		message_error(
			"record",
			"there is no control group %s\n  Give its directory, or its path as in /proc/PID/cgroup or in kmemx stat --by cgroup",
			f->cgroup);
	else
		message_error("record", "cannot find the control group %s: %s", f->cgroup,
			      strerror(-err));
	return EXIT_FAILED;
}

int record_filters_look_up(struct record_filters *f, struct capture_options *c)
{
	int ret = f->gfp.count ? look_up_gfp(f, &c->events.criteria.gfp, c) : GO_ON;

	if (ret == GO_ON && f->caches.count)
		ret = look_up_caches(f);
	if (ret == GO_ON && f->cgroup)
		ret = look_up_group(f);
	c->cgroup = f->cgroup_dir;
	return ret;
}

void record_filters_free(struct record_filters *f)
{
	for (size_t i = 0; i < f->caches.count && f->merged; i++)
		free(f->merged[i]);
	free(f->merged);
	free(f->caches.items);
	free(f->gfp.items);
	free(f->comms.items);
	free(f->cgroup_dir);
}

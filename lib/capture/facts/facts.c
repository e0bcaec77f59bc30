// SPDX-License-Identifier: GPL-2.0-or-later
#include "capture/facts/facts.h"

#include <fcntl.h>
#include <sys/utsname.h>
#include <tracefs.h>
#include <unistd.h>

#include "base/io.h"
#include "capture/facts/lists.h"

/* --- items of metadata ------------------------------------------------------------------- */

int facts_add_meta(struct facts *f, const char *name, const char *text, size_t size)
{
	return text_list_add(&f->texts.meta, name, text, size);
}

/* Adds a file as metadata; one that cannot be read is left out. */
static int add_meta_file(struct facts *f, const char *name, const char *path,
			 const struct log *log)
{
	struct strbuf __auto_free sb = { 0 };
	int ret = instance_read_top(path, &sb);

	if (ret == 0)
		return text_list_take(&f->texts.meta, name, &sb);
	log_msg(log, LOG_INFO, "cannot read %s: %s; the recording will lack it", path,
		strerror(-ret));
	return ret == -ENOMEM ? ret : 0;
}

/* --- slab caches --------------------------------------------------------------------------- */

#define CACHES "/sys/kernel/slab"

/* The held slabs change while slabinfo is read: read them before and after, the larger count
 * applies. The second reading allocates nothing in the kernel that the first has not.
 */
static int add_slabinfo(struct facts *f, const char *name, bool after,
			const struct log *log)
{
	struct strbuf __auto_free held = { 0 };
	int ret;

	slab_counts_held(&held, CACHES, !after);
	ret = add_meta_file(f, name, "/proc/slabinfo", log);
	if (after && !ret && held.size) {
		slab_counts_held(&held, CACHES, true);
		ret = held.failed
			      ? -ENOMEM
			      : text_list_take(&f->texts.meta, "slab_cpu.after", &held);
	}
	return ret;
}

/* The clock_gettime() clock that the trace uses; false: none. */
static bool is_posix_clock(const char *trace_clock, clockid_t *clock)
{
	static const struct {
		const char *name;
		clockid_t clock;
	} clocks[] = { { "mono", CLOCK_MONOTONIC },
		       { "mono_raw", CLOCK_MONOTONIC_RAW },
		       { "boot", CLOCK_BOOTTIME } };

	for (size_t i = 0; i < ARRAY_SIZE(clocks); i++) {
		if (strcmp(trace_clock, clocks[i].name) == 0) {
			*clock = clocks[i].clock;
			return true;
		}
	}
	return false;
}

void facts_hold_slab_files(struct facts *f)
{
	struct strbuf __auto_free slabinfo = { 0 };

	if (!instance_read_top("/proc/slabinfo", &slabinfo))
		slab_files_open(&f->slab_files, CACHES, strbuf_text(&slabinfo));
}

int facts_count_slabs(struct facts *f, const char *when, uint64_t shrink_ns,
		      const struct log *log)
{
	const char *slabinfo = text_list_get(&f->texts.meta, "slabinfo.before");
	bool before = strcmp(when, "before") == 0;
	struct slab_counts_options opts = { .path = CACHES,
					    .slabinfo = slabinfo,
					    .shrink_ns = shrink_ns,
					    .open = &f->slab_files };
	struct strbuf __auto_free sb = { 0 };
	uint64_t spent;
	char name[64];

	if (!slabinfo || !f->writer.clock ||
	    !is_posix_clock(f->writer.clock, &opts.clock))
		return 0;
	/* A stream has no first count, and the second alone says nothing. */
	if (!before && !text_list_get(&f->texts.meta, "slab_counts.before"))
		return 0;
	spent = slab_counts_take(&sb, &opts);
	if (!sb.size)
		return 0;
	log_msg(log, LOG_INFO, "counting slab objects %s: %.1f ms of shrinking caches",
		when, (double)spent / 1e6);
	snprintf(name, sizeof(name), "slab_counts.%s", when);
	if (sb.failed) {
		log_msg(log, LOG_INFO, "no memory for the count of slab objects %s",
			when);
		return 0;
	}
	return text_list_take(&f->texts.meta, name, &sb);
}

/* --- state of the memory ----------------------------------------------------------------- */

static int add_list(struct facts *f, const char *item, const char *when,
		    const struct log *log)
{
	struct strbuf __auto_free sb = { 0 };
	char name[64];
	int ret = list_read(item, f->long_lists, &sb, log);

	snprintf(name, sizeof(name), "%s.%s", item, when);
	if (!ret)
		return text_list_take(&f->texts.meta, name, &sb);
	return ret == -ENOMEM ? ret : 0;
}

/* A recording without it is whole. */
static void say_ran(int err, const struct log *log)
{
	if (err)
		log_msg(log, LOG_INFO,
			"cannot read which tasks ran: %s; the recording will lack it",
			strerror(-err));
}

void facts_begin_ran(struct facts *f, uint32_t self, const struct log *log)
{
	f->ran_self = self;
	if (!f->no_proc)
		say_ran(tasks_ran_begin(&f->ran, "/proc"), log);
}

static int end_ran(struct facts *f, const struct log *log)
{
	struct strbuf __auto_free sb = { 0 };
	int ret = f->ran.begun ? tasks_ran_end(&f->ran, "/proc", f->ran_self, &sb) : 0;

	if (f->ran.begun && !ret)
		return text_list_take(&f->texts.meta, RECORDING_META_TASKS_RAN, &sb);
	say_ran(ret, log);
	return 0;
}

/* Removes the item from the list. The caller frees its text; NULL if there is no such item. */
static char *take_meta(struct facts *f, const char *name)
{
	for (size_t i = 0; i < f->texts.meta.count; i++) {
		struct recording_text *item = &f->texts.meta.items[i];
		char *text = item->text;

		if (strcmp(item->name, name) != 0)
			continue;
		free(item->name);
		*item = f->texts.meta.items[--f->texts.meta.count];
		return text;
	}
	return NULL;
}

#define BUDDYINFO "buddyinfo"

int facts_memory(struct facts *f, const char *when, const struct log *log)
{
	static const char *const names[] = { "meminfo", "zoneinfo" };
	struct strbuf texts[2] = { { 0 } };
	char name[64];
	int ret = 0;

	memory_read(&texts[0], &texts[1]);
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		snprintf(name, sizeof(name), "%s.%s", names[i], when);
		free(take_meta(f, name));
		if (!texts[i].size)
			log_msg(log, LOG_INFO,
				"cannot read /proc/%s; the recording will lack it",
				names[i]);
		else if (!ret)
			ret = text_list_take(&f->texts.meta, name, &texts[i]);
		strbuf_free(&texts[i]);
	}
	/* Right after zoneinfo: pages move between the lists of both. */
	snprintf(name, sizeof(name), "%s.%s", BUDDYINFO, when);
	free(take_meta(f, name));
	return ret ? ret : add_meta_file(f, name, "/proc/" BUDDYINFO, log);
}

int facts_snapshot(struct facts *f, const char *when, const struct log *log)
{
	/* The files that are compared with the events are read closest to the recording: last
	 * before it and first after it.
	 */
	static const char *const files[] = { "sys/vm/min_free_kbytes",
					     "pagetypeinfo",
					     "allocinfo",
					     "slabinfo",
					     "meminfo",
					     "vmstat" };
	bool after = strcmp(when, "after") == 0;
	char name[64], path[64];
	int ret = after ? 0 : add_list(f, RECORDING_META_VMALLOCINFO, when, log);

	for (size_t i = 0; !ret && i < ARRAY_SIZE(files); i++) {
		const char *file = files[after ? ARRAY_SIZE(files) - 1 - i : i];
		const char *slash = strrchr(file, '/');

		snprintf(name, sizeof(name), "%s.%s", slash ? slash + 1 : file, when);
		snprintf(path, sizeof(path), "/proc/%s", file);
		if (!strcmp(file, "slabinfo"))
			ret = add_slabinfo(f, name, after, log);
		else if (strcmp(file, "meminfo") != 0)
			ret = add_meta_file(f, name, path, log);
		else if (!text_list_get(&f->texts.meta, name))
			ret = facts_memory(f, when, log);
	}
	/* Its reading takes memory: after the counters. */
	if (after && !ret)
		ret = end_ran(f, log);
	if (after && !ret)
		ret = add_list(f, RECORDING_META_VMALLOCINFO, when, log);
	if (after && !ret)
		ret = add_list(f, RECORDING_META_PAGE_OWNER, when, log);
	if (!ret)
		ret = add_list(f, RECORDING_META_PERCPU_STATS, when, log);
	/* Last, as its reading opens thousands of files, but before tracing begins. */
	return ret || f->no_proc ? ret : add_list(f, RECORDING_META_PROCESSES, when, log);
}

/* The links of /sys/kernel/slab: caches with the same target were merged into one. */
static int add_slab_aliases(struct facts *f, const char *path)
{
	struct strbuf sb = { 0 };
	DIR *dir __auto_dir = opendir(path);
	struct dirent *entry;

	if (!dir)
		return 0; /* no SLUB, or no sysfs */
	while ((entry = readdir(dir))) {
		char target[300];
		ssize_t len =
			readlinkat(dirfd(dir), entry->d_name, target, sizeof(target) - 1);

		if (len <= 0)
			continue;
		target[len] = 0;
		strbuf_printf(&sb, "%s %s\n", entry->d_name, target);
	}
	return text_list_take(&f->texts.meta, "slab_aliases", &sb);
}

/* Which caches are reclaimable; nothing if the kernel does not say. */
static int add_slab_reclaim(struct facts *f, const char *path)
{
	struct strbuf sb = { 0 };

	slab_counts_reclaim(&sb, path);
	if (!sb.size && !sb.failed)
		return 0;
	return text_list_take(&f->texts.meta, RECORDING_META_SLAB_RECLAIM, &sb);
}

int facts_add_saved_comms(struct facts *f)
{
	struct strbuf __auto_free sb = { 0 };
	int ret = instance_read_top("saved_cmdlines", &sb);

	if (ret == 0)
		ret = comms_add_text(&f->comms, strbuf_text(&sb));
	/* Optional. */
	return ret == -ENOMEM ? ret : 0;
}

int facts_add_comms(struct facts *f)
{
	int ret = facts_add_saved_comms(f);

	if (ret || f->no_proc)
		return ret;
	/* The more reliable source for live tasks. */
	ret = comms_add_proc(&f->comms, "/proc");
	return ret == -ENOMEM ? ret : 0;
}

void facts_open_curve(struct facts *f, bool latest, const struct log *log)
{
	int ret = curve_open(&f->curve, "/proc", latest);

	if (ret)
		log_msg(log, LOG_WARN,
			"cannot read /proc/slabinfo: %s; the recording will lack the kernel's curve",
			strerror(-ret));
}

int facts_end_curve(struct facts *f, uint64_t first, uint64_t last, const struct log *log)
{
	struct kernel_curve *counts = &f->curve.counts;
	struct strbuf sb = { 0 };
	int ret = 0;

	kernel_curve_clip(counts, first, last);
	if (counts->nr) {
		log_msg(log, LOG_INFO,
			"reading the kernel's counts: %.1f ms of CPU time; %u moments kept",
			(double)f->curve.spent_ns / 1e6, counts->nr);
		kernel_curve_format(counts, &sb);
		ret = text_list_take(&f->texts.meta, RECORDING_META_CURVE, &sb);
	}
	curve_free(&f->curve);
	return ret;
}

int facts_read_headers(struct facts *f, const struct instance *in)
{
	int ret = instance_read(in, "events/header_page", &f->texts.header_page);

	return ret ? ret
		   : instance_read(in, "events/header_event", &f->texts.header_event);
}

/* --- formats ----------------------------------------------------------------------------- */

/* Adds the formats of all events of @system, once. */
static int add_formats(struct text_list *list, const char *system)
{
	char **names;
	int ret = 0;

	if (text_list_get(list, system))
		return 0;
	names = tracefs_system_events(NULL, system);
	for (size_t i = 0; !ret && names && names[i]; i++) {
		struct strbuf __auto_free sb = { 0 };
		char path[320];

		snprintf(path, sizeof(path), "events/%s/%s/format", system, names[i]);
		ret = instance_read_top(path, &sb);
		if (ret == 0)
			ret = text_list_take(list, system, &sb);
		else if (ret == -ENOENT)
			ret = 0;
	}
	tracefs_list_free(names);
	return ret;
}

static int read_formats(struct facts *f, const struct event_list *list)
{
	int ret = add_formats(&f->texts.ftrace_formats, "ftrace");

	if (!ret)
		ret = add_formats(&f->texts.event_formats, "kmem");
	for (size_t i = 0; !ret && i < list->count; i++)
		ret = add_formats(&f->texts.event_formats, list->items[i].system);
	return ret;
}

/* --- the kernel -------------------------------------------------------------------------- */

static int add_build_id(struct facts *f, const struct log *log)
{
	struct strbuf __auto_free notes = { 0 }, hex = { 0 };
	int ret = instance_read_top("/sys/kernel/notes", &notes);

	if (ret == 0)
		ret = build_id_of_notes(strbuf_text(&notes), notes.size, &hex);
	if (ret == 0)
		ret = text_list_take(&f->texts.meta, "build_id", &hex);
	else
		log_msg(log, LOG_INFO, "cannot read the kernel's build ID: %s",
			strerror(-ret));
	return ret == -ENOMEM ? ret : 0;
}

/* Another machine can use them to find debug information. Optional: not all kernels have them. */
static int add_module_ids(struct facts *f)
{
	struct strbuf __auto_free ids = { 0 };
	int ret = build_ids_of_modules("/sys/module", &ids);

	if (!ret && ids.size)
		ret = text_list_take(&f->texts.meta, "module_build_ids", &ids);
	return ret == -ENOMEM ? ret : 0;
}

/* Does any line "ADDR TYPE NAME" have an address other than zero? */
static bool has_addresses(const struct strbuf *kallsyms)
{
	const char *line = strbuf_text(kallsyms);

	while (*line) {
		line += strspn(line, "0");
		if (*line != ' ' && *line != '\n')
			return true;
		line = text_next_line(line);
	}
	return false;
}

static int read_kallsyms(struct facts *f, const struct log *log)
{
	int ret = instance_read_top("/proc/kallsyms", &f->texts.kallsyms);

	if (ret == -ENOMEM)
		return ret;
	if (ret)
		log_msg(log, LOG_WARN,
			"cannot read /proc/kallsyms: %s\n  Callsites will show as addresses. The kernel needs CONFIG_KALLSYMS.",
			strerror(-ret));
	else if (!has_addresses(&f->texts.kallsyms))
		log_msg(log, LOG_WARN,
			"the kernel hides its addresses (kptr_restrict): callsites will show as addresses, not names\n  Before the next recording: sysctl kernel.kptr_restrict=1 (as root, with CAP_SYSLOG)");
	return 0;
}

static int read_uname(struct facts *f)
{
	struct utsname name;

	if (uname(&name) < 0)
		return -errno;
	strbuf_printf(&f->texts.uname, "%s %s %s %s", name.sysname, name.nodename,
		      name.release, name.machine);
	return f->texts.uname.failed ? -ENOMEM : 0;
}

/* Reads an optional text: only running out of memory is an error. */
static int read_optional(const char *file, struct strbuf *out)
{
	int ret = instance_read_top(file, out);

	return ret == -ENOMEM ? ret : 0;
}

int facts_system(struct facts *f, const struct instance *in,
		 const struct event_list *list, const struct log *log)
{
	int ret = read_formats(f, list);

	if (!ret)
		ret = read_kallsyms(f, log);
	if (!ret)
		ret = read_optional("printk_formats", &f->texts.printk_formats);
	if (!ret)
		ret = instance_read(in, "trace_clock", &f->texts.trace_clock);
	if (!ret)
		ret = read_uname(f);
	if (!ret)
		ret = add_meta_file(f, RECORDING_META_MODULES, "/proc/modules", log);
	if (!ret)
		ret = add_slab_aliases(f, CACHES);
	if (!ret)
		ret = add_slab_reclaim(f, CACHES);
	if (!ret)
		ret = add_build_id(f, log);
	return ret ? ret : add_module_ids(f);
}

int facts_change_meta(struct facts *f, const char *name, const char *text)
{
	free(take_meta(f, name));
	return facts_add_meta(f, name, text, strlen(text));
}

int facts_slabs_again(struct facts *f, const struct log *log)
{
	free(take_meta(f, "slabinfo.before"));
	return add_meta_file(f, "slabinfo.before", "/proc/slabinfo", log);
}

int facts_add_opening(struct facts *f, const struct log *log)
{
	int ret = add_list(f, RECORDING_META_OPENING, "before", log);

	return ret ? ret : add_list(f, RECORDING_META_ALLOC_TRACES, "before", log);
}

/* Compares lines "NAME SIZE USERS DEPENDENTS STATE ADDRESS" without the users, which change all the
 * time.
 */
static bool same_modules(const char *a, const char *b)
{
	while (*a && *b) {
		size_t name_a = strcspn(a, " \n"), name_b = strcspn(b, " \n");

		if (name_a != name_b || memcmp(a, b, name_a) != 0)
			return false;
		a = text_next_line(a);
		b = text_next_line(b);
	}
	return *a == *b;
}

int facts_refresh(struct facts *f, const struct log *log)
{
	char *modules __auto_mem = take_meta(f, RECORDING_META_MODULES);
	const struct recording_text *last;
	int ret;

	free(take_meta(f, "slab_aliases"));
	free(take_meta(f, RECORDING_META_SLAB_RECLAIM));
	ret = add_slab_aliases(f, CACHES);
	if (!ret)
		ret = add_slab_reclaim(f, CACHES);
	if (!ret)
		ret = add_meta_file(f, RECORDING_META_MODULES, "/proc/modules", log);
	last = f->texts.meta.count ? &f->texts.meta.items[f->texts.meta.count - 1] : NULL;
	if (!ret &&
	    !same_modules(modules ? modules : "",
			  last && !strcmp(last->name, RECORDING_META_MODULES) ? last->text
									      : "")) {
		free(take_meta(f, "module_build_ids"));
		strbuf_reset(&f->texts.kallsyms);
		ret = read_kallsyms(f, log);
		if (!ret)
			ret = add_module_ids(f);
	}
	return ret;
}

int facts_compose(struct facts *f)
{
	strbuf_reset(&f->texts.cmdlines);
	comms_format(&f->comms, &f->texts.cmdlines);
	return system_texts_facts(&f->texts, &f->writer);
}

void facts_free(struct facts *f)
{
	slab_files_close(&f->slab_files);
	system_texts_free(&f->texts);
	comms_free(&f->comms);
	tasks_ran_free(&f->ran);
	curve_free(&f->curve);
	*f = (struct facts){ 0 };
}

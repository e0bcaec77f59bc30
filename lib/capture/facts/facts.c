// SPDX-License-Identifier: GPL-2.0-or-later
#include "capture/facts/facts.h"

#include <fcntl.h>
#include <sys/utsname.h>
#include <tracefs.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/io.h"
#include "capture/facts/lists.h"

/* --- items of metadata ------------------------------------------------------------------- */

/* Removes the item from the list. The caller frees its text; NULL if there is no such item. */
static char *take_meta(struct facts *f, const char *name)
{
	struct text_list *meta = &f->texts.meta;
	struct recording_text *item =
		FIND(one, meta->items, meta->count, !strcmp(one->name, name));
	char *text = item ? item->text : NULL;

	if (item) {
		free(item->name);
		*item = meta->items[--meta->count];
	}
	return text;
}

/* Adds @text in place of an earlier item. */
static void set_meta(struct facts *f, const char *name, struct strbuf *text)
{
	free(take_meta(f, name));
	f->failed |= text_list_take(&f->texts.meta, name, text) != 0;
}

void facts_add_meta(struct facts *f, const char *name, const char *text, size_t size)
{
	free(take_meta(f, name));
	f->failed |= text_list_add(&f->texts.meta, name, text, size) != 0;
}

/* Adds a file as metadata, in place of an earlier reading; one that cannot be read is left out. */
static void add_meta_file(struct facts *f, const char *name, const char *path,
			  const struct log *log)
{
	struct strbuf __auto_free sb = { 0 };
	int ret = instance_read_top(path, &sb);

	if (!ret)
		set_meta(f, name, &sb);
	else
		free(take_meta(f, name));
	log_errno(log, LOG_INFO, ret, "cannot read %s: %m; the recording will lack it",
		  path);
	f->failed |= ret == -ENOMEM;
}

/* --- slab caches --------------------------------------------------------------------------- */

#define CACHES "/sys/kernel/slab"

/* The slabs that CPUs hold change while slabinfo is read: read them before and after; the larger
 * count applies. The second reading allocates nothing in the kernel that the first did not.
 */
static void add_slabinfo(struct facts *f, const char *name, bool after,
			 const struct log *log)
{
	struct strbuf __auto_free held = { 0 };

	slab_counts_held(&held, CACHES, !after);
	add_meta_file(f, name, "/proc/slabinfo", log);
	if (!after || !held.size)
		return;
	slab_counts_held(&held, CACHES, true);
	set_meta(f, "slab_cpu.after", &held);
}

bool facts_clock(const char *trace_clock, clockid_t *clock)
{
	static const struct clock_name {
		const char *name;
		clockid_t clock;
	} clocks[] = { { "mono", CLOCK_MONOTONIC },
		       { "mono_raw", CLOCK_MONOTONIC_RAW },
		       { "boot", CLOCK_BOOTTIME },
		       { "tai", CLOCK_TAI } };
	const struct clock_name *found =
		FIND(one, clocks, ARRAY_SIZE(clocks), !strcmp(trace_clock, one->name));

	if (found)
		*clock = found->clock;
	return found;
}

void facts_hold_slab_files(struct facts *f)
{
	struct strbuf __auto_free slabinfo = { 0 };

	if (!instance_read_top("/proc/slabinfo", &slabinfo))
		slab_files_open(&f->slab_files, CACHES, strbuf_text(&slabinfo));
}

void facts_count_slabs(struct facts *f, const char *when, uint64_t shrink_ns,
		       const struct log *log)
{
	bool before = strcmp(when, "before") == 0;
	struct slab_counts_options opts = { .path = CACHES,
					    .shrink_ns = shrink_ns,
					    .open = &f->slab_files };
	struct strbuf __auto_free sb = { 0 };
	uint64_t spent;

	/* No allocation falls between this reading and the first event. */
	if (before)
		add_meta_file(f, "slabinfo.before", "/proc/slabinfo", log);
	opts.slabinfo = text_list_get(&f->texts.meta, "slabinfo.before");
	if (!opts.slabinfo || !f->writer.clock ||
	    !facts_clock(f->writer.clock, &opts.clock))
		return;
	/* A stream has no first count, and the second alone says nothing. */
	if (!before && !text_list_get(&f->texts.meta, "slab_counts.before"))
		return;
	spent = slab_counts_take(&sb, &opts);
	if (!sb.size)
		return;
	log_msg(log, LOG_INFO, "counting slab objects %s: %.1f ms of shrinking caches",
		when, (double)spent / 1e6);
	if (sb.failed)
		log_msg(log, LOG_INFO, "no memory for the count of slab objects %s",
			when);
	else
		set_meta(f, before ? "slab_counts.before" : "slab_counts.after", &sb);
}

/* --- state of the memory ----------------------------------------------------------------- */

static void add_list(struct facts *f, const char *item, const char *when,
		     const struct log *log)
{
	struct strbuf __auto_free sb = { 0 };
	char name[64];
	int ret = list_read(item, f->long_lists, &sb, log);

	snprintf(name, sizeof(name), "%s.%s", item, when);
	if (!ret)
		set_meta(f, name, &sb);
	f->failed |= ret == -ENOMEM;
}

void facts_add_begun(struct facts *f, const struct log *log)
{
	const char *before =
		text_list_get(&f->texts.meta, RECORDING_META_PROCESSES ".before");
	struct strbuf __auto_free sb = { 0 };
	int ret = before ? processes_list_new(before, "/proc", &sb) : 0;

	if (sb.size)
		set_meta(f, RECORDING_META_PROCESSES ".begun", &sb);
	log_errno(
		log, LOG_INFO, ret,
		"cannot list what started right before tracing: %m; some processes may be unknown");
	f->failed |= ret == -ENOMEM;
}

/* Threads that have ended may take this much more room than four times the others. */
#define GONE_BYTES (1U << 20)

void facts_keep_processes(struct facts *f)
{
	const struct log quiet = { 0 };
	struct strbuf __auto_free now = { 0 };
	struct strbuf *kept = &f->processes;

	if (f->no_proc || list_read(RECORDING_META_PROCESSES, false, &now, &quiet))
		return;
	if (kept->size < 4 * now.size + GONE_BYTES &&
	    processes_list_gone(strbuf_text(kept), strbuf_text(&now), &now))
		return;
	strbuf_free(kept);
	*kept = now;
	now = (struct strbuf){ 0 };
}

void facts_add_gone(struct facts *f)
{
	const char *after =
		text_list_get(&f->texts.meta, RECORDING_META_PROCESSES ".after");
	struct strbuf __auto_free sb = { 0 };

	f->failed |= processes_list_gone(strbuf_text(&f->processes), after ? after : "",
					 &sb) != 0;
	if (sb.size)
		set_meta(f, RECORDING_META_PROCESSES ".begun", &sb);
}

/* Not a warning: the recording is usable without it. */
static void say_ran(int err, const struct log *log)
{
	log_errno(log, LOG_INFO, err,
		  "cannot read which tasks ran: %m; the recording will lack it");
}

void facts_begin_ran(struct facts *f, uint32_t self, const struct log *log)
{
	f->ran_self = self;
	if (!f->no_proc)
		say_ran(tasks_ran_begin(&f->ran, "/proc"), log);
}

static void end_ran(struct facts *f, const struct log *log)
{
	struct strbuf __auto_free sb = { 0 };
	int ret = f->ran.begun ? tasks_ran_end(&f->ran, "/proc", f->ran_self, &sb) : 0;

	if (f->ran.begun && !ret)
		set_meta(f, RECORDING_META_TASKS_RAN, &sb);
	say_ran(ret, log);
}

#define BUDDYINFO "buddyinfo"

void facts_memory(struct facts *f, const char *when, const struct log *log)
{
	static const char *const names[] = { "meminfo", "zoneinfo" };
	struct strbuf texts[2] = { { 0 } };
	char name[64];

	memory_read(&texts[0], &texts[1]);
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		snprintf(name, sizeof(name), "%s.%s", names[i], when);
		if (texts[i].size)
			set_meta(f, name, &texts[i]);
		else
			log_msg(log, LOG_INFO,
				"cannot read /proc/%s; the recording will lack it",
				names[i]);
		strbuf_free(&texts[i]);
	}
	/* Read it right after zoneinfo: pages move between the lists of both. */
	snprintf(name, sizeof(name), "%s.%s", BUDDYINFO, when);
	add_meta_file(f, name, "/proc/" BUDDYINFO, log);
}

void facts_snapshot(struct facts *f, const char *when, const struct log *log)
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

	if (!after)
		add_list(f, RECORDING_META_VMALLOCINFO, when, log);
	for (size_t i = 0; i < ARRAY_SIZE(files); i++) {
		const char *file = files[after ? ARRAY_SIZE(files) - 1 - i : i];

		snprintf(name, sizeof(name), "%s.%s", text_after_slash(file), when);
		snprintf(path, sizeof(path), "/proc/%s", file);
		if (!strcmp(file, "slabinfo"))
			add_slabinfo(f, name, after, log);
		else if (strcmp(file, "meminfo") != 0)
			add_meta_file(f, name, path, log);
		else if (!text_list_get(&f->texts.meta, name))
			facts_memory(f, when, log);
	}
	/* Reading these takes memory, so they come after the counters. */
	if (after) {
		end_ran(f, log);
		add_list(f, RECORDING_META_VMALLOCINFO, when, log);
		add_list(f, RECORDING_META_PAGE_OWNER, when, log);
	}
	add_list(f, RECORDING_META_PERCPU_STATS, when, log);
	/* Last, as its reading opens thousands of files, but before tracing begins. */
	if (!f->no_proc)
		add_list(f, RECORDING_META_PROCESSES, when, log);
}

/* Adds the links of /sys/kernel/slab (caches with the same target were merged into one), and which
 * caches are reclaimable; nothing if the kernel does not say.
 */
static void add_caches(struct facts *f)
{
	struct strbuf __auto_free aliases = { 0 }, reclaim = { 0 };
	DIR *dir __auto_dir = opendir(CACHES);
	struct dirent *entry;

	if (!dir)
		return; /* no SLUB, or no sysfs */
	while ((entry = readdir(dir))) {
		char target[300];
		ssize_t len =
			readlinkat(dirfd(dir), entry->d_name, target, sizeof(target) - 1);

		if (len > 0)
			strbuf_printf(&aliases, "%s %.*s\n", entry->d_name, (int)len,
				      target);
	}
	set_meta(f, "slab_aliases", &aliases);
	slab_counts_reclaim(&reclaim, CACHES);
	if (reclaim.size || reclaim.failed)
		set_meta(f, RECORDING_META_SLAB_RECLAIM, &reclaim);
}

int facts_add_saved_comms(struct facts *f)
{
	struct strbuf __auto_free sb = { 0 };
	int ret = instance_read_top("saved_cmdlines", &sb);

	ret = ret ?: comms_add_text(&f->comms, strbuf_text(&sb));
	/* The list is optional. */
	return ret == -ENOMEM ? ret : 0;
}

void facts_add_comms(struct facts *f)
{
	f->failed |= facts_add_saved_comms(f) != 0;
	/* The more reliable source for live tasks. */
	if (!f->no_proc && comms_add_proc(&f->comms, "/proc") == -ENOMEM)
		f->failed = true;
}

void facts_open_curve(struct facts *f, bool latest, const struct log *log)
{
	int ret = curve_open(&f->curve, "/proc", latest);

	log_errno(
		log, LOG_WARN, ret,
		"cannot read /proc/slabinfo: %m; the recording will lack the kernel's curve");
}

void facts_end_curve(struct facts *f, uint64_t first, uint64_t last,
		     const struct log *log)
{
	struct kernel_curve *counts = &f->curve.counts;
	struct strbuf __auto_free sb = { 0 };

	kernel_curve_clip(counts, first, last);
	if (counts->nr) {
		log_msg(log, LOG_INFO,
			"reading the kernel's counts: %.1f ms of CPU time; %u moments kept",
			(double)f->curve.spent_ns / 1e6, counts->nr);
		kernel_curve_format(counts, &sb);
		set_meta(f, RECORDING_META_CURVE, &sb);
	}
	curve_free(&f->curve);
}

int facts_read_headers(struct facts *f, const struct instance *in)
{
	int ret = instance_read(in, "events/header_page", &f->texts.header_page);

	return ret ?: instance_read(in, "events/header_event", &f->texts.header_event);
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

	ret = ret ?: add_formats(&f->texts.event_formats, "kmem");
	for (size_t i = 0; !ret && i < list->count; i++)
		ret = add_formats(&f->texts.event_formats, list->items[i].system);
	return ret;
}

/* --- the kernel -------------------------------------------------------------------------- */

/* Reads ELF notes. 0; -ENOENT: they have no build ID; -errno. */
static int read_build_id(const char *path, char id[ELF_BUILD_ID_MAX])
{
	struct strbuf __auto_free notes = { 0 };
	int ret = instance_read_top(path, &notes);

	*id = '\0';
	if (!ret &&
	    !elf_notes_build_id(strbuf_text(&notes), notes.size, HOST_BIG_ENDIAN, id))
		ret = -ENOENT;
	return ret;
}

int facts_build_id(char id[ELF_BUILD_ID_MAX])
{
	return read_build_id("/sys/kernel/notes", id);
}

static void add_build_id(struct facts *f, const struct log *log)
{
	char id[ELF_BUILD_ID_MAX];
	int ret = facts_build_id(id);

	if (!ret)
		facts_add_meta(f, "build_id", id, strlen(id));
	log_errno(log, LOG_INFO, ret, "cannot read the kernel's build ID: %m");
	f->failed |= ret == -ENOMEM;
}

static int add_module_id(const char *path, const char *name, struct strbuf *out)
{
	char id[ELF_BUILD_ID_MAX], file[4096];
	int ret;

	snprintf(file, sizeof(file), "%s/%s/notes/.note.gnu.build-id", path, name);
	ret = read_build_id(file, id);
	if (!ret)
		strbuf_printf(out, "%s %s\n", name, id);
	return ret == -ENOMEM || out->failed ? -ENOMEM : 0;
}

static int is_name(const struct dirent *entry)
{
	return entry->d_name[0] != '.';
}

int build_ids_of_modules(const char *path, struct strbuf *out)
{
	struct dirent **names __auto_mem = NULL;
	int nr = scandir(path, &names, is_name, alphasort), ret = 0;

	if (nr < 0)
		return -errno;
	for (int i = 0; i < nr; i++) {
		ret = ret ?: add_module_id(path, names[i]->d_name, out);
		free(names[i]);
	}
	return ret;
}

/* Another machine can use them to find debug information. Optional: not all kernels have them. */
static void add_module_ids(struct facts *f)
{
	struct strbuf __auto_free ids = { 0 };
	int ret = build_ids_of_modules("/sys/module", &ids);

	free(take_meta(f, "module_build_ids"));
	if (!ret && ids.size)
		set_meta(f, "module_build_ids", &ids);
	f->failed |= ret == -ENOMEM;
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

static void read_kallsyms(struct facts *f, const struct log *log)
{
	int ret = instance_read_top("/proc/kallsyms", &f->texts.kallsyms);

	if (ret == -ENOMEM)
		f->failed = true;
	else if (ret)
		log_msg(log, LOG_WARN,
			"cannot read /proc/kallsyms: %s\n  Callsites will show as addresses. The kernel needs CONFIG_KALLSYMS.",
			strerror(-ret));
	else if (!has_addresses(&f->texts.kallsyms))
		log_msg(log, LOG_WARN,
			"the kernel hides its addresses (kptr_restrict): callsites will show as addresses, not names\n  Before the next recording: sysctl kernel.kptr_restrict=1 (as root, with CAP_SYSLOG)");
}

int facts_system(struct facts *f, const struct instance *in,
		 const struct event_list *list, const struct log *log)
{
	int ret = read_formats(f, list);
	struct utsname name;

	ret = ret ?: instance_read(in, "trace_clock", &f->texts.trace_clock);
	if (!ret && uname(&name) < 0)
		ret = -errno;
	if (ret)
		return ret;
	strbuf_printf(&f->texts.uname, "%s %s %s %s", name.sysname, name.nodename,
		      name.release, name.machine);
	read_kallsyms(f, log);
	f->failed |=
		instance_read_top("printk_formats", &f->texts.printk_formats) == -ENOMEM;
	add_meta_file(f, RECORDING_META_MODULES, "/proc/modules", log);
	add_caches(f);
	add_build_id(f, log);
	add_module_ids(f);
	return 0;
}

void facts_add_opening(struct facts *f, const struct log *log)
{
	add_list(f, RECORDING_META_OPENING, "before", log);
	add_list(f, RECORDING_META_ALLOC_TRACES, "before", log);
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

void facts_refresh(struct facts *f, const struct log *log)
{
	char *before __auto_mem = take_meta(f, RECORDING_META_MODULES);
	const char *now;

	add_caches(f);
	add_meta_file(f, RECORDING_META_MODULES, "/proc/modules", log);
	now = text_list_get(&f->texts.meta, RECORDING_META_MODULES);
	if (same_modules(before ? before : "", now ? now : ""))
		return;
	strbuf_reset(&f->texts.kallsyms);
	read_kallsyms(f, log);
	add_module_ids(f);
}

int facts_compose(struct facts *f)
{
	strbuf_reset(&f->texts.cmdlines);
	comms_format(&f->comms, &f->texts.cmdlines);
	return f->failed ? -ENOMEM : system_texts_facts(&f->texts, &f->writer);
}

void facts_free(struct facts *f)
{
	slab_files_close(&f->slab_files);
	system_texts_free(&f->texts);
	comms_free(&f->comms);
	tasks_ran_free(&f->ran);
	strbuf_free(&f->processes);
	curve_free(&f->curve);
	*f = (struct facts){ 0 };
}

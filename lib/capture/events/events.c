// SPDX-License-Identifier: GPL-2.0-or-later
#include "capture/events/events.h"

#include <fnmatch.h>
#include <sys/utsname.h>
#include <tracefs.h>

#include "base/array.h"
#include "recording/probe_list.h"

#define KMEM	   "kmem"
#define PAGE_ALLOC "mm_page_alloc"
#define VMALLOC	   "vmalloc"
#define PERCPU	   "percpu"
/* common_flags in a hard interrupt, in a softirq: TRACE_FLAG_HARDIRQ, TRACE_FLAG_SOFTIRQ of
 * include/linux/trace_events.h.
 */
#define FLAGS_IRQ  24

/* The _node variants exist up to Linux 6.0. */
static const char *const slab_events[] = {
	"kmalloc", "kmalloc_node",    "kmem_cache_alloc", "kmem_cache_alloc_node",
	"kfree",   "kmem_cache_free",
};
/* The first ones never come from a named cache. A kfree() may. */
#define NR_KMALLOC 2

static const char *const page_events[] = {
	PAGE_ALLOC,
	"mm_page_free",
	"mm_page_free_batched",
};

static const char *const vmalloc_events[] = { "alloc_vmap_area",
					      "free_vmap_area_noflush" };
static const char *const percpu_memory_events[] = { "percpu_alloc_percpu",
						    "percpu_free_percpu" };

/* A task that ends frees what it held. */
static const char *const sched_events[] = { "sched_process_exit" };
/* Which process a task belongs to, and its name. */
static const char *const task_events[] = { "task_newtask", "task_rename" };

/* Which control group a process is in. */
static const char *const cgroup_events[] = { "cgroup_attach_task",
					     "cgroup_transfer_tasks", "cgroup_rmdir" };

/* Which system call a task is in. */
#define CALL_EVENTS "raw_syscalls:sys_*"

static const char *const frag_events[] = { "mm_page_alloc_extfrag" };

/* From future kernels: silent until somebody enables an allocation site. */
#define ALLOC_TAG "alloc_tag"

static const char *const alloc_tag_events[] = {
	"alloc_tag_hit",
	"alloc_tag_mem_alloced",
	"alloc_tag_mem_freed",
};

static const char *const percpu_events[] = {
	"mm_page_alloc_zone_locked",
	"mm_page_pcpu_drain",
	"mm_page_free_batched",
};

#define KIND(system, events)                       \
	{                                          \
		system, events, ARRAY_SIZE(events) \
	}
const struct events_of events_of_slab = KIND(KMEM, slab_events);
const struct events_of events_of_page = KIND(KMEM, page_events);
const struct events_of events_of_vmalloc = KIND(VMALLOC, vmalloc_events);
const struct events_of events_of_percpu_memory = KIND(PERCPU, percpu_memory_events);
static const struct events_of alloc_tags = KIND(ALLOC_TAG, alloc_tag_events);
static const struct events_of task_ends = KIND("sched", sched_events);
static const struct events_of task_names = KIND("task", task_events);
static const struct events_of cgroups = KIND("cgroup", cgroup_events);
static const struct events_of fallbacks = KIND(KMEM, frag_events);
static const struct events_of cpu_lists = KIND(KMEM, percpu_events);

/* --- selection --------------------------------------------------------------------------- */

void event_path(char path[EVENT_PATH_MAX], const struct event_name *event,
		const char *file)
{
	snprintf(path, EVENT_PATH_MAX, "events/%s/%s/%s", event->system, event->name,
		 file);
}

static bool is_event(const struct event_name *event, const char *system, const char *name)
{
	return strcmp(event->system, system) == 0 && strcmp(event->name, name) == 0;
}

int event_list_add(struct event_list *list, const char *system, const char *name)
{
	struct event_name *item;

	for (size_t i = 0; i < list->count; i++)
		if (is_event(&list->items[i], system, name))
			return 0;
	if (array_grow(&list->items, list->count, sizeof(*list->items)))
		return -ENOMEM;
	item = &list->items[list->count];
	*item = (struct event_name){ strdup(system), strdup(name), NULL };
	if (!item->system || !item->name) {
		free(item->system);
		free(item->name);
		return -ENOMEM;
	}
	list->count++;
	return 0;
}

/* Adds those of the events that this kernel has. */
static int add_known(struct event_list *list, const struct instance *in,
		     const struct events_of *events, const struct log *log)
{
	char path[EVENT_PATH_MAX];
	int ret = 0;

	for (size_t i = 0; !ret && i < events->nr; i++) {
		snprintf(path, sizeof(path), "events/%s/%s/enable", events->system,
			 events->names[i]);
		if (instance_has(in, path))
			ret = event_list_add(list, events->system, events->names[i]);
		else
			log_msg(log, LOG_INFO, "this kernel has no event %s:%s",
				events->system, events->names[i]);
	}
	return ret;
}

/* Adds the events of @system that match; the number of matches or -ENOMEM. */
static int add_matching(struct event_list *list, const char *system, const char *pattern)
{
	char **names = tracefs_system_events(NULL, system);
	int matches = 0;
	int ret = 0;

	for (size_t i = 0; names && names[i] && !ret; i++) {
		if (fnmatch(pattern, names[i], 0) != 0)
			continue;
		matches++;
		ret = event_list_add(list, system, names[i]);
	}
	tracefs_list_free(names);
	return ret ? ret : matches;
}

/* Looks for "SYSTEM:EVENT", or for "EVENT" in kmem and then everywhere. */
static int add_extra(struct event_list *list, const char *spec, const struct log *log)
{
	const char *colon = strchr(spec, ':');
	char **systems;
	int found = 0;

	if (!colon)
		found = add_matching(list, KMEM, spec);
	systems = found ? NULL : tracefs_event_systems(NULL);
	for (size_t i = 0; systems && systems[i] && found >= 0; i++) {
		size_t len = colon ? (size_t)(colon - spec) : 0;
		int n;

		if (colon && (strncmp(systems[i], spec, len) || systems[i][len]))
			continue;
		n = add_matching(list, systems[i], colon ? colon + 1 : spec);
		found = n < 0 ? n : found + n;
	}
	tracefs_list_free(systems);
	if (found)
		return found < 0 ? found : 0;
	log_msg(log, LOG_ERROR,
		"this kernel has no event '%s'\n  Its events are listed in: %s/available_events",
		spec, tracefs_tracing_dir());
	return -ENOENT;
}

int events_select(struct event_list *list, const struct instance *in,
		  const struct event_choice *choice, const struct log *log)
{
	const size_t skip = choice->criteria.nr_caches ? NR_KMALLOC : 0;
	const struct events_of slab = { KMEM, slab_events + skip,
					ARRAY_SIZE(slab_events) - skip };
	const bool objects = choice->slab || choice->page;
	const bool tasks = objects || choice->vmalloc || choice->percpu_memory;
	const struct {
		bool wanted;
		const struct events_of *events; /* NULL: CALL_EVENTS */
		const struct log *log;		/* NULL: not all kernels have them */
	} all[] = {
		{ choice->slab, &slab, log },
		{ choice->page, &events_of_page, log },
		{ choice->slab && choice->page && !choice->one_in, &alloc_tags, NULL },
		{ choice->vmalloc, &events_of_vmalloc, log },
		{ choice->percpu_memory, &events_of_percpu_memory, log },
		{ objects, &task_ends, NULL },
		{ tasks, &task_names, NULL },
		{ tasks, &cgroups, NULL },
		{ choice->calls, NULL, log },
		{ choice->frag, &fallbacks, log },
		{ choice->percpu, &cpu_lists, log },
	};
	int ret = 0;

	*list = (struct event_list){ 0 };
	for (size_t i = 0; !ret && i < ARRAY_SIZE(all); i++) {
		if (!all[i].wanted)
			continue;
		ret = all[i].events ? add_known(list, in, all[i].events, all[i].log)
				    : add_extra(list, CALL_EVENTS, log);
	}
	for (size_t i = 0; !ret && i < choice->nr_extra; i++)
		ret = add_extra(list, choice->extra[i], log);
	if (!ret && !list->count) {
		log_msg(log, LOG_ERROR,
			"this kernel has none of the requested kmem events\n  It needs CONFIG_EVENT_TRACING; its events are listed in %s/available_events",
			tracefs_tracing_dir());
		ret = -ENOENT;
	}
	if (ret)
		events_free(list);
	return ret;
}

int events_enabled(struct event_list *list, const struct instance *in)
{
	struct strbuf __auto_free sb = { 0 };
	int ret = instance_read(in, "set_event", &sb);
	const char *p = strbuf_text(&sb);
	char system[128], name[128];
	int used;

	*list = (struct event_list){ 0 };
	for (; !ret && sscanf(p, " %127[^:\n]:%127[^\n]%n", system, name, &used) == 2;
	     p += used)
		ret = event_list_add(list, system, name);
	return ret;
}

void events_free(struct event_list *list)
{
	for (size_t i = 0; i < list->count; i++) {
		free(list->items[i].system);
		free(list->items[i].name);
		free(list->items[i].filter);
	}
	free(list->items);
	*list = (struct event_list){ 0 };
}

/* --- filters ----------------------------------------------------------------------------- */

/* "[12.3] event filter parse error: error: Field not found", then the filter and a caret. */
char *events_diagnosis(const struct instance *in)
{
	char *text __auto_mem = tracefs_error_last(in->tracefs);
	char *why = text ? strstr(text, "error: ") : NULL;

	if (!why)
		return NULL;
	why[strcspn(why, "\n")] = '\0';
	for (char *next = why; (next = strstr(next + 1, "error: "));)
		why = next;
	return strdup(why + strlen("error: "));
}

/* Keeps the most helpful diagnosis: every event without a field is reported as lacking it, whatever
 * is wrong with the filter itself.
 */
static void keep_diagnosis(char **kept, char *latest)
{
	if (!latest || (*kept && strcmp(*kept, "Field not found") != 0)) {
		free(latest);
		return;
	}
	free(*kept);
	*kept = latest;
}

/* Does the event end a life? */
static bool is_free(const struct event_name *event)
{
	static const char *const names[][2] = {
		{ KMEM, "kfree" },
		{ KMEM, "kmem_cache_free" },
		{ KMEM, "mm_page_free" },
		{ KMEM, "mm_page_free_batched" },
		{ VMALLOC, "free_vmap_area_noflush" },
		{ PERCPU, "percpu_free_percpu" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (is_event(event, names[i][0], names[i][1]))
			return true;
	return !strncmp(event->system, RECORDING_PROBES, strlen(RECORDING_PROBES)) &&
	       (!strcmp(event->name, "rcu_free") || !strcmp(event->name, "free_bulk"));
}

/* 0; -errno: the event keeps its old filter. */
static int write_filter(struct event_name *event, const struct instance *in,
			const char *filter)
{
	char path[EVENT_PATH_MAX];
	char *copy = strdup(filter);
	int ret = copy ? 0 : -ENOMEM;

	event_path(path, event, "filter");
	if (!ret)
		ret = instance_write(in, path, filter);
	if (ret) {
		free(copy);
		return ret;
	}
	free(event->filter);
	event->filter = copy;
	return 0;
}

int event_set_filter(struct event_name *event, const struct instance *in,
		     const char *filter)
{
	struct strbuf __auto_free sb = { 0 };
	char path[EVENT_PATH_MAX];
	int ret = write_filter(event, in, filter);

	event_path(path, event, "filter");
	if (!ret)
		ret = instance_read(in, path, &sb);
	if (!ret && !strstr(strbuf_text(&sb), filter))
		ret = -EINVAL;
	return ret;
}

/* Excludes @self from all events that are filtered at all. */
static int filter_self(struct event_list *list, const struct instance *in,
		       const struct event_choice *choice, const char *filter)
{
	for (size_t i = 0; i < list->count; i++) {
		struct event_name *event = &list->items[i];
		int ret = 0;

		/* These events must add up to the kernel's counts, which include the recorder's
		 * allocations.
		 */
		if (!strcmp(event->system, ALLOC_TAG))
			continue;
		if (choice->filter_frees || !is_free(event))
			ret = event_set_filter(event, in, filter);
		if (ret)
			return ret;
	}
	return 0;
}

/* The kernel leaves out everything that happens while the process runs. */
static enum events_self leave_out_pid(struct event_list *list, const struct instance *in,
				      pid_t self, const struct log *log)
{
	char pid[24], path[EVENT_PATH_MAX];

	for (size_t i = 0; i < list->count; i++) {
		event_path(path, &list->items[i], "filter");
		if (list->items[i].filter && instance_write(in, path, "0") < 0)
			log_msg(log, LOG_DEBUG, "cannot clear %s", path);
		free(list->items[i].filter);
		list->items[i].filter = NULL;
	}
	snprintf(pid, sizeof(pid), "%d", (int)self);
	if (instance_write(in, "set_event_notrace_pid", pid) == 0) {
		log_msg(log, LOG_INFO,
			"this kernel cannot filter by context: frees by softirqs and interrupts while the recorder runs are not recorded");
		return EVENTS_SELF_PID;
	}
	log_msg(log, LOG_INFO,
		"this kernel cannot exclude a process (before Linux 5.7): the recording contains the recorder's own allocations, of pid %s",
		pid);
	return EVENTS_SELF_RECORDED;
}

/* Adds the user's filter to that of each event. Returns how many events accept it, or -ENOMEM. */
static int set_filters(struct event_list *list, const struct instance *in,
		       const struct event_choice *choice, char **why,
		       const struct log *log)
{
	int taken = 0;

	for (size_t i = 0; i < list->count; i++) {
		struct event_name *event = &list->items[i];
		struct strbuf __auto_free sb = { 0 };
		int ret;

		if (!choice->filter_frees && is_free(event))
			continue;
		strbuf_puts(&sb, choice->filter);
		if (event->filter) {
			strbuf_reset(&sb);
			strbuf_printf(&sb, "(%s) && (%s)", choice->filter, event->filter);
		}
		ret = sb.failed ? -ENOMEM : write_filter(event, in, strbuf_text(&sb));
		if (ret == -ENOMEM)
			return ret;
		taken += ret == 0;
		if (ret) {
			keep_diagnosis(why, events_diagnosis(in));
			log_msg(log, LOG_INFO,
				"%s:%s lacks a field of the filter and is recorded unfiltered",
				event->system, event->name);
		}
	}
	return taken;
}

enum events_self events_leave_out(struct event_list *list, const struct instance *in,
				  const struct event_choice *choice, pid_t self,
				  const struct log *log)
{
	char own[80];

	snprintf(own, sizeof(own), "common_pid != %d || common_flags & %d", (int)self,
		 FLAGS_IRQ);
	return filter_self(list, in, choice, own) ? leave_out_pid(list, in, self, log)
						  : EVENTS_SELF_CONTEXT;
}

int events_filter(struct event_list *list, const struct instance *in,
		  const struct event_choice *choice, const struct log *log)
{
	char *why __auto_mem = NULL;
	int taken;

	if (!choice->filter)
		return 0;
	taken = set_filters(list, in, choice, &why, log);
	if (!taken)
		log_msg(log, LOG_ERROR,
			"the kernel rejects the filter '%s' for every recorded event%s%s%s\n  The fields are listed in: %s/events/kmem/EVENT/format",
			choice->filter, choice->filter_frees ? "" : " but frees",
			why ? ": " : "", why ? why : "", tracefs_tracing_dir());
	return taken > 0 ? 0 : taken < 0 ? taken : -EINVAL;
}

/* --- stacks ------------------------------------------------------------------------------ */

bool events_have_triggers(void)
{
	unsigned int major, minor;
	struct utsname name;

	if (uname(&name) < 0 || sscanf(name.release, "%u.%u", &major, &minor) != 2)
		return false;
	return major > 5 || (major == 5 && minor >= 17);
}

int event_set_trigger(const struct event_name *event, const struct instance *in,
		      const char *filter)
{
	struct strbuf __auto_free sb = { 0 };
	char path[EVENT_PATH_MAX];

	event_path(path, event, "trigger");
	strbuf_puts(&sb, "stacktrace");
	if (filter)
		strbuf_printf(&sb, " if %s", filter);
	return sb.failed ? -ENOMEM : instance_append(in, path, strbuf_text(&sb));
}

/* Does it allocate without a caller in the event, or with one that may be a wrapper? */
static bool needs_stack(const struct event_name *event)
{
	return is_event(event, KMEM, PAGE_ALLOC) ||
	       is_event(event, VMALLOC, vmalloc_events[0]) ||
	       is_event(event, PERCPU, percpu_memory_events[0]);
}

/* Sets a trigger on each event that needs callchains. It needs the filter too: an event that is
 * filtered out would still record its stack. Returns how many, or -errno.
 */
static int set_triggers(const struct event_list *list, const struct instance *in)
{
	int nr = 0, ret = 0;

	for (size_t i = 0; i < list->count && !ret; i++) {
		const struct event_name *event = &list->items[i];

		if (!needs_stack(event))
			continue;
		nr++;
		if (events_have_triggers())
			ret = event_set_trigger(event, in, event->filter);
		else
			ret = -ENOTSUP;
	}
	return ret ? ret : nr;
}

static int set_user_stacks(const struct instance *in, const struct log *log)
{
	int ret = instance_write(in, "options/userstacktrace", "1");

	if (ret)
		log_msg(log, LOG_ERROR,
			"this kernel cannot record frames of programs (userstacktrace): %s\n  Record without --user-stack",
			strerror(-ret));
	return ret;
}

int events_stacks(const struct event_list *list, const struct instance *in,
		  const struct event_choice *choice, const char **how,
		  const struct log *log)
{
	int ret = choice->user_stack ? set_user_stacks(in, log) : 0;

	*how = "none";
	if (ret || choice->stack == CAPTURE_STACK_NONE)
		return ret;
	if (choice->stack == CAPTURE_STACK_PAGE) {
		ret = set_triggers(list, in);
		if (ret > 0)
			*how = "page (trigger)";
		if (ret >= 0)
			return 0;
		log_msg(log, LOG_WARN,
			"this kernel cannot record callchains of page allocations alone: they are recorded on every event, which slows the workload more (--stack none leaves them out)");
	}
	ret = instance_write(in, "options/stacktrace", "1");
	if (ret) {
		log_msg(log, LOG_ERROR,
			"this kernel cannot record callchains: %s\n  It needs CONFIG_STACKTRACE; record without: --stack none",
			strerror(-ret));
		return ret;
	}
	*how = choice->stack == CAPTURE_STACK_ALL ? "all (option)" : "page (option)";
	return 0;
}

bool event_in_part(const struct event_name *event, enum events_part part)
{
	return part == EVENTS_ALL || is_free(event) == (part == EVENTS_FREES);
}

int events_enable(const struct event_list *list, const struct instance *in,
		  enum events_part part, const struct log *log)
{
	char path[EVENT_PATH_MAX];
	int ret = 0;

	for (size_t i = 0; !ret && i < list->count; i++) {
		if (!event_in_part(&list->items[i], part))
			continue;
		event_path(path, &list->items[i], "enable");
		ret = instance_write(in, path, "1");
		if (ret)
			log_msg(log, LOG_ERROR,
				"cannot enable the event %s:%s: %s\n  Where the machine forbids it, record other events: --slab, --page, -e",
				list->items[i].system, list->items[i].name,
				strerror(-ret));
	}
	return ret;
}

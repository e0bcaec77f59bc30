// SPDX-License-Identifier: GPL-2.0-or-later
#include "capture/events/events.h"

#include <fnmatch.h>
#include <sys/utsname.h>
#include <tracefs.h>

#include "base/array.h"
#include "event/fields.h"
#include "recording/recording.h"

#define KMEM	  "kmem"
#define VMALLOC	  "vmalloc"
#define PERCPU	  "percpu"
#define ALLOC_TAG "alloc_tag"
/* common_flags in a hard interrupt, in a softirq: TRACE_FLAG_HARDIRQ, TRACE_FLAG_SOFTIRQ of
 * include/linux/trace_events.h.
 */
#define FLAGS_IRQ 24

/* The events that show which system call a task is in. */
#define CALL_EVENTS "raw_syscalls:sys_*"

#define OBJECT	   (EVENT_OBJECT | EVENT_COMM)
#define PAGES	   (EVENT_PAGES | EVENT_COMM)
#define FROM_CACHE (OBJECT | EVENT_BYTES | EVENT_GFP | EVENT_CACHE)

const struct known_event known_events[] = {
	/* kmalloc() never uses a named cache, but kfree() may free an object of one. The _node
	 * variants exist up to Linux 6.0.
	 */
	{ KMEM, "kmalloc", OBJECT | EVENT_BYTES | EVENT_GFP },
	{ KMEM, "kmalloc_node", OBJECT | EVENT_BYTES | EVENT_GFP },
	{ KMEM, "kmem_cache_alloc", FROM_CACHE },
	{ KMEM, "kmem_cache_alloc_node", FROM_CACHE },
	{ KMEM, "kfree", OBJECT | EVENT_FREE },
	{ KMEM, "kmem_cache_free", OBJECT | EVENT_FREE | EVENT_CACHE },
	{ KMEM, EVENT_NAME_PAGE, PAGES | EVENT_ORDER | EVENT_GFP | EVENT_STACK },
	{ KMEM, "mm_page_free", PAGES | EVENT_FREE | EVENT_ORDER },
	{ KMEM, "mm_page_alloc_zone_locked", EVENT_CPU_LIST },
	{ KMEM, "mm_page_pcpu_drain", EVENT_CPU_LIST },
	{ KMEM, "mm_page_free_batched", PAGES | EVENT_FREE | EVENT_CPU_LIST },
	/* From future kernels: silent until somebody enables an allocation site. */
	{ ALLOC_TAG, "alloc_tag_hit", EVENT_TAG },
	{ ALLOC_TAG, "alloc_tag_mem_alloced", EVENT_TAG },
	{ ALLOC_TAG, "alloc_tag_mem_freed", EVENT_TAG },
	{ VMALLOC, EVENT_NAME_AREA, EVENT_AREA | EVENT_COMM | EVENT_STACK },
	{ VMALLOC, "free_vmap_area_noflush", EVENT_AREA | EVENT_COMM | EVENT_FREE },
	{ PERCPU, "percpu_alloc_percpu",
	  EVENT_PERCPU | EVENT_COMM | EVENT_GFP | EVENT_STACK },
	{ PERCPU, "percpu_free_percpu", EVENT_PERCPU | EVENT_COMM | EVENT_FREE },
	/* A task that ends frees what it held. */
	{ "sched", "sched_process_exit", EVENT_TASK_END | EVENT_COMM },
	/* Which process a task belongs to, its name, and which control group a process is in. */
	{ "task", "task_newtask", EVENT_TASK },
	{ "task", "task_rename", EVENT_TASK },
	{ "cgroup", "cgroup_attach_task", EVENT_TASK },
	{ "cgroup", "cgroup_transfer_tasks", EVENT_TASK },
	{ "cgroup", "cgroup_rmdir", EVENT_TASK },
	{ "raw_syscalls", "sys_enter", EVENT_COMM },
	{ "raw_syscalls", "sys_exit", EVENT_COMM },
	{ KMEM, "mm_page_alloc_extfrag", EVENT_FALLBACK },
	{ NULL },
};

unsigned int event_traits(const char *system, const char *name)
{
	for (const struct known_event *e = known_events; e->system; e++)
		if (!strcmp(name, e->name) && (!system || !strcmp(system, e->system)))
			return e->traits;
	return 0;
}

static bool is_free(const struct event_name *event)
{
	return event_traits(event->system, event->name) & EVENT_FREE ||
	       (!strncmp(event->system, RECORDING_PROBES, strlen(RECORDING_PROBES)) &&
		(!strcmp(event->name, "rcu_free") || !strcmp(event->name, "free_bulk")));
}

/* --- selection --------------------------------------------------------------------------- */

#define EVENT_PATH_MAX 320

/* The path of the event's file @file within an instance. */
static void event_path(char path[EVENT_PATH_MAX], const struct event_name *event,
		       const char *file)
{
	snprintf(path, EVENT_PATH_MAX, "events/%s/%s/%s", event->system, event->name,
		 file);
}

int event_list_add(struct event_list *list, const char *system, const char *name)
{
	struct event_name *item;

	if (ANY(i, list->count,
		!strcmp(list->items[i].system, system) &&
			!strcmp(list->items[i].name, name)))
		return 0;
	if (array_grow(&list->items, list->count))
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

/* Adds this kernel's events of @kind; @named: skip allocations that do not name their cache. */
static int add_known(struct event_list *list, const struct instance *in,
		     enum event_trait kind, bool named, const struct log *log)
{
	const struct known_event *e = known_events;
	char path[EVENT_PATH_MAX];
	int ret = 0;

	for (; !ret && e->system; e++) {
		if (!(e->traits & kind) ||
		    (named && !(e->traits & (EVENT_CACHE | EVENT_FREE))))
			continue;
		snprintf(path, sizeof(path), "events/%s/%s/enable", e->system, e->name);
		if (instance_has(in, path))
			ret = event_list_add(list, e->system, e->name);
		else
			log_msg(log, LOG_INFO, "this kernel has no event %s:%s",
				e->system, e->name);
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
	return ret ?: matches;
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
	const bool objects = choice->slab || choice->page;
	const bool tasks = objects || choice->vmalloc || choice->percpu_memory;
	const struct {
		bool wanted;
		enum event_trait kind; /* 0: CALL_EVENTS */
		const struct log *log; /* NULL: not all kernels have them */
	} all[] = {
		{ choice->slab, EVENT_OBJECT, log },
		{ choice->page, EVENT_PAGES, log },
		{ choice->slab && choice->page && !choice->one_in, EVENT_TAG, NULL },
		{ choice->vmalloc, EVENT_AREA, log },
		{ choice->percpu_memory, EVENT_PERCPU, log },
		{ objects, EVENT_TASK_END, NULL },
		{ tasks, EVENT_TASK, NULL },
		{ choice->calls, 0, log },
		{ choice->frag, EVENT_FALLBACK, log },
		{ choice->percpu, EVENT_CPU_LIST, log },
	};
	int ret = 0;

	*list = (struct event_list){ 0 };
	for (size_t i = 0; !ret && i < ARRAY_SIZE(all); i++) {
		if (!all[i].wanted)
			continue;
		ret = all[i].kind ? add_known(list, in, all[i].kind,
					      all[i].kind == EVENT_OBJECT &&
						      choice->criteria.nr_caches,
					      all[i].log)
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

/* 0; -errno: the event keeps its old filter. */
static int write_filter(struct event_name *event, const struct instance *in,
			const char *filter)
{
	char path[EVENT_PATH_MAX];
	char *copy = strdup(filter);
	int ret = copy ? 0 : -ENOMEM;

	event_path(path, event, "filter");
	ret = ret ?: instance_write(in, path, filter);
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
	ret = ret ?: instance_read(in, path, &sb);
	if (!ret && !strstr(strbuf_text(&sb), filter))
		ret = -EINVAL;
	return ret;
}

void event_whole_filter(const struct event_name *event, const char *filter,
			struct strbuf *out)
{
	if (event->filter)
		strbuf_printf(out, "(%s) && (%s)", event->filter, filter);
	else
		strbuf_puts(out, filter);
}

int event_add_filter(struct event_name *event, const struct instance *in,
		     const char *filter)
{
	struct strbuf __auto_free sb = { 0 };

	event_whole_filter(event, filter, &sb);
	return sb.failed ? -ENOMEM : event_set_filter(event, in, strbuf_text(&sb));
}

int event_field_size(const struct event_name *event, const struct instance *in,
		     const char *field)
{
	struct strbuf __auto_free format = { 0 };
	struct raw_field *fields __auto_mem = NULL;
	const struct raw_field *found;
	char path[EVENT_PATH_MAX];
	size_t nr = 0;
	int ret;

	event_path(path, event, "format");
	ret = instance_read(in, path, &format);
	ret = ret ?: fields_parse(strbuf_text(&format), format.size, &fields, &nr);
	found = field_named(fields, nr, field);
	return found ? (int)found->size : ret;
}

/* Sets @filter, which excludes this process, on all events that may be filtered. */
static int filter_self(struct event_list *list, const struct instance *in,
		       const struct event_choice *choice, const char *filter)
{
	for_each(event, list->items, list->count) {
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

/* Makes the kernel leave out everything that happens while the process runs. */
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

	for_each(event, list->items, list->count) {
		struct strbuf __auto_free sb = { 0 };
		int ret;

		if (!choice->filter_frees && is_free(event))
			continue;
		event_whole_filter(event, choice->filter, &sb);
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

/* Sets a trigger on each event that needs callchains. It needs the filter too: an event that is
 * filtered out would still record its stack. Returns how many, or -errno.
 */
static int set_triggers(const struct event_list *list, const struct instance *in)
{
	int nr = 0, ret = 0;

	for (size_t i = 0; i < list->count && !ret; i++) {
		const struct event_name *event = &list->items[i];

		if (!(event_traits(event->system, event->name) & EVENT_STACK))
			continue;
		nr++;
		if (events_have_triggers())
			ret = event_set_trigger(event, in, event->filter);
		else
			ret = -ENOTSUP;
	}
	return ret ?: nr;
}

static int set_user_stacks(const struct instance *in, const struct log *log)
{
	return log_errno(
		log, LOG_ERROR, instance_write(in, "options/userstacktrace", "1"),
		"this kernel cannot record frames of programs (userstacktrace): %m\n  Record without --user-stack");
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
	if (ret)
		return log_errno(
			log, LOG_ERROR, ret,
			"this kernel cannot record callchains: %m\n  It needs CONFIG_STACKTRACE; record without: --stack none");
	*how = choice->stack == CAPTURE_STACK_ALL ? "all (option)" : "page (option)";
	return 0;
}

const struct instance *event_instance(const struct event_name *event,
				      const struct instance *in)
{
	return in->frees && is_free(event) ? in->frees : in;
}

int events_enable(const struct event_list *list, const struct instance *in,
		  const struct log *log)
{
	char path[EVENT_PATH_MAX];
	int ret = 0;

	for (size_t i = 0; !ret && i < list->count; i++) {
		const struct event_name *event = &list->items[i];

		event_path(path, event, "enable");
		ret = instance_write(event_instance(event, in), path, "1");
		log_errno(
			log, LOG_ERROR, ret,
			"cannot enable the event %s:%s: %m\n  Where the machine forbids it, record other events: --slab, --page, -e",
			event->system, event->name);
	}
	return ret;
}

// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * All frees of the recorded allocations must be kept. A block of pages may be freed in pieces, an
 * object of a cache by kfree(), and no free has the size or the flags. Only the cache of
 * kmem_cache_free() is the same as at the allocation.
 */
#include "capture/events/event_criteria.h"

/* The fields that can select an event. */
enum field { BY_BYTES = 1, BY_ORDER = 2, BY_GFP = 4, BY_CACHE = 8, BY_COMM = 16 };

static const struct event_fields {
	const char *system, *name;
	unsigned int fields;
	bool is_free;
} known_events[] = {
	{ "kmem", "kmalloc", BY_BYTES | BY_GFP | BY_COMM, false },
	{ "kmem", "kmalloc_node", BY_BYTES | BY_GFP | BY_COMM, false },
	{ "kmem", "kmem_cache_alloc", BY_BYTES | BY_GFP | BY_CACHE | BY_COMM, false },
	{ "kmem", "kmem_cache_alloc_node", BY_BYTES | BY_GFP | BY_CACHE | BY_COMM,
	  false },
	{ "kmem", "mm_page_alloc", BY_ORDER | BY_GFP | BY_COMM, false },
	{ "kmem", "kfree", BY_COMM, true },
	{ "kmem", "kmem_cache_free", BY_CACHE | BY_COMM, true },
	{ "kmem", "mm_page_free", BY_ORDER | BY_COMM, true },
	{ "kmem", "mm_page_free_batched", BY_COMM, true },
	{ "vmalloc", "alloc_vmap_area", BY_COMM, false },
	{ "vmalloc", "free_vmap_area_noflush", BY_COMM, true },
	{ "percpu", "percpu_alloc_percpu", BY_GFP | BY_COMM, false },
	{ "percpu", "percpu_free_percpu", BY_COMM, true },
	{ "sched", "sched_process_exit", BY_COMM, false },
	{ "raw_syscalls", "sys_enter", BY_COMM, false },
	{ "raw_syscalls", "sys_exit", BY_COMM, false },
};

bool event_criteria_any(const struct event_criteria *c)
{
	return c->min_bytes || c->min_order || c->gfp || c->nr_caches || c->nr_comms;
}

static const struct event_fields *find_event(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(known_events); i++)
		if (!strcmp(name, known_events[i].name))
			return &known_events[i];
	return NULL;
}

/* The order of the smallest block that has min_bytes, or min_order if that is larger. */
static unsigned int order_of(const struct event_criteria *c)
{
	unsigned int order = 0;

	while (order < 63 && c->page_bytes && c->page_bytes << order < c->min_bytes)
		order++;
	return order > c->min_order ? order : c->min_order;
}

static void and_term(struct strbuf *out)
{
	strbuf_puts(out, out->size ? " && " : "");
}

/* Matches a field against @names. Names with *, ? or [ are patterns. */
static void one_of(struct strbuf *out, const char *field, const char *const *names,
		   size_t nr)
{
	and_term(out);
	strbuf_puts(out, nr > 1 ? "(" : "");
	for (size_t i = 0; i < nr; i++)
		strbuf_printf(out, "%s%s %s \"%s\"", i ? " || " : "", field,
			      strpbrk(names[i], "*?[") ? "~" : "==", names[i]);
	strbuf_puts(out, nr > 1 ? ")" : "");
}

/* Filters can test whether any of some bits is set, not whether all are. */
static void all_bits(struct strbuf *out, const char *field, uint64_t bits)
{
	for (; bits; bits &= bits - 1) {
		and_term(out);
		strbuf_printf(out, "%s & 0x%" PRIx64, field, bits & -bits);
	}
}

const char *event_criteria_filter(const struct event_criteria *c, const char *name,
				  bool filter_frees, struct strbuf *out)
{
	const struct event_fields *event = find_event(name);
	unsigned int by = event ? event->fields : 0;
	const char *field = NULL;

	if (by && event->is_free && !filter_frees)
		by &= BY_CACHE;
	if (by & BY_CACHE && c->nr_caches)
		one_of(out, field = "name", c->caches, c->nr_caches);
	if (by & BY_BYTES && c->min_bytes) {
		and_term(out);
		field = field ? field : "bytes_alloc";
		strbuf_printf(out, "bytes_alloc >= %" PRIu64, c->min_bytes);
	}
	if (by & BY_ORDER && order_of(c)) {
		and_term(out);
		field = "order";
		strbuf_printf(out, "order >= %u", order_of(c));
	}
	if (by & BY_GFP && c->gfp) {
		field = field ? field : "gfp_flags";
		all_bits(out, "gfp_flags", c->gfp);
	}
	if (by & BY_COMM && c->nr_comms) {
		one_of(out, "comm", c->comms, c->nr_comms);
		field = field ? field : "comm";
	}
	return field;
}

/* Adds the filter of the criteria to that of @event. */
static int add_filter(struct event_name *event, const struct instance *in,
		      const char *filter)
{
	struct strbuf __auto_free sb = { 0 };

	if (event->filter)
		strbuf_printf(&sb, "(%s) && (%s)", filter, event->filter);
	else
		strbuf_puts(&sb, filter);
	return sb.failed ? -ENOMEM : event_set_filter(event, in, strbuf_text(&sb));
}

/* Looks for "field:TYPE NAME;" in the event's format; every event has "comm". */
static bool has_field(const struct event_name *event, const struct instance *in,
		      const char *field)
{
	struct strbuf __auto_free format = { 0 };
	char path[EVENT_PATH_MAX], text[40];
	bool has = !strcmp(field, "comm");

	event_path(path, event, "format");
	snprintf(text, sizeof(text), " %s;", field);
	if (!has && instance_read(in, path, &format) == 0)
		has = strstr(strbuf_text(&format), text);
	return has;
}

static int set_one(struct event_name *event, const struct instance *in,
		   const struct event_choice *choice, const struct log *log)
{
	const struct event_fields *known = find_event(event->name);
	struct strbuf __auto_free sb = { 0 };
	const char *field = event_criteria_filter(&choice->criteria, event->name,
						  choice->filter_frees, &sb);
	int ret = 0;

	if (sb.failed) {
		ret = -ENOMEM;
	} else if (field && !has_field(event, in, field)) {
		/* Recording more frees than asked for does no harm. */
		if (known && !known->is_free) {
			log_msg(log, LOG_ERROR,
				"this kernel's event %s:%s does not name the %s, so it cannot be filtered by it\n  kmem_cache_alloc names the cache from Linux 6.18 on",
				event->system, event->name,
				!strcmp(field, "name") ? "cache" : field);
			ret = -ENOTSUP;
		}
	} else if (field) {
		ret = add_filter(event, in, strbuf_text(&sb));
		if (ret)
			log_msg(log, LOG_ERROR,
				"this kernel rejects the filter '%s' for the event %s:%s: %s",
				strbuf_text(&sb), event->system, event->name,
				strerror(-ret));
	}
	return ret;
}

int events_criteria(struct event_list *list, const struct instance *in,
		    const struct instance *frees, const struct event_choice *choice,
		    const struct log *log)
{
	int ret = 0;

	for (size_t i = 0; !ret && i < list->count; i++) {
		struct event_name *event = &list->items[i];
		const struct event_fields *known = find_event(event->name);

		if (!known || strcmp(event->system, known->system) != 0)
			continue;
		ret = set_one(event, known->is_free && frees->tracefs ? frees : in,
			      choice, log);
	}
	return ret;
}

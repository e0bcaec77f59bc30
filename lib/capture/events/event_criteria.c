// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * All frees of the recorded allocations must be kept. A block of pages may be freed in pieces, an
 * object of a cache by kfree(), and no free has the size or the flags. Only the cache of
 * kmem_cache_free() is the same as at the allocation.
 */
#include "capture/events/events.h"

bool event_criteria_any(const struct event_criteria *c)
{
	return c->min_bytes || c->min_order || c->gfp || c->nr_caches || c->nr_comms;
}

/* The order of the smallest block that has min_bytes, or min_order if that is larger. */
static unsigned int order_of(const struct event_criteria *c)
{
	unsigned int order = 0;

	while (order < 63 && c->page_bytes && c->page_bytes << order < c->min_bytes)
		order++;
	return LARGER(order, c->min_order);
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
	unsigned int by = event_traits(NULL, name);
	const char *field = NULL;

	if (by & EVENT_FREE && !filter_frees)
		by &= EVENT_CACHE;
	if (by & EVENT_CACHE && c->nr_caches)
		one_of(out, field = "name", c->caches, c->nr_caches);
	if (by & EVENT_BYTES && c->min_bytes) {
		and_term(out);
		field = field ? field : "bytes_alloc";
		strbuf_printf(out, "bytes_alloc >= %" PRIu64, c->min_bytes);
	}
	if (by & EVENT_ORDER && order_of(c)) {
		and_term(out);
		field = "order";
		strbuf_printf(out, "order >= %u", order_of(c));
	}
	if (by & EVENT_GFP && c->gfp) {
		field = field ? field : "gfp_flags";
		all_bits(out, "gfp_flags", c->gfp);
	}
	if (by & EVENT_COMM && c->nr_comms) {
		one_of(out, "comm", c->comms, c->nr_comms);
		field = field ? field : "comm";
	}
	return field;
}

/* Every event has "comm". */
static bool has_field(const struct event_name *event, const struct instance *in,
		      const char *field)
{
	return !strcmp(field, "comm") || event_field_size(event, in, field) > 0;
}

static int set_one(struct event_name *event, const struct instance *in,
		   const struct event_choice *choice, const struct log *log)
{
	struct strbuf __auto_free sb = { 0 };
	const char *field = event_criteria_filter(&choice->criteria, event->name,
						  choice->filter_frees, &sb);
	int ret = 0;

	if (sb.failed) {
		ret = -ENOMEM;
	} else if (field && !has_field(event, in, field)) {
		/* Recording more frees than asked for does no harm. */
		if (!(event_traits(NULL, event->name) & EVENT_FREE)) {
			log_msg(log, LOG_ERROR,
				"this kernel's event %s:%s does not name the %s, so it cannot be filtered by it\n  kmem_cache_alloc names the cache from Linux 6.18 on",
				event->system, event->name,
				!strcmp(field, "name") ? "cache" : field);
			ret = -ENOTSUP;
		}
	} else if (field) {
		ret = event_add_filter(event, in, strbuf_text(&sb));
		log_errno(log, LOG_ERROR, ret,
			  "this kernel rejects the filter '%s' for the event %s:%s: %m",
			  strbuf_text(&sb), event->system, event->name);
	}
	return ret;
}

int events_criteria(struct event_list *list, const struct instance *in,
		    const struct event_choice *choice, const struct log *log)
{
	int ret = 0;

	for (size_t i = 0; !ret && i < list->count; i++) {
		struct event_name *event = &list->items[i];

		if (event_traits(event->system, event->name))
			ret = set_one(event, event_instance(event, in), choice, log);
	}
	return ret;
}

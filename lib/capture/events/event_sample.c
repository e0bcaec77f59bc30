// SPDX-License-Identifier: GPL-2.0-or-later
#include "capture/events/event_sample.h"

enum sampled { SAMPLED_NOT, SAMPLED_ALLOC, SAMPLED_FREE, SAMPLED_PAGE };

static enum sampled how_sampled(const struct event_name *event)
{
	static const struct {
		const char *name;
		enum sampled how;
	} events[] = {
		{ "kmalloc", SAMPLED_ALLOC },
		{ "kmalloc_node", SAMPLED_ALLOC },
		{ "kmem_cache_alloc", SAMPLED_ALLOC },
		{ "kmem_cache_alloc_node", SAMPLED_ALLOC },
		{ "kfree", SAMPLED_FREE },
		{ "kmem_cache_free", SAMPLED_FREE },
		{ "mm_page_alloc", SAMPLED_PAGE },
		{ "mm_page_free", SAMPLED_PAGE },
		{ "mm_page_free_batched", SAMPLED_PAGE },
	};

	for (size_t i = 0; !strcmp(event->system, "kmem") && i < ARRAY_SIZE(events);
	     i++) {
		if (!strcmp(event->name, events[i].name))
			return events[i].how;
	}
	return SAMPLED_NOT;
}

/* Bytes of the field @name in a format text, "field:TYPE NAME;\toffset:N;\tsize:N;"; 0: absent. */
static unsigned int field_size(const char *format, const char *name)
{
	char text[40];
	unsigned int size = 0;
	const char *at;

	snprintf(text, sizeof(text), " %s;", name);
	at = strstr(format, text);
	if (at)
		at = strstr(at, "size:");
	return at && sscanf(at, "size:%2u;", &size) == 1 ? size : 0;
}

/* The filter of @event that expresses the sample. 0; -ENOTSUP if the event lacks a
 * field; -errno.
 */
static int filter_of(const struct instance *in, const struct event_name *event,
		     const struct sample *s, struct strbuf *out)
{
	enum sampled how = how_sampled(event);
	struct strbuf __auto_free format = { 0 };
	char path[EVENT_PATH_MAX];
	unsigned int size;
	int ret;

	event_path(path, event, "format");
	ret = instance_read(in, path, &format);
	size = field_size(strbuf_text(&format), how == SAMPLED_PAGE ? "pfn" : "ptr");
	if (!ret && size != 4 && size != 8)
		ret = -ENOTSUP;
	if (!ret && how == SAMPLED_PAGE)
		sample_filter_block(s, field_size(strbuf_text(&format), "order"), size,
				    out);
	else if (!ret)
		sample_filter_object(s, how == SAMPLED_FREE, out);
	return ret;
}

/* The same together with the filter that the event has. */
static int whole_filter_of(const struct instance *in, const struct event_name *event,
			   const struct sample *s, struct strbuf *out)
{
	int ret;

	if (event->filter)
		strbuf_printf(out, "(%s) && (", event->filter);
	ret = filter_of(in, event, s, out);
	strbuf_puts(out, event->filter ? ")" : "");
	return !ret && out->failed ? -ENOMEM : ret;
}

int events_sample(struct event_list *list, const struct instance *in,
		  const struct sample *s, enum events_part part, const struct log *log)
{
	int ret = 0;

	for (size_t i = 0; !ret && i < list->count; i++) {
		struct event_name *event = &list->items[i];
		struct strbuf __auto_free sb = { 0 };

		if (how_sampled(event) == SAMPLED_NOT || !event_in_part(event, part))
			continue;
		ret = whole_filter_of(in, event, s, &sb);
		if (!ret)
			ret = event_set_filter(event, in, strbuf_text(&sb));
		if (ret == -ENOTSUP)
			log_msg(log, LOG_ERROR,
				"cannot record a sample: this kernel's event %s:%s has no address\n  Record all events: leave out --sample",
				event->system, event->name);
		else if (ret)
			log_msg(log, LOG_ERROR,
				"this kernel rejects the filter for a sample for the event %s:%s: %s\n  Record all events: leave out --sample",
				event->system, event->name, strerror(-ret));
	}
	return ret;
}

int events_sample_stacks(const struct event_list *list, const struct instance *in,
			 const struct sample *s)
{
	int ret = 0;

	for (size_t i = 0; !ret && i < list->count; i++) {
		const struct event_name *event = &list->items[i];
		struct strbuf __auto_free sb = { 0 };

		if (how_sampled(event) != SAMPLED_ALLOC)
			continue;
		ret = whole_filter_of(in, event, s, &sb);
		if (!ret)
			ret = event_set_trigger(event, in, strbuf_text(&sb));
	}
	return ret;
}

_Static_assert(SAMPLE_FOLDS == 3, "sum_is() adds three bits");

/* Tests whether exactly one of the bits @a and @b is set; without @differ, whether both or none
 * are.
 */
static void two_differ(struct strbuf *out, const char *field, const uint64_t *bits,
		       bool differ)
{
	if (differ)
		strbuf_printf(out,
			      "((%s & 0x%" PRIx64 " && !(%s & 0x%" PRIx64
			      ")) || (!(%s & 0x%" PRIx64 ") && %s & 0x%" PRIx64 "))",
			      field, bits[0], field, bits[1], field, bits[0], field,
			      bits[1]);
	else
		strbuf_printf(out,
			      "((%s & 0x%" PRIx64 " && %s & 0x%" PRIx64
			      ") || !(%s & 0x%" PRIx64 "))",
			      field, bits[0], field, bits[1], field, bits[0] | bits[1]);
}

/* Tests whether an odd number of the three @bits is set; without @odd, an even number. */
static void sum_is(struct strbuf *out, const char *field, const uint64_t *bits, bool odd)
{
	strbuf_printf(out, "((%s & 0x%" PRIx64 " && ", field, bits[0]);
	two_differ(out, field, bits + 1, !odd);
	strbuf_printf(out, ") || (!(%s & 0x%" PRIx64 ") && ", field, bits[0]);
	two_differ(out, field, bits + 1, odd);
	strbuf_puts(out, "))");
}

static void part_is(const struct sample *s, const char *field, unsigned int shift,
		    struct strbuf *out)
{
	unsigned int nr = (unsigned int)__builtin_ctz(s->one_in);

	for (unsigned int i = 0; i < nr; i++) {
		const uint64_t first = UINT64_C(1) << (shift + i);
		const uint64_t bits[] = { first, first << nr, first << 2 * nr };

		strbuf_puts(out, i ? " && " : "");
		sum_is(out, field, bits, s->phase >> i & 1);
	}
}

void sample_filter_object(const struct sample *s, bool is_free, struct strbuf *out)
{
	strbuf_puts(out, is_free ? "ptr != 0 && (" : "");
	strbuf_printf(out, "!(ptr & 0x%" PRIx64 ") || (",
		      (UINT64_C(1) << s->certain_shift) - 1);
	part_is(s, "ptr", s->object_shift, out);
	strbuf_puts(out, is_free ? "))" : ")");
}

void sample_filter_block(const struct sample *s, bool has_order, unsigned int long_size,
			 struct strbuf *out)
{
	if (has_order)
		strbuf_printf(out, "order >= %u || ", s->certain_order);
	strbuf_printf(out, "pfn == 0x%" PRIx64 " || (",
		      long_size == 4 ? (uint64_t)UINT32_MAX : UINT64_MAX);
	part_is(s, "pfn", s->block_shift, out);
	strbuf_puts(out, ")");
}

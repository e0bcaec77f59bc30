// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * capture: the kernel's filters and triggers of a sampled recording.
 * In: the rule of a sample, selected events. Out: the instance's event files are set.
 */
#include "capture/events/events.h"

static unsigned int traits_of(const struct event_name *event)
{
	return event_traits(event->system, event->name);
}

/* Appends the filter of @event that expresses the sample. 0; -ENOTSUP if the event lacks a field;
 * -ENOMEM; -errno.
 */
static int filter_of(const struct instance *in, const struct event_name *event,
		     const struct sample *s, struct strbuf *out)
{
	const bool pages = traits_of(event) & EVENT_PAGES;
	int size = event_field_size(event, in, pages ? "pfn" : "ptr");
	int order = pages ? event_field_size(event, in, "order") : 0;

	if (size < 0 || order < 0)
		return size < 0 ? size : order;
	if (size != 4 && size != 8)
		return -ENOTSUP;
	if (pages)
		sample_filter_block(s, order, (unsigned int)size, out);
	else
		sample_filter_object(s, traits_of(event) & EVENT_FREE, out);
	return out->failed ? -ENOMEM : 0;
}

int events_sample(struct event_list *list, const struct instance *in,
		  const struct sample *s, const struct log *log)
{
	int ret = 0;

	for (size_t i = 0; !ret && i < list->count; i++) {
		struct event_name *event = &list->items[i];
		const struct instance *of = event_instance(event, in);
		struct strbuf __auto_free sb = { 0 };

		if (!(traits_of(event) & (EVENT_OBJECT | EVENT_PAGES)))
			continue;
		ret = filter_of(of, event, s, &sb)
			      ?: event_add_filter(event, of, strbuf_text(&sb));
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
		struct strbuf __auto_free own = { 0 }, whole = { 0 };

		if ((traits_of(event) & (EVENT_OBJECT | EVENT_FREE)) != EVENT_OBJECT)
			continue;
		ret = filter_of(in, event, s, &own);
		event_whole_filter(event, strbuf_text(&own), &whole);
		if (!ret)
			ret = whole.failed
				      ? -ENOMEM
				      : event_set_trigger(event, in, strbuf_text(&whole));
	}
	return ret;
}

_Static_assert(SAMPLE_FOLDS == 3, "sum_is() adds three bits");

/* Tests whether exactly one of the two @bits is set; without @differ, whether both or none are. */
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

// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * For millions of lines, the text for a number (a symbol, a name, a callchain) is made only once,
 * and digits are written directly into a large buffer.
 */
#include "script/script_line.h"

#include "base/array.h"
#include "base/safe_text.h"
#include "report/json.h"

void script_cached(struct script *s, struct text_cache *tc, uint64_t key)
{
	const struct cached_text *text = text_cache_get(tc, key);

	if (likely(text))
		outbuf_add(s->out, text->text, text->size);
	else
		s->failed = true;
}

static enum shown_as shown_as(const struct raw_field *f)
{
	if (f->place != FIELD_HERE || f->kind > FIELD_ADDRESS)
		return SHOWN_RAW;
	if (!strcmp(f->name, "call_site"))
		return SHOWN_SITE;
	if (!strcmp(f->name, "gfp_flags"))
		return SHOWN_GFP;
	if (!strcmp(f->name, "migratetype") || !strcmp(f->name, "alloc_migratetype") ||
	    !strcmp(f->name, "fallback_migratetype"))
		return SHOWN_MIGRATETYPE;
	return SHOWN_RAW;
}

static void set_label(const struct script *s, struct shown_field *f, bool first)
{
	const char *lead = first ? "" : ", ";
	int len;

	if (s->opts.format == SCRIPT_JSON)
		len = snprintf(f->label, sizeof(f->label), "%s\"%s\": ", lead,
			       f->raw.name);
	else
		len = snprintf(f->label, sizeof(f->label), " %s=", f->raw.name);
	f->label_size = (uint32_t)len; /* a name has at most 63 characters */
}

/* Writes event names in a column of 22 characters, like trace-cmd. */
static void fill_head(const struct script *s, const struct event_format *fmt,
		      struct strbuf *out)
{
	if (s->opts.format == SCRIPT_JSON) {
		strbuf_puts(out, "\"event\": ");
		json_quote(out, fmt->name);
		strbuf_puts(out, ", \"system\": ");
		json_quote(out, fmt->system);
	} else {
		safe_text_puts(out, fmt->name);
		strbuf_printf(out, ":%*s", out->size < 20 ? (int)(20 - out->size) : 0,
			      "");
	}
}

static int fill_layout(const struct script *s, const struct event_format *fmt,
		       struct layout *l)
{
	const struct recording_text *text = event_format_text(s->env.env->rec, fmt);
	struct strbuf head = { 0 };
	struct raw_field *fields __auto_mem = NULL;
	size_t nr = 0;
	int err = text ? fields_parse(text->text, text->size, &fields, &nr) : 0;

	fill_head(s, fmt, &head);
	l->head_size = head.size;
	l->head = strbuf_detach(&head);
	l->fields = calloc(nr + 1, sizeof(*l->fields));
	if (err || !l->head || !l->fields)
		return -ENOMEM;
	for (size_t i = 0; i < nr; i++) {
		l->fields[i].raw = fields[i];
		l->fields[i].as = shown_as(&fields[i]);
		set_label(s, &l->fields[i], !i);
	}
	l->nr = nr;
	return 0;
}

static void layout_free(struct layout *l)
{
	if (!l)
		return;
	free(l->fields);
	free(l->head);
	free(l);
}

static struct layout *make_layout(const struct script *s, uint16_t id)
{
	const struct event_format *fmt = event_formats_find(s->env.env->fmts, id);
	char name[32];
	const struct event_format unknown = { .system = "unknown",
					      .name = name,
					      .id = id };
	struct layout *l = calloc(1, sizeof(*l));

	snprintf(name, sizeof(name), "unknown event %u", id);
	if (l && !fill_layout(s, fmt ? fmt : &unknown, l))
		return l;
	layout_free(l);
	return NULL;
}

void script_layouts_free(struct script *s)
{
	for (uint32_t i = 0; s->layouts && i < SCRIPT_LAYOUTS; i++)
		layout_free(s->layouts[i]);
	free(s->layouts);
}

const struct layout *script_layout(struct script *s, const struct kmem_event *ev)
{
	if (unlikely(!s->layouts[ev->id]))
		s->layouts[ev->id] = make_layout(s, ev->id);
	return s->layouts[ev->id];
}

void script_text_put(struct script *s, const char *text, size_t size)
{
	strbuf_reset(&s->scratch);
	safe_text_add(&s->scratch, text, size);
	outbuf_add(s->out, strbuf_text(&s->scratch), s->scratch.size);
	s->failed |= s->scratch.failed;
}

void script_json_put(struct script *s, const char *text, size_t size)
{
	size_t i;

	for (i = 0; i < size; i++) {
		if (text[i] < ' ' || text[i] > '~' || text[i] == '"' || text[i] == '\\')
			break;
	}
	if (likely(i == size)) {
		outbuf_char(s->out, '"');
		outbuf_add(s->out, text, size);
		outbuf_char(s->out, '"');
		return;
	}
	strbuf_reset(&s->scratch);
	json_quote_size(&s->scratch, text, size);
	outbuf_add(s->out, strbuf_text(&s->scratch), s->scratch.size);
	s->failed |= s->scratch.failed;
}

/* Two hex digits for each byte, separated by blanks. */
static void put_bytes(struct script *s, const struct field_content *content)
{
	for (uint32_t i = 0; i < content->size; i++) {
		if (i)
			outbuf_char(s->out, ' ');
		outbuf_hex(s->out, content->data[i], 2);
	}
}

void script_value(struct script *s, const struct raw_field *f,
		  const struct field_content *content)
{
	const bool json = s->opts.format == SCRIPT_JSON;
	const char *text = (const char *)content->data;
	uint64_t number = f->kind <= FIELD_BOOL ? script_field_number(s, f, content) : 0;

	switch (f->kind) {
	case FIELD_UINT:
		outbuf_dec(s->out, number);
		break;
	case FIELD_INT:
		outbuf_int(s->out, (int64_t)number);
		break;
	case FIELD_BOOL:
		outbuf_puts(s->out, number ? "true" : "false");
		break;
	case FIELD_ADDRESS:
		if (json)
			outbuf_char(s->out, '"');
		outbuf_add(s->out, "0x", 2);
		outbuf_hex(s->out, number, 1);
		if (json)
			outbuf_char(s->out, '"');
		break;
	case FIELD_TEXT: /* up to a NUL */
		if (json)
			script_json_put(s, text, strnlen(text, content->size));
		else
			script_text_put(s, text, strnlen(text, content->size));
		break;
	default:
		outbuf_char(s->out, json ? '"' : '[');
		put_bytes(s, content);
		outbuf_char(s->out, json ? '"' : ']');
	}
}

uint64_t script_callsite(struct script *s, const struct kmem_event *ev)
{
	switch (ev->type) {
	case KMEM_KMALLOC:
	case KMEM_KMALLOC_NODE:
	case KMEM_CACHE_ALLOC:
	case KMEM_CACHE_ALLOC_NODE:
		return ev->slab_alloc.callsite;
	case KMEM_KFREE:
	case KMEM_CACHE_FREE:
		return ev->slab_free.callsite;
	case KMEM_KERNEL_STACK: /* The callsite depends on the event that it belongs to. */
		return 0;
	default:
		return ev->stack ? sites_of_stack_once(s->env.sites, ev->stack) : 0;
	}
}

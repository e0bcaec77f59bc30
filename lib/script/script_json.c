// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * script: events as JSON, one object per line.
 * In: an event. Out: its raw fields and their meanings. Documentation/json.md.
 */

#include "report/json.h"
#include "script/script_line.h"

void script_json_pid(void *ctx, uint64_t key, struct strbuf *out)
{
	const struct script *s = ctx;
	int32_t pid = (int32_t)key;

	strbuf_printf(out, ", \"pid\": %" PRId32 ", \"comm\": ", pid);
	json_quote(out, tasks_name(s->env.tasks, pid));
	strbuf_puts(out, ", ");
}

static void quote_site(const struct script *s, uint64_t addr, struct strbuf *out)
{
	struct strbuf __auto_free name = { 0 };

	sites_exact(s->env.sites, addr, &name);
	json_quote(out, strbuf_text(&name));
	out->failed |= name.failed;
}

void script_json_site(void *ctx, uint64_t key, struct strbuf *out)
{
	quote_site(ctx, key, out);
}

static void quote_or_null(const char *text, struct strbuf *out)
{
	if (text)
		json_quote(out, text);
	else
		strbuf_puts(out, "null");
}

/* The functions at @addr: [{"function": ..., "file": ..., "line": ..., "inlined": ...}]. */
static void put_frames(const struct script *s, uint64_t addr, struct strbuf *out)
{
	const struct source_frame *frames;
	size_t nr = source_lines_find(s->env.env->lines, addr, &frames), i;

	strbuf_puts(out, "[");
	for (i = 0; i < nr; i++) {
		strbuf_puts(out, i ? ", {\"function\": " : "{\"function\": ");
		quote_or_null(frames[i].function, out);
		strbuf_puts(out, ", \"file\": ");
		quote_or_null(frames[i].file, out);
		strbuf_puts(out, ", \"line\": ");
		if (frames[i].line)
			strbuf_printf(out, "%" PRIu32, frames[i].line);
		else
			strbuf_puts(out, "null");
		strbuf_printf(out, ", \"inlined\": %s}",
			      frames[i].inlined ? "true" : "false");
	}
	strbuf_puts(out, "]");
}

void script_json_frames(void *ctx, uint64_t key, struct strbuf *out)
{
	put_frames(ctx, key, out);
}

void script_json_gfp(void *ctx, uint64_t key, struct strbuf *out)
{
	const struct script *s = ctx;
	const struct gfp_names *gfp = event_formats_gfp(s->env.env->fmts);
	struct strbuf __auto_free names = { 0 };

	gfp_format_short(gfp, key, &names, NULL);
	json_quote(out, strbuf_text(&names));
	out->failed |= names.failed;
	strbuf_reset(&names);
	if (key)
		gfp_format_long(gfp, key, &names);
	strbuf_puts(out, ", \"gfp_names\": ");
	json_quote_list(out, strbuf_text(&names));
	out->failed |= names.failed;
}

void script_json_stack(void *ctx, uint64_t key, struct strbuf *out)
{
	const struct script *s = ctx;
	uint32_t nr = 0;
	const uint64_t *frames =
		event_stream_stack(s->env.env->stream, (uint32_t)key, &nr);

	strbuf_puts(out, "[");
	for (uint32_t i = 0; i < nr; i++) {
		strbuf_puts(out, i ? ", " : "");
		quote_site(s, frames[i], out);
	}
	strbuf_puts(out, "]");
	if (!s->env.env->lines)
		return;
	strbuf_puts(out, ", \"stack_frames\": [");
	for (uint32_t i = 0; i < nr; i++) {
		strbuf_puts(out, i ? ", " : "");
		put_frames(s, frames[i], out);
	}
	strbuf_puts(out, "]");
}

/* Prints text up to a NUL as a JSON string. */
static void put_string(struct script *s, const char *text, size_t size)
{
	size_t i;

	size = strnlen(text, size);
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
	strbuf_add(&s->scratch, text, size);
	if (!s->scratch.failed) {
		struct strbuf __auto_free quoted = { 0 };

		json_quote(&quoted, s->scratch.data);
		outbuf_add(s->out, strbuf_text(&quoted), quoted.size);
		s->failed |= quoted.failed;
	}
	s->failed |= s->scratch.failed;
}

static void put_value(struct script *s, const struct raw_field *f,
		      const struct field_content *content)
{
	if (script_plain(s, f, content))
		return;
	switch (f->kind) {
	case FIELD_ADDRESS:
		outbuf_add(s->out, "\"0x", 3);
		outbuf_hex(s->out, script_field_number(s, f, content), 1);
		outbuf_char(s->out, '"');
		break;
	case FIELD_TEXT:
		put_string(s, (const char *)content->data, content->size);
		break;
	default:
		outbuf_char(s->out, '"');
		script_bytes(s, content);
		outbuf_char(s->out, '"');
	}
}

/* The meaning of a field, in addition to its number. */
struct meaning {
	bool any;
	uint64_t value;
};

static void put_fields(struct script *s, const struct kmem_event *ev,
		       const struct layout *l, struct meaning *gfp,
		       struct meaning *migratetype)
{
	struct field_content content;

	outbuf_puts(s->out, ", \"fields\": {");
	for (size_t i = 0; i < l->nr; i++) {
		const struct shown_field *f = &l->fields[i];

		outbuf_add(s->out, f->label, f->label_size);
		if (unlikely(!script_field_data(s, ev, &f->raw, &content))) {
			outbuf_add(s->out, "null", 4);
			continue;
		}
		if (f->as == SHOWN_GFP) { /* a long, but not an address */
			*gfp = (struct meaning){ true, script_field_number(s, &f->raw,
									   &content) };
			outbuf_dec(s->out, gfp->value);
			continue;
		}
		if (f->as == SHOWN_MIGRATETYPE && !migratetype->any)
			*migratetype =
				(struct meaning){ true, script_field_number(s, &f->raw,
									    &content) };
		put_value(s, &f->raw, &content);
	}
	outbuf_char(s->out, '}');
}

/* "{"ts": 12139038645, "cpu": 0" */
static void put_start(struct script *s, const struct kmem_event *ev)
{
	const char *instance = s->env.env->rec->buffers[ev->buffer].name;

	outbuf_add(s->out, "{\"ts\": ", 7);
	outbuf_dec(s->out, ev->ts);
	outbuf_add(s->out, ", \"cpu\": ", 9);
	outbuf_dec(s->out, ev->cpu);
	if (unlikely(*instance)) {
		outbuf_puts(s->out, ", \"instance\": ");
		put_string(s, instance, strlen(instance));
	}
}

static void put_loss(struct script *s, const struct kmem_event *ev)
{
	put_start(s, ev);
	outbuf_puts(s->out, ", \"lost\": ");
	if (ev->loss.count == KMEM_LOSS_UNKNOWN)
		outbuf_add(s->out, "null", 4);
	else
		outbuf_dec(s->out, ev->loss.count);
	outbuf_puts(s->out, ", \"since_ts\": ");
	outbuf_dec(s->out, ev->loss.since_ts);
	outbuf_add(s->out, "}\n", 2);
}

void script_json_line(struct script *s, const struct kmem_event *ev)
{
	struct meaning gfp = { 0 }, migratetype = { 0 };
	const struct layout *l;
	const char *name;
	uint64_t callsite;

	if (unlikely(ev->type == KMEM_LOSS)) {
		put_loss(s, ev);
		return;
	}
	l = script_layout(s, ev);
	if (unlikely(!l)) {
		s->failed = true;
		return;
	}
	put_start(s, ev);
	script_cached(s, &s->pids, (uint32_t)ev->pid);
	outbuf_add(s->out, l->head, l->head_size);
	put_fields(s, ev, l, &gfp, &migratetype);
	callsite = script_callsite(s, ev);
	if (callsite) {
		outbuf_puts(s->out, ", \"callsite\": ");
		script_cached(s, &s->addrs, callsite);
	}
	if (callsite && source_lines_of_kernel(s->env.env->lines)) {
		outbuf_puts(s->out, ", \"frames\": ");
		script_cached(s, &s->frames, callsite);
	}
	if (gfp.any) {
		outbuf_puts(s->out, ", \"gfp\": ");
		script_cached(s, &s->gfps, gfp.value);
	}
	name = migratetype.any ? migratetype_name(s->env.env->migratetypes,
						  (int)(int64_t)migratetype.value)
			       : NULL;
	if (name) {
		outbuf_puts(s->out, ", \"migtype\": ");
		put_string(s, name, strlen(name));
	}
	if (s->opts.stack && ev->stack) {
		outbuf_puts(s->out, ", \"stack\": ");
		script_cached(s, &s->stacks, ev->stack);
	}
	outbuf_add(s->out, "}\n", 2);
}

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

void script_json_site(void *ctx, uint64_t key, struct strbuf *out)
{
	const struct script *s = ctx;
	struct strbuf __auto_free name = { 0 };

	sites_exact(s->env.sites, key, &name);
	json_quote(out, strbuf_text(&name));
	out->failed |= name.failed;
}

static void quote_or_null(const char *text, struct strbuf *out)
{
	if (text)
		json_quote(out, text);
	else
		strbuf_puts(out, "null");
}

/* The functions there: [{"function": ..., "file": ..., "line": ..., "inlined": ...}]. */
void script_json_frames(void *ctx, uint64_t key, struct strbuf *out)
{
	const struct script *s = ctx;
	const struct source_frame *frames;
	size_t nr = source_lines_find(s->env.env->lines, key, &frames), i;

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

void script_json_gfp(void *ctx, uint64_t key, struct strbuf *out)
{
	const struct script *s = ctx;
	const struct gfp_names *gfp = &s->env.env->fmts->gfp;
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
		script_json_site(ctx, frames[i], out);
	}
	strbuf_puts(out, "]");
	if (!s->env.env->lines)
		return;
	strbuf_puts(out, ", \"stack_frames\": [");
	for (uint32_t i = 0; i < nr; i++) {
		strbuf_puts(out, i ? ", " : "");
		script_json_frames(ctx, frames[i], out);
	}
	strbuf_puts(out, "]");
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
	for_each(f, l->fields, l->nr) {
		outbuf_add(s->out, f->label, f->label_size);
		if (unlikely(!field_content(&f->raw, ev->data, ev->size, s->big_endian,
					    &content))) {
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
		script_value(s, &f->raw, &content);
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
		script_json_put(s, instance, strlen(instance));
	}
}

void script_json_loss(struct script *s, const struct kmem_event *ev)
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

void script_json_line(struct script *s, const struct kmem_event *ev,
		      const struct layout *l)
{
	struct meaning gfp = { 0 }, migratetype = { 0 };
	const char *name;
	uint64_t callsite;

	put_start(s, ev);
	script_cached(s, &s->texts[PIDS], (uint32_t)ev->pid);
	outbuf_add(s->out, l->head, l->head_size);
	put_fields(s, ev, l, &gfp, &migratetype);
	callsite = script_callsite(s, ev);
	if (callsite) {
		outbuf_puts(s->out, ", \"callsite\": ");
		script_cached(s, &s->texts[SITES], callsite);
	}
	if (callsite && source_lines_of_kernel(s->env.env->lines)) {
		outbuf_puts(s->out, ", \"frames\": ");
		script_cached(s, &s->texts[FRAMES], callsite);
	}
	if (gfp.any) {
		outbuf_puts(s->out, ", \"gfp\": ");
		script_cached(s, &s->texts[GFPS], gfp.value);
	}
	name = migratetype.any ? migratetype_name(s->env.env->migratetypes,
						  (int)(int64_t)migratetype.value)
			       : NULL;
	if (name) {
		outbuf_puts(s->out, ", \"migtype\": ");
		script_json_put(s, name, strlen(name));
	}
	if (s->opts.stack && ev->stack) {
		outbuf_puts(s->out, ", \"stack\": ");
		script_cached(s, &s->texts[STACKS], ev->stack);
	}
	outbuf_add(s->out, "}\n", 2);
}

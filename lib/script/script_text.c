// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * script: events in the format of trace-cmd report.
 * In: an event. Out: "comm-pid [cpu] time: event: fields", callsites and flags as names.
 */

#include "base/safe_text.h"
#include "script/script_line.h"

#define NS_PER_S 1000000000ULL

/* "          sh-179   [": the part before the CPU. */
void script_text_pid(void *ctx, uint64_t key, struct strbuf *out)
{
	const struct script *s = ctx;
	int32_t pid = (int32_t)key;
	struct strbuf __auto_free comm = { 0 };

	safe_text_puts(&comm, tasks_name(s->env.tasks, pid));
	strbuf_printf(out, "%16s-%-5" PRId32 " [", strbuf_text(&comm), pid);
	out->failed |= comm.failed;
}

void script_text_site(void *ctx, uint64_t key, struct strbuf *out)
{
	const struct script *s = ctx;
	struct strbuf __auto_free name = { 0 };

	sites_exact(s->env.sites, key, &name);
	safe_text_puts(out, strbuf_text(&name));
	out->failed |= name.failed;
}

/* " fs/dcache.c:1640" */
static void put_line(const struct source_frame *frame, struct strbuf *out)
{
	if (!frame->file || !frame->line)
		return;
	strbuf_puts(out, " ");
	safe_text_puts(out, frame->file);
	strbuf_printf(out, ":%" PRIu32, frame->line);
}

/* "=> function (inlined) fs/dcache.c:1640", a line for each function inlined at @addr. Returns the
 * frame of the function that holds the code; NULL: unknown.
 */
static const struct source_frame *put_inlined(const struct script *s, uint64_t addr,
					      struct strbuf *out)
{
	struct source_lines *lines = s->env.env->lines;
	const struct source_frame *frames = NULL;
	size_t nr = lines ? source_lines_find(lines, addr, &frames) : 0, i;

	for (i = 0; i + 1 < nr; i++) {
		strbuf_puts(out, "=> ");
		safe_text_puts(out,
			       frames[i].function ? frames[i].function : "[unknown]");
		strbuf_puts(out, " (inlined)");
		put_line(&frames[i], out);
		strbuf_puts(out, "\n");
	}
	return nr ? &frames[nr - 1] : NULL;
}

/* "=> function+0x1f (ffffffff81234567)", a line for each frame, with its source line if known. */
void script_text_stack(void *ctx, uint64_t key, struct strbuf *out)
{
	const struct script *s = ctx;
	uint32_t nr = 0;
	const uint64_t *frames =
		event_stream_stack(s->env.env->stream, (uint32_t)key, &nr);

	for (uint32_t i = 0; i < nr; i++) {
		const struct source_frame *whole = put_inlined(s, frames[i], out);

		strbuf_puts(out, "=> ");
		script_text_site(ctx, frames[i], out);
		strbuf_printf(out, " (%0*" PRIx64 ")", (int)s->long_digits, frames[i]);
		if (whole)
			put_line(whole, out);
		strbuf_puts(out, "\n");
	}
}

static void put_field(struct script *s, const struct kmem_event *ev,
		      const struct shown_field *f)
{
	struct field_content content;
	const char *name;

	outbuf_add(s->out, f->label, f->label_size);
	if (unlikely(!field_content(&f->raw, ev->data, ev->size, s->big_endian,
				    &content))) {
		outbuf_char(s->out, '?');
		return;
	}
	switch (f->as) {
	case SHOWN_SITE:
		script_cached(s, &s->texts[SITES],
			      script_field_number(s, &f->raw, &content));
		break;
	case SHOWN_GFP:
		script_cached(s, &s->texts[GFPS],
			      script_field_number(s, &f->raw, &content));
		break;
	case SHOWN_MIGRATETYPE:
		name = migratetype_name(
			s->env.env->migratetypes,
			(int)(int64_t)script_field_number(s, &f->raw, &content));
		if (name) {
			script_text_put(s, name, strlen(name));
			break;
		}
		/* fall through */
	default:
		script_value(s, &f->raw, &content);
	}
}

/* "12.139039: ", rounded like trace-cmd; other clocks as a plain number. */
static void put_time(struct script *s, const struct kmem_event *ev)
{
	uint64_t ts = ev->ts, seconds, rest;

	if (!s->ns_clock[ev->buffer]) {
		outbuf_dec_wide(s->out, ts, 11, ' ');
		outbuf_add(s->out, ": ", 2);
		return;
	}
	seconds = ts / NS_PER_S;
	rest = ts % NS_PER_S;
	if (!s->opts.ns) {
		rest = (rest + 500) / 1000;
		if (rest == 1000000) {
			seconds++;
			rest = 0;
		}
	}
	outbuf_dec_wide(s->out, seconds, 5, ' ');
	outbuf_char(s->out, '.');
	outbuf_dec_wide(s->out, rest, s->opts.ns ? 9 : 6, '0');
	outbuf_add(s->out, ": ", 2);
}

static void put_instance(struct script *s, const struct kmem_event *ev)
{
	const char *name = s->env.env->rec->buffers[ev->buffer].name;

	if (likely(!*name))
		return;
	script_text_put(s, name, strlen(name));
	outbuf_add(s->out, ": ", 2);
}

void script_text_loss(struct script *s, const struct kmem_event *ev)
{
	put_instance(s, ev);
	outbuf_add(s->out, "CPU:", 4);
	outbuf_dec(s->out, ev->cpu);
	outbuf_add(s->out, " [", 2);
	if (ev->loss.count != KMEM_LOSS_UNKNOWN) {
		outbuf_dec(s->out, ev->loss.count);
		outbuf_char(s->out, ' ');
	}
	outbuf_puts(s->out, "EVENTS DROPPED]\n");
}

void script_text_line(struct script *s, const struct kmem_event *ev,
		      const struct layout *l)
{
	put_instance(s, ev);
	script_cached(s, &s->texts[PIDS], (uint32_t)ev->pid);
	outbuf_dec_wide(s->out, ev->cpu, 3, '0');
	outbuf_add(s->out, "] ", 2);
	put_time(s, ev);
	outbuf_add(s->out, l->head, l->head_size);
	if (unlikely(ev->type == KMEM_KERNEL_STACK))
		outbuf_puts(s->out, " <stack trace>");
	for (size_t i = 0; i < l->nr && ev->type != KMEM_KERNEL_STACK; i++)
		put_field(s, ev, &l->fields[i]);
	outbuf_char(s->out, '\n');
	if (s->opts.stack && ev->stack)
		script_cached(s, &s->texts[STACKS], ev->stack);
}

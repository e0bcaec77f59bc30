// SPDX-License-Identifier: GPL-2.0-or-later
#include "analysis/browse/moments.h"

#include "base/array.h"
#include "event/tasks.h"

/* The field with what the event itself does not say: the victim, the text. */
static const struct {
	const char *system, *name, *field;
} sources[MOMENT_KINDS] = {
	[MOMENT_OOM] = { "oom", "mark_victim", "pid" },
	[MOMENT_MARK] = { "ftrace", "print", "buf" },
};

/* Finds that field. A mark's text has no size in the format: it ends with the record. */
static int find_place(struct moments *m, enum moment_kind kind,
		      const struct recording *rec, const struct event_format *fmt)
{
	const struct recording_text *text = event_format_text(rec, fmt);
	struct moment_place *place = &m->places[kind];
	const struct raw_field *field;
	struct raw_field *fields;
	size_t nr;

	if (!text)
		return 0;
	if (fields_parse(text->text, text->size, &fields, &nr))
		return -ENOMEM;
	field = field_named(fields, nr, sources[kind].field);
	if (field && field->place == FIELD_HERE &&
	    (kind == MOMENT_MARK || field->size == 4))
		*place = (struct moment_place){ fmt->id, true, *field };
	free(fields);
	return 0;
}

int moments_init(struct moments *m, const struct analysis_env *env)
{
	int ret = 0;

	*m = (struct moments){ .big_endian = env->rec->big_endian };
	for_each(fmt, env->fmts->list, env->fmts->count) {
		for (uint32_t kind = 0; kind < MOMENT_KINDS && !ret; kind++)
			if (sources[kind].name &&
			    !strcmp(fmt->name, sources[kind].name) &&
			    !strcmp(fmt->system, sources[kind].system))
				ret = find_place(m, (enum moment_kind)kind, env->rec,
						 fmt);
	}
	return ret;
}

static void add(struct moments *m, const struct moment *one)
{
	if (m->nr_all[one->kind]++ >= MOMENTS_MAX)
		return;
	m->failed |= ARRAY_ADD(m->items, m->nr, *one) != 0;
}

/* A mark ends with a NUL or the record, without the line's end. */
static void add_mark(struct moments *m, const struct kmem_event *ev,
		     const struct moment_place *place)
{
	struct moment one = { ev->ts, MOMENT_MARK, ev->pid, 0 };
	const char *text = (const char *)ev->data + place->field.offset;
	size_t size = (size_t)less(ev->size, place->field.offset);

	size = size ? strnlen(text, size) : 0;
	while (size && (text[size - 1] == '\n' || text[size - 1] == ' '))
		size--;
	if (m->nr_all[MOMENT_MARK] < MOMENTS_MAX) {
		one.text = intern_id(&m->texts, size ? text : "", size);
		m->failed |= !one.text;
	}
	add(m, &one);
}

static void add_victim(struct moments *m, const struct kmem_event *ev,
		       const struct moment_place *place)
{
	struct moment one = { ev->ts, MOMENT_OOM, 0, 0 };
	struct field_content pid;

	if (!field_content(&place->field, ev->data, ev->size, m->big_endian, &pid))
		return;
	one.pid = (int32_t)get_u32(pid.data, m->big_endian);
	add(m, &one);
}

void moments_events(struct moments *m, const struct kmem_event *evs, size_t nr)
{
	const struct moment_place *oom = &m->places[MOMENT_OOM];
	const struct moment_place *mark = &m->places[MOMENT_MARK];
	const struct kmem_event *ev, *end = evs + nr;

	for (ev = evs; ev < end; ev++) {
		const struct moment exit = { ev->ts, MOMENT_EXIT, ev->pid, 0 };

		if (likely(ev->type != KMEM_TASK_EXIT && ev->type != KMEM_OTHER))
			continue;
		if (ev->type == KMEM_TASK_EXIT)
			add(m, &exit);
		else if (oom->known && ev->id == oom->id)
			add_victim(m, ev, oom);
		else if (mark->known && ev->id == mark->id)
			add_mark(m, ev, mark);
	}
}

void moments_free(struct moments *m)
{
	intern_free(&m->texts);
	free(m->items);
	*m = (struct moments){ 0 };
}

/* --- for a page -------------------------------------------------------------------------- */

/* A task's name and number, or the text of a mark. */
static uint32_t name_of(struct web_report *w, const struct moments *m,
			const struct moment *one, const struct tasks *tasks)
{
	struct strbuf __auto_free text = { 0 };
	uint32_t name;

	if (one->kind == MOMENT_MARK)
		strbuf_puts(&text, intern_get(&m->texts, one->text, NULL));
	else
		strbuf_printf(&text, "%s (%d)", tasks_name(tasks, one->pid), one->pid);
	name = web_report_name(w, strbuf_text(&text));
	w->failed |= text.failed;
	return name;
}

int report_moments_fill(struct web_report *w, const struct moments *m,
			const char *cmdlines)
{
	struct tasks tasks = { 0 };
	int ret = tasks_read(&tasks, cmdlines);

	w->events = calloc(m->nr + 1, sizeof(*w->events));
	if (!w->events)
		ret = -ENOMEM;
	for (size_t i = 0; i < m->nr && !ret; i++)
		w->events[w->nr_events++] =
			(struct web_event){ m->items[i].ts, m->items[i].kind,
					    name_of(w, m, &m->items[i], &tasks) };
	for (uint32_t kind = 0; kind < MOMENT_KINDS; kind++)
		w->left_out[kind] = less(m->nr_all[kind], MOMENTS_MAX);
	tasks_free(&tasks);
	return ret;
}

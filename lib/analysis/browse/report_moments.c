// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * analysis (internal): ends of tasks, OOM kills and marks of the user, for a page.
 * In: moments. Out: events of the page, with names.
 */
#include "analysis/browse/report_rows.h"

#include "event/tasks.h"

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
		w->left_out[kind] =
			m->nr_all[kind] > MOMENTS_MAX ? m->nr_all[kind] - MOMENTS_MAX : 0;
	tasks_free(&tasks);
	return ret;
}

// SPDX-License-Identifier: GPL-2.0-or-later
#include "recording/system_texts.h"

#include "base/array.h"

int text_list_take(struct text_list *list, const char *name, struct strbuf *text)
{
	struct recording_text item = { .size = text->size };

	if (!text->data)
		strbuf_puts(text, "");
	item.text = strbuf_detach(text);
	item.name = strdup(name);
	if (!item.text || !item.name ||
	    array_reserve(&list->items, &list->capacity, list->count + 1,
			  sizeof(*list->items))) {
		free(item.text);
		free(item.name);
		return -ENOMEM;
	}
	list->items[list->count++] = item;
	return 0;
}

int text_list_add(struct text_list *list, const char *name, const char *text, size_t size)
{
	struct strbuf sb = { 0 };

	strbuf_add(&sb, text, size);
	return text_list_take(list, name, &sb);
}

const char *text_list_get(const struct text_list *list, const char *name)
{
	for (size_t i = 0; i < list->count; i++)
		if (!strcmp(list->items[i].name, name))
			return list->items[i].text;
	return NULL;
}

static void text_list_free(struct text_list *list)
{
	for (size_t i = 0; i < list->count; i++) {
		free(list->items[i].name);
		free(list->items[i].text);
	}
	free(list->items);
	*list = (struct text_list){ 0 };
}

static bool any_failed(const struct system_texts *t)
{
	return t->header_page.failed || t->header_event.failed || t->kallsyms.failed ||
	       t->printk_formats.failed || t->cmdlines.failed || t->trace_clock.failed ||
	       t->uname.failed;
}

int system_texts_facts(struct system_texts *t, struct writer_facts *facts)
{
	free(t->cpustat_texts);
	t->cpustat_texts = calloc(t->cpustats.count + 1, sizeof(*t->cpustat_texts));
	if (!t->cpustat_texts || any_failed(t))
		return -ENOMEM;
	for (size_t i = 0; i < t->cpustats.count; i++)
		t->cpustat_texts[i] = t->cpustats.items[i].text;
	facts->header_page = strbuf_text(&t->header_page);
	facts->header_event = strbuf_text(&t->header_event);
	facts->ftrace_formats = t->ftrace_formats.items;
	facts->nr_ftrace_formats = t->ftrace_formats.count;
	facts->event_formats = t->event_formats.items;
	facts->nr_event_formats = t->event_formats.count;
	facts->kallsyms = t->kallsyms.data;
	facts->kallsyms_size = t->kallsyms.size;
	facts->printk_formats = t->printk_formats.data;
	facts->cmdlines = t->cmdlines.data;
	facts->uname = t->uname.data;
	facts->writer_version = "kmemx " KMEMX_VERSION;
	facts->trace_clock = t->trace_clock.data;
	facts->cpustats = t->cpustat_texts;
	facts->nr_cpustats = t->cpustats.count;
	facts->meta = t->meta.items;
	facts->nr_meta = t->meta.count;
	return 0;
}

void system_texts_free(struct system_texts *t)
{
	strbuf_free(&t->header_page);
	strbuf_free(&t->header_event);
	strbuf_free(&t->kallsyms);
	strbuf_free(&t->printk_formats);
	strbuf_free(&t->cmdlines);
	strbuf_free(&t->trace_clock);
	strbuf_free(&t->uname);
	text_list_free(&t->ftrace_formats);
	text_list_free(&t->event_formats);
	text_list_free(&t->cpustats);
	text_list_free(&t->meta);
	free(t->cpustat_texts);
	*t = (struct system_texts){ 0 };
}

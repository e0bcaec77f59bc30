/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * recording: the texts about a system for a new recording.
 * In: texts from any source. Out: the writer's facts, which borrow them.
 */
#ifndef KMEMX_RECORDING_SYSTEM_TEXTS_H
#define KMEMX_RECORDING_SYSTEM_TEXTS_H

#include "base/strbuf.h"
#include "recording/writer.h"

/* Zero-initialise it. */
struct text_list {
	struct recording_text *items;
	size_t count, capacity;
};

/* Adds an item; copies @name, takes ownership of @text's content, also on failure. 0 or -ENOMEM. */
int text_list_take(struct text_list *list, const char *name,
		   struct strbuf *text) __must_check;

/* The same with a copy of @size bytes at @text. */
int text_list_add(struct text_list *list, const char *name, const char *text,
		  size_t size) __must_check;
/* The text of the first item with that name, or NULL. */
const char *text_list_get(const struct text_list *list, const char *name);

/**
 * struct system_texts - zero-initialise it; system_texts_free() at the end
 * @event_formats: grouped by name, the system's
 * @cpustats: a text for each CPU, "CPU: 0\nentries: ..."; names are not used
 * @meta: kmemx's own items
 */
struct system_texts {
	struct strbuf header_page, header_event;
	struct strbuf kallsyms, printk_formats, cmdlines, trace_clock, uname;
	struct text_list ftrace_formats, event_formats, cpustats, meta;
	const char **cpustat_texts; /* system_texts_facts() fills it */
};

/**
 * system_texts_facts() - set the facts of a recording from the texts
 * @facts: its texts and this program's version are set, borrowed from @t until that changes;
 *	all else stays
 *
 * May be called again. Return: 0 or -ENOMEM, also if a text could not be held.
 */
int system_texts_facts(struct system_texts *t, struct writer_facts *facts) __must_check;
void system_texts_free(struct system_texts *t);

#endif

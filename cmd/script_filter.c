// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * cmd: kmemx script's options that choose events.
 * In: comma-separated words. Out: a filter, or a message.
 */
#include "script_filter.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/strbuf.h"
#include "command.h"
#include "message.h"

/* Words come from the user, one option's at a time. */
struct words {
	const char *option, *expected;
	const struct option_strings *values;
	int (*add)(struct event_filter *f, const char *word);
};

static int add_failed(const struct words *w, const char *word, int err,
		      const char *command)
{
	if (err == -ENOMEM)
		message_error(command, "%s: %s", w->option, strerror(ENOMEM));
	else
		message_error(command, "%s: '%s' is not understood; expected %s",
			      w->option, word, w->expected);
	return err == -ENOMEM ? EXIT_FAILED : EXIT_USAGE;
}

static int unknown_event(const struct event_formats *fmts, const char *word,
			 const char *command, const char *path)
{
	uint32_t nr = event_formats_count(fmts), i;
	const char **names = calloc(nr + 1, sizeof(*names));
	const char *near = NULL, *name = strchr(word, ':');

	for (i = 0; names && i < nr; i++)
		names[i] = event_formats_at(fmts, i)->name;
	if (names)
		near = options_nearest(name ? name + 1 : word, names, nr);
	if (near)
		message_error(command, "%s knows no event '%s'. Did you mean '%s'?", path,
			      word, near);
	else
		message_error(
			command,
			"%s knows no event '%s'.\n  What was recorded: kmemx info -i %s",
			path, word, path);
	free(names);
	return EXIT_USAGE;
}

struct word_ctx {
	const struct words *words;
	struct event_filter *filter;
	const struct event_formats *fmts;
	const char *command, *path;
};

static int out_of_memory(const char *command)
{
	message_error(command, "%s", strerror(ENOMEM));
	return EXIT_FAILED;
}

/* Calls @fn for every word of "A,B" of every use of the option. GO_ON, or an exit code. */
static int each_word(const struct option_strings *values,
		     int (*fn)(const struct word_ctx *c, const char *word),
		     const struct word_ctx *c)
{
	size_t i;
	int ret = GO_ON;

	for (i = 0; i < values->count && ret == GO_ON; i++) {
		const char *p = values->items[i];

		do {
			size_t len = strcspn(p, ",");
			char *word = strndup(p, len);

			ret = word ? fn(c, word) : out_of_memory(c->command);
			free(word);
			p += len;
		} while (ret == GO_ON && *p++);
	}
	return ret;
}

static int add_word(const struct word_ctx *c, const char *word)
{
	int err = c->words->add(c->filter, word);

	return err ? add_failed(c->words, word, err, c->command) : GO_ON;
}

static int add_event_word(const struct word_ctx *c, const char *word)
{
	int err = event_filter_add_event(c->filter, word, c->fmts);

	if (err == -ENOENT)
		return unknown_event(c->fmts, word, c->command, c->path);
	return err ? out_of_memory(c->command) : GO_ON;
}

int script_filter_resolve(const struct script_filter *o, struct event_filter *filter,
			  const struct event_formats *fmts, const char *command,
			  const char *path)
{
	const struct words words[] = {
		{ "--cpu", "a CPU or a range: 0,2-3", &o->cpus, event_filter_add_cpu },
		{ "--pid", "a process or a range: 1,100-199", &o->pids,
		  event_filter_add_pid },
		{ "--comm", "a task's name", &o->comms, event_filter_add_comm },
		{ "--callsite", "function, function+0x1f or 0xffff...", &o->sites,
		  event_filter_add_site },
		{ "--ptr", "an address in hexadecimal", &o->ptrs, event_filter_add_ptr },
	};
	struct word_ctx c = { NULL, filter, fmts, command, path };
	size_t i;
	int ret = GO_ON;

	for (i = 0; i < ARRAY_SIZE(words) && ret == GO_ON; i++) {
		c.words = &words[i];
		ret = each_word(words[i].values, add_word, &c);
	}
	return ret == GO_ON ? each_word(&o->events, add_event_word, &c) : ret;
}

bool script_filter_wants_stacks(const struct event_filter *filter,
				const struct event_formats *fmts)
{
	uint32_t i;

	for (i = 0; filter->ids && i < event_formats_count(fmts); i++) {
		const struct event_format *fmt = event_formats_at(fmts, i);

		if (fmt->type == KMEM_KERNEL_STACK && filter->ids[fmt->id])
			return true;
	}
	return false;
}

int script_filter_nothing(const struct script_filter *o, const char *command,
			  const char *path)
{
	static const char *const options[] = { "--cpu",	  "--pid",	"--comm",
					       "--event", "--callsite", "--ptr" };
	const struct option_strings *values[] = { &o->cpus,   &o->pids,	 &o->comms,
						  &o->events, &o->sites, &o->ptrs };
	struct strbuf given = { 0 };
	size_t i, k;

	for (i = 0; i < ARRAY_SIZE(values); i++) {
		for (k = 0; k < values[i]->count; k++)
			strbuf_printf(&given, " %s %s", options[i], values[i]->items[k]);
	}
	message_error(command,
		      "%s has no event for%s.\n  What it holds: kmemx info -i %s", path,
		      given.size ? strbuf_text(&given) : " this format", path);
	strbuf_free(&given);
	return EXIT_FAILED;
}

void script_filter_free(struct script_filter *o)
{
	free(o->cpus.items);
	free(o->pids.items);
	free(o->comms.items);
	free(o->events.items);
	free(o->sites.items);
	free(o->ptrs.items);
}

// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * cmd: kmemx script's options that choose events.
 * In: comma-separated words. Out: a filter, or a message.
 */
#include "cmd/script/script_filter.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/shell_word.h"
#include "base/strbuf.h"
#include "cmd/options/filter_words.h"
#include "cmd/options/message.h"

#define NR_FILTERS 7

/* How to add a word of an option: one of these. */
struct adder {
	int (*plain)(struct event_filter *filter, const char *word);
	int (*other)(void *ctx, const char *word);
};

struct target {
	struct event_filter *filter;
	const struct event_formats *fmts;
	const struct log *log;
	const char *path;
	const struct adder *adder;
};

static int unknown_event(const struct target *t, const char *word)
{
	uint32_t nr = event_formats_count(t->fmts), i;
	const char **names = calloc(nr + 1, sizeof(*names));
	const char *near = NULL, *name = strchr(word, ':');

	for (i = 0; names && i < nr; i++)
		names[i] = event_formats_at(t->fmts, i)->name;
	if (names)
		near = options_nearest(name ? name + 1 : word, names, nr);
	if (near)
		log_msg(t->log, LOG_ERROR, "%s has no event '%s'. Did you mean '%s'?",
			t->path, word, near);
	else
		log_msg(t->log, LOG_ERROR,
			"%s has no event '%s'\n  List its events: kmemx info -i %s",
			t->path, word, SHELL_NAME(t->path));
	free(names);
	return EXIT_USAGE;
}

static int add_site(void *ctx, const char *word)
{
	const struct target *t = ctx;

	if (!strcmp(word, FILTER_DEEP)) {
		log_msg(t->log, LOG_ERROR,
			"--callsite deep: events are shown with the callsites that they were recorded with\n  Callsites beyond wrappers: kmemx stat --callsite deep    a function of this name: '[d]eep'");
		return EXIT_USAGE;
	}
	return event_filter_add_site(t->filter, word);
}

static int add_event(void *ctx, const char *word)
{
	const struct target *t = ctx;
	int err = event_filter_add_event(t->filter, word, t->fmts);

	return err == -ENOENT ? unknown_event(t, word) : err;
}

static int add_word(void *ctx, const char *word)
{
	const struct target *t = ctx;

	return t->adder->other ? t->adder->other(ctx, word)
			       : t->adder->plain(t->filter, word);
}

static void list(const struct script_filter *o, struct filter_option options[NR_FILTERS])
{
	const struct filter_option all[NR_FILTERS] = {
		{ "--cpu", "a CPU or a range: 0,2-3", &o->cpus },
		{ "--pid", "a process or a range: 1,100-199", &o->pids },
		{ "--comm", "a task's name", &o->comms },
		{ "--event", "an event's name", &o->events },
		{ "--callsite", "function, function+0x1f or 0xffff...", &o->sites },
		{ "--dir", "a directory of the kernel's source: fs/ext4", &o->dirs },
		{ "--ptr", "an address in hexadecimal", &o->ptrs },
	};

	memcpy(options, all, sizeof(all));
}

int script_filter_resolve(const struct script_filter *o, struct event_filter *filter,
			  const struct event_formats *fmts, const struct log *log,
			  const char *path)
{
	static const struct adder adders[NR_FILTERS] = {
		{ .plain = event_filter_add_cpu },
		{ .plain = event_filter_add_pid },
		{ .plain = event_filter_add_comm },
		{ .other = add_event },
		{ .other = add_site },
		{ .plain = event_filter_add_dir },
		{ .plain = event_filter_add_ptr },
	};
	struct target target = { filter, fmts, log, path, NULL };
	struct filter_option options[NR_FILTERS];
	int ret = GO_ON;

	list(o, options);
	for (size_t i = 0; i < NR_FILTERS && ret == GO_ON; i++) {
		target.adder = &adders[i];
		ret = filter_each_word(&options[i], add_word, &target, log);
	}
	return ret;
}

bool script_filter_wants_stacks(const struct event_filter *filter,
				const struct event_formats *fmts)
{
	for (uint32_t i = 0; filter->ids && i < event_formats_count(fmts); i++) {
		const struct event_format *fmt = event_formats_at(fmts, i);

		if (fmt->type == KMEM_KERNEL_STACK && filter->ids[fmt->id])
			return true;
	}
	return false;
}

int script_filter_nothing(const struct script_filter *o, const char *command,
			  const char *path)
{
	struct filter_option options[NR_FILTERS];
	struct strbuf given = { 0 };

	list(o, options);
	filter_options_text(options, NR_FILTERS, &given);
	message_error(
		command,
		"%s has no events that match %s\n  List its events: kmemx info -i %s",
		path, given.size ? strbuf_text(&given) : "this format", SHELL_NAME(path));
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
	free(o->dirs.items);
	free(o->ptrs.items);
}

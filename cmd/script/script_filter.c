// SPDX-License-Identifier: GPL-2.0-or-later
#include "cmd/script/script_filter.h"

#include "base/safe_text.h"
#include "cmd/options/message.h"

#define NR_FILTERS 2

struct target {
	struct event_filter *filter;
	const struct event_formats *fmts;
	const struct log *log;
	const char *path;
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

static int add_event(void *ctx, const char *word)
{
	const struct target *t = ctx;
	int err = event_filter_add_event(t->filter, word, t->fmts);

	return err == -ENOENT ? unknown_event(t, word) : err;
}

static int add_ptr(void *ctx, const char *word)
{
	const struct target *t = ctx;

	return event_filter_add_ptr(t->filter, word);
}

static void list(const struct script_filter *o, struct filter_option options[NR_FILTERS])
{
	options[0] = (struct filter_option){ "--event", "an event's name", &o->events };
	options[1] =
		(struct filter_option){ "--ptr", "an address in hexadecimal", &o->ptrs };
}

int script_filter_resolve(const struct script_filter *o, struct alloc_filter *filter,
			  const struct event_formats *fmts, const struct log *log,
			  const char *path)
{
	struct target target = { &filter->who, fmts, log, path };
	struct filter_option options[NR_FILTERS];
	int ret = GO_ON;

	list(o, options);
	if (filter_words_has_deep(&o->words)) {
		log_msg(log, LOG_ERROR,
			"--callsite deep: events are shown with the callsites that they were recorded with\n  Callsites beyond wrappers: kmemx stat --callsite deep    a function of this name: '[d]eep'");
		return EXIT_USAGE;
	}
	ret = filter_words_resolve(&o->words, filter, fmts, log);
	if (ret == GO_ON)
		ret = filter_each_word(&options[0], add_event, &target, log);
	if (ret == GO_ON)
		ret = filter_each_word(&options[1], add_ptr, &target, log);
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
			  const char *path, bool unnamed)
{
	struct filter_option options[NR_FILTERS];
	struct strbuf __auto_free given = { 0 };

	list(o, options);
	filter_words_text(&o->words, &given);
	filter_options_text(options, NR_FILTERS, &given);
	message_error(command, "%s has no events that match %s\n  %s%s", path,
		      given.size ? strbuf_text(&given) : "this format",
		      unnamed ? filter_words_unnamed : "List its events: kmemx info -i ",
		      unnamed ? "" : SHELL_NAME(path));
	return EXIT_FAILED;
}

void script_filter_free(struct script_filter *o)
{
	filter_words_free(&o->words);
	free(o->events.items);
	free(o->ptrs.items);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cmd: kmemx script's options that choose events.
 * In: comma-separated words. Out: a filter, or a message.
 */
#ifndef KMEMX_CMD_SCRIPT_FILTER_H
#define KMEMX_CMD_SCRIPT_FILTER_H

#include "analysis/filter/alloc_filter.h"
#include "cmd/options/filter_words.h"
#include "cmd/options/options.h"

struct script_filter {
	struct filter_words words;
	struct option_strings events, ptrs;
};

/* Fills in @filter, which the caller frees in any case. GO_ON, or the exit code after a message to
 * @log.
 */
int script_filter_resolve(const struct script_filter *o, struct alloc_filter *filter,
			  const struct event_formats *fmts, const struct log *log,
			  const char *path) __must_check;
/* Are kernel_stack events asked for by name? */
bool script_filter_wants_stacks(const struct event_filter *filter,
				const struct event_formats *fmts);
/* Says that no event matches the filter; if @unnamed, also why. Returns the exit code. */
int script_filter_nothing(const struct script_filter *o, const char *command,
			  const char *path, bool unnamed);
void script_filter_free(struct script_filter *o);

#endif

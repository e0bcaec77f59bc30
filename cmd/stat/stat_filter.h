/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cmd: the allocation filter of kmemx stat.
 * In: the filter's words, the analyses asked for. Out: what they exclude, or a message.
 */
#ifndef KMEMX_CMD_STAT_FILTER_H
#define KMEMX_CMD_STAT_FILTER_H

#include "cmd/options/filter_words.h"
#include "cmd/stat/stat_analyses.h"

/* Can the analyses asked for be filtered like this? Sets @a->foreign to the events that lack a
 * field of the filter. GO_ON, or EXIT_USAGE after a message.
 */
int stat_filter_check(const struct filter_words *w, struct stat_analyses *a,
		      const char *command);

#endif

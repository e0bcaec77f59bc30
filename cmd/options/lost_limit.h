/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cmd: --max-lost.
 * In: a limit and what was lost. Out: may the result be trusted?
 */
#ifndef KMEMX_CMD_LOST_LIMIT_H
#define KMEMX_CMD_LOST_LIMIT_H

#include "study/study_facts.h"

/* "N" events or "P%" of all events. No limit if zero-initialised. */
struct lost_limit {
	const char *text; /* the option's value */
	bool percent;
	double value;
	bool implied; /* not given: LOST_LIMIT_GATE */
};

/* With more losses a gate is not reliable, unless the user allows them. */
#define LOST_LIMIT_GATE "1%"

/* clang-format off */
#define MAX_LOST_OPTION(limit) \
	{ OPTION_STRING | OPTION_EVERYDAY, 0, "max-lost", "N|PCT%", &(limit).text, \
	  "exit with 125 if more events were lost" }
/* clang-format on */

/* GO_ON, or EXIT_USAGE after a message. */
int lost_limit_parse(struct lost_limit *limit, const char *command);
/* Is the loss within the limit? Prints nothing. */
bool lost_limit_holds(const struct lost_limit *limit, const struct study_facts *f);
/* Returns @code if it is already an error. Else EXIT_UNTRUSTED after a message if more was lost
 * than the limit: a gap of unknown size, a damaged part or a missing end exceeds any limit. Else
 * EXIT_UNREADABLE after a message if study_facts_unreadable(), with or without a limit.
 */
int lost_limit_check(const struct lost_limit *limit, const struct study_facts *f,
		     const char *command, int code);
/* Says that more of the file is damaged than readable. Returns EXIT_UNREADABLE. */
int lost_limit_damage(const char *path, const char *command);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cmd: --max-lost.
 * In: a limit and what was lost. Out: may the result be trusted?
 */
#ifndef KMEMX_CMD_LOST_LIMIT_H
#define KMEMX_CMD_LOST_LIMIT_H

#include "study/study_facts.h"

/* "N" events or "P%" of all events; zero-initialised: no limit. */
struct lost_limit {
	const char *text; /* the option's */
	bool percent;
	double value;
	bool implied; /* the user gave none: LOST_LIMIT_GATE */
};

/* With more lost than this no gate is to be trusted, unless the user allows it. */
#define LOST_LIMIT_GATE "1%"

#define MAX_LOST_OPTION(limit)                                                           \
	{                                                                                \
		OPTION_STRING | OPTION_EVERYDAY, 0, "max-lost", "N|PCT%", &(limit).text, \
			"exit with 125 if more events were lost"                         \
	}

/* GO_ON, or EXIT_USAGE after a message. */
int lost_limit_parse(struct lost_limit *limit, const char *command);
/* Was no more lost than allowed? In silence. */
bool lost_limit_holds(const struct lost_limit *limit, const struct study_facts *f);
/* @code if no more was lost than allowed, EXIT_UNTRUSTED after a message if more was. A gap
 * of unknown size, a damaged part or a missing end is more than any limit. EXIT_UNREADABLE, with or
 * without a limit, if more is damaged than can be read: study_facts_unreadable().
 */
int lost_limit_check(const struct lost_limit *limit, const struct study_facts *f,
		     const char *command, int code);
/* Says that more of it is damaged than can be read. EXIT_UNREADABLE. */
int lost_limit_damage(const char *path, const char *command);

#endif

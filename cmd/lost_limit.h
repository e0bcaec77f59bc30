/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cmd: --max-lost.
 * In: a limit and what was lost. Out: may the result be trusted?
 */
#ifndef KMEMX_CMD_LOST_LIMIT_H
#define KMEMX_CMD_LOST_LIMIT_H

#include "facts.h"

/* "N" events or "P%" of all events; zero-initialised: no limit. */
struct lost_limit {
	const char *text; /* the option's */
	bool percent;
	double value;
};

/* -1 to go on, or EXIT_USAGE after a message. */
int lost_limit_parse(struct lost_limit *limit, const char *command);
/* @code if no more was lost than allowed, EXIT_UNTRUSTED after a message if more was. A gap
 * of unknown size, or a damaged part, is more than any limit.
 */
int lost_limit_check(const struct lost_limit *limit, const struct facts *f,
		     const char *command, int code);

#endif

// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * cmd: --max-lost.
 * In: a limit and what was lost. Out: may the result be trusted?
 */
#include "lost_limit.h"

#include <inttypes.h>
#include <stdlib.h>

#include "command.h"
#include "message.h"

int lost_limit_parse(struct lost_limit *limit, const char *command)
{
	char *end = NULL;

	if (!limit->text)
		return -1;
	if (*limit->text >= '0' && *limit->text <= '9')
		limit->value = strtod(limit->text, &end);
	limit->percent = end && *end == '%';
	if (end && !end[limit->percent] && (!limit->percent || limit->value <= 100) &&
	    (limit->percent || limit->value == (double)(uint64_t)limit->value))
		return -1;
	message_error(
		command,
		"cannot understand --max-lost '%s'\n  A number of events (1000), or a share of all events (0.1%%).",
		limit->text);
	return EXIT_USAGE;
}

int lost_limit_check(const struct lost_limit *limit, const struct facts *f,
		     const char *command, int code)
{
	uint64_t lost = f->nr_lost + f->nr_dropped;
	double all = (double)f->nr_events + (double)lost;
	double allowed = limit->percent ? all * limit->value / 100 : limit->value;
	const char *advice = "Record with a larger buffer: kmemx record -b";

	if (!limit->text || code)
		return code;
	if (f->nr_unknown_gaps) {
		message_error(
			command,
			"%" PRIu64
			" gap%s of unknown size: --max-lost %s cannot be shown to hold.\n  %s",
			f->nr_unknown_gaps, f->nr_unknown_gaps == 1 ? "" : "s",
			limit->text, advice);
		return EXIT_UNTRUSTED;
	}
	if ((double)lost <= allowed)
		return code;
	message_error(command,
		      "%" PRIu64
		      " events were lost (%.3g %% of all), --max-lost is %s.\n  %s",
		      lost, 100 * (double)lost / all, limit->text, advice);
	return EXIT_UNTRUSTED;
}

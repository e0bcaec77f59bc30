// SPDX-License-Identifier: GPL-2.0-or-later
#include "cmd/options/lost_limit.h"

#include "cmd/options/message.h"

int lost_limit_parse(struct lost_limit *limit, const char *command)
{
	char *end = NULL;

	if (!limit->text)
		return GO_ON;
	if (*limit->text >= '0' && *limit->text <= '9')
		limit->value = strtod(limit->text, &end);
	limit->percent = end && *end == '%';
	if (end && !end[limit->percent] && (!limit->percent || limit->value <= 100) &&
	    (limit->percent || limit->value == (double)(uint64_t)limit->value))
		return GO_ON;
	return message_fail(
		EXIT_USAGE, command,
		"invalid --max-lost '%s'\n  Give a number of events (1000) or a share of all events (0.1%%)",
		limit->text);
}

int lost_limit_damage(const char *path, const char *command)
{
	return message_fail(EXIT_UNREADABLE, command,
			    "%s is damaged: most of it is unreadable", path);
}

static int check_damage(const struct study_facts *f, const char *command)
{
	return study_facts_unreadable(f) ? lost_limit_damage(f->path, command) : EXIT_OK;
}

/* Says that an unknown number of events was lost, which exceeds any limit. */
static int not_bounded(const struct lost_limit *limit, const struct study_facts *f,
		       const char *command)
{
	struct strbuf __auto_free what = { 0 }, hold = { 0 };

	if (*f->truncated)
		strbuf_printf(&what, "%s was cut short (%s)", f->path, f->truncated);
	else
		strbuf_printf(&what, "%s%s%" PRIu64 " gap%s of unknown size",
			      limit->implied ? f->path : "",
			      limit->implied ? " has " : "", f->nr_unknown_gaps,
			      plural(f->nr_unknown_gaps));
	if (limit->implied)
		strbuf_puts(&hold, "gates on it are not reliable");
	else
		strbuf_printf(&hold, "--max-lost %s cannot be checked", limit->text);
	return message_fail(EXIT_UNTRUSTED, command, "%s: %s\n  %s", strbuf_text(&what),
			    strbuf_text(&hold),
			    *f->truncated
				    ? "Record again, to a disk with free space"
				    : "Record with a larger buffer: kmemx record -b");
}

static bool too_much(const struct lost_limit *limit, const struct study_facts *f)
{
	double lost = (double)f->nr_lost + (double)f->nr_dropped;
	double all = (double)f->nr_events + lost;

	return lost > (limit->percent ? all * limit->value / 100 : limit->value);
}

bool lost_limit_holds(const struct lost_limit *limit, const struct study_facts *f)
{
	return !limit->text ||
	       !(f->nr_unknown_gaps || *f->truncated || too_much(limit, f));
}

int lost_limit_check(const struct lost_limit *limit, const struct study_facts *f,
		     const char *command, int code)
{
	uint64_t lost = f->nr_lost + f->nr_dropped;
	double all = (double)f->nr_events + (double)lost;
	const char *least = f->nr_unknown_gaps || *f->truncated ? "at least " : "";

	if (code)
		return code;
	if (!limit->text)
		return check_damage(f, command);
	if (!too_much(limit, f)) {
		if (f->nr_unknown_gaps || *f->truncated)
			return not_bounded(limit, f, command);
		return check_damage(f, command);
	}
	if (limit->implied)
		return message_fail(
			EXIT_UNTRUSTED, command,
			"%s lost %s%" PRIu64
			" event%s (%.3g %% of all): gates are not reliable with more than %s lost\n  Record with a larger buffer (kmemx record -b), or allow more: --max-lost PCT%%",
			f->path, least, lost, plural(lost), 100 * (double)lost / all,
			limit->text);
	return message_fail(
		EXIT_UNTRUSTED, command,
		"%s%" PRIu64
		" event%s lost (%.3g %% of all); --max-lost is %s\n  Record with a larger buffer: kmemx record -b",
		least, lost, lost == 1 ? " was" : "s were", 100 * (double)lost / all,
		limit->text);
}

// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * cmd: the allocation filter of kmemx stat.
 * In: the filter's words, the analyses asked for. Out: what they exclude, or a message.
 */
#include "cmd/stat/stat_filter.h"

#include "analysis/pass/registry.h"
#include "cmd/options/command.h"
#include "cmd/options/message.h"

/* Checks filters on fields that slab or page events lack. */
static int check_kinds(struct stat_analyses *a, const char *slab, const char *page,
		       const char *command)
{
	const struct analysis *analysis;
	size_t i;

	if (slab && page) {
		message_error(
			command,
			"%s and %s cannot be used together: one is for pages, the other for slab objects",
			slab, page);
		return EXIT_USAGE;
	}
	for (i = 0; (slab || page) && (analysis = analysis_at(i)); i++) {
		/* An analysis of both kinds still shows the other. */
		if (!a->asked[i] || !(analysis->needs & a->foreign) ||
		    analysis->needs & ~a->foreign)
			continue;
		message_error(
			command,
			"%s does not apply to %s%s: %s events do not have this field\n  Leave out one of the two",
			slab ? slab : page,
			analysis->use == ANALYSIS_COMMAND ? "kmemx " : "--",
			analysis->name, slab ? "slab" : "page");
		return EXIT_USAGE;
	}
	return GO_ON;
}

int stat_filter_check(const struct filter_words *w, struct stat_analyses *a,
		      const char *command)
{
	const struct analysis *analysis;
	const char *slab, *page;
	char title[64];
	size_t i;

	if (!filter_words_any(w))
		return GO_ON;
	filter_words_foreign(w, &slab, &page);
	a->foreign = (slab ? NEEDS_SLAB : 0) | (page ? NEEDS_PAGE : 0);
	for (i = 0; (analysis = analysis_at(i)); i++) {
		if (!a->asked[i] || !analysis->unfiltered)
			continue;
		stat_analyses_title(analysis, title);
		message_error(command,
			      "%s cannot be filtered: %s\n  Leave out the filter", title,
			      analysis->unfiltered);
		return EXIT_USAGE;
	}
	if (stat_analyses_given(a, "unmatched")) {
		message_error(
			command,
			"--unmatched cannot be filtered: no allocation event names the task of these objects");
		return EXIT_USAGE;
	}
	return check_kinds(a, slab, page, command);
}

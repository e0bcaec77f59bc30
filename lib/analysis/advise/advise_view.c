// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * analysis: the table of advice.
 * In: collected counts. Out: one row for each finding.
 */
#include <errno.h>

#include "analysis/advise/advise.h"

/* In the order of the manual. */
static const struct finding_kind *const finding_kinds[] = {
	&finding_own_cache,  &finding_shrink,	 &finding_whole_pages, &finding_atomic,
	&finding_high_order, &finding_ping_pong, &finding_unbatched,   NULL,
};

static void add_summary(const struct advise_view *v)
{
	const struct advise *a = v->a;
	uint64_t hit = 0;

	for (size_t i = 0; i < a->gfp.nr; i++)
		hit += a->gfp.counts[i].nr;
	const struct summary_line lines[] = {
		{ "findings", "Findings", UNIT_COUNT, v->nr_findings, false,
		  SUMMARY_TOTAL },
		{ "allocs", "Allocations looked at", UNIT_COUNT, hit, false,
		  SUMMARY_TOTAL },
	};

	table_set_summary_title(v->t, "SUMMARY (advice)");
	table_add_summary_lines(v->t, lines, ARRAY_SIZE(lines), a->losses != 0);
}

int advise_show(const struct advise *a, struct report *report)
{
	struct advise_view v = { .a = a };
	const struct finding_kind *const *kind;
	int ret = 0;

	v.t = table_type_new(&advice_type, "Advice", SUBJECT_NONE, false);
	if (!v.t)
		return -ENOMEM;
	table_set_by(v.t, "finding");
	if (sample_of(&v.sample, a->env->rec))
		v.sample = (struct sample){ 0 }; /* the report says that it is unknown */
	for (kind = finding_kinds; *kind && !ret; kind++)
		ret = (*kind)->find(*kind, &v);
	if (ret) {
		table_free(v.t);
		return ret;
	}
	if (!v.nr_findings)
		table_add_note(v.t, "Nothing was found that could be better.");
	add_summary(&v);
	report_add_table(report, v.t);
	return 0;
}

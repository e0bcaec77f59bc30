// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * analysis: cells that the page tables share.
 * In: migratetypes and GFP flags. Out: their names, and the legend of the short ones.
 */
#include <stdio.h>

#include "analysis/stat/page_report.h"

struct cell page_report_migratetype(const struct page_report *page, struct table *t,
				    int value)
{
	const char *name = migratetype_name(page->env->migratetypes, value);
	char number[16];

	if (name)
		return cell_text(t, name);
	snprintf(number, sizeof(number), "%d", value);
	return cell_text(t, number);
}

struct cell page_report_gfp(const struct page_report *page, struct table *t,
			    uint64_t flags, uint64_t *used)
{
	struct strbuf sb = { 0 };

	gfp_format_short(event_formats_gfp(page->env->fmts), flags, &sb, used);
	return cell_strbuf(t, &sb);
}

struct cell page_report_gfp_names(const struct page_report *page, struct table *t,
				  uint64_t flags)
{
	struct strbuf sb = { 0 };

	if (flags)
		gfp_format_long(event_formats_gfp(page->env->fmts), flags, &sb);
	return cell_strbuf(t, &sb);
}

void page_report_legend(const struct page_report *page, struct table *t, uint64_t used)
{
	const struct gfp_names *gfp = event_formats_gfp(page->env->fmts);
	size_t i;

	t->legend_of = "gfp";
	t->legend_title = "GFP";
	for (i = 0; gfp && i < gfp->count && i < 64; i++) {
		if (used >> i & 1)
			table_add_legend(t, gfp->names[i].short_name, gfp->names[i].name);
	}
}

// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * analysis: the summary of the page reports.
 * In: finished page accounts. Out: named numbers under the first table.
 */

#include "analysis/stat/account_report.h"

/* The parts of the live bytes: live = sure + seen + implicit + lost. */
static void add_parts(const struct net_range *net, struct table *t)
{
	TABLE_SUMMARY(t, false,
		      { "bytes_live_min", "    sure to be live", UNIT_BYTES, net->min,
			SUMMARY_DETAIL, true },
		      { "bytes_live_seen", "    seen: allocated, and not seen freed",
			UNIT_BYTES, net->seen, SUMMARY_DETAIL, true },
		      { "bytes_live_implicit",
			"    possibly freed untraced, as others of the callsite were",
			UNIT_BYTES, net->implicit, SUMMARY_DOUBT, true },
		      { "bytes_live_lost",
			"    may have been freed while events were lost", UNIT_BYTES,
			net->lost, SUMMARY_DOUBT, true });
}

static void add_notes(const struct account_report *r, struct table *t)
{
	const struct page_totals *s = &accounts_of_page(r->lives)->totals;
	uint64_t hits = s->requests - s->failures;

	table_note_if(
		t, hits && s->without_stack == hits,
		"!No page allocation has a callchain, so the callsites are unknown. Record callchains with: kmemx record --page (trace-cmd record: -T)");
	other_frees_note(r->lives->filtered, s->other, t);
}

/* In a sample: totals of the rows are estimated; the others, which are not by unit, are unknown. */
static struct page_totals totals_of(const struct account_report *r)
{
	const struct page_lives *acc = accounts_of_page(r->lives);
	struct page_totals t = acc->totals;

	if (!account_report_estimates(r))
		return t;
	t.requests = t.pages = t.freed_pages = t.implicit_pages = 0;
	t.live_pages = t.live_blocks = t.without_stack = 0;
	for (size_t i = 0; i < lives_rows(&acc->any); i++)
		page_totals_add(&t, r->lives, i, lives_weight(r->lives, i));
	return t;
}

static const char *const unknown_of_sample[] = {
	"alloc_freed",	   "alloc_implicit", "frees",		"frees_matched",
	"frees_reordered", "frees_split",    "frees_merged",	"frees_unmatched",
	"frees_double",	   "frees_other",    "bytes_unmatched", "frees_batched",
};

static void add_intervals(const struct account_report *r, struct table *t)
{
	estimate_ends(&r->allocated, "bytes", "Total bytes allocated", false, t);
	estimate_ends(&r->living, "bytes_live", "  live at the end", true, t);
	estimate_summary(r->live ? &r->living : &r->allocated, r->live, t);
	table_blank_summary(t, unknown_of_sample, ARRAY_SIZE(unknown_of_sample));
}

static void add_counts(const struct account_report *r, const struct page_totals *s,
		       struct table *t, bool lossy)
{
	uint64_t size = r->env->page_size;

	TABLE_SUMMARY(
		t, lossy,
		{ "alloc_freed", "Allocations freed", UNIT_COUNT, s->alloc_freed },
		{ "alloc_implicit", "Allocations ended without an event", UNIT_COUNT,
		  s->implicit_blocks },
		{ "alloc_only", "Allocations live at the end (alloc-only)", UNIT_COUNT,
		  s->live_blocks, SUMMARY_USUAL, true },
		/* In a recording of some tasks it counts the frees of all tasks. */
		{ "frees", "Total free requested", UNIT_COUNT, s->frees,
		  r->lives->scope.part ? SUMMARY_DETAIL : SUMMARY_USUAL },
		{ "frees_matched", "  matched", UNIT_COUNT, s->matched },
		{ "frees_reordered",
		  "    seen before their allocation (clocks of CPUs differ)", UNIT_COUNT,
		  s->reordered },
		{ "frees_split", "  of part of a larger block (split)", UNIT_COUNT,
		  s->split },
		{ "frees_merged", "  of several blocks at once", UNIT_COUNT, s->merged },
		{ "frees_unmatched",
		  "  unmatched (free-only: allocated before, or in bulk)", UNIT_COUNT,
		  s->unmatched },
		{ "frees_double", "  of freed pages (freed twice, or allocated in bulk)",
		  UNIT_COUNT, s->again },
		{ "frees_other", other_frees_title(r->lives->filtered), UNIT_COUNT,
		  s->other },
		{ "bytes_unmatched", "Bytes freed without an allocation event",
		  UNIT_BYTES, (s->unmatched_pages + s->again_pages) * size,
		  SUMMARY_DOUBT },
		{ "frees_batched", "Frees announced as batched", UNIT_COUNT, s->batched },
		{ "without_stack", "Allocations without a callchain", UNIT_COUNT,
		  s->without_stack, SUMMARY_USUAL });
	TABLE_SUMMARY(t, false,
		      { "implausible",
			"Events with an impossible order or page, left out", UNIT_COUNT,
			s->implausible, SUMMARY_DOUBT });
}

void page_report_summary(const struct account_report *r, struct table *t)
{
	const struct page_totals totals = totals_of(r), *s = &totals;
	uint64_t size = r->env->page_size;
	bool lossy = s->losses != 0;

	add_notes(r, t);
	table_set_summary_title(t, "SUMMARY (%s)", memory_words(MEMORY_PAGE)->allocator);
	TABLE_SUMMARY(t, lossy,
		      { "requests", "Total alloc requested", UNIT_COUNT, s->requests,
			SUMMARY_TOTAL },
		      { "failures", "Total alloc failure", UNIT_COUNT, s->failures,
			SUMMARY_FAILED },
		      { "bytes_failed", "Bytes of failed requests", UNIT_BYTES,
			s->failed_pages * size },
		      { "bytes", "Total bytes allocated", UNIT_BYTES, s->pages * size,
			SUMMARY_TOTAL },
		      { "bytes_freed", "  freed", UNIT_BYTES, s->freed_pages * size,
			SUMMARY_TOTAL },
		      { "bytes_implicit",
			"  freed without an event (the page was allocated again)",
			UNIT_BYTES, s->implicit_pages * size, SUMMARY_DOUBT },
		      { "bytes_live", "  live at the end", UNIT_BYTES,
			s->live_pages * size, SUMMARY_TOTAL, true });
	add_parts(&r->net, t);
	add_counts(r, s, t, lossy);
	if (account_report_estimates(r))
		add_intervals(r, t);
}

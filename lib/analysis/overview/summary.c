// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * analysis: the first look at a recording.
 * In: the tables of the analyses behind stat, leaks and advise. Out: the table "summary": the three
 * callsites that allocated most, hold most, and grow most; the largest waste; failures; the first
 * advice.
 */

#include "analysis/analysis.h"
#include "analysis/bounds/bounds.h"
#include "analysis/filter/alloc_filter.h"
#include "analysis/overview/summary_rows.h"

extern const struct analysis analysis_slab, analysis_page, analysis_vmalloc,
	analysis_percpu_memory, analysis_leaks, analysis_advise;

/* One per kind of memory, in the order of enum memory; then those that need all frees. */
static const struct analysis *const parts[] = {
	&analysis_slab,		 &analysis_page,  &analysis_vmalloc,
	&analysis_percpu_memory, &analysis_leaks, &analysis_advise,
};

/**
 * struct summary - the analysis
 * @opts: options of @selves, the analyses that make the tables
 */
struct summary {
	const struct analysis_env *env;
	struct analysis_options opts;
	void *selves[ARRAY_SIZE(parts)];
};

static bool lost_events(const struct summary *s)
{
	uint64_t lost;

	return !bounds_lost(s->env->rec, event_stream_stats(s->env->stream), &lost) ||
	       lost;
}

/* Which areas are missing: " Not recorded: ...", or "". */
static const char *missing_areas(const struct analysis_env *env)
{
	bool vmalloc = analysis_recorded(env, NEEDS_VMALLOC);
	bool percpu = analysis_recorded(env, NEEDS_PERCPU);

	if (vmalloc)
		return percpu ? "" : " Not recorded: per-CPU.";
	return percpu ? " Not recorded: vmalloc." : " Not recorded: vmalloc, per-CPU.";
}

/* The events of kinds of memory of which frees are missing: what of these is live is unknown. */
static uint32_t unknown_live(const struct analysis_env *env)
{
	uint32_t missing = analysis_missing_frees(env), unknown = 0;

	if (recording_lacks_frees(env->rec))
		return NEEDS_MEMORY;
	for (int i = 0; i < MEMORY_KINDS; i++) {
		if (missing & analysis_memory((enum memory)i))
			unknown |= analysis_memory((enum memory)i);
	}
	return unknown;
}

/* The same in words: "slab, page". */
static void unknown_words(uint32_t unknown, struct strbuf *out)
{
	for (int i = 0; i < MEMORY_KINDS; i++) {
		if (unknown & analysis_memory((enum memory)i))
			strbuf_printf(out, "%s%s", out->size ? ", " : "",
				      memory_words((enum memory)i)->word);
	}
}

/* Notes what the summary is based on, and what is uncertain. @unknown: unknown_live(). @no_failure:
 * no page request failed.
 */
static void add_trust(const struct summary *s, uint32_t unknown, bool no_failure,
		      struct table *t)
{
	const char *areas = missing_areas(s->env);
	struct strbuf __auto_free words = { 0 };
	uint32_t types = analysis_seen(s->env);

	unknown_words(unknown, &words);
	/* Losses are noted above the table; lost events may include failed requests. */
	if (recording_lacks_frees(s->env->rec))
		table_add_note(
			t,
			"!Frees by other tasks or on other CPUs are missing: what is live, and what grows, is unknown.%s",
			areas);
	else if (unknown)
		table_add_note(
			t,
			"!Events of frees are missing (%s): what of these is live, and what grows, is unknown.%s",
			strbuf_text(&words), areas);
	else if (lost_events(s))
		table_add_note(
			t,
			"!Events were lost: what seems to live or grow may be freed (kmemx info).%s",
			areas);
	else
		table_add_note(
			t,
			no_failure
				? "No event was lost, all frees were recorded, and no page request failed.%s"
				: "No event was lost; all frees were recorded.%s",
			areas);
	if (!(types & (NEEDS_SLAB | NEEDS_PAGE)))
		table_add_note(t, "No slab or page events were recorded.");
	else if (!(types & NEEDS_SLAB) || !(types & NEEDS_PAGE))
		table_add_note(t, "No %s events were recorded (kmemx record --%s).",
			       types & NEEDS_SLAB ? "page" : "slab",
			       types & NEEDS_SLAB ? "page" : "slab");
}

/* Adds failures; failed slab requests have no size. */
static void add_failures(const struct report *from, struct table *t)
{
	const struct table *slab = report_table(from, "slab");

	for (size_t i = 0; slab && i < slab->nr_summary; i++) {
		const struct summary_item *item = &slab->summary[i];

		if (!strcmp(item->name, "allocs_failed") && item->value.u)
			table_add_note(
				t, "Slab requests that failed: %llu (kmemx stat --slab).",
				(unsigned long long)item->value.u);
	}
}

/* Copies the tables' warnings: notes that start with '!'. */
static void add_warnings(const struct report *from, struct table *t)
{
	static const char *const names[] = { "slab", "page", "vmalloc", "percpu_memory" };

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		const struct table *table = report_table(from, names[i]);

		for (size_t k = 0; table && k < table->nr_notes; k++)
			table_note_if(t, *table->notes[k] == '!', "%s", table->notes[k]);
	}
}

static void add_more(struct table *t)
{
	t->every_note = true;
	table_add_note(
		t,
		"More: kmemx stat (allocated), kmemx stat --live (live), kmemx leaks (grows/s),");
	table_add_note(
		t,
		"      kmemx stat --sizes (wasted), kmemx stat --page (failed), kmemx advise.");
}

static bool possible(const struct summary *s, size_t part)
{
	const struct alloc_filter *filter = s->env->filter;

	if (part >= MEMORY_KINDS)
		return !recording_lacks_frees(s->env->rec);
	return analysis_seen(s->env) & analysis_memory((enum memory)part) &&
	       !(filter && !filter->nr[part]);
}

/* For a sample. Advice compares the sample's figures with each other, so it is not scaled. */
static void show_intervals(struct table *t)
{
	table_show_column(t, "growth_min");
	table_show_column(t, "growth_max");
	table_add_note(
		t,
		"!Advice and failed requests are those of the recording, not estimates.");
}

static int show(const struct summary *s, const struct report *from, struct report *report)
{
	struct table *t = table_plain(report, &summary_type);
	uint32_t unknown = unknown_live(s->env);
	int ret;

	if (s->env->sample.one_in)
		show_intervals(t);
	ret = summary_add_largest(from, unknown, s->env->sample.one_in, t);
	if (!ret) {
		if (analysis_seen(s->env) & NEEDS_MEMORY & ~unknown)
			summary_note_growth(from, t);
		add_trust(s, unknown,
			  report_table(from, "page") &&
				  !report_table(from, "page_failed"),
			  t);
		add_warnings(from, t);
		add_failures(from, t);
		summary_add_advice(from, t);
		add_more(t);
	}
	return ret;
}

static int summary_view(const void *self, struct report *report)
{
	const struct summary *s = self;
	struct report *tables = report_new();
	int ret = tables ? 0 : -ENOMEM;

	for (size_t i = 0; i < ARRAY_SIZE(parts) && !ret; i++) {
		if (possible(s, i))
			ret = parts[i]->view(s->selves[i], tables);
	}
	if (!ret && !report_ok(tables))
		ret = -ENOMEM;
	/* Without tables there were no events; the command reports that. */
	if (!ret && tables->nr_tables)
		ret = show(s, tables, report);
	report_free(tables);
	return ret;
}

static void summary_observe(void *self, const struct kmem_event *evs, size_t nr)
{
	struct summary *s = self;

	for (size_t i = 0; i < ARRAY_SIZE(parts); i++) {
		if (parts[i]->observe)
			parts[i]->observe(s->selves[i], evs, nr);
	}
}

static void summary_end(void *self)
{
	struct summary *s = self;

	for (size_t i = 0; i < ARRAY_SIZE(parts); i++) {
		if (parts[i]->end)
			parts[i]->end(s->selves[i]);
	}
}

static void summary_destroy(void *self)
{
	struct summary *s = self;

	for (size_t i = 0; i < ARRAY_SIZE(parts); i++)
		analysis_free(parts[i], s->selves[i]);
}

static int summary_create(void *self, const struct analysis_env *env,
			  const struct analysis_options *opts)
{
	struct summary *s = self;
	int ret = 0;

	s->opts = (struct analysis_options){ .by_caller = true };
	for (size_t i = 0; i < ARRAY_SIZE(parts) && !ret; i++)
		ret = analysis_new(parts[i], env, &s->opts, &s->selves[i]);
	return ret;
}

const struct analysis analysis_summary = {
	.name = "summary",
	.help = "a first look: the largest of each kind",
	.use = ANALYSIS_COMMAND,
	.needs = NEEDS_MEMORY,
	.rows = ROWS(CALLSITE),
	.estimates = true,
	.tables = TABLES(&summary_type),
	ANALYSIS_SELF(struct summary),
	.create = summary_create,
	.observe = summary_observe,
	.joins = NEEDS_SLAB,
	.end = summary_end,
	.view = summary_view,
	.destroy = summary_destroy,
};

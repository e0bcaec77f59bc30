// SPDX-License-Identifier: GPL-2.0-or-later
#include "cmd/stat/stat_analyses.h"

#include "analysis/row/subject.h"
#include "cmd/options/message.h"

struct option_entry *stat_analyses_options(struct stat_analyses *a, enum analysis_use use)
{
	struct option_entry *first = &a->options[a->nr_options], *to = first;
	const struct analysis *analysis;

	for (size_t i = 0; (analysis = analysis_at(i)); i++) {
		bool everyday = use != ANALYSIS_ALONE && !analysis->seldom;

		if (analysis->use == use)
			*to++ = (struct option_entry){
				.type = OPTION_FLAG | (everyday ? OPTION_EVERYDAY : 0),
				.name = analysis->name,
				.value = &a->asked[i],
				.help = analysis->help
			};
	}
	*to++ = (struct option_entry){ .type = OPTION_END };
	a->nr_options += (size_t)(to - first);
	return first;
}

/* The index of the analysis @name, which exists. */
static size_t index_of(const char *name)
{
	const struct analysis *analysis = analysis_find(name);
	size_t i = 0;

	while (analysis_at(i) != analysis)
		i++;
	return i;
}

void *stat_analyses_own(struct stat_analyses *a, const char *name)
{
	return a->own[index_of(name)];
}

struct option_entry *stat_analyses_own_options(struct stat_analyses *a, const char *name)
{
	const struct analysis_option *opt = analysis_find(name)->options;
	struct option_entry *first = a->options + a->nr_options, *to = first;
	char *own = stat_analyses_own(a, name);

	for (; opt && opt->name; opt++)
		*to++ = (struct option_entry){
			.type = (opt->type == ANALYSIS_FLAG ? OPTION_FLAG
							    : OPTION_POSITIVE_DURATION) |
				(opt->seldom ? 0 : OPTION_EVERYDAY),
			.name = opt->name,
			.arg = opt->arg,
			.value = own + opt->at,
			.help = opt->help
		};
	*to++ = (struct option_entry){ .type = OPTION_END };
	a->nr_options += (size_t)(to - first);
	return first;
}

static bool is_given(const struct stat_analyses *a, size_t i,
		     const struct analysis_option *opt)
{
	const char *value = (const char *)a->own[i] + opt->at;

	return opt->type == ANALYSIS_FLAG ? *(const bool *)value
					  : *(const uint64_t *)value != 0;
}

/* The first of analysis @i's own options that was given (with @time, only those that are a time),
 * or NULL.
 */
static const char *first_given(const struct stat_analyses *a, size_t i, bool time)
{
	const struct analysis_option *opt = analysis_at(i)->options;

	for (; opt && opt->name; opt++) {
		if (is_given(a, i, opt) && (!time || opt->type == ANALYSIS_TIME))
			return opt->name;
	}
	return NULL;
}

bool stat_analyses_given(const struct stat_analyses *a, const char *option)
{
	const struct analysis_option *opt;

	for (size_t i = 0; analysis_at(i); i++) {
		for (opt = analysis_at(i)->options; opt && opt->name; opt++) {
			if (!strcmp(opt->name, option) && is_given(a, i, opt))
				return true;
		}
	}
	return false;
}

bool stat_analyses_of(const char *command, const struct analysis *analysis)
{
	if (analysis->use == ANALYSIS_COMMAND)
		return !strcmp(analysis->command ? analysis->command : analysis->name,
			       command);
	return !strcmp(command, "stat") && analysis_use_stat(analysis->use);
}

const struct analysis *stat_analyses_next(const char *command, size_t *i)
{
	const struct analysis *analysis;

	do
		analysis = analysis_at((*i)++);
	while (analysis && !stat_analyses_of(command, analysis));
	return analysis;
}

uint32_t stat_analyses_rows(const char *command)
{
	const struct analysis *analysis;
	uint32_t rows = 0;

	for (size_t i = 0; (analysis = stat_analyses_next(command, &i));)
		rows |= analysis->rows;
	return rows;
}

void stat_analyses_title(const struct analysis *analysis, char title[64])
{
	bool command = analysis->use == ANALYSIS_COMMAND;
	const char *option = command && analysis->command && analysis->tables[0]
				     ? analysis->tables[0]->option
				     : NULL;

	if (analysis->use == ANALYSIS_BESIDE) {
		snprintf(title, 64, "--by %s",
			 subjects_word((enum subject_kind)__builtin_ctz(analysis->rows)));
		return;
	}
	snprintf(title, 64, "%s%s%s%s", command ? "kmemx " : "--",
		 command && analysis->command ? analysis->command : analysis->name,
		 option ? " " : "", option ? option : "");
}

bool stat_analyses_asked(const struct stat_analyses *a, enum analysis_use use)
{
	return ANY(i, ANALYSES_MAX, a->asked[i] && analysis_at(i)->use == use);
}

/* Does @rows, a set of ROWS(), include all parts of @kind? */
static bool has_rows(uint32_t rows, enum subject_kind kind)
{
	return !kind || !(subject_rows(kind) & ~rows);
}

/* What rows of @analysis can stand for; if only pages are wanted, in its tables of pages. */
static uint32_t rows_of(const struct stat_analyses *a, const struct analysis *analysis)
{
	return a->opts.needs == NEEDS_PAGE ? analysis->rows & PAGE_ROWS : analysis->rows;
}

/* Is any analysis asked for a usual report (with @usual), or one with rows by @kind (without)? Also
 * true if none was asked for. *@asked: the last one asked for, or NULL.
 */
static bool any_asked(const struct stat_analyses *a, enum subject_kind kind, bool usual,
		      const struct analysis **asked)
{
	const struct analysis *analysis;
	bool any = false;

	*asked = NULL;
	for (size_t i = 0; (analysis = analysis_at(i)); i++) {
		if (!a->asked[i])
			continue;
		*asked = analysis;
		any |= usual ? analysis->use == ANALYSIS_USUAL
			     : analysis->rows && has_rows(rows_of(a, analysis), kind);
	}
	return any || !*asked;
}

/* Checks that an analysis asked for has rows by @kind, which @option asks for. */
static int check_kind(const struct stat_analyses *a, const char *option,
		      enum subject_kind kind, const char *command)
{
	const struct analysis *asked;
	unsigned int part = 0;
	bool slab;

	if (any_asked(a, kind, false, &asked))
		return GO_ON;
	while (has_rows(rows_of(a, asked), subject_part(kind, part)) &&
	       part + 1 < SUBJECT_ASKED_MAX)
		part++;
	slab = asked->needs & NEEDS_SLAB && a->opts.needs != NEEDS_PAGE;
	if (asked->rows)
		return message_fail(
			EXIT_USAGE, command, "%s: %s events do not name a %s", option,
			slab || !(asked->needs & NEEDS_PAGE) ? asked->name : "page",
			subjects_word(subject_part(kind, part)));
	return message_fail(EXIT_USAGE, command,
			    "%s cannot be used with --%s, which has its own rows", option,
			    asked->name);
}

static int check_rows(const struct stat_analyses *a, const char *command)
{
	const struct analysis_options *o = &a->opts;
	const struct analysis *asked;
	char words[SUBJECT_WORDS], by[SUBJECT_WORDS + 8];
	int ret = GO_ON;

	if (stat_analyses_asked(a, ANALYSIS_ALONE))
		return GO_ON;
	if (o->by) {
		snprintf(by, sizeof(by), "--by %s", subjects_words(o->by, words));
		ret = check_kind(a, by, o->by, command);
	}
	if (ret == GO_ON && o->by_caller)
		ret = check_kind(a, "--caller", SUBJECT_CALLSITE, command);
	if (ret != GO_ON || !o->by_address || any_asked(a, SUBJECT_NONE, true, &asked))
		return ret;
	return message_fail(
		EXIT_USAGE, command,
		"--alloc cannot be used with --%s, which does not distinguish objects",
		asked->name);
}

/* Checks --unmatched, which is only about slab objects. */
static int check_unmatched(const struct stat_analyses *a, const char *command)
{
	const struct analysis *analysis;
	bool asked = false;

	for (size_t i = 0; (analysis = analysis_at(i)); i++) {
		if (a->asked[i] && analysis->use == ANALYSIS_USUAL &&
		    analysis->needs & NEEDS_SLAB)
			return GO_ON;
		asked |= a->asked[i];
	}
	if (!stat_analyses_given(a, "unmatched") || !asked)
		return GO_ON;
	return message_fail(
		EXIT_USAGE, command,
		"--unmatched is about slab objects\n  Add --slab; --page always shows pages without an allocation event");
}

/* Checks options of analyses that only run if asked for by name. */
static int check_own(const struct stat_analyses *a, const char *command)
{
	const struct analysis *analysis;
	const char *given;

	for (size_t i = 0; (analysis = analysis_at(i)); i++) {
		given = a->asked[i] || analysis->use == ANALYSIS_USUAL
				? NULL
				: first_given(a, i, false);
		if (!given)
			continue;
		return message_fail(EXIT_USAGE, command, "--%s needs --%s", given,
				    analysis->name);
	}
	return GO_ON;
}

int stat_analyses_check(struct stat_analyses *a, bool time, const char *command)
{
	const struct analysis *analysis;
	char title[64];
	int ret = check_rows(a, command);

	ret = ret ?: check_unmatched(a, command);
	ret = ret ?: check_own(a, command);
	for (size_t i = 0; ret == GO_ON && (analysis = analysis_at(i)); i++) {
		if (!a->asked[i] || !analysis->all_time || !time)
			continue;
		stat_analyses_title(analysis, title);
		return message_fail(
			EXIT_USAGE, command,
			"%s needs the whole recording: %s\n  Leave out --time", title,
			analysis->all_time);
	}
	return ret;
}

static void take(struct stat_analyses *a, size_t i)
{
	a->chosen_own[a->nr] = a->own[i];
	a->chosen[a->nr++] = analysis_at(i);
}

/* If a usual analysis was chosen, also takes those that accompany its kind of rows. */
static void choose_beside(struct stat_analyses *a)
{
	const struct analysis *analysis;
	const bool usual = ANY(i, a->nr, a->chosen[i]->use == ANALYSIS_USUAL);

	for (size_t i = 0; usual && (analysis = analysis_at(i)); i++) {
		if (analysis->use == ANALYSIS_BESIDE && a->opts.by &&
		    analysis->rows == subject_rows(a->opts.by))
			take(a, i);
	}
}

/* Called if no analysis was asked for: takes the usual ones that have the rows asked for. */
static void choose_usual(struct stat_analyses *a)
{
	const struct analysis_options *o = &a->opts;
	const struct analysis *analysis;

	for (size_t i = 0; (analysis = analysis_at(i)); i++) {
		if (analysis->use != ANALYSIS_USUAL || analysis->needs & a->foreign)
			continue;
		if (o->by_caller || o->by_address ||
		    (has_rows(analysis->rows, o->by) &&
		     (!o->by_cache || has_rows(analysis->rows, SUBJECT_CACHE))))
			take(a, i);
	}
}

void stat_analyses_choose(struct stat_analyses *a)
{
	struct analysis_options *o = &a->opts;
	bool no_cache;

	for (size_t i = 0; analysis_at(i); i++) {
		if (a->asked[i])
			take(a, i);
	}
	if (stat_analyses_asked(a, ANALYSIS_ALONE))
		return;
	o->by_caller |= o->by == SUBJECT_CALLSITE;
	o->by_cache |= o->by == SUBJECT_CACHE;
	if (o->by == SUBJECT_CALLSITE || o->by == SUBJECT_CACHE)
		o->by = SUBJECT_NONE;
	if (!a->nr)
		choose_usual(a);
	choose_beside(a);
	no_cache =
		ANY(i, a->nr,
		    a->chosen[i]->rows && !has_rows(a->chosen[i]->rows, SUBJECT_CACHE));
	if (!o->by_address && !o->by && !o->tree.roots && (!o->by_cache || no_cache))
		o->by_caller = true;
}

/* Says what fact about the system the recording at @path @lacks, and how to get it. */
static int lacks_fact(const struct recording *rec, const char *path, const char *lacks,
		      const char *record, const char *command)
{
	if (recording_meta(rec, RECORDING_META_PART))
		return message_fail(
			EXIT_FAILED, command,
			"%s %s\n  It is part of a recording, and kmemx split leaves out what describes the whole: use the whole recording",
			path, lacks);
	return message_fail(EXIT_FAILED, command,
			    "%s %s\n  Record with: sudo kmemx record%s%s -- CMD", path,
			    lacks, record ? " " : "", record ? record : "");
}

int stat_analyses_possible(const struct stat_analyses *a, const struct recording *rec,
			   const char *path, const char *command)
{
	const char *frees = a->opts.live ? "live" : NULL, *kind = "--", *lacks;
	const char *time = NULL;
	char title[64];

	for (size_t i = 0; i < a->nr; i++) {
		stat_analyses_title(a->chosen[i], title);
		if (a->chosen[i]->unsampled && recording_meta(rec, RECORDING_META_SAMPLE))
			return message_fail(
				EXIT_FAILED, command,
				"%s is only a sample of all objects and pages, not enough for %s: %s\n  Record all events: leave out --sample",
				path, title, a->chosen[i]->unsampled);
		lacks = a->chosen[i]->lacks ? a->chosen[i]->lacks(rec) : NULL;
		if (lacks)
			return lacks_fact(rec, path, lacks, a->chosen[i]->record,
					  command);
		if (!a->chosen[i]->all_frees || frees)
			continue;
		frees = a->chosen[i]->command ? a->chosen[i]->command
					      : a->chosen[i]->name;
		if (a->chosen[i]->use == ANALYSIS_COMMAND)
			kind = "kmemx ";
	}
	for (size_t i = 0; !time && analysis_at(i); i++)
		time = first_given(a, i, true);
	if (time && !recording_clocks_are_ns(rec))
		return message_fail(
			EXIT_FAILED, command,
			"--%s: the clock of %s does not count nanoseconds\n  Leave it out: times are in the clock's units then",
			time, path);
	if (!frees || !recording_lacks_frees(rec))
		return GO_ON;
	return message_fail(
		EXIT_FAILED, command,
		"%s lacks frees by other tasks or on other CPUs: %s%s cannot tell what is live\n  Record all frees: leave out --filter-frees. If it is a part by CPU: use the whole recording, with --cpu",
		path, kind, frees);
}

uint32_t stat_analyses_need(const struct stat_analyses *a)
{
	uint32_t needs = 0;

	for (size_t i = 0; i < a->nr; i++)
		needs |= a->chosen[i]->needs;
	return needs;
}

static void banner_frees(uint32_t missing, struct report *report)
{
	struct strbuf __auto_free names = { 0 };

	for_each(event, free_events, FREE_EVENTS) {
		if (missing & event->type)
			strbuf_printf(&names, "%s%s", names.size ? ", " : "",
				      event->name);
	}
	report_banner_if(
		report, names.size, true,
		"NO FREES by %s: none occurred, or they were not recorded. What seems to live may be freed",
		strbuf_text(&names));
}

void stat_analyses_banner(const struct stat_analyses *a, uint32_t seen, uint32_t missing,
			  struct report *report)
{
	size_t asked = 0;

	for (size_t i = 0; analysis_at(i); i++)
		asked += a->asked[i];
	for (int k = 0; k < MEMORY_KINDS; k++) {
		const struct memory_words *words = memory_words((enum memory)k);
		const uint32_t of = analysis_memory((enum memory)k);
		const bool named = a->opts.needs & of && a->opts.needs & ~of;

		if ((named && !(seen & of)) ||
		    (asked > 1 &&
		     ANY(i, a->nr,
			 a->chosen[i]->needs && !(a->chosen[i]->needs & (seen | ~of)))))
			report_add_banner(
				report, true,
				"No %s events were recorded (kmemx record --%s)",
				words->word, words->option);
	}
	banner_frees(missing & stat_analyses_need(a), report);
}

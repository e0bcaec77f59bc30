// SPDX-License-Identifier: GPL-2.0-or-later
#include "analysis/overview/summary_rows.h"

#include "analysis/analysis.h"
#include "analysis/life/growth.h"
#include "analysis/row/subject.h"
#include "base/keyed.h"

/* Rows of each kind. */
#define LARGEST 3

/* A search for the largest numbers of a column.
 * @about: the row's word; @more: the command that shows more
 * @of: table names, by enum memory; NULL: none. @column: the numbers; @less: what is subtracted
 *	from them; NULL: nothing
 * @low, @high: columns of their intervals; NULL: none
 * @largest: how many rows
 * @live: it needs all frees
 */
struct subject_of {
	const char *about, *more;
	const char *of[MEMORY_KINDS];
	const char *column, *less, *low, *high;
	unsigned int largest;
	bool live;
};

enum { ALLOCATED, LIVE, GROWTH, WASTED, FAILED };

static const struct subject_of subjects[] = {
	[ALLOCATED] = { .about = "allocated",
			.more = "kmemx stat",
			.of = { "slab", "page", "vmalloc", "percpu_memory" },
			.column = "bytes",
			.low = "bytes_low",
			.high = "bytes_high",
			.largest = LARGEST },
	[LIVE] = { .about = "live",
		   .more = "kmemx stat --live",
		   .of = { "slab", "page", "vmalloc", "percpu_memory" },
		   .column = "net_estimate",
		   .less = "net_cache",
		   .low = "net_min",
		   .high = "net_max",
		   .largest = LARGEST,
		   .live = true },
	[GROWTH] = { .about = "growth",
		     .more = "kmemx leaks",
		     .of = { "leaks", "leaks_page", "leaks_vmalloc",
			     "leaks_percpu_memory" },
		     .column = "growth",
		     .low = "growth_min",
		     .high = "growth_max",
		     .largest = LARGEST,
		     .live = true },
	[WASTED] = { .about = "wasted",
		     .more = "kmemx stat --sizes",
		     .of = { [MEMORY_SLAB] = "slab" },
		     .column = "waste",
		     .largest = 1 },
	[FAILED] = { .about = "failed",
		     .more = "kmemx stat --page",
		     .of = { [MEMORY_PAGE] = "page_failed" },
		     .column = "bytes",
		     .largest = 1 },
};

/* What the kernel can reclaim, of all callsites together. */
static const struct subject_of cache = {
	.about = "cache",
	.more = "kmemx leaks",
	.of = { [MEMORY_SLAB] = "slab", [MEMORY_PAGE] = "page" },
	.column = "net_cache",
	.largest = 1,
	.live = true,
};

/* The first row of the table "advice". */
static const struct subject_of advice = {
	.about = "advice",
	.more = "kmemx advise",
	.of = { "advice" },
	.column = "bytes",
	.largest = 1,
	.live = true,
};

/* A callsite and its figures. */
struct site {
	const char *name; /* a text of the tables */
	uint64_t bytes, hit;
	uint64_t least, most; /* the interval, if the row has one */
	enum memory memory;
	uint64_t total; /* of all callsites in its table */
};

/* A row's data. @site: NULL: not known. */
struct summary_row {
	const struct subject_of *subject;
	const struct site *site;
	const struct site *counted;  /* @site, if its @hit is known; else NULL */
	const struct site *interval; /* @site, if its @least and @most are; else NULL */
};

struct sites_found {
	struct site *sites;
	size_t nr;
};

/* --- cells ------------------------------------------------------------------------------ */

CELL_IF(cell_of, struct summary_row, r->subject != &advice,
	cell_text(t, memory_words(r->site->memory)->word))

/* Not all advice is about bytes. */
CELL_IF(cell_bytes, struct summary_row, r->subject != &advice || r->site->bytes,
	cell_uint(r->site->bytes))

CELL_IF(cell_part, struct summary_row, r->site->total,
	cell_real((double)r->site->bytes * 100.0 / (double)r->site->total))

/* Growth is a rate, not a sum: text shows that. */
static const char *spell_about(const char *word)
{
	return strcmp(word, "growth") ? word : "grows/s";
}

static const struct column_type columns[] = {
	{ COLUMN("about", "What", UNIT_NONE,
		 "allocated; live: the best estimate of live bytes, without caches; cache: live bytes that the kernel gives back when it needs memory, of all callsites; growth: bytes a second by which live bytes grow; wasted: by internal fragmentation; failed: requests that the kernel refused; advice: what the first advice would save.",
		 .spell = spell_about),
	  MEMBER_OF(struct summary_row, subject, about) },
	{ COLUMN("of", "Of", UNIT_NONE,
		 "slab, page, vmalloc or percpu. The pages of slabs, of areas and of per-CPU memory that have an event are in page, too. Of advice none."),
	  .fill = cell_of },
	{ COLUMN("bytes", "Bytes", UNIT_BYTES, "Bytes of the callsite.", .level = true),
	  .fill = cell_bytes },
	{ COLUMN("part", "Part", UNIT_SHARE,
		 "Its part of the bytes of all callsites, of that kind of memory.",
		 .level = true, .drop = 50),
	  .fill = cell_part },
	{ COLUMN("hit", "Hit", UNIT_COUNT,
		 "Allocations; none where bytes are not of all of these.", .level = true,
		 .drop = 60),
	  MEMBER_OF(struct summary_row, counted, hit) },
	{ COLUMN("growth_min", "From", UNIT_BYTES,
		 "Of growth, and of what is estimated from a sample, the interval (95 %): at least.",
		 .level = true, .hidden = true),
	  MEMBER_OF(struct summary_row, interval, least) },
	{ COLUMN("growth_max", "To", UNIT_BYTES, "The same: at most.", .level = true,
		 .hidden = true),
	  MEMBER_OF(struct summary_row, interval, most) },
	{ COLUMN("more", "More", UNIT_NONE, "The command that shows more of it.",
		 .hidden = true),
	  MEMBER_OF(struct summary_row, subject, more) },
	{ COLUMN("callsite", "Callsite", UNIT_NONE, "The function that allocated.",
		 .last = true),
	  MEMBER_OF(struct summary_row, site, name) },
	COLUMNS_END,
};

const struct table_type summary_type = {
	.name = "summary",
	.title = "The largest, by callsite",
	.help = "the callsites that allocated most, hold most, grow most and waste most; failures; the first advice",
	.columns = columns,
};

/* --- what the tables say ---------------------------------------------------------------- */

static uint64_t cell_number(const struct table *t, size_t row, int column)
{
	const struct cell *c = table_cell(t, row, column);

	if (c && c->type == CELL_INT)
		return c->i > 0 ? (uint64_t)c->i : 0;
	return table_uint(t, row, column);
}

/* Does the row's live memory grow, by the table's verdict? */
static bool grows(const struct table *t, size_t row)
{
	int column = table_column(t, "verdict");

	return column < 0 || !strcmp(table_text(t, row, column), "grows");
}

/* Adds the callsites of @t, each once: rows of pages also differ in order and migratetype. */
static int add_sites(struct sites_found *found, const struct table *t,
		     const struct subject_of *subject, enum memory memory)
{
	int value = table_column(t, subject->column), hit = table_column(t, "hit");
	int less = subject->less ? table_column(t, subject->less) : -1;
	int name = table_column(t, "callsite");
	int least = subject->low ? table_column(t, subject->low) : -1;
	int most = subject->high ? table_column(t, subject->high) : -1;
	KEYED(struct site) sites = { .nr = 0 };
	uint64_t total = 0;
	int ret = 0;

	for (size_t i = 0; i < t->nr_rows && value >= 0 && name >= 0 && !ret; i++) {
		const struct cell *c = table_cell(t, i, name);
		uint64_t bytes = cell_number(t, i, value) - cell_number(t, i, less);
		struct site *site;
		uint32_t id;

		if (c->type != CELL_TEXT || !bytes || !grows(t, i))
			continue;
		id = KEYED_ID_OF(&sites, c->s, strlen(c->s));
		if (!id) {
			ret = -ENOMEM;
			break;
		}
		site = &sites.of[id - 1];
		site->name = c->s;
		site->bytes += bytes;
		site->hit += cell_number(t, i, hit);
		site->least += cell_number(t, i, least);
		site->most += cell_number(t, i, most);
		site->memory = memory;
		total += bytes;
	}
	for (size_t i = 0; i < sites.nr && !ret; i++) {
		sites.of[i].total = total;
		ret = ARRAY_ADD(found->sites, found->nr, sites.of[i]);
	}
	KEYED_FREE(&sites);
	return ret;
}

/* The largest first; equal ones by name. */
ORDER(by_size, struct site, DOWN(bytes) ?: strcmp(x->name, y->name))

/* @unknown: the events of kinds of memory that are left out. */
static int add_subject(const struct subject_of *subject, const struct report *from,
		       uint32_t unknown, bool estimated, struct table *to)
{
	struct sites_found found = { 0 };
	int ret = 0, memory;

	for (memory = 0; memory < MEMORY_KINDS && !ret; memory++) {
		const struct table *t = report_table(from, subject->of[memory]);

		if (t && !(unknown & analysis_memory((enum memory)memory)))
			ret = add_sites(&found, t, subject, (enum memory)memory);
	}
	if (!ret && found.nr)
		qsort(found.sites, found.nr, sizeof(*found.sites), by_size);
	for (size_t i = 0; i < found.nr && i < subject->largest && !ret; i++) {
		bool growth = subject == &subjects[GROWTH];
		bool interval = growth || (estimated && subject->low);
		struct site *site = &found.sites[i];
		struct summary_row row = { subject, site,
					   !strcmp(subject->column, "bytes") ? site
									     : NULL,
					   interval ? site : NULL };

		/* A slope has no share in a sum. */
		if (growth)
			site->total = 0;
		table_put_row(to, &row);
	}
	free(found.sites);
	return ret;
}

/* Adds what the kernel can reclaim: a row for slab objects, a row for pages. */
static void add_cache(const struct report *from, uint32_t unknown, struct table *to)
{
	for (int i = 0; i < MEMORY_KINDS; i++) {
		const struct table *t = report_table(from, cache.of[i]);
		struct site site = { .memory = (enum memory)i };
		const struct summary_row row = { &cache, &site, NULL, NULL };

		if (unknown & analysis_memory((enum memory)i))
			continue;
		for (size_t k = 0; t && k < t->nr_rows; k++)
			site.bytes += cell_number(t, k, table_column(t, cache.column));
		if (site.bytes)
			table_put_row(to, &row);
	}
}

int summary_add_largest(const struct report *from, uint32_t unknown, bool estimated,
			struct table *to)
{
	int ret = 0;

	for (size_t i = 0; i < ARRAY_SIZE(subjects) && !ret; i++) {
		ret = add_subject(&subjects[i], from, subjects[i].live ? unknown : 0,
				  estimated, to);
		if (!ret && subjects[i].less)
			add_cache(from, unknown, to);
	}
	return ret;
}

static const char *text_at(const struct table *t, size_t row, const char *column)
{
	return table_text(t, row, table_column(t, column));
}

/* Notes "Growth is uncertain (95 %): kstrdup 306 to 1314." for rows whose growth may be at most
 * half or at least twice as much. Returns the number of growth rows.
 */
static size_t note_intervals(struct table *t)
{
	int value = table_column(t, "bytes"), least = table_column(t, "growth_min");
	int most = table_column(t, "growth_max");
	struct strbuf __auto_free text = { 0 };
	size_t nr = 0, i;

	for (i = 0; i < t->nr_rows; i++) {
		uint64_t bytes = cell_number(t, i, value), low = cell_number(t, i, least);
		uint64_t high = cell_number(t, i, most);

		if (strcmp(text_at(t, i, "about"), "growth"))
			continue;
		nr++;
		if (low > bytes / 2 && high / 2 < bytes)
			continue;
		strbuf_printf(&text, "%s %s %" PRIu64 " to %" PRIu64,
			      text.size ? "," : ":", text_at(t, i, "callsite"), low,
			      high);
	}
	table_note_if(t, text.size, "Growth is uncertain (95 %%)%s bytes/s.",
		      strbuf_text(&text));
	t->failed |= text.failed;
	return nr;
}

/* Is there growth, or may there be some? */
static enum growth_verdict verdict_of(const struct report *from)
{
	enum growth_verdict verdict = GROWTH_STEADY;

	for (size_t i = 0; i < MEMORY_KINDS; i++) {
		const struct table *t = report_table(from, subjects[GROWTH].of[i]);

		for (size_t k = 0; t && k < t->nr_rows; k++) {
			const char *word = text_at(t, k, "verdict");

			if (!strcmp(word, growth_verdict_word(GROWTH_GROWS)))
				return GROWTH_GROWS;
			if (!strcmp(word, growth_verdict_word(GROWTH_TOO_SHORT)))
				verdict = GROWTH_TOO_SHORT;
		}
	}
	return verdict;
}

void summary_note_growth(const struct report *from, struct table *to)
{
	enum growth_verdict verdict;

	if (note_intervals(to))
		return;
	verdict = verdict_of(from);
	if (verdict == GROWTH_GROWS)
		table_add_note(
			to,
			"Live bytes grow; how fast is unknown: the clock does not count nanoseconds.");
	else if (verdict == GROWTH_TOO_SHORT)
		table_add_note(
			to,
			"Nothing is seen to grow; of some callsites it is too short to tell.");
	else
		table_add_note(to, "Nothing is seen to grow.");
}

/* The row with the largest saving; among equal ones, that with most allocations. */
static size_t first_advice(const struct table *t)
{
	int bytes = table_column(t, "bytes"), hit = table_column(t, "hit");
	size_t best = 0, i;

	for (i = 1; i < t->nr_rows; i++) {
		uint64_t size = cell_number(t, i, bytes),
			 most = cell_number(t, best, bytes);

		if (size > most ||
		    (size == most && cell_number(t, i, hit) > cell_number(t, best, hit)))
			best = i;
	}
	return best;
}

void summary_add_advice(const struct report *from, struct table *to)
{
	const struct table *t = report_table(from, advice.of[0]);
	size_t first = t && t->nr_rows ? first_advice(t) : 0;
	struct site site = { 0 };
	const struct summary_row row = { &advice, &site, &site, NULL };

	if (!t || !t->nr_rows)
		return;
	site = (struct site){ .name = text_at(t, first, "callsite"),
			      .bytes = cell_number(t, first, table_column(t, "bytes")),
			      .hit = cell_number(t, first, table_column(t, "hit")) };
	table_put_row(to, &row);
	table_add_note(to, "Advice, %s: %s.", text_at(t, first, "finding"),
		       text_at(t, first, "evidence"));
}

// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * analysis: who owns all memory, each byte once.
 * In: the balance's lines, the kernel's lists, and what events explain. Out: table "everything",
 * whose rows add up to MemTotal.
 */
#include "analysis/balance/balance.h"

#include "recording/snapshot.h"

#define UNKNOWN "unknown"

/* --- cells ------------------------------------------------------------------------------ */

/* Shares need unsigned numbers. */
SHARED_CELL(everything_bytes, struct held_row,
	    r->bytes < 0 ? cell_int(r->bytes) : cell_uint((uint64_t)r->bytes))

static const struct column_type columns[] = { EVERYTHING_COLUMNS(
	"Bytes after the recording. Less than 0: what other rows of the line have too much.",
	"What names the owner: slabinfo, vmallocinfo, page_owner, or events of the recording. counter: the memory is free. kpageflags: it was allocated before the recording, and has no name. unknown: that, or it has no event.",
	"The balance's line that has these bytes.",
	"The callsite, the slab cache, or the function that called vmalloc.") };

const struct table_type everything_type = {
	.name = "everything",
	.help = "who owns all memory after the recording, each byte once; with --all",
	.title = "Owners of all memory after the recording",
	.by = "owner",
	.sort = "bytes",
	.option = "--all",
	.columns = columns,
};

/* --- rows ------------------------------------------------------------------------------- */

static bool is_slab(const char *line)
{
	return strncmp(line, "slab", 4) == 0;
}

/* If the lists do not say which caches are reclaimable, both slab lines are one. */
static const char *line_of(const struct everything *e, const char *line)
{
	return e->one_slab && is_slab(line) ? "slab" : line;
}

/* What names the owners of @row's line: the source of its first row. */
static const char *source_of(struct everything *e, const struct held_row *row)
{
	const char *line = line_of(e, row->line);
	size_t i = 0;

	while (i < e->nr_lines && strcmp(e->lines[i].name, line) != 0)
		i++;
	if (i == ARRAY_SIZE(e->lines))
		return row->known_by;
	if (i == e->nr_lines)
		e->lines[e->nr_lines++] = (struct everything_line){ line, row->known_by };
	return e->lines[i].known_by;
}

/* Adds @row to its line. */
static int append(struct everything *e, struct held_row row)
{
	row.line = line_of(e, row.line);
	return held_rows_add(&e->rows, &row);
}

int everything_begin(struct everything *e, const struct analysis_env *env)
{
	struct held_rows held = { .rows.nr = 0 };
	int ret = holders_read(env, &held);
	size_t i;

	*e = (struct everything){ .env = env };
	for (i = 0; i < held.rows.nr; i++)
		e->one_slab |= !strcmp(held.rows.of[i].line, "slab");
	for (i = 0; i < held.rows.nr && !ret; i++)
		if (held.rows.of[i].bytes)
			ret = everything_add(e, &held.rows.of[i]);
	held_rows_free(&held);
	return ret;
}

/* Only page_owner's stacks have these functions. */
static bool is_page_owners_own(const char *function)
{
	return !strcmp(function, "post_alloc_hook") || !strcmp(function, "prep_new_page");
}

void everything_owner(const struct analysis_env *env, const char *names, size_t len,
		      char owner[256])
{
	const char *at = names, *end = at + len;

	snprintf(owner, 256, "[no stack]");
	while (at < end) {
		size_t part = strcspn(at, " \n");

		snprintf(owner, 256, "%.*s", (int)part, at);
		if (!is_page_owners_own(owner) &&
		    (!env->rule || !callsite_rule_skips(env->rule, owner)))
			return;
		at += part + 1;
	}
}

int everything_page_owner(struct everything *e, const struct page_uses *uses)
{
	const char *text =
		recording_meta_text(e->env->rec, RECORDING_META_PAGE_OWNER ".after");
	struct page_owner_line line;
	char owner[256];
	int ret = 0;

	while (!ret && page_owner_next(&text, &line)) {
		struct held_row row = { .owner = owner, .known_by = KNOWN_BY_PAGE_OWNER };

		everything_owner(e->env, line.names, line.len, owner);
		row.line = memory_line_of(
			page_use_named(uses, line.gfp_flags, line.names, line.len));
		row.bytes = (int64_t)(line.pages * e->env->page_size);
		e->page_owner = true;
		ret = everything_add(e, &row);
	}
	return ret;
}

static bool of_pages(const char *known_by)
{
	return !strcmp(known_by, KNOWN_BY_PAGE_OWNER) ||
	       !strcmp(known_by, KNOWN_BY_FLAGS) || !strcmp(known_by, KNOWN_BY_EVENTS);
}

/* Pages that are left from before the recording have no event, so a line can have these and pages
 * with an event. page_owner's list from after the recording has all pages: others are not added.
 */
int everything_add(struct everything *e, const struct held_row *row)
{
	const char *source = source_of(e, row);

	if (strcmp(source, row->known_by) != 0 &&
	    (e->page_owner || !of_pages(source) || !of_pages(row->known_by)))
		return 0;
	return append(e, *row);
}

int everything_end_line(struct everything *e, const char *line, int64_t bytes,
			const char *known_by)
{
	struct held_row row = { .line = line_of(e, line),
				.owner = "[unknown]",
				.known_by = UNKNOWN };
	uint64_t rest = (uint64_t)bytes; /* may wrap if a file is damaged */

	if (e->one_slab && is_slab(line)) {
		rest += e->slab;
		e->slab = rest;
		if (!strcmp(line, "slab_reclaimable"))
			return 0; /* the other line comes next */
	}
	if (known_by) {
		row.known_by = known_by;
		row.owner = "[free]";
	}
	for (size_t i = 0; i < e->rows.rows.nr; i++)
		if (!strcmp(e->rows.rows.of[i].line, row.line))
			rest -= (uint64_t)e->rows.rows.of[i].bytes;
	row.bytes = (int64_t)rest;
	if (row.bytes < 0)
		row.owner = "[too much, in another line]";
	return row.bytes ? append(e, row) : 0;
}

/* --- the table -------------------------------------------------------------------------- */

static void add_summary(const struct everything *e, int64_t total, struct table *t)
{
	uint64_t unknown = 0;

	for (size_t i = 0; i < e->rows.rows.nr; i++)
		if (!strcmp(e->rows.rows.of[i].known_by, UNKNOWN) ||
		    !strcmp(e->rows.rows.of[i].known_by, KNOWN_BY_FLAGS))
			unknown += (uint64_t)e->rows.rows.of[i].bytes;
	table_set_summary_title(t, "SUMMARY (owners of all memory)");
	TABLE_SUMMARY(
		t, false,
		{ "total", "MemTotal", UNIT_BYTES, (uint64_t)total, SUMMARY_TOTAL },
		{ "known", "With an owner, or free", UNIT_BYTES,
		  (uint64_t)total - unknown, SUMMARY_TOTAL },
		{ "unknown", "Of unknown owners", UNIT_BYTES, unknown, SUMMARY_DOUBT });
}

void everything_report(struct everything *e, int64_t total, struct report *report)
{
	struct table *t = table_plain(report, &everything_type);

	for (size_t i = 0; i < e->rows.rows.nr; i++)
		table_put_row(t, &e->rows.rows.of[i]);
	add_summary(e, total, t);
}

void everything_free(struct everything *e)
{
	held_rows_free(&e->rows);
}

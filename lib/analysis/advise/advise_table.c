// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * analysis: the rows of advice.
 * In: findings. Out: rows, each with the command that shows more.
 */

#include "analysis/advise/advise.h"
#include "base/safe_text.h"
#include "symbol/callsite.h"

struct advice_row {
	const struct advise_view *v;
	const struct finding *f;
};

/* --- cells ------------------------------------------------------------------------------ */

CELL(cell_kind, struct advice_row, cell_text(t, r->v->kind->name))
CELL(cell_callsite, struct advice_row,
     r->f->task.size ? cell_of_strbuf(&r->f->task, t)
		     : sites_cell(&r->v->a->sites, r->f->site, t))
CELL_IF(cell_freed_by, struct advice_row, r->f->freed_by,
	sites_cell(&r->v->a->sites, r->f->freed_by - 1, t))

/* Functions skipped to find the callsites: " --skip-func wrappers". Only stat has the option. */
static void add_skipped(const struct advice_row *r, struct strbuf *text)
{
	const char *word;

	if (strncmp(r->v->kind->more, "stat ", strlen("stat ")) != 0)
		return;
	for (uint32_t i = 0; (word = callsite_rule_added(r->v->a->env->rule, i)); i++) {
		strbuf_puts(text, " --skip-func ");
		shell_word(text, word, strlen(word));
	}
}

/* "kmemx stat --sizes --callsite kstrdup" */
static void add_callsite(const struct advice_row *r, struct strbuf *text)
{
	struct strbuf __auto_free name = { 0 };
	char *module;

	sites_name(&r->v->a->sites, r->f->site, &name);
	strbuf_printf(text, "kmemx %s", r->v->kind->more);
	add_skipped(r, text);
	strbuf_puts(text, " --callsite ");
	/* The option takes the function without its module. */
	module = strstr(strbuf_text(&name), " [");
	shell_word(text, strbuf_text(&name),
		   module ? (size_t)(module - strbuf_text(&name)) : name.size);
	text->failed |= name.failed;
}

/* The command for more, from add_callsite() or from the finding, and " -i 'my file'". */
static struct cell cell_more(const void *row, struct table *t)
{
	const struct advice_row *r = row;
	struct strbuf __auto_free text = { 0 };

	if (r->f->more.size)
		strbuf_printf(&text, "kmemx %s", strbuf_text(&r->f->more));
	else
		add_callsite(r, &text);
	strbuf_puts(&text, " -i ");
	shell_word(&text, r->v->a->env->rec->path, strlen(r->v->a->env->rec->path));
	return cell_of_strbuf(&text, t);
}

static const struct column_type columns[] = {
	{ COLUMN("bytes", "Saves", UNIT_BYTES,
		 "Bytes that it would save when most of these objects were live; none where it is not about bytes. Findings can be about the same objects: the numbers do not add up.",
		 .level = true),
	  .none_if_0 = true, MEMBER_OF(struct advice_row, f, bytes) },
	{ COLUMN("hit", "Hit", UNIT_COUNT,
		 "Allocations that it is about, or frees of pages.", .drop = 40,
		 .level = true),
	  MEMBER_OF(struct advice_row, f, hit) },
	{ COLUMN("live", "Live", UNIT_COUNT,
		 "Of their objects, how many were live at once, at most.", .drop = 30,
		 .level = true),
	  .none_if_0 = true, MEMBER_OF(struct advice_row, f, live) },
	{ COLUMN("bytes_req", "Req", UNIT_BYTES, "Bytes asked for each of them.",
		 .drop = 50, .level = true),
	  .none_if_0 = true, MEMBER_OF(struct advice_row, f, bytes_req) },
	{ COLUMN("object", "Object", UNIT_BYTES, "Bytes that each of them takes.",
		 .drop = 60, .level = true),
	  .none_if_0 = true, MEMBER_OF(struct advice_row, f, object) },
	{ COLUMN("better", "Could_be", UNIT_BYTES, "Bytes that each of them would take.",
		 .drop = 70, .level = true),
	  .none_if_0 = true, MEMBER_OF(struct advice_row, f, better) },
	{ COLUMN("finding", "Finding", UNIT_NONE, "What kind of advice it is."),
	  .fill = cell_kind },
	{ COLUMN("callsite", "Callsite", UNIT_NONE,
		 "The function that allocated, or that freed pages; \"task NAME-PID\" where no callchain says which.",
		 .last = true),
	  .fill = cell_callsite },
	{ COLUMN("freed_by", "Freed_by", UNIT_NONE,
		 "The function that freed most of these objects, where it is about that.",
		 .hidden = true),
	  .fill = cell_freed_by },
	{ COLUMN("evidence", "Evidence", UNIT_NONE, "What was seen.", .remark = true),
	  MEMBER_OF(struct advice_row, f, evidence) },
	{ COLUMN("arithmetic", "Arithmetic", UNIT_NONE, "How the bytes are computed.",
		 .remark = true),
	  MEMBER_OF(struct advice_row, f, arithmetic) },
	{ COLUMN("merge", "Merged", UNIT_NONE,
		 "Whether SLUB would make the new cache another name of one that is there.",
		 .remark = true),
	  MEMBER_OF(struct advice_row, f, merge) },
	{ COLUMN("doubt", "Doubt", UNIT_NONE,
		 "Why the number may be another, and what the events do not say.",
		 .remark = true),
	  MEMBER_OF(struct advice_row, f, doubt) },
	{ COLUMN("more", "More", UNIT_NONE, "The command that shows more of it.",
		 .remark = true),
	  .fill = cell_more },
	COLUMNS_END,
};

const struct table_type advice_type = {
	.name = "advice",
	.help = "findings, the best first",
	.title = "Advice",
	.by = "finding",
	.sort = "bytes,hit",
	.columns = columns,
};

int advise_add(struct advise_view *v, struct finding *f)
{
	const struct advice_row row = { v, f };
	bool added;

	if (v->sample.one_in)
		strbuf_printf(
			&f->doubt,
			"%scounts and bytes are those of a sample of one in %" PRIu32,
			f->doubt.size ? "; " : "", v->sample.one_in);
	added = table_put_row(v->t, &row);

	strbuf_free(&f->task);
	strbuf_free(&f->more);
	strbuf_free(&f->evidence);
	strbuf_free(&f->arithmetic);
	strbuf_free(&f->doubt);
	strbuf_free(&f->merge);
	v->nr_findings++;
	return added ? 0 : -ENOMEM;
}

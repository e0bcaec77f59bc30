// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * analysis: the table of pageblocks that fallbacks split.
 * In: fallbacks and pageblocks from frag.c. Out: table "frag_block".
 */

#include "analysis/kernel/frag.h"
#include "base/array.h"

/* The callsite in stack @id; each stack is resolved once. 0 or -ENOMEM. */
static int callsite_of(struct frag_view *v, uint32_t id, uint64_t *callsite)
{
	uint32_t *place = u64_map_insert(&v->known, id, (uint32_t)v->nr_callsites);

	if (!place || array_reserve(&v->callsites, &v->callsites_capacity,
				    v->nr_callsites + 1, sizeof(*v->callsites)))
		return -ENOMEM;
	if (*place == v->nr_callsites)
		v->callsites[v->nr_callsites++] = sites_of_stack(&v->sites, id);
	*callsite = v->callsites[*place];
	return 0;
}

uint32_t frag_view_subject(struct frag_view *v, const struct frag_event *e)
{
	const struct kmem_event ev = {
		.type = KMEM_PAGE_ALLOC,
		.ts = e->ts,
		.stack = e->stack,
		.pid = e->pid,
		.cpu = e->cpu,
	};
	struct subject who = { .stack = e->stack,
			       .dims = dimension_values_of(&v->dims, &ev) };

	if (callsite_of(v, e->stack, &who.callsite))
		return UINT32_MAX;
	return subjects_row(&v->subjects, &who);
}

int frag_view_begin(struct frag_view *v, const struct frag *f, enum subject_kind kind)
{
	*v = (struct frag_view){ .f = f };
	v->dims = subjects_page_dimensions(kind);
	dimensions_by_task(&v->dims);
	accounts_by_process(f->env->accounts, &v->dims);
	for (uint32_t i = 0; i < event_formats_count(f->env->fmts); i++) {
		const struct event_format *fmt = event_formats_at(f->env->fmts, i);

		if (fmt->type == KMEM_PAGE_ALLOC_EXTFRAG)
			v->has_ownership = fmt->fields[EXTFRAG_CHANGE_OWNERSHIP].size;
	}
	sites_init(&v->sites, f->env);
	return subjects_init(&v->subjects, f->env, kind, &v->sites, &v->dims);
}

void frag_view_end(struct frag_view *v)
{
	subjects_free(&v->subjects);
	sites_free(&v->sites);
	u64_map_free(&v->known);
	free(v->callsites);
}

void frag_view_columns(const struct frag_view *v, struct table *t)
{
	analysis_plain_times(v->f->env, t);
	for (size_t i = 0; i < t->nr_columns; i++) {
		if (t->columns[i].series)
			t->columns[i].hidden = !v->f->opts->bins;
	}
}

/* A pageblock's row. @first: the index of its first fallback, plus one. */
struct block_sum {
	uint64_t hit, claimed;
	size_t first;
	uint32_t subject;
};

struct block_view {
	struct frag_view of;
	struct block_sum *blocks;
	struct tasks tasks;
};

struct block_row {
	struct subject_row subject;
	const struct block_view *v;
	const struct block_sum *in_block;
	const struct frag_block *block;
};

CELL_IF(cell_block_claimed, struct block_row, r->v->of.has_ownership,
	cell_uint(r->in_block->claimed))

static const struct frag_event *first_of(const struct block_row *r)
{
	return &r->v->of.f->events[r->in_block->first - 1];
}

CELL(cell_block_from, struct block_row,
     analysis_migratetype(r->v->of.f->env, first_of(r)->from, t))
CELL(cell_block_to, struct block_row,
     analysis_migratetype(r->v->of.f->env, first_of(r)->to, t))

CELL(cell_block_first, struct block_row, cell_uint(first_of(r)->ts))

/* How long such pages were live, up to now. */
static struct cell cell_block_time(const void *row, struct table *t)
{
	const struct block_row *r = row;
	uint64_t now = event_stream_stats(r->v->of.f->env->stream)->last_ts;
	uint64_t time = r->block->time;

	if (r->block->live && now > r->block->since)
		time += now - r->block->since;
	return cell_uint(time);
}

/* "sh-123", as in the kernel's traces. */
CELL_PUT(cell_block_task, struct block_row,
	 strbuf_printf(out, "%s-%" PRId32, tasks_name(&r->v->tasks, first_of(r)->pid),
		       first_of(r)->pid))

static const struct column_type block_columns[] = {
	{ COLUMN("pfn", "Pageblock", UNIT_PFN, "Its first page frame."),
	  MEMBER_OF(struct block_row, block, pfn) },
	{ COLUMN("hit", "Hit", UNIT_COUNT, "Fallbacks that took a part of it.",
		 .leaves = 30),
	  MEMBER_OF(struct block_row, in_block, hit) },
	{ COLUMN("claims", "Claims", UNIT_COUNT,
		 "Those that gave it the allocation's migratetype.", .leaves = 60),
	  .fill = cell_block_claimed },
	{ COLUMN("to", "For", UNIT_NONE, "The migratetype of the first such allocation.",
		 .leaves = 20),
	  .fill = cell_block_to },
	{ COLUMN("from", "Taken_from", UNIT_NONE,
		 "The migratetype of the free list that it took from.", .leaves = 15),
	  .fill = cell_block_from },
	{ COLUMN("pages", "Pages", UNIT_PAGES,
		 "Pages allocated there since for the migratetypes that fell back.",
		 .leaves = 50),
	  MEMBER_OF(struct block_row, block, pages) },
	{ COLUMN("live", "Live", UNIT_PAGES, "Those that live at the end.", .leaves = 10,
		 .live = true),
	  MEMBER_OF(struct block_row, block, live) },
	{ COLUMN("time", "Time", UNIT_NS, "How long any of them were live.",
		 .live = true),
	  .fill = cell_block_time },
	{ COLUMN("first", "First", UNIT_MOMENT, "When it was split up first.",
		 .leaves = 70, .level = true),
	  .fill = cell_block_first },
	{ COLUMN("task", "Task", UNIT_NONE, "The task that did.", .leaves = 40),
	  .fill = cell_block_task },
	SUBJECT_COLUMN_CALLSITE,
	COLUMNS_END,
};

const struct table_type frag_block_type = {
	.name = "frag_block",
	.help = "pageblocks that hold pages of several migratetypes since a fallback",
	.title = "Pageblocks that fallbacks split up",
	.by = "pfn",
	.sort = "time,hit",
	.columns = block_columns,
};

/* Adds up the fallbacks of each pageblock. */
static int collect_blocks(struct block_view *v)
{
	const struct frag *f = v->of.f;

	v->blocks = calloc(f->blocks.nr + 1, sizeof(*v->blocks));
	if (!v->blocks || tasks_read(&v->tasks, f->env->rec->cmdlines))
		return -ENOMEM;
	for (size_t i = 0; i < f->nr; i++) {
		const struct frag_event *e = &f->events[i];
		const struct frag_block *block = frag_blocks_find(&f->blocks, e->pfn);
		struct block_sum *sum;

		if (!block || !frag_fragments(f, e) || !frag_is_shown(f, e))
			continue;
		sum = &v->blocks[block - f->blocks.blocks];
		sum->hit++;
		sum->claimed += e->claimed;
		if (sum->first)
			continue;
		sum->first = i + 1;
		sum->subject = frag_view_subject(&v->of, e);
		if (sum->subject == UINT32_MAX)
			return -ENOMEM;
	}
	return 0;
}

int frag_show_blocks(const struct frag *f, struct report *report)
{
	const enum subject_kind kind = SUBJECT_CALLSITE;
	struct block_view v = { 0 };
	struct table *t = NULL;
	int ret = frag_view_begin(&v.of, f, kind) ?: collect_blocks(&v);

	for (size_t i = 0; i < f->blocks.nr && !ret; i++) {
		const struct block_row row = { .subject = { &v.of.subjects,
							    v.blocks[i].subject },
					       .v = &v,
					       .in_block = &v.blocks[i],
					       .block = &f->blocks.blocks[i] };

		if (!row.in_block->hit)
			continue;
		t = t
			    ?: table_begin(report, &frag_block_type,
					   frag_block_type.title, kind, false);
		table_put_row(t, &row);
	}
	if (t)
		frag_view_columns(&v.of, t);
	if (t && f->blocks.untracked)
		table_add_note(t,
			       "!%u pageblocks are followed; %" PRIu64
			       " fallback%s in others.",
			       FRAG_BLOCKS_MAX, f->blocks.untracked,
			       f->blocks.untracked == 1 ? " was" : "s were");
	frag_view_end(&v.of);
	tasks_free(&v.tasks);
	free(v.blocks);
	return ret;
}

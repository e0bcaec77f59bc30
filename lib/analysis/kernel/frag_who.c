// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * analysis: shared code of the tables of fallbacks and of pageblocks.
 * In: fallbacks from frag.c. Out: who a fallback served.
 */
#include "analysis/kernel/frag.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/array.h"

struct cell frag_view_type(const struct frag_view *v, int32_t type, struct table *t)
{
	const char *name = migratetype_name(v->f->env->migratetypes, type);
	char number[16];

	snprintf(number, sizeof(number), "%" PRId32, type);
	return cell_text(t, name ? name : number);
}

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
	*v = (struct frag_view){ .f = f, .ns = recording_clocks_are_ns(f->env->rec) };
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
	for (size_t i = 0; i < t->nr_columns; i++) {
		if (t->columns[i].series)
			t->columns[i].hidden = !v->f->opts->bins;
		if (t->columns[i].unit == UNIT_NS && !v->ns)
			t->columns[i].unit = UNIT_COUNT;
		if (t->columns[i].unit == UNIT_MOMENT && !v->ns)
			t->columns[i].unit = UNIT_COUNT;
	}
}

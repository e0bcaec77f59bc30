/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tests: runs analyses on events that a test makes up.
 * In: the events. Out: the only table of an analysis, and its cells.
 */
#ifndef KMEMX_TESTS_MADE_EVENTS_H
#define KMEMX_TESTS_MADE_EVENTS_H

#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "base/compiler.h"
#include "cells.h"
#include "opened.h"

#define MADE_EVENTS 64
#define MADE_PAGE   4096

/* Events made by the test; the recording provides only its time and its event types. */
struct fixture {
	struct opened in;
	struct kmem_event evs[MADE_EVENTS];
	size_t nr;
};

static inline void set_up(struct fixture *f)
{
	*f = (struct fixture){ 0 };
	opened_lends(&f->in, "data/bookworm-amd64-small-stack.v7.dat");
	f->in.env.first_ts = 1;
	f->in.env.last_ts = 1000 * MADE_EVENTS;
	ck_assert_uint_eq(f->in.env.page_size, MADE_PAGE);
}

static inline void tear_down(struct fixture *f)
{
	opened_close(&f->in);
}

static inline struct kmem_event *event(struct fixture *f, uint8_t type, uint64_t pfn,
				       uint32_t order)
{
	struct kmem_event *ev = &f->evs[f->nr++];

	ck_assert_uint_le(f->nr, ARRAY_SIZE(f->evs));
	ev->type = type;
	ev->pid = 7;
	ev->ts = 1000 * f->nr;
	if (type == KMEM_PAGE_ALLOC) {
		ev->page_alloc.pfn = pfn;
		ev->page_alloc.order = order;
	} else {
		ev->page_free.pfn = pfn;
		ev->page_free.order = order;
	}
	return ev;
}

/* The tables of the analysis @name. */
static inline const struct report *report_of(struct fixture *f, const char *name,
					     const struct analysis_options *opts)
{
	const struct analysis *chosen = analysis_find(name);
	const struct analysis_set set = { .analyses = &chosen, .nr = 1, .opts = opts };
	struct analyses *all;

	ck_assert(!analyses_new(&all, &f->in.env, &set));
	analyses_observe(all, f->evs, f->nr);
	ck_assert(!analyses_view(all, f->in.report));
	analyses_free(all);
	return f->in.report;
}

/* The only table of the analysis @name. */
static inline const struct table *table_of(struct fixture *f, const char *name,
					   const struct analysis_options *opts)
{
	const struct report *report = report_of(f, name, opts);

	ck_assert_uint_eq(report->nr_tables, 1);
	return report->tables[0];
}

#endif

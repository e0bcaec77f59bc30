/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tests: analyses of events that a test makes up.
 * In: the events. Out: the only table of an analysis; its cells.
 */
#ifndef KMEMX_TESTS_MADE_EVENTS_H
#define KMEMX_TESTS_MADE_EVENTS_H

#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/registry.h"
#include "base/compiler.h"

#define MADE_EVENTS 64
#define MADE_PAGE   4096

/* A recording whose events are not its own: it lends its time and types of events. */
struct fixture {
	struct recording *rec;
	struct event_formats *fmts;
	struct symbols *syms;
	struct callsite_rule *rule;
	struct event_stream *stream;
	struct migratetypes types;
	struct analysis_env env;
	struct report *report;
	struct kmem_event evs[MADE_EVENTS];
	size_t nr;
};

static inline void set_up(struct fixture *f)
{
	static const struct log silent = { 0 };
	const struct event_stream_options opts = { .stop_ts = UINT64_MAX };
	const char *path = "data/bookworm-amd64-small-stack.v7.dat";
	struct kmem_event ev;
	struct source src;

	*f = (struct fixture){ .report = report_new() };
	ck_assert(!source_open_file(&src, path));
	ck_assert(!recording_open(&f->rec, &src, path, &silent));
	ck_assert(!event_formats_new(&f->fmts, f->rec, &silent));
	ck_assert(!symbols_new(&f->syms, NULL, 0, NULL));
	ck_assert(!callsite_rule_new(&f->rule, NULL, 0, NULL));
	ck_assert(!event_stream_open(&f->stream, f->rec, f->fmts, &opts, &silent));
	while (event_stream_next(f->stream, &ev) > 0)
		;
	migratetypes_init(&f->types, NULL, "6.1");
	f->env = (struct analysis_env){ .rec = f->rec,
					.fmts = f->fmts,
					.stream = f->stream,
					.syms = f->syms,
					.rule = f->rule,
					.migratetypes = &f->types,
					.log = &silent,
					.first_ts = 1,
					.last_ts = 1000 * MADE_EVENTS,
					.page_size = MADE_PAGE };
}

static inline void tear_down(struct fixture *f)
{
	report_free(f->report);
	event_stream_close(f->stream);
	callsite_rule_free(f->rule);
	symbols_free(f->syms);
	event_formats_free(f->fmts);
	recording_close(f->rec);
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

/* The only table of the analysis @name. */
static inline const struct table *table_of(struct fixture *f, const char *name,
					   const struct analysis_options *opts)
{
	const struct analysis *chosen = analysis_find(name);
	const struct analysis_set set = { .analyses = &chosen, .nr = 1, .opts = opts };
	struct analyses *all;

	ck_assert(!analyses_new(&all, &f->env, &set));
	analyses_observe(all, f->evs, f->nr);
	analyses_end(all);
	ck_assert(!analyses_view(all, f->report));
	analyses_free(all);
	ck_assert_uint_eq(f->report->nr_tables, 1);
	return f->report->tables[0];
}

static inline const struct cell *cell(const struct table *t, size_t row, const char *name)
{
	int column = table_column(t, name);

	ck_assert_int_ge(column, 0);
	ck_assert_uint_lt(row, t->nr_rows);
	return &t->cells[row * t->nr_columns + (size_t)column];
}

#endif

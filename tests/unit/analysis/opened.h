/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tests: opens a recording and prepares what an analysis needs.
 * In: a path. Out: a struct analysis_env and an empty report.
 */
#ifndef KMEMX_TESTS_OPENED_H
#define KMEMX_TESTS_OPENED_H

#include <check.h>

#include "analysis/pass/analyze.h"
#include "source_file.h"

struct opened {
	struct recording *rec;
	struct event_formats *fmts;
	struct symbols *syms;
	struct callsite_rule *rule;
	struct event_stream *stream;
	struct migratetypes types;
	struct analysis_env env;
	struct report *report;
};

/* Opens @path with the symbols in it; opened_close() closes it. */
static inline void opened_open(struct opened *o, const char *path)
{
	static const struct log silent = { 0 };
	const struct event_stream_options opts = { .stop_ts = UINT64_MAX };
	struct source src;

	*o = (struct opened){ .report = report_new() };
	ck_assert(!source_open_file(&src, path));
	ck_assert(!recording_open(&o->rec, &src, path, &silent));
	ck_assert(!event_formats_new(&o->fmts, o->rec, &silent));
	ck_assert(!symbols_new(&o->syms, o->rec->kallsyms, o->rec->kallsyms_size, NULL));
	ck_assert(!callsite_rule_new(&o->rule, NULL, 0, NULL));
	ck_assert(!event_stream_open(&o->stream, o->rec, o->fmts, &opts, &silent));
	migratetypes_init(&o->types, NULL, recording_release(o->rec).text);
	o->env = (struct analysis_env){ .rec = o->rec,
					.fmts = o->fmts,
					.stream = o->stream,
					.syms = o->syms,
					.rule = o->rule,
					.migratetypes = &o->types,
					.log = &silent,
					.page_size = recording_kernel_page_size(o->rec) };
}

/* The same for tests that make up their events: the recording provides only its time and its event
 * types. Its events are read and dropped, and addresses have no names.
 */
static inline void opened_lends(struct opened *o, const char *path)
{
	struct kmem_event ev;

	opened_open(o, path);
	while (event_stream_next(o->stream, &ev) > 0)
		;
	symbols_free(o->syms);
	ck_assert(!symbols_new(&o->syms, NULL, 0, NULL));
	o->env.syms = o->syms;
}

static inline void opened_close(struct opened *o)
{
	report_free(o->report);
	event_stream_close(o->stream);
	callsite_rule_free(o->rule);
	symbols_free(o->syms);
	event_formats_free(o->fmts);
	recording_close(o->rec);
}

#endif

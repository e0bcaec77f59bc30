/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * analysis: what every analysis is, and what it may consult.
 * In: events in time order. Out: tables.
 */
#ifndef KMEMX_ANALYSIS_ANALYSIS_H
#define KMEMX_ANALYSIS_ANALYSIS_H

#include <stdbool.h>
#include <stdint.h>

#include "account/accounts.h"
#include "base/log.h"
#include "event/event.h"
#include "event/formats.h"
#include "event/migratetype.h"
#include "event/stream.h"
#include "recording/recording.h"
#include "report/table.h"
#include "symbol/callsite.h"
#include "symbol/directories.h"
#include "symbol/symbols.h"

/* What a row of a report can stand for. */
enum subject_kind {
	SUBJECT_NONE,
	SUBJECT_CALLSITE,
	SUBJECT_STACK,
	SUBJECT_COMM,
	SUBJECT_PID,
	SUBJECT_CPU,
	SUBJECT_NODE,
	SUBJECT_CACHE,
	SUBJECT_MODULE,
	SUBJECT_DIR,
	SUBJECT_NR,
};

/* Rows of the account table (trace_analyze's --malloc, --cache). */
enum account_rows { ACCOUNT_ALL, ACCOUNT_KMALLOC, ACCOUNT_CACHES };

/**
 * struct analysis_env - borrowed by every analysis, outlives them
 *
 * @by_caller, @by_address, @by_cache: which tables are wanted (--caller, --alloc, --cache)
 * @accounts: of the stream, for analyses that observe lives or take sums: analyze_run() sets
 *	      and feeds them
 * @dirs: for rows by directory; NULL: none are wanted
 * @dir_depth: of directories_find(), for @by
 * @by: one more table, or what the account's rows are (--by)
 * @account: the account table and none of the others (--account)
 * @unmatched: who freed slab objects that no event allocated (--unmatched)
 * @live: only what is still allocated at the end (--live)
 * @raw_ip: callsites as addresses
 * @by_site: callsites are told apart within a function (--sites)
 * @window: the events are of a part of the time or of one of several buffers
 * @jobs: threads that may run at a time, the caller's included; 0 means 1
 */
struct analysis_env {
	const struct recording *rec;
	const struct event_formats *fmts;
	const struct event_stream *stream; /* stacks, cache names, stats */
	const struct symbols *syms;
	struct callsite_rule *rule;
	const struct migratetypes *migratetypes;
	const struct log *log;
	struct accounts *accounts;
	bool by_caller, by_address, by_cache;
	struct directories *dirs;
	unsigned int dir_depth;
	enum subject_kind by;
	bool account;
	enum account_rows account_rows;
	bool unmatched;
	bool live;
	bool raw_ip, by_site;
	bool window;
	uint32_t page_size; /* bytes of a page on the recorded machine */
	unsigned int jobs;
};

/**
 * struct analysis_ops - an analysis: one of these and a line in analyze.c's table
 * @create: NULL if memory ran out
 * @event: takes one event or loss; failures (memory) are kept and returned by @finish
 * @events: the same for several; NULL: @event is called for each. NULL both: it observes
 *	    env->accounts alone
 * @apart: it consults neither the stream (stacks, names, stats) nor an event's raw
 *	   data, and shares nothing with other analyses: it may run on a thread of its own,
 *	   behind the stream
 * @finish: adds its tables to the report; 0 or -errno
 */
struct analysis_ops {
	const char *name;
	void *(*create)(const struct analysis_env *env);
	void (*event)(void *self, const struct kmem_event *ev);
	void (*events)(void *self, const struct kmem_event *ev, size_t nr);
	bool apart;
	int (*finish)(void *self, struct report *report);
	void (*destroy)(void *self);
};

extern const struct analysis_ops analysis_slab;
extern const struct analysis_ops analysis_page;

#endif

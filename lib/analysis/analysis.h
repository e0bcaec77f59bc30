/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * analysis: what every analysis is, and what it may consult.
 * In: events in time order. Out: tables, as often as asked.
 */
#ifndef KMEMX_ANALYSIS_ANALYSIS_H
#define KMEMX_ANALYSIS_ANALYSIS_H

#include <stdbool.h>
#include <stdint.h>

#include "account/accounts.h"
#include "analysis/columns.h"
#include "analysis/suppressions.h"
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

struct alloc_filter;
struct export_history;
struct footprint_options;
struct stack_guess;
struct web_report;

/**
 * struct analysis_env - what every analysis may consult; borrowed, outlives them
 *
 * @stream: stacks, cache names, stats
 * @accounts: of the stream, for analyses that observe lives or share sums: analyses_new() sets
 *	them and feeds them, analyses_end() finishes them
 * @moved_by: what was added to the addresses of a vmlinux that the symbols are from (KASLR)
 * @dirs: for rows by directory; NULL: none are wanted
 * @dir_depth: of directories_find(), for those rows
 * @lines: inlined functions and lines; NULL: nothing knows them
 * @raw_ip: code addresses are shown as they are
 * @raw_names: functions have the compiler's suffixes
 * @by_site: each address in a function is a callsite
 * @filter: hides allocations from every analysis; NULL: all are shown. It says so in the events
 *	that it is given, as long as they are read
 * @guess: the recording has the callchains of a sample of its slab objects: analyze_run() makes it
 *	give one to the others where an account is by callchain; NULL: it is no such recording
 * @first_ts, @last_ts: what the events span, as far as it is known before they are read
 * @window: the events are of a part of the time or of one of several buffers
 * @page_size: bytes of a page on the recorded machine
 * @sample: what figures are estimated from; zero: they are what the recording has
 * @jobs: threads that may run at a time, the caller's included; 0 means 1
 */
struct analysis_env {
	const struct recording *rec;
	const struct event_formats *fmts;
	const struct event_stream *stream;
	const struct symbols *syms;
	struct callsite_rule *rule;
	const struct migratetypes *migratetypes;
	const struct log *log;
	struct accounts *accounts;
	uint64_t moved_by;
	struct directories *dirs;
	unsigned int dir_depth;
	struct source_lines *lines;
	bool raw_ip, raw_names, by_site;
	struct alloc_filter *filter;
	struct stack_guess *guess;
	uint64_t first_ts, last_ts;
	bool window;
	uint32_t page_size;
	struct sample sample;
	unsigned int jobs;
};

/* Which slab allocations count. */
enum account_rows { ACCOUNT_ALL, ACCOUNT_KMALLOC, ACCOUNT_CACHES };

/* What the roots of a tree of callchains are: no tree is wanted; the outermost callers; the
 * functions that allocated.
 */
enum tree_roots { TREE_NONE, TREE_CALLER, TREE_CALLEE };

/**
 * struct tree_options - what is asked of a tree of callchains
 * @depth: levels; 0: all
 * @min_share: functions with less of all bytes are added up, in millionths of them
 */
struct tree_options {
	enum tree_roots roots;
	uint64_t depth, min_share;
};

/**
 * struct analysis_options - what is asked of analyses that give several tables; each takes
 * what it knows. Zero: its usual table. Borrowed, outlives them.
 *
 * @by_caller, @by_address, @by_cache: which tables are wanted
 * @by: one more table; where there is but one: what its rows are. It may be combined
 * @tree: a tree of callchains is wanted
 * @live: only what is still allocated
 * @unmatched: also who freed slab objects that no event allocated
 * @account_rows: of the account table
 * @needs: NEEDS_SLAB or NEEDS_PAGE: of analyses of both only this part; 0: all
 * @bins: of peak: live bytes at the ends of as many parts of the time; 0: none are wanted
 * @at_end: of peak: at the end, not when most was live
 * @any_order, @any_migratetype: of owners and export: blocks of all of these are in one row;
 *	@any_gfp: of export
 * @history: of export: takes all that began and ended; the caller's, filled; NULL: not wanted
 * @older_ns: what is younger may be in flight; 0: the analysis finds out
 * @suppress: known leaks; NULL: none
 * @footprint: of footprint; it has no tables without
 * @web: of report: receives the data of its page; NULL: they are not wanted
 * @short_ns: a life of at most this is a short one; 0: LIFETIME_SHORT_NS
 */
struct analysis_options {
	bool by_caller, by_address, by_cache;
	enum subject_kind by;
	struct tree_options tree;
	bool live;
	bool unmatched;
	enum account_rows account_rows;
	uint32_t needs;
	unsigned int bins;
	bool at_end;
	bool any_order, any_migratetype, any_gfp;
	struct export_history *history;
	uint64_t older_ns;
	const struct suppressions *suppress;
	const struct footprint_options *footprint;
	struct web_report *web;
	uint64_t short_ns;
};

#define LIFETIME_SHORT_NS 10000

/* Sets of events: bits of enum kmem_event_type. */
#define NEEDS(type) (1U << KMEM_##type)
#define NEEDS_SLAB                                                   \
	(NEEDS(KMALLOC) | NEEDS(KMALLOC_NODE) | NEEDS(CACHE_ALLOC) | \
	 NEEDS(CACHE_ALLOC_NODE) | NEEDS(KFREE) | NEEDS(CACHE_FREE))
#define NEEDS_PAGE (NEEDS(PAGE_ALLOC) | NEEDS(PAGE_FREE) | NEEDS(PAGE_FREE_BATCHED))

/* When an analysis takes part. */
enum analysis_use {
	ANALYSIS_USUAL,	    /* stat: where nothing is asked for by name, or it is */
	ANALYSIS_ASKED,	    /* stat: where it is asked for by name */
	ANALYSIS_ALONE,	    /* stat: the same, and then no other */
	ANALYSIS_COMMAND,   /* a command of its own */
	ANALYSIS_DIFF,	    /* diff: where its rows are wanted */
	ANALYSIS_RULES,	    /* diff: for rules about directories */
	ANALYSIS_DIFF_PAGE, /* diff: for its page */
};

/* Is it for stat? */
static inline bool analysis_use_stat(enum analysis_use use)
{
	return use == ANALYSIS_USUAL || use == ANALYSIS_ASKED || use == ANALYSIS_ALONE;
}

/**
 * struct analysis - an analysis: one of these in a file of its own, a line in registry.c
 *
 * @name: also the option of stat that asks for it, --NAME; @help: its text in -h, or, if it is
 *	@seldom asked for, in --help-all
 * @command: of ANALYSIS_COMMAND: the command that it is a part of; NULL: the one of its name
 * @needs: the events it is about: without any of them it shows nothing
 * @must: events without any of which it shows nothing either, whatever @needs says; @events: what
 *	they are called; @record: the option of kmemx record for them. 0, NULL, NULL: none
 * @rows: ROWS() that its tables can be asked to have; 0: they are what they are
 * @all_time: cannot speak of a part of the recording's time; the reason, else NULL
 * @unfiltered: cannot speak of a part of the allocations; the reason, else NULL
 * @unsampled: cannot speak of a sample of all objects and pages; the reason, else NULL
 * @estimates: of a sample, figures are estimates of all: env->sample
 * @all_frees: cannot speak of a recording that lacks some of the frees
 * @lacks: which of the system's facts that kmemx record keeps the recording lacks for it, as
 *	"does not say ..."; NULL: none. NULL for analyses that need none.
 * @tables: what its tables are; ended by NULL
 * @create: @self is to be destroyed in any case, unless it is NULL. 0; -ENOMEM; -EOVERFLOW: what it
 *	asks env->accounts for does not fit beside what others asked for
 * @observe: takes events and losses, in time order; failures (memory) are kept and
 *	returned by @view. NULL: it observes env->accounts alone
 * @apart: it consults neither the stream (stacks, names, stats) nor an event's raw
 *	data, and shares nothing with other analyses: it may run on a thread of its own,
 *	behind the stream
 * @end: no event follows, and env->accounts are finished; views cost less from here on.
 *	NULL: it does not matter
 * @view: adds the tables of what was observed so far to the report, at any moment between
 *	two calls of @observe and as often as asked; nothing that follows depends on it.
 *	0 or -errno
 */
struct analysis {
	const char *name, *help;
	enum analysis_use use;
	bool seldom;
	const char *command;
	uint32_t needs;
	uint32_t must;
	const char *events, *record;
	uint32_t rows;
	const char *all_time, *unfiltered, *unsampled;
	bool estimates, all_frees;
	const char *(*lacks)(const struct recording *rec);
	const struct table_type *const *tables;
	int (*create)(const struct analysis_env *env, const struct analysis_options *opts,
		      void **self);
	void (*observe)(void *self, const struct kmem_event *evs, size_t nr);
	bool apart;
	void (*end)(void *self);
	int (*view)(const void *self, struct report *report);
	void (*destroy)(void *self);
};

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * analysis: the interface of every analysis, and what it may use.
 * In: events in time order. Out: tables.
 */
#ifndef KMEMX_ANALYSIS_ANALYSIS_H
#define KMEMX_ANALYSIS_ANALYSIS_H

#include "account/accounts.h"
#include "account/lives.h"
#include "analysis/columns.h"
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
struct stack_guess;

/**
 * struct analysis_env - what every analysis may use; borrowed, outlives them
 *
 * @stream: stacks, cache names, stats
 * @accounts: for analyses that observe lives or share sums: analyses_new() sets and feeds them,
 *	analyses_view() finishes them
 * @moved_by: KASLR offset of the recorded kernel against the vmlinux that the symbols come from
 * @dirs: for rows by directory; NULL: no such rows are wanted
 * @dir_depth: of directories_find(), for those rows
 * @lines: inlined functions and lines; NULL: not known
 * @raw_ip: show code addresses as numbers
 * @raw_names: show function names with the compiler's suffixes
 * @whole_groups: show the IDs of containers in full in the names of their control groups
 * @by_site: each address in a function is its own callsite
 * @filter: hides allocations from every analysis, by marking events as they are read; NULL: all are
 *	shown
 * @guess: set if only a sample of the slab objects has callchains: analyze_run() then guesses those
 *	of the others for accounts by callchain; NULL otherwise
 * @first_ts, @last_ts: time span of the events, as far as known before they are read
 * @bare_frames: frames of callchains are the first bytes of functions, not return addresses
 * @no_irq_info: kmem_in_interrupt() is not known
 * @window: only part of the time, or one of several buffers, is analysed
 * @page_size: bytes of a page on the recorded machine
 * @sample: the sample that figures are estimated from; zero: figures are exact counts of the
 *	recording
 * @jobs: threads that may run at once, including the caller's; 0 means 1
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
	bool raw_ip, raw_names, whole_groups, by_site;
	struct alloc_filter *filter;
	struct stack_guess *guess;
	uint64_t first_ts, last_ts;
	bool bare_frames, no_irq_info, window;
	uint32_t page_size;
	struct sample sample;
	unsigned int jobs;
};

/* The roots of a tree: none (no tree); the outermost callers or first processes; the allocating
 * functions.
 */
enum tree_roots { TREE_NONE, TREE_CALLER, TREE_CALLEE };

/**
 * struct tree_options - what the user asked of a tree
 * @processes: a tree of processes, each below its parent; false: of functions in callchains
 * @depth: levels; 0: all
 * @min_share: in millionths of all bytes: functions with a smaller share are summed up
 */
struct tree_options {
	enum tree_roots roots;
	bool processes;
	uint64_t depth, min_share;
};

/* What the rows of a tree are. */
static inline enum subject_kind tree_subject(const struct tree_options *tree)
{
	return tree->processes ? SUBJECT_PROCESS : SUBJECT_STACK;
}

/**
 * struct analysis_options - options that several analyses have; each uses those it knows. All zero:
 * its usual table. Borrowed, outlives them.
 *
 * @by_caller, @by_address, @by_cache: which tables are wanted
 * @by: what the rows of one more table, or of the only one, stand for; kinds may be combined
 * @by_program: for export: processes of the same name share a row
 * @tree: a tree is wanted
 * @live: only what is still allocated
 * @needs: limits analyses of both slab and pages to NEEDS_SLAB or NEEDS_PAGE; 0: no limit
 * @bins: for peak: live bytes are wanted at the end of each of this many parts of the time
 * @any_order, @any_migratetype: for owners and export: one row for all orders or migratetypes
 * @own: options of this analysis only, of a type in its header; NULL: all are zero
 */
struct analysis_options {
	bool by_caller, by_address, by_cache;
	enum subject_kind by;
	bool by_program;
	struct tree_options tree;
	bool live;
	uint32_t needs;
	unsigned int bins;
	bool any_order, any_migratetype;
	const void *own;
};

/* What the rows of the accounts must tell apart. */
static inline enum subject_kind analysis_subject(const struct analysis_options *opts)
{
	return opts->tree.processes ? SUBJECT_PROCESS : opts->by;
}

/* Maximum size of an analysis's own options, in bytes. */
#define ANALYSIS_OWN_SIZE 64

enum analysis_option_type {
	ANALYSIS_FLAG, /* bool */
	ANALYSIS_TIME, /* uint64_t: ns; 0: not given */
};

/**
 * struct analysis_option - an option of the command line that only one analysis has
 * @at: offset of its value in the analysis's own options
 * @seldom: only --help-all lists it
 */
struct analysis_option {
	const char *name, *arg, *help;
	enum analysis_option_type type;
	size_t at;
	bool seldom;
};

/* Sets of events: bits of enum kmem_event_type. */
#define NEEDS(type) (1U << KMEM_##type)
#define NEEDS_SLAB                                                   \
	(NEEDS(KMALLOC) | NEEDS(KMALLOC_NODE) | NEEDS(CACHE_ALLOC) | \
	 NEEDS(CACHE_ALLOC_NODE) | NEEDS(KFREE) | NEEDS(CACHE_FREE))
#define NEEDS_PAGE (NEEDS(PAGE_ALLOC) | NEEDS(PAGE_FREE) | NEEDS(PAGE_FREE_BATCHED))

#define NEEDS_VMALLOC (NEEDS(VMALLOC_ALLOC) | NEEDS(VMALLOC_FREE))
#define NEEDS_PERCPU  (NEEDS(PERCPU_ALLOC) | NEEDS(PERCPU_FREE))
/* All kinds of memory. */
#define NEEDS_MEMORY  (NEEDS_SLAB | NEEDS_PAGE | NEEDS_VMALLOC | NEEDS_PERCPU)

/* The events of a kind of memory. */
static inline uint32_t analysis_memory(enum memory memory)
{
	static const uint32_t needs[MEMORY_KINDS] = {
		[MEMORY_SLAB] = NEEDS_SLAB,
		[MEMORY_PAGE] = NEEDS_PAGE,
		[MEMORY_VMALLOC] = NEEDS_VMALLOC,
		[MEMORY_PERCPU] = NEEDS_PERCPU,
	};

	return needs[memory];
}

/* Pointers to types of tables, for struct analysis. */
#define TABLES(...) ((const struct table_type *const[]){ __VA_ARGS__, NULL })
/* Pointers to the @types of all kinds of memory. */
#define MEMORY_TABLES(types)                                             \
	{                                                                \
		&(types)[0], &(types)[1], &(types)[2], &(types)[3], NULL \
	}
_Static_assert(MEMORY_KINDS == 4, "MEMORY_TABLES() has all kinds");

/* When an analysis runs. */
enum analysis_use {
	ANALYSIS_USUAL,	    /* stat: by default, or when asked for by name */
	ANALYSIS_ASKED,	    /* stat: only when asked for by name */
	ANALYSIS_BESIDE,    /* stat: beside the usual ones, if its @rows are asked for */
	ANALYSIS_ALONE,	    /* stat: only when asked for by name, and then alone */
	ANALYSIS_COMMAND,   /* a command of its own */
	ANALYSIS_DIFF,	    /* diff: when its rows are wanted */
	ANALYSIS_RULES,	    /* diff: for rules about directories */
	ANALYSIS_DIFF_PAGE, /* diff: for its page */
};

/* Does stat run it? */
static inline bool analysis_use_stat(enum analysis_use use)
{
	return use <= ANALYSIS_ALONE;
}

/**
 * struct analysis - an analysis; each has its own file and a line in registry.c
 *
 * @name: also the stat option that asks for it, --NAME
 * @help: the option's text in -h, or in --help-all if it is @seldom asked for
 * @command: for ANALYSIS_COMMAND: the command that it belongs to; NULL: the command has its name
 * @needs: the events it uses: without any of them it shows nothing
 * @must: it also needs at least one of these events; @events: their name; @record: the kmemx record
 *	option for them, or for what it @lacks. 0, NULL, NULL: none
 * @rows: ROWS() that its tables can have; 0: the rows cannot be chosen
 * @all_time: why it cannot handle part of the recording's time; NULL: it can
 * @unfiltered: why it cannot handle part of the allocations; NULL: it can
 * @unsampled: why it cannot handle a sample of objects and pages; NULL: it can
 * @estimates: with a sample, its figures are estimates: env->sample
 * @all_frees: it cannot handle a recording that lacks some of the frees
 * @lacks: returns which fact about the system it needs and the recording lacks, as "does not say
 *	..."; NULL: nothing is missing. The callback is NULL for analyses that need no such facts.
 * @tables: types of its tables; ended by NULL
 * @options: its own options that the command line has, ended by an empty one; NULL: it has none
 * @size: of the struct that all callbacks get as @self, zeroed at first; @env_at: offset of its
 *	member for the environment; @opts_at: of that for the options; 0: it has none
 * @create: fills @self further. 0; -ENOMEM; -EOVERFLOW: env->accounts cannot hold its dimensions
 *	together with the others'; more than 0: there is nothing to observe, and @self is not kept.
 *	NULL: not needed
 * @observe: takes events and losses in time order; records failures (no memory) for @view to
 *	return. env->stream has their callchains and names, but its stats may be ahead of them.
 *	NULL: it only observes env->accounts
 * @read: like @observe, on the stream's thread: the events have their raw data. NULL: not needed
 * @by_entry: it always has rows by entry
 * @joins: NEEDS_SLAB, NEEDS_PAGE or both: @observe and the callbacks for lives of these share data,
 *	so no two of them run at once, and @observe comes before the lives of the same events.
 *	Otherwise @observe, lives of slab objects and lives of pages come on different threads
 * @end: called after the last event, once env->accounts are finished. NULL: not needed
 * @view: adds its tables to the report; called at most once, after @end. 0 or -errno
 * @destroy: frees what @self owns, whatever @create returned. NULL: nothing to free
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
	bool estimates, all_frees, by_entry;
	const char *(*lacks)(const struct recording *rec);
	const struct table_type *const *tables;
	const struct analysis_option *options;
	size_t size, env_at, opts_at;
	int (*create)(void *self, const struct analysis_env *env,
		      const struct analysis_options *opts);
	void (*observe)(void *self, const struct kmem_event *evs, size_t nr);
	void (*read)(void *self, const struct kmem_event *evs, size_t nr);
	uint32_t joins;
	void (*end)(void *self);
	int (*view)(const void *self, struct report *report);
	void (*destroy)(void *self);
};

/* Describe the struct of an analysis: a @type with a member env and, in the second case, opts. */
#define ANALYSIS_SELF(type)	    .size = sizeof(type), .env_at = offsetof(type, env)
#define ANALYSIS_SELF_OPTIONS(type) ANALYSIS_SELF(type), .opts_at = offsetof(type, opts)

/* Creates @self; NULL: there is nothing to observe. 0 or as @create; call analysis_free() in any
 * case.
 */
int analysis_new(const struct analysis *analysis, const struct analysis_env *env,
		 const struct analysis_options *opts, void **self) __must_check;
/* NULL is fine. */
void analysis_free(const struct analysis *analysis, void *self);

/* The types of events seen in the stream so far: bits of enum kmem_event_type. */
uint32_t analysis_seen(const struct analysis_env *env);
/* Were events of these types recorded, even if none occurred? */
bool analysis_recorded(const struct analysis_env *env, uint32_t types);

/* The event @name ends what events of the types @allocs began. */
struct free_event {
	const char *name;
	uint32_t allocs, type;
};

#define FREE_EVENTS 5

extern const struct free_event free_events[FREE_EVENTS];

/* The types of these that are missing: what they end was allocated, but none was seen, and no
 * recorder says that they were recorded. Without them it is unknown what is live.
 */
uint32_t analysis_missing_frees(const struct analysis_env *env);

/* If clocks do not count nanoseconds, the times of @t are plain numbers. */
void analysis_plain_times(const struct analysis_env *env, struct table *t);
/* The cell of a migratetype: its name, or its number. */
struct cell analysis_migratetype(const struct analysis_env *env, int32_t type,
				 struct table *t);

/**
 * struct memory_words - the words of a kind of memory
 * @word: "slab", as in the summary; @option: --slab selects it in kmemx record and stat
 * @title, @many: "Slab objects", "slab objects"
 * @things, @one: "Objects", "object": what is counted in @unit
 * @all, @live: "Slab allocations", "Live slab objects": titles of its account
 * @event, @allocator: "slab", "SLAB allocator": in that account's notes and summary
 */
struct memory_words {
	const char *word, *option, *title, *many, *things, *one;
	enum column_unit unit;
	const char *all, *live, *event, *allocator;
};

const struct memory_words *memory_words(enum memory memory);
/* The title of "frees_other". @filtered: by the user, else by the recorder. */
const char *other_frees_title(bool filtered);
/* Adds a note about @nr such frees to @t, if a filter is the reason. */
void other_frees_note(bool filtered, uint64_t nr, struct table *t);

#endif

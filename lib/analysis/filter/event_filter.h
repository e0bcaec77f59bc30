/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * analysis: which events pass a filter.
 * In: the user's words, and events. Out: yes or no.
 */
#ifndef KMEMX_ANALYSIS_EVENT_FILTER_H
#define KMEMX_ANALYSIS_EVENT_FILTER_H

#include "analysis/row/sites.h"
#include "event/processes.h"
#include "event/tasks.h"

/* Zero-initialise it. */
struct dir_words {
	char **items;
	size_t nr, capacity;
};

/* Adds the first @len characters of @word. 0 or -ENOMEM. */
int dir_words_append(struct dir_words *words, const char *word, size_t len) __must_check;
void dir_words_free(struct dir_words *words);
bool dir_words_has(const struct dir_words *words, const char *dir);

struct filter_range {
	uint64_t first, last;
};

struct filter_ranges {
	struct filter_range *items;
	size_t nr, capacity;
};

/* Adds "3" or "0-3". 0; -EINVAL; -ENOMEM. */
int filter_ranges_add(struct filter_ranges *r, const char *word) __must_check;
/* Is @value in one of the ranges, or are there none? */
bool filter_ranges_has(const struct filter_ranges *r, uint64_t value);

/* A code address, a function, or one offset in a function. */
struct filter_site {
	char *name; /* NULL: @value is an address */
	bool exact; /* only at offset @value of the function */
	uint64_t value;
};

/**
 * struct event_filter - zero-initialised, every event passes
 *
 * Words added by the same function are combined by OR, those of different functions by AND.
 */
struct event_filter {
	struct filter_ranges cpus, pids, ptrs;
	struct dir_words comms;
	bool *ids; /* by event ID; NULL: all */
	struct filter_site *sites;
	size_t nr_sites, sites_capacity;
	struct dir_words dirs, groups;
	const struct processes *processes; /* for @groups */
	struct u64_map group_known, comm_known, site_known, stack_known,
		dir_known; /* key -> 0 or 1 */
	bool failed;	   /* memory ran out */
};

/* All return 0, -EINVAL for an invalid word, or -ENOMEM. */

/* "3" or "0-3". */
int event_filter_add_cpu(struct event_filter *f, const char *word) __must_check;
int event_filter_add_pid(struct event_filter *f, const char *word) __must_check;
/* A hexadecimal address, with or without 0x. */
int event_filter_add_ptr(struct event_filter *f, const char *word) __must_check;
/* The name of a task; * and ? are wildcards. */
int event_filter_add_comm(struct event_filter *f, const char *word) __must_check;
/* A control group as reports name it, or a pattern; it includes those below it, "/" does not. The
 * caller sets @processes before the first event.
 */
int event_filter_add_group(struct event_filter *f, const char *word) __must_check;
/* "kmalloc", "kmem:kmalloc" or "mm_page_*"; -ENOENT: the recording has no such event. */
int event_filter_add_event(struct event_filter *f, const char *word,
			   const struct event_formats *fmts) __must_check;
/* "function", "function+0x1f", "0xffff..."; a function's name may have * and ?, and needs no
 * compiler suffix. Inlined code matches its own function and the one that holds the code.
 */
int event_filter_add_site(struct event_filter *f, const char *word) __must_check;
/* A directory of the kernel's source that contains the callsite: "fs" includes "fs/ext4"; * and ?
 * are wildcards. The sites' environment must have dirs.
 */
int event_filter_add_dir(struct event_filter *f, const char *word) __must_check;

/* Lookup tables for event_filter_pass(). */
struct event_filter_names {
	const struct symbols *syms;
	const struct sites *sites;
	const struct tasks *tasks;
};

/* Does @ev pass? For a loss, only the CPU is checked. */
bool event_filter_pass(struct event_filter *f, const struct event_filter_names *names,
		       const struct kmem_event *ev);
/* Does @ev pass, as far as that depends on its task and time? */
bool event_filter_task(struct event_filter *f, const struct event_filter_names *names,
		       const struct kmem_event *ev);
bool event_filter_has_cpu(const struct event_filter *f, uint32_t cpu);
void event_filter_free(struct event_filter *f);

/* The answer for @key, which the filter's @map remembers; @ask finds it out. */
#define REMEMBERED(filter, map, key, ask)                                   \
	({                                                                  \
		const uint32_t *known_ = u64_map_find(&(filter)->map, key); \
		const bool yes_ = known_ ? *known_ : (ask);                 \
                                                                            \
		if (!known_ && !u64_map_insert(&(filter)->map, key, yes_))  \
			(filter)->failed = true;                            \
		yes_;                                                       \
	})

#endif

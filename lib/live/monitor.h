/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * live: the accounts of current allocations.
 * In: the beginning of a recording, then its pages as they are read. Out: sums by group, for each
 * interval; tables of them.
 */
#ifndef KMEMX_LIVE_MONITOR_H
#define KMEMX_LIVE_MONITOR_H

#include "account/accounts.h"
#include "analysis/life/lifetimes.h"
#include "analysis/row/subject.h"
#include "live/windows.h"
#include "report/table.h"
#include "study/study.h"

/* The dimensions that an account of @memory must keep apart. */
struct dimensions grouping_dimensions(enum memory memory, enum subject_kind kind,
				      const struct analysis_env *env);
/* Is the grouping possible for @memory? */
bool grouping_has(enum memory memory, enum subject_kind kind);
/* "callsite", ..., "order", "cgroup"; NULL after the last one. */
const char *grouping_word(unsigned int i, enum subject_kind *kind);

/* Rows with nothing live that were idle for WINDOWS_KEPT intervals are dropped when there are this
 * many more than twice the rows left by the last drop, and at least every MONITOR_FORGET_STEPS
 * intervals.
 */
#define MONITOR_ROWS	     65536U
#define MONITOR_FORGET_STEPS 60U
/* Unused callchains are dropped when there are this many more than twice those left by the last
 * drop.
 */
#define MONITOR_STACKS	     16384U
/* Processes that ended are dropped when there are this many more than twice those left by the last
 * drop.
 */
#define MONITOR_PROCESSES    16384U
/* Names of tasks without a row are dropped at the same time if there are more than this. */
#define MONITOR_TASKS	     65536U

/* The group of an account's rows that are not part of the opened row. */
#define MONITOR_HIDDEN (UINT32_MAX - 1)

/* The state of an account's row at the last interval: its allocations so far, those of the
 * interval, and its group.
 */
struct monitor_row {
	uint64_t bytes, hit;
	uint64_t step_bytes, step_hit;
	uint64_t last; /* interval of the last allocation */
	uint32_t group;
};

/* Opened rows nest: any row, one of its callsites, one of the callsite's callchains. */
#define MONITOR_OPEN_MAX 3

/* An opened row: its grouping, and its group in it. */
struct monitor_open {
	struct subjects grouping;
	uint32_t group;
};

/* Lifetimes below 1 us, 10 us, ... 100 s, and longer ones. */
#define MONITOR_LIFETIMES 10U

/* How much was freed after lifetimes in one of these ranges. */
struct monitor_lifetime {
	uint64_t nr, bytes;
};

/**
 * struct monitor_side - a kind of memory
 * @wanted: it has an account, and the grouping has rows for it
 * @kept: account rows left by the last drop
 * @steps: intervals of the windows before the last regrouping
 */
struct monitor_side {
	bool wanted;
	struct subjects grouping;
	struct monitor_row *rows;
	size_t nr, capacity, kept;
	uint64_t steps;
	struct windows windows;
};

/* The pages of one CPU that are being read. */
struct monitor_cpu {
	uint32_t cpu;
	uint8_t *pages;
	size_t size, capacity;
};

/**
 * struct monitor_options - what to monitor; borrowed
 * @by: the grouping of rows: grouping_word()
 * @of: by enum memory: its events are recorded
 * @proc: /proc has the recorded tasks, with the same IDs
 * @opens: rows can be opened: monitor_open()
 * @slab_stacks: events of slab objects have callchains
 */
struct monitor_options {
	enum subject_kind by;
	bool of[MEMORY_KINDS];
	bool raw_ip, raw_names, sites, proc, opens, slab_stacks;
	const char *const *skip;
	size_t nr_skip;
	const struct log *log;
};

/**
 * struct monitor - initialised by monitor_begin()
 * @sites: shared by all sides
 * @events, @lost, @gaps: counts so far; gaps of an unknown number of events are in @unknown
 * @kept_stacks, @kept_processes: callchains, processes left by the last drop
 * @task_names: as last read from the kernel
 * @step_events: events of the last interval; @last_events: events up to its end; @step_ns: its
 *	length
 * @open, @nr_open: the opened rows; only rows of @open_side that are part of all these have a group
 * @by_lifetime: the last opened row is a callchain, and shows @lifetimes
 */
struct monitor {
	struct monitor_options opts;
	struct study study;
	struct analysis_env env;
	struct accounts accounts;
	struct sites sites;
	struct monitor_side sides[MEMORY_KINDS];
	struct monitor_cpu *cpus;
	size_t nr_cpus;
	uint32_t kept_stacks;
	size_t kept_processes;
	struct strbuf task_names;
	uint64_t events, lost, gaps, unknown;
	uint64_t step_events, last_events, step_ns;
	uint64_t nr_steps;
	struct monitor_open open[MONITOR_OPEN_MAX];
	unsigned int nr_open, open_side;
	bool by_lifetime;
	struct monitor_lifetime lifetimes[MONITOR_LIFETIMES];
};

/* @fd: the recording without pages; ownership passes to the monitor. 0; -EINVAL with a message: a
 * bad regular expression of functions to skip; else -errno. Call monitor_end() in any case.
 */
int monitor_begin(struct monitor *m, const struct monitor_options *opts,
		  int fd) __must_check;
/* Learns the running tasks. Call it when tracing has begun, before the first round: later tasks are
 * known from events. 0 or -ENOMEM.
 */
int monitor_list(struct monitor *m) __must_check;
/* Adds whole sub-buffers of a CPU, which are copied. 0 or -ENOMEM. */
int monitor_pages(struct monitor *m, uint32_t cpu, const void *pages,
		  size_t size) __must_check;
/* Adds all events before @until to the accounts; their pages must have been passed to
 * monitor_pages(). 0; -errno: the monitor cannot continue.
 */
int monitor_round(struct monitor *m, uint64_t until) __must_check;
/* Ends an interval of @ns: adds its allocations to the windows. 0 or -ENOMEM. */
int monitor_step(struct monitor *m, uint64_t ns) __must_check;
/* Changes the grouping of rows, and closes opened ones; totals restart from zero. If the accounts
 * do not keep the new groups apart (processes, stacks, CPUs, nodes), live figures restart, too, and
 * *@anew is set. 0 or -ENOMEM.
 */
int monitor_regroup(struct monitor *m, enum subject_kind by, bool *anew) __must_check;
void monitor_end(struct monitor *m);

/**
 * monitor_open() - show what a row consists of
 * @side, @group: the row
 *
 * A callsite is opened into its callchains, a callchain into lifetimes, any other row into its
 * callsites. Live figures stay, totals restart from zero.
 *
 * Return: 0; -ENOENT: the row is gone, or cannot be opened; -ENOMEM.
 */
int monitor_open(struct monitor *m, unsigned int side, uint32_t group) __must_check;
/* Closes the last opened row, and goes back to its grouping. 0; -ENOENT: none is open; -ENOMEM. */
int monitor_close(struct monitor *m) __must_check;
/* Is nothing left of the opened row? monitor_regroup() goes back. */
static inline bool monitor_gone(const struct monitor *m)
{
	return m->nr_open && m->open[m->nr_open - 1].group == MONITOR_HIDDEN;
}

/* Begins to group side @i, which must be wanted. 0 or -ENOMEM. */
int monitor_rows_group(struct monitor *m, unsigned int i) __must_check;
/* Finds the groups of new rows. 0 or -ENOMEM. */
int monitor_rows_find(struct monitor *m) __must_check;
/* Adds the allocations since the last call to the windows of side @i. 0 or -ENOMEM. */
int monitor_rows_add(struct monitor *m, unsigned int i) __must_check;
/* Finds the groups of all rows again. The windows get the allocations of the last interval, if the
 * rows had a group, and no earlier ones. 0 or -ENOMEM.
 */
int monitor_rows_regroup(struct monitor *m) __must_check;
/* Drops rows and groups if it is time to do so. 0 or -ENOMEM. */
int monitor_rows_forget(struct monitor *m) __must_check;

#endif

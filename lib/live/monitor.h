/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * live: the accounts of what is allocated now.
 * In: the beginning of a recording, then its pages as they are read. Out: sums by group, for each
 * interval; tables of them.
 */
#ifndef KMEMX_LIVE_MONITOR_H
#define KMEMX_LIVE_MONITOR_H

#include <stdbool.h>
#include <stdint.h>

#include "account/accounts.h"
#include "base/compiler.h"
#include "live/grouping.h"
#include "live/windows.h"
#include "report/table.h"
#include "study/study.h"

/* With this many rows more than twice those that were kept the last time, rows are dropped that
 * have nothing live and were idle for WINDOWS_KEPT intervals; in any case every
 * MONITOR_FORGET_STEPS intervals.
 */
#define MONITOR_ROWS	     65536U
#define MONITOR_FORGET_STEPS 60U
/* With this many callchains more than twice those that were kept the last time, unused ones are
 * dropped.
 */
#define MONITOR_STACKS	     16384U
/* With more task names than this, those of tasks without a row are dropped at the same time. */
#define MONITOR_TASKS	     65536U

/* An account's row as of the last interval: what it had allocated, and whose it is. */
struct monitor_row {
	uint64_t bytes, hit;
	uint64_t last; /* interval of the last allocation */
	uint32_t group;
};

/**
 * struct monitor_side - slab objects or pages
 * @wanted: there is an account of them
 * @kept: account rows after the last time some were dropped
 */
struct monitor_side {
	bool wanted;
	struct grouping grouping;
	struct monitor_row *rows;
	size_t nr, capacity, kept;
	struct windows windows;
};

enum { MONITOR_SLAB, MONITOR_PAGE, MONITOR_SIDES };

/* The pages of one CPU that are being looked at. */
struct monitor_cpu {
	uint32_t cpu;
	uint8_t *pages;
	size_t size, capacity;
};

/**
 * struct monitor_options - what to look at; borrowed
 * @by: what rows stand for: grouping_word()
 */
struct monitor_options {
	enum subject_kind by;
	bool slab, page;
	bool raw_ip, raw_names, sites;
	const char *const *skip;
	size_t nr_skip;
	const struct log *log;
};

/**
 * struct monitor - monitor_begin() it
 * @sites: of both sides
 * @events, @lost, @gaps: so far; gaps of an unknown number of events are in @unknown
 * @kept_stacks: callchains after the last time some were dropped
 * @task_names: as the kernel had them when it was last asked
 * @step_events: of the last interval; @last_events: up to its end
 */
struct monitor {
	struct monitor_options opts;
	struct study study;
	struct analysis_env env;
	struct accounts accounts;
	struct sites sites;
	struct monitor_side sides[MONITOR_SIDES];
	struct monitor_cpu *cpus;
	size_t nr_cpus;
	uint32_t kept_stacks;
	struct strbuf task_names;
	uint64_t events, lost, gaps, unknown;
	uint64_t step_events, last_events;
	uint64_t nr_steps;
};

/* @fd: the recording without pages, taken over. 0; -EINVAL with a message: the regular expression
 * of a function to skip; else -errno. monitor_end() in any case.
 */
int monitor_begin(struct monitor *m, const struct monitor_options *opts,
		  int fd) __must_check;
/* Whole sub-buffers of a CPU, copied. 0 or -ENOMEM. */
int monitor_pages(struct monitor *m, uint32_t cpu, const void *pages,
		  size_t size) __must_check;
/* Adds all events before @until to the accounts; their pages must have been handed over. 0; -errno:
 * no more can be taken.
 */
int monitor_round(struct monitor *m, uint64_t until) __must_check;
/* An interval of @ns is over: the windows get what was allocated in it. 0 or -ENOMEM. */
int monitor_step(struct monitor *m, uint64_t ns) __must_check;
/* Groups rows by something else from now on; totals start again from zero. If the accounts do not
 * keep that apart (processes, stacks, CPUs, nodes), live figures do too: *@anew. 0 or -ENOMEM.
 */
int monitor_regroup(struct monitor *m, enum subject_kind by, bool *anew) __must_check;
void monitor_end(struct monitor *m);

/* "callsite": what rows stand for. */
const char *monitor_by(const struct monitor *m);

#endif

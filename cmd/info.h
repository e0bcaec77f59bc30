/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cmd (info): what kmemx info shows, as plain data.
 * In: a recording that was read. Out: what the report is made from.
 */
#ifndef KMEMX_CMD_INFO_H
#define KMEMX_CMD_INFO_H

#include "input.h"
#include "study/study_facts.h"
#include "report/table.h"

/* So many gaps are kept for the list; the others are counted only. */
#define INFO_MAX_GAPS 10000

struct info_event {
	const char *name;
	uint64_t count;
};

/**
 * struct info_cpu - one CPU, its buffers added up
 * @bytes: in the file
 * @overrun, @dropped: the ring buffer's own statistics: overwritten, and not written
 * @missing: left in it by a recorder that ended early
 */
struct info_cpu {
	uint32_t cpu;
	uint64_t nr_events, nr_lost, nr_gaps, nr_unknown;
	uint64_t bytes, overrun, dropped, missing;
};

/* Events lost on @cpu between two time stamps; @lost may be KMEM_LOSS_UNKNOWN. */
struct info_gap {
	uint32_t cpu, buffer;
	uint64_t since_ts, ts, lost;
};

struct info {
	struct study_facts facts;
	const struct recording *rec;
	const char *instance; /* NULL: all buffers */
	const struct symbol_origin *origin;
	size_t nr_symbols;
	struct info_event *events; /* by name; equal names added up */
	size_t nr_events;
	uint64_t nr_unnamed;   /* events of no known format */
	struct info_cpu *cpus; /* by number */
	size_t nr_cpus;
	struct info_gap *gaps; /* in order of time */
	size_t nr_gaps, gaps_capacity;
	bool verbose; /* text lists all gaps */
};

/* Reads all events of @study, whose stream has just been opened. 0; -EIO, -ENOMEM. Free with
 * info_free() in any case; borrows from @study.
 */
int info_collect(struct info *info, const struct study *study) __must_check;
void info_free(struct info *info);
const char *info_compression(const struct recording *rec);
/* Bytes of all its CPUs in the file. */
uint64_t info_buffer_bytes(const struct recording_buffer *buf);

/* As properties, facts and tables; the caller's; NULL: no memory. Check with report_ok(). */
struct report *info_report(const struct info *info);
/* Where names, lines and inlined functions of an open recording come from; as info_report(). */
struct report *info_symbols_report(const struct input *in);
/* Adds the properties; @imported: the table of an import's notes, a text a row; may be NULL. */
void info_add_properties(struct report *r, const struct info *info,
			 const struct table *imported);

#endif

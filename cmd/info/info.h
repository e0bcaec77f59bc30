/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cmd (info): what kmemx info shows, as plain data.
 * In: a recording that was read. Out: what the report is made from.
 */
#ifndef KMEMX_CMD_INFO_H
#define KMEMX_CMD_INFO_H

#include "base/keyed.h"
#include "cmd/input/input.h"
#include "recording/kernel_curve.h"
#include "report/table.h"
#include "study/study_facts.h"

struct info_event {
	const char *name;
	uint64_t count;
};

/**
 * struct info_cpu - one CPU, the sum over its buffers
 * @bytes: in the file
 * @overrun, @dropped: events overwritten and not written, from the ring buffer's statistics
 * @missing: events left in the ring buffer by a recorder that ended early
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
	KEYED(struct info_event) events; /* sorted by name; equal names are summed up */
	uint64_t nr_unnamed;		 /* events of unknown format */
	INDEXED(struct info_cpu) cpus;	 /* sorted by number */
	struct info_gap *gaps;		 /* in time order */
	size_t nr_gaps;
	struct kernel_curve curve; /* none if it has no moments */
	bool verbose;		   /* text lists all gaps */
};

const char *info_compression(const struct recording *rec);
/* Bytes that all CPUs of the buffer take up in the file. */
uint64_t info_buffer_bytes(const struct recording_buffer *buf);

/* Returns a report of properties, facts and tables, which the caller frees, or NULL if out of
 * memory. Check it with report_ok().
 */
struct report *info_report(const struct info *info);
/* Reports where names, lines and inlined functions come from. Returns as info_report(). */
struct report *info_symbols_report(const struct input *in);
/* Adds an empty table, which @r owns; if out of memory, returns a spare one that is never shown.
 * With a NULL @title only programs see it.
 */
struct table *info_add_table(struct report *r, const char *name, const char *title);
/* Adds the properties. @imported: the table of the import's notes, one per row. */
void info_add_properties(struct report *r, const struct info *info,
			 const struct table *imported);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * analysis: moments that explain what memory did: ends of tasks, OOM kills, marks of the user.
 * In: events. Out: a list in order of time, with texts.
 */
#ifndef KMEMX_ANALYSIS_MOMENTS_H
#define KMEMX_ANALYSIS_MOMENTS_H

#include "analysis/analysis.h"
#include "base/hash.h"
#include "event/fields.h"
#include "report/web/web_report.h"

/* Limit of moments of each kind. */
#define MOMENTS_MAX 2048U

enum moment_kind {
	MOMENT_EXIT, /* sched_process_exit */
	MOMENT_OOM,  /* oom:mark_victim */
	MOMENT_MARK, /* trace_marker */
	MOMENT_KINDS,
};

/**
 * struct moment - a moment
 * @pid: the task that ended or was killed, or wrote the mark
 * @text: for marks: number of the text in @texts
 */
struct moment {
	uint64_t ts;
	uint8_t kind; /* enum moment_kind */
	int32_t pid;
	uint32_t text;
};

/**
 * struct moments - moments_init() it
 * @nr_all: by kind, including those beyond MOMENTS_MAX, which @items lacks
 * @places: by kind: where its event has the victim or the text
 * @failed: memory ran out; the list is void
 */
struct moments {
	bool big_endian;
	struct moment *items;
	size_t nr;
	uint64_t nr_all[MOMENT_KINDS];
	struct intern texts;
	struct moment_place {
		uint16_t id;
		bool known;
		struct raw_field field;
	} places[MOMENT_KINDS];
	bool failed;
};

/* 0 or -ENOMEM. */
int moments_init(struct moments *m, const struct analysis_env *env) __must_check;
/* Takes the events in order of time, with their raw data. */
void moments_events(struct moments *m, const struct kmem_event *evs, size_t nr);
void moments_free(struct moments *m);
/* Adds ends of tasks, OOM kills and marks of the user. 0 or -ENOMEM. */
int report_moments_fill(struct web_report *web, const struct moments *m,
			const char *cmdlines) __must_check;

#endif

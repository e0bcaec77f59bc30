/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * analysis (internal): advice: what advise.c collects, each kind of finding finds,
 * advise_table.c makes rows of and advise_view.c shows.
 * In: lives. Out: findings.
 */
#ifndef KMEMX_ANALYSIS_ADVISE_H
#define KMEMX_ANALYSIS_ADVISE_H

#include "analysis/far_frees.h"
#include "analysis/gfp_uses.h"
#include "analysis/single_frees.h"
#include "analysis/size_peaks.h"
#include "base/strbuf.h"

/**
 * struct advise - the analysis
 * @sizes: of what kmalloc gave; its groups of callsites are those of @gfp, @far and @single too
 * @losses: gaps in the events
 * @failed: memory ran out; the numbers are void
 */
struct advise {
	const struct analysis_env *env;
	const struct analysis_options *opts;
	struct slab_account *slab;
	struct size_peaks sizes;
	struct gfp_uses gfp;
	struct far_frees far;
	struct single_frees single;
	uint64_t losses;
	bool ended, failed;
};

/* One table in the making, and how many findings it has. @sample: that it is of, or zero. */
struct advise_view {
	const struct advise *a;
	struct table *t;
	uint64_t nr_findings;
	struct sample sample;
};

struct finding_kind;

/**
 * struct finding - a row; numbers that are 0 are not known
 * @site: the callsite's group of size_peaks.sites, unless @task has a text
 * @bytes: that it would save
 * @hit: allocations that it is about; @live: of their objects the most that were live
 * @bytes_req: of each, asked for; @object: of each, as it is; @better: as it would be
 * @freed_by: the group of the callsite that freed most of them + 1; 0: it is not about that
 * @task: who it is, where no callsite is known
 * @more: the options of kmemx that show more; empty: those of @kind, and --callsite
 * @evidence, @arithmetic, @doubt, @merge: sentences without an end; may be empty
 */
struct finding {
	const struct finding_kind *kind;
	uint32_t site, freed_by;
	uint64_t bytes;
	uint64_t hit, live, bytes_req, object, better;
	struct strbuf task, more, evidence, arithmetic, doubt, merge;
};

/**
 * struct finding_kind - a kind of finding: one of these in a file of its own
 * @name: in the table
 * @more: the options of kmemx that show more, before --callsite
 * @find: advise_add()s what it finds. 0 or -ENOMEM.
 */
struct finding_kind {
	const char *name, *more;
	int (*find)(const struct finding_kind *kind, struct advise_view *v);
};

extern const struct finding_kind finding_own_cache, finding_shrink, finding_atomic,
	finding_high_order, finding_ping_pong, finding_whole_pages, finding_unbatched;

/* Adds a row. Frees @f's texts. 0 or -ENOMEM. */
int advise_add(struct advise_view *v, struct finding *f) __must_check;
/* The whole table. 0 or -ENOMEM. */
int advise_show(const struct advise *a, struct report *report) __must_check;

/* A size is dominant that at least so many of a callsite's kmallocs ask for, in percent. */
#define ADVISE_DOMINANT 75

/* Is the size with number @i (size_peaks_key()) what its callsite nearly always asks for, and did
 * the slab allocator give it?
 */
bool advise_dominant(const struct advise *a, size_t i);
/* "979 objects of 56 bytes live at once, each in 64; ..." into @f, with what is in doubt of
 * the number of objects.
 */
void advise_tell_objects(const struct advise *a, size_t i, struct finding *f);

/* What is in doubt of a number of objects that live, @gone of which ended without an event. */
void advise_doubt_live(const struct advise *a, uint64_t gone, struct finding *f);

extern const struct table_type advice_type;

#endif

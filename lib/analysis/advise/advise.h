/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * analysis (internal): advice: shared by advise.c, which collects and shows, the files of the
 * findings, and advise_table.c, which makes rows.
 * In: lives. Out: findings.
 */
#ifndef KMEMX_ANALYSIS_ADVISE_H
#define KMEMX_ANALYSIS_ADVISE_H

#include "analysis/advise/far_frees.h"
#include "analysis/advise/gfp_uses.h"
#include "analysis/advise/single_frees.h"
#include "analysis/stat/size_peaks.h"
#include "base/strbuf.h"

/**
 * struct advise - the analysis
 * @sizes: live objects by callsite and size; @gfp, @far and @single share its groups of callsites
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
	bool failed;
};

/* A table under construction. @sample: the recording's sample, or zero. */
struct advise_view {
	const struct advise *a;
	struct table *t;
	uint64_t nr_findings;
	struct sample sample;
};

struct finding_kind;

/**
 * struct finding - a row; a number of 0 is not known
 * @site: the callsite's group of size_peaks.sites, unless @task has a text
 * @bytes: bytes that it would save
 * @hit: allocations that it is about; @live: the most of their objects that were live at once
 * @bytes_req: bytes requested for each object; @object: bytes each takes now; @better: bytes it
 *	would take
 * @freed_by: the group of the callsite that freed most of them, plus 1; 0: does not apply
 * @task: the task, if the callsite is not known
 * @more: the options of kmemx that show more; empty: those of @kind, and --callsite
 * @evidence, @arithmetic, @doubt, @merge: sentences without a final period; may be empty
 */
struct finding {
	const struct finding_kind *kind;
	uint32_t site, freed_by;
	uint64_t bytes;
	uint64_t hit, live, bytes_req, object, better;
	struct strbuf task, more, evidence, arithmetic, doubt, merge;
};

/**
 * struct finding_kind - a kind of finding; each has its own file
 * @name: its name in the table
 * @more: the options of kmemx that show more, before --callsite
 * @find: adds its findings with advise_add(). 0 or -ENOMEM.
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

/* Says why a number of live objects is uncertain; @gone of them ended without an event. */
void advise_doubt_live(const struct advise *a, uint64_t gone, struct finding *f);

extern const struct table_type advice_type;

#endif

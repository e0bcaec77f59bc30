/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * analysis: pages that were allocated before the recording and freed in it.
 * In: page events, and what frames were used for before. Out: bytes by use; table "older".
 */
#ifndef KMEMX_ANALYSIS_OLDER_H
#define KMEMX_ANALYSIS_OLDER_H

#include "account/addr_set.h"
#include "account/opening.h"
#include "analysis/balance/everything.h"

/**
 * struct older - zero-initialise it; older_free() at the end
 * @seen: frames with a use that had an event, times eight
 * @pages: by number of the opening's name: first freed, and not allocated before that
 * @pages_seen: by the same number: all that are in @seen
 */
struct older {
	const struct analysis_env *env;
	struct opening opening;
	struct addr_set seen;
	uint64_t *pages, *pages_seen;
	bool failed;
};

/* Reads what frames were used for. 0 or -ENOMEM. */
int older_init(struct older *o, const struct analysis_env *env) __must_check;
void older_events(struct older *o, const struct kmem_event *evs, size_t nr);
/* Adds what was freed of each use to @bytes; returns all of it. */
uint64_t older_sum(const struct older *o, const struct page_uses *uses,
		   int64_t bytes[USE_NR]);
/* Adds the table if a page with a known use was freed, or @always. 0 or -ENOMEM. */
int older_report(const struct older *o, const struct page_uses *uses, bool always,
		 struct report *report) __must_check;
/* Calls @add with the owners of pages without an event: they are still there. Ends at the first
 * result other than 0, which it returns; or -ENOMEM. Rows are valid in the call; of their texts
 * only the owner is not constant.
 */
int older_left(const struct older *o, const struct page_uses *uses,
	       int (*add)(void *to, const struct everything_row *row),
	       void *to) __must_check;
void older_free(struct older *o);

extern const struct table_type older_type;

#endif

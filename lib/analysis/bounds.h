/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * analysis: how far a net figure can be trusted.
 * In: what the accounts say is live, and why that may be wrong. Out: ranges.
 *
 * Of the allocations seen, the live ones are the most that can still live: net is an upper
 * bound. Sure to live are those after the last gap in the events, if no object of their
 * callsite ever ended without an event. Documentation/accounting.md has the formula.
 */
#ifndef KMEMX_ANALYSIS_BOUNDS_H
#define KMEMX_ANALYSIS_BOUNDS_H

#include <stdbool.h>
#include <stdint.h>

#include "analysis/analysis.h"
#include "base/hash.h"

/* Bytes: net = min + lost + implicit. */
struct net_range {
	uint64_t net;
	uint64_t min;  /* must still be live */
	uint64_t lost; /* may have been freed in a gap */
	uint64_t
		implicit; /* may have been freed as others of the callsite: without an event */
};

/* Zero-initialise it, then bounds_init(). */
struct bounds {
	struct u64_map suspects; /* callsites with implicit frees */
	bool unplaced;		 /* events are missing, no one knows when */
};

void bounds_init(struct bounds *b, const struct analysis_env *env);
/* Notes a callsite of which an object ended without an event. 0 or -ENOMEM. */
int bounds_suspect(struct bounds *b, uint64_t callsite) __must_check;
/* Of @live bytes that @callsite allocated, @sure were allocated after the last gap. */
struct net_range bounds_net(const struct bounds *b, uint64_t callsite, uint64_t live,
			    uint64_t sure);
void bounds_free(struct bounds *b);

void net_range_add(struct net_range *to, const struct net_range *from);
/* "lost", "implicit", "lost,implicit"; NULL for an exact figure. */
const char *net_range_reason(const struct net_range *r);

/* Events that the ring buffer's own statistics say were lost beyond the gaps. */
uint64_t bounds_dropped(const struct recording *rec, const struct event_stream_stats *s);

#endif

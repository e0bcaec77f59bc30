/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * analysis: how far a net figure can be trusted.
 * In: what the accounts say is live, and why that may be wrong. Out: ranges.
 *
 * Of the allocations seen, the live ones are the most that can still live: net is an upper
 * bound. Which of them live for sure no event says: those after the last gap in the events,
 * whose callsite and cache never showed a free without an event, are merely seen; only the
 * kernel's own count (census.h) makes some sure. Documentation/accounting.md has the formula.
 */
#ifndef KMEMX_ANALYSIS_BOUNDS_H
#define KMEMX_ANALYSIS_BOUNDS_H

#include <stdbool.h>
#include <stdint.h>

#include "analysis/analysis.h"
#include "base/hash.h"

/**
 * struct net_range - bytes: net = min + seen + implicit + lost + gone
 * @net: not seen freed
 * @min: must still be live
 * @seen: nothing says that they are freed, and nothing proves that they are not
 * @implicit: may have been freed without an event, as others of the cache or callsite were
 * @lost: may have been freed while events were lost
 * @gone: must have been freed, without an event
 * @sampled: these are estimated from a sample: of what must live at least @low bytes do, of what
 *	can at most @high, by their intervals
 */
struct net_range {
	uint64_t net;
	uint64_t min, seen, implicit, lost, gone;
	uint64_t low, high;
	bool sampled;
};

/* Zero-initialise it, then bounds_init(). */
struct bounds {
	struct u64_map suspects; /* callsites with implicit frees */
	bool unplaced;		 /* events are missing, no one knows when */
	bool all_frees;		 /* the recording has the frees of all tasks */
};

void bounds_init(struct bounds *b, const struct analysis_env *env);
/* Notes a callsite of which an object ended without an event. 0 or -ENOMEM. */
int bounds_suspect(struct bounds *b, uint64_t callsite) __must_check;
/* Of @live bytes that @callsite allocated, @sure were allocated after the last gap; none of
 * them counts as proved.
 */
struct net_range bounds_net(const struct bounds *b, uint64_t callsite, uint64_t live,
			    uint64_t sure);
/* Of @r, where nothing is proved yet, it is: at least @min and at most @max bytes live. */
void net_range_prove(struct net_range *r, uint64_t min, uint64_t max);
void bounds_free(struct bounds *b);

/* Adds @from to @to, @times; intervals do not add up. */
void net_range_add(struct net_range *to, const struct net_range *from, uint64_t times);
/* The least, and the most, that can live. */
static inline uint64_t net_range_min(const struct net_range *r)
{
	return r->sampled ? r->low : r->min;
}

static inline uint64_t net_range_max(const struct net_range *r)
{
	return r->sampled ? r->high : r->net - r->gone;
}

/* "lost", "implicit", "seen" and "sample", or some of them with commas; NULL for an exact figure.
 */
const char *net_range_reason(const struct net_range *r);
/* What text says for one of these: "untraced-free,seen". Static. */
const char *net_range_reason_spell(const char *reason);

/* Are the recorder's events left out by task and context, so that those of RCU and softirqs are
 * there, or are its own there too?
 */
bool bounds_recorder_apart(const struct recording *rec);
/* How many events are missing in all; false: no one knows. */
bool bounds_lost(const struct recording *rec, const struct event_stream_stats *s,
		 uint64_t *lost) __must_check;
/* Events that the ring buffer's own statistics say were lost beyond the gaps. */
uint64_t bounds_dropped(const struct recording *rec, const struct event_stream_stats *s);

#endif

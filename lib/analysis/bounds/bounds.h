/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * analysis: how far a net figure can be trusted.
 * In: live bytes by the accounts, and reasons why they may be wrong. Out: ranges.
 *
 * No more can be live than allocations without a free event: net is an upper bound. No event
 * proves which of them are live. Those after the last gap, whose callsite and cache never showed
 * a free without an event, count as seen; only the kernel's own count (census.h) proves a minimum.
 * Documentation/internals/bounds.md has the formula.
 */
#ifndef KMEMX_ANALYSIS_BOUNDS_H
#define KMEMX_ANALYSIS_BOUNDS_H

#include "analysis/analysis.h"
#include "base/hash.h"

/**
 * struct net_range - bytes: net = min + seen + implicit + lost + gone
 * @net: no free was seen
 * @min: must still be live
 * @seen: no sign that they were freed, and no proof that they were not
 * @implicit: may have been freed without an event, like others of the cache or callsite
 * @lost: may have been freed while events were lost
 * @gone: must have been freed, without an event
 * @likely: the best estimate of live bytes: not below min, not above net - gone
 * @unshown: bytes of net in caches whose count by the kernel rose by less than a quarter of them
 * @sampled: estimated from a sample: between @low and @high bytes live, by their intervals
 */
struct net_range {
	uint64_t net;
	uint64_t min, seen, implicit, lost, gone;
	uint64_t likely, unshown;
	uint64_t low, high;
	bool sampled;
};

/* Zero-initialise it, then bounds_init(). */
struct bounds {
	struct u64_map suspects; /* callsites with implicit frees */
	bool unplaced;		 /* events are missing at an unknown time */
	bool all_frees;		 /* the recording has the frees of all tasks */
	bool all_ends;		 /* no life ended without an event */
};

void bounds_init(struct bounds *b, const struct analysis_env *env);
/* Notes a callsite with an object that ended without an event. 0 or -ENOMEM. */
int bounds_suspect(struct bounds *b, uint64_t callsite) __must_check;
/* The range of @callsite, which allocated @live bytes, @sure of them after the last gap. These are
 * proved to live only if every free has an event and @callsite is not suspect.
 */
struct net_range bounds_net(const struct bounds *b, uint64_t callsite, uint64_t live,
			    uint64_t sure);
/* Adds the kernel's proof to @r, which has no proof yet: from @min to @max bytes are live. */
void net_range_prove(struct net_range *r, uint64_t min, uint64_t max);
/* Sets the best estimate, as far as the bounds allow it. */
void net_range_guess(struct net_range *r, uint64_t likely);
void bounds_free(struct bounds *b);

/* Adds @from to @to, @times times; intervals are not added. */
void net_range_add(struct net_range *to, const struct net_range *from, uint64_t times);
/* The least and the most bytes that can be live. */
static inline uint64_t net_range_min(const struct net_range *r)
{
	return r->sampled ? r->low : r->min;
}

static inline uint64_t net_range_max(const struct net_range *r)
{
	return r->sampled ? r->high : r->net - r->gone;
}

/* The best estimate of live bytes, between the two; for a sample it is @net. */
static inline uint64_t net_range_likely(const struct net_range *r)
{
	return r->sampled ? r->net : r->likely;
}

/* How many of @bytes, a part of the @r->net bytes that seem to live, probably do. */
uint64_t net_range_scale(const struct net_range *r, uint64_t bytes);

/* "lost", "implicit", "seen" and "sample", those that apply, separated by commas; NULL for an exact
 * figure.
 */
const char *net_range_reason(const struct net_range *r);
/* The cells of a struct net_range. */
cell_fn net_range_min_cell, net_range_max_cell, net_range_likely_cell,
	net_range_reason_cell;
/* The reason as text shows it: "untraced-free,seen". Static. */
const char *net_range_reason_spell(const char *reason);

/* Were the recorder's own events excluded by task and context (so those of RCU and softirqs are
 * kept), or not excluded at all?
 */
bool bounds_recorder_apart(const struct recording *rec);
/* Sets @lost to the number of all missing events; false: unknown. */
bool bounds_lost(const struct recording *rec, const struct event_stream_stats *s,
		 uint64_t *lost) __must_check;
/* Lost events in the ring buffer's statistics beyond those in the gaps. */
uint64_t bounds_dropped(const struct recording *rec, const struct event_stream_stats *s);

/* Is the recorded kernel at least @major.@minor? False if the recording does not say. */
bool census_since(const struct recording *rec, unsigned int major, unsigned int minor);
/* Can the counts of @rec be trusted, if it has them? Before Linux 5.9 each memory cgroup had its
 * own caches: slabinfo added them up, sysfs does not.
 */
bool census_has_counts(const struct recording *rec);

#endif

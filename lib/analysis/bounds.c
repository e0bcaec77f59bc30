// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * analysis: how far a net figure can be trusted.
 * In: what the accounts say is live, and why that may be wrong. Out: ranges.
 */
#include "analysis/bounds.h"

#include <errno.h>

uint64_t bounds_dropped(const struct recording *rec, const struct event_stream_stats *s)
{
	uint64_t dropped = 0, seen = 0;
	size_t i;

	for (i = 0; i < s->nr_cpus; i++)
		seen += s->cpus[i].nr_lost;
	for (i = 0; i < rec->nr_cpustats; i++)
		dropped += rec->cpustats[i].overrun + rec->cpustats[i].commit_overrun +
			   rec->cpustats[i].dropped_events;
	return dropped > seen ? dropped - seen : 0;
}

/* Are events missing that no gap in the stream stands for? What the ring buffer overwrote
 * leaves a mark where it was, though perhaps without a number; what it refused to take
 * leaves none.
 */
static bool lost_without_place(const struct recording *rec,
			       const struct event_stream_stats *s)
{
	bool unknown = false, refused = false;
	size_t i;

	for (i = 0; i < s->nr_cpus; i++)
		unknown |= s->cpus[i].nr_unknown != 0;
	for (i = 0; i < rec->nr_cpustats; i++)
		refused |= rec->cpustats[i].dropped_events ||
			   rec->cpustats[i].commit_overrun;
	return refused || (bounds_dropped(rec, s) && !unknown);
}

void bounds_init(struct bounds *b, const struct analysis_env *env)
{
	const struct event_stream_stats *s = event_stream_stats(env->stream);

	b->unplaced = s->nr_undecodable || lost_without_place(env->rec, s);
}

int bounds_suspect(struct bounds *b, uint64_t callsite)
{
	return u64_map_insert(&b->suspects, callsite, 0) ? 0 : -ENOMEM;
}

struct net_range bounds_net(const struct bounds *b, uint64_t callsite, uint64_t live,
			    uint64_t sure)
{
	struct net_range r = { .net = live };

	if (b->unplaced)
		sure = 0;
	r.lost = live - sure;
	if (u64_map_find(&b->suspects, callsite))
		r.implicit = sure;
	else
		r.min = sure;
	return r;
}

void bounds_free(struct bounds *b)
{
	u64_map_free(&b->suspects);
}

void net_range_add(struct net_range *to, const struct net_range *from)
{
	to->net += from->net;
	to->min += from->min;
	to->lost += from->lost;
	to->implicit += from->implicit;
}

const char *net_range_reason(const struct net_range *r)
{
	if (r->lost)
		return r->implicit ? "lost,implicit" : "lost";
	return r->implicit ? "implicit" : NULL;
}

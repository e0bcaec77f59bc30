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

void bounds_init(struct bounds *b, const struct analysis_env *env)
{
	const struct event_stream_stats *s = event_stream_stats(env->stream);

	b->unplaced = bounds_dropped(env->rec, s) || s->nr_undecodable;
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

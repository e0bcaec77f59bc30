// SPDX-License-Identifier: GPL-2.0-or-later
#include "analysis/bounds/bounds.h"

uint64_t bounds_dropped(const struct recording *rec, const struct event_stream_stats *s)
{
	uint64_t dropped = 0, seen = 0;

	for (size_t i = 0; i < s->nr_cpus; i++)
		seen += s->cpus[i].nr_lost;
	for (size_t i = 0; i < rec->nr_cpustats; i++) {
		dropped +=
			rec->cpustats[i].commit_overrun + rec->cpustats[i].dropped_events;
		/* A flight recorder overwrites the past by design; that is not a loss. */
		dropped += recording_flight(rec) ? 0 : rec->cpustats[i].overrun;
	}
	return less(dropped, seen);
}

bool bounds_lost(const struct recording *rec, const struct event_stream_stats *s,
		 uint64_t *lost)
{
	bool known = !s->nr_undecodable && !s->nr_bad_pages;

	*lost = bounds_dropped(rec, s);
	for (size_t i = 0; i < s->nr_cpus; i++) {
		*lost += s->cpus[i].nr_lost;
		known &= !s->cpus[i].nr_unknown;
	}
	return known;
}

/* Are events missing without a gap in the stream? Overwritten events leave a mark in the stream,
 * though perhaps without a number; events that the ring buffer refused leave none.
 */
static bool lost_without_place(const struct recording *rec,
			       const struct event_stream_stats *s)
{
	bool unknown = false, refused = false;

	for (size_t i = 0; i < s->nr_cpus; i++)
		unknown |= s->cpus[i].nr_unknown != 0;
	for (size_t i = 0; i < rec->nr_cpustats; i++)
		refused |= rec->cpustats[i].dropped_events ||
			   rec->cpustats[i].commit_overrun;
	return refused || (bounds_dropped(rec, s) && !unknown);
}

/* Recorders that exclude themselves by pid (not only kmemx) also exclude the frees of RCU and
 * softirqs that run meanwhile.
 */
bool bounds_recorder_apart(const struct recording *rec)
{
	const struct recording_text *self = recording_meta(rec, "self");

	return self && strcmp(self->text, "pid") != 0;
}

void bounds_init(struct bounds *b, const struct analysis_env *env)
{
	const struct event_stream_stats *s = event_stream_stats(env->stream);

	b->unplaced = s->nr_undecodable || env->rec->cut_short ||
		      lost_without_place(env->rec, s);
	b->all_frees =
		bounds_recorder_apart(env->rec) && !recording_lacks_frees(env->rec);
}

int bounds_suspect(struct bounds *b, uint64_t callsite)
{
	return u64_map_insert(&b->suspects, callsite, 0) ? 0 : -ENOMEM;
}

struct net_range bounds_net(const struct bounds *b, uint64_t callsite, uint64_t live,
			    uint64_t sure)
{
	struct net_range r = { .net = live, .likely = live };

	if (b->unplaced)
		sure = 0;
	r.lost = live - sure;
	if (u64_map_find(&b->suspects, callsite))
		r.implicit = sure;
	else if (b->all_ends)
		r.min = sure;
	else
		r.seen = sure;
	return r;
}

/* Takes up to @bytes out of @part; returns what is left to take. */
static uint64_t take(uint64_t *part, uint64_t bytes)
{
	uint64_t part_of_it = SMALLER(bytes, *part);

	*part -= part_of_it;
	return bytes - part_of_it;
}

void net_range_prove(struct net_range *r, uint64_t min, uint64_t max)
{
	max = SMALLER(max, r->net);
	min = LARGER(min, r->min);
	r->seen += r->min;
	r->min = SMALLER(min, max);
	r->gone = r->net - max;
	/* Bytes that must live are taken from seen, implicit, lost; gone ones from implicit, lost,
	 * seen.
	 */
	take(&r->lost, take(&r->implicit, take(&r->seen, r->min)));
	take(&r->seen, take(&r->lost, take(&r->implicit, r->gone)));
	net_range_guess(r, r->likely);
}

void net_range_guess(struct net_range *r, uint64_t likely)
{
	uint64_t max = r->net - r->gone;

	r->likely = likely < r->min ? r->min : likely > max ? max : likely;
}

uint64_t net_range_scale(const struct net_range *r, uint64_t bytes)
{
	uint64_t likely = net_range_likely(r);

	if (likely >= r->net || !r->net)
		return bytes;
	/* Sums of bytes fit a double's 53 bits. */
	return (uint64_t)((double)bytes * (double)likely / (double)r->net + 0.5);
}

void bounds_free(struct bounds *b)
{
	u64_map_free(&b->suspects);
}

void net_range_add(struct net_range *to, const struct net_range *from, uint64_t times)
{
	to->net += from->net * times;
	to->min += from->min * times;
	to->seen += from->seen * times;
	to->implicit += from->implicit * times;
	to->lost += from->lost * times;
	to->gone += from->gone * times;
	to->likely += from->likely * times;
	to->unshown += from->unshown * times;
}

/* Indexed by a bit mask of what is uncertain: lost, implicit, seen, sample. Second: as in text. */
static const char *const reasons[][2] = {
	{ NULL, NULL },
	{ "lost", "lost" },
	{ "implicit", "untraced-free" },
	{ "lost,implicit", "lost,untraced-free" },
	{ "seen", "seen" },
	{ "lost,seen", "lost,seen" },
	{ "implicit,seen", "untraced-free,seen" },
	{ "lost,implicit,seen", "lost,untraced-free,seen" },
	{ "sample", "sample" },
	{ "lost,sample", "lost,sample" },
	{ "implicit,sample", "untraced-free,sample" },
	{ "lost,implicit,sample", "lost,untraced-free,sample" },
	{ "seen,sample", "seen,sample" },
	{ "lost,seen,sample", "lost,seen,sample" },
	{ "implicit,seen,sample", "untraced-free,seen,sample" },
	{ "lost,implicit,seen,sample", "lost,untraced-free,seen,sample" },
};

const char *net_range_reason(const struct net_range *r)
{
	bool implicit = r->implicit || r->gone;
	bool sample = r->sampled && r->low < r->high;

	return reasons[(r->lost ? 1 : 0) + (implicit ? 2 : 0) + (r->seen ? 4 : 0) +
		       (sample ? 8 : 0)][0];
}

SHARED_CELL(net_range_min_cell, struct net_range, cell_uint(net_range_min(r)))
SHARED_CELL(net_range_max_cell, struct net_range, cell_uint(net_range_max(r)))
SHARED_CELL(net_range_likely_cell, struct net_range, cell_uint(net_range_likely(r)))
SHARED_CELL(net_range_reason_cell, struct net_range, cell_text(t, net_range_reason(r)))

const char *net_range_reason_spell(const char *reason)
{
	for (size_t i = 1; i < ARRAY_SIZE(reasons); i++) {
		if (!strcmp(reason, reasons[i][0]))
			return reasons[i][1];
	}
	return reason;
}

bool census_since(const struct recording *rec, unsigned int major, unsigned int minor)
{
	unsigned int a = 0, b = 0;

	return sscanf(recording_release(rec).text, "%u.%u", &a, &b) == 2 &&
	       (a > major || (a == major && b >= minor));
}

bool census_has_counts(const struct recording *rec)
{
	return census_since(rec, 5, 9);
}

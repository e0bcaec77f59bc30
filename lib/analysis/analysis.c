// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * analysis: what every analysis may ask of the environment.
 * In: an environment. Out: which events its stream had.
 */
#include "analysis/analysis.h"

uint32_t analysis_seen(const struct analysis_env *env)
{
	const struct event_stream_stats *s = event_stream_stats(env->stream);
	uint32_t seen = 0, i;

	for (i = 0; i < event_formats_count(env->fmts); i++) {
		const struct event_format *fmt = event_formats_at(env->fmts, i);

		if (s->by_id[fmt->id])
			seen |= 1U << fmt->type;
	}
	return seen;
}

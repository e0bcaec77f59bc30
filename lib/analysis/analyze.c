// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * analysis: one pass over a stream, for many analyses.
 * In: a stream. Out: the tables of every analysis that took part.
 */
#include "analysis/analyze.h"

#include <errno.h>
#include <stdlib.h>

/* Every item of the stream to every analysis. */
static int analyze_stream(const struct analysis_ops *const *ops, void **selves, size_t nr,
			  struct event_stream *stream,
			  const struct analyze_progress *progress)
{
	uint64_t count = 0;
	uint64_t pause = progress && progress->fn ? progress->interval : UINT64_MAX;
	struct kmem_event ev;
	int ret;

	while ((ret = event_stream_next(stream, &ev)) > 0) {
		size_t i;

		for (i = 0; i < nr; i++)
			ops[i]->event(selves[i], &ev);
		if (unlikely(++count >= pause)) {
			if (progress->fn(progress->ctx, count))
				return -ECANCELED;
			pause = count + progress->interval;
		}
	}
	return ret;
}

int analyze_run(const struct analysis_env *env, const struct analysis_ops *const *ops,
		size_t nr, struct event_stream *stream, struct report *report,
		const struct analyze_progress *progress)
{
	void **selves = calloc(nr ? nr : 1, sizeof(*selves));
	int ret = -ENOMEM;
	size_t i;

	if (!selves)
		return -ENOMEM;
	for (i = 0; i < nr; i++) {
		selves[i] = ops[i]->create(env);
		if (!selves[i])
			goto out;
	}
	ret = analyze_stream(ops, selves, nr, stream, progress);
	for (i = 0; i < nr && !ret; i++)
		ret = ops[i]->finish(selves[i], report);
	if (!ret && !report_ok(report))
		ret = -ENOMEM;
out:
	for (i = 0; i < nr; i++) {
		if (selves[i])
			ops[i]->destroy(selves[i]);
	}
	free(selves);
	return ret;
}

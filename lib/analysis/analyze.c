// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * analysis: one pass over a stream, for many analyses.
 * In: a stream. Out: the tables of every analysis that took part.
 */
#include "analysis/analyze.h"

#include <errno.h>
#include <stdlib.h>

#include "analysis/relay.h"
#include "analysis/unknown.h"

/* Events taken at a time where there is one thread: they stay in the nearest cache. */
#define BATCH 128

/* The analyses of one thread: every @step-th from @first on. */
struct share {
	const struct analysis_ops *const *ops;
	void **selves;
	size_t nr, first, step;
};

static void share_events(void *ctx, const struct kmem_event *evs, size_t nr)
{
	const struct share *share = ctx;
	size_t i, e;

	for (i = share->first; i < share->nr; i += share->step) {
		const struct analysis_ops *ops = share->ops[i];

		for (e = 0; e < nr && ops->event && !ops->events; e++)
			ops->event(share->selves[i], &evs[e]);
		if (ops->events)
			ops->events(share->selves[i], evs, nr);
	}
}

static void slab_account_share(void *self, const struct kmem_event *evs, size_t nr)
{
	slab_account_events(self, evs, nr);
}

static void page_account_share(void *self, const struct kmem_event *evs, size_t nr)
{
	page_account_events(self, evs, nr);
}

/* The accounts take their events like analyses. */
static const struct analysis_ops shared_slab = {
	.name = "slab_account",
	.events = slab_account_share,
	.apart = true,
};

static const struct analysis_ops shared_page = {
	.name = "page_account",
	.events = page_account_share,
	.apart = true,
};

/* How far the pass is, and when to say so next. */
struct pass {
	const struct analyze_progress *progress; /* may be NULL */
	uint64_t count, pause;
};

static inline int pass_on(struct pass *pass, size_t nr)
{
	pass->count += nr;
	if (likely(pass->count < pass->pause))
		return 0;
	pass->pause = pass->count + pass->progress->interval;
	return pass->progress->fn(pass->progress->ctx, pass->count) ? -ECANCELED : 0;
}

/* Every item of the stream to every analysis, on this thread. */
static int run_here(struct share *all, struct event_stream *stream, struct pass *pass)
{
	struct kmem_event *evs = malloc(BATCH * sizeof(*evs));
	int ret = -ENOMEM;

	while (evs && (ret = event_stream_next_batch(stream, evs, BATCH)) > 0) {
		share_events(all, evs, (size_t)ret);
		ret = pass_on(pass, (size_t)ret);
		if (ret < 0)
			break;
	}
	free(evs);
	return ret;
}

/* A whole batch for the threads; less at the end. Its events outlive their raw data. */
static int fill(struct event_stream *stream, struct kmem_event *evs)
{
	int nr = 0;

	while (nr < RELAY_BATCH) {
		int i, ret = event_stream_next_batch(stream, evs + nr, RELAY_BATCH - nr);

		if (ret < 0)
			return ret;
		if (!ret)
			break;
		for (i = nr; i < nr + ret; i++)
			evs[i].data = NULL;
		nr += ret;
	}
	return nr;
}

/* The same with the analyses on threads of their own, while this one reads and decodes. */
static int run_apart(struct relay *relay, struct event_stream *stream, struct pass *pass)
{
	int ret;

	do {
		ret = fill(stream, relay_room(relay));
		if (ret <= 0)
			break;
		relay_push(relay, (size_t)ret);
		ret = pass_on(pass, (size_t)ret);
	} while (!ret);
	return ret;
}

/* Threads for the analyses; 0 where they run on the caller's. */
static unsigned int nr_readers(const struct analysis_env *env, const struct share *all)
{
	size_t i, nr = env->jobs ? env->jobs - 1 : 0;

	for (i = 0; i < all->nr; i++) {
		if (!all->ops[i]->apart)
			return 0;
	}
	if (nr > all->nr)
		nr = all->nr;
	return nr < RELAY_MAX_READERS ? (unsigned int)nr : RELAY_MAX_READERS;
}

static int analyze_stream(const struct analysis_env *env, struct share *all,
			  struct event_stream *stream,
			  const struct analyze_progress *progress)
{
	struct pass pass = { progress, 0, UINT64_MAX };
	struct relay_reader readers[RELAY_MAX_READERS];
	struct share shares[RELAY_MAX_READERS];
	unsigned int i, nr = nr_readers(env, all);
	struct relay *relay;
	int ret;

	if (progress && progress->fn)
		pass.pause = progress->interval;
	for (i = 0; i < nr; i++) {
		shares[i] = *all;
		shares[i].first = i;
		shares[i].step = nr;
		readers[i] = (struct relay_reader){ share_events, &shares[i] };
	}
	/* Without threads it only takes longer. */
	if (!nr || relay_start(&relay, readers, nr))
		return run_here(all, stream, &pass);
	ret = run_apart(relay, stream, &pass);
	relay_finish(relay);
	return ret;
}

/* Everyone who takes events: the analyses, then the accounts that they asked for. */
struct everyone {
	const struct analysis_ops **ops;
	void **selves;
	size_t nr;
};

static void join(struct everyone *all, const struct analysis_ops *ops, void *self)
{
	if (!self)
		return;
	all->ops[all->nr] = ops;
	all->selves[all->nr++] = self;
}

/* The analyses, in the order of their tables. 0 or -ENOMEM. */
static int create_all(struct everyone *all, const struct analysis_env *env,
		      const struct analysis_ops *const *ops, size_t nr)
{
	size_t i;

	all->ops = calloc(nr + 2, sizeof(*all->ops));
	all->selves = calloc(nr + 2, sizeof(*all->selves));
	if (!all->ops || !all->selves)
		return -ENOMEM;
	for (i = 0; i < nr; i++) {
		join(all, ops[i], ops[i]->create(env));
		if (all->nr <= i)
			return -ENOMEM;
	}
	join(all, &shared_slab, env->accounts->slab);
	join(all, &shared_page, env->accounts->page);
	return 0;
}

static void destroy_all(struct everyone *all)
{
	size_t i;

	for (i = 0; i < all->nr; i++) {
		if (all->ops[i]->destroy)
			all->ops[i]->destroy(all->selves[i]);
	}
	free(all->ops);
	free(all->selves);
}

int analyze_run(const struct analysis_env *common, const struct analysis_ops *const *ops,
		size_t nr, struct event_stream *stream, struct report *report,
		const struct analyze_progress *progress)
{
	struct accounts accounts = { .rec = common->rec, .page_size = common->page_size };
	struct analysis_env env = *common;
	struct everyone all = { 0 };
	struct share share;
	int ret;
	size_t i;

	env.accounts = &accounts;
	ret = create_all(&all, &env, ops, nr);
	if (ret)
		goto out;
	share = (struct share){ all.ops, all.selves, all.nr, 0, 1 };
	ret = analyze_stream(&env, &share, stream, progress);
	if (!ret)
		accounts_finish(&accounts);
	for (i = 0; i < nr && !ret; i++)
		ret = ops[i]->finish(all.selves[i], report);
	if (!ret && !report_ok(report))
		ret = -ENOMEM;
	if (!ret && recording_lacks_frees(env.rec))
		unknown_blank(report);
out:
	destroy_all(&all);
	accounts_free(&accounts);
	return ret;
}

// SPDX-License-Identifier: GPL-2.0-or-later
#include "analysis/pass/analyze.h"

#include "analysis/filter/alloc_filter.h"
#include "analysis/filter/stack_guess.h"
#include "analysis/pass/relay.h"

/* Events taken at a time with a single thread: they stay in the L1 cache. */
#define BATCH 128

/* Takes events: an analysis, or an account that some analysis asked for. Observers of a group share
 * data, or their order matters.
 */
struct observer {
	void (*observe)(void *self, const struct kmem_event *evs, size_t nr);
	void *self;
	unsigned int group;
};

/* The groups of the accounts; other groups have one analysis each. */
enum { GROUP_SLAB, GROUP_PAGE, GROUP_OTHERS, GROUP_ALL = RELAY_TASKS };

_Static_assert(ANALYSES_MAX + GROUP_OTHERS <= RELAY_TASKS, "a task for each group");

struct analyses {
	struct analysis_env env;
	struct accounts accounts;
	struct analysis_set set;
	struct analysis_options opts[ANALYSES_MAX]; /* of each */
	void *selves[ANALYSES_MAX];
	struct observer observers[ANALYSES_MAX + 3];
	size_t nr_observers;
	bool one_group; /* all observers share data */
};

/* The observers of a group. */
struct share {
	struct analyses *all;
	unsigned int group;
};

/* Does the observer belong to the group? */
static bool belongs(const struct observer *t, unsigned int group)
{
	return group == GROUP_ALL || t->group == group;
}

static void run_group(struct analyses *all, unsigned int group,
		      const struct kmem_event *evs, size_t nr)
{
	const struct observer *t = all->observers, *end = t + all->nr_observers;
	/* The accounts are the last two. */
	bool both = all->accounts.slab && all->accounts.page && belongs(end - 1, group) &&
		    belongs(end - 2, group);

	end -= both ? 2 : 0;
	for (; t < end; t++) {
		if (belongs(t, group))
			t->observe(t->self, evs, nr);
	}
	if (both)
		accounts_events(&all->accounts, evs, nr);
}

/* Progress of the pass, and when to report it next. */
struct pass {
	const struct analyze_progress *progress; /* may be NULL */
	uint64_t count, pause;
};

static struct pass pass_start(const struct analyze_progress *progress)
{
	bool wanted = progress && progress->fn;

	return (struct pass){ progress, 0, wanted ? progress->interval : UINT64_MAX };
}

static inline int pass_on(struct pass *pass, size_t nr)
{
	pass->count += nr;
	if (likely(pass->count < pass->pause))
		return 0;
	pass->pause = pass->count + pass->progress->interval;
	return pass->progress->fn(pass->progress->ctx, pass->count) ? -ECANCELED : 0;
}

/* Marks events before any observer sees them. */
static void mark(const struct analyses *all, struct kmem_event *evs, size_t nr)
{
	struct stack_guess *guess = all->env.guess;

	if (guess)
		stack_guess_give(guess, evs, nr);
	if (all->env.filter)
		alloc_filter_mark(all->env.filter, evs, nr);
	if (guess)
		stack_guess_count(guess, evs, nr);
}

/* Shows events to the analyses that read their raw data, on the thread that reads the stream. */
static void read_raw(const struct analyses *all, const struct kmem_event *evs, size_t nr)
{
	for (size_t i = 0; i < all->set.nr; i++) {
		if (all->set.analyses[i]->read)
			all->set.analyses[i]->read(all->selves[i], evs, nr);
	}
}

/* Passes every item of the stream to every analysis, on this thread. */
static int run_here(struct analyses *all, struct event_stream *stream, struct pass *pass)
{
	struct kmem_event *evs __auto_mem = malloc(BATCH * sizeof(*evs));
	int ret = -ENOMEM;

	while (evs && (ret = event_stream_next_batch(stream, evs, BATCH)) > 0) {
		mark(all, evs, (size_t)ret);
		analyses_observe(all, evs, (size_t)ret);
		ret = pass_on(pass, (size_t)ret);
		if (ret < 0)
			break;
	}
	return ret;
}

/* Fills a batch for the threads; it is only short at the end. Its events outlive their raw data. */
static int fill(const struct analyses *all, struct relay *relay,
		struct event_stream *stream, bool probes)
{
	struct kmem_event *evs = relay_room(relay);
	int nr = 0;

	while (nr < RELAY_BATCH) {
		int i, ret = event_stream_next_batch(stream, evs + nr, RELAY_BATCH - nr);

		if (ret < 0)
			return ret;
		if (!ret)
			break;
		read_raw(all, evs + nr, (size_t)ret);
		if (probes && relay_keep(relay, evs + nr, (size_t)ret))
			return -ENOMEM;
		for (i = nr; i < nr + ret; i++)
			evs[i].data = NULL;
		nr += ret;
	}
	return nr;
}

/* Like run_here(), but other threads run the analyses, too, while this one reads and decodes. */
static int run_behind(const struct analyses *all, struct relay *relay,
		      struct event_stream *stream, struct pass *pass)
{
	const bool probes = event_formats_any(all->env.fmts, kmem_is_probe);
	int ret;

	do {
		ret = fill(all, relay, stream, probes);
		if (ret <= 0)
			break;
		relay_push(relay, (size_t)ret);
		ret = pass_on(pass, (size_t)ret);
	} while (!ret);
	return ret;
}

static void share_events(void *ctx, struct kmem_event *evs, size_t nr)
{
	const struct share *share = ctx;

	mark(share->all, evs, nr); /* with a filter or a guess, it is the only task */
	run_group(share->all, share->group, evs, nr);
}

/* Makes a task of each group of observers. Return: their number. */
static unsigned int share_out(struct analyses *all, struct share *shares,
			      struct relay_task *tasks)
{
	unsigned int nr = 0, group;
	size_t i;

	for (group = 0; group < GROUP_ALL; group++) {
		for (i = 0; i < all->nr_observers && all->observers[i].group != group;)
			i++;
		if (i == all->nr_observers)
			continue;
		shares[nr] = (struct share){ all, group };
		tasks[nr] = (struct relay_task){ share_events, &shares[nr] };
		nr++;
	}
	return nr;
}

/* Did an analysis ask for areas of vmalloc or per-CPU memory, and may their events come? */
static bool has_areas(const struct analyses *all)
{
	const struct accounts *a = &all->accounts;

	return (a->vmalloc || a->percpu) &&
	       event_formats_any(all->env.fmts, kmem_is_area);
}

static bool only_accounts(const struct analyses *all)
{
	const struct accounts *a = &all->accounts;
	size_t nr = (a->slab != NULL) + (a->page != NULL) + has_areas(all);

	return nr && all->nr_observers == nr;
}

/* Are brief events enough? Not if there is a filter, an observer other than the accounts, or
 * accounts that read all.
 */
static bool is_brief(const struct analyses *all)
{
	return !all->env.filter && only_accounts(all) &&
	       !accounts_read_all(&all->accounts);
}

/* If an account is by callchain and only a sample has callchains, reads the stream once to learn
 * from the sample, then rewinds it.
 */
static int learn_stacks(struct analyses *all, struct event_stream *stream,
			const struct analyze_progress *progress)
{
	const struct slab_lives *slab = all->accounts.slab;
	struct pass pass = pass_start(progress);
	struct kmem_event *evs;
	int ret = -ENOMEM;

	if (!slab || dimensions_find(&slab->any.dimensions, DIMENSION_STACK) < 0)
		all->env.guess = NULL;
	if (!all->env.guess)
		return 0;
	event_stream_set_brief(stream, true);
	evs = malloc(BATCH * sizeof(*evs));
	while (evs && (ret = event_stream_next_batch(stream, evs, BATCH)) > 0) {
		stack_guess_learn(all->env.guess, evs, (size_t)ret);
		ret = pass_on(&pass, (size_t)ret);
		if (ret < 0)
			break;
	}
	free(evs);
	return ret ?: stack_guess_learned(all->env.guess) ?: event_stream_again(stream);
}

/* Are there rows by how the kernel was entered, and were system calls recorded? */
static bool wants_calls(const struct analyses *all)
{
	bool page = false;

	for (size_t i = 0; i < all->set.nr; i++)
		page |= all->set.analyses[i]->by_entry;
	return (page || subject_rows(all->set.opts->by) & ROWS(ENTRY)) &&
	       event_formats_any(all->env.fmts, kmem_is_call);
}

static int analyze_stream(struct analyses *all, struct event_stream *stream,
			  const struct analyze_progress *progress)
{
	struct pass pass = pass_start(progress);
	struct relay_task tasks[RELAY_TASKS];
	struct share shares[RELAY_TASKS];
	struct relay *relay;
	unsigned int nr;
	int ret;

	event_stream_set_brief(stream, is_brief(all));
	/* If the threads cannot start, it only takes longer. */
	nr = all->env.jobs > 1 ? share_out(all, shares, tasks) : 0;
	if (!nr || relay_start(&relay, tasks, nr, all->env.jobs - 1))
		return run_here(all, stream, &pass);
	ret = run_behind(all, relay, stream, &pass);
	relay_finish(relay);
	return ret;
}

static void slab_account_take(void *self, const struct kmem_event *evs, size_t nr)
{
	slab_lives_events(self, evs, nr);
}

static void page_account_take(void *self, const struct kmem_event *evs, size_t nr)
{
	page_lives_events(self, evs, nr);
}

static void areas_take(void *self, const struct kmem_event *evs, size_t nr)
{
	accounts_area_events(self, evs, nr);
}

/* Analyses that only observe an account take no events, and unused accounts are NULL. */
static void add_observer(struct analyses *all, const struct observer *observer)
{
	if (observer->observe && observer->self)
		all->observers[all->nr_observers++] = *observer;
}

/* The group of the page account: that of the slab account, if an analysis joins the two. */
static unsigned int page_group(const struct analyses *all)
{
	const uint32_t both = NEEDS_SLAB | NEEDS_PAGE;

	for (size_t i = 0; i < all->set.nr; i++) {
		if ((all->set.analyses[i]->joins & both) == both)
			return GROUP_SLAB;
	}
	return all->one_group ? GROUP_SLAB : GROUP_PAGE;
}

/* The group of analysis @i. */
static unsigned int group_of(const struct analyses *all, size_t i)
{
	uint32_t joins = all->set.analyses[i]->joins;

	if (all->one_group || joins & NEEDS_SLAB)
		return GROUP_SLAB;
	return joins ? page_group(all) : GROUP_OTHERS + (unsigned int)i;
}

int analyses_new(struct analyses **out, const struct analysis_env *env,
		 const struct analysis_set *set)
{
	struct analyses *all = calloc(1, sizeof(*all));
	int ret;

	*out = all;
	if (!all || set->nr > ANALYSES_MAX)
		return all ? -EOVERFLOW : -ENOMEM;
	all->accounts = (struct accounts){ .rec = env->rec,
					   .page_size = env->page_size,
					   .sample = env->sample,
					   .filtered = env->filter };
	all->env = *env;
	all->env.accounts = &all->accounts;
	/* All share what is looked up in files, and what a filter and a guess learn. */
	all->one_group = env->lines || env->dirs || env->filter || env->guess;
	all->set = *set;
	if (env->filter && alloc_filter_begin(env->filter, &all->env))
		return -ENOMEM;
	for (size_t i = 0; i < set->nr; i++) {
		all->opts[i] = *set->opts;
		if (set->own)
			all->opts[i].own = set->own[i];
		ret = analysis_new(set->analyses[i], &all->env, &all->opts[i],
				   &all->selves[i]);
		if (ret)
			return ret;
		add_observer(all, &(struct observer){ set->analyses[i]->observe,
						      all->selves[i], group_of(all, i) });
	}
	if (has_areas(all))
		add_observer(all, &(struct observer){ areas_take, &all->accounts,
						      GROUP_SLAB });
	add_observer(all, &(struct observer){ slab_account_take, all->accounts.slab,
					      GROUP_SLAB });
	add_observer(all, &(struct observer){ page_account_take, all->accounts.page,
					      page_group(all) });
	return 0;
}

void analyses_observe(struct analyses *all, const struct kmem_event *evs, size_t nr)
{
	read_raw(all, evs, nr);
	run_group(all, GROUP_ALL, evs, nr);
}

static void finish(struct analyses *all)
{
	accounts_finish(&all->accounts);
	for (size_t i = 0; i < all->set.nr; i++) {
		if (all->set.analyses[i]->end)
			all->set.analyses[i]->end(all->selves[i]);
	}
}

int analyses_view(struct analyses *all, struct report *report)
{
	const struct alloc_filter *filter = all->env.filter;
	bool lacks_frees = recording_lacks_frees(all->env.rec);
	const uint32_t all_seen = analysis_seen(&all->env);
	uint32_t seen = all_seen;
	int ret = filter && filter->failed ? -ENOMEM : 0;

	finish(all);
	for (size_t i = 0; i < MEMORY_KINDS && filter; i++)
		if (!filter->nr[i])
			seen &= ~analysis_memory((enum memory)i);

	for (size_t i = 0; i < all->set.nr && !ret; i++) {
		const struct analysis *analysis = all->set.analyses[i];
		/* The filter only hides allocations, so for the others count all events seen. */
		uint32_t about = analysis->needs
					 ? (analysis->needs | analysis->must) & seen
					 : analysis->must & all_seen;

		if (all->set.unseen || about)
			ret = analysis->view(all->selves[i], report);
	}
	if (!ret && !report_ok(report))
		ret = -ENOMEM;
	for (size_t i = 0; i < report->nr_tables && !ret && lacks_frees; i++)
		table_blank_live(report->tables[i]);
	return ret;
}

void analyses_free(struct analyses *all)
{
	for (size_t i = 0; all && i < all->set.nr; i++)
		analysis_free(all->set.analyses[i], all->selves[i]);
	if (all)
		accounts_free(&all->accounts);
	free(all);
}

int analyze_run(const struct analysis_env *env, const struct analysis_set *set,
		struct event_stream *stream, struct report *report,
		const struct analyze_progress *progress)
{
	struct analyses *all = NULL;
	int ret = analyses_new(&all, env, set);

	if (!ret && wants_calls(all))
		ret = event_stream_set_calls(stream);
	if (!ret && all->accounts.by_process)
		ret = processes_of_recording(&all->accounts.processes, all->env.rec,
					     all->env.fmts, all->env.jobs > 1);
	ret = ret ?: learn_stacks(all, stream, progress);
	ret = ret ?: analyze_stream(all, stream, progress);
	ret = ret ?: analyses_view(all, report);
	if (env->guess)
		stack_guess_free(env->guess);
	if (!ret && source_lines_failed(env->lines))
		ret = -ENOMEM;
	analyses_free(all);
	return ret;
}

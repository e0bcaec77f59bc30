// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * analysis: live memory added up by who allocated it.
 * In: finished accounts, times and growth. Out: rows: how much is old enough to be a leak, how it
 * grew, what may be in flight.
 */
#include <math.h>

#include "analysis/life/leaks.h"
#include "analysis/stat/account_rows.h"

/* More than this many times the objects that were in flight before cannot all be in flight. */
#define FLIGHT_MORE 2

/* Live objects may wait for a free without an event if others that ended so are more than this part
 * of them.
 */
#define LATE_PART 10

/* A live object or page block, standing for @times. */
struct living {
	uint32_t row;
	uint32_t times;
	uint16_t cpu;
	uint64_t nr, bytes, begin;
};

/* In a sample, @entry stands for several. */
static struct living living_of(const struct leaks_view *v, const struct live_entry *entry)
{
	uint32_t times = lives_weight(v->lives, entry->row);

	return (struct living){ .row = entry->row,
				.times = times,
				.cpu = entry->cpu,
				.nr = times * lives_entry_nr(v->lives, entry),
				.bytes = times * lives_entry_bytes(v->lives, entry),
				.begin = live_begin(&v->lives->live, entry) };
}

/* The task that allocated it. INT32_MIN: not known. */
static int32_t find_task(struct leaks_view *v, const struct living *one)
{
	bool guess = false;
	int32_t pid;

	if (dimensions_find(&v->lives->dimensions, DIMENSION_PID) >= 0)
		return (int32_t)lives_value(v->lives, one->row, DIMENSION_PID);
	pid = births_find(&v->side->births, one->cpu, one->begin, &guess);
	if (guess)
		v->guessed += one->bytes;
	return pid;
}

/* Updates which task allocated most of table row @group, so far. */
static void add_task(struct leaks_view *v, const struct living *one, uint32_t group)
{
	struct leak *leak = &v->leaks[group];
	int32_t pid = find_task(v, one);
	size_t nr_before = v->task_bytes.nr;
	uint64_t *bytes;

	if (pid == INT32_MIN)
		return;
	bytes = INDEXED_ITEM(&v->task_bytes, (uint64_t)group << 32 | (uint32_t)pid);
	if (!bytes) {
		v->failed = true;
		return;
	}
	leak->tasks += v->task_bytes.nr > nr_before;
	*bytes += one->bytes;
	if (*bytes < leak->pid_bytes || (*bytes == leak->pid_bytes && pid > leak->pid))
		return;
	leak->pid_bytes = *bytes;
	leak->pid = pid;
}

static void add_living(struct leaks_view *v, const struct living *one)
{
	uint64_t age = less(v->last, one->begin);
	uint32_t group = v->owners.of[one->row];
	struct lifetime old = { .time = age, .nr = one->nr, .row = group };
	struct leak *leak;

	if (group == UINT32_MAX) {
		v->nr_suppressed += one->nr;
		v->bytes_suppressed += one->bytes;
		v->suppressed[v->row_suppressed[one->row]] += one->bytes;
		return;
	}
	leak = &v->leaks[group];
	if (age < leak->young_to) {
		leak->young += one->nr;
		leak->young_bytes += one->bytes;
		return;
	}
	if (!leak->old || age < leak->least)
		leak->least = age;
	leak->old += one->nr;
	leak->old_bytes += one->bytes;
	leak->cache += v->row_kinds[one->row].cache ? one->bytes : 0;
	leak->late += v->row_kinds[one->row].late ? one->bytes : 0;
	if (v->old_of)
		v->old_of[one->row] += one->bytes / one->times;
	if (age > leak->longest)
		leak->outlived += one->bytes;
	add_task(v, one, group);
	lifetimes_add(&v->ages, &old, 1);
}

/* How many objects may be in flight, at the rate of the freed ones. Objects born before the last
 * @usual of @time have been freed. Infinite: unknown.
 */
static double most_in_flight(uint64_t freed, uint64_t usual, uint64_t time)
{
	return freed && usual < time
		       ? (double)freed * (double)usual / (double)(time - usual)
		       : INFINITY;
}

/* Finds the lifetimes of freed objects, and from these the age at which a row's objects are old:
 * --older; else a tenth of the time, or the 99 % quantile of the lifetimes if that is longer.
 */
static int find_young(struct leaks_view *v)
{
	uint64_t older = v->l->own.older_ns,
		 part = (v->last - v->first) / LEAKS_YOUNG_PART;
	struct lifetime_groups freed = { 0 };
	int ret =
		lifetime_groups_make(&freed, &v->side->times, v->series_of, v->owners.nr);

	for (size_t i = 0; i < v->owners.nr && !ret; i++) {
		const struct lifetime_group *group = &freed.groups[i];
		/* A quantile may be that much too small, but it is not above the longest lifetime.
		 */
		uint64_t usual =
			SMALLER(group->p99 + group->p99 / 32, group->row.longest);

		v->leaks[i].longest = group->row.longest;
		v->leaks[i].flight = most_in_flight(group->nr, usual, v->last - v->first);
		v->leaks[i].young_to = older ? older : part;
		if (!older && usual >= part)
			v->leaks[i].young_to = usual + 1;
	}
	lifetime_groups_free(&freed);
	return ret;
}

static int find_living(struct leaks_view *v)
{
	uint32_t *same __auto_mem = calloc(v->owners.nr + 1, sizeof(*same));
	const struct live_entry *entry = NULL;
	int ret = same ? 0 : -ENOMEM;

	if (!ret && owners_estimated(&v->owners)) {
		v->old_of = calloc(v->owners.nr_rows + 1, sizeof(*v->old_of));
		ret = v->old_of ? 0 : -ENOMEM;
	}
	while (!ret && (entry = lives_next(v->lives, entry))) {
		const struct living one = living_of(v, entry);

		add_living(v, &one);
	}
	if (v->failed || v->side->births.failed)
		ret = -ENOMEM;
	for (uint32_t i = 0; i < v->owners.nr && !ret; i++)
		same[i] = i;
	return ret ?: lifetime_groups_make(&v->age_groups, &v->ages, same, v->owners.nr);
}

/* Computes how many of the seemingly live bytes must live. */
static int find_bounds(struct leaks_view *v)
{
	struct net_range *net __auto_mem = calloc(v->owners.nr + 1, sizeof(*net));
	int ret = net ? account_rows_bounds(&v->owners, v->owners.of, net, v->owners.nr)
		      : -ENOMEM;

	for (size_t i = 0; i < v->owners.nr && !ret; i++)
		v->leaks[i].net = net[i];
	return ret;
}

/* In a sample: the rows' figures for all memory. */
static int find_intervals(struct leaks_view *v)
{
	struct estimate *e __auto_mem = calloc(v->owners.nr + 1, sizeof(*e));
	int ret =
		e ? owners_estimate(&v->owners, v->old_of, v->owners.of, e, v->owners.nr)
		  : -ENOMEM;

	for (size_t i = 0; i < v->owners.nr && !ret; i++) {
		struct net_range *net = &v->leaks[i].net;

		v->leaks[i].bytes = e[i];
		/* No event proves that memory outside the sample lives. */
		net->sampled = true;
		net->low = 0;
		net->high = e[i].high;
	}
	return ret ?: owners_estimate_all(&v->owners, v->old_of, v->owners.of, &v->all);
}

/* Estimates how many of the seemingly live bytes are live; bytes in flight get the same share. */
static void find_likely(struct leaks_view *v)
{
	for_each(leak, v->leaks, v->owners.nr) {
		leak->likely = net_range_scale(&leak->net, leak->old);
		leak->likely_bytes = net_range_scale(&leak->net, leak->old_bytes);
		leak->outlived = net_range_scale(&leak->net, leak->outlived);
		leak->cache_bytes = net_range_scale(&leak->net, leak->cache);
		leak->kept_bytes = leak->likely_bytes - leak->cache_bytes;
	}
}

/* An estimate's slope is as uncertain as the estimate, in addition to its windows; and all that the
 * sample may lack may have come since the recording began.
 */
static void widen(struct growth_fit *fit, const struct estimate *e, uint64_t time)
{
	double low = e->value ? (double)e->low / (double)e->value : 1;
	double high = e->value ? (double)e->high / (double)e->value : 1;
	double lacks = (double)(e->high - e->value) / (double)(time ? time : 1);

	fit->low *= fit->low > 0 ? low : high;
	fit->high *= fit->high > 0 ? high : low;
	/* At least 1 byte per second, as growth is shown in whole bytes. */
	fit->high = fmax(fit->high, fit->slope + fmax(lacks, 1e-9));
}

static double living_part(const struct net_range *net)
{
	return net->net ? (double)net_range_likely(net) / (double)net->net : 1;
}

/* Minimum of objects, or pages, in a row that grows. */
#define GROWS_LEAST 8

/* The verdict on a row by its two lines: of all bytes, and of those that cannot be reclaimed. */
static struct growth_fit judge(const struct leaks_view *v, const struct leak *leak,
			       const struct growth_fit *all, struct growth_fit kept)
{
	struct growth_fit fit = leak->cache ? kept : *all;

	growth_scale(&fit, living_part(&leak->net));
	/* Objects that are freed in batches may grow to the threshold of a batch. Objects that the
	 * kernel's count does not show may be gone.
	 */
	if (((leak->late > leak->old_bytes / 2 && !fit.fell) ||
	     leak->net.unshown > leak->net.net / 2) &&
	    fit.verdict > GROWTH_STEADY)
		fit.verdict = GROWTH_TOO_SHORT;
	/* Whatever is freed seems to live. */
	if (v->lacks_frees && fit.verdict > GROWTH_STEADY)
		fit.verdict = GROWTH_TOO_SHORT;
	/* So few objects may come evenly by chance. */
	if (fit.verdict == GROWTH_GROWS && leak->likely < GROWS_LEAST)
		fit.verdict = GROWTH_TOO_SHORT;
	/* Most of it may be in flight so far, unless that is more than ever was. */
	if (!v->l->own.older_ns && fit.verdict == GROWTH_GROWS &&
	    leak->young_bytes > leak->old_bytes &&
	    (double)leak->young <= FLIGHT_MORE * leak->flight)
		fit.verdict = GROWTH_TOO_SHORT;
	if (leak->cache <= leak->old_bytes / 2 || !leak->cache ||
	    fit.verdict == GROWTH_GROWS)
		return fit;
	fit = *all;
	growth_scale(&fit, living_part(&leak->net));
	fit.verdict = GROWTH_CACHE;
	return fit;
}

/* Adds up the series of each row: all of them, and those that the kernel cannot reclaim. */
static void add_series(const struct leaks_view *v, struct growth_series *all,
		       struct growth_series *kept)
{
	const struct growth *g = &v->side->growth;

	for (uint32_t i = 0; i < v->side->keys.count; i++) {
		if (v->series_of[i] == UINT32_MAX)
			continue;
		growth_add(g, i, v->last, &all[v->series_of[i]]);
		if (!v->cache_series[i])
			growth_add(g, i, v->last, &kept[v->series_of[i]]);
	}
}

static int find_growth(struct leaks_view *v)
{
	const struct growth *g = &v->side->growth;
	struct growth_series *all __auto_mem = calloc(v->owners.nr + 1, sizeof(*all));
	struct growth_series *kept __auto_mem = calloc(v->owners.nr + 1, sizeof(*kept));
	struct growth_times times = growth_times(g, v->last);

	if (!all || !kept || g->failed)
		return -ENOMEM;
	v->lacks_frees = analysis_missing_frees(v->l->env) & analysis_memory(v->memory);
	add_series(v, all, kept);
	for (size_t i = 0; i < v->owners.nr; i++) {
		struct leak *leak = &v->leaks[i];
		struct growth_fit fit;

		if (leak->old + leak->young) {
			fit = growth_fit(&times, &all[i]);
			leak->fit = judge(v, leak, &fit, growth_fit(&times, &kept[i]));
		}
		if (v->old_of)
			widen(&leak->fit, &leak->bytes,
			      times.time[times.nr ? times.nr - 1 : 0]);
		if (leak->fit.verdict == GROWTH_GROWS)
			leak->grows_bytes = leak->kept_bytes;
	}
	return 0;
}

/* The first line of --suppress that matches a name of the frame; -1: none. The names are those of
 * the inlined functions, of the function that holds the code, and of its module.
 */
static int find_frame(const struct analysis_env *env, const struct suppressions *s,
		      uint64_t addr)
{
	struct callsite_place place;
	struct symbol sym;
	int line = -1;

	(void)callsite_look(env->rule, env->syms, addr, &place);
	for (size_t i = 0; i + 1 < place.nr && line < 0; i++)
		line = suppressions_find(s, place.chain[i].function);
	if (line >= 0 || !symbols_find(env->syms, addr, &sym))
		return line;
	line = suppressions_find(s, sym.name);
	return line < 0 ? suppressions_find(s, sym.module) : line;
}

/* The first line of --suppress that matches a name of the row; -1: none. */
static int find_suppressed(const struct leaks_view *v, uint32_t row)
{
	const struct analysis_env *env = v->l->env;
	const struct suppressions *s = v->l->own.suppress;
	const struct slab_key *key =
		v->memory == MEMORY_PAGE ? NULL : lives_key(v->lives, row);
	uint64_t callsite =
		key && key->callsite ? key->callsite : v->owners.callsites[row];
	uint32_t stack = lives_stack(v->lives, row);
	int line = key ? suppressions_find(s, event_stream_cache(env->stream, key->cache))
		       : -1;
	const uint64_t *frames;
	uint32_t nr = 0, i;

	frames = event_stream_stack(env->stream, stack, &nr);
	for (i = 0; i <= nr && line < 0; i++)
		line = find_frame(env, s, i ? frames[i - 1] : callsite);
	return line;
}

static int suppress(struct leaks_view *v)
{
	const struct suppressions *s = v->l->own.suppress;

	if (!s)
		return 0;
	v->suppressed = calloc(s->nr + 1, sizeof(*v->suppressed));
	v->row_suppressed = calloc(v->owners.nr_rows + 1, sizeof(*v->row_suppressed));
	if (!v->suppressed || !v->row_suppressed)
		return -ENOMEM;
	for (uint32_t i = 0; i < v->owners.nr_rows; i++) {
		v->row_suppressed[i] = find_suppressed(v, i);
		if (v->row_suppressed[i] >= 0)
			v->owners.of[i] = UINT32_MAX;
	}
	return 0;
}

/* Maps series to table rows: account rows of one series share a table row, or are left out
 * together.
 */
static int find_series(struct leaks_view *v)
{
	const struct leaks_side *side = v->side;

	v->series_of = malloc((side->keys.count + 1UL) * sizeof(*v->series_of));
	v->cache_series = calloc(side->keys.count + 1UL, sizeof(*v->cache_series));
	if (!v->series_of || !v->cache_series || side->growth.failed ||
	    side->frees.failed || v->l->ends.failed)
		return -ENOMEM;
	for (size_t i = 0; i < side->nr && i < v->owners.nr_rows; i++) {
		v->series_of[side->rows[i].series] = v->owners.of[i];
		v->cache_series[side->rows[i].series] = v->row_kinds[i].cache;
	}
	return 0;
}

/* Is row @i of slab objects freed in batches? RCU frees so many at once that all live ones may be
 * waiting for it.
 */
static bool is_late(const struct leaks_view *v, size_t i)
{
	const struct lives_sums *counts = &v->lives->rows[i];

	return reclaimable_late(&v->reclaimable, lives_key(v->lives, i)) ||
	       counts->implicit > counts->live / LATE_PART;
}

/* Which rows of the account are reclaimable, or freed in batches? */
static int find_kinds(struct leaks_view *v)
{
	struct reclaimable *r = &v->reclaimable;
	int ret = reclaimable_init(r, v->l->env);

	if (!ret && v->memory == MEMORY_SLAB)
		ret = reclaimable_learn(r, v->lives);
	v->row_kinds = calloc(v->owners.nr_rows + 1, sizeof(*v->row_kinds));
	if (ret || !v->row_kinds)
		return -ENOMEM;
	for (size_t i = 0; i < v->owners.nr_rows; i++) {
		struct leaks_row_kind *kind = &v->row_kinds[i];

		kind->cache = reclaimable_row(r, v->lives, i, v->owners.callsites[i]);
		kind->late = v->memory != MEMORY_PAGE && is_late(v, i);
	}
	return 0;
}

static int collect(struct leaks_view *v)
{
	int ret;

	v->leaks = calloc(v->owners.nr + 1, sizeof(*v->leaks));
	if (!v->leaks)
		return -ENOMEM;
	ret = tasks_read(&v->tasks, v->l->env->rec->cmdlines);
	ret = ret ?: suppress(v) ?: find_kinds(v) ?: find_series(v);
	ret = ret ?: find_young(v) ?: find_living(v) ?: find_bounds(v);
	if (!ret && v->old_of)
		ret = find_intervals(v);
	if (!ret)
		find_likely(v);
	return ret ?: find_growth(v);
}

int leaks_view_make(struct leaks_view *v, enum subject_kind kind)
{
	const struct analysis_env *env = v->l->env;
	const struct event_stream_stats *seen = event_stream_stats(env->stream);
	int ret = owners_init(&v->owners, env, v->lives, kind);

	v->first = seen->first_ts;
	v->last = seen->last_ts;
	return ret ?: collect(v);
}

void leaks_view_free(struct leaks_view *v)
{
	owners_free(&v->owners);
	tasks_free(&v->tasks);
	lifetimes_free(&v->ages);
	lifetime_groups_free(&v->age_groups);
	free(v->leaks);
	INDEXED_FREE(&v->task_bytes);
	free(v->series_of);
	free(v->cache_series);
	free(v->row_kinds);
	reclaimable_free(&v->reclaimable);
	free(v->old_of);
	free(v->suppressed);
	free(v->row_suppressed);
}

// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * event: all events of a recording, divided into parts by their addresses.
 * In: a stream that was not read yet. Out: each part's events in time order, several parts at a
 * time.
 */
#include "event/parts.h"

#include <errno.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/team.h"
#include "event/parts_state.h"
#include "recording/cpu_cursor.h"

/* Events scanned in a round: enough for each thread and each CPU that they seldom wait for each
 * other, and few enough that two rounds of them stay in the threads' caches.
 */
#define ROUND_EVENTS_MIN    8192U
#define ROUND_EVENTS_THREAD 2048U
#define ROUND_EVENTS_CPU    64U

static int prepare_cpus(struct parts *p)
{
	struct event_stream *st = p->st;
	size_t most = (size_t)st->nr_cpus + p->nr_groups;
	uint32_t i;

	p->cpus = calloc(st->nr_cpus, sizeof(*p->cpus));
	p->stretches[0] = calloc(most, sizeof(*p->stretches[0]));
	p->stretches[1] = calloc(most, sizeof(*p->stretches[1]));
	if (!p->cpus || !p->stretches[0] || !p->stretches[1])
		return -ENOMEM;
	for (i = 0; i < st->nr_cpus; i++) {
		struct parts_cpu *cpu = &p->cpus[i];

		cpu->cursor = st->cpus[i].cursor;
		cpu->index = i;
		cpu->ended = cpu_cursor_ended(cpu->cursor);
		/* Only a loss: no stretch can report it. */
		if (cpu->ended && st->cpus[i].cut)
			return -EAGAIN;
	}
	return 0;
}

/* What a stretch may read ahead: with its last batch, at most a CPU's share. */
static uint64_t ahead_max(const struct event_stream *st)
{
	uint64_t most = st->shared.ahead_max / (st->nr_cpus + 1), batch = 0;
	uint32_t i;

	for (i = 0; i < st->rec->nr_buffers; i++) {
		uint64_t bytes = CPU_BATCH_BYTES((uint64_t)st->rec->buffers[i].page_size);

		batch = bytes > batch ? bytes : batch;
	}
	return most > batch ? most - batch : 0;
}

static int prepare_group(const struct event_stream *st, struct parts_group *g)
{
	const struct cpu_shared *sh = &st->shared;

	g->dec.formats = st->dec.formats;
	g->dec.common = st->dec.common;
	g->dec.big_endian = st->dec.big_endian;
	g->dec.brief = st->dec.brief;
	g->shared = (struct cpu_shared){
		.dec = &g->dec,
		.formats = sh->formats,
		.by_id = calloc(CPU_SHARED_IDS, sizeof(*g->shared.by_id)),
		.start_ts = sh->start_ts,
		.stop_ts = sh->stop_ts,
		.ahead_max = ahead_max(st),
		.stats = &g->stats,
	};
	g->events.shared = &g->shared;
	return g->shared.by_id ? cpu_cursor_open(&g->events.cursor, st->rec,
						 st->cpu_stats[0].buffer, 0, NULL)
			       : -ENOMEM;
}

static int prepare_groups(struct parts *p)
{
	unsigned int i;
	int ret = 0;

	p->groups = calloc(p->nr_groups, sizeof(*p->groups));
	for (i = 0; p->groups && i < p->nr_groups && !ret; i++)
		ret = prepare_group(p->st, &p->groups[i]);
	return p->groups ? ret : -ENOMEM;
}

static int prepare_merges(struct parts *p)
{
	unsigned int i;

	for (i = 0; i < EVENT_PARTS; i++) {
		p->merges[i] = parts_merge_new(p->st);
		if (!p->merges[i])
			return -ENOMEM;
	}
	return 0;
}

static void free_group(struct parts_group *g)
{
	unsigned int i;

	cpu_events_close(&g->events);
	free(g->shared.by_id);
	free(g->shared.frames);
	intern_free(&g->shared.stacks);
	intern_free(&g->dec.names);
	for (i = 0; i < 2 * EVENT_PARTS; i++)
		free(g->lanes[i / EVENT_PARTS][i % EVENT_PARTS].evs);
	free(g->stacks.ids);
	free(g->names.ids);
	free(g->held);
}

static void parts_free(struct parts *p)
{
	uint32_t i;

	for (i = 0; i < p->st->nr_cpus && p->cpus; i++)
		free(p->cpus[i].held);
	free(p->cpus);
	free(p->stretches[0]);
	free(p->stretches[1]);
	for (i = 0; i < p->nr_groups && p->groups; i++)
		free_group(&p->groups[i]);
	free(p->groups);
	for (i = 0; i < EVENT_PARTS; i++)
		parts_merge_free(p->merges[i]);
	free(p);
}

/* Numbers in the stream's @to what is new in a group's table @from. 0 or -ENOMEM. */
static int number(struct parts_ids *ids, const struct intern *from, struct intern *to)
{
	if (array_reserve(&ids->ids, &ids->capacity, from->count, sizeof(*ids->ids)))
		return -ENOMEM;
	while (ids->nr < from->count) {
		size_t size = 0;
		const void *data = intern_get(from, (uint32_t)ids->nr + 1, &size);
		uint32_t id = intern_id(to, data, size);

		if (!id)
			return -ENOMEM;
		ids->ids[ids->nr++] = id;
	}
	return 0;
}

static void add_stats(struct event_stream_stats *to,
		      const struct event_stream_stats *from)
{
	if (from->nr_events) {
		if (!to->nr_events || from->first_ts < to->first_ts)
			to->first_ts = from->first_ts;
		if (from->last_ts > to->last_ts)
			to->last_ts = from->last_ts;
	}
	to->nr_events += from->nr_events;
	to->nr_undecodable += from->nr_undecodable;
	to->nr_pages += from->nr_pages;
	to->nr_bad_pages += from->nr_bad_pages;
	to->nr_stacks_unclaimed += from->nr_stacks_unclaimed;
	to->nr_backwards += from->nr_backwards;
	if (from->largest_step_back > to->largest_step_back)
		to->largest_step_back = from->largest_step_back;
}

/* The first error of the round's tasks, or 0. */
static int first_error(const struct parts *p)
{
	unsigned int i;
	int ret = 0;

	for (i = 0; i < p->nr_groups && !ret; i++)
		ret = p->groups[i].error;
	for (i = 0; i < EVENT_PARTS && !ret; i++)
		ret = p->merges[i]->error;
	return ret;
}

/* Between two rounds: gathers what all groups counted and found. 0 or an error. */
static int gather(struct parts *p)
{
	struct event_stream *st = p->st;
	unsigned int i;
	int ret = 0;

	st->stats = (struct event_stream_stats){ .by_id = st->stats.by_id,
						 .cpus = st->stats.cpus,
						 .nr_cpus = st->stats.nr_cpus };
	for (i = 0; i < p->nr_groups && !ret; i++) {
		struct parts_group *g = &p->groups[i];

		add_stats(&st->stats, &g->stats);
		ret = number(&g->stacks, &g->shared.stacks, &st->shared.stacks);
		if (!ret)
			ret = number(&g->names, &g->dec.names, &st->dec.names);
	}
	if (!ret && p->how->pause)
		ret = p->how->pause(p->how->ctx, st->stats.nr_events);
	return ret;
}

static void run_task(void *ctx, unsigned int task)
{
	struct parts *p = ctx;

	if (task < p->nr_groups)
		parts_scan(p, task);
	else
		parts_take(p, task - p->nr_groups);
}

/* Estimates what the tasks of this round cost, in events: mostly the same as in the round before,
 * so that each task stays with the thread whose cache knows it. Reading, scanning and decoding an
 * event costs about twice as much as taking it. In the first round there is nothing to take.
 */
static struct team_round estimate(struct parts *p)
{
	struct team_round round = { .fn = run_task, .ctx = p, .nr = p->nr_groups };
	unsigned int before = (p->round + 1) % 2, i, k;
	uint64_t part = 0;

	for (i = 0; i < p->nr_groups; i++)
		round.cost[i] = 2 * p->cost[i];
	for (i = 0; i < EVENT_PARTS && p->round; i++) {
		for (k = 0; k < p->nr_groups; k++)
			part += p->groups[k].lanes[before][i].nr;
	}
	part /= EVENT_PARTS;
	for (i = 0; i < EVENT_PARTS && p->round; i++)
		round.cost[round.nr++] = part;
	for (i = 0; i < p->nr_groups && part; i++)
		round.cost[i] = (round.cost[i] + part / 2) / part * part;
	return round;
}

static int run_rounds(struct parts *p, struct team *team)
{
	int ret = 0;

	while (!ret && !p->last) {
		ret = parts_plan(p);
		if (!ret) {
			struct team_round round = estimate(p);

			team_run(team, &round);
			ret = first_error(p);
		}
		if (!ret)
			ret = parts_join(p);
		p->round++;
		if (!ret)
			ret = gather(p);
	}
	return ret;
}

/* Adds the groups' counts by format. Most of the table is empty and has no memory behind it. */
static void add_by_id(struct parts *p)
{
	struct event_stream *st = p->st;
	uint32_t nr = CPU_SHARED_IDS, id;
	unsigned int i;

	while (nr && !st->shared.formats[nr - 1] && !st->stats.nr_undecodable)
		nr--;
	for (i = 0; i < p->nr_groups; i++) {
		for (id = 0; id < nr && p->groups[i].stats.nr_events; id++)
			st->shared.by_id[id] += p->groups[i].shared.by_id[id];
	}
}

/* Adds what is counted only once, at the end. */
static int finish(struct parts *p)
{
	struct event_stream *st = p->st;
	uint32_t i;

	add_by_id(p);
	for (i = 0; i < st->nr_cpus; i++)
		cpu_events_close(&st->cpus[i]);
	st->primed = true;
	return event_stream_check_times(st);
}

/* Sets the number of groups and the size of a round. One thread at a time works on a group, and
 * some threads are done before others.
 */
static void size_up(struct parts *p)
{
	unsigned int jobs = p->how->jobs < TEAM_MAX ? p->how->jobs : TEAM_MAX;
	uint32_t nr = p->st->nr_cpus;
	uint64_t least = ROUND_EVENTS_MIN;

	p->nr_groups = jobs < PARTS_GROUPS_MAX ? jobs : PARTS_GROUPS_MAX;
	p->windowed = p->st->shared.start_ts || p->st->shared.stop_ts != UINT64_MAX;
	if (least < (uint64_t)ROUND_EVENTS_CPU * nr)
		least = (uint64_t)ROUND_EVENTS_CPU * nr;
	p->round_events = least + (uint64_t)ROUND_EVENTS_THREAD * jobs;
}

static int run(struct parts *p)
{
	struct team *team = team_start(p->how->jobs);
	int ret = team ? 0 : -EAGAIN;

	size_up(p);
	if (!ret)
		ret = prepare_groups(p);
	if (!ret)
		ret = prepare_cpus(p);
	if (!ret)
		ret = prepare_merges(p);
	if (!ret)
		ret = run_rounds(p, team);
	team_stop(team);
	return ret ? ret : finish(p);
}

int event_parts_run(struct event_stream *st, const struct event_parts *how)
{
	struct parts *p;
	int ret;

	if (st->primed || st->error || st->shared.keep_stacks || st->page_pointers ||
	    !st->nr_cpus)
		return -EAGAIN;
	p = calloc(1, sizeof(*p));
	if (!p)
		return -ENOMEM;
	p->st = st;
	p->how = how;
	ret = run(p);
	if (ret == -EAGAIN && event_stream_rewind(st))
		ret = -ENOMEM;
	parts_free(p);
	if (ret && ret != -EAGAIN)
		st->error = ret;
	return ret;
}

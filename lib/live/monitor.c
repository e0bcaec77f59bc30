// SPDX-License-Identifier: GPL-2.0-or-later
#include "live/monitor.h"

#include <unistd.h>

#include "base/array.h"
#include "capture/facts/threads.h"
#include "event/stream.h"

/* The longest time for listing the running tasks. */
#define LIST_NS 1000000000ULL

/* How many events are processed at a time; small enough to stay in the L1 cache. */
#define BATCH 128

/* Begins to group the rows of the existing accounts by @by. */
static int open_sides(struct monitor *m, enum subject_kind by)
{
	struct monitor_side *sides = m->sides;
	int ret = 0;

	m->opts.by = by;
	for (unsigned int i = 0; i < MEMORY_KINDS && !ret; i++) {
		sides[i].wanted = m->opts.of[i] && grouping_has((enum memory)i, by);
		if (sides[i].wanted)
			ret = monitor_rows_group(m, i);
	}
	return ret;
}

/* Drops the groups. @keep: keeps the rows, which may get other groups. */
static void close_sides(struct monitor *m, bool keep)
{
	for (unsigned int i = 0; i < MEMORY_KINDS; i++) {
		struct monitor_side *side = &m->sides[i], rows = *side;

		if (side->wanted)
			subjects_free(&side->grouping);
		windows_free(&side->windows);
		*side = (struct monitor_side){ .kept = side->kept,
					       .steps = rows.windows.nr_steps };
		if (keep) {
			side->rows = rows.rows;
			side->nr = rows.nr;
			side->capacity = rows.capacity;
		} else {
			free(rows.rows);
		}
	}
	strbuf_free(&m->task_names);
}

/* The dimensions of @memory's account, including those for opening a row. */
static struct dimensions dimensions_of(const struct monitor *m, enum memory memory,
				       enum subject_kind by)
{
	struct dimensions all = grouping_dimensions(
		memory, m->nr_open ? m->open[0].grouping.kind : by, &m->env);

	if (m->opts.opens && m->opts.slab_stacks && memory == MEMORY_SLAB)
		dimensions_add(&all, DIMENSION_STACK, DIMENSIONS_MAX);
	return all;
}

/* Requests the accounts that grouping by @by needs, instead of those that exist. */
static int open_accounts(struct monitor *m, enum subject_kind by)
{
	struct accounts *a = &m->accounts;
	const struct processes processes = a->processes;
	int ret = 0, i;

	a->processes = (struct processes){ 0 };
	accounts_free(a);
	*a = (struct accounts){ .rec = m->study.rec,
				.page_size = m->env.page_size,
				.sample = m->env.sample,
				.coarse = true,
				.processes = processes };
	m->env.accounts = a;
	for (i = 0; i < MEMORY_KINDS && !ret; i++) {
		const struct dimensions all = dimensions_of(m, (enum memory)i, by);
		struct lives *l;

		if (!m->opts.of[i])
			continue;
		ret = accounts_of_memory(a, (enum memory)i, &all, &l);
		if (!ret)
			l->live.times = m->opts.opens;
	}
	return ret ?: open_sides(m, by);
}

static int open_study(struct monitor *m, int fd)
{
	const struct event_stream_options how = { .stop_ts = UINT64_MAX, .live = true };
	char path[32];
	struct study_options opts = { .path = path,
				      .want_symbols = true,
				      .want_rule = true,
				      .skip = m->opts.skip,
				      .nr_skip = m->opts.nr_skip };
	int ret;

	if (m->opts.log)
		opts.log = *m->opts.log;
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	ret = study_open(&m->study, &opts);
	m->study.path = "live";
	close(fd);
	ret = ret ?: recording_add_cpus(m->study.rec);
	ret = ret ?: study_read(&m->study, &how);
	return ret ?: event_stream_go_live(m->study.stream);
}

int monitor_list(struct monitor *m)
{
	struct strbuf __auto_free now = { 0 };
	int ret = 0;

	if (m->opts.proc)
		ret = list_make(processes_list, "/proc", LIST_NS, SIZE_MAX, &now);
	/* An incomplete list is better than none. */
	if (ret != -ENOMEM)
		ret = processes_read_list(&m->accounts.processes, strbuf_text(&now),
					  false);
	return ret;
}

static int begin_processes(struct monitor *m)
{
	struct processes *p = &m->accounts.processes;
	int ret;

	processes_go_live(p, m->opts.proc ? processes_list_group : NULL);
	ret = processes_read(p, m->study.rec);
	return ret ?: monitor_list(m);
}

int monitor_begin(struct monitor *m, const struct monitor_options *opts, int fd)
{
	int ret;

	*m = (struct monitor){ .opts = *opts };
	ret = open_study(m, fd);
	if (ret)
		return ret;
	m->env = study_env(&m->study);
	if (sample_of(&m->env.sample, m->study.rec))
		m->env.sample = (struct sample){ 0 };
	m->env.raw_ip = opts->raw_ip;
	m->env.raw_names = opts->raw_names;
	m->env.by_site = opts->sites;
	sites_init(&m->sites, &m->env);
	ret = begin_processes(m);
	return ret ?: open_accounts(m, opts->by);
}

/* Do the accounts have exactly the dimensions that grouping by @by needs? */
static bool fits(const struct monitor *m, enum subject_kind by)
{
	for (int i = 0; i < MEMORY_KINDS; i++) {
		const struct lives *l = m->accounts.of[i];
		const struct dimensions all = dimensions_of(m, (enum memory)i, by);

		/* In a sample, rows differ by one more, the first one. */
		const int first = l && l->dimensions.sample.one_in;

		if (l && memcmp(all.of, l->dimensions.of + first,
				sizeof(all.of) - (size_t)first * sizeof(all.of[0])) != 0)
			return false;
	}
	return true;
}

/* Changes the grouping of rows, not the accounts. */
static int group_by(struct monitor *m, enum subject_kind by)
{
	int ret;

	close_sides(m, true);
	ret = open_sides(m, by);
	return ret ?: monitor_rows_regroup(m);
}

static void close_last(struct monitor *m)
{
	subjects_free(&m->open[--m->nr_open].grouping);
	m->by_lifetime = false;
}

int monitor_regroup(struct monitor *m, enum subject_kind by, bool *anew)
{
	while (m->nr_open)
		close_last(m);
	*anew = !fits(m, by);
	if (!*anew)
		return group_by(m, by);
	close_sides(m, false);
	return open_accounts(m, by);
}

/* Lifetimes are below 1000, 10000, ... ns; the last one has no limit. */
static void add_lifetime(struct monitor *m, const struct lifetime *life, uint32_t weight)
{
	unsigned int i = 0;

	for (uint64_t limit = 1000; i + 1 < MONITOR_LIFETIMES && life->time >= limit; i++)
		limit *= 10;
	m->lifetimes[i].nr += life->nr * weight;
	m->lifetimes[i].bytes += life->bytes * weight;
}

static void ended(void *ctx, const struct lives *of, const struct life *life, size_t nr)
{
	struct monitor *m = ctx;
	const struct monitor_side *side = &m->sides[of->kind->memory];
	const struct life *end = life + nr;
	struct lifetime one;

	for (; m->by_lifetime && life < end; life++) {
		if (!lifetime_of(life, &one))
			continue;
		/* It may have begun and ended since the last round. */
		if (one.row >= side->nr && monitor_rows_find(m))
			((struct lives *)of)->failed = true;
		if (one.row < side->nr && side->rows[one.row].group != MONITOR_HIDDEN)
			add_lifetime(m, &one, lives_weight(of, one.row));
	}
}

/* Begins to count the lifetimes of allocations of side @i whose row has a group. 0 or -ENOMEM. */
static int begin_lifetimes(struct monitor *m, unsigned int i)
{
	struct lives *l = m->accounts.of[i];
	const bool observed = ANY(k, l->nr_observers, l->observers[k].fn == ended);

	memset(m->lifetimes, 0, sizeof(m->lifetimes));
	m->by_lifetime = true;
	return observed ? 0 : lives_observe(l, ended, m);
}

int monitor_open(struct monitor *m, unsigned int side, uint32_t group)
{
	struct monitor_side *of = &m->sides[side];
	struct monitor_open *open = &m->open[m->nr_open];
	enum subject_kind by = SUBJECT_CALLSITE;
	int ret = 0;

	if (m->nr_open == MONITOR_OPEN_MAX || m->by_lifetime ||
	    !ANY(row, of->nr, of->rows[row].group == group))
		return -ENOENT;
	if (m->opts.by == SUBJECT_CALLSITE || m->opts.by == SUBJECT_STACK)
		by = SUBJECT_STACK;
	if (m->opts.by == SUBJECT_STACK)
		ret = begin_lifetimes(m, side);
	if (ret)
		return ret;
	*open = (struct monitor_open){ of->grouping, group };
	of->grouping = (struct subjects){ 0 };
	m->nr_open++;
	m->open_side = side;
	return group_by(m, by);
}

int monitor_close(struct monitor *m)
{
	enum subject_kind by;

	if (!m->nr_open)
		return -ENOENT;
	by = m->open[m->nr_open - 1].grouping.kind;
	close_last(m);
	return group_by(m, by);
}

int monitor_pages(struct monitor *m, uint32_t cpu, const void *pages, size_t size)
{
	struct monitor_cpu *c = FIND(one, m->cpus, m->nr_cpus, one->cpu == cpu);

	if (!c) {
		if (ARRAY_ADD(m->cpus, m->nr_cpus, (struct monitor_cpu){ .cpu = cpu }))
			return -ENOMEM;
		c = &m->cpus[m->nr_cpus - 1];
	}
	if (array_reserve_size(&c->pages, &c->capacity, c->size + size, 1))
		return -ENOMEM;
	memcpy(c->pages + c->size, pages, size);
	c->size += size;
	return 0;
}

static void count_stream(struct monitor *m)
{
	const struct event_stream_stats *s = event_stream_stats(m->study.stream);

	m->events = s->nr_events;
	m->lost = m->gaps = m->unknown = 0;
	for (uint32_t i = 0; i < s->nr_cpus; i++) {
		m->lost += s->cpus[i].nr_lost;
		m->gaps += s->cpus[i].nr_gaps;
		m->unknown += s->cpus[i].nr_unknown;
	}
}

static void account(struct accounts *a, const struct kmem_event *evs, size_t nr)
{
	if (!nr)
		return;
	accounts_area_events(a, evs, nr);
	if (a->slab && a->page)
		accounts_events(a, evs, nr);
	else if (a->slab)
		slab_lives_events(a->slab, evs, nr);
	else if (a->page)
		page_lives_events(a->page, evs, nr);
}

/* The same, and learns from events of tasks before the events that follow. 0 or -ENOMEM. */
static int account_and_learn(struct accounts *a, const struct kmem_event *evs, size_t nr)
{
	size_t from = 0, i;
	int ret = 0;

	for (i = 0; i < nr && !ret; i++) {
		if (likely(!kmem_is_task(evs[i].type)))
			continue;
		account(a, evs + from, i - from);
		ret = processes_learn(&a->processes, evs + i, 1);
		from = i;
	}
	account(a, evs + from, nr - from);
	return ret;
}

static int take_events(struct monitor *m)
{
	struct event_stream *stream = m->study.stream;
	struct lives *const *of = m->accounts.of;
	struct kmem_event evs[BATCH];
	int nr, ret = 0;

	event_stream_set_brief(stream, !accounts_read_all(&m->accounts));
	while (!ret && (nr = event_stream_next_batch(stream, evs, BATCH)) > 0)
		ret = account_and_learn(&m->accounts, evs, (size_t)nr);
	ret = ret ?: nr;
	count_stream(m);
	if (!ret && ANY(i, MEMORY_KINDS, of[i] && of[i]->failed))
		ret = -ENOMEM;
	return ret;
}

int monitor_round(struct monitor *m, uint64_t until)
{
	struct event_stream *stream = m->study.stream;
	int ret = 0;

	for (size_t i = 0; i < m->nr_cpus && !ret; i++) {
		struct monitor_cpu *c = &m->cpus[i];

		if (c->size)
			ret = event_stream_feed(stream, c->cpu, c->pages, c->size);
	}
	ret = ret ?: event_stream_advance(stream, until);
	ret = ret ?: take_events(m);
	ret = ret ?: event_stream_keep(stream);
	for (size_t i = 0; i < m->nr_cpus; i++)
		m->cpus[i].size = 0;
	return ret ?: monitor_rows_find(m);
}

int monitor_step(struct monitor *m, uint64_t ns)
{
	int ret = 0;

	m->step_events = m->events - m->last_events;
	m->last_events = m->events;
	m->step_ns = ns;
	m->nr_steps++;
	for (unsigned int i = 0; i < MEMORY_KINDS && !ret; i++) {
		if (!m->sides[i].wanted)
			continue;
		windows_begin(&m->sides[i].windows);
		ret = monitor_rows_add(m, i);
		windows_end(&m->sides[i].windows, ns);
	}
	return ret ?: monitor_rows_forget(m);
}

void monitor_end(struct monitor *m)
{
	while (m->nr_open)
		close_last(m);
	close_sides(m, false);
	sites_free(&m->sites);
	accounts_free(&m->accounts);
	study_close(&m->study);
	for (size_t i = 0; i < m->nr_cpus; i++)
		free(m->cpus[i].pages);
	free(m->cpus);
	*m = (struct monitor){ 0 };
}

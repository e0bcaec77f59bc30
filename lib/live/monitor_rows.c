// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * live (internal): groups the rows of the accounts.
 * In: a monitor; what rows stand for. Out: its windows, and accounts without rows that were freed
 * long ago.
 */
#include "live/monitor.h"

#include <signal.h>

#include "base/array.h"
#include "base/strbuf.h"
#include "capture/events/instance.h"
#include "event/stream_live.h"

static const struct {
	const char *word;
	enum subject_kind kind;
} words[] = {
	{ "callsite", SUBJECT_CALLSITE }, { "cache", SUBJECT_CACHE },
	{ "order", LIVE_ORDER },	  { "stack", SUBJECT_STACK },
	{ "comm", SUBJECT_COMM },	  { "pid", SUBJECT_PID },
	{ "process", SUBJECT_PROCESS },	  { "cgroup", SUBJECT_CGROUP },
	{ "entry", SUBJECT_ENTRY },	  { "module", SUBJECT_MODULE },
	{ "cpu", SUBJECT_CPU },		  { "node", SUBJECT_NODE },
};

const char *grouping_word(unsigned int i, enum subject_kind *kind)
{
	if (i >= ARRAY_SIZE(words))
		return NULL;
	*kind = words[i].kind;
	return words[i].word;
}

bool grouping_has(enum memory memory, enum subject_kind kind)
{
	switch ((int)kind) {
	case LIVE_ORDER:
		return memory == MEMORY_PAGE;
	case SUBJECT_CACHE:
	case SUBJECT_NODE:
		return memory == MEMORY_SLAB;
	default:
		return true;
	}
}

/* Grouping by callsite, cache, module and order uses the same dimensions, so that it can switch
 * between these.
 */
static struct dimensions slab_dimensions(enum subject_kind kind,
					 const struct analysis_env *env)
{
	const uint32_t alike = ROWS(CALLSITE) | ROWS(CACHE) | ROWS(MODULE);
	struct analysis_options opts = { .by = kind };

	if (kind == LIVE_ORDER)
		opts.by = SUBJECT_CALLSITE;
	opts.by_cache = alike & subject_rows(opts.by);
	return subjects_slab_dimensions(&opts, env);
}

struct dimensions grouping_dimensions(enum memory memory, enum subject_kind kind,
				      const struct analysis_env *env)
{
	struct dimensions all = { .of = { DIMENSION_NONE } };

	if (memory == MEMORY_SLAB)
		all = slab_dimensions(kind, env);
	else if (grouping_has(memory, kind) && kind != LIVE_ORDER)
		all = subjects_page_dimensions(kind);
	dimensions_by_task(&all); /* names change, and are known only later */
	if (memory != MEMORY_SLAB && memory != MEMORY_PAGE)
		all = accounts_areas_dimensions(&all);
	return all;
}

/* @env and @sites are borrowed. 0 or -ENOMEM; free it in any case. */
static int grouping_init(struct grouping *g, const struct analysis_env *env,
			 enum subject_kind kind, struct sites *sites,
			 const struct dimensions *dimensions)
{
	*g = (struct grouping){ .kind = kind };
	return subjects_init(&g->subjects, env,
			     kind == LIVE_ORDER ? SUBJECT_CALLSITE : kind, sites,
			     dimensions);
}

/* The group of @who; UINT32_MAX: no memory. */
static uint32_t grouping_find(struct grouping *g, const struct grouping_who *who)
{
	uint32_t id;

	if (g->kind != LIVE_ORDER)
		return subjects_row(&g->subjects, &who->subject);
	id = intern_id(&g->keys, &who->order, sizeof(who->order));
	return id ? id - 1 : UINT32_MAX;
}

void grouping_free(struct grouping *g)
{
	subjects_free(&g->subjects);
	intern_free(&g->keys);
	*g = (struct grouping){ 0 };
}

/* The lives of side @i; NULL: it has no account. */
static struct lives *lives_of(const struct monitor *m, unsigned int i)
{
	return (struct lives *)accounts_lives(&m->accounts, (enum memory)i);
}

static size_t nr_rows(const struct monitor *m, unsigned int i)
{
	return lives_of(m, i)->nr_tallies;
}

int monitor_rows_group(struct monitor *m, unsigned int i)
{
	return grouping_init(&m->sides[i].grouping, &m->env, m->opts.by, &m->sites,
			     &lives_of(m, i)->dimensions);
}

/* Are rows grouped by something that is derived from the allocating address? */
static bool by_place(const struct monitor *m)
{
	switch (m->nr_open ? SUBJECT_CALLSITE : (int)m->opts.by) {
	case SUBJECT_COMM:
	case SUBJECT_PID:
	case SUBJECT_CPU:
	case SUBJECT_NODE:
	case SUBJECT_CACHE:
	case SUBJECT_PROCESS:
	case SUBJECT_CGROUP:
	case SUBJECT_ENTRY:
	case LIVE_ORDER:
		return false;
	default:
		return true;
	}
}

/* The allocator of row @row in an account of slab objects, or of areas. */
static struct grouping_who object_who(const struct monitor *m, unsigned int i, size_t row)
{
	const struct lives *l = lives_of(m, i);
	const struct slab_key *key = lives_key(l, row);
	uint32_t stack = lives_stack(l, row);
	uint64_t callsite = key->callsite;

	if (by_place(m))
		callsite = callsite ? sites_beyond(&m->env, callsite, stack)
				    : sites_of_stack(&m->sites, stack);
	return (struct grouping_who){ .subject = subject_of_row(l, row, callsite) };
}

static struct grouping_who page_who(const struct monitor *m, size_t row)
{
	const struct lives *l = &m->accounts.page->lives.any;
	const struct page_key *key = lives_key(l, row);
	uint64_t callsite = by_place(m) ? sites_of_stack(&m->sites, key->stack) : 0;

	return (struct grouping_who){ .subject = subject_of_row(l, row, callsite),
				      .order = key->order };
}

static struct grouping_who row_who(const struct monitor *m, unsigned int i, size_t row)
{
	return i == MEMORY_PAGE ? page_who(m, row) : object_who(m, i, row);
}

/* Task names are known already. */
static void move_tasks(struct grouping *to, struct grouping *from)
{
	const struct tasks tasks = to->subjects.tasks;

	to->subjects.tasks = from->subjects.tasks;
	from->subjects.tasks = tasks;
}

/* The group of a row; MONITOR_HIDDEN: it is not of the opened row; UINT32_MAX: no memory. */
static uint32_t find_group(struct monitor *m, unsigned int i, size_t row)
{
	const struct grouping_who who = row_who(m, i, row);
	struct monitor_open *open = m->open, *end = open + m->nr_open;
	uint32_t group;

	if (m->nr_open && i != m->open_side)
		return MONITOR_HIDDEN;
	for (; open < end; open++) {
		group = grouping_find(&open->grouping, &who);
		if (group != open->group)
			return group == UINT32_MAX ? group : MONITOR_HIDDEN;
	}
	return grouping_find(&m->sides[i].grouping, &who);
}

/* Begins the groupings of opened rows anew, as names and numbers have changed: finds the groups by
 * a row that had one. 0 or -ENOMEM.
 */
static int reopen(struct monitor *m)
{
	const struct monitor_side *side = &m->sides[m->open_side];
	struct grouping_who who;
	size_t row = 0;
	int ret = 0;

	while (m->nr_open && row < side->nr && side->rows[row].group == MONITOR_HIDDEN)
		row++;
	for (unsigned int i = 0; i < m->nr_open && !ret; i++) {
		struct grouping *g = &m->open[i].grouping, old = *g;

		ret = grouping_init(g, &m->env, old.kind, &m->sites,
				    &lives_of(m, m->open_side)->dimensions);
		move_tasks(g, &old);
		grouping_free(&old);
		m->open[i].group = MONITOR_HIDDEN;
		if (ret || row == side->nr)
			continue;
		who = row_who(m, m->open_side, row);
		m->open[i].group = grouping_find(g, &who);
		ret = m->open[i].group == UINT32_MAX ? -ENOMEM : 0;
	}
	return ret;
}

/* Appends the lines of @now that are not at the same position in @before. The kernel has a slot for
 * each task whose name it stores, and few slots change between two reads.
 */
static void changed_lines(const char *now, const char *before, struct strbuf *out)
{
	while (*now) {
		size_t size = strcspn(now, "\n"), old = strcspn(before, "\n");

		size += now[size] == '\n';
		old += before[old] == '\n';
		if (size != old || memcmp(now, before, size) != 0)
			strbuf_add(out, now, size);
		now += size;
		before += old;
	}
}

/* Reads the current task names from the kernel. */
static int read_tasks(struct monitor *m)
{
	struct strbuf text = { 0 }, changed = { 0 };
	int ret = 0;

	if (m->opts.by != SUBJECT_COMM && m->opts.by != SUBJECT_PID)
		return 0;
	if (instance_read_top("saved_cmdlines", &text) || text.failed) {
		strbuf_free(&text);
		return 0;
	}
	changed_lines(strbuf_text(&text), strbuf_text(&m->task_names), &changed);
	for (unsigned int i = 0; i < MEMORY_KINDS && !ret; i++) {
		if (m->sides[i].wanted)
			ret = tasks_read(&m->sides[i].grouping.subjects.tasks,
					 strbuf_text(&changed));
	}
	ret = changed.failed ? -ENOMEM : ret;
	strbuf_free(&changed);
	strbuf_free(&m->task_names);
	m->task_names = text;
	return ret;
}

int monitor_rows_find(struct monitor *m)
{
	bool named = false;

	for (unsigned int i = 0; i < MEMORY_KINDS; i++) {
		struct monitor_side *side = &m->sides[i];
		size_t nr = side->wanted ? nr_rows(m, i) : 0;

		if (nr > side->nr && !named && read_tasks(m))
			return -ENOMEM;
		named |= nr > side->nr;
		if (array_reserve(&side->rows, &side->capacity, nr, sizeof(*side->rows)))
			return -ENOMEM;
		for (; side->nr < nr; side->nr++) {
			uint32_t group = find_group(m, i, side->nr);

			if (group == UINT32_MAX)
				return -ENOMEM;
			side->rows[side->nr] = (struct monitor_row){ .group = group };
		}
	}
	return 0;
}

static struct window_sums row_sums(const struct monitor *m, unsigned int i, size_t row)
{
	const struct lives_sums sums = lives_sums(lives_of(m, i), row);
	const uint64_t weight = lives_weight(lives_of(m, i), row);

	return (struct window_sums){ sums.bytes * weight, sums.hit * weight,
				     sums.live_bytes * weight, sums.live_hit * weight };
}

int monitor_rows_add(struct monitor *m, unsigned int i)
{
	struct monitor_side *side = &m->sides[i];
	int ret = 0;

	for (size_t row = 0; row < side->nr && !ret; row++) {
		struct monitor_row *r = &side->rows[row];
		struct window_sums more = row_sums(m, i, row);
		uint64_t bytes = more.bytes, hit = more.hit;

		r->step_bytes = more.bytes -= r->bytes;
		r->step_hit = more.hit -= r->hit;
		if (!more.hit && !more.live_hit && !more.live_bytes)
			continue;
		if (more.hit)
			r->last = side->windows.nr_steps;
		if (r->group != MONITOR_HIDDEN)
			ret = windows_add(&side->windows, r->group, &more);
		r->bytes = bytes;
		r->hit = hit;
	}
	return ret;
}

/* Adds the last interval of a row to its group, which is as old as its latest row. */
static int add_step(struct windows *w, const struct monitor_row *r,
		    const struct window_sums *more)
{
	const bool is_new = r->group >= w->nr;
	struct window_group *g;

	if (windows_add(w, r->group, more))
		return -ENOMEM;
	g = &w->groups[r->group];
	if (is_new || (int64_t)(r->last - g->last) > 0)
		g->last = r->last;
	return 0;
}

/* The last interval of the rows that had a group, in new groups. The intervals before it get
 * numbers below 0, modulo 2^64.
 */
static int add_last(struct monitor *m, unsigned int i)
{
	struct monitor_side *side = &m->sides[i];
	int ret = 0;

	windows_begin(&side->windows);
	for (size_t row = 0; row < side->nr && !ret; row++) {
		struct monitor_row *r = &side->rows[row];
		struct window_sums more = row_sums(m, i, row);

		more.bytes = r->step_bytes;
		more.hit = r->step_hit;
		r->last -= side->steps - 1;
		r->group = find_group(m, i, row);
		if (r->group == UINT32_MAX)
			ret = -ENOMEM;
		else if (r->group != MONITOR_HIDDEN)
			ret = add_step(&side->windows, r, &more);
	}
	windows_end(&side->windows, m->step_ns);
	return ret;
}

int monitor_rows_regroup(struct monitor *m)
{
	bool had[MEMORY_KINDS];
	int ret = 0;

	for (unsigned int i = 0; i < MEMORY_KINDS && !ret; i++) {
		had[i] = m->sides[i].nr;
		if (m->sides[i].wanted && had[i])
			ret = add_last(m, i);
		else if (!m->sides[i].wanted)
			m->sides[i].nr = 0;
	}
	if (!ret)
		ret = monitor_rows_find(m);
	for (unsigned int i = 0; i < MEMORY_KINDS && !ret; i++) {
		for (size_t row = 0; row < m->sides[i].nr && !had[i]; row++) {
			const struct window_sums sums = row_sums(m, i, row);

			m->sides[i].rows[row].bytes = sums.bytes;
			m->sides[i].rows[row].hit = sums.hit;
		}
	}
	return ret;
}

/* Keeps only the names of tasks of remaining rows, if there are too many others. */
static int keep_tasks(struct monitor *m, unsigned int i)
{
	struct tasks *all = &m->sides[i].grouping.subjects.tasks;
	struct tasks few = { 0 };
	struct strbuf __auto_free line = { 0 };
	int ret = 0;

	if (all->by_pid.count <= MONITOR_TASKS)
		return 0;
	for (size_t row = 0; row < m->sides[i].nr && !ret; row++) {
		const int32_t pid =
			(int32_t)lives_value(lives_of(m, i), row, DIMENSION_PID);

		if (u64_map_find(&few.by_pid, (uint64_t)pid))
			continue;
		strbuf_reset(&line);
		strbuf_printf(&line, "%" PRId32 " %s\n", pid, tasks_name(all, pid));
		ret = line.failed ? -ENOMEM : tasks_read(&few, strbuf_text(&line));
	}
	tasks_free(ret ? &few : all);
	if (!ret)
		*all = few;
	return ret;
}

/* Renumbers the groups of the remaining rows, and drops groups without rows. */
static int regroup(struct monitor *m, unsigned int i)
{
	struct monitor_side *side = &m->sides[i];
	uint32_t *to = malloc((side->windows.nr + 1) * sizeof(*to)), nr = 0;
	struct grouping old = side->grouping;
	int ret;

	if (!to)
		return -ENOMEM;
	for (size_t row = 0; row < side->windows.nr; row++)
		to[row] = WINDOWS_GONE;
	ret = monitor_rows_group(m, i);
	move_tasks(&side->grouping, &old);
	for (size_t row = 0; row < side->nr && !ret; row++) {
		uint32_t before = side->rows[row].group, now = find_group(m, i, row);

		ret = now == UINT32_MAX ? -ENOMEM : 0;
		side->rows[row].group = now;
		if (now == MONITOR_HIDDEN)
			continue;
		if (before < side->windows.nr)
			to[before] = now;
		nr = now >= nr ? now + 1 : nr;
	}
	if (!ret)
		ret = windows_renumber(&side->windows, to, nr);
	if (!ret)
		ret = keep_tasks(m, i);
	grouping_free(&old);
	free(to);
	return ret;
}

static int forget_side(struct monitor *m, unsigned int i)
{
	struct monitor_side *side = &m->sides[i];
	size_t row, nr = nr_rows(m, i);
	bool *keep __auto_mem = calloc(nr + 1, sizeof(*keep));
	uint32_t *to __auto_mem = calloc(nr + 1, sizeof(*to));
	int ret = keep && to ? 0 : -ENOMEM;

	for (row = 0; row < side->nr && !ret; row++)
		keep[row] = side->windows.nr_steps - side->rows[row].last < WINDOWS_KEPT;
	if (!ret)
		ret = lives_forget(lives_of(m, i), keep, to);
	for (row = 0; row < side->nr && !ret; row++) {
		if (to[row] != LIVES_GONE)
			side->rows[to[row]] = side->rows[row];
	}
	if (!ret)
		side->kept = nr_rows(m, i);
	if (!ret && side->wanted)
		side->nr = side->kept;
	return ret;
}

/* Drops callchains that no row uses, after both sides have dropped rows. */
static int forget_stacks(struct monitor *m)
{
	struct event_stream *stream = m->study.stream;
	uint32_t *to __auto_mem =
		calloc(event_stream_nr_stacks(stream) + 1UL, sizeof(*to));
	int ret = to ? 0 : -ENOMEM;

	for (unsigned int i = 0; i < MEMORY_KINDS && !ret; i++) {
		if (lives_of(m, i))
			lives_mark_stacks(lives_of(m, i), to);
	}
	if (!ret)
		ret = event_stream_forget_stacks(stream, to);
	for (unsigned int i = 0; i < MEMORY_KINDS && !ret; i++) {
		if (lives_of(m, i))
			ret = lives_renumber_stacks(lives_of(m, i), to);
	}
	m->kept_stacks = event_stream_nr_stacks(stream);
	return ret;
}

static bool runs(int32_t pid)
{
	return !kill(pid, 0) || errno != ESRCH;
}

/* Drops processes that have ended and have no row, and their control groups. */
static int forget_processes(struct monitor *m)
{
	struct processes *p = &m->accounts.processes;
	const uint32_t nr = (uint32_t)p->nr, nr_groups = p->paths.count + 1;
	uint32_t *of __auto_mem = calloc(nr, sizeof(*of));
	uint32_t *groups __auto_mem = calloc(nr_groups, sizeof(*groups));
	int ret = of && groups ? 0 : -ENOMEM;

	for (unsigned int i = 0; i < MEMORY_KINDS && !ret; i++) {
		if (!lives_of(m, i))
			continue;
		lives_mark_values(lives_of(m, i), DIMENSION_PROCESS, of, nr);
		lives_mark_values(lives_of(m, i), DIMENSION_CGROUP, groups, nr_groups);
	}
	if (!ret)
		ret = processes_forget(p, runs, of, groups);
	for (unsigned int i = 0; i < MEMORY_KINDS && !ret; i++) {
		struct lives *l = lives_of(m, i);

		ret = l ? lives_renumber_values(l, DIMENSION_PROCESS, of, nr) : 0;
		if (l && !ret)
			ret = lives_renumber_values(l, DIMENSION_CGROUP, groups,
						    nr_groups);
	}
	m->kept_processes = p->nr;
	return ret;
}

static bool too_many_rows(const struct monitor *m, unsigned int i)
{
	return nr_rows(m, i) > 2 * m->sides[i].kept + MONITOR_ROWS;
}

int monitor_rows_forget(struct monitor *m)
{
	const bool stacks = event_stream_nr_stacks(m->study.stream) >
			    2ULL * m->kept_stacks + MONITOR_STACKS;
	const bool processes =
		m->opts.proc &&
		m->accounts.processes.nr > 2 * m->kept_processes + MONITOR_PROCESSES;
	const bool all = stacks || processes || m->nr_steps % MONITOR_FORGET_STEPS == 0;
	bool some = false;
	int ret = monitor_rows_find(m);

	for (unsigned int i = 0; i < MEMORY_KINDS && !ret; i++) {
		if (!lives_of(m, i) || !(all || too_many_rows(m, i)))
			continue;
		some = true;
		ret = forget_side(m, i);
	}
	if (!ret && stacks)
		ret = forget_stacks(m);
	if (!ret && processes)
		ret = forget_processes(m);
	if (!ret && some)
		ret = reopen(m);
	for (unsigned int i = 0; i < MEMORY_KINDS && !ret && some; i++) {
		if (m->sides[i].wanted)
			ret = regroup(m, i);
	}
	return ret;
}

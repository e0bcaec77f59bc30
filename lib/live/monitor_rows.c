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
#include "event/stream.h"

const char *grouping_word(unsigned int i, enum subject_kind *kind)
{
	static const enum subject_kind kinds[] = {
		SUBJECT_CALLSITE, SUBJECT_CACHE,  SUBJECT_ORDER,   SUBJECT_STACK,
		SUBJECT_COMM,	  SUBJECT_PID,	  SUBJECT_PROCESS, SUBJECT_CGROUP,
		SUBJECT_ENTRY,	  SUBJECT_MODULE, SUBJECT_CPU,	   SUBJECT_NODE,
	};

	if (i >= ARRAY_SIZE(kinds))
		return NULL;
	*kind = kinds[i];
	return subjects_word(*kind);
}

bool grouping_has(enum memory memory, enum subject_kind kind)
{
	switch (kind) {
	case SUBJECT_ORDER:
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
	const uint32_t alike = ROWS(CALLSITE) | ROWS(CACHE) | ROWS(MODULE) | ROWS(ORDER);
	struct analysis_options opts = { .by = kind };

	opts.by_cache = alike & subject_rows(opts.by);
	return subjects_slab_dimensions(&opts, env);
}

struct dimensions grouping_dimensions(enum memory memory, enum subject_kind kind,
				      const struct analysis_env *env)
{
	struct dimensions all = { .of = { DIMENSION_NONE } };

	if (memory == MEMORY_SLAB)
		all = slab_dimensions(kind, env);
	else if (grouping_has(memory, kind))
		all = subjects_page_dimensions(kind);
	dimensions_by_task(&all); /* names change, and are known only later */
	if (memory != MEMORY_SLAB && memory != MEMORY_PAGE)
		all = accounts_areas_dimensions(&all);
	return all;
}

/* The lives of side @i; NULL: it has no account. */
static struct lives *lives_of(const struct monitor *m, unsigned int i)
{
	return m->accounts.of[i];
}

static size_t nr_rows(const struct monitor *m, unsigned int i)
{
	return lives_of(m, i)->nr_tallies;
}

int monitor_rows_group(struct monitor *m, unsigned int i)
{
	return subjects_init(&m->sides[i].grouping, &m->env, m->opts.by, &m->sites,
			     &lives_of(m, i)->dimensions);
}

/* Are rows grouped by something that is derived from the allocating address? */
static bool by_place(const struct monitor *m)
{
	const uint32_t others = ROWS(COMM) | ROWS(PID) | ROWS(CPU) | ROWS(NODE) |
				ROWS(CACHE) | ROWS(PROCESS) | ROWS(CGROUP) | ROWS(ENTRY) |
				ROWS(ORDER);

	return m->nr_open || !(subject_rows(m->opts.by) & others);
}

/* The allocator of row @row in an account. */
static struct subject row_who(const struct monitor *m, unsigned int i, size_t row)
{
	const struct lives *l = lives_of(m, i);
	struct subject who = subject_of_row(l, row, 0);

	if (i != MEMORY_PAGE)
		who.callsite = ((const struct slab_key *)lives_key(l, row))->callsite;
	if (by_place(m))
		who.callsite = who.callsite
				       ? sites_beyond(&m->env, who.callsite, who.stack)
				       : sites_of_stack(&m->sites, who.stack);
	return who;
}

/* Moves the task names, so that they need not be read again. */
static void move_tasks(struct subjects *to, struct subjects *from)
{
	const struct tasks tasks = to->tasks;

	to->tasks = from->tasks;
	from->tasks = tasks;
}

/* The group of a row; MONITOR_HIDDEN: it is not of the opened row; UINT32_MAX: no memory. */
static uint32_t find_group(struct monitor *m, unsigned int i, size_t row)
{
	const struct subject who = row_who(m, i, row);
	struct monitor_open *open = m->open, *end = open + m->nr_open;
	uint32_t group;

	if (m->nr_open && i != m->open_side)
		return MONITOR_HIDDEN;
	for (; open < end; open++) {
		group = subjects_row(&open->grouping, &who);
		if (group != open->group)
			return group == UINT32_MAX ? group : MONITOR_HIDDEN;
	}
	return subjects_row(&m->sides[i].grouping, &who);
}

/* Rebuilds the groupings of opened rows, because names and numbers have changed: finds the groups
 * by a row that had one. 0 or -ENOMEM.
 */
static int reopen(struct monitor *m)
{
	const struct monitor_side *side = &m->sides[m->open_side];
	struct subject who;
	size_t row = 0;
	int ret = 0;

	while (m->nr_open && row < side->nr && side->rows[row].group == MONITOR_HIDDEN)
		row++;
	for (unsigned int i = 0; i < m->nr_open && !ret; i++) {
		struct subjects *g = &m->open[i].grouping, old = *g;

		ret = subjects_init(g, &m->env, old.kind, &m->sites,
				    &lives_of(m, m->open_side)->dimensions);
		move_tasks(g, &old);
		subjects_free(&old);
		m->open[i].group = MONITOR_HIDDEN;
		if (ret || row == side->nr)
			continue;
		who = row_who(m, m->open_side, row);
		m->open[i].group = subjects_row(g, &who);
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
			ret = tasks_read(&m->sides[i].grouping.tasks,
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
		if (array_reserve(&side->rows, &side->capacity, nr))
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

	return (struct window_sums){ sums.bytes_alloc * weight, sums.hit * weight,
				     sums.live_alloc * weight, sums.live_hit * weight };
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

/* Adds the last interval of a row to its group, whose .last is that of its latest row. */
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

/* Adds the last interval of the rows to their new groups. Earlier intervals get numbers below 0,
 * modulo 2^64.
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
	ret = ret ?: monitor_rows_find(m);
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
	struct tasks *all = &m->sides[i].grouping.tasks;
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
	uint32_t *to __auto_mem = malloc((side->windows.nr + 1) * sizeof(*to)), nr = 0;
	struct subjects old = side->grouping;
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
		nr = LARGER(nr, now + 1);
	}
	ret = ret ?: windows_renumber(&side->windows, to, nr);
	ret = ret ?: keep_tasks(m, i);
	subjects_free(&old);
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
	ret = ret ?: lives_forget(lives_of(m, i), keep, to);
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

/* Drops callchains that no row uses, after all sides have dropped rows. */
static int forget_stacks(struct monitor *m)
{
	struct event_stream *stream = m->study.stream;
	const uint32_t nr = event_stream_nr_stacks(stream) + 1;
	uint32_t *to __auto_mem = calloc(nr, sizeof(*to));
	int ret = to ? 0 : -ENOMEM;

	for (unsigned int i = 0; i < MEMORY_KINDS && !ret; i++) {
		if (lives_of(m, i))
			lives_mark(lives_of(m, i), DIMENSION_STACK, to, nr);
	}
	ret = ret ?: event_stream_forget_stacks(stream, to);
	for (unsigned int i = 0; i < MEMORY_KINDS && !ret; i++) {
		if (lives_of(m, i))
			ret = lives_renumber(lives_of(m, i), DIMENSION_STACK, to, nr);
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
		lives_mark(lives_of(m, i), DIMENSION_PROCESS, of, nr);
		lives_mark(lives_of(m, i), DIMENSION_CGROUP, groups, nr_groups);
	}
	ret = ret ?: processes_forget(p, runs, of, groups);
	for (unsigned int i = 0; i < MEMORY_KINDS && !ret; i++) {
		struct lives *l = lives_of(m, i);

		ret = l ? lives_renumber(l, DIMENSION_PROCESS, of, nr) : 0;
		if (l && !ret)
			ret = lives_renumber(l, DIMENSION_CGROUP, groups, nr_groups);
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

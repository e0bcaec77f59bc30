// SPDX-License-Identifier: GPL-2.0-or-later
#include "account/accounts.h"

#define SKEW_NS	    10000
#define SKEW_CYCLES 32768 /* assumes 3 GHz where the file gives no TSC frequency */

/* Cycles in SKEW_NS: ns = cycles * mult >> shift. */
static uint64_t skew_cycles(const struct recording *rec)
{
	if (!rec->tsc_mult || rec->tsc_shift > 40)
		return SKEW_CYCLES;
	return ((uint64_t)SKEW_NS << rec->tsc_shift) / rec->tsc_mult;
}

/* How far apart events of two CPUs can be and still be in the wrong order, in units of the clock. 0
 * for clocks that all CPUs share: only events with equal time stamps are unordered there. 10 us for
 * per-CPU clocks (Documentation/clocks.md). With several buffers, the largest bound.
 */
static uint64_t clock_skew(const struct recording *rec)
{
	static const char *const of_each_cpu[] = { "local", "perf", "x86-tsc", "ppc-tb" };
	uint64_t largest = 0;

	for (uint32_t b = 0; b < rec->nr_buffers; b++) {
		const char *clock = recording_clock(rec, b);

		for (size_t i = 0; i < ARRAY_SIZE(of_each_cpu); i++) {
			uint64_t skew =
				recording_clock_is_ns(clock) ? SKEW_NS : skew_cycles(rec);

			if (!strcmp(clock, of_each_cpu[i]) && skew > largest)
				largest = skew;
		}
	}
	return largest;
}

/* Whose allocations were not recorded. */
static struct scope scope_of(const struct recording *rec)
{
	const struct recording_text *self =
		recording_meta(rec, RECORDING_META_RECORDER_PID);
	long pid = self ? strtol(self->text, NULL, 10) : 0;

	return (struct scope){ .part = recording_is_part(rec),
			       .self = pid > 0 && pid <= INT32_MAX ? (int32_t)pid : 0 };
}

/* Adds the dimensions of @wanted to @all, DIMENSION_CHARGED only where no other needs the room.
 * False: there are too many.
 */
static bool agree(struct dimensions *all, const struct dimensions *wanted)
{
	struct dimensions both = *all;
	int i, room, most;

	for (i = 0; i < DIMENSIONS_MAX && wanted->of[i]; i++) {
		if (dimensions_find(&both, wanted->of[i]) >= 0)
			continue;
		most = DIMENSIONS_ASKED + (both.of[0] == DIMENSION_UNIT) +
		       (wanted->of[i] == DIMENSION_GFP ||
			dimensions_find(&both, DIMENSION_GFP) >= 0);
		room = dimensions_find(&both, DIMENSION_NONE);
		if (wanted->of[i] == DIMENSION_CHARGED)
			most = DIMENSIONS_MAX;
		if (room < 0 || room >= most)
			room = dimensions_find(&both, DIMENSION_CHARGED);
		if (room < 0 && wanted->of[i] == DIMENSION_CHARGED)
			continue;
		if (room < 0)
			return false;
		both.of[room] = wanted->of[i];
	}
	both.task_sums &= wanted->task_sums;
	*all = both;
	return true;
}

/* The dimensions that rows of a sample always have, requested or not. */
static void init_dimensions(struct dimensions *all, const struct accounts *a)
{
	if (!a->sample.one_in)
		return;
	all->sample = a->sample;
	all->coarse = a->coarse;
	all->of[0] = DIMENSION_UNIT;
}

/* Finds the nodes of pages if rows of @all are by node. 0 or -ENOMEM. */
static int map_nodes(struct accounts *a, struct dimensions *all)
{
	const char *zoneinfo = "";
	int ret = 0;

	if (dimensions_find(all, DIMENSION_NODE) < 0)
		return 0;
	if (a->rec)
		zoneinfo = recording_meta_text(a->rec, "zoneinfo.before");
	if (!a->nodes.nr)
		ret = node_map_read(&a->nodes, zoneinfo);
	all->nodes = &a->nodes;
	return ret;
}

void accounts_by_process(struct accounts *a, struct dimensions *all)
{
	if (dimensions_find(all, DIMENSION_PROCESS) < 0 &&
	    dimensions_find(all, DIMENSION_PROGRAM) < 0 &&
	    dimensions_find(all, DIMENSION_CGROUP) < 0)
		return;
	a->by_process = true;
	all->processes = &a->processes;
}

/* Provides the task names and processes that the dimensions @all need. 0 or -ENOMEM. */
static int name_tasks(struct accounts *a, struct dimensions *all)
{
	accounts_by_process(a, all);
	if (dimensions_find(all, DIMENSION_COMM) < 0)
		return 0;
	if (!a->named && tasks_read(&a->tasks, a->rec ? a->rec->cmdlines : NULL))
		return -ENOMEM;
	a->named = true;
	all->tasks = &a->tasks;
	return 0;
}

static void init_slab(struct accounts *a, struct slab_lives *l)
{
	/* With an unknown sampling rule, assume that all objects were recorded. */
	if (sample_of(&l->sample, a->rec) == -EINVAL)
		l->sample = (struct sample){ 0 };
	/* The kernel counts all objects, so the events must not be filtered or sampled. */
	if (!a->filtered && !recording_meta(a->rec, RECORDING_META_SAMPLE) &&
	    slab_edges_init(&a->edges, a->rec))
		l->edges = &a->edges;
	/* The largest cache of SLUB has objects of two pages; larger ones come from the page
	 * allocator.
	 */
	l->large_bytes = 2 * (uint64_t)a->page_size;
}

/* The lives of a new account; NULL: no memory. */
static struct lives *new_account(struct accounts *a, enum memory memory)
{
	static const struct life_kind *const kinds[MEMORY_KINDS] = {
		&slab_kind, &page_kind, &vmalloc_kind, &percpu_kind
	};
	const bool pages = memory == MEMORY_PAGE;
	struct lives *l =
		calloc(1, pages ? sizeof(struct page_lives) : sizeof(struct slab_lives));

	a->of[memory] = l;
	if (!l)
		return NULL;
	l->kind = kinds[memory];
	l->page_size = a->page_size;
	l->scope = scope_of(a->rec);
	l->filtered = a->filtered;
	l->dimensions.task_sums = true;
	/* Areas are never sampled. */
	if (memory == MEMORY_SLAB || pages)
		init_dimensions(&l->dimensions, a);
	if (pages)
		a->page->doubts.skew = clock_skew(a->rec);
	else
		((struct slab_lives *)l)->skew = clock_skew(a->rec);
	if (memory == MEMORY_SLAB)
		init_slab(a, a->slab);
	return l;
}

/* Adds the callchain, because vmalloc events and some per-CPU events have no callsite. */
struct dimensions accounts_areas_dimensions(const struct dimensions *wanted)
{
	struct dimensions all = *wanted;

	dimensions_add(&all, DIMENSION_STACK, DIMENSIONS_MAX);
	return all;
}

int accounts_of_memory(struct accounts *a, enum memory memory,
		       const struct dimensions *dimensions, void *of)
{
	const bool areas = memory != MEMORY_SLAB && memory != MEMORY_PAGE;
	const struct dimensions wanted =
		areas ? accounts_areas_dimensions(dimensions) : *dimensions;
	struct lives *l = a->of[memory] ? a->of[memory] : new_account(a, memory);
	int ret = l ? 0 : -ENOMEM;

	if (l && !agree(&l->dimensions, &wanted)) {
		l = NULL;
		ret = -EOVERFLOW;
	}
	memcpy(of, &l, sizeof(l)); /* @of is some T **: no aliasing through void ** */
	if (ret)
		return ret;
	return (memory == MEMORY_PAGE && map_nodes(a, &l->dimensions)) ||
			       name_tasks(a, &l->dimensions)
		       ? -ENOMEM
		       : 0;
}

int accounts_ask(struct accounts *a, const struct dimensions dimensions[MEMORY_KINDS],
		 struct lives *of[MEMORY_KINDS])
{
	int ret = 0, i;

	for (i = 0; i < MEMORY_KINDS && !ret; i++)
		ret = accounts_of_memory(a, (enum memory)i, &dimensions[i], &of[i]);
	return ret;
}

int accounts_observe(struct accounts *a, const struct dimensions dimensions[MEMORY_KINDS],
		     struct lives *of[MEMORY_KINDS], lives_fn *fn, void *ctx)
{
	int ret = accounts_ask(a, dimensions, of), kind;

	for (kind = 0; kind < MEMORY_KINDS && !ret; kind++)
		ret = lives_observe(of[kind], fn, ctx);
	return ret;
}

bool accounts_read_all(const struct accounts *a)
{
	const struct slab_lives *slab = a->slab;

	return slab && (slab->any.nr_observers ||
			dimensions_find(&slab->any.dimensions, DIMENSION_NODE) >= 0 ||
			dimensions_find(&slab->any.dimensions, DIMENSION_CHARGED) >= 0);
}

void accounts_events(struct accounts *a, const struct kmem_event *evs, size_t nr)
{
	struct event_lists lists;

	for (size_t done = 0; done < nr;) {
		done += event_lists_fill(&lists, evs + done, nr - done);
		slab_lives_listed(a->slab, &lists);
		page_lives_listed(a->page, &lists);
	}
}

/* Takes one event, of an area or a loss; both are rare. */
static void take_one(struct slab_lives *l, const struct kmem_event *ev)
{
	struct event_lists one;

	one.slab[0] = ev;
	one.nr_slab = 1;
	slab_lives_listed(l, &one);
}

void accounts_area_events(struct accounts *a, const struct kmem_event *evs, size_t nr)
{
	const struct kmem_event *ev, *end = evs + nr;

	for (ev = evs; ev < end; ev++) {
		if (likely(!kmem_is_area(ev->type) && ev->type != KMEM_LOSS))
			continue;
		if (a->vmalloc && ev->type <= KMEM_VMALLOC_FREE)
			take_one(a->vmalloc, ev);
		if (a->percpu && (ev->type >= KMEM_PERCPU_ALLOC || ev->type == KMEM_LOSS))
			take_one(a->percpu, ev);
	}
}

void accounts_finish(struct accounts *a)
{
	for (int i = 0; i < MEMORY_KINDS; i++) {
		if (!a->of[i])
			continue;
		if (i == MEMORY_PAGE)
			page_lives_finish(a->page);
		else
			slab_lives_finish((struct slab_lives *)a->of[i]);
	}
}

void accounts_free(struct accounts *a)
{
	for (int i = 0; i < MEMORY_KINDS; i++) {
		if (a->of[i] && i == MEMORY_PAGE)
			page_lives_free(a->page);
		else if (a->of[i])
			slab_lives_free((struct slab_lives *)a->of[i]);
		free(a->of[i]);
	}
	slab_edges_free(&a->edges);
	tasks_free(&a->tasks);
	processes_free(&a->processes);
	node_map_free(&a->nodes);
	*a = (struct accounts){ 0 };
}

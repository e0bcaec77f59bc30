// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * analysis: what tasks freed as they ended.
 * In: lives, ends of tasks. Out: who freed most, how much, and since when.
 */
#include "analysis/life/leaks.h"

#include "base/array.h"

/* An ending task allocates little: the signal to its parent, a page table to be freed. */
#define RUN_ALLOCATES	 4096
#define RUN_ALLOCATES_OF 8
/* do_exit() emits sched_process_exit before it frees memory and files; before Linux 6.16, after it
 * freed the memory of the program. This much may pass between the event and the frees.
 */
#define END_NS		 100000000

/* The task's run. NULL: no memory. */
static struct free_run *find_run(struct free_runs *r, int32_t pid)
{
	struct free_run *run;

	if (likely(r->last && r->last_pid == pid))
		return &r->runs.of[r->last - 1];
	run = INDEXED_ITEM(&r->runs, (uint32_t)pid);
	if (!run) {
		r->failed = true;
		return NULL;
	}
	r->last_pid = pid;
	r->last = (uint32_t)(run - r->runs.of) + 1;
	return run;
}

void free_runs_take(struct free_runs *r, const struct life *life, uint64_t bytes)
{
	const struct kmem_event *ev = life->event;
	struct free_run *run;

	if (!ev || ev->flags & KMEM_FLAGS_IRQ ||
	    (life->what != LIFE_BORN && life->what != LIFE_FREED))
		return;
	run = find_run(r, ev->pid);
	if (!run)
		return;
	if (life->what == LIFE_BORN) {
		run->allocated += bytes;
		if (run->allocated > RUN_ALLOCATES + run->freed / RUN_ALLOCATES_OF)
			*run = (struct free_run){ 0 };
		return;
	}
	if (!run->freed)
		*run = (struct free_run){ .begin = ev->ts };
	run->freed += bytes;
	run->end = ev->ts;
}

void free_runs_free(struct free_runs *r)
{
	INDEXED_FREE(&r->runs);
}

void task_ends_take(struct task_ends *e, const struct kmem_event *evs, size_t nr)
{
	const struct kmem_event *end = evs + nr;

	for (; evs < end; evs++) {
		if (likely(evs->type != KMEM_TASK_EXIT))
			continue;
		if (ARRAY_ADD(e->items, e->nr, (struct task_end){ evs->ts, evs->pid })) {
			e->failed = true;
			return;
		}
	}
}

void task_ends_free(struct task_ends *e)
{
	free(e->items);
}

struct freed_at_end task_ends_freed(const struct task_ends *e, const struct free_runs *r)
{
	struct freed_at_end all = { 0 };

	for_each(task, e->items, e->nr) {
		const uint32_t *place = u64_map_find(&r->runs.index, (uint32_t)task->pid);
		const struct free_run *run = place ? &r->runs.of[*place] : NULL;

		if (!run || !run->freed || run->begin > task->ts + END_NS ||
		    run->end + END_NS < task->ts)
			continue;
		all.nr++;
		all.bytes += run->freed;
		if (run->freed <= all.most)
			continue;
		all.most = run->freed;
		all.begin = SMALLER(run->begin, task->ts);
		all.pid = task->pid;
	}
	return all;
}

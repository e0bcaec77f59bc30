// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * analysis: pages freed one by one, many in a row.
 * In: frees of pages. Out: counts by who freed them.
 *
 * The kernel frees a batch in two rounds: it prepares each page, which emits mm_page_free, then
 * puts them on the CPU's list, which emits mm_page_free_batched for each, in the same order. Old
 * kernels announced each page just before it was freed. So whether frees were single is only known
 * afterwards.
 */
#include "analysis/advise/single_frees.h"

#include "base/array.h"

/* Of common_flags: TRACE_FLAG_HARDIRQ and _SOFTIRQ of the kernel's trace_flag_type. */
#define IN_INTERRUPT (0x08 | 0x10)
/* A longer run of frees was no batch. With pages of 64 KiB a batch has up to 8190. */
#define BATCH_MOST   16384
/* Runs kept per CPU: interrupts and other tasks free pages in between. */
#define RUNS	     4
/* A marker in @frames: a pause between frees. */
#define PAUSE	     KMEM_NO_PFN

/* The page allocator's own functions that free, and those that only drop a reference. */
static const char freeing[] =
	"^(free_pcp_prepare|_{0,2}free_pages_prepare|"
	"free_unref_(page|folios)(_prepare|_list|_commit)?|"
	"_{0,2}free_(frozen_)?pages(_ok|_exact)?|free_(one|the)_page|"
	"free_hot_cold_page(_list)?|(__)?folio_put(_small|_large|_refs)?|folios_put_refs|"
	"__put_(single_)?page|put_page|put_pages_list|release_pages|"
	"__(pagevec|folio_batch)_release|free_(page|pages|folio)_and_swap_cache|"
	"page_frag_free)$";

/**
 * struct run - frees of one task from one callsite on one CPU, in a row
 * @frames: those that may still be part of a batch, and PAUSE; @nr: their number
 * @single: pages before these, known to be single
 * @announced: some of @frames are a batch, starting at @first
 */
struct run {
	struct single_frees_key key;
	int32_t pid;
	uint64_t last_ts, single;
	uint64_t *frames;
	size_t nr, capacity, first;
	bool announced;
};

/* @early: a page announced before it is freed, or KMEM_NO_PFN. */
struct single_frees_cpu {
	struct run runs[RUNS]; /* the latest first */
	uint64_t early;
};

void single_frees_init(struct single_frees *s, const struct analysis_env *env,
		       struct sites *sites)
{
	const char *skip = freeing;

	*s = (struct single_frees){ .env = env, .sites = sites };
	s->clocks_are_ns = recording_clocks_are_ns(env->rec);
	s->part = recording_is_part(env->rec);
	s->failed = callsite_rule_new(&s->rule, &skip, 1, NULL) != 0;
}

static struct single_frees_cpu *find_cpu(struct single_frees *s, uint32_t cpu)
{
	uint32_t *place = u64_map_insert(&s->by_cpu, cpu, (uint32_t)s->nr_cpus);

	if (!place || array_reserve(&s->cpus, &s->cpus_capacity, s->nr_cpus + 1,
				    sizeof(*s->cpus))) {
		s->failed = true;
		return NULL;
	}
	if (*place == s->nr_cpus)
		s->cpus[s->nr_cpus++] = (struct single_frees_cpu){ .early = KMEM_NO_PFN };
	return &s->cpus[*place];
}

/* Resolves each callchain once. */
static uint32_t site_of(struct single_frees *s, uint32_t stack)
{
	const uint32_t *known = u64_map_find(&s->by_stack, stack);
	const uint64_t *frames;
	uint32_t nr = 0, site = SINGLE_FREES_NOWHERE;
	int index;

	if (known)
		return *known;
	frames = event_stream_stack(s->env->stream, stack, &nr);
	index = frames ? callsite_find(s->rule, s->env->syms, frames, nr) : -1;
	if (index >= 0) {
		site = sites_group(s->sites, frames[index]);
		s->failed |= site == UINT32_MAX;
	}
	s->failed |= !u64_map_insert(&s->by_stack, stack, site);
	return site;
}

/* --- runs ------------------------------------------------------------------------------- */

static int count_run(struct single_frees_tally *tally, const struct single_frees_key *key,
		     uint64_t pages)
{
	struct single_frees_count *c;

	if (pages < SINGLE_FREES_RUN)
		return 0;
	c = KEYED_ITEM(&tally->counts, key);
	if (!c)
		return -ENOMEM;
	c->pages += pages;
	c->runs++;
	if (pages > c->longest)
		c->longest = pages;
	return 0;
}

/* Counts the first @nr frames, none of which was announced. @rest: how many of the last may
 * continue.
 */
static int count_frames(struct single_frees_tally *tally, const struct run *run,
			size_t nr, uint64_t *rest)
{
	int ret = 0;

	*rest = run->single;
	for (size_t i = 0; i < nr && !ret; i++) {
		if (run->frames[i] == PAUSE) {
			ret = count_run(tally, &run->key, *rest);
			*rest = 0;
		} else {
			++*rest;
		}
	}
	return ret;
}

/* Counts the run; no more of its frames are expected to be announced. */
static int count_last(struct single_frees_tally *tally, const struct run *run)
{
	uint64_t rest;
	int ret = count_frames(tally, run, run->announced ? run->first : run->nr, &rest);

	return ret ?: count_run(tally, &run->key, rest);
}

static void forget_run(struct run *run)
{
	run->nr = 0;
	run->single = 0;
	run->announced = false;
}

static void end_run(struct single_frees *s, struct run *run)
{
	s->failed |= count_last(&s->ended, run) != 0;
	forget_run(run);
}

static void add_frame(struct single_frees *s, struct run *run, uint64_t pfn)
{
	uint32_t *place;

	if (run->nr == BATCH_MOST) {
		s->failed |= count_frames(&s->ended, run, run->nr, &run->single) != 0;
		run->nr = 0;
	}
	place = u64_map_insert(&s->places, pfn, 0);
	if (!place || array_reserve(&run->frames, &run->capacity, run->nr + 1,
				    sizeof(*run->frames))) {
		s->failed = true;
		return;
	}
	*place = (uint32_t)run->nr;
	run->frames[run->nr++] = pfn;
}

static void add_free(struct single_frees *s, struct run *run, const struct kmem_event *ev)
{
	if (run->announced)
		end_run(s, run);
	if (run->nr && s->clocks_are_ns && ev->ts - run->last_ts > SINGLE_FREES_GAP_NS)
		add_frame(s, run, PAUSE);
	run->last_ts = ev->ts;
	add_frame(s, run, ev->page_free.pfn);
}

/* Moves the run of that task and callsite to the front; if there is none, reuses the one last used
 * longest ago.
 */
static struct run *take_run(struct single_frees *s, struct single_frees_cpu *cpu,
			    const struct single_frees_key *key, int32_t pid)
{
	struct run *runs = cpu->runs, run;
	size_t i = 0;

	while (i < RUNS - 1 && (runs[i].pid != pid || runs[i].key.site != key->site))
		i++;
	run = runs[i];
	memmove(&runs[1], &runs[0], i * sizeof(*runs));
	if (run.pid != pid || run.key.site != key->site) {
		end_run(s, &run);
		run.key = *key;
		run.pid = pid;
	}
	runs[0] = run;
	return &runs[0];
}

/* Marks the announced frame in its run; false: its free was not seen. */
static bool announce(struct single_frees *s, struct single_frees_cpu *cpu, uint64_t pfn)
{
	const uint32_t *place = u64_map_find(&s->places, pfn);

	for (size_t i = 0; place && i < RUNS; i++) {
		struct run *run = &cpu->runs[i];

		if (*place >= run->nr || run->frames[*place] != pfn)
			continue;
		if (!run->announced || *place < run->first)
			run->first = *place;
		run->announced = true;
		return true;
	}
	return false;
}

/* --- events ------------------------------------------------------------------------------ */

static void page_freed(struct single_frees *s, struct single_frees_cpu *cpu,
		       const struct kmem_event *ev)
{
	int32_t pid = ev->flags & IN_INTERRUPT ? SINGLE_FREES_INTERRUPT : ev->pid;
	struct single_frees_key key = { .site = SINGLE_FREES_NOWHERE };
	bool early = cpu->early == ev->page_free.pfn;

	cpu->early = KMEM_NO_PFN;
	if (ev->page_free.order || early)
		return;
	if (ev->stack)
		key.site = site_of(s, ev->stack);
	if (key.site == SINGLE_FREES_NOWHERE)
		key.pid = pid;
	add_free(s, take_run(s, cpu, &key, pid), ev);
}

static void page_announced(struct single_frees *s, struct single_frees_cpu *cpu,
			   uint64_t pfn)
{
	if (!announce(s, cpu, pfn))
		cpu->early = pfn;
}

/* An allocation recycles pages; a batch would not allocate in between. It ends the task's runs. */
static void page_allocated(struct single_frees *s, struct single_frees_cpu *cpu,
			   const struct kmem_event *ev)
{
	for (size_t i = 0; i < RUNS; i++) {
		if (cpu->runs[i].pid == ev->pid && !(ev->flags & IN_INTERRUPT))
			end_run(s, &cpu->runs[i]);
	}
}

/* Announcements during a loss are unknown, so drops all runs. */
static void forget_runs(struct single_frees_cpu *cpu)
{
	for (size_t i = 0; i < RUNS; i++)
		forget_run(&cpu->runs[i]);
}

/* Is it by a task that was recorded? A recording of a part of the system has all tasks' frees. */
static bool is_recorded(struct single_frees *s, const struct kmem_event *ev)
{
	if (!s->part || ev->type == KMEM_LOSS)
		return true;
	if (ev->type == KMEM_PAGE_ALLOC)
		s->failed |= !u64_map_insert(&s->tasks, (uint32_t)ev->pid, 0);
	return u64_map_find(&s->tasks, (uint32_t)ev->pid) && !(ev->flags & IN_INTERRUPT);
}

static void take_one(struct single_frees *s, const struct kmem_event *ev)
{
	struct single_frees_cpu *cpu;

	if ((!kmem_is_page(ev->type) && ev->type != KMEM_LOSS) || !is_recorded(s, ev))
		return;
	cpu = find_cpu(s, ev->cpu);
	if (!cpu)
		return;
	if (ev->type == KMEM_PAGE_FREE)
		page_freed(s, cpu, ev);
	else if (ev->type == KMEM_PAGE_FREE_BATCHED)
		page_announced(s, cpu, ev->page_free.pfn);
	else if (ev->type == KMEM_PAGE_ALLOC)
		page_allocated(s, cpu, ev);
	else
		forget_runs(cpu);
}

void single_frees_take(struct single_frees *s, const struct kmem_event *ev, size_t nr)
{
	const struct kmem_event *end = ev + nr;

	for (; ev < end && !s->failed; ev++)
		take_one(s, ev);
}

void single_frees_end(struct single_frees *s)
{
	for (size_t i = 0; i < s->nr_cpus * RUNS; i++)
		end_run(s, &s->cpus[i / RUNS].runs[i % RUNS]);
}

void single_frees_free(struct single_frees *s)
{
	for (size_t i = 0; i < s->nr_cpus * RUNS; i++)
		free(s->cpus[i / RUNS].runs[i % RUNS].frames);
	callsite_rule_free(s->rule);
	u64_map_free(&s->by_stack);
	u64_map_free(&s->places);
	u64_map_free(&s->by_cpu);
	u64_map_free(&s->tasks);
	free(s->cpus);
	KEYED_FREE(&s->ended.counts);
}

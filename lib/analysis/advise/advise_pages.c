// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * analysis: advice about pages: kmallocs that take larger blocks than they need, single frees.
 * In: kmallocs of whole pages, pages that are freed one by one, by callsite. Out: findings.
 */

#include "analysis/advise/advise.h"
#include "base/array.h"
#include "event/tasks.h"

/* --- pages freed one by one, many in a row ---------------------------------------------- */

/*
 * The kernel frees a batch in two rounds: it prepares each page, which emits mm_page_free, then
 * puts them on the CPU's list, which emits mm_page_free_batched for each, in the same order. Old
 * kernels announced each page just before it was freed. So whether frees were single is only known
 * afterwards.
 */

/* A longer run of frees was no batch. With pages of 64 KiB a batch has up to 8190. */
#define BATCH_MOST 16384
/* Runs kept per CPU: interrupts and other tasks free pages in between. */
#define RUNS	   4
/* An announced frame is looked for among this many of the latest: most batches have 15 or 31. */
#define LATEST	   64
/* A marker in @frames: a pause between frees. */
#define PAUSE	   KMEM_NO_PFN

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
 * @placed: how many of them are in the map of places
 * @single: pages before these, known to be single
 * @announced: some of @frames are a batch, starting at @first
 */
struct run {
	struct single_frees_key key;
	int32_t pid;
	uint64_t last_ts, single;
	uint64_t *frames;
	size_t nr, capacity, placed, first;
	bool announced;
};

/* @runs: the latest first; @next: the place in @runs[@at] after the frame that was announced last;
 * @early: a page announced before it is freed, plus 1; 0: none.
 */
struct single_frees_cpu {
	struct run runs[RUNS];
	size_t at, next;
	uint64_t early;
};

void single_frees_init(struct advise *a)
{
	const char *skip = freeing;

	a->single.clocks_are_ns = recording_clocks_are_ns(a->env->rec);
	a->single.part = recording_is_part(a->env->rec);
	a->failed |= callsite_rule_new(&a->single.rule, &skip, 1, NULL) != 0;
}

/* Resolves each callchain once. */
static uint32_t site_of(struct advise *a, uint32_t stack)
{
	const uint32_t *known = u64_map_find(&a->single.by_stack, stack);
	const uint64_t *frames;
	uint32_t nr = 0, site = SINGLE_FREES_NOWHERE;
	int index;

	if (known)
		return *known;
	frames = event_stream_stack(a->env->stream, stack, &nr);
	index = frames ? callsite_find(a->single.rule, a->env->syms, frames, nr) : -1;
	if (index >= 0) {
		site = sites_group(&a->sites, frames[index]);
		a->failed |= site == UINT32_MAX;
	}
	a->failed |= !u64_map_insert(&a->single.by_stack, stack, site);
	return site;
}

/* --- runs ------------------------------------------------------------------------------- */

static void count_run(struct advise *a, const struct run *run, uint64_t pages)
{
	struct single_frees_count *c;

	if (pages < SINGLE_FREES_RUN)
		return;
	c = KEYED_ITEM(&a->single.counts, &run->key);
	a->failed |= !c;
	if (!c)
		return;
	c->pages += pages;
	c->runs++;
	c->longest = LARGER(pages, c->longest);
}

/* Counts the first @nr frames, none of which was announced. Returns how many of the last may
 * continue.
 */
static uint64_t count_frames(struct advise *a, const struct run *run, size_t nr)
{
	uint64_t rest = run->single;

	for (size_t i = 0; i < nr; i++) {
		if (run->frames[i] != PAUSE) {
			rest++;
			continue;
		}
		count_run(a, run, rest);
		rest = 0;
	}
	return rest;
}

static void forget_run(struct run *run)
{
	run->nr = run->placed = 0;
	run->single = 0;
	run->announced = false;
}

/* Counts the run; no more of its frames are expected to be announced. */
static void end_run(struct advise *a, struct run *run)
{
	count_run(a, run, count_frames(a, run, run->announced ? run->first : run->nr));
	forget_run(run);
}

static void add_frame(struct advise *a, struct run *run, uint64_t pfn)
{
	if (run->nr == BATCH_MOST) {
		run->single = count_frames(a, run, run->nr);
		run->nr = run->placed = 0;
	}
	if (array_reserve(&run->frames, &run->capacity, run->nr + 1))
		a->failed = true;
	else
		run->frames[run->nr++] = pfn;
}

static void add_free(struct advise *a, struct run *run, const struct kmem_event *ev)
{
	if (run->announced)
		end_run(a, run);
	if (run->nr && a->single.clocks_are_ns &&
	    ev->ts - run->last_ts > SINGLE_FREES_GAP_NS)
		add_frame(a, run, PAUSE);
	run->last_ts = ev->ts;
	add_frame(a, run, ev->page_free.pfn);
}

/* Moves the run of that task and callsite to the front. A new run takes the place of the least
 * recently used one.
 */
static struct run *take_run(struct advise *a, struct single_frees_cpu *cpu,
			    const struct single_frees_key *key, int32_t pid)
{
	struct run *runs = cpu->runs, run;
	size_t i = 0;

	while (i < RUNS - 1 && (runs[i].pid != pid || runs[i].key.site != key->site))
		i++;
	if (!i)
		return &runs[0];
	run = runs[i];
	memmove(&runs[1], &runs[0], i * sizeof(*runs));
	if (run.pid != pid || run.key.site != key->site) {
		end_run(a, &run);
		run.key = *key;
		run.pid = pid;
	}
	runs[0] = run;
	return &runs[0];
}

static void mark_announced(struct single_frees_cpu *cpu, size_t at, size_t place)
{
	struct run *run = &cpu->runs[at];

	if (!run->announced || place < run->first)
		run->first = place;
	run->announced = true;
	cpu->at = at;
	cpu->next = place + 1;
}

/* Finds the frame in any of the runs, after adding all their frames to the map. */
static bool announce_anywhere(struct advise *a, struct single_frees_cpu *cpu,
			      uint64_t pfn)
{
	const struct run *runs = cpu->runs;
	const uint32_t *found;
	size_t i;

	for (i = RUNS; i--; cpu->runs[i].placed = runs[i].nr) {
		for (size_t k = runs[i].placed; k < runs[i].nr; k++) {
			uint32_t *place =
				u64_map_insert(&a->single.places, runs[i].frames[k], 0);

			a->failed |= !place;
			if (place)
				*place = (uint32_t)k;
		}
	}
	found = u64_map_find(&a->single.places, pfn);
	for (i = 0; found && i < RUNS; i++) {
		if (*found < runs[i].nr && runs[i].frames[*found] == pfn) {
			mark_announced(cpu, i, *found);
			return true;
		}
	}
	return false;
}

/* Marks the announced frame in its run; false: its free was not seen. */
static bool announce(struct advise *a, struct single_frees_cpu *cpu, uint64_t pfn)
{
	const struct run *run = &cpu->runs[cpu->at], *latest = cpu->runs;

	if (cpu->next && cpu->next < run->nr && run->frames[cpu->next] == pfn) {
		cpu->next++;
		return true;
	}
	for (size_t i = latest->nr; i && i + LATEST > latest->nr; i--) {
		if (latest->frames[i - 1] == pfn) {
			mark_announced(cpu, 0, i - 1);
			return true;
		}
	}
	return announce_anywhere(a, cpu, pfn);
}

/* --- events ------------------------------------------------------------------------------ */

static void page_freed(struct advise *a, struct single_frees_cpu *cpu,
		       const struct kmem_event *ev)
{
	int32_t pid = ev->flags & KMEM_FLAGS_IRQ ? SINGLE_FREES_INTERRUPT : ev->pid;
	struct single_frees_key key = { .site = SINGLE_FREES_NOWHERE };
	bool early = cpu->early == ev->page_free.pfn + 1;

	cpu->early = cpu->next = 0;
	if (ev->page_free.order || early)
		return;
	if (ev->stack)
		key.site = site_of(a, ev->stack);
	if (key.site == SINGLE_FREES_NOWHERE)
		key.pid = pid;
	add_free(a, take_run(a, cpu, &key, pid), ev);
}

/* An allocation reuses pages, and no batch allocates in between: ends the task's runs. */
static void page_allocated(struct advise *a, struct single_frees_cpu *cpu,
			   const struct kmem_event *ev)
{
	for (size_t i = 0; i < RUNS; i++) {
		if (cpu->runs[i].pid == ev->pid && !(ev->flags & KMEM_FLAGS_IRQ))
			end_run(a, &cpu->runs[i]);
	}
}

/* Announcements during a loss are unknown, so drops all runs. */
static void forget_runs(struct single_frees_cpu *cpu)
{
	for (size_t i = 0; i < RUNS; i++)
		forget_run(&cpu->runs[i]);
}

/* Was the task of @ev recorded? A recording of a part of the system has the frees of all tasks. */
static bool is_recorded(struct advise *a, const struct kmem_event *ev)
{
	if (!a->single.part || ev->type == KMEM_LOSS)
		return true;
	if (ev->type == KMEM_PAGE_ALLOC)
		a->failed |= !u64_map_insert(&a->single.tasks, (uint32_t)ev->pid, 0);
	return u64_map_find(&a->single.tasks, (uint32_t)ev->pid) &&
	       !(ev->flags & KMEM_FLAGS_IRQ);
}

static void take_one(struct advise *a, const struct kmem_event *ev)
{
	struct single_frees_cpu *cpu;

	if ((!kmem_is_page(ev->type) && ev->type != KMEM_LOSS) || !is_recorded(a, ev))
		return;
	cpu = INDEXED_ITEM(&a->single.cpus, ev->cpu);
	a->failed |= !cpu;
	if (!cpu)
		return;
	if (ev->type == KMEM_PAGE_FREE)
		page_freed(a, cpu, ev);
	else if (ev->type == KMEM_PAGE_FREE_BATCHED)
		cpu->early = announce(a, cpu, ev->page_free.pfn) ? cpu->early
								 : ev->page_free.pfn + 1;
	else if (ev->type == KMEM_PAGE_ALLOC)
		page_allocated(a, cpu, ev);
	else
		forget_runs(cpu);
}

void single_frees_take(struct advise *a, const struct kmem_event *ev, size_t nr)
{
	const struct kmem_event *end = ev + nr;

	for (; ev < end && !a->failed; ev++)
		take_one(a, ev);
}

void single_frees_end(struct advise *a)
{
	for (size_t i = 0; i < a->single.cpus.nr * RUNS; i++)
		end_run(a, &a->single.cpus.of[i / RUNS].runs[i % RUNS]);
}

void single_frees_free(struct single_frees *s)
{
	for (size_t i = 0; i < s->cpus.nr * RUNS; i++)
		free(s->cpus.of[i / RUNS].runs[i % RUNS].frames);
	callsite_rule_free(s->rule);
	u64_map_free(&s->by_stack);
	u64_map_free(&s->places);
	u64_map_free(&s->tasks);
	INDEXED_FREE(&s->cpus);
	KEYED_FREE(&s->counts);
}

/* --- findings --------------------------------------------------------------------------- */

/* "task cp-312", and the command that shows its frees. */
static void name_task(struct finding *f, const struct tasks *tasks, int32_t pid)
{
	if (pid == SINGLE_FREES_INTERRUPT) {
		strbuf_puts(&f->task, "interrupts");
		return;
	}
	strbuf_printf(&f->task, "task %s-%" PRId32, tasks_name(tasks, pid), pid);
	strbuf_printf(&f->more, " --pid %" PRId32, pid);
}

static int add_unbatched(struct advise_view *v, const struct tasks *tasks, size_t i)
{
	const struct single_frees_key *key = KEYED_KEY(&v->a->single.counts, i);
	const struct single_frees_count *c = &v->a->single.counts.of[i];
	struct finding f = { .site = key->site, .hit = c->pages };

	strbuf_puts(&f.more, v->kind->more);
	if (key->site == SINGLE_FREES_NOWHERE)
		name_task(&f, tasks, key->pid);
	else
		f.freed_by = key->site + 1;
	strbuf_printf(&f.evidence, "%" PRIu64 " page%s freed one by one, ", c->pages,
		      c->pages == 1 ? " was" : "s were");
	if (c->runs == 1)
		strbuf_puts(&f.evidence, "in one run on one CPU");
	else
		strbuf_printf(&f.evidence,
			      "in %" PRIu64
			      " runs of %d or more on one CPU, the longest of %" PRIu64,
			      c->runs, SINGLE_FREES_RUN, c->longest);
	strbuf_puts(&f.evidence, "; mm_page_free_batched announced none of them");
	strbuf_puts(
		&f.doubt,
		"whether one loop frees them, or many calls do, is not in the events");
	if (f.task.size)
		strbuf_puts(
			&f.doubt,
			"; nor is the callsite, without callchains of frees (kmemx record --stack all)");
	if (v->a->losses)
		strbuf_puts(&f.doubt, "; events were lost");
	return advise_add(v, &f);
}

int advise_unbatched(struct advise_view *v)
{
	const struct advise *a = v->a;
	struct tasks tasks = { 0 };
	int ret;

	/* Without mm_page_free_batched events, batches and single frees look the same. */
	if (!(analysis_seen(a->env) & NEEDS(PAGE_FREE_BATCHED)))
		return 0;
	ret = tasks_read(&tasks, a->env->rec->cmdlines);
	for (size_t i = 0; i < a->single.counts.nr && !ret; i++)
		ret = add_unbatched(v, &tasks, i);
	tasks_free(&tasks);
	return ret;
}

static void tell_pages(const struct advise *a, const struct size_peak_site *s,
		       struct finding *f)
{
	struct strbuf *to = &f->evidence;

	strbuf_printf(to, "%" PRIu64 " object%s ", f->live, plural(f->live));
	if (s->bytes_alloc)
		strbuf_printf(to, "of %" PRIu32 " bytes live at once, each in %" PRIu32,
			      s->bytes_req, s->bytes_alloc);
	else
		strbuf_printf(to, "of several sizes live at once, in %" PRIu64 " bytes",
			      s->most.bytes);
	strbuf_printf(to,
		      "; %" PRIu64 " of %" PRIu64
		      " kmalloc%s there ask%s for over %" PRIu64
		      " bytes: a power of two of pages",
		      s->large, s->hit, plural(s->hit), s->hit == 1 ? "s" : "",
		      a->slab->large_bytes);
}

static int add_whole_pages(struct advise_view *v, uint32_t site)
{
	const struct size_peak_site *s = &v->a->sizes.totals[site];
	const struct size_peak_pages *most = &s->most;
	struct finding f = { .site = site,
			     .bytes = most->bytes - most->needed,
			     .hit = s->large,
			     .live = most->objects,
			     .bytes_req = s->bytes_req,
			     .object = s->bytes_alloc };

	if (!f.bytes)
		return 0;
	tell_pages(v->a, s, &f);
	if (s->bytes_alloc) {
		f.better = most->needed / most->objects;
		strbuf_printf(&f.arithmetic,
			      "%" PRIu64 " x (%" PRIu64 " - %" PRIu64 ") = %" PRIu64,
			      f.live, f.object, f.better, f.bytes);
	} else {
		strbuf_printf(&f.arithmetic, "%" PRIu64 " - %" PRIu64 " = %" PRIu64,
			      most->bytes, most->needed, f.bytes);
	}
	strbuf_puts(&f.arithmetic, ", with alloc_pages_exact() or vmalloc()");
	advise_doubt_live(v->a, s->large_gone, &f);
	strbuf_puts(
		&f.doubt,
		"; whether the memory must be contiguous, or can be mapped, is not in the events; kvmalloc() would not help: it tries kmalloc() first");
	return advise_add(v, &f);
}

int advise_whole_pages(struct advise_view *v)
{
	int ret = 0;

	for (size_t i = 0; i < v->a->sizes.nr_sites && !ret; i++)
		ret = add_whole_pages(v, (uint32_t)i);
	return ret;
}

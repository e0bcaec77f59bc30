// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * analysis: how pages enter and leave the free lists of each CPU.
 * In: mm_page_alloc_zone_locked, mm_page_pcpu_drain, frees of pages. Out: tables "percpu" and
 * "percpu_matrix"; Documentation/percpu.md says how.
 *
 * A list is refilled or drained under zone->lock, one event per page. Consecutive events of one
 * kind on a CPU, with no other event between them, mean that the lock was taken once.
 */

#include "analysis/analysis.h"
#include "base/keyed.h"
#include "base/hash.h"

/* Larger blocks mean damage. */
#define ORDER_MAX 20U

/* Why the lock was taken. */
enum zone_lock { LOCK_NONE, LOCK_DIRECT, LOCK_REFILL, LOCK_DRAIN, LOCK_NR };

/**
 * struct percpu_cpu - one CPU
 * @taken: how often the lock was taken, by reason; @pages: how many pages were moved
 * @freed: order-0 pages that were freed; @batched: those announced as part of a batch
 * @last, @order, @type, @pid: the latest event's data
 */
struct percpu_cpu {
	uint32_t cpu;
	uint64_t taken[LOCK_NR], pages[LOCK_NR];
	uint64_t freed, batched;
	enum zone_lock last;
	uint32_t order;
	int32_t type, pid;
};

/* Pages that moved from the list of CPU @from to that of CPU @to, indexes of CPUs. */
struct percpu_key {
	uint32_t from, to;
};

/**
 * struct percpu - the analysis
 * @cpus: by number
 * @refilled: first page frame of a block -> index in @cpus of the CPU whose list it entered last
 * @moved: pages, by struct percpu_key
 */
struct percpu {
	const struct analysis_env *env;
	INDEXED(struct percpu_cpu) cpus;
	struct u64_map refilled;
	KEYED(uint64_t) moved;
	uint64_t unknown; /* drained pages that entered their list before the recording */
	uint64_t losses;
	bool failed;
};

static struct percpu_cpu *find_cpu(struct percpu *p, uint32_t cpu)
{
	struct percpu_cpu *c = INDEXED_ITEM(&p->cpus, cpu);

	if (c)
		c->cpu = cpu;
	else
		p->failed = true;
	return c;
}

static void moved(struct percpu *p, uint32_t from, uint32_t to, uint64_t pages)
{
	const struct percpu_key key = { from, to };
	uint64_t *sum = KEYED_ITEM(&p->moved, &key);

	if (sum)
		*sum += pages;
	else
		p->failed = true;
}

/* @ev shows that the lock was held for @lock. */
static void under_lock(struct percpu *p, struct percpu_cpu *c, enum zone_lock lock,
		       const struct kmem_event *ev)
{
	uint32_t order = ev->page_alloc.order;
	/* A refill has one order and migratetype, a drain has all. */
	bool goes_on = c->last == lock && c->pid == ev->pid && lock != LOCK_DIRECT &&
		       (lock == LOCK_DRAIN ||
			(c->order == order && c->type == ev->page_alloc.migratetype));
	uint32_t place = (uint32_t)(c - p->cpus.of), *from;
	uint64_t pages;

	c->taken[lock] += !goes_on;
	c->last = lock;
	c->order = order;
	c->type = ev->page_alloc.migratetype;
	c->pid = ev->pid;
	if (order > ORDER_MAX || ev->page_alloc.pfn == KMEM_NO_PFN)
		return;
	pages = 1ULL << order;
	c->pages[lock] += pages;
	if (lock == LOCK_DIRECT)
		return;
	if (lock == LOCK_DRAIN) {
		from = u64_map_find(&p->refilled, ev->page_alloc.pfn);
		if (from && *from != UINT32_MAX) {
			moved(p, *from, place, pages);
			*from = UINT32_MAX; /* the block is back in the zone */
		} else {
			p->unknown += pages;
		}
		return;
	}
	from = u64_map_insert(&p->refilled, ev->page_alloc.pfn, place);
	if (from)
		*from = place;
	else
		p->failed = true;
}

static void percpu_event(struct percpu *p, const struct kmem_event *ev)
{
	struct percpu_cpu *c = find_cpu(p, ev->cpu);

	if (!c)
		return;
	switch (ev->type) {
	case KMEM_PAGE_ALLOC_ZONE_LOCKED:
		under_lock(p, c, ev->page_alloc.refill ? LOCK_REFILL : LOCK_DIRECT, ev);
		return;
	case KMEM_PAGE_PCPU_DRAIN:
		under_lock(p, c, LOCK_DRAIN, ev);
		return;
	case KMEM_PAGE_ALLOC_EXTFRAG: /* under the lock, too */
	case KMEM_KERNEL_STACK:
		return;
	case KMEM_PAGE_FREE:
		c->freed += !ev->page_free.order;
		break;
	case KMEM_PAGE_FREE_BATCHED:
		c->batched++;
		break;
	case KMEM_LOSS:
		p->losses++;
		break;
	default:
		break;
	}
	c->last = LOCK_NONE;
}

static void percpu_observe(void *self, const struct kmem_event *evs, size_t nr)
{
	struct percpu *p = self;

	for (size_t i = 0; i < nr && !p->failed; i++)
		percpu_event(p, &evs[i]);
}

/* --- tables ------------------------------------------------------------------------------ */

/* @seconds: length of the recording; 0: unknown. @frees: frees were recorded. */
struct cpu_row {
	const struct percpu_cpu *c;
	double seconds;
	bool frees, batched;
};

static uint64_t locks(const struct percpu_cpu *c)
{
	return c->taken[LOCK_DIRECT] + c->taken[LOCK_REFILL] + c->taken[LOCK_DRAIN];
}

CELL(cell_locks, struct cpu_row, cell_uint(locks(r->c)))
CELL_IF(cell_locks_second, struct cpu_row, r->seconds > 0,
	cell_real((double)locks(r->c) / r->seconds))
CELL_IF(cell_batched, struct cpu_row, r->batched, cell_uint(r->c->batched))
CELL_IF(cell_unbatched, struct cpu_row, r->batched && r->frees,
	cell_uint(less(r->c->freed, r->c->batched)))

static const struct column_type columns[] = {
	{ COLUMN("cpu", "CPU", UNIT_NONE, "The CPU on which these events occurred.",
		 .level = true),
	  MEMBER_OF(struct cpu_row, c, cpu) },
	{ COLUMN("locks", "Locks", UNIT_COUNT,
		 "How often zone->lock was taken for refills, drains and direct allocations.",
		 .share = true),
	  .fill = cell_locks },
	{ COLUMN("locks_second", "Locks/s", UNIT_NONE, "The same a second.",
		 .level = true, .drop = 30),
	  .fill = cell_locks_second },
	{ COLUMN("refills", "Refills", UNIT_COUNT,
		 "How often a list of the CPU was refilled.", .drop = 40),
	  MEMBER_OF(struct cpu_row, c, taken[LOCK_REFILL]) },
	{ COLUMN("refill_pages", "Refilled/Per", UNIT_PAGES,
		 "Pages that came to its lists, and for each refill.", .per = "refills"),
	  MEMBER_OF(struct cpu_row, c, pages[LOCK_REFILL]) },
	{ COLUMN("drains", "Drains", UNIT_COUNT, "How often its lists were drained.",
		 .drop = 40),
	  MEMBER_OF(struct cpu_row, c, taken[LOCK_DRAIN]) },
	{ COLUMN("drain_pages", "Drained/Per", UNIT_PAGES,
		 "Pages that left its lists for the zone, and for each drain.",
		 .per = "drains"),
	  MEMBER_OF(struct cpu_row, c, pages[LOCK_DRAIN]) },
	{ COLUMN("direct", "Direct", UNIT_COUNT, "Allocations that passed its lists by.",
		 .drop = 60),
	  MEMBER_OF(struct cpu_row, c, taken[LOCK_DIRECT]) },
	{ COLUMN("direct_pages", "Direct_pages", UNIT_PAGES, "Their pages.",
		 .hidden = true, .drop = 90),
	  MEMBER_OF(struct cpu_row, c, pages[LOCK_DIRECT]) },
	{ COLUMN("batched", "Batched", UNIT_COUNT, "Pages freed in batches.", .drop = 70),
	  .fill = cell_batched },
	{ COLUMN("unbatched", "Unbatched", UNIT_COUNT, "Pages freed one by one.",
		 .drop = 65),
	  .fill = cell_unbatched },
	SHARE_COLUMNS,
	COLUMNS_END,
};

static const struct table_type percpu_type = {
	.name = "percpu",
	.help = "refills and drains of the page lists of a CPU",
	.title = "Lists of free pages by CPU",
	.by = "cpu",
	.sort = "locks,refill_pages",
	.columns = columns,
};

struct move_row {
	uint32_t from, to; /* CPUs */
	uint64_t pages;
};

static const struct column_type move_columns[] = {
	{ COLUMN("pages", "Pages", UNIT_PAGES,
		 "Pages that were refilled on the one CPU and then drained on the other.",
		 .share = true),
	  MEMBER(struct move_row, pages) },
	{ COLUMN("refill_cpu", "Refilled_on", UNIT_NONE,
		 "The CPU to whose lists they came.", .level = true),
	  MEMBER(struct move_row, from) },
	{ COLUMN("drain_cpu", "Drained_on", UNIT_NONE, "The CPU whose lists they left.",
		 .level = true),
	  MEMBER(struct move_row, to) },
	SHARE_COLUMNS,
	COLUMNS_END,
};

static const struct table_cross percpu_cross = {
	.row = "refill_cpu",
	.column = "drain_cpu",
	.value = "pages",
	.corner = "CPU",
	.title = "Pages by the CPUs that refilled (down) and drained (across)",
};

static const struct table_type percpu_matrix_type = {
	.name = "percpu_matrix",
	.help = "pages that were refilled on one CPU and drained on another, or on the same",
	.title = "Pages by the CPUs that refilled and drained",
	.by = "refill_cpu,drain_cpu",
	.sort = "pages",
	.cross = &percpu_cross,
	.columns = move_columns,
};

static void add_summary(const struct percpu *p, struct table *t)
{
	uint64_t all[LOCK_NR] = { 0 }, here = 0, elsewhere = 0;

	for (uint32_t i = 0; i < p->cpus.nr; i++) {
		for (unsigned int lock = 0; lock < LOCK_NR; lock++)
			all[lock] += p->cpus.of[i].taken[lock];
	}
	for (uint32_t i = 0; i < p->moved.nr; i++) {
		const struct percpu_key *key = KEYED_KEY(&p->moved, i);

		if (key->from == key->to)
			here += p->moved.of[i];
		else
			elsewhere += p->moved.of[i];
	}
	table_set_summary_title(t, "SUMMARY (lists of CPUs)");
	TABLE_SUMMARY(
		t, p->losses != 0,
		{ "locks", "zone->lock taken", UNIT_COUNT,
		  all[LOCK_DIRECT] + all[LOCK_REFILL] + all[LOCK_DRAIN], SUMMARY_TOTAL },
		{ "refills", "  for refills", UNIT_COUNT, all[LOCK_REFILL],
		  SUMMARY_USUAL },
		{ "drains", "  for drains", UNIT_COUNT, all[LOCK_DRAIN], SUMMARY_USUAL },
		{ "direct", "  for allocations past the lists", UNIT_COUNT,
		  all[LOCK_DIRECT], SUMMARY_USUAL },
		{ "pages_here", "Pages drained where they were refilled", UNIT_COUNT,
		  here, SUMMARY_TOTAL },
		{ "pages_elsewhere", "  on another CPU", UNIT_COUNT, elsewhere,
		  SUMMARY_TOTAL },
		{ "pages_unknown", "  refilled before, or unseen", UNIT_COUNT, p->unknown,
		  SUMMARY_USUAL });
}

static void add_notes(const struct percpu *p, uint32_t seen, struct table *t)
{
	table_note_if(
		t, !(seen & NEEDS(PAGE_ALLOC)) || !(seen & NEEDS(PAGE_FREE)),
		"!Allocations or frees of pages were not recorded: refills and drains that follow each other count as one (kmemx record --page).");
	table_note_if(t, p->losses, "!Events were lost: there was more than is shown.");
	table_note_if(
		t, p->env->filter,
		"Of all tasks: the filter selects allocations, and refills and drains are none.");
}

/* 0: unknown, or the buffers' clocks have different units. */
static double seconds_of(const struct recording *rec, uint64_t ticks)
{
	uint64_t ns = 0, other;

	for (uint32_t b = 0; b < rec->nr_buffers; b++) {
		if (recording_ticks_to_ns(rec, b, ticks, &other) || (b && other != ns))
			return 0;
		ns = other;
	}
	return (double)ns / 1e9;
}

static void show_cpus(const struct percpu *p, struct report *report)
{
	const struct event_stream_stats *s = event_stream_stats(p->env->stream);
	struct table *t = table_plain(report, &percpu_type);
	const uint32_t seen = analysis_seen(p->env);
	struct cpu_row row = { .frees = seen & NEEDS(PAGE_FREE),
			       .batched = seen & NEEDS(PAGE_FREE_BATCHED) };

	row.seconds = seconds_of(p->env->rec, less(s->last_ts, s->first_ts));
	for (size_t i = 0; i < p->cpus.nr; i++) {
		row.c = &p->cpus.of[i];
		table_put_row(t, &row);
	}
	add_notes(p, seen, t);
	add_summary(p, t);
}

static void show_moves(const struct percpu *p, struct report *report)
{
	struct table *t = table_plain(report, &percpu_matrix_type);

	for (uint32_t i = 0; i < p->moved.nr; i++) {
		const struct percpu_key *key = KEYED_KEY(&p->moved, i);
		const struct move_row row = { p->cpus.of[key->from].cpu,
					      p->cpus.of[key->to].cpu, p->moved.of[i] };

		table_put_row(t, &row);
	}
}

static int percpu_view(const void *self, struct report *report)
{
	const struct percpu *p = self;

	if (p->failed)
		return -ENOMEM;
	show_cpus(p, report);
	if (p->moved.nr)
		show_moves(p, report);
	return 0;
}

static void percpu_destroy(void *self)
{
	struct percpu *p = self;

	u64_map_free(&p->refilled);
	KEYED_FREE(&p->moved);
	INDEXED_FREE(&p->cpus);
}

const struct analysis analysis_percpu = {
	.name = "percpu",
	.help = "refills and drains of the page lists of CPUs",
	.use = ANALYSIS_COMMAND,
	.must = NEEDS(PAGE_ALLOC_ZONE_LOCKED) | NEEDS(PAGE_PCPU_DRAIN),
	.events = "mm_page_alloc_zone_locked or mm_page_pcpu_drain",
	.record = "--percpu",
	.unsampled =
		"it compares pages with refills and drains, all of which were recorded",
	.tables = TABLES(&percpu_type, &percpu_matrix_type),
	ANALYSIS_SELF(struct percpu),
	.observe = percpu_observe,
	.view = percpu_view,
	.destroy = percpu_destroy,
};

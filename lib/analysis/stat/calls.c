// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * analysis: what one system call allocates, and how much of that still lives.
 * In: allocations, begins and ends of system calls. Out: table "calls".
 *
 * Sums are of all calls; least, median and most are of calls recorded from start to end.
 */

#include "analysis/analysis.h"
#include "analysis/filter/alloc_filter.h"
#include "analysis/row/entry.h"
#include "base/keyed.h"

/* More kinds of calls than a kernel has; further ones share a row. */
#define CALLS_MAX 4096

/* Beyond this many different figures, new ones are rounded to this many bits. */
#define EXACT_FIGURES (1U << 18)
#define ROUNDED_BITS  7

/* A figure of a call in a key: its row, kind of memory, what is counted, and the value. */
#define VALUE_BITS 48

enum figure { FIGURE_BYTES, FIGURE_NR, FIGURES };

/* What a call, or all calls of a kind, allocated of a kind of memory. */
struct call_sum {
	uint64_t of[FIGURES];
};

/* Least, median, most. */
struct call_span {
	uint64_t least, median, most;
};

/* All calls with a number. @whole: those recorded from start to end. */
struct call_kind {
	uint32_t call;
	uint64_t nr, whole;
	struct call_sum sums[MEMORY_KINDS];
	uint64_t live[MEMORY_KINDS];
};

/**
 * struct call_stats - the analysis
 * @now: by task of @calls, what its call has allocated so far
 * @kinds: by call
 * @values: figure of a call that is not 0, as a key -> how many calls have it
 * @rounded: some were rounded
 * @broken: memory ran out
 */
struct call_stats {
	const struct analysis_env *env;
	struct calls calls;
	struct call_sum (*now)[MEMORY_KINDS];
	size_t now_capacity, nr_now;
	INDEXED(struct call_kind) kinds;
	struct u64_map values;
	bool rounded, broken;
};

/* A sample of all allocations says little about one call. */
static bool has_calls(const struct analysis_env *env)
{
	return !recording_meta(env->rec, RECORDING_META_SAMPLE) &&
	       FIND(fmt, env->fmts->list, env->fmts->count, fmt->type == KMEM_CALL_ENTER);
}

/* Without calls, there is nothing to observe. */
static int calls_create(void *self, const struct analysis_env *env,
			const struct analysis_options *opts)
{
	return !has_calls(env);
}

static struct call_kind *find_kind(struct call_stats *s, uint32_t call)
{
	struct call_kind *kind;

	if (s->kinds.nr >= CALLS_MAX && !u64_map_find(&s->kinds.index, call))
		call = CALL_ODD;
	kind = INDEXED_ITEM(&s->kinds, call);
	if (kind)
		kind->call = call;
	s->broken |= !kind;
	return kind;
}

/* Room for what the call of @task has allocated. */
static struct call_sum *task_sums(struct call_stats *s, uint32_t task)
{
	if (array_reach(&s->now, &s->nr_now, &s->now_capacity, task + 1UL)) {
		s->broken = true;
		return NULL;
	}
	return s->now[task];
}

static uint64_t value_key(size_t kind, unsigned int memory, enum figure figure,
			  uint64_t value)
{
	uint64_t row = (kind * MEMORY_KINDS + memory) * FIGURES + figure;
	uint64_t most = (1ULL << VALUE_BITS) - 1;

	return row << VALUE_BITS | SMALLER(value, most);
}

static uint64_t rounded(uint64_t value)
{
	unsigned int drop = 0;

	while (value >> drop >= 1U << ROUNDED_BITS)
		drop++;
	return value >> drop << drop;
}

static void add_value(struct call_stats *s, size_t kind, unsigned int memory,
		      const struct call_sum *sum)
{
	for (int i = 0; i < FIGURES; i++) {
		uint64_t value = sum->of[i];
		uint64_t key = value_key(kind, memory, i, value);
		uint32_t *nr = u64_map_find(&s->values, key);

		if (!value)
			continue;
		if (!nr && s->values.count >= EXACT_FIGURES) {
			key = value_key(kind, memory, i, rounded(value));
			s->rounded = true;
		}
		nr = nr ? nr : u64_map_insert(&s->values, key, 0);
		if (!nr)
			s->broken = true;
		else if (*nr < UINT32_MAX)
			++*nr;
	}
}

static void call_over(struct call_stats *s, const struct call_change *change, uint64_t ts)
{
	struct alloc_filter *filter = s->env->filter;
	const struct call_sum *sums = task_sums(s, change->task);
	struct call_kind *kind;

	if (filter && !alloc_filter_task(filter, s->calls.tasks[change->task].pid, ts))
		return;
	kind = find_kind(s, change->over);
	if (!kind || !sums)
		return;
	kind->nr++;
	kind->whole += change->whole;
	for (unsigned int m = 0; m < MEMORY_KINDS && change->whole; m++)
		add_value(s, (size_t)(kind - s->kinds.of), m, &sums[m]);
}

static void learn(struct call_stats *s, const struct kmem_event *ev)
{
	struct call_change change;

	if (calls_learn(&s->calls, ev, &change)) {
		s->broken = true;
		return;
	}
	if (change.over != CALL_NONE)
		call_over(s, &change, ev->ts);
	if (change.task < s->nr_now && ev->type != KMEM_TASK_EXIT)
		memset(s->now[change.task], 0, sizeof(*s->now));
}

/* Counts an allocation for the call that makes it. */
static void allocated(struct call_stats *s, const struct kmem_event *ev,
		      enum memory memory, const struct call_sum *what)
{
	uint32_t call = calls_find(&s->calls, ev);
	struct call_kind *kind = call_is_one(call) ? find_kind(s, call) : NULL;
	struct call_sum *sums = kind ? task_sums(s, calls_task(&s->calls, ev)) : NULL;

	for (int i = 0; sums && i < FIGURES; i++) {
		sums[memory].of[i] += what->of[i];
		kind->sums[memory].of[i] += what->of[i];
	}
}

static void allocated_pages(struct call_stats *s, const struct kmem_event *ev)
{
	uint64_t nr;

	if (ev->page_alloc.order > PAGE_ORDER_LIMIT || ev->page_alloc.pfn == KMEM_NO_PFN)
		return;
	nr = 1ULL << ev->page_alloc.order;
	allocated(s, ev, MEMORY_PAGE,
		  &(struct call_sum){ { nr * s->env->page_size, nr } });
}

static void calls_observe(void *self, const struct kmem_event *evs, size_t nr)
{
	struct call_stats *s = self;

	for (const struct kmem_event *ev = evs; ev < evs + nr && !s->broken; ev++) {
		const struct call_sum object = { { ev->slab_alloc.bytes_alloc, 1 } };
		bool area = kmem_is_area_alloc(ev->type);

		if (!area && !kmem_is_slab_alloc(ev->type) && ev->type != KMEM_PAGE_ALLOC)
			learn(s, ev);
		else if (s->env->filter && ev->hidden)
			continue;
		else if (ev->type == KMEM_PAGE_ALLOC)
			allocated_pages(s, ev);
		else if (ev->slab_alloc.ptr && ev->slab_alloc.bytes_alloc <= UINT32_MAX)
			allocated(s, ev,
				  !area				   ? MEMORY_SLAB
				  : ev->type == KMEM_VMALLOC_ALLOC ? MEMORY_VMALLOC
								   : MEMORY_PERCPU,
				  &object);
	}
}

static void calls_end(void *self)
{
	struct call_stats *s = self;

	for (uint32_t i = 0; s && i < s->calls.nr && !s->broken; i++) {
		struct call_change last = calls_last(&s->calls, i);

		if (last.over != CALL_NONE)
			call_over(s, &last, UINT64_MAX);
	}
}

/* --- the table --------------------------------------------------------------------------- */

/* @bytes, @objects: of a call; NULL: no call was recorded whole. */
struct calls_row {
	const struct call_kind *kind;
	const struct analysis_env *env;
	const char *memory;
	const struct call_sum *sum;
	uint64_t live;
	const struct call_span *bytes, *objects;
};

CELL(cell_cut, struct calls_row, cell_uint(r->kind->nr - r->kind->whole))
CELL_PUT(cell_entry, struct calls_row, entry_call_name(r->env, r->kind->call, out))

static const struct column_type columns[] = {
	{ COLUMN("bytes", "Total_alloc/Call", UNIT_BYTES,
		 "Bytes allocated in these calls, and per call on average.",
		 .per = "calls"),
	  MEMBER_OF(struct calls_row, sum, of[FIGURE_BYTES]) },
	{ COLUMN("calls", "Calls", UNIT_COUNT,
		 "Calls of which the begin, the end or both were recorded."),
	  MEMBER_OF(struct calls_row, kind, nr) },
	{ COLUMN("bytes_min", "Least", UNIT_BYTES,
		 "The least that a call allocated; of calls that are not cut.",
		 .level = true, .drop = 30),
	  MEMBER_OF(struct calls_row, bytes, least) },
	{ COLUMN("bytes_median", "Median_bytes", UNIT_BYTES,
		 "Half of the calls allocated no more than this.", .level = true,
		 .drop = 20),
	  MEMBER_OF(struct calls_row, bytes, median) },
	{ COLUMN("bytes_max", "Most", UNIT_BYTES, "The most that a call allocated.",
		 .level = true, .drop = 25),
	  MEMBER_OF(struct calls_row, bytes, most) },
	{ COLUMN("live_bytes", "Live/Call", UNIT_BYTES,
		 "Bytes of them that were not seen freed, and per call.", .per = "calls",
		 .live = true),
	  MEMBER(struct calls_row, live) },
	{ COLUMN("objects", "Objects", UNIT_COUNT,
		 "Slab objects, pages or areas that they allocated.", .drop = 40),
	  MEMBER_OF(struct calls_row, sum, of[FIGURE_NR]) },
	{ COLUMN("objects_min", "Fewest", UNIT_COUNT,
		 "The fewest of these that a call allocated.", .level = true, .drop = 70),
	  MEMBER_OF(struct calls_row, objects, least) },
	{ COLUMN("objects_median", "Median_objects", UNIT_COUNT,
		 "The median of their number.", .level = true, .drop = 50),
	  MEMBER_OF(struct calls_row, objects, median) },
	{ COLUMN("objects_max", "Largest", UNIT_COUNT,
		 "The largest number of these that a call allocated.", .level = true,
		 .drop = 60),
	  MEMBER_OF(struct calls_row, objects, most) },
	{ COLUMN("cut", "Cut", UNIT_COUNT,
		 "Calls whose begin or end was not recorded: before the first event, after the last, or lost.",
		 .drop = 35),
	  .fill = cell_cut },
	{ COLUMN("memory", "Memory", UNIT_NONE, "slab, page, vmalloc or percpu."),
	  MEMBER(struct calls_row, memory) },
	{ COLUMN("entry", "System call", UNIT_NONE, "The system call.", .last = true),
	  .fill = cell_entry },
	COLUMNS_END,
};

static const struct table_type calls_type = {
	.name = "calls",
	.help = "what system calls allocate, per call; only with record --entry",
	.title = "Allocations of system calls",
	.by = "entry",
	.sort = "bytes,calls",
	.columns = columns,
};

/* Adds up what still lives of the calls' allocations. */
static void find_live(struct call_stats *s)
{
	for (int m = 0; m < MEMORY_KINDS; m++) {
		const struct lives *l = s->env->accounts->of[m];

		for (size_t i = 0; l && i < lives_rows(l); i++) {
			uint32_t call =
				event_stream_call(s->env->stream, lives_stack(l, i));
			struct call_kind *kind =
				call_is_one(call) ? find_kind(s, call) : NULL;

			if (kind)
				kind->live[m] += lives_sums(l, i).live_alloc;
		}
	}
}

/* From the figures of a row, @nr of them in order; those that are 0 are not among them. */
static struct call_span find_span(const struct u64_map_slot *of, size_t nr,
				  uint64_t whole)
{
	const uint64_t mask = (1ULL << VALUE_BITS) - 1, middle = (whole - 1) / 2;
	struct call_span span = { 0 };
	uint64_t before = whole;

	for (size_t i = 0; i < nr; i++)
		before = less(before, of[i].value);
	if (!before && nr)
		span.least = of[0].key & mask;
	for (size_t i = 0; i < nr && before <= middle; i++) {
		before += of[i].value;
		span.median = of[i].key & mask;
	}
	span.most = nr ? of[nr - 1].key & mask : 0;
	return span;
}

/* Adds the rows; @sorted: the figures. They are in the order of the rows. */
static void add_rows(const struct call_stats *s, const struct u64_map_slot *sorted,
		     struct table *t)
{
	size_t at = 0, end = 0;

	for (size_t i = 0; i < s->kinds.nr * MEMORY_KINDS; i++) {
		const struct call_kind *kind = &s->kinds.of[i / MEMORY_KINDS];
		struct call_span spans[FIGURES];
		struct calls_row row = {
			.kind = kind,
			.env = s->env,
			.memory = memory_words((enum memory)(i % MEMORY_KINDS))->word,
			.sum = &kind->sums[i % MEMORY_KINDS],
			.live = kind->live[i % MEMORY_KINDS],
			.bytes = kind->whole ? &spans[FIGURE_BYTES] : NULL,
			.objects = kind->whole ? &spans[FIGURE_NR] : NULL,
		};

		for (int f = 0; f < FIGURES; f++, at = end) {
			while (end < s->values.count &&
			       sorted[end].key >> VALUE_BITS == i * FIGURES + (size_t)f)
				end++;
			if (kind->whole)
				spans[f] = find_span(sorted + at, end - at, kind->whole);
		}
		if (row.sum->of[FIGURE_NR])
			table_put_row(t, &row);
	}
}

static void summarize(const struct call_stats *s, struct table *t)
{
	uint64_t nr = 0, cut = 0, idle = 0;

	for_each(kind, s->kinds.of, s->kinds.nr) {
		uint64_t objects = 0;

		for (int m = 0; m < MEMORY_KINDS; m++)
			objects += kind->sums[m].of[FIGURE_NR];
		nr += kind->nr;
		cut += kind->nr - kind->whole;
		idle += objects ? 0 : kind->nr;
	}
	table_set_summary_title(t, "SUMMARY (system calls)");
	TABLE_SUMMARY(t, s->calls.losses != 0,
		      { "calls", "System calls", UNIT_COUNT, nr, SUMMARY_TOTAL },
		      { "calls_idle", "Calls of a kind that allocated nothing",
			UNIT_COUNT, idle, SUMMARY_USUAL },
		      { "calls_cut", "Calls whose begin or end is not recorded",
			UNIT_COUNT, cut, SUMMARY_USUAL });
}

static void add_notes(const struct call_stats *s, struct table *t)
{
	table_note_if(
		t, s->calls.losses,
		"!Events were lost in %" PRIu32
		" gap%s: calls that were in progress are missing or cut, and what they allocated is a lower bound.",
		s->calls.losses, plural(s->calls.losses));
	table_note_if(
		t, s->rounded,
		"Some least, median and most figures are rounded down, by less than 2 %%.");
}

static int calls_view(const void *self, struct report *report)
{
	struct call_stats *s = (struct call_stats *)self;
	struct u64_map_slot *sorted __auto_mem = NULL;
	struct table *t;

	if (!s || !s->calls.nr)
		return 0;
	find_live(s);
	sorted = s->broken ? NULL : u64_map_sorted(&s->values);
	if (!sorted)
		return -ENOMEM;
	t = table_plain(report, &calls_type);
	add_rows(s, sorted, t);
	summarize(s, t);
	add_notes(s, t);
	return 0;
}

static void calls_destroy(void *self)
{
	struct call_stats *s = self;

	calls_free(&s->calls);
	INDEXED_FREE(&s->kinds);
	u64_map_free(&s->values);
	free(s->now);
}

const struct analysis analysis_calls = {
	.name = "calls",
	.help = "allocations per system call",
	.use = ANALYSIS_BESIDE,
	.needs = NEEDS_SLAB | NEEDS_PAGE,
	.rows = ROWS(ENTRY),
	.estimates = true,
	.tables = TABLES(&calls_type),
	ANALYSIS_SELF(struct call_stats),
	.create = calls_create,
	.observe = calls_observe,
	.end = calls_end,
	.view = calls_view,
	.destroy = calls_destroy,
};

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * account: the lives of allocations, of every kind of memory.
 * In: lives that begin and end, from slab_lives.h and page_lives.h. Out: rows of who allocated,
 * their sums, and batches of lives for observers.
 *
 * The meaning of an event depends on the kind of memory; what follows from a life does not. Each
 * kind embeds struct lives as its first member, and describes its rows in struct life_kind.
 */
#ifndef KMEMX_ACCOUNT_LIVES_H
#define KMEMX_ACCOUNT_LIVES_H

#include "account/dimension.h"
#include "account/live.h"
#include "base/keyed.h"
#include "event/event.h"

/* Small enough to stay in the L1 cache. */
#define EVENT_LISTS_MAX 128U

/* How many events ahead an account prefetches, to hide the latency of memory. */
#define EVENT_LISTS_AHEAD 12U

/* Losses are in both lists. */
struct event_lists {
	const struct kmem_event *slab[EVENT_LISTS_MAX + 1], *page[EVENT_LISTS_MAX + 1];
	size_t nr_slab, nr_page;
};

/* Lists the first of @nr events. Returns how many it looked at. No branch depends on the type of an
 * event, because types are hard to predict.
 */
static inline size_t event_lists_fill(struct event_lists *lists,
				      const struct kmem_event *ev, size_t nr)
{
	static const uint8_t is_slab[KMEM_NR_TYPES] = {
		[KMEM_LOSS] = 1,	[KMEM_KMALLOC] = 1,  [KMEM_KMALLOC_NODE] = 1,
		[KMEM_CACHE_ALLOC] = 1, [KMEM_KFREE] = 1,    [KMEM_CACHE_ALLOC_NODE] = 1,
		[KMEM_CACHE_FREE] = 1,	[KMEM_FREE_RCU] = 1, [KMEM_FREE_BULK] = 1,
		[KMEM_ALLOC_BULK] = 1,
	};
	static const uint8_t is_page[KMEM_NR_TYPES] = {
		[KMEM_LOSS] = 1,
		[KMEM_PAGE_ALLOC] = 1,
		[KMEM_PAGE_FREE] = 1,
		[KMEM_PAGE_FREE_BATCHED] = 1,
	};
	size_t nr_slab = 0, nr_page = 0;

	nr = SMALLER(nr, EVENT_LISTS_MAX);
	for (const struct kmem_event *end = ev + nr; ev < end; ev++) {
		lists->slab[nr_slab] = ev;
		nr_slab += is_slab[ev->type];
		lists->page[nr_page] = ev;
		nr_page += is_page[ev->type];
	}
	lists->nr_slab = nr_slab;
	lists->nr_page = nr_page;
	return nr;
}

/**
 * struct scope - zero: the whole system, and no task left out
 * @part: only allocations of some tasks, or those that passed a filter, were recorded
 * @self: the recorder, whose own allocations were left out; 0: unknown
 */
struct scope {
	bool part;
	int32_t self;
};

/* Is @ev, a free of no live object, by the recorder, whose allocations were left out? */
static inline bool scope_by_self(const struct scope *s, const struct kmem_event *ev)
{
	return s->self && ev->pid == s->self && !(ev->flags & KMEM_FLAGS_IRQ);
}

enum life_what {
	LIFE_BORN,
	LIFE_FREED,   /* ended by an event */
	LIFE_GONE,    /* ended without one */
	LIFE_FOUND,   /* the late free of a life that was counted as gone */
	LIFE_REFUSED, /* no life: the allocation failed */
	LIFE_NR,
};

/**
 * struct life - an allocation begins to live, or all or a part of it ends
 * @event: the event that shows it, valid while the batch is handed over; NULL: the end of the
 *	events
 * @begin: time of the allocation; 0 unless the lives keep times
 * @at: address of the object, or first frame of the request, even if only other pages of it end
 * @nr: number of pages; 1 for an object
 * @bytes_req, @bytes: requested and allocated; the same for pages
 * @row: who allocated it: lives_key()
 * @cpu: CPU that allocated an object, truncated to 16 bits; 0 for pages
 * @what: enum life_what; @flags: LIFE_OTHER_CPU and the like
 */
struct life {
	const struct kmem_event *event;
	uint64_t begin;
	uint64_t at;
	uint64_t nr, bytes_req, bytes;
	uint32_t row;
	uint16_t cpu;
	uint8_t what, flags;
};

#define LIFE_OTHER_CPU 1  /* the free came from another CPU than the allocation */
#define LIFE_REORDERED 2  /* the free came before the allocation, by their clocks */
#define LIFE_DOUBLED   4  /* the free of the object was counted as double until now */
#define LIFE_LAST      8  /* these were the last live pages of the request */
#define LIFE_IMPLICIT  16 /* with LIFE_LAST: some of the request ended without an event */

/* Does @life change the amount of live memory? LIFE_FOUND does not: LIFE_GONE did. */
static inline bool life_changes(const struct life *life)
{
	return life->what <= LIFE_GONE;
}

/* Was it ended by an event, perhaps a late one? */
static inline bool life_freed(const struct life *life)
{
	return life->what == LIFE_FREED || life->what == LIFE_FOUND;
}

/* The kinds of memory. */
enum memory { MEMORY_SLAB, MEMORY_PAGE, MEMORY_VMALLOC, MEMORY_PERCPU, MEMORY_KINDS };

struct lives;

/**
 * struct lives_sums - sums of a row; every member is a uint64_t
 * @hit, @nr: allocations, and their objects or pages
 * @live_hit: allocations that are live in whole or in part; @live: their live objects or pages
 * @implicit: objects or pages that ended without an event
 * @pingpong: objects that were freed on another CPU than allocated on
 * @sure: of the live ones, those allocated after the last gap; only lives_sum() sets it and
 *	@sure_alloc
 * @failed: page allocations that failed
 *
 * Bytes of pages are 0 if the lives have no page size.
 */
struct lives_sums {
	uint64_t hit, nr, bytes_req, bytes_alloc;
	uint64_t live_hit, live, live_req, live_alloc;
	uint64_t implicit, implicit_alloc;
	uint64_t sure, sure_alloc;
	uint64_t pingpong, failed;
};

/* Adds @times times the numbers of @from to those of @to. */
void lives_sums_add(struct lives_sums *to, const struct lives_sums *from, uint64_t times);

/* Receives @nr lives of @of, in the order of their events; must record its own failures. */
typedef void lives_fn(void *ctx, const struct lives *of, const struct life *life,
		      size_t nr);

/* The key of every row ends with this. */
struct row_tail {
	struct dimension_values dims;
	uint32_t all_tasks; /* 1: joins many tasks, whose sums are in struct spent */
};

#define LIVES_KEY_MAX 64

/**
 * struct life_kind - what differs between the lives of two kinds of memory
 * @key_size: bytes of a row's key, at most LIVES_KEY_MAX; it ends with struct row_tail
 * @tally_size: bytes of a row's tally, which consists of uint64_t only
 * @add_up: adds the batch to the tallies
 * @drop: called for each hidden life that is removed from the batch; may be NULL
 * @see_rows: calls lives_see_row() for entries that are not live but may still need their row
 * @renumbered: drops short cuts after rows or keys were renumbered
 * @forget: drops everything but live memory
 * @first: address or frame at which the allocation of a live entry begins; NULL: the entry's key
 * @stack: returns the place of the callchain in a key; NULL: rows have none
 * @sums: returns the sums of a tally, not weighted
 */
struct life_kind {
	enum memory memory;
	size_t key_size, tally_size;
	void (*add_up)(struct lives *l);
	void (*drop)(struct lives *l, const struct life *life);
	void (*see_rows)(struct lives *l, bool *used, const uint32_t *now);
	void (*renumbered)(struct lives *l);
	void (*forget)(struct lives *l);
	uint64_t (*first)(const struct lives *l, const struct live_entry *entry);
	uint32_t *(*stack)(const struct lives *l, void *key);
	struct lives_sums (*sums)(const struct lives *l, const void *tally);
};

/**
 * struct spent - sums by task of rows without live allocations
 *
 * Rows by task and callsite would take memory for each task that ever ran. Tables by task alone
 * need only what each task and what each callsite allocated. So once such a row has nothing live
 * and can no longer change, it is added to the task's sums here and to a row of all tasks.
 *
 * @keys: dimension_values of tasks, without callchain and size; number n has entry n - 1 of @sums
 *	and @firsts
 * @sums: one tally each, of @words numbers
 */
struct spent {
	size_t words;
	struct intern keys;
	uint64_t *sums;
	size_t sums_capacity;
	uint64_t *firsts;
	size_t firsts_capacity;
};

/* The tail of the key of row @row, from 0, in @keys; NULL: no such row. */
static inline const struct row_tail *row_tail_of(const struct intern *keys, uint32_t row)
{
	size_t size = 0;
	const uint8_t *key = intern_get(keys, row + 1, &size);

	return key ? (const struct row_tail *)(key + size - sizeof(struct row_tail))
		   : NULL;
}

/* The key of sum @i, from 0. */
static inline const struct dimension_values *spent_key(const struct spent *s, uint32_t i)
{
	return intern_get(&s->keys, i + 1, NULL);
}

/* The number of the sum of @v's task, from 1; 0: it has none. */
uint32_t spent_find(const struct spent *s, const struct dimensions *dims,
		    const struct dimension_values *v);

/* The tally of sum @i. */
static inline const void *spent_sum(const struct spent *s, uint32_t i)
{
	return s->sums + i * s->words;
}

/* What was allocated at one address or first page frame, for reports by address. */
struct lives_address {
	uint64_t at;
	uint32_t row; /* of its latest allocation; each row of a frame is separate */
	struct lives_sums counts; /* .nr is not counted */
};

/* Events whose lives are handed over together. They may take more than one batch, because the free
 * of many pages can end many lives.
 */
#define LIVES_EVENTS EVENT_LISTS_MAX

/**
 * struct lives - the common part of slab_lives and page_lives
 * @kind: set by the first event, or before
 * @page_size: bytes of a page; 0: pages have no bytes
 * @dimensions: what else distinguishes rows
 * @scope: whose allocations were not recorded
 * @filtered: the events say which allocations are hidden
 * @keys: intern table of who allocated; row n has number n + 1
 * @tallies: one for each row, up to date after a batch
 * @rows: the sums of each row, filled in by lives_sum()
 * @addresses: with @by_address, in the order of their first allocations
 * @firsts: with @spent, each row's rank by first event, from 1; @nr_firsts: ranks given so far
 * @spent: NULL, or points to @sums: the sums of tasks without live memory. Rows are then renumbered
 *	between batches, so there are no observers
 * @sweep_at: sweep when there are more rows than this
 * @live: live memory, and some freed objects; with live.times, each end of a life carries the time
 *	of its begin, for 6 more bytes an entry (8 if times are days apart)
 * @hidden_keys: like @keys, for hidden memory: row n | LIVE_HIDDEN has number n + 1
 * @hidden_gone: hidden row -> how many objects or pages ended without an event
 * @open_gap: a CPU's last events are lost: nothing live is sure
 * @losses: gaps, each of which may hide any number of events
 * @failed: memory ran out; the numbers are void
 */
struct lives {
	const struct life_kind *kind;
	uint32_t page_size;
	struct intern keys;
	void *tallies;
	size_t nr_tallies, tallies_capacity;
	struct lives_sums *rows;
	size_t rows_capacity;
	KEYED(struct lives_address) addresses;
	bool by_address;
	uint64_t *firsts;
	size_t firsts_capacity;
	uint64_t nr_firsts;
	struct spent *spent;
	struct spent sums;
	size_t sweep_at;
	struct live_table live;
	struct dimensions dimensions;
	struct scope scope;
	bool filtered;
	struct intern hidden_keys;
	struct u64_map hidden_gone;
	bool open_gap;
	bool failed;
	uint64_t losses;
	struct lives_observer {
		lives_fn *fn;
		void *ctx;
	} * observers;
	size_t nr_observers;
	struct life *next; /* in @batch */
	struct life batch[2 * LIVES_EVENTS];
};

/**
 * lives_observe() - have every batch of lives handed to @fn
 *
 * Observers are called in the order of these calls. @ctx is borrowed. 0 or -ENOMEM.
 */
int lives_observe(struct lives *l, lives_fn *fn, void *ctx) __must_check;

/* Also makes sums by address, or by page frame and row. Call it before the first event. 0 or
 * -ENOMEM.
 */
int lives_by_address(struct lives *l) __must_check;

/* May rows of tasks without live memory become sums (struct spent)? Call it after all users have
 * asked for what they need.
 */
bool lives_sums_tasks(const struct lives *l);

/* The number of rows. It only grows, unless there is @spent. */
static inline size_t lives_rows(const struct lives *l)
{
	return l->keys.count;
}

/* The key of row @row, which may be of hidden memory; valid until the next events. */
static inline const void *lives_key(const struct lives *l, size_t row)
{
	const struct intern *keys = row & LIVE_HIDDEN ? &l->hidden_keys : &l->keys;

	return intern_get(keys, ((uint32_t)row & ~LIVE_HIDDEN) + 1, NULL);
}

/* The values of the dimensions of row @row. */
static inline const struct dimension_values *lives_dims(const struct lives *l, size_t row)
{
	const struct intern *keys = row & LIVE_HIDDEN ? &l->hidden_keys : &l->keys;

	return &row_tail_of(keys, (uint32_t)row & ~LIVE_HIDDEN)->dims;
}

/* The row's value of dimension @d; 0 if rows do not have it. */
static inline uint32_t lives_value(const struct lives *l, size_t row, enum dimension d)
{
	return dimension_value(&l->dimensions, lives_dims(l, row), d);
}

/* How many allocations each one of the row stands for: more than one only in a sample. */
static inline uint32_t lives_weight(const struct lives *l, size_t row)
{
	if (likely(!l->dimensions.sample.one_in))
		return 1;
	return dimension_weight(&l->dimensions, lives_dims(l, row));
}

static inline struct lives_sums lives_sums(const struct lives *l, size_t row)
{
	return l->kind->sums(l, (char *)l->tallies + row * l->kind->tally_size);
}

/* Fills in @rows, and .sure of @addresses. Doubts that only the end can settle stay open. May be
 * called repeatedly. Sets @failed if memory runs out.
 */
void lives_sum(struct lives *l);

/* The callchain of row @row; 0: rows have none, or none was recorded. */
static inline uint32_t lives_stack(const struct lives *l, size_t row)
{
	const uint32_t *stack = l->kind->stack(l, (void *)lives_key(l, row));

	return stack ? *stack : 0;
}

/* Live entries that are not hidden, in no particular order: start with NULL; NULL at the end. */
static inline const struct live_entry *lives_next(const struct lives *l,
						  const struct live_entry *entry)
{
	do
		entry = live_next(&l->live, (struct live_entry *)entry);
	while (entry && (entry->state != LIVE_ALLOCATED || entry->row & LIVE_HIDDEN));
	return entry;
}

/* How many objects or pages the live @entry has, and their bytes. */
static inline uint64_t lives_entry_nr(const struct lives *l, const struct live_entry *e)
{
	return l->kind->memory == MEMORY_PAGE ? 1ULL << e->order : 1;
}

static inline uint64_t lives_entry_bytes(const struct lives *l,
					 const struct live_entry *e)
{
	return l->kind->memory == MEMORY_PAGE ? (uint64_t)l->page_size << e->order
					      : e->bytes_alloc;
}

/* Was the live @entry allocated after the last gap? */
static inline bool lives_sure(const struct lives *l, const struct live_entry *entry)
{
	return !l->open_gap && live_is_recent(&l->live, entry);
}

/**
 * lives_forget() - drop rows without live memory, and everything that was freed
 * @keep: whether to keep each row in any case; becomes true for rows with live memory
 * @to: receives each row's new number, or LIVES_GONE. Both have one entry more than lives_rows()
 *
 * The sums of dropped rows are lost: add up totals before. Afterwards, a second free of an object
 * counts as a free of an unknown one, and counts of frees by caller start anew. There must be no
 * observers. Clocks must agree (skew 0), because events in the wrong order cannot be matched later.
 * Return: 0; -ENOMEM: nothing happened.
 */
int lives_forget(struct lives *l, bool *keep, uint32_t *to) __must_check;

/* The new number of a dropped row. */
#define LIVES_GONE UINT32_MAX

/* Marks in @used the values of dimension @d below @nr that rows have. DIMENSION_STACK: callchains,
 * of rows of any kind; call it right after lives_forget(): then only rows refer to them.
 */
void lives_mark(const struct lives *l, enum dimension d, uint32_t *used, uint32_t nr);
/* Replaces each value n of dimension @d by @to[n]; different values must stay different. Rows keep
 * their numbers. 0; -ENOMEM: the lives can only be freed.
 */
int lives_renumber(struct lives *l, enum dimension d, const uint32_t *to,
		   uint32_t nr) __must_check;

/* For the kinds, to be called first. @kind: for lives without one. */
void lives_begin(struct lives *l, const struct life_kind *kind);
/* The number of @key, which is its row + 1 and has a tally; 0 if memory ran out. */
uint32_t lives_number(struct lives *l, const void *key);
/* The row of hidden @key, with LIVE_HIDDEN; UINT32_MAX if memory ran out. Hidden rows are numbered
 * apart from shown ones.
 */
uint32_t lives_hidden_row(struct lives *l, const void *key);
/* Adds up the batch and hands it over, without what is hidden. */
void lives_flush(struct lives *l);
/* Hands over the batch, and sweeps rows if there are too many. With @last, always sweeps. */
void lives_batch_end(struct lives *l, bool last);
/* Marks the row of @e as used, or with @now gives the entry its row's new number. */
void lives_see_row(struct live_entry *e, bool *used, const uint32_t *now);
/* A gap in the events. */
void lives_loss(struct lives *l, const struct kmem_event *ev);
void lives_free(struct lives *l);

/* Do lives only change sums: without dimensions, times, filter and observers? Functions with a
 * parameter @plain are compiled a second time for this case, which is by far the most common.
 */
static inline bool lives_plain(const struct lives *l)
{
	return !l->dimensions.of[0] && !l->live.times && !l->filtered && !l->nr_observers;
}

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * account: the accounts of one stream, made once for all analyses.
 * In: requests for accounts; events in time order. Out: an account of each kind of memory, with any
 * number of observers.
 */
#ifndef KMEMX_ACCOUNT_ACCOUNTS_H
#define KMEMX_ACCOUNT_ACCOUNTS_H

#include "account/page_lives.h"
#include "account/slab_lives.h"
#include "recording/recording.h"

/**
 * struct accounts - zero-initialise it, set @rec and @page_size
 * @rec: borrowed
 * @page_size: bytes of a page on the recorded machine
 * @sample: the sample to extrapolate from; zero: none. Rows are then also split by unit, or with
 *	@coarse by whether the sample always records them
 * @of: the accounts, each by its first member; NULL until someone asks for it
 * @filtered: the events say which allocations the user's filter hides
 * @tasks: task names, if rows are by name (@named)
 * @processes: used if rows are by process (@by_process); the caller fills it before the first event
 * @nodes: the nodes of pages, if their rows are by node
 * @edges: slab events close to the kernel's counts, if the recording has counts
 */
struct accounts {
	const struct recording *rec;
	uint32_t page_size;
	struct sample sample;
	bool filtered, coarse;
	union {
		struct lives *of[MEMORY_KINDS];
		struct { /* the same, by name */
			struct slab_lives *slab;
			struct page_lives *page;
			struct slab_lives *vmalloc, *percpu;
		};
	};
	struct slab_edges edges;
	bool named, by_process;
	struct tasks tasks;
	struct processes processes;
	struct node_map nodes;
};

/**
 * accounts_of_memory() - ask for an account, before the first event
 * @dimensions: what must distinguish its rows besides the callsite; all callers together can ask
 *	for DIMENSIONS_ASKED. Rows may be split further for other callers; those of areas are
 *	always split by callchain
 * @of: address of a pointer to the account or its lives. Receives the account, which @a owns; NULL
 *	on error
 *
 * DIMENSION_CHARGED is left out if the other dimensions leave no room for it.
 *
 * Return: 0; -ENOMEM; -EOVERFLOW if all callers together ask for too many dimensions.
 */
int accounts_of_memory(struct accounts *a, enum memory memory,
		       const struct dimensions *dimensions, void *of) __must_check;
/* The dimensions of an account of areas for which @dimensions are asked. */
struct dimensions accounts_areas_dimensions(const struct dimensions *dimensions);
/* Asks for the accounts of all kinds of memory; @of receives their lives. Returns what
 * accounts_of_memory() does.
 */
int accounts_ask(struct accounts *a, const struct dimensions dimensions[MEMORY_KINDS],
		 struct lives *of[MEMORY_KINDS]) __must_check;
/* accounts_ask(), then lives_observe() for each account. */
int accounts_observe(struct accounts *a, const struct dimensions dimensions[MEMORY_KINDS],
		     struct lives *of[MEMORY_KINDS], lives_fn *fn,
		     void *ctx) __must_check;
/* The account that begins with @l, from accounts_ask(). Not for pages: accounts_of_page(). */
static inline const struct slab_lives *accounts_of_slab(const struct lives *l)
{
	return (const struct slab_lives *)l;
}

static inline const struct page_lives *accounts_of_page(const struct lives *l)
{
	return (const struct page_lives *)l;
}

/* If @all has DIMENSION_PROCESS, _PROGRAM or _CGROUP, gives it the processes and sets @by_process,
 * so that the caller fills them. For analyses that number processes without an account.
 */
void accounts_by_process(struct accounts *a, struct dimensions *all);
/* Does an account or an observer read gfp_flags, node or accounted of slab allocations? See
 * event_stream_set_brief().
 */
bool accounts_read_all(const struct accounts *a);
/* Hands @nr events to the slab and the page account, which must exist. Does the same as
 * slab_lives_events() and page_lives_events(), but faster.
 */
void accounts_events(struct accounts *a, const struct kmem_event *evs, size_t nr);
/* Hands @nr events to the accounts of areas; does nothing if nobody asked for them. */
void accounts_area_events(struct accounts *a, const struct kmem_event *evs, size_t nr);
/* No more events: finishes the accounts. */
void accounts_finish(struct accounts *a);
void accounts_free(struct accounts *a);

#endif
